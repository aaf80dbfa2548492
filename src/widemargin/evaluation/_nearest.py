"""1-NN and 5-NN, for which the order of the training rows plays no part."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from widemargin.data.protocol import Floats, Ints
from widemargin.judging.sweep import NEIGHBORS
from widemargin.kernels.records import TIE
from widemargin.threads import spans

PAIRS = 2**21  # distances measured at once


class ScaledRows(BaseEstimator):
    """Training rows that do not know their order, and how far others are from them.

    Features are scaled to [0, 1] by the training rows. Values of a nominal feature are
    as far apart as 0 and 1 are. A missing number counts as the median, a missing
    category as one.

    Parameters
    ----------
    nominal : array of int, optional
        Columns that hold codes of nominal values.
    """

    _swept: Floats | None = None

    def __init__(self, nominal: Any = None) -> None:
        self.nominal = nominal

    def sweep(self, X: Any, order: Ints, sizes: Ints) -> Iterator[Self]:
        """A fitted estimator of the rows of X for each number of features.

        Parameters
        ----------
        X : array of shape (m, n_features)
            Test rows; the estimators have answers for these only.
        order : array of int
            Features, best first.
        sizes : array of int
            Ascending.
        """
        for answers in self._sweep(X, order, sizes):
            swept = copy(self)
            swept._swept = answers
            yield swept

    def _answers(self, X: Any) -> Floats:
        """With all features, or those that were swept."""
        if self._swept is not None:
            return self._swept
        d = self._X.shape[1]
        return next(self._sweep(X, np.arange(d), np.array([d])))

    def _sweep(self, X: Any, order: Ints, sizes: Ints) -> Iterator[Floats]:
        """What is near to each row of X: votes of classes, or mean targets."""
        raise NotImplementedError

    def _keep(self, X: Any) -> None:
        """Keep the training rows."""
        X = np.asarray(X, np.float64)
        self._columns = np.zeros(X.shape[1], np.bool_)
        self._columns[[] if self.nominal is None else self.nominal] = True
        self._low, high = X.min(axis=0), X.max(axis=0)
        for f in np.flatnonzero(np.isnan(self._low)):
            known = X[~np.isnan(X[:, f]), f]
            self._low[f] = known.min() if len(known) else 0.0
            high[f] = known.max() if len(known) else 0.0
        self._low[self._columns] = 0.0
        # What does not vary in the training rows is as far from all of them.
        span = np.where(high > self._low, high - self._low, np.inf)
        self._span = np.where(self._columns, 1.0, span)
        self._X = (X - self._low) / self._span
        self._fill(self._X)
        self.n_features_in_ = X.shape[1]

    def _scaled(self, X: Floats) -> Floats:
        Z: Floats = (X - self._low) / self._span
        self._fill(Z)
        return Z

    def _fill(self, Z: Floats) -> None:
        """Put the median of the training rows in the place of missing numbers."""
        missing = np.isnan(Z)
        for f in np.flatnonzero(missing.any(axis=0)):
            known = self._X[~np.isnan(self._X[:, f]), f]
            number = len(known) and not self._columns[f]
            Z[missing[:, f], f] = np.median(known) if number else -1.0

    def _squares(self, X: Any, order: Ints, sizes: Ints) -> Iterator[Floats]:
        """Squared distances from the training rows, with the best features.

        Those with more features are those with fewer, and what is added, so that all
        sizes cost as much as the largest. It is the same array each time.
        """
        Z = self._scaled(np.asarray(X, np.float64))
        D, done = np.zeros((len(Z), len(self._X))), 0
        for size in sizes:
            added = order[done:size]
            numbers, names = added[~self._columns[added]], added[self._columns[added]]
            for part in spans(len(Z), max(1, PAIRS // len(self._X))):
                if len(numbers):
                    D[part] += cdist(
                        Z[part][:, numbers], self._X[:, numbers], "sqeuclidean"
                    )
                for f in names:
                    D[part] += Z[part, f, None] != self._X[:, f]
            yield D
            done = int(size)


class NearestNeighbor(ClassifierMixin, ScaledRows):
    """1-NN that does not know the order of its rows.

    The class of equally near rows (relatively 1e-10) is that of most of them, then the
    more frequent one of the training rows, then the one that comes first.

    Parameters
    ----------
    nominal : array of int, optional
        Columns that hold codes of nominal values.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the training rows."""
        self.classes_, self._codes = np.unique(np.asarray(y), return_inverse=True)
        self._keep(X)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the nearest training row."""
        votes = self._votes(X)
        most = votes == votes.max(axis=1, keepdims=True)
        prior = np.bincount(self._codes, minlength=len(self.classes_))
        return self.classes_[np.argmax(np.where(most, prior, -1), axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Share of each class in the training rows that are equally near."""
        votes = self._votes(X)
        return votes / votes.sum(axis=1, keepdims=True)

    def _votes(self, X: Any) -> Floats:
        """Equally near rows of each class, (m, C)."""
        return self._answers(X)

    def _sweep(self, X: Any, order: Ints, sizes: Ints) -> Iterator[Floats]:
        member = (self._codes[:, None] == np.arange(len(self.classes_))).astype(float)
        for D in self._squares(X, order, sizes):
            near = D.min(axis=1, keepdims=True)
            yield (near * (1 + TIE) ** 2 >= D) @ member


class NearestMean(RegressorMixin, ScaledRows):
    """5-NN regression that does not know the order of its rows.

    It predicts the mean of the five nearest rows. Rows as near as the fifth (relatively
    1e-10) share the places that the nearer ones leave.

    Parameters
    ----------
    nominal : array of int, optional
        Columns that hold codes of nominal values.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the training rows."""
        self._y = np.asarray(y, np.float64)
        self._keep(X)
        return self

    def predict(self, X: Any) -> Floats:
        """The mean of the five nearest training rows."""
        return self._answers(X)

    def _sweep(self, X: Any, order: Ints, sizes: Ints) -> Iterator[Floats]:
        k = min(NEIGHBORS, len(self._y))
        for D in self._squares(X, order, sizes):
            border = np.partition(D, k - 1, axis=1)[:, k - 1, None]
            nearer = border / (1 + TIE) ** 2 > D
            tied = ~nearer & (border * (1 + TIE) ** 2 >= D)
            left = (k - nearer.sum(axis=1)) / tied.sum(axis=1)
            yield (nearer @ self._y + left * (tied @ self._y)) / k
