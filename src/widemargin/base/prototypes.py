"""Ratios of what varies between classes to what varies within their prototypes.

Prototypes are the natural clusters of a class, by a linkage that is cut at its knee, or
what the caller says they are.

References
----------
W. W. Y. Ng, J. Wang, D. S. Yeung, *IPCM separability ratio for supervised feature
selection*, SMC 2009, equation 4.
S. Salvador, P. Chan, *Determining the number of clusters/segments in hierarchical
clustering/segmentation algorithms*, ICTAI 2004 (the L-method).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from scipy.cluster import hierarchy
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform
from sklearn.base import clone

from widemargin._sklearn import HasMethods, StrOptions
from widemargin.base.estimator import COUNT
from widemargin.base.scores import separation_ratio, shared_out
from widemargin.base.selector import MarginSelector
from widemargin.data.kinds import listed
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.engine import edge_sums, heat, heat_width
from widemargin.kernels.distances import measure_all
from widemargin.kernels.linkage import summed_linkage
from widemargin.kernels.records import EUCLIDEAN, TIE, Edges
from widemargin.memory import require
from widemargin.notices import warn
from widemargin.progress import progress
from widemargin.threads import Workers, spans


@dataclass(kw_only=True, eq=False, repr=False)
class SeparabilityRatio(MarginSelector):
    """What both ratios share: prototypes, δ and the sum over pairs of a prototype."""

    linkage: Literal["summed", "average", "ward", "complete"] = "summed"
    delta: float | Literal["auto"] = "auto"
    min_prototype_size: int = 3
    prototypes: Any = None

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "linkage": [StrOptions({"summed", "average", "ward", "complete"})],
        "min_prototype_size": [COUNT],
        "prototypes": [None, "array-like", HasMethods(["fit_predict"])],
    }

    def _score(self, table: Table, workers: Workers) -> Floats:
        self._require_memory(table)
        labels = self._given_labels(table)
        self.delta_ = heat_width(self.delta, table, workers)
        within = self._within(table, labels, workers)
        between, *by_class = self._between(table, workers)
        scores = separation_ratio(between, within)
        self._keep_by_class(table, shared_out(scores, np.array(by_class)))
        return scores

    def _require_memory(self, table: Table) -> None:
        """Refuse a class whose distances do not fit, before any work is done."""
        m, c = int(table.counts.max()), table.classes.tolist()[table.counts.argmax()]
        require(
            linkage_bytes(m, "summed" if self.prototypes is not None else self.linkage),
            type(self).__name__,
            f"the distances within class {c!r} ({m} rows)",
            "Fit it to a sample of the rows, or use FRLL, which keeps no distances.",
        )

    def _given_labels(self, table: Table) -> Ints | None:
        """The caller's prototype of each row, in the order of the table."""
        if self.prototypes is None or hasattr(self.prototypes, "fit_predict"):
            return None
        labels = np.asarray(self.prototypes)
        if labels.shape != (table.n_rows,) or labels.dtype.kind not in "iu":
            raise ValueError(
                f"{type(self).__name__} needs prototypes as a whole number for each of "
                f"the {table.n_rows} rows of positive weight, got an array of shape "
                f"{labels.shape} and type {labels.dtype}. Where rows are chosen, as in "
                "folds, pass a clusterer."
            )
        return labels.astype(np.int64)[table.rows]

    def _between(self, table: Table, workers: Workers) -> Floats:
        """Denominator of eq. (1), and what each class has of it: (1 + C, d).

        A pair of rows counts half for the class of each of them.
        """
        raise NotImplementedError

    def _within(self, table: Table, labels: Ints | None, workers: Workers) -> Floats:
        """Numerator of eq. (1), class by class; finds the prototypes on the way."""
        name, starts = type(self).__name__, table.starts
        sums, weight = np.zeros(table.X.shape[1]), 0.0
        p = np.full(len(table.X), -1, np.int64)
        with progress(f"{name}, prototypes", len(starts) - 1, self.verbose) as advance:
            for start, stop in pairwise(starts):
                given = None if labels is None else labels[start:stop]
                mine, more, S = self._within_class(table, start, stop, given, workers)
                p[start:stop] = np.where(mine >= 0, mine + p.max() + 1, -1)
                sums += more
                weight += S
                advance()
        self.prototypes_ = np.empty_like(p)
        self.prototypes_[table.rows] = p
        self._warn(table, p, weight)
        return sums

    def _clustered(self, table: Table, start: int, D: Floats) -> Ints:
        """Clusters of the rows of a class; negative for none."""
        if self.prototypes is None:
            merges, heights = agglomerate(D, self.linkage)
            return cut(merges, knee(heights))
        X = table.X[start : start + len(D)].copy()
        try:
            return np.asarray(clone(self.prototypes).fit_predict(X), np.int64)
        except ValueError as error:
            c = table.classes.tolist()[table.y[start]]
            raise ValueError(
                f"{type(self).__name__}: {type(self.prototypes).__name__} cannot "
                f"cluster class {c!r}, which has {len(X)} rows: {error}"
            ) from error

    def _within_class(
        self, table: Table, start: int, stop: int, given: Ints | None, workers: Workers
    ) -> tuple[Ints, Floats, float]:
        """Prototypes of the rows of a class, their sums and the sum of S."""
        sums, weight = np.zeros(table.X.shape[1]), 0.0
        D, w = class_distances(table.X[start:stop], workers), table.row_weights[start:]
        mine = self._clustered(table, start, D) if given is None else given
        mine = without_small(by_first_row(mine), self.min_prototype_size)
        for i, j in pairs_within(mine, table.settings.prototype_pairs):
            S = heat(D[i, j], self.delta_) * w[i] * w[j]
            weight += S.sum()
            edges = Edges(start + i, start + j, S)
            sums += edge_sums(table, edges, power=2, workers=workers)
        return mine, sums, weight

    def _warn(self, table: Table, p: Ints, weight: float) -> None:
        name = type(self).__name__
        without = np.bincount(table.y[p >= 0], minlength=len(table.classes)) == 0
        if without.any():
            shown = listed(table.classes[without].tolist())
            warn(
                f"{name}: class {shown} has no prototype of "
                f"min_prototype_size={self.min_prototype_size} or more samples; it "
                "counts only in the separation of classes."
            )
        if weight == 0 and np.any(np.bincount(p[p >= 0], minlength=1) > 1):
            warn(
                f"{name}: delta={self.delta_:g} is so small that no pair of samples "
                "of a prototype has any weight. Use a larger delta, or 'auto'."
            )


