"""Nearest neighbours that do not know the order of their training rows.

They score all sizes of a ranking in one sweep: 1-NN predicts classes, 5-NN a numeric
target.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone

from widemargin import kernels
from widemargin.data.blocks import group_spans
from widemargin.data.build import build, ranks_among
from widemargin.data.frames import is_sparse
from widemargin.data.outcomes import target_columns
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.engine.nearest_rows import shares
from widemargin.engine.pairs import distances_to_all
from widemargin.kernels.records import TIE
from widemargin.threads import Workers, spans

CALLER = "selection_curve"


NEIGHBORS = 5  # rows, the mean of which predicts a numeric target
ANSWERS = 2**22  # numbers in answers that are kept at once
MOST_DENSE = 256  # features of sparse rows that are made dense
ROWS_AT_ONCE = 256  # whose distances from all others are held
FARTHEST = 1e150  # scaled values are no larger, so that squares stay finite


class ScaledRows(BaseEstimator):
    """Training rows that do not know their order, and how far others are from them.

    Features are scaled by the training rows. Values of a nominal feature are as far
    apart as 0 and 1 are. A missing number counts as the median, a missing category as
    one.

    Parameters
    ----------
    nominal : array of int, default=None
        Columns that hold codes of nominal values.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        How numbers are scaled.
    feature_of : array of int, default=None
        The feature that each column is of. The largest difference in a group of columns
        counts as much as that in a column of numbers.
    """

    _swept: Floats | None = None
    _known: Any  # training rows, where they are needed as they are
    _width = 1  # numbers in an answer

    def __init__(
        self, nominal: Any = None, scale: str | None = "minmax", feature_of: Any = None
    ) -> None:
        self.nominal = nominal
        self.scale = scale
        self.feature_of = feature_of

    def for_columns(self, columns: Ints) -> Self:
        """The same for a table of these columns alone, not fitted."""
        nominal = [] if self.nominal is None else self.nominal
        of = None if self.feature_of is None else self.feature_of[columns]
        coded = np.flatnonzero(np.isin(columns, nominal))
        return clone(self).set_params(nominal=coded, feature_of=of)

    def answers(self, X: Any, order: Ints, sizes: Ints) -> Floats:
        """What is near to each row of X: votes of classes, or mean targets.

        Parameters
        ----------
        X : array of shape (m, n_features)
        order : array of int
            Features, best first.
        sizes : array of int
            Numbers of features, ascending.

        Returns
        -------
        answers : array of shape (n_sizes, m, …)
        """
        raise NotImplementedError

    def predictions(self, answers: Floats) -> NDArray[Any]:
        """What these answers predict."""
        raise NotImplementedError

    def predicted(self, X: Any, order: Ints, sizes: Ints) -> NDArray[Any]:
        """Predictions with the best features, (n_sizes, m), some rows at a time."""
        some = max(1, ANSWERS // max(1, len(sizes) * self._width))
        parts = [
            self.predictions(self.answers(X[part], order, sizes))
            for part in spans(X.shape[0], some)
        ]
        return np.concatenate(parts, axis=1)

    def with_answers(self, answers: Floats) -> Iterator[Self]:
        """A fitted estimator for each number of features, of the rows that were asked.

        It has answers for these rows only.
        """
        for mine in answers:
            swept = copy(self)
            swept._swept = mine
            yield swept

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the nearest training row, or the mean of the five nearest."""
        return self.predictions(self._answers(X))

    def _answers(self, X: Any) -> Floats:
        """With all features, or those that were swept."""
        if self._swept is not None:
            return self._swept
        d = self.n_features_in_
        return self.answers(X, np.arange(d), np.array([d]))[0]

    def _keep(self, X: Any) -> None:
        """Keep the training rows."""
        if is_sparse(X):
            self._keep_cells(csr_array(X))
            return
        X = np.asarray(X, np.float64)
        self.n_features_in_ = X.shape[1]
        self._named = np.zeros(X.shape[1], np.bool_)
        self._named[[] if self.nominal is None else self.nominal] = True
        self._known = X if self.scale == "rank" else None
        Z = self._ranked(X)
        self._fill = np.full(X.shape[1], -1.0)
        gappy = np.isnan(Z).any(axis=0)
        for f in np.flatnonzero(gappy & ~self._named):
            known = Z[~np.isnan(Z[:, f]), f]
            self._fill[f] = np.median(known) if len(known) else 0.0
        Z = self._filled(Z)
        low, high = Z.min(axis=0), Z.max(axis=0)
        shift, span = low, high - low
        if self.scale == "maxabs":
            span = np.maximum(-low, high)
        elif self.scale == "standard":
            shift, span = Z.mean(axis=0), Z.std(axis=0)
        # What does not vary in the training rows is as far from all of them.
        span = np.where(low < high, span, np.inf)
        as_it_is = self._named | (self.scale is None)
        self._shift = np.where(as_it_is, 0.0, shift)
        self._span = np.where(as_it_is, 1.0, span)
        if self.feature_of is not None:
            self._span *= group_spans(self._scaled(Z), self._named, self.feature_of)
        self._columns = np.ascontiguousarray(self._scaled(Z).T)

    def _keep_cells(self, X: Any) -> None:
        """Keep sparse training rows."""
        self.n_features_in_, self._known = X.shape[1], X
        scaled = _as_table(X, self.scale)
        range_of = np.ravel((X.max(axis=0) - X.min(axis=0)).toarray())
        # What does not vary in the training rows is as far from all of them.
        self._span = np.full(X.shape[1], np.inf)
        varies = ~scaled.constant
        self._span[varies] = range_of[varies] / (scaled.high - scaled.low)[varies]

    def _sparse_answers(self, X: Any, y: Any, order: Ints, sizes: Ints) -> Floats:
        """Answers for sparse rows: with few features, these are made dense."""
        few, parts = sizes <= MOST_DENSE, []
        if few.any():
            top = order[: sizes[few][-1]]
            dense = self.for_columns(top).fit(self._known[:, top].toarray(), y)
            places = np.arange(len(top)), sizes[few]
            parts.append(dense.answers(X[:, top].toarray(), *places))
        for k in sizes[~few]:
            some = spans(X.shape[0], ROWS_AT_ONCE)
            found = [self._near(self._distances(X[part], order[:k])) for part in some]
            parts.append(np.concatenate(found)[None])
        return np.concatenate(parts)

    def _distances(self, X: Any, columns: Ints) -> Floats:
        """Distances of the training rows from sparse rows, in some features."""
        n = self._known.shape[0]
        Z = vstack([self._known[:, columns], X[:, columns]]).tocsr()
        Z.data /= self._span[columns][Z.indices]
        queries = np.arange(n, Z.shape[0])
        with Workers(1) as alone:
            D = distances_to_all(_as_table(Z, None), queries, "euclidean", alone)
        return D[:, :n]

    def _near(self, D: Floats) -> Floats:
        """Answers by distances of the training rows."""
        raise NotImplementedError

    def _ranked(self, X: Floats) -> Floats:
        """Numbers as ranks among the training rows, if they are to be ranks."""
        if self._known is None:
            return X
        X = X.copy()
        for f in np.flatnonzero(~self._named):
            X[:, f] = ranks_among(X[:, f], self._known[:, f])
        return X

    def _filled(self, X: Floats) -> Floats:
        return np.where(np.isnan(X), self._fill, X)

    def _scaled(self, X: Floats) -> Floats:
        return np.clip((X - self._shift) / self._span, -FARTHEST, FARTHEST)

    def _rows(self, X: Any) -> Floats:
        """Other rows as the training rows are."""
        ranked = self._ranked(np.asarray(X, np.float64))
        return np.ascontiguousarray(self._scaled(self._filled(ranked)))


