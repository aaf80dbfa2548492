"""G-flip: the evaluation function after flips of single features.

Each row has a short list of its nearest hits and misses under the current set F. After
a flip, the list settles which one is nearest unless a row that is not listed may be
nearer; then all rows are looked at.
"""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit, tiny
from widemargin.kernels.records import SIGMOID, TIE, ZERO_ONE


class Flips(NamedTuple):
    """Squared distances under the current set F of G-flip."""

    XT: np.ndarray  # (d, n) features by rows
    D: np.ndarray  # (n, n) each row as of its version; (0, 0) if not kept
    versions: np.ndarray  # (n,) how much of the log a row of D has seen; −1: nothing
    log: np.ndarray  # (2, M) features flipped since D was 0, and +1 in or −1 out
    labels: np.ndarray  # (n,) class of each row; rows are sorted by it
    starts: np.ndarray  # (C + 1,) first row of each class
    weights: np.ndarray  # (n,) of the rows


class Shortlist(NamedTuple):
    """The nearest hits and misses of each row under F.

    Lists 2i and 2i + 1 are the hits and the misses of row i.
    """

    length: int  # K, places of a list
    near: np.ndarray  # (2n · K,) squared distances, ascending, list by list
    ids: np.ndarray  # (2n · K,) their rows
    held: np.ndarray  # (2n,) how many there are
    bounds: np.ndarray  # (2n,) no other hit or miss is nearer than this

    @classmethod
    def of(cls, n, length):
        """Lists of n rows, not made yet: empty, with anything possible beyond them."""
        near, ids = np.empty(2 * n * length), np.empty(2 * n * length, np.int64)
        held, bounds = np.zeros(2 * n, np.int64), np.full(2 * n, -np.inf)
        return cls(length, near, ids, held, bounds)


@inner
def distance_row(i, flips, length, spare):
    """Row i of D under F; in the spare room if D is not kept."""
    XT, D = flips.XT, flips.D
    log, versions = flips.log, flips.versions
    n, seen = XT.shape[1], versions[i]
    row = D[i] if D.size else spare
    if seen < 0:
        seen = 0
        for j in range(n):
            row[j] = 0.0
    for e in range(seen, length):
        f, sign = log[0, e], log[1, e]
        x = XT[f, i]
        for j in range(n):
            t = x - XT[f, j]
            row[j] += sign * t * t
    versions[i] = length
    return row


@inner
def _insert(value, j, start, held, K, near, ids):
    """Put a row into the list at ``start``; what is beyond K falls out. Its length."""
    p = start + min(held, K - 1)
    while p > start and value < near[p - 1]:
        near[p], ids[p] = near[p - 1], ids[p - 1]
        p -= 1
    near[p], ids[p] = value, j
    return min(held + 1, K)


@inner
def list_nearest(i, span, shortlist, row):
    """Keep the nearest hits and misses of row i, and what bounds the others."""
    near, ids = shortlist.near, shortlist.ids
    held, bounds = shortlist.held, shortlist.bounds
    K, (lo, hi) = shortlist.length, span
    ranges = ((lo, i), (i + 1, hi)), ((0, lo), (hi, row.size))
    for h in range(2):
        kind = 2 * i + h
        base = kind * K
        # As many rows are no farther than this one; as a rule, more than K.
        count, worst, enough = np.int64(0), np.inf, 3 * K // 4
        if held[kind] > enough:
            worst = near[base + enough] * (1 + 1e-12) + 1e-300
        for part in range(2):
            start, stop = ranges[h][part]
            for j in range(start, stop):
                if row[j] < worst:
                    count = _insert(row[j], j, base, count, K, near, ids)
                    if count == K:
                        worst = near[base + K - 1]
        members = hi - lo - 1 if h == 0 else row.size - (hi - lo)
        held[kind] = count
        bounds[kind] = worst if members > count else np.inf


@inner
def carry_flip(i, column, sign, reach, shortlist):
    """Carry a flip that was kept into the lists of row i; D follows when needed.

    ``reach`` is the longest way from the row's value in the column to another.
    """
    x = column[i]
    near, ids = shortlist.near, shortlist.ids
    K = shortlist.length
    for kind in range(2 * i, 2 * i + 2):
        base = kind * K
        for e in range(shortlist.held[kind]):
            j = ids[base + e]
            t = x - column[j]
            _insert(near[base + e] + sign * t * t, j, base, e, K, near, ids)
        if sign < 0:
            shortlist.bounds[kind] -= reach * reach


