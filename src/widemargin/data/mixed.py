"""Nominal features and missing values: what differences of numbers do not tell.

The difference of two values of a nominal feature is 0 or 1. Where a value is missing,
the expected difference takes its place: the one expected from the values of the feature
in the class of that row, P(u ≠ v) for a nominal feature and E|u − v| for a numeric one,
with u from the class; over both classes where both values are missing. A class in which
a feature has no value at all is taken to be like all classes together, and a feature
without any value to be constant.

All that is needed of a feature is how often each value occurs in each class
(`ValueCounts`), so the rows may be anywhere. Expected differences depend on feature and
class on one side and on the row on the other, so that there are n of them for each
feature and class with missing cells.

Reference
---------
I. Kononenko, *Estimating attributes: analysis and extensions of RELIEF*, ECML 1994.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.protocol import Floats, Ints
from widemargin.kernels.records import Mixed
from widemargin.threads import Workers


def separate(X: Floats, y: Ints, nominal: Ints, gappy: Ints, workers: Workers) -> Mixed:
    """Take nominal values and missing cells out of X, which is changed.

    Rows are sorted by class. Nominal features hold codes; NaN marks a missing cell, and
    the features ``gappy`` have some. A missing number is replaced by the mean of its
    class. A nominal feature of two values is as good as a numeric one and stays in X.
    """
    many = nominal[np.nanmax(X[:, nominal], axis=0, initial=0.0) > 1]
    cells = missing_cells(X)
    pairs = _pairs(cells, y)
    n_pairs = int(pairs.max()) + 1
    expected, fills = np.empty((n_pairs, len(X))), np.zeros(n_pairs)
    mixture = Mixture(many, pairs, fills)

    def expect(f: int) -> None:
        counts = count_values(X[:, f], y, pairs.shape[1])
        known = expected_differences(counts, f in many)
        of_feature = pairs[f, known.classes]
        expected[of_feature] = look_up(known, X[:, f], y)
        fills[of_feature] = known.fills

    workers.run(expect, gappy)
    return set_apart(X, y, mixture, cells, expected)


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
) -> Mixed:
    """Take nominal values and missing cells out of X, which is changed.

    ``expected`` are the differences to missing cells.
    """
    n, d = X.shape
    nominal, pairs, fills = mixture
    absent, rows, features = cells
    codes = X[:, nominal].astype(np.float32, order="C")
    excess = np.empty((2, *expected.shape), np.float32)
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


class ValueCounts(NamedTuple):
    """How often each value of a feature occurs in each class, in order of both."""

    values: Floats
    labels: NDArray[np.integer[Any]]
    counts: Ints
    missing: Ints  # (C,) missing cells


class Differences(NamedTuple):
    """Expected differences to the missing cells of a feature."""

    values: Floats  # (m,) all that there are, ascending
    classes: Ints  # (G,) those with missing cells
    expected: Floats  # (G, m) between a missing cell of a class and a value
    between: Floats  # (G, G) between missing cells
    fills: Floats  # (G,) the mean of the class, which stands for a missing cell


def count_values(
    values: Floats, y: NDArray[np.integer[Any]], n_classes: int
) -> ValueCounts:
    """Count the values of a feature, NaN where they are missing."""
    absent = np.isnan(values)
    missing = np.bincount(y[absent], minlength=n_classes)
    ones = np.ones(len(y) - np.count_nonzero(absent), np.int64)
    return _sorted(values[~absent], y[~absent], ones, missing)


def add_counts(parts: Sequence[ValueCounts]) -> ValueCounts:
    """Counts of several blocks of rows together."""
    values, labels, counts, missing = zip(*parts, strict=True)
    return _sorted(
        np.concatenate(values),
        np.concatenate(labels),
        np.concatenate(counts),
        np.sum(missing, axis=0),
    )


def _sorted(
    values: Floats, labels: NDArray[np.integer[Any]], counts: Ints, missing: Ints
) -> ValueCounts:
    """Entries in order, equal ones put together."""
    order = np.lexsort((labels, values))
    values, labels = values[order], labels[order]
    new = np.ones(len(order), bool)
    new[1:] = (values[1:] != values[:-1]) | (labels[1:] != labels[:-1])
    first = np.flatnonzero(new)
    if len(first):
        counts = np.add.reduceat(counts[order], first)
    return ValueCounts(values[first], labels[first], counts, missing)


def expected_differences(counts: ValueCounts, nominal: bool) -> Differences:
    """Expected differences of a feature all of whose values are counted."""
    of_kind = _of_names if nominal else _of_numbers
    return of_kind(*_weights(counts))


def _weights(counts: ValueCounts) -> tuple[Floats, Ints, Ints]:
    """Different values; classes with missing cells; (G, m) how often these have those.

    A class without any value is taken to be like all classes together.
    """
    values, place = np.unique(counts.values, return_inverse=True)
    classes = np.flatnonzero(counts.missing)
    weights = np.zeros((len(classes), len(values)), np.int64)
    for row, c in zip(weights, classes, strict=True):
        mine = counts.labels == c
        mine = mine if mine.any() else np.ones_like(mine)
        np.add.at(row, place[mine], counts.counts[mine])
    return values, classes, weights


def _of_names(values: Floats, classes: Ints, weights: Ints) -> Differences:
    """Of a nominal feature: the probability that two values differ."""
    totals = weights.sum(axis=1)
    expected = (totals[:, None] - weights) / np.maximum(totals, 1)[:, None]
    both = totals[:, None] * totals
    between = (both - weights @ weights.T) / np.maximum(both, 1)
    return Differences(values, classes, expected, between, np.zeros(len(classes)))


def _of_numbers(values: Floats, classes: Ints, weights: Ints) -> Differences:
    """Of a numeric feature: E|u − v|."""
    G, m = weights.shape
    fills, expected = np.zeros(G), np.zeros((G, m))
    if not m:
        return Differences(values, classes, expected, np.zeros((G, G)), fills)
    up, steps = values - values[0], np.diff(values)
    shares = weights / weights.sum(axis=1, keepdims=True)
    for g, share in enumerate(shares):
        middle = share @ up
        # Twice the mean of max(v − u, 0), of which nothing is lost to cancellation.
        expected[g, 1:] = np.cumsum(2 * np.cumsum(share)[:-1] * steps)
        expected[g] += middle - up
        fills[g] = _snapped(values[0] + middle, values)
    between = expected @ shares.T
    # The mean of a class is no farther than the class; nor must rounding say so.
    np.maximum(expected, np.abs(fills[:, None] - values), out=expected)
    between = np.maximum(between, np.abs(fills[:, None] - fills))
    return Differences(values, classes, expected, between, fills)


def _snapped(mean: float, values: Floats) -> float:
    """The mean, or the value that it would be if it were not for rounding."""
    last = min(int(np.searchsorted(values, mean)), len(values) - 1)
    near = values[max(last - 1, 0) : last + 1]
    nearest = near[np.argmin(np.abs(near - mean))]
    tiny = 1e-13 * (values[-1] - values[0])
    return float(nearest if abs(nearest - mean) <= tiny else mean)


def look_up(known: Differences, values: Floats, y: NDArray[np.integer[Any]]) -> Floats:
    """(G, n): expected differences between rows and missing cells of a feature."""
    absent = np.isnan(values)
    expected = np.empty((len(known.classes), len(values)))
    places = np.searchsorted(known.values, values[~absent])
    expected[:, ~absent] = known.expected[:, places]
    own = np.searchsorted(known.classes, y[absent])
    expected[:, absent] = known.between[:, own]
    return expected


def excess_over_fills(
    expected: Floats, fill: float, x: Floats, absent: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """What expected differences add to those of filled-in values, and to their squares.

    ``x`` are the values of a feature, filled in where ``absent``. Where both rows lack
    the value, each counts one half.
    """
    filled = np.abs(fill - x)
    share = np.where(absent, 0.5, 1.0)
    more = (expected - filled) * share
    return more, more * (expected + filled)
