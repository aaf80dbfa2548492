"""Distances of rows in double precision, with nominal features and missing cells.

And ties: distances are the same if they differ by no more than TIE, relatively. Of the
rows that are wanted, those nearer than the border, the distance of the last one, count
1. What is left is shared by all rows at the border, or goes to those of lowest rank.
"""

import numpy as np
from numba import types

from widemargin.kernels._jit import by_type, inner, jit, tiny
from widemargin.kernels.records import EUCLIDEAN, TIE, Edges


@inner
def _excess(expected, filled, power):
    """expected^power − filled^power."""
    extra = expected - filled
    return extra * (expected + filled) if power == 2 else extra


@inner
def add_mixed_sums(rows, i, ids, first, last, power, factors, sums):
    """sums[e] += Σ factor · extra difference of rows i and ids[e], over the features.

    That is what nominal features and missing cells add to |x − z|^power. Where both
    rows lack a value, the cell of row i counts for both. Taking arrays out of tuples
    costs more than most rows do, hence the loop in here.
    """
    X, mixed = rows
    codes, nominal, starts, features, pairs, expected, _, absent, weights = mixed
    for place in range(first, last):
        j, s = ids[place], 0.0
        for m in range(nominal.size):
            if abs(codes[i, m] - codes[j, m]) > 0:
                f = nominal[m]
                s += factors[f] * _excess(weights[f], 0.0, power)
        for side in range(2):
            p, q = (i, j) if side == 0 else (j, i)
            for e in range(starts[p], starts[p + 1]):
                f = features[e]
                if side == 1 and absent[q, f]:
                    continue
                filled = abs(X[p, f] - X[q, f])
                size = _excess(weights[f] * expected[pairs[e], q], filled, power)
                s += factors[f] * size
        sums[place] += s


@jit
def add_mixed_edge_sums(rows, edges, power, start, stop, sums):
    """sums[f] += Σ coefficient · extra difference of heads and tails in feature f.

    That is what `widemargin.kernels.sums.add_edge_sums` leaves out: as above, but each
    feature by itself.
    """
    X, mixed = rows
    codes, nominal, starts, features, pairs, expected, _, absent, weights = mixed
    heads, tails, coefficients = edges
    for edge in range(start, stop):
        i, j, c = heads[edge], tails[edge], coefficients[edge]
        for m in range(nominal.size):
            # Without a branch, which the processor could not predict.
            unequal = 1.0 if abs(codes[i, m] - codes[j, m]) > 0 else 0.0
            f = nominal[m]
            sums[f] += c * unequal * _excess(weights[f], 0.0, power)
        for side in range(2):
            p, q = (i, j) if side == 0 else (j, i)
            for e in range(starts[p], starts[p + 1]):
                f = features[e]
                if side == 1 and absent[q, f]:
                    continue
                filled = abs(X[p, f] - X[q, f])
                size = _excess(weights[f] * expected[pairs[e], q], filled, power)
                sums[f] += c * size


def _add_one_mixed(X, i, j, c, power, sums):
    """`add_mixed_edge_sums` for one edge."""
    edge = Edges(np.array([i]), np.array([j]), np.array([c]))
    add_mixed_edge_sums(X, edge, power, 0, 1, sums)


def numbers_of(X):
    """The rows themselves: X, or X of `MixedRows`."""


def add_extra_differences(X, i, j, c, power, sums):
    """Extra differences of two rows, see above; plain rows have none."""


# Chosen by type, so that plain rows are served by code of their own.
def is_plain(X):
    """Whether a type is that of rows of numbers, and not of `MixedRows`."""
    return isinstance(X, types.Array)


@by_type(numbers_of)
def _choose_numbers(X):
    return (lambda X: X) if is_plain(X) else (lambda X: X.X)


@by_type(add_extra_differences)
def _choose_extra_differences(X, i, j, c, power, sums):
    return (lambda X, i, j, c, power, sums: None) if is_plain(X) else _add_one_mixed


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


@inner
def sided_distance(X, i, j, side, squares):
    """Distance under squared weights on the features where x_j − x_i has a side.

    The side is 1 or −1; 0 takes every feature.
    """
    s = 0.0
    for f in range(squares.size):
        t = X[j, f] - X[i, f]
        if side * t >= 0.0:
            s += squares[f] * t * t
    return np.sqrt(s)


@jit
def measure_all(metric, rows, queries, ids, D):
    """D[q, j] = distance of rows queries[q] and j = ids[j], plain or mixed."""
    for q in range(queries.size):
        measure_distances(metric, rows, queries[q], ids, 0, ids.size, D[q])


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
