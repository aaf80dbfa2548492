"""Distances after a flip of one feature."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner
from widemargin.kernels.simd import any_lane, load, min_lane, minimum, splat, store


class Batch(NamedTuple):
    """Flips that are tried together; the last of them fills up the TRIED places."""

    count: int
    features: np.ndarray  # (TRIED,)
    values: np.ndarray  # (n, TRIED) their columns side by side
    ranges: np.ndarray  # (3, TRIED) +1 to add, −1 to remove; low; high
    members: np.ndarray  # the features of F come first
    size: int  # how many there are


TRIED = 32  # flips that are tried together at most
OCTET = 8  # of them are tried at once


@inner
def _pair(i, j, XT, members, size, f, sign):
    """Squared distance of rows i and j after feature f is flipped, summed afresh."""
    s = 0.0
    for e in range(size):
        g = members[e]
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
    x, whole = column[i], lo + (hi - lo) // OCTET * OCTET
    least, xs, signs = splat(np.inf, OCTET), splat(x, OCTET), splat(sign, OCTET)
    for j in range(lo, whole, OCTET):
        t = xs - load(column, j, OCTET)
        least = minimum(load(row, j, OCTET) + signs * t * t, least)
    best = min_lane(least)
    for j in range(whole, hi):
        t = x - column[j]
        best = min(best, row[j] + sign * t * t)
    return best


@inner
def _try_all(i, h, span, XT, members, size, f, sign, floor, row):
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
                v = _pair(i, j, XT, members, size, f, sign)
            best = min(best, v)
            if best == 0.0:
                break
    return best


@inner
def settle_row(i, h, lane, span, XT, row, shortlist, batch, tests):
    """Nearest distances of row i after some flips, where its list does not tell."""
    near, ids, kind = shortlist.near, shortlist.ids, 2 * i + h
    base = kind * shortlist.length
    held, bound = shortlist.held[kind], shortlist.bounds[kind]
    values, features, members = batch.values, batch.features, batch.members
    for b in range(lane, lane + OCTET):
        sign, slack, floor = tests[0, b], tests[1, b], tests[2, b]
        best, x = np.inf, values[i, b]
        for place in range(base, base + held):
            t = x - values[ids[place], b]
            best = min(best, near[place] + sign * t * t)
        if best > bound - slack or best < floor:
            best = _try_all(
                i,
                h,
                span,
                XT,
                members,
                batch.size,
                features[b],
                sign,
                floor,
                row,
            )
        tests[3 + h, b] = best


@inner
def _try_some(values, places, near, ids, span, tests, rest):
    """Distances after OCTET flips to some listed rows; whether a row beyond may matter.

    ``places`` are that of the row's values in their flat array, of the first flip, and
    0 for hits or 1 for misses; ``span`` are places in the flat lists.
    """
    ours, lane, side = places
    x, sign = load(values, ours, OCTET), load(tests, lane, OCTET)
    found = (3 + side) * TRIED + lane
    least = load(tests, found, OCTET)
    for place in range(span[0], span[1]):
        t = x - load(values, ids[place] * TRIED + lane, OCTET)
        least = minimum(splat(near[place], OCTET) + sign * (t * t), least)
    store(least, tests, found)
    slack, floor = (
        load(tests, TRIED + lane, OCTET),
        load(tests, 2 * TRIED + lane, OCTET),
    )
    beyond = least > splat(rest, OCTET) - slack
    return any_lane(beyond | (least < floor))


@inner
def search_list(i, h, lane, shortlist, values, tests):
    """Distances after OCTET flips to the nearest listed hit (h = 0) or miss of row i.

    Returns whether these settle where the nearest ones are.
    """
    near, ids, kind = shortlist.near, shortlist.ids, 2 * i + h
    start = kind * shortlist.length
    held, bound = shortlist.held[kind], shortlist.bounds[kind]
    for b in range(lane, lane + OCTET):
        tests[3 + h, b] = np.inf
    e, unsure = 0, True
    while unsure and e < held:
        stop, rest = min(e + 4, held), bound
        if stop < held:
            rest = min(rest, near[start + stop])
        places, span = (i * TRIED + lane, lane, h), (start + e, start + stop)
        unsure = _try_some(values, places, near, ids, span, tests, rest)
        e = stop
    return not unsure
