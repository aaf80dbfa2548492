"""Sums of differences over edges."""

import numpy as np

from widemargin.kernels._jit import inner, jit, tiny
from widemargin.kernels.mixed import add_mixed_differences


@jit
def edge_sums(X, edges, power, start, stop, first, last, sums):
    """sums[f] += Σ coefficient · |x_head,f − x_tail,f|^power over edges start … stop−1.

    Only features first … last−1 are summed, so that the sums stay in cache. They are
    unsigned: an index that cannot be negative lets the loops vectorise.
    """
    for e in range(start, stop, 4):
        add_four_edges(X, edges, e, stop, power, first, last, sums)


@tiny
def add_four_edges(X, edges, e, stop, power, first, last, sums):
    """The same for edges e … e + 3 at once: the sums are loaded and stored once.

    Those from ``stop`` on count nothing.
    """
    heads, tails, coefficients = edges.heads, edges.tails, edges.coefficients
    x, y, z = e + 1, e + 2, e + 3
    if z >= stop:
        x, y, z = min(x, stop - 1), min(y, stop - 1), stop - 1
    h, i, j = heads[e], heads[x], heads[y]
    k, p, q = heads[z], tails[e], tails[x]
    r, s, a = tails[y], tails[z], coefficients[e]
    b, c, d = coefficients[x], coefficients[y], coefficients[z]
    if e + 3 >= stop:
        b, c, d = b if x > e else 0.0, c if y > x else 0.0, 0.0
    if power == 2:
        for f in range(first, last):
            t, u = X[h, f] - X[p, f], X[i, f] - X[q, f]
            v, w = X[j, f] - X[r, f], X[k, f] - X[s, f]
            sums[f] += (a * t * t + b * u * u) + (c * v * v + d * w * w)
        return
    for f in range(first, last):
        left = a * abs(X[h, f] - X[p, f]) + b * abs(X[i, f] - X[q, f])
        right = c * abs(X[j, f] - X[r, f]) + d * abs(X[k, f] - X[s, f])
        sums[f] += left + right


@jit
def sided_edge_sums(X, edges, sides, first, last, sums):
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
def pair_lengths(X, heads, tails, sides, squares, lengths):
    """Weighted distance of each pair, on the features that have its side."""
    for e in range(heads.size):
        i, j, side, s = heads[e], tails[e], sides[e], 0.0
        for f in range(squares.size):
            t = X[j, f] - X[i, f]
            if side * t >= 0.0:
                s += squares[f] * t * t
        lengths[e] = np.sqrt(s)


@inner
def _signed_sums(X, edges, start, stop, sums):
    """sums[f] += Σ coefficient · (x_tail,f − x_head,f) over edges start … stop−1."""
    heads, tails, coefficients = edges
    for e in range(start, stop):
        i, j, c = heads[e], tails[e], coefficients[e]
        for f in range(np.uint64(X.shape[1])):
            sums[f] += c * (X[j, f] - X[i, f])


@jit
def group_sums(X, edges, power, offsets, start, stop, sums):
    """sums[g] += the sums of edges offsets[g] … offsets[g+1]−1, groups start … stop−1.

    With power 0 they are the sums of signed differences.
    """
    last = np.uint64(X.shape[1])
    for g in range(start, stop):
        lo, hi = offsets[g], offsets[g + 1]
        if power == 0:
            _signed_sums(X, edges, lo, hi, sums[g])
        else:
            edge_sums(X, edges, power, lo, hi, np.uint64(0), last, sums[g])


@jit
def mixed_edge_sums(rows, edges, power, start, stop, sums):
    """What `edge_sums` leaves out, for edges start … stop−1."""
    add_mixed_differences(rows, edges, power, start, stop, sums)


@jit
def mixed_group_sums(rows, edges, power, offsets, start, stop, sums):
    """What `group_sums` leaves out, for groups start … stop−1."""
    for g in range(start, stop):
        mixed_edge_sums(rows, edges, power, offsets[g], offsets[g + 1], sums[g])
