"""Nominal features and missing values: what differences of numbers do not tell.

The difference of two values of a nominal feature is 0 or 1. Where a value is missing,
the difference is what one expects of the class of that row: 1 − P(v | class) for a
nominal feature, E|u − v| with u from the class for a numeric one, and the expectation
over both classes where both values are missing. A class in which a feature has no value
at all is taken to be like all classes together, and a feature without any value to be
constant.

Expectations depend on feature and class on one side and on the row on the other, so
that there are n of them for each feature and class with missing cells.

Reference
---------
I. Kononenko, *Estimating attributes: analysis and extensions of RELIEF*, ECML 1994.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.columns import Floats, Ints
from widemargin.threads import Workers

CELLS = 2**15  # of features that are sorted together, which then stay in cache


def separate(
    X: Floats, y: Ints, nominal: Ints, gappy: Ints, workers: Workers
) -> kernels.Mixed:
    """Take nominal values and missing cells out of X, which is changed.

    Rows are sorted by class. Nominal features hold codes; NaN marks a missing cell, and
    the features ``gappy`` have some. A missing number is replaced by the mean of its
    class. A nominal feature of two values is as good as a numeric one and stays in X.
    """
    n = len(X)
    many = nominal[np.nanmax(X[:, nominal], axis=0, initial=0.0) > 1]
    cells = missing_cells(X)
    pairs = _pairs(cells, y)
    n_pairs = int(pairs.max()) + 1
    # In one piece: of several, the allocator would give some back, and fetch them from
    # the system again for every fit.
    room, fills = np.empty((2, n_pairs, n)), np.zeros(n_pairs)
    expected, excess = room[0], room[1].view(np.float32).reshape(2, n_pairs, n)
    numbers = gappy[~np.isin(gappy, many)]
    _expect_numbers(X, y, numbers, pairs, (expected, excess, fills), workers)
    for f in many:
        _expect_mismatches(X[:, f], y, pairs[f], expected, excess)
    return set_apart(X, y, Mixture(many, pairs, fills), cells, expected, excess)


class Mixture(NamedTuple):
    """Which features of a table are not numbers, and where cells are missing."""

    nominal: Ints  # (M,) nominal features of more than two values
    pairs: Ints  # (d, C) numbers of features and classes with missing cells, else −1
    fills: Floats  # (P,) what stands in the rows for a missing cell


class Cells(NamedTuple):
    """Missing cells, one row after the other."""

    absent: NDArray[np.bool_]  # (n, d)
    rows: Ints
    features: Ints


def missing_cells(X: Floats) -> Cells:
    """The cells of X that are NaN."""
    absent = np.isnan(X)
    return Cells(absent, *np.divmod(np.flatnonzero(absent), X.shape[1]))


def set_apart(
    X: Floats,
    y: Ints,
    mixture: Mixture,
    cells: Cells,
    expected: Floats,
    excess: NDArray[np.float32],
) -> kernels.Mixed:
    """What is beyond the numbers of X; there, it is replaced."""
    n, d = X.shape
    nominal, pairs, fills = mixture
    absent, rows, features = cells
    codes = X[:, nominal].astype(np.float32, order="C")
    of_cell = pairs[features, y[rows]]
    X[rows, features] = fills[of_cell]
    X[:, nominal] = 0.0
    return kernels.Mixed(
        codes,
        nominal,
        np.searchsorted(rows, np.arange(n + 1)),
        features,
        of_cell,
        expected,
        excess,
        absent,
        np.ones(d),
    )


def _pairs(cells: Cells, y: Ints) -> Ints:
    """(d, C): numbers for each feature and class with missing cells, −1 elsewhere."""
    lacking = np.zeros((cells.absent.shape[1], y[-1] + 1), np.bool_)
    lacking[cells.features, y[cells.rows]] = True
    pairs = np.full(lacking.shape, -1)
    pairs[lacking] = np.arange(np.count_nonzero(lacking))
    return pairs


def _expect_numbers(
    X: Floats,
    y: Ints,
    features: Ints,
    pairs: Ints,
    out: tuple[Floats, NDArray[np.float32], Floats],
    workers: Workers,
) -> None:
    """Expectations, what they add, and fills for numeric features."""
    starts = np.searchsorted(y, np.arange(y[-1] + 2))
    layout = kernels.Layout(y, starts, np.empty((0, 0), np.int64))

    few = max(1, CELLS // len(y))

    def expect(part: slice) -> None:
        room = np.empty((few, len(y)))
        for start in range(part.start, part.stop, few):
            some = features[start : min(start + few, part.stop)]
            values, keys = room[: len(some)], np.empty((len(some), len(y)), np.int64)
            kernels.take_features(X, some, values, keys)
            keys.sort(axis=1)
            kernels.expect_numbers(values, keys, layout, pairs[some], *out)

    workers.run(expect, workers.shares(len(features), few))


def _expect_mismatches(
    values: Floats,
    y: Ints,
    pairs: Ints,
    expected: Floats,
    excess: NDArray[np.float32],
) -> None:
    """The same for a nominal feature, given its codes."""
    there = ~np.isnan(values)
    codes = values[there].astype(np.int64)
    counts = np.zeros((len(pairs), codes.max(initial=0) + 1), np.int64)
    np.add.at(counts, (y[there], codes), 1)
    counts[~counts.any(axis=1)] = counts.sum(axis=0)
    totals = counts.sum(axis=1)
    for a in np.flatnonzero(pairs >= 0):
        row = expected[pairs[a]]
        row[there] = (totals[a] - counts[a, codes]) / totals[a]
        both = totals[a] * totals
        row[~there] = ((both - counts @ counts[a]) / both)[y[~there]]
        for power in (1, 2):
            excess[power - 1, pairs[a]] = row**power / np.where(there, 1, 2)
