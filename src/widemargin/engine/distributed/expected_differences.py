"""Expected differences to missing cells, when the values of a feature are spread out.

The expected difference between a missing cell and a value depends on all values in the
class of the cell. Each block counts its values (`count_values`), a tree of merges adds
up the counts (`merge_counts`), and `expected_differences` of all counts gives the
difference to every value that occurs. Then each block looks up its own values
(`look_up`), and its rows carry what was found: 8 bytes for each feature and class with
missing cells, as in memory.

Counts take 17 bytes for each different value and class, differences 8 (1 + G) bytes for
each different value of a feature that has missing cells in G classes. The differences
of a feature are on one worker as a whole, during the fit. So a feature of ten million
different numbers with missing cells in two classes takes 240 MB of some worker, one of
a hundred different numbers next to nothing; a feature without missing cells is not
counted at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.engine.distributed.cluster import Cluster
from widemargin.engine.distributed.rows import RawRows, Scaling
from widemargin.mixed import Mixture
from widemargin.table import Floats, Ints
from widemargin.threads import spans


def with_expected_differences(
    cluster: Cluster,
    blocks: list[Any],
    scaling: Scaling,
    absent: tuple[int, Ints, Ints],
    n_classes: int,
) -> tuple[list[Any], list[Any], Mixture]:
    """Blocks whose rows carry expected differences to missing cells.

    Parameters
    ----------
    cluster : Cluster
    blocks : list of tasks
    scaling : Scaling
    absent : tuple
        The number of rows, the features with missing cells, and the nominal features
        with more than two values.
    n_classes : int

    Returns
    -------
    blocks : list of tasks
    differences : list of tasks
        To be kept as long as the blocks may have to be computed again.
    mixture : Mixture
        Which features are nominal, and where cells are missing.
    """
    n, gappy, many = absent
    pairs = np.full((len(scaling.shift), n_classes), -1)
    if not len(gappy):
        return blocks, [], Mixture(many, pairs, np.empty(0))
    shared, call = cluster.constant(scaling, scaling.n_bytes), cluster.call
    at_once = max(1, cluster.settings.counted_values // n)
    groups = [gappy[part] for part in spans(len(gappy), at_once)]
    differences = []
    for features in groups:
        counts = [
            call(count_values, block, features, shared, n_classes) for block in blocks
        ]
        together, nominal = cluster.tree(merge_counts, counts), np.isin(features, many)
        differences.append(call(expected_differences, together, nominal))
    differences = cluster.keep(differences, wait=True)
    outlines = cluster.compute([call(outline, part) for part in differences])
    classes, fills = zip(*(of for group in outlines for of in group), strict=True)
    for f, lacking in zip(gappy, classes, strict=True):
        pairs[f, lacking] = pairs.max() + 1 + np.arange(len(lacking))
    extended = []
    for block in blocks:
        parts = [
            call(look_up, block, part, features, shared)
            for part, features in zip(differences, groups, strict=True)
        ]
        extended.append(call(extend, block, parts))
    return extended, differences, Mixture(many, pairs, np.concatenate(fills))


class ValueCounts(NamedTuple):
    """How often each value of a feature occurs in each class, in order of both."""

    values: Floats  # scaled
    labels: NDArray[np.integer]
    counts: Ints
    missing: Ints  # (C,) missing cells


class Differences(NamedTuple):
    """Expected differences to missing cells of a feature."""

    values: Floats  # (m,) all that there are, ascending
    classes: Ints  # (G,) those with missing cells
    expected: Floats  # (G, m) between a missing cell of a class and a value
    between: Floats  # (G, G) between missing cells
    fills: Floats  # (G,)


def column(block: RawRows, f: int, scaling: Scaling) -> Floats:
    """A scaled feature, NaN where it is missing."""
    values = block.X[:, f].astype(np.float64)
    return (values - scaling.shift[f]) / scaling.span[f]


def count_values(
    block: RawRows, features: Ints, scaling: Scaling, n_classes: int
) -> list[ValueCounts]:
    """Count the values of some features in a block."""
    return [_counts(column(block, f, scaling), block.y, n_classes) for f in features]


def _counts(values: Floats, y: NDArray[np.integer], n_classes: int) -> ValueCounts:
    absent = np.isnan(values)
    missing = np.bincount(y[absent], minlength=n_classes)
    ones = np.ones(len(y) - np.count_nonzero(absent), np.int64)
    return _sorted(values[~absent], y[~absent], ones, missing)


def _sorted(
    values: Floats, labels: NDArray[np.integer], counts: Ints, missing: Ints
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


def merge_counts(counts: Sequence[list[ValueCounts]]) -> list[ValueCounts]:
    """Add up the counts of several blocks."""
    merged = []
    for of_feature in zip(*counts, strict=True):
        values, labels, numbers, missing = zip(*of_feature, strict=True)
        merged.append(
            _sorted(
                np.concatenate(values),
                np.concatenate(labels),
                np.concatenate(numbers),
                np.sum(missing, axis=0),
            )
        )
    return merged


def expected_differences(
    counts: list[ValueCounts], nominal: Sequence[bool]
) -> list[Differences]:
    """Expected differences of features of which all values are counted."""
    return [
        _of_names(*_weights(c)) if many else _of_numbers(*_weights(c))
        for c, many in zip(counts, nominal, strict=True)
    ]


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
    expected = (totals[:, None] - weights) / totals[:, None]
    both = totals[:, None] * totals
    between = (both - weights @ weights.T) / both
    return Differences(values, classes, expected, between, np.zeros(len(classes)))


def _of_numbers(values: Floats, classes: Ints, weights: Ints) -> Differences:
    """Of a numeric feature: E|u − v|, as `widemargin.kernels.expect_numbers` has it."""
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


def outline(differences: list[Differences]) -> list[tuple[Ints, Floats]]:
    """Classes with missing cells, and their fills, of some features."""
    return [(of.classes, of.fills) for of in differences]


def look_up(
    block: RawRows, differences: list[Differences], features: Ints, scaling: Scaling
) -> Floats:
    """(n, P): expected differences between rows and missing cells of some features."""
    parts = []
    for f, known in zip(features, differences, strict=True):
        values = column(block, f, scaling)
        absent = np.isnan(values)
        expected = np.empty((len(values), len(known.classes)))
        places = np.searchsorted(known.values, values[~absent])
        expected[~absent] = known.expected[:, places].T
        own = np.searchsorted(known.classes, block.y[absent])
        expected[absent] = known.between[:, own].T
        parts.append(expected)
    return np.concatenate(parts, axis=1)


def extend(block: RawRows, parts: list[Floats]) -> RawRows:
    """A block whose rows carry what was looked up for them."""
    return block._replace(expected=np.concatenate(parts, axis=1))
