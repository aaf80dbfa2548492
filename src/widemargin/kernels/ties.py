"""Ties: what rows count that are as near as the k-th nearest; lists merged by it.

Distances are the same if they differ by no more than TIE, relatively. Of the rows that
are wanted, those nearer than the border, the distance of the last one, count 1. What is
left is shared by all rows at the border, or goes to those of lowest rank.
"""

import numpy as np

from widemargin.kernels._jit import inner, jit, tiny
from widemargin.kernels.records import TIE


@tiny
def is_nearer(distance, border):
    """Whether a distance is less than another, and not a tie."""
    return distance < border * (1 - TIE)


@tiny
def is_within(distance, border):
    """Whether a distance is less than another, or a tie."""
    return distance <= border * (1 + TIE)


@inner
def kth_smallest(values, k):
    """The k-th smallest value, k from 1; the values are put in another order.

    Hoare's selection. `np.partition` and `np.sort` do the same, but take seconds to
    compile.
    """
    first, last = 0, values.size - 1
    while first < last:
        pivot, low, high = values[(first + last) // 2], first, last
        while low <= high:
            while values[low] < pivot:
                low += 1
            while values[high] > pivot:
                high -= 1
            if low <= high:
                values[low], values[high] = values[high], values[low]
                low += 1
                high -= 1
        # Those up to ``high`` are no larger than the pivot, those from ``low`` on no
        # smaller, and between the two it is the pivot itself.
        if k - 1 <= high:
            last = high
        elif k - 1 >= low:
            first = low
        else:
            return pivot
    return values[k - 1]


@inner
def share_ties(distances, first, last, wanted, border, weights):
    """Weights of entries first … last−1, of which ``wanted`` count.

    ``border`` is the distance of the last one of these. Entries are in any order.
    """
    nearer, tied = 0, 0
    for e in range(first, last):
        if is_nearer(distances[e], border):
            nearer += 1
        elif is_within(distances[e], border):
            tied += 1
    for e in range(first, last):
        weights[e] = 0.0
        if is_nearer(distances[e], border):
            weights[e] = 1.0
        elif is_within(distances[e], border):
            weights[e] = (wanted - nearer) / tied


@inner
def rank_ties(ranks, first, last, weights):
    """Give what entries share to those of lowest rank; ranks[e] is that of entry e."""
    left = 0.0
    for e in range(first, last):
        left += weights[e] if weights[e] < 1.0 else 0.0
    for _ in range(round(left)):
        lowest = -1
        for e in range(first, last):
            if 0.0 < weights[e] < 1.0 and (lowest < 0 or ranks[e] < ranks[lowest]):
                lowest = e
        weights[lowest] = 1.0
    for e in range(first, last):
        if weights[e] < 1.0:
            weights[e] = 0.0


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
