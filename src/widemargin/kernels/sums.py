"""Sums of differences over edges."""

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.distances import add_mixed_edge_sums, sided_distance


@jit
def add_edge_sums(X, edges, power, start, stop, first, last, sums):
    """sums[f] += Σ coefficient · |x_head,f − x_tail,f|^power over edges start … stop−1.

    Only features first … last−1 are summed, so that the sums stay in cache.
    """
    heads, tails, coefficients = edges
    for e in range(start, stop):
        i, j, c = heads[e], tails[e], coefficients[e]
        for f in range(np.uint64(first), np.uint64(last)):
            t = abs(X[i, f] - X[j, f])
            sums[f] += c * (t if power == 1 else t * t)


@jit
def add_sided_sums(X, edges, sides, first, last, sums):
    """sums[f] += Σ coefficient · (x_tail − x_head)_f² where that has the edge's side.

    A side of 0 takes every feature.
    """
    heads, tails, coefficients = edges
    for e in range(first, last):
        i, j, c, side = heads[e], tails[e], coefficients[e], sides[e]
        for f in range(sums.size):
            t = X[j, f] - X[i, f]
            if side * t >= 0.0:
                sums[f] += c * t * t


@jit
def measure_edges(X, heads, tails, sides, squares, lengths):
    """Weighted distance of each pair, on the features that have its side."""
    for e in range(heads.size):
        lengths[e] = sided_distance(X, heads[e], tails[e], sides[e], squares)


@inner
def _signed_sums(X, edges, start, stop, sums):
    """sums[f] += Σ coefficient · (x_tail,f − x_head,f) over edges start … stop−1."""
    heads, tails, coefficients = edges
    for e in range(start, stop):
        i, j, c = heads[e], tails[e], coefficients[e]
        for f in range(np.uint64(X.shape[1])):
            sums[f] += c * (X[j, f] - X[i, f])


@jit
def add_group_sums(X, edges, power, offsets, start, stop, sums):
    """sums[g] += the sums of edges offsets[g] … offsets[g+1]−1, groups start … stop−1.

    With power 0 they are the sums of signed differences.
    """
    for g in range(start, stop):
        lo, hi = offsets[g], offsets[g + 1]
        if power == 0:
            _signed_sums(X, edges, lo, hi, sums[g])
        else:
            add_edge_sums(X, edges, power, lo, hi, 0, X.shape[1], sums[g])


@jit
def add_mixed_group_sums(rows, edges, power, offsets, start, stop, sums):
    """What `add_group_sums` leaves out, for groups start … stop−1."""
    for g in range(start, stop):
        add_mixed_edge_sums(rows, edges, power, offsets[g], offsets[g + 1], sums[g])
