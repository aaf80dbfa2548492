"""Agglomerative clustering by summed linkage."""

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.records import TIE


@inner
def _nearest_cluster(S, sizes, alive, count, x, near):
    """Nearest of the living clusters to x; of those that tie, the lowest."""
    least, e = np.inf, 0
    while alive[e] < x:
        q = alive[e]
        near[e] = S[q, x] / (sizes[q] + sizes[x])
        least = min(least, near[e])
        e += 1
    near[e] = np.nan  # itself, which no comparison takes
    for o in range(e + 1, count):
        q = alive[o]
        near[o] = S[x, q] / (sizes[q] + sizes[x])
        least = min(least, near[o])
    border, e = least * (1 + TIE), 0
    while not near[e] <= border:
        e += 1
    return alive[e]


@inner
def _join(S, sizes, alive, count, lo, hi):
    """Let cluster ``lo`` take in ``hi``: sums of distances simply add up."""
    kept = 0
    for e in range(count):
        q = alive[e]
        alive[kept] = q
        kept += q != hi
        if q < lo:
            S[q, lo] += S[q, hi]
        elif lo < q < hi:
            S[lo, q] += S[q, hi]
        elif q > hi:
            S[lo, q] += S[hi, q]
    sizes[lo] += sizes[hi]


@jit
def summed_linkage(S, merges, heights):
    """Agglomerate by d(P, Q) = Σ ‖x − x'‖ / (n_P + n_Q), by nearest-neighbour chain.

    On entry S holds the distances; its upper triangle is used up, the lower one stays.
    A cluster goes by its lowest row. Merge t joins merges[t, 1] into merges[t, 0];
    merges come in the order of the chain, not of their heights.

    A union is never nearer to a third cluster than both its parts were, and where
    distances tie, its lowest row is one of theirs. So two clusters that are each
    other's nearest stay so until they are merged, and the chain makes the merges of
    the greedy algorithm that takes the lowest of tied pairs.
    """
    m = S.shape[0]
    sizes, alive = np.ones(m, np.int64), np.arange(m)
    near, chain = np.empty(m), np.empty(m, np.int64)
    chained = np.zeros(m, np.bool_)
    length = 0
    for t in range(m - 1):
        count = m - t
        if length == 0:
            chain[0], length = alive[0], 1
            chained[alive[0]] = True
        while True:
            x = chain[length - 1]
            y = _nearest_cluster(S, sizes, alive, count, x, near)
            # Distances that are ties only through others in between could lead the
            # chain round in a circle; any of its links is as short then.
            if chained[y]:
                y = chain[length - 2]
                break
            chain[length], length = y, length + 1
            chained[y] = True
        length -= 2
        chained[x] = chained[y] = False
        lo, hi = min(x, y), max(x, y)
        merges[t, 0], merges[t, 1] = lo, hi
        heights[t] = S[lo, hi] / (sizes[lo] + sizes[hi])
        _join(S, sizes, alive, count, lo, hi)
