"""Rows that are on one side of a row in every feature."""

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.distances import weighted_distance
from widemargin.kernels.mixed import add_extra_differences, numbers_of
from widemargin.kernels.ties import kth_smallest, share_ties
from widemargin.kernels.weighted_search import nearest_of_ties


@inner
def dominating_rows(X, i, span, side, squares, found):
    """Rows of a range that are on one side of row i in every feature; how many.

    With side 1 no feature is smaller than that of row i, with −1 none is larger. Most
    rows are out after a few features.
    """
    ids, exact = found
    Z = numbers_of(X)
    count, d = 0, Z.shape[1]
    for j in range(span[0], span[1]):
        f = 0
        while f < d and side * (Z[j, f] - Z[i, f]) >= 0.0:
            f += 1
        if f == d and j != i:
            ids[count], exact[count] = j, weighted_distance(X, i, j, squares)
            count += 1
    return count


@inner
def nearest_dominating(table, i, span, side, squares, found):
    """The nearest of those rows, and its distance; −1 and NaN if there are none."""
    X, _, rank = table
    count = dominating_rows(X, i, span, side, squares, found)
    if count == 0:
        return -1, np.nan
    return nearest_of_ties(count, found[1][:count].min(), rank, found)


@jit
def dominating_hit_sums(X, layout, k, first, last, sums):
    """sums[f] += mean |x_f − hit_f| of the k nearest dominating hits of some rows.

    Rows first … last−1 count with those above them if there is a higher class, and with
    those below if there is a lower one. Rows tied at the k-th place share it.
    """
    Z = numbers_of(X)
    n, d = Z.shape
    labels, starts = layout.labels, layout.starts
    ids, ones = np.empty(n, np.int64), np.ones(d)
    exact, share = np.empty(n), np.empty(n)
    for i in range(first, last):
        span = starts[labels[i]], starts[labels[i] + 1]
        for side in (1, -1):
            if (side > 0 and span[1] == n) or (side < 0 and span[0] == 0):
                continue
            count = dominating_rows(X, i, span, side, ones, (ids, exact))
            if count == 0:
                continue
            wanted = min(k, count)
            border = kth_smallest(exact[:count].copy(), wanted)
            share_ties(exact, 0, count, wanted, border, share)
            for e in range(count):
                if share[e] == 0.0:
                    continue
                j, c = ids[e], share[e] / wanted
                for f in range(np.uint64(d)):
                    sums[f] += c * abs(Z[i, f] - Z[j, f])
                add_extra_differences(X, i, j, c, 1, sums)


@jit
def dominating_hit_distances(X, layout, squares, first, last, near):
    """near[i] = distances to the nearest hit above row i and below it; 0 if none."""
    n = numbers_of(X).shape[0]
    labels, starts = layout.labels, layout.starts
    ids, exact = np.empty(n, np.int64), np.empty(n)
    for i in range(first, last):
        span = starts[labels[i]], starts[labels[i] + 1]
        for s, side in enumerate((1, -1)):
            count = dominating_rows(X, i, span, side, squares, (ids, exact))
            near[i, s] = exact[:count].min() if count else 0.0
