"""The nearest rows of several lists."""

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.choose import lesser
from widemargin.kernels.constants import TIE


@inner
def _insert(top, held, value):
    """Put a value into an ascending list; what no longer fits falls out."""
    p = lesser(held, top.size - 1)
    while p > 0 and value < top[p - 1]:
        top[p] = top[p - 1]
        p -= 1
    top[p] = value
    return lesser(held + 1, top.size)


@jit
def merge_lists(offsets, rows, distances, k, ranked, merged):
    """The k nearest of each group, from lists of the nearest in several places.

    ``offsets`` has a row for each place: the limits of its groups in ``rows`` and
    ``distances``. Rows tied with the k-th share it, or, if ``ranked``, those of lowest
    number win. What `_settle` does for one place, this does across them.
    """
    limits, ids, exact, share = merged
    places, top, end = offsets.shape[0], np.empty(k), 0
    limits[0] = 0
    for g in range(offsets.shape[1] - 1):
        held = 0
        for p in range(places):
            for e in range(offsets[p, g], offsets[p, g + 1]):
                if held < k or distances[e] < top[k - 1]:
                    held = _insert(top, held, distances[e])
        start, inside, tied = end, 0, 0
        border = top[held - 1] if held else 0.0
        for p in range(places):
            for e in range(offsets[p, g], offsets[p, g + 1]):
                if distances[e] <= border * (1 + TIE):
                    ids[end], exact[end] = rows[e], distances[e]
                    nearer = distances[e] < border * (1 - TIE)
                    share[end] = 1.0 if nearer else 0.0
                    inside, tied = inside + nearer, tied + (not nearer)
                    end += 1
        left = held - inside
        if ranked:
            end = _lowest_win(ids, exact, share, start, end, left)
        else:
            for e in range(start, end):
                if share[e] == 0.0:
                    share[e] = left / tied
        limits[g + 1] = end


@inner
def _lowest_win(ids, exact, share, start, end, left):
    """Of entries start … end−1 without a share, give one to ``left``; drop the rest."""
    for _ in range(left):
        lowest = -1
        for e in range(start, end):
            if share[e] == 0.0 and (lowest < 0 or ids[e] < ids[lowest]):
                lowest = e
        share[lowest] = 1.0
    kept = start
    for e in range(start, end):
        if share[e] > 0.0:
            ids[kept], exact[kept], share[kept] = ids[e], exact[e], share[e]
            kept += 1
    return kept
