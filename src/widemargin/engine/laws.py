"""What to expect of missing cells, when the values of a feature are in many places.

The difference between a missing cell and a value depends on all values that the class
of the cell has. Blocks count theirs (`tally`), a tree of merges adds up (`merge`), and
the sum tells the difference to every value that occurs (`settle`). Then each block
looks up its own (`look_up`), and rows carry what they find: 8 bytes for each feature
and class with missing cells, as in memory.

A tally has 17 bytes for each different value and class, a law 8 (1 + G) bytes for each
different value of a feature that has missing cells in G classes. A law is in one place
as a whole, and stays in the cluster during the fit. So a feature of ten million
different numbers with gaps in two classes takes 240 MB of some worker, one of a hundred
different numbers nothing; a feature without missing cells is not counted at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.engine.distributed import Runner
from widemargin.engine.rows import Guests, Scaling
from widemargin.mixed import Mixture
from widemargin.table import Floats, Ints
from widemargin.threads import spans

TOGETHER = 2**22  # values of features whose laws are found together


def expectations(
    runner: Runner,
    blocks: list[Any],
    scaling: Scaling,
    absent: tuple[int, Ints, Ints],
    n_classes: int,
) -> tuple[list[Any], list[Any], Mixture]:
    """Blocks whose rows know what to expect of missing cells, and where these are.

    Between them come the laws, which nobody else holds on to. ``absent`` tells how many
    rows there are, which features have missing cells, and which features are nominal
    with more than two values.
    """
    n, gappy, many = absent
    pairs = np.full((len(scaling.shift), n_classes), -1)
    if not len(gappy):
        return blocks, [], Mixture(many, pairs, np.empty(0))
    shared, call = runner.constant(scaling, scaling.n_bytes), runner.call
    groups = [gappy[part] for part in spans(len(gappy), max(1, TOGETHER // n))]
    laws = []
    for features in groups:
        tallies = [call(tally, block, features, shared, n_classes) for block in blocks]
        nominal = np.isin(features, many)
        laws.append(call(settle, runner.tree(merge, tallies), nominal))
    laws = runner.keep(laws, wait=True)
    outlines = runner.compute([call(outline, law) for law in laws])
    classes, fills = zip(*(law for group in outlines for law in group), strict=True)
    for f, lacking in zip(gappy, classes, strict=True):
        pairs[f, lacking] = pairs.max() + 1 + np.arange(len(lacking))
    knowing = []
    for block in blocks:
        parts = [
            call(look_up, block, law, features, shared)
            for law, features in zip(laws, groups, strict=True)
        ]
        knowing.append(call(extend, block, parts))
    return knowing, laws, Mixture(many, pairs, np.concatenate(fills))


class Tally(NamedTuple):
    """How often each class has each value of a feature, in order of both."""

    values: Floats  # scaled
    labels: NDArray[np.integer]
    counts: Ints
    gaps: Ints  # (C,) missing cells


class Law(NamedTuple):
    """Differences to expect from missing cells of a feature."""

    values: Floats  # (m,) all that there are, ascending
    classes: Ints  # (G,) those with missing cells
    expected: Floats  # (G, m) between a missing cell of a class and a value
    between: Floats  # (G, G) between missing cells
    fills: Floats  # (G,)


def column(block: Guests, f: int, scaling: Scaling) -> Floats:
    """A scaled feature, NaN where it is missing."""
    values = block.X[:, f].astype(np.float64)
    return (values - scaling.shift[f]) / scaling.span[f]


def tally(
    block: Guests, features: Ints, scaling: Scaling, n_classes: int
) -> list[Tally]:
    """Count the values of some features in a block."""
    return [_tally(column(block, f, scaling), block.y, n_classes) for f in features]


def _tally(values: Floats, y: NDArray[np.integer], n_classes: int) -> Tally:
    absent = np.isnan(values)
    gaps = np.bincount(y[absent], minlength=n_classes)
    ones = np.ones(len(y) - np.count_nonzero(absent), np.int64)
    return _sorted(values[~absent], y[~absent], ones, gaps)


def _sorted(
    values: Floats, labels: NDArray[np.integer], counts: Ints, gaps: Ints
) -> Tally:
    """Entries in order, equal ones put together."""
    order = np.lexsort((labels, values))
    values, labels = values[order], labels[order]
    new = np.ones(len(order), bool)
    new[1:] = (values[1:] != values[:-1]) | (labels[1:] != labels[:-1])
    first = np.flatnonzero(new)
    if len(first):
        counts = np.add.reduceat(counts[order], first)
    return Tally(values[first], labels[first], counts, gaps)


def merge(tallies: Sequence[list[Tally]]) -> list[Tally]:
    """Add up the tallies of several places."""
    merged = []
    for of_feature in zip(*tallies, strict=True):
        values, labels, counts, gaps = zip(*of_feature, strict=True)
        merged.append(
            _sorted(
                np.concatenate(values),
                np.concatenate(labels),
                np.concatenate(counts),
                np.sum(gaps, axis=0),
            )
        )
    return merged


def settle(tallies: list[Tally], nominal: Sequence[bool]) -> list[Law]:
    """The laws of features of which all values are counted."""
    return [
        _mismatch_law(*_weights(t)) if many else _number_law(*_weights(t))
        for t, many in zip(tallies, nominal, strict=True)
    ]


def _weights(tally: Tally) -> tuple[Floats, Ints, Ints]:
    """Different values; classes with missing cells; (G, m) how often these have those.

    A class without any value is taken to be like all classes together.
    """
    values, place = np.unique(tally.values, return_inverse=True)
    classes = np.flatnonzero(tally.gaps)
    weights = np.zeros((len(classes), len(values)), np.int64)
    for row, c in zip(weights, classes, strict=True):
        mine = tally.labels == c
        mine = mine if mine.any() else np.ones_like(mine)
        np.add.at(row, place[mine], tally.counts[mine])
    return values, classes, weights


def _mismatch_law(values: Floats, classes: Ints, weights: Ints) -> Law:
    """Of a nominal feature: the chance that two values differ."""
    totals = weights.sum(axis=1)
    expected = (totals[:, None] - weights) / totals[:, None]
    both = totals[:, None] * totals
    between = (both - weights @ weights.T) / both
    return Law(values, classes, expected, between, np.zeros(len(classes)))


def _number_law(values: Floats, classes: Ints, weights: Ints) -> Law:
    """Of a numeric feature: E|u − v|, as `widemargin.kernels.expect_numbers` has it."""
    G, m = weights.shape
    fills, expected = np.zeros(G), np.zeros((G, m))
    if not m:
        return Law(values, classes, expected, np.zeros((G, G)), fills)
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
    return Law(values, classes, expected, between, fills)


def _snapped(mean: float, values: Floats) -> float:
    """The mean, or the value that it would be if it were not for rounding."""
    last = min(int(np.searchsorted(values, mean)), len(values) - 1)
    near = values[max(last - 1, 0) : last + 1]
    nearest = near[np.argmin(np.abs(near - mean))]
    tiny = 1e-13 * (values[-1] - values[0])
    return float(nearest if abs(nearest - mean) <= tiny else mean)


def outline(laws: list[Law]) -> list[tuple[Ints, Floats]]:
    """Classes with missing cells, and their fills, of some features."""
    return [(law.classes, law.fills) for law in laws]


def look_up(block: Guests, laws: list[Law], features: Ints, scaling: Scaling) -> Floats:
    """(n, P): what to expect between each row and missing cells of some features."""
    parts = []
    for f, law in zip(features, laws, strict=True):
        values = column(block, f, scaling)
        absent = np.isnan(values)
        expected = np.empty((len(values), len(law.classes)))
        places = np.searchsorted(law.values, values[~absent])
        expected[~absent] = law.expected[:, places].T
        own = np.searchsorted(law.classes, block.y[absent])
        expected[absent] = law.between[:, own].T
        parts.append(expected)
    return np.concatenate(parts, axis=1)


def extend(block: Guests, parts: list[Floats]) -> Guests:
    """A block whose rows carry what was looked up for them."""
    return block._replace(expected=np.concatenate(parts, axis=1))