class Batch(NamedTuple):
    """Flips that are evaluated together."""

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
def _nearest_of_all(i, h, span, XT, members, f, sign, floor, row):
    """Nearest distance after feature f is flipped, from all rows.

    A difference that has lost its digits to cancellation is summed afresh.
    """
    column, best = XT[f], np.inf
    ranges = (span[0], i), (i + 1, span[1])
    if h == 1:
        ranges = (0, span[0]), (span[1], row.size)
    for lo, hi in ranges:
        for j in range(np.uint64(lo), np.uint64(hi)):
            t = column[i] - column[j]
            v = row[j] + sign * t * t
            if v < best:
                if v < floor:
                    v = _pair(i, j, XT, members, f, sign)
                best = min(best, v)
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
    """The same from all rows, for flips that the list does not settle."""
    features, members = batch.features, batch.members
    bound = shortlist.bounds[2 * i + h]
    for b in range(features.size):
        if not _is_settled(trials, h, b, bound):
            sign, floor = trials[SIGN, b], trials[FLOOR, b]
            trials[NEAREST + h, b] = _nearest_of_all(
                i, h, span, XT, members, features[b], sign, floor, row
            )


class Flipped(NamedTuple):
    """What the rows of D and the lists have yet to learn of."""

    length: int  # of the log
    removed: float  # squared ranges of the features that the log takes out
    feature: int  # flipped since the lists were made or brought up to date, or −1
    sign: float  # 1 if that is in F now, −1 if not
    low: float  # its range
    high: float


class FlipRoom(NamedTuple):
    """Room for one thread to evaluate flips."""

    row: np.ndarray  # (n,) of D, if D is not kept
    trials: np.ndarray  # (NEAREST + 2, B), see `widemargin.kernels.flip_distances`

    @classmethod
    def of(cls, n, kept, flips):
        """Room for a table of n rows and as many flips."""
        return cls(np.empty(0 if kept else n), np.empty((NEAREST + 2, flips)))


@inner
def _begin_trials(i, values, ranges, removed, trials):
    """What flips may take off a squared distance of row i, and what is too little."""
    for b in range(values.shape[1]):
        sign, value = ranges[0, b], values[i, b]
        reach = max(value - ranges[1, b], ranges[2, b] - value)
        slack = reach * reach if sign < 0 else 0.0
        trials[SIGN, b], trials[SLACK, b] = sign, slack
        trials[FLOOR, b] = 1e-8 * (removed + slack)


@inner
def _add_utilities(utility, weight, trials, sums):
    """Add weight · u(θ) for the hits and misses found."""
    kind, beta = utility.kind, utility.beta
    for b in range(sums.size):
        near = np.sqrt(max(trials[NEAREST, b], 0.0))
        far = np.sqrt(max(trials[NEAREST + 1, b], 0.0))
        value = 0.5 * (far - near)
        if kind == SIGMOID:
            value = 1 / (1 + np.exp(-beta * value))
        elif kind == ZERO_ONE:
            value = 1.0 if far - near > TIE * max(near, far) else 0.0
        sums[b] += weight * value


@inner
def _find_nearest(i, h, flips, shortlist, batch, length, room):
    """Distances of row i to its nearest hit or miss after each flip.

    Its list settles that if the best listed row is nearer, after the flip, than any
    other can be. A list that does not is made anew, and if that does not help, all rows
    are looked at.
    """
    trials, versions = room.trials, flips.versions
    label = flips.labels[i]
    span = flips.starts[label], flips.starts[label + 1]
    if search_list(i, h, shortlist, batch.values, trials):
        return
    outdated = versions[i] < length
    row = distance_row(i, flips, length, room.row)
    if outdated:
        list_nearest(i, span, shortlist, row)
        if search_list(i, h, shortlist, batch.values, trials):
            return
    search_row(i, h, span, flips.XT, row, shortlist, batch, trials)


@jit
def evaluate_flips(flips, shortlist, batch, flipped, utility, blocks, sums, room):
    """sums[k, b] = Σ weight · u(θ) over block k of the rows, after flip b."""
    XT, labels, starts = flips.XT, flips.labels, flips.starts
    trials, feature = room.trials, flipped.feature
    for k in range(blocks.size - 1):
        sums[k] = 0.0
        for i in range(blocks[k], blocks[k + 1]):
            if starts[labels[i] + 1] - starts[labels[i]] < 2:
                continue
            if feature >= 0:
                x = XT[feature, i]
                reach = max(x - flipped.low, flipped.high - x)
                carry_flip(i, XT[feature], flipped.sign, reach, shortlist)
            if flips.D.size == 0:
                flips.versions[i] = -1
            _begin_trials(i, batch.values, batch.ranges, flipped.removed, trials)
            for h in range(2):
                _find_nearest(i, h, flips, shortlist, batch, flipped.length, room)
            _add_utilities(utility, flips.weights[i], trials, sums[k])
