"""Cheap statistics that labels with nothing in them leave at the level of chance.

All are computed for the labels as they are and for permutations of them at once, from
the same features, which are never permuted: whatever is done to the features alone
(scaling, filling gaps, counting categories) leaves the test valid.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from widemargin.data.build import build
from widemargin.data.dataset import Columns
from widemargin.data.protocol import Floats, Ints
from widemargin.selectors.relieff import ReliefF
from widemargin.selectors.rrelieff import RReliefF
from widemargin.settings import current
from widemargin.threads import Workers, spans

LEVELS = 20  # values of a nominal feature that count on their own; the rest are one
TOP = 10  # features that may be relevant together
NEIGHBORS = 5  # rows whose classes are compared with a row's own


class Features(NamedTuple):
    """A table as standardised numbers: a nominal feature has a column per value."""

    Z: Floats  # (n, columns), of mean 0 and sum of squares 1, or constant 0
    owner: Ints  # (columns,) the feature of each column, ascending
    degrees: Ints  # (features,) columns that are free of each other


def standardised(columns: Columns) -> Features:
    """Numbers with gaps at their mean, and nominal features as indicators."""
    n, d = columns.numbers.shape
    numeric = np.setdiff1d(np.arange(d), list(columns.nominal))
    parts = [_units(columns.numbers[:, numeric])]
    degrees, sizes = [1] * len(numeric), [1] * len(numeric)
    for codes in columns.nominal.values():
        part = indicators(codes)
        # In these units the sum over the columns is χ²/n.
        part = part / np.sqrt(part.mean(axis=0))
        parts.append((part - part.mean(axis=0)) / np.sqrt(n))
        degrees.append(max(1, part.shape[1] - 1))
        sizes.append(part.shape[1])
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return Features(np.hstack(parts), owner, np.array(degrees))


def indicators(codes: Ints) -> Floats:
    """A column for each frequent value; codes are by frequency, −1 for missing."""
    codes = np.minimum(codes, LEVELS)
    return (codes[:, None] == np.unique(codes)).astype(np.float64)


def _units(X: Floats) -> Floats:
    """Columns of mean 0 and sum of squares 1; 0 if constant."""
    gaps = np.isnan(X)
    largest = np.max(np.abs(X), axis=0, where=~gaps, initial=0.0)
    Z = np.where(gaps, 0.0, X) / np.where(largest > 0, largest, 1.0)
    there = np.maximum((~gaps).sum(axis=0), 1)
    Z = np.where(gaps, 0.0, Z - Z.sum(axis=0) / there)
    size = np.linalg.norm(Z, axis=0)
    varies = size > 1e-12 * np.sqrt(len(X))
    return np.where(varies, Z / np.where(varies, size, 1.0), 0.0)


class OfClasses:
    """How features are compared with labels that are class codes.

    ``n_relations`` is the number of kinds of neighbours that Relief looks for, and
    ``freedom`` the degrees of freedom of a feature of one column.
    """

    def __init__(self, n_classes: int) -> None:
        self.n_classes = self.n_relations = n_classes
        self.freedom = n_classes - 1

    def strata(self, y: Ints) -> Ints:
        """What a sample of the rows keeps the shares of: the classes."""
        return y

    def _members(self, labels: Ints, c: int) -> NDArray[Any]:
        """Which labels are of a class, or their share of it."""
        return labels == c

    def explained(self, Z: Floats, labels: Ints) -> Floats:
        """Sums of squares between classes, (labellings, columns)."""
        total = np.zeros((len(labels), Z.shape[1]))
        for c in range(self.n_classes):
            members = self._members(labels, c).astype(np.float64)
            sums = members @ Z
            total += sums**2 / members.sum(axis=1, keepdims=True)
        return total

    def neighbors_agree(self, near: Ints, labels: Ints) -> Floats:
        """Share of near rows, (n, k), that are of a row's own class: (labellings,).

        The mean over classes of the means over their rows: classes count the same,
        however many rows they have.
        """
        score = np.zeros(len(labels))
        for c in range(self.n_classes):
            members = self._members(labels, c)
            own = members[:, near].mean(axis=2)
            score += (own * members).sum(axis=1) / members.sum(axis=1)
        return score / self.n_classes

    def relief(self, X: Floats, labels: Ints, workers: Workers) -> Floats:
        """Scores of ReliefF, (labellings, some of the columns)."""
        n, B, work = X.shape[0], len(labels), current().effort.signal_sums
        classes, codes = np.unique(labels[0], return_inverse=True)
        table = build(X, codes, classes, scale=None, workers=workers)
        some = _some_columns(X, B, neighbors := 10 * len(classes))
        scores = np.empty((B, len(some)))
        for part in spans(B, max(25, work // (4 * n * len(some) * neighbors))):
            targets = np.searchsorted(classes, labels[part][:, table.rows])
            scores[part] = ReliefF(scale=None)._permuted_scores(
                table, targets, some, workers
            )
        return scores


class OfShares(OfClasses):
    """Labels of groups: places in ``shares``, the shares of classes, (places, K)."""

    def __init__(self, shares: Floats) -> None:
        super().__init__(shares.shape[1])
        self.shares = shares

    def _members(self, labels: Ints, c: int) -> Floats:
        return self.shares[labels, c]

    def strata(self, y: Ints) -> Ints:
        """None: all groups are alike."""
        return np.zeros(len(y), np.int64)

    def explained(self, Z: Floats, labels: Ints) -> Floats:
        """Sums of squares, in units in which groups of one class have those of rows."""
        own = self.shares[labels[0]]
        inertia = (own.var(axis=0) / own.mean(axis=0)).sum()
        unit = self.freedom / inertia if inertia > 0 else 1.0
        return super().explained(Z, labels) * unit

    def relief(self, X: Floats, labels: Ints, workers: Workers) -> Floats:
        """Sums over the classes of the scores of RReliefF for their shares."""
        of_numbers, total = OfNumbers(), np.zeros((len(labels), 1))
        # Of two classes, the other's shares tell the same.
        for c in range(self.n_classes if self.n_classes > 2 else 1):
            y = self._members(labels, c)
            if np.ptp(y[0]) > 0:
                total = total + of_numbers.relief(X, y, workers)
        return total


class OfNumbers:
    """Labels that are numbers to predict."""

    n_relations = freedom = 1

    def strata(self, y: Floats) -> Ints:
        """None: all rows are alike."""
        return np.zeros(len(y), np.int64)

    def explained(self, Z: Floats, labels: Floats) -> Floats:
        """Shares of the variance of y: squared correlations."""
        y = _units(labels.T).T
        shares: Floats = (y @ Z) ** 2
        return shares

    def neighbors_agree(self, near: Ints, labels: Floats) -> Floats:
        """Correlation of y with its mean over near rows, up to a factor."""
        y = _units(labels.T).T
        agreed: Floats = (y * y[:, near].mean(axis=2)).sum(axis=1)
        return agreed

    def relief(self, X: Floats, labels: Floats, workers: Workers) -> Floats:
        """Scores of RReliefF."""
        nobody, n = np.zeros(len(X), np.int64), len(X)
        table = build(X, nobody, np.zeros(1), scale=None, workers=workers)
        some = _some_columns(X, len(labels), neighbors=10)
        selector = RReliefF(scale=None, n_neighbors=min(10, n - 1))
        # Rows of one class keep their order in the table.
        return selector._permuted_scores(table, labels, some, workers)


OfTarget = OfClasses | OfNumbers


def _some_columns(X: Floats, labellings: int, neighbors: int) -> Ints:
    """Columns, evenly spread, for which Relief's sums are affordable."""
    effort = current().effort
    work = effort.signal_sums // (len(X) * neighbors)
    most = max(effort.min_signal_rows, work // labellings)
    return np.unique(np.linspace(0, X.shape[1] - 1, most).astype(np.int64))


def single_features(
    features: Features, labels: NDArray[Any], of_target: OfTarget
) -> Floats:
    """What single features tell: (3, labellings).

    The strongest one, the ten strongest together, and all of them together. A feature's
    share of variance between classes (or of the variance of y) is put on the scale of a
    normal variable by its degrees of freedom, so that kinds of features can be
    compared.
    """
    B, n = labels.shape
    d = len(features.degrees)
    starts = np.searchsorted(features.owner, np.arange(d + 1))
    strongest, total = np.full(B, -np.inf), np.zeros(B)
    top = np.full((B, TOP), -np.inf)
    size = max(1, current().product_cells // (B * of_target.n_relations))
    begin = 0
    while begin < d:
        end = int(np.searchsorted(starts, starts[begin] + size, "right")) - 1
        end = min(d, max(begin + 1, end))
        between = of_target.explained(
            features.Z[:, starts[begin] : starts[end]], labels
        )
        each = np.add.reduceat(between, starts[begin:end] - starts[begin], axis=1)
        freedom = features.degrees[begin:end] * of_target.freedom
        scores = _as_normal(n * each, freedom)
        strongest = np.maximum(strongest, scores.max(axis=1))
        total += (n * each / np.sqrt(2 * freedom)).sum(axis=1)
        top = np.partition(np.hstack([top, scores]), -TOP, axis=1)[:, -TOP:]
        begin = end
    several = np.where(np.isfinite(top), top, 0.0).sum(axis=1)
    return np.array([strongest, several, total])


def _as_normal(x: Floats, freedom: Ints) -> Floats:
    """χ² of so many degrees of freedom as a normal variable (Wilson and Hilferty)."""
    scale = 2 / (9 * freedom)
    z: Floats = (np.cbrt(x / freedom) - (1 - scale)) / np.sqrt(scale)
    return z


def nearest_rows(features: Features) -> Ints:
    """The five nearest other rows of each, by all features."""
    Z, found = _for_distances(features), []
    k = min(NEIGHBORS, len(Z) - 1)
    for part in spans(len(Z), 256):
        D = cdist(Z[part], Z, "sqeuclidean")
        D[np.arange(len(D)), np.arange(part.start, part.stop)] = np.inf
        found.append(np.argpartition(D, k - 1, axis=1)[:, :k])
    return np.concatenate(found)


def _for_distances(features: Features) -> Floats:
    """Columns such that each feature has the same share in squared distances."""
    weight = 1 / np.sqrt(features.degrees[features.owner])
    return features.Z * weight


def interactions(
    features: Features, labels: NDArray[Any], of_target: OfTarget, workers: Workers
) -> Floats:
    """What ReliefF finds, which sees features that tell something only together.

    (2, labellings): the largest score in units of its own spread over all labellings,
    and the largest ten. In wide tables, of a part of the columns; neighbours are found
    by all of them.
    """
    n = len(features.Z)
    X = _for_distances(features)[:, features.Z.any(axis=0)] * np.sqrt(n)
    if not X.shape[1]:
        return np.zeros((2, len(labels)))
    scores = of_target.relief(X, labels, workers)
    spread = scores.std(axis=0)
    z = (scores - scores.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    top = np.partition(z, -min(TOP, scores.shape[1]), axis=1)[:, -TOP:]
    return np.array([z.max(axis=1), top.sum(axis=1)])


def rows_for_pairs(n: int, n_classes: int, columns: int, labellings: int) -> int:
    """How many rows to take for the statistics that compare all of them."""
    effort = current().effort
    each = max(1, labellings) * 10 * n_classes * max(1, columns)
    limits = effort.min_signal_rows, effort.max_signal_rows
    return min(n, int(np.clip(effort.signal_sums // each, *limits)))
