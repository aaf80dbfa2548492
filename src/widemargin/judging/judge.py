"""The judge: what scores features in a fold.

1-NN, or 5-NN for a numeric target, scores all sizes of a ranking in one sweep; the
order of the training rows plays no part. Any other classifier or regressor is fitted
once for each size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from widemargin._sklearn import _safe_indexing
from widemargin.data.blocks import columns_of
from widemargin.data.protocol import Floats, Ints
from widemargin.judging.folds import Fold
from widemargin.judging.nearest import CALLER, NearestMean, NearestNeighbor

# Scores of several predictions, (…, m), of m test rows with these labels.
Measured = Callable[..., Floats]  # of predictions, y, and weights if there are any


class EstimatorFailure(RuntimeError):
    """The classifier or regressor that scores the features failed in a fold."""


@contextmanager
def named(what: str, other: type[RuntimeError] = RuntimeError) -> Iterator[None]:
    """Say where an error comes from; one that is not a ValueError becomes ``other``."""
    try:
        yield
    except Exception as error:
        kind = ValueError if isinstance(error, ValueError) else other
        raise kind(f"{CALLER}: {what}: {error}") from error


def share_right(
    predicted: NDArray[Any], y: NDArray[Any], w: Floats | None = None
) -> Floats:
    """The accuracy."""
    return mean_over_rows(predicted == y, w)


def mean_over_rows(values: NDArray[Any], w: Floats | None) -> Floats:
    """Means over the last axis, weighted if there are weights."""
    return np.asarray(values.mean(axis=-1) if w is None else values @ w / w.sum())


@dataclass(frozen=True, eq=False)
class Judge:
    """A classifier or regressor, the table it gets its columns from, and its score."""

    X: Any
    y: NDArray[Any]  # labels, or numbers
    make: Callable[[Ints], Any]  # an unfitted estimator for some columns of X
    # For all columns, if it is 1-NN or 5-NN, which score all sizes at once.
    nearest: NearestNeighbor | NearestMean | None
    scorer: Any
    kind: str = "classifier"  # or "regressor", for errors
    measured: Measured | None = None  # the score, if predictions are enough for it
    weights: Floats | None = None  # of the rows; None if all count the same
    feature_of: Ints | None = None  # of each column of X; None: each is a feature

    def score(self, fold: Fold, where: str, columns: Ints) -> float:
        """Score with these features; ``where`` is for errors."""
        train, test = fold
        what = f"the {self.kind} failed {where}, with {len(columns)} features"
        with named(what, EstimatorFailure):
            columns = np.sort(columns_of(self.feature_of, columns))
            Z = _safe_indexing(self.X, columns, axis=1)
            estimator = self.make(columns)
            weights = self._weights_for(estimator, train)
            estimator.fit(_safe_indexing(Z, train), self.y[train], **weights)
            return self._scored(estimator, _safe_indexing(Z, test), test)

    def best(self, fold: Fold, where: str, order: Ints, sizes: Ints) -> Floats:
        """Scores of the best features of a ranking, for several sizes, ascending."""
        if self.nearest is None:
            sets = [np.sort(order[:k]) for k in sizes]
            return np.array([self.score(fold, where, columns) for columns in sets])
        train, test = fold
        X = self.X[test]
        nearest = clone(self.nearest).fit(self.X[train], self.y[train])
        if self.feature_of is not None:
            ends = np.cumsum(np.bincount(self.feature_of)[order])
            order, sizes = columns_of(self.feature_of, order), ends[sizes - 1]
        if self.measured is not None:
            return self._measured(nearest.predicted(X, order, sizes), test)
        answers, scores = nearest.answers(X, order, sizes), np.empty(len(sizes))
        for s, swept in enumerate(nearest.with_answers(answers)):
            with named(f"nearest neighbours failed {where}, with {sizes[s]} features"):
                scores[s] = self._scored(swept, X, test)
        return scores

    def worth(self, test: Ints) -> float:
        """How many rows of equal weight tell as much as these: (Σ w)² / Σ w²."""
        if self.weights is None:
            return len(test)
        w = self.weights[test]
        return float(w.sum() ** 2 / (w @ w))

    def _weights_for(self, estimator: Any, train: Ints) -> dict[str, Any]:
        """What `fit` is told of weights, by an estimator or by the last of several."""
        steps = getattr(estimator, "steps", None)
        last, prefix = (steps[-1][1], f"{steps[-1][0]}__") if steps else (estimator, "")
        if self.weights is None or not has_fit_parameter(last, "sample_weight"):
            return {}
        return {f"{prefix}sample_weight": self.weights[train]}

    def _measured(self, predicted: NDArray[Any], test: Ints) -> Floats:
        assert self.measured is not None
        w = () if self.weights is None else (self.weights[test],)
        return self.measured(predicted, self.y[test], *w)

    def _scored(self, estimator: Any, X: Any, test: Ints) -> float:
        """Score of a fitted classifier or regressor."""
        if self.measured is not None:
            return float(self._measured(estimator.predict(X), test))
        w = {} if self.weights is None else {"sample_weight": self.weights[test]}
        try:
            score = float(self.scorer(estimator, X, self.y[test], **w))
        except AttributeError as error:  # no predict_proba, for one
            raise ValueError(f"it cannot be scored this way: {error}") from error
        except TypeError as error:
            if not w:
                raise
            raise ValueError(f"the score does not take weights: {error}") from error
        if np.isnan(score):
            raise ValueError(
                "the score is not defined, perhaps because the test rows are too few "
                "or of a single class. Try fewer folds, or another scoring."
            )
        return score
