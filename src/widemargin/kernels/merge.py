"""The nearest rows of several lists."""

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.ties import is_within, rank_ties, share_ties


@inner
def insert(top, held, value):
    """Put a value into an ascending list; what no longer fits falls out."""
    p = min(held, top.size - 1)
    while p > 0 and value < top[p - 1]:
        top[p] = top[p - 1]
        p -= 1
    top[p] = value
    return min(held + 1, top.size)


@jit
def merge_lists(offsets, rows, distances, k, ranked, merged):
    """The k nearest of each group, from lists of the nearest in several places.

    ``offsets`` has a row for each place: the limits of its groups in ``rows`` and
    ``distances``. Rows tied with the k-th share it, or, if ``ranked``, those of lowest
    number win.
    """
    limits, ids, exact, share = merged
    places, top, end = offsets.shape[0], np.empty(k), 0
    limits[0] = 0
    for g in range(offsets.shape[1] - 1):
        held = 0
        for p in range(places):
            for e in range(offsets[p, g], offsets[p, g + 1]):
                if held < k or distances[e] < top[k - 1]:
                    held = insert(top, held, distances[e])
        start, border = end, top[held - 1] if held else 0.0
        for p in range(places):
            for e in range(offsets[p, g], offsets[p, g + 1]):
                if is_within(distances[e], border):
                    ids[end], exact[end] = rows[e], distances[e]
                    end += 1
        share_ties(exact, start, end, held, border, share)
        if ranked:
            rank_ties(ids, start, end, share)
            end = _drop_the_rest(ids, exact, share, start, end)
        limits[g + 1] = end


@inner
def _drop_the_rest(ids, exact, share, start, end):
    """Keep those of entries start … end−1 that have a share; returns their end."""
    kept = start
    for e in range(start, end):
        if share[e] > 0.0:
            ids[kept], exact[kept], share[kept] = ids[e], exact[e], share[e]
            kept += 1
    return kept
