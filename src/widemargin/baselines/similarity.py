"""Feature similarity: an unsupervised selection without redundancy.

Reference
---------
P. Mitra, C. Murthy, S. Pal, *Unsupervised feature selection using feature similarity*,
IEEE Transactions on Pattern Analysis and Machine Intelligence 24, 2002.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from widemargin.base import AUTO, COUNT, MarginSelector
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.notices import warn
from widemargin.threads import Workers, single_threaded_blas, spans

TIE = 1e-10  # dissimilarities this close, relative to the largest variance, are equal
SPARE = 8  # listed neighbours beyond 2k, for when the nearest ones have gone


@dataclass(kw_only=True, eq=False, repr=False)
class FeatureSimilarity(MarginSelector):
    """Feature similarity: one feature for each group of similar ones.

    The dissimilarity of two features is their maximal information compression index λ₂,
    the smaller eigenvalue of their covariance matrix: the variance lost when the two
    are projected onto one line. The feature whose k-th nearest feature is closest is
    retained, and its k nearest features are discarded. The dissimilarity ε of the
    farthest of these is the largest that is accepted from then on. This is repeated
    with the remaining features, with a smaller k if no k-th neighbour is within ε,
    until no two features are within ε.

    In our study it was not significantly better than a random ranking.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        None or "auto" keeps the subset that the method finds. A number keeps the
        best-ranked features instead.
    n_neighbors : int, "auto" or None, default=None
        Initial k: the larger, the fewer features are kept. None is 5, or half the
        number of features if that is less. "auto" finds by bisection a k that leaves at
        least ``n_features_to_select`` features while k + 1 leaves fewer; without such a
        number it is the same as None.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        Scaling of the features: by range, by largest absolute value, by standard
        deviation, by rank (average ranks, scaled by their range, so that extremely
        skewed features count like others), or none.
    feature_groups : dict, array-like, "prefix" or None, default=None
        Columns that stay or go together: a mapping from names of groups to their
        columns (names or indices), a label for each column (None or NaN for a column on
        its own), or "prefix", by which names that agree up to the last underscore are a
        group (after ``transformer__``, if a ColumnTransformer wrote it). A group counts
        as one feature.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores.
    verbose : int, default=0
        Not used.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        For a kept feature, its λ₂ with the most similar other kept feature, or its
        variance if there is none: the cost of losing it. For the others, λ₂ with the
        most similar kept feature minus the largest variance of all features, which
        ranks them below.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether each feature is kept.
    n_features_ : int
        Number of features kept.
    epsilon_ : float
        ε; 0 if nothing was discarded.
    n_neighbors_ : int
        The initial k.
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.baselines import FeatureSimilarity
    >>> X, _ = load_iris(return_X_y=True)
    >>> FeatureSimilarity(n_neighbors=1).fit(X).get_support(indices=True)
    array([0, 1, 2])
    """

    n_neighbors: int | Literal["auto"] | None = None
    redundancy: float | Literal["auto"] | None = field(default=None, init=False)

    _instead_on_dask = "PearsonScore, which needs classes"
    _gives_subset = True

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "n_neighbors": [None, AUTO, COUNT],
    }

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, **unknown: Any
    ) -> Self:
        """Score and rank the features of X.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers. It is not changed.
        y : None, default=None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts, relative to the others.
        **unknown : dict
            Nothing else is taken.

        Returns
        -------
        self : object
            The fitted selector.
        """
        return super().fit(X, y, sample_weight, **unknown)

    def _uses_labels(self, y: Any) -> bool:
        return False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags

    def _score(self, table: Table, workers: Workers) -> Floats:
        d = table.X.shape[1]
        varying = np.flatnonzero(~table.constant)
        self._kept = np.zeros(d, bool)
        scores = np.zeros(d)
        if not len(varying):
            self.epsilon_, self.n_neighbors_ = 0.0, 1
            return scores
        features = _Features(table.X[:, varying], table.weights, workers)
        with single_threaded_blas():
            kept = self._condensed(features, d)
            loss = features.nearest_kept(np.flatnonzero(kept))
        largest = features.variances.max()
        scores[varying] = np.where(kept, loss, loss - largest)
        scores[table.constant] = -largest
        self._kept[varying] = kept
        return scores

    def _condensed(self, features: _Features, d: int) -> NDArray[np.bool_]:
        """The features retained; sets ``epsilon_`` and ``n_neighbors_``."""
        varying, wanted = len(features.variances), self.n_features_to_select
        sized = wanted is not None and not isinstance(wanted, str)
        if self.n_neighbors != "auto" or not sized:
            self.n_neighbors_ = self._first_k(d, varying)
            kept, self.epsilon_ = _condense(features, self.n_neighbors_)
            return kept
        low, high, size = 1, max(2, varying), min(self._wanted(), varying)
        self.n_neighbors_ = low
        kept, self.epsilon_ = _condense(features, low)
        while high - low > 1:
            k = (low + high) // 2
            fewer, epsilon = _condense(features, k)
            if fewer.sum() < size:
                high = k
                continue
            low, kept = k, fewer
            self.n_neighbors_, self.epsilon_ = k, epsilon
        return kept

    def _first_k(self, d: int, varying: int) -> int:
        if self.n_neighbors is None or isinstance(self.n_neighbors, str):
            return max(1, min(5, d // 2))
        if self.n_neighbors > varying - 1:
            warn(
                f"FeatureSimilarity: n_neighbors={self.n_neighbors}, but X has "
                f"{varying} features that vary; {max(varying - 1, 0)} is used. Choose "
                "a smaller number to keep more features."
            )
        return self.n_neighbors

    def _natural_support(self) -> NDArray[np.bool_] | None:
        return self._kept


def _condense(features: _Features, k: int) -> tuple[NDArray[np.bool_], float]:
    """The features retained, and ε."""
    left = np.ones(len(features.variances), bool)
    neighbors = _Lists(features, k)
    epsilon, tie = np.inf, features.tie
    while (k := min(k, int(left.sum()) - 1)) > 0:
        r = neighbors.kth(k, left)
        if r.min() > epsilon + tie:
            k -= 1
            continue
        chosen = int(np.argmax(r <= r.min() + tie))
        if epsilon == np.inf:
            epsilon = float(r[chosen])
        left[features.nearest(chosen, k, left)] = False
    return left, 0.0 if epsilon == np.inf else epsilon


class _Features:
    """Centred features and their dissimilarities."""

    def __init__(self, X: Floats, w: Floats | None, workers: Workers) -> None:
        self.workers = workers
        self.Z = np.ascontiguousarray(X.T)
        self.Z -= np.average(self.Z, axis=1, weights=w)[:, None]
        if w is not None:
            self.Z *= np.sqrt(w)
        self.variances = np.einsum("fi,fi->f", self.Z, self.Z) / len(X)
        self.tie = TIE * float(self.variances.max())

    def dissimilarity(self, rows: Any, columns: Any) -> Floats:
        """λ₂ of each feature of ``rows`` with each of ``columns``."""
        covariance = self.Z[rows] @ self.Z[columns].T / self.Z.shape[1]
        return _compression(
            self.variances[rows][:, None], self.variances[columns], covariance
        )

    def nearest(self, f: int, k: int, left: NDArray[np.bool_]) -> Ints:
        """The k features nearest to f; among equals the first columns."""
        others = np.flatnonzero(left)
        others = others[others != f]
        distance = self.dissimilarity([f], others)[0]
        kth = np.partition(distance, k - 1)[k - 1]
        nearer = distance < kth - self.tie
        tied = np.flatnonzero(~nearer & (distance <= kth + self.tie))
        return np.r_[others[nearer], others[tied[: k - int(nearer.sum())]]]

    def nearest_kept(self, kept: Ints) -> Floats:
        """λ₂ of each feature with the nearest one kept other than itself."""
        d = len(self.variances)
        loss = np.empty(d)

        def measure(part: slice) -> None:
            distance = self.dissimilarity(part, kept)
            features = np.arange(part.start, part.stop)
            distance[features[:, None] == kept] = np.inf
            near = kept[np.argmin(distance, axis=1)]
            # Again, so that two features nearest to each other have equal scores.
            first, second = np.minimum(features, near), np.maximum(features, near)
            covariance = np.einsum("fi,fi->f", self.Z[first], self.Z[second])
            a, b = self.variances[first], self.variances[second]
            loss[part] = _compression(a, b, covariance / self.Z.shape[1])

        self.workers.run(measure, spans(d, 256))
        alone = kept if len(kept) == 1 else kept[:0]
        loss[alone] = self.variances[alone]
        return loss


def _compression(a: Floats, b: Floats, covariance: Floats) -> Floats:
    """λ₂ of features with these variances and covariances."""
    root = np.sqrt((a - b) ** 2 + 4 * covariance**2)
    # As a quotient: the difference a + b − root would lose its digits.
    return np.maximum(2 * (a * b - covariance**2) / (a + b + root), 0.0)


class _Lists:
    """The nearest features of each feature, listed again when too few are left."""

    def __init__(self, features: _Features, k: int) -> None:
        self.features = features
        d = len(features.variances)
        self.length = min(d - 1, 2 * k + SPARE)
        self.ids = np.empty((d, self.length), np.int64)
        self.distances = np.empty((d, self.length))
        if self.length:
            self._list(np.arange(d), np.arange(d))

    def _list(self, rows: Ints, columns: Ints) -> None:
        length = min(self.length, len(columns) - 1)

        def fill(part: slice) -> None:
            mine = rows[part]
            distance = self.features.dissimilarity(mine, columns)
            distance[mine[:, None] == columns] = np.inf
            near = np.argpartition(distance, length - 1, axis=1)[:, :length]
            found = np.take_along_axis(distance, near, axis=1)
            order = np.argsort(found, axis=1, kind="stable")
            near = np.take_along_axis(near, order, axis=1)
            self.ids[mine, :length] = columns[near]
            self.distances[mine, :length] = np.take_along_axis(found, order, axis=1)
            # Places without a feature point at the row itself, at no finite distance.
            self.ids[mine, length:] = mine[:, None]
            self.distances[mine, length:] = np.inf

        self.features.workers.run(fill, spans(len(rows), 64))

    def kth(self, k: int, left: NDArray[np.bool_]) -> Floats:
        """Dissimilarity of each feature that is left to its k-th nearest; else ∞."""
        there = left[self.ids] & np.isfinite(self.distances)
        short = left & (there.sum(axis=1) < k)
        if short.any():
            self._list(np.flatnonzero(short), np.flatnonzero(left))
            there = left[self.ids] & np.isfinite(self.distances)
        place = np.argmax(np.cumsum(there, axis=1) == k, axis=1)
        r = self.distances[np.arange(len(place)), place]
        return np.where(left, r, np.inf)
