"""Nominal features and missing values: what differences of numbers do not tell.

The difference of two values of a nominal feature is 0 or 1. Where a value is missing,
the expected difference takes its place, see `widemargin.data.expected`. Expected
differences depend on feature and class on one side and on the row on the other, so that
there are n of them for each feature and class with missing cells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.expected import (
    count_values,
    excess_over_fills,
    expected_differences,
    look_up,
)
from widemargin.data.protocol import Floats, Ints
from widemargin.kernels.distances import Mixed
from widemargin.threads import Workers


def separate(X: Floats, y: Ints, nominal: Ints, gappy: Ints, workers: Workers) -> Mixed:
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
    mixture = Mixture(many, pairs, fills)

    def expect(f: int) -> None:
        counts = count_values(X[:, f], y, pairs.shape[1])
        known = expected_differences(counts, f in many)
        of_feature = pairs[f, known.classes]
        expected[of_feature] = look_up(known, X[:, f], y)
        fills[of_feature] = known.fills

    workers.run(expect, gappy)
    return set_apart(X, y, mixture, cells, expected, excess)


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
) -> Mixed:
    """Take nominal values and missing cells out of X, which is changed.

    ``expected`` are the differences to missing cells; ``excess``, what they add to
    those of the values filled in, is set.
    """
    n, d = X.shape
    nominal, pairs, fills = mixture
    absent, rows, features = cells
    codes = X[:, nominal].astype(np.float32, order="C")
    of_cell = pairs[features, y[rows]]
    X[rows, features] = fills[of_cell]
    X[:, nominal] = 0.0
    for p, f in enumerate(np.nonzero(pairs >= 0)[0]):
        excess[:, p] = excess_over_fills(expected[p], fills[p], X[:, f], absent[:, f])
    return Mixed(
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