def class_distances(X: Floats, workers: Workers) -> Floats:
    """Distances of all rows of a class."""
    D, rows = np.empty((len(X), len(X))), np.arange(len(X))
    workers.run(
        lambda part: measure_all(EUCLIDEAN, X, rows[part], rows, D[part]),
        spans(len(X), 32),
    )
    return D


def linkage_bytes(m: int, linkage: str) -> int:
    """Memory that `class_distances` and `agglomerate` take for m rows."""
    # SciPy works on a copy of the upper triangle, which is a copy already.
    return 8 * m * m if linkage == "summed" else 16 * m * m


def agglomerate(D: Floats, linkage: str) -> tuple[Ints, Floats]:
    """Merges in the order of the greedy algorithm, and their heights.

    Merge t of m rows makes cluster m + t, as in SciPy; "summed" names the clusters that
    it joins by one of their rows instead. The upper triangle of D is used up.
    """
    m = len(D)
    if m < 2:
        return np.empty((0, 2), np.int64), np.empty(0)
    if linkage != "summed":
        Z = hierarchy.linkage(squareform(D, checks=False), linkage)
        return Z[:, :2].astype(np.int64), Z[:, 2]
    merges, heights = np.empty((m - 1, 2), np.int64), np.empty(m - 1)
    summed_linkage(D, merges, heights)
    order = np.argsort(heights, kind="stable")
    merges, heights = merges[order], heights[order]
    # Heights that tie are the same step of the stair; on it, lowest rows come first.
    step = np.cumsum(heights > np.r_[0.0, heights[:-1]] * (1 + TIE))
    return merges[np.lexsort((merges[:, 1], merges[:, 0], step))], heights


def knee(heights: Floats) -> int:
    """Number of clusters at the knee of the ascending merge heights, by the L-method.

    The curve has the height y of the next merge above each number of clusters
    x = 2 … b. It is split after x = c into two parts that a line is fitted to, so that
    their RMSE, weighted by their number of points, is least; of equal ones the
    smallest c is taken. Without a knee, there is one cluster.
    """
    y, b = heights[::-1], len(heights) + 1
    if b < 5 or y[0] - y[-1] <= TIE * y[0]:
        return 1
    c = np.arange(3, b - 1)
    left, right = line_errors(y)[c - 2], line_errors(heights)[b - c - 1]
    rmse = (np.sqrt((c - 1) * left) + np.sqrt((b - c) * right)) / (b - 1)
    return int(c[np.argmax(rmse <= rmse.min() + TIE * (y[0] - y[-1]))])


def line_errors(y: Floats) -> Floats:
    """Squared error of the best line through the first 1, 2, … of equidistant points.

    A new point at a distance e from the line through the k points before it adds
    e²/(1 + h) to the error, where h is its leverage, so that nothing cancels.
    """
    k = np.arange(2.0, len(y))
    t = (k + 1) / 2  # from the middle of the k points to the new one
    sums, moments = np.cumsum(y)[1:-1], np.cumsum(np.arange(len(y)) * y)[1:-1]
    squares = k * (k * k - 1) / 12
    slope = (moments - (k - 1) / 2 * sums) / squares
    e = y[2:] - sums / k - slope * t
    h = 1 / k + t * t / squares
    return np.concatenate([np.zeros(min(2, len(y))), np.cumsum(e * e / (1 + h))])


def cut(merges: Ints, n_clusters: int) -> Ints:
    """Cluster of each row when that many are left, numbered by lowest row."""
    m = len(merges) + 1
    made = m - n_clusters
    edges = merges[:made].ravel(), np.repeat(np.arange(m, m + made), 2)
    tree = coo_array((np.ones(2 * made), edges), shape=(m + made, m + made))
    return connected_components(tree, directed=False)[1][:m].astype(np.int64)


def by_first_row(labels: Ints) -> Ints:
    """The same clusters, numbered by their first rows; −1 for negative labels."""
    different, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    first[different < 0] = len(labels)
    number = np.argsort(np.argsort(first, kind="stable"))
    return np.where(labels < 0, -1, number[codes]).astype(np.int64)


def without_small(labels: Ints, least: int) -> Ints:
    """The same clusters, numbered anew, and −1 for those of fewer members."""
    large = np.bincount(labels[labels >= 0], minlength=1) >= least
    kept = large[labels] & (labels >= 0)
    return np.where(kept, (np.cumsum(large) - 1)[labels], -1)


def pairs_within(labels: Ints, most: int) -> Iterator[tuple[Ints, Ints]]:
    """Rows i > j of one prototype, looking at up to ``most`` pairs at a time."""
    m = len(labels)
    for part in spans(m, max(1, most // m)):
        mine = labels[part, None]
        same = (mine == labels) & (mine >= 0)
        i, j = np.nonzero(np.tril(same, part.start - 1))
        yield i + part.start, j
