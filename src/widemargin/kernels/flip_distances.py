"""Distances after a flip of one feature."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, tiny


class Batch(NamedTuple):
    """Flips that are tried together."""

    features: np.ndarray  # (B,)
    values: np.ndarray  # (n, B) their columns side by side
    ranges: np.ndarray  # (3, B) +1 to add, −1 to remove; low; high
    members: np.ndarray  # the features of F


# Rows of the table of a row's trials: for each flip, +1 or −1, what the flip may take
# off a squared distance at most, and below what a difference has lost its digits; then
# the squared distances of the nearest hit and miss after it.
SIGN, SLACK, FLOOR, NEAREST = 0, 1, 2, 3


@inner
def _pair(i, j, XT, members, f, sign):
    """Squared distance of rows i and j after feature f is flipped, summed afresh."""
    s = 0.0
    for g in members:
        if g != f:
            t = XT[g, i] - XT[g, j]
            s += t * t
    if sign > 0:
        t = XT[f, i] - XT[f, j]
        s += t * t
    return s


@inner
def _least(row, column, i, sign, lo, hi):
    """Smallest row[j] + sign · (column[i] − column[j])² for j in lo … hi−1."""
    x, least = column[i], np.inf
    for j in range(np.uint64(lo), np.uint64(hi)):
        t = x - column[j]
        least = min(least, row[j] + sign * t * t)
    return least


@inner
def _nearest_of_all(i, h, span, XT, members, f, sign, floor, row):
    """Nearest distance after feature f is flipped, from all rows.

    A difference that has lost its digits to cancellation is summed afresh.
    """
    column, best = XT[f], np.inf
    first, second = (span[0], i), (i + 1, span[1])
    if h == 1:
        first, second = (0, span[0]), (span[1], row.size)
    for lo, hi in (first, second):
        best = min(best, _least(row, column, i, sign, lo, hi))
    if best >= floor:
        return best
    best = np.inf
    for j in range(first[0], second[1]):
        t = column[i] - column[j]
        v = row[j] + sign * t * t
        if v < best and not first[1] <= j < second[0]:
            if v < floor:
                v = _pair(i, j, XT, members, f, sign)
            best = min(best, v)
            if best == 0.0:
                break
    return best


@tiny
def _is_settled(trials, h, b, bound):
    """Whether the nearest listed row is the nearest of all, after flip b."""
    nearest = trials[NEAREST + h, b]
    return trials[FLOOR, b] <= nearest <= bound - trials[SLACK, b]


@inner
def search_list(i, h, shortlist, values, trials):
    """Distances after all flips to the nearest listed hit (h = 0) or miss of row i.

    Returns whether these are the nearest of all.
    """
    near, ids, kind = shortlist.near, shortlist.ids, 2 * i + h
    start, bound = kind * shortlist.length, shortlist.bounds[kind]
    flips = np.uint64(trials.shape[1])
    for b in range(flips):
        trials[NEAREST + h, b] = np.inf
    for place in range(start, start + shortlist.held[kind]):
        j, before = ids[place], near[place]
        for b in range(flips):
            t = values[i, b] - values[j, b]
            after = before + trials[SIGN, b] * (t * t)
            trials[NEAREST + h, b] = min(trials[NEAREST + h, b], after)
    settled = True
    for b in range(flips):
        settled &= _is_settled(trials, h, b, bound)
    return settled


@inner
def search_row(i, h, span, XT, row, shortlist, batch, trials):
    """The same from all rows, for flips after which the list does not tell."""
    features, members = batch.features, batch.members
    bound = shortlist.bounds[2 * i + h]
    for b in range(features.size):
        if not _is_settled(trials, h, b, bound):
            sign, floor = trials[SIGN, b], trials[FLOOR, b]
            trials[NEAREST + h, b] = _nearest_of_all(
                i, h, span, XT, members, features[b], sign, floor, row
            )