def _as_table(X: Any, scale: str | None) -> Table:
    """Sparse rows as a table of one class, in their order."""
    with Workers(1) as alone:
        y = np.zeros(X.shape[0], np.int64)
        return build(X, y, np.zeros(1), scale=scale, workers=alone, name=CALLER)


class NearestNeighbor(ClassifierMixin, ScaledRows):
    """1-NN that does not know the order of its rows.

    The class of equally near rows (relatively 1e-10) is that of most of them, then the
    more frequent one of the training rows, then the one that comes first.

    Parameters
    ----------
    nominal : array of int, default=None
        Columns that hold codes of nominal values.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        How numbers are scaled.
    feature_of : array of int, default=None
        The feature that each column is of.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the training rows."""
        self.classes_, self._codes = np.unique(np.asarray(y), return_inverse=True)
        self._prior = np.bincount(self._codes)
        self._width = len(self.classes_)
        self._keep(X)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Share of each class in the training rows that are equally near."""
        votes = self._answers(X)
        return votes / votes.sum(axis=-1, keepdims=True)

    def class_distances(self, X: Any, k: int) -> Floats:
        """Mean distance of each row of X to its k nearest rows of each class.

        Of a class with fewer rows, the mean over these; (m, n_classes).
        """
        if is_sparse(X):
            D = self._distances(X, np.arange(X.shape[1]))
        else:
            Z, T, named = self._rows(X), self._columns.T, self._named
            D = cdist(Z[:, ~named], T[:, ~named], "sqeuclidean")
            for f in np.flatnonzero(named):
                D += Z[:, f, None] != T[:, f]
            D = np.sqrt(D)
        means = np.empty((len(D), len(self.classes_)))
        for c, count in enumerate(np.minimum(self._prior, k)):
            near = np.partition(D[:, self._codes == c], count - 1, axis=1)
            means[:, c] = near[:, :count].mean(axis=1)
        return means

    def answers(self, X: Any, order: Ints, sizes: Ints) -> Floats:
        """Equally near rows of each class; see `ScaledRows.answers`."""
        if is_sparse(X):
            return self._sparse_answers(X, self._codes, order, sizes)
        Z = self._rows(X)
        votes = np.zeros((len(sizes), len(Z), len(self.classes_)))
        kernels.prefixes.find_votes(
            self._columns, Z, self._named, order, sizes, self._codes, votes
        )
        return votes

    def _near(self, D: Floats) -> Floats:
        nearest = D.min(axis=1, keepdims=True) * (1 + TIE) >= D
        return nearest @ np.eye(len(self.classes_))[self._codes]

    def predictions(self, answers: Floats) -> NDArray[Any]:
        """The class that most of the nearest rows have."""
        most = answers == answers.max(axis=-1, keepdims=True)
        return self.classes_[np.argmax(np.where(most, self._prior, -1), axis=-1)]


class NearestMean(RegressorMixin, ScaledRows):
    """5-NN regression that does not know the order of its rows.

    It predicts the mean of the five nearest rows. Rows as near as the fifth (relatively
    1e-10) share the places that the nearer ones leave.

    Parameters
    ----------
    nominal : array of int, default=None
        Columns that hold codes of nominal values.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        How numbers are scaled.
    task : str, default="regression"
        What y holds. Labels are predicted that most of the five rows have; of survival
        times, the risk, the mean of the rows' residuals.
    feature_of : array of int, default=None
        The feature that each column is of.
    """

    def __init__(
        self,
        nominal: Any = None,
        scale: str | None = "minmax",
        task: str = "regression",
        feature_of: Any = None,
    ) -> None:
        super().__init__(nominal, scale, feature_of)
        self.task = task

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the training rows."""
        given = y = np.asarray(y)
        if self.task == "survival":
            y = np.column_stack([y["event"], y["time"]])
        target = target_columns(y, self.task)
        self._y = np.ascontiguousarray(target, np.float64)
        self._given, self._width = given, target.shape[1]
        self._keep(X)
        return self

    def answers(self, X: Any, order: Ints, sizes: Ints) -> Floats:
        """Means of the nearest targets; see `ScaledRows.answers`."""
        if is_sparse(X):
            return self._sparse_answers(X, self._given, order, sizes)
        Z, k = self._rows(X), min(NEIGHBORS, len(self._y))
        means = np.empty((len(sizes), len(Z), self._width))
        kernels.prefixes.find_means(
            self._columns, Z, self._named, order, sizes, self._y, k, means
        )
        return means if self._width > 1 else means[..., 0]

    def _near(self, D: Floats) -> Floats:
        k = min(NEIGHBORS, len(self._y))
        means: Floats = shares(D, np.full(len(D), k)) @ self._y / k
        return means if self._width > 1 else means[:, 0]

    def predictions(self, answers: Floats) -> Floats:
        """The answers themselves, or the labels that most rows have."""
        if self.task == "multilabel":
            return (answers > 0.5).astype(np.float64)
        return answers
