"""Statistics of partitions and blocks, and expected differences to missing cells.

Partitions are surveyed one by one and put together: ranges, means, variances, missing
values.

The expected difference between a missing cell and a value depends on all values in the
class of the cell. Each block counts its values (`count_block`), a tree of merges adds
up the counts (`merge_counts`), and the rule of `widemargin.data.mixed` gives the
difference to every value that occurs (`differences_of`). Then each block looks up its
own values (`look_up`), and its rows carry what was found: 8 bytes for each feature and
class with missing cells, as in memory.

Counts take 17 bytes for each different value and class, differences 8 (1 + G) bytes for
each different value of a feature that has missing cells in G classes. The differences
of a feature are on one worker as a whole, during the fit. So a feature of ten million
different numbers with missing cells in two classes takes 240 MB of some worker, one of
a hundred different numbers next to nothing; a feature without missing cells is not
counted at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data import mixed
from widemargin.data.build import shift_and_span
from widemargin.data.mixed import Differences, Mixture, ValueCounts
from widemargin.data.protocol import Floats, Ints
from widemargin.engine.dask.cluster import Cluster
from widemargin.engine.dask.encoding import Columns, Values
from widemargin.engine.dask.rows import RawRows, Scaling
from widemargin.engine.sums import square_sums, weighed
from widemargin.threads import spans

CHANGED = ("low", "high", "rise", "squares", "infinite")


@dataclass(frozen=True)
class Summary:
    """Statistics of some rows, feature by feature.

    Where all values of a feature are missing, low is above high.
    """

    n: int
    low: Floats
    high: Floats
    rise: Floats  # from low to the mean, which has more digits than the mean itself
    squares: Floats  # sum of squared deviations from the mean
    missing: Ints  # missing values
    infinite: Ints  # infinite values
    there: Floats | Ints  # weight of the others; their number if all count the same

    @property
    def mean(self) -> Floats:
        """Mean of each feature."""
        return self.low + self.rise

    def joined(self, other: Summary) -> Summary:
        """Those of both together, by the stable update of Chan, Golub and LeVeque."""
        low = np.minimum(self.low, other.low)
        # Where one of them has no value, the other one's mean is that of both.
        with np.errstate(invalid="ignore"):
            ours, theirs = (
                np.where(part.there > 0, part.low - low + part.rise, 0.0)
                for part in (self, other)
            )
        step = np.where((self.there > 0) & (other.there > 0), theirs - ours, 0.0)
        there = self.there + other.there
        share = other.there / np.where(there > 0, there, 1)
        return Summary(
            self.n + other.n,
            low,
            np.maximum(self.high, other.high),
            np.where(self.there > 0, ours + step * share, theirs),
            self.squares + other.squares + step**2 * (self.there * share),
            self.missing + other.missing,
            self.infinite + other.infinite,
            there,
        )

    def with_values(
        self, known: dict[int, tuple[NDArray[Any], Floats | Ints]]
    ) -> Summary:
        """The same, with statistics of values, which weigh so much, for some."""
        whole = replace(self, **{k: getattr(self, k).copy() for k in CHANGED})
        for f, (values, counts) in known.items():
            infinite, there = np.isinf(values), counts > 0
            if not there.any():
                continue
            whole.infinite[f] = np.ceil(counts[infinite].sum())
            x = np.where(infinite, 0.0, values)[there]
            whole.low[f], whole.high[f] = x.min(), x.max()
            x -= whole.low[f]
            whole.rise[f] = np.average(x, weights=counts[there])
            whole.squares[f] = np.square(x - whole.rise[f]) @ counts[there]
        return whole

    def scaling(self, scale: str | None, nominal: Sequence[int]) -> Scaling:
        """The same scaling that a table in memory gets."""
        d, there = len(self.low), self.there > 0
        low, high, mean = (
            np.where(there, a, 0.0) for a in (self.low, self.high, self.mean)
        )
        spread = np.sqrt(self.squares / np.where(there, self.there, 1))
        limits, gappy = (low, high), self.missing > 0
        shift, span = shift_and_span(scale, limits, (mean, spread), gappy, nominal)
        low, high, mean = ((a - shift) / span for a in (low, high, mean))
        return Scaling(shift, span, np.ones(d), np.zeros(d), low, high, mean)


class Survey(NamedTuple):
    """Statistics of some partitions, and values of their columns."""

    lengths: Ints  # rows of each
    summary: Summary | None  # None if there are no rows
    known: dict[int, Values]  # of columns that are not numbers


def summarize(part: Any, columns: Columns, w: Floats | None) -> Survey:
    """Survey one partition, some rows at a time; w are weights of its rows, if any."""
    X, known = columns.count(part, w)
    n, d = X.shape
    total: Summary | None = None
    for rows in spans(n, max(1, 2**18 // max(d, 1))):
        one = _summary(X[rows].astype(np.float64), None if w is None else w[rows])
        total = one if total is None else total.joined(one)
    return Survey(np.array([n]), total, known)


def _summary(Z: Floats, w: Floats | None) -> Summary:
    """Of some rows, which are changed."""
    n, d = Z.shape
    missing, infinite = np.zeros((2, d), np.int64)
    there, absent = np.full(d, n if w is None else w.sum()), np.empty(0, np.int64)
    with np.errstate(invalid="ignore", over="ignore"):
        finite = np.isfinite(Z.sum())
    if not finite:
        missing, infinite = np.isnan(Z).sum(axis=0), np.isinf(Z).sum(axis=0)
        absent = np.flatnonzero(np.isnan(Z))
        there = n - missing if w is None else w @ ~np.isnan(Z)
        Z[np.isinf(Z)] = 0.0
    low, high = np.fmin.reduce(Z, axis=0), np.fmax.reduce(Z, axis=0)
    Z -= low
    Z.flat[absent] = 0.0
    rise = weighed(Z, w).sum(axis=0) / np.where(there > 0, there, 1)
    Z -= rise
    Z.flat[absent] = 0.0
    low, high = np.where(there > 0, [low, high], [[np.inf], [-np.inf]])
    return Summary(n, low, high, rise, square_sums(Z, w), missing, infinite, there)


def join(surveys: list[Survey], columns: Columns) -> Survey:
    """Survey several partitions together."""
    total, known = surveys[0].summary, surveys[0].known
    for _, summary, more in surveys[1:]:
        known = columns.join(known, more)
        if total is None or summary is None:
            total = total or summary
        else:
            total = total.joined(summary)
    return Survey(np.concatenate([s.lengths for s in surveys]), total, known)


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
            call(count_block, block, features, shared, n_classes) for block in blocks
        ]
        together, nominal = cluster.tree(merge_counts, counts), np.isin(features, many)
        differences.append(call(differences_of, together, nominal))
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


def column(block: RawRows, f: int, scaling: Scaling) -> Floats:
    """A scaled feature, NaN where it is missing."""
    values = block.X[:, f].astype(np.float64)
    return (values - scaling.shift[f]) / scaling.span[f]


def count_block(
    block: RawRows, features: Ints, scaling: Scaling, n_classes: int
) -> list[ValueCounts]:
    """Count the values of some features in a block."""
    return [
        mixed.count_values(column(block, f, scaling), block.y, n_classes)
        for f in features
    ]


def merge_counts(counts: Sequence[list[ValueCounts]]) -> list[ValueCounts]:
    """Add up the counts of several blocks."""
    return [mixed.add_counts(of_feature) for of_feature in zip(*counts, strict=True)]


def differences_of(
    counts: list[ValueCounts], nominal: Sequence[bool]
) -> list[Differences]:
    """Expected differences of features of which all values are counted."""
    return [
        mixed.expected_differences(of_feature, many)
        for of_feature, many in zip(counts, nominal, strict=True)
    ]


def outline(differences: list[Differences]) -> list[tuple[Ints, Floats]]:
    """Classes with missing cells, and their fills, of some features."""
    return [(of.classes, of.fills) for of in differences]


def look_up(
    block: RawRows, differences: list[Differences], features: Ints, scaling: Scaling
) -> Floats:
    """(n, P): expected differences between rows and missing cells of some features."""
    parts = [
        mixed.look_up(known, column(block, f, scaling), block.y).T
        for f, known in zip(features, differences, strict=True)
    ]
    return np.concatenate(parts, axis=1)


def extend(block: RawRows, parts: list[Floats]) -> RawRows:
    """A block whose rows carry what was looked up for them."""
    return block._replace(expected=np.concatenate(parts, axis=1))
