"""Distances of rows in double precision, plain or mixed."""

import numpy as np

from widemargin.kernels._jit import by_type, jit
from widemargin.kernels.constants import EUCLIDEAN
from widemargin.kernels.mixed import add_mixed_sums, is_plain


def _plain_distances(metric, X, i, ids, first, last, exact):
    """exact[e] = distance of rows i and ids[e] for e = first … last−1.

    In double precision, by direct differences.
    """
    for e in range(first, last):
        x, z, s = X[i], X[ids[e]], 0.0
        if metric == EUCLIDEAN:
            for f in range(x.size):
                t = x[f] - z[f]
                s += t * t
            s = np.sqrt(s)
        else:
            for f in range(x.size):
                s += abs(x[f] - z[f])
        exact[e] = s


def _plain_weighted(X, i, j, squares):
    """Distance of rows i and j under the squared weights."""
    s = 0.0
    for f in range(np.uint64(squares.size)):
        t = X[i, f] - X[j, f]
        s += squares[f] * t * t
    return np.sqrt(s)


def _mixed_distances(metric, X, i, ids, first, last, exact):
    """The same with all that belongs to a distance."""
    measure_distances(metric, X.X, i, ids, first, last, exact)
    squared, ones = metric == EUCLIDEAN, np.ones(X.X.shape[1])
    for e in range(first, last):
        exact[e] *= exact[e] if squared else 1.0
    add_mixed_sums(X, i, ids, first, last, 2 if squared else 1, ones, exact)
    for e in range(first, last):
        exact[e] = np.sqrt(exact[e]) if squared else exact[e]


def _mixed_weighted(X, i, j, squares):
    """Distance of rows i and j under squared weights, with all that belongs to it."""
    near, extra = weighted_distance(X.X, i, j, squares), np.zeros(1)
    add_mixed_sums(X, i, np.array([j]), 0, 1, 2, squares, extra)
    return np.sqrt(near * near + extra[0])


def measure_distances(metric, X, i, ids, first, last, exact):
    """Distances of some rows from row i, plain or mixed."""


def weighted_distance(X, i, j, squares):
    """Distance of two rows under squared weights, plain or mixed."""


@by_type(measure_distances)
def _choose_distances(metric, X, i, ids, first, last, exact):
    return _plain_distances if is_plain(X) else _mixed_distances


@by_type(weighted_distance)
def _choose_weighted(X, i, j, squares):
    return _plain_weighted if is_plain(X) else _mixed_weighted


@jit
def distances_to_all(metric, rows, queries, ids, D):
    """D[q, j] = distance of rows queries[q] and j = ids[j], plain or mixed."""
    for q in range(queries.size):
        measure_distances(metric, rows, queries[q], ids, 0, ids.size, D[q])
