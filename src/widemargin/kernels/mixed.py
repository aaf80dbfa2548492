"""Nominal features and missing cells."""

from typing import NamedTuple

import numpy as np
from numba import types

from widemargin.kernels._jit import by_type, inner
from widemargin.kernels.records import Edges


class Mixed(NamedTuple):
    """What the differences of rows of numbers do not tell.

    In the rows, a nominal feature is 0 throughout, and where the value of a numeric
    feature is missing there is the mean of its class. The mean is never farther from a
    value than that class is on the average, so what is said here only adds to the
    differences of the rows, and nothing is lost to cancellation.
    """

    codes: np.ndarray  # (n, M) float32, nominal values; NaN, where missing, equals all
    nominal: np.ndarray  # (M,) which feature each column of codes is
    starts: np.ndarray  # (n + 1,) cells that row i lacks: starts[i] … starts[i+1]−1
    features: np.ndarray  # (m,) feature of each missing cell
    pairs: np.ndarray  # (m,) the row of ``expected`` for its feature and class
    expected: np.ndarray  # (P, n) difference to expect between such a cell and a row
    excess: np.ndarray  # (2, P, n) float32, what it adds to |.| and (.)², see `Extras`
    absent: np.ndarray  # (n, d) which cells are missing
    weights: np.ndarray  # (d,) what the rows have been multiplied by


class MixedRows(NamedTuple):
    """Rows of numbers, with their nominal features and missing cells."""

    X: np.ndarray
    mixed: Mixed


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


@inner
def add_mixed_differences(rows, edges, power, start, stop, sums):
    """sums[f] += Σ coefficient · extra difference of heads and tails in feature f.

    Features by themselves, but else as above.
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
    """`add_mixed_differences` for one edge."""
    edge = Edges(np.array([i]), np.array([j]), np.array([c]))
    add_mixed_differences(X, edge, power, 0, 1, sums)


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
