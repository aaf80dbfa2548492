"""The nearest hits and misses of each row under a set of features."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner


class Flips(NamedTuple):
    """Squared distances under the current set F of G-flip."""

    XT: np.ndarray  # (d, n) features by rows
    D: np.ndarray  # (n, n) each row as of its version; (0, 0) if not kept
    versions: np.ndarray  # (n,) how much of the log a row of D has seen; −1: nothing
    log: np.ndarray  # (2, M) features flipped since D was 0, and +1 in or −1 out
    labels: np.ndarray  # (n,) class of each row; rows are sorted by it
    starts: np.ndarray  # (C + 1,) first row of each class


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
