"""The judge: what scores features in a fold.

1-NN, or 5-NN for a numeric target, scores all sizes of a ranking in one sweep. Any
other classifier or regressor is fitted once for each size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from widemargin._sklearn import _safe_indexing
from widemargin.data.protocol import Floats, Ints
from widemargin.judging.folds import Fold
from widemargin.judging.nearest import NearestMean, NearestNeighbor

CALLER = "selection_curve"

# Scores of several predictions, (…, m), of m test rows with these labels.
Measured = Callable[[NDArray[Any], NDArray[Any]], Floats]


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


def share_right(predicted: NDArray[Any], y: NDArray[Any]) -> Floats:
    """The accuracy."""
    return np.mean(predicted == y, axis=-1)


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

    def score(self, fold: Fold, where: str, columns: Ints) -> float:
        """Score with these columns; ``where`` is for errors."""
        train, test = fold
        what = f"the {self.kind} failed {where}, with {len(columns)} features"
        with named(what, EstimatorFailure):
            Z = _safe_indexing(self.X, columns, axis=1)
            estimator = self.make(columns)
            estimator.fit(_safe_indexing(Z, train), self.y[train])
            return self._scored(estimator, _safe_indexing(Z, test), self.y[test])

    def best(self, fold: Fold, where: str, order: Ints, sizes: Ints) -> Floats:
        """Scores of the best features of a ranking, for several sizes, ascending."""
        if self.nearest is None:
            sets = [np.sort(order[:k]) for k in sizes]
            return np.array([self.score(fold, where, columns) for columns in sets])
        train, test = fold
        X, y = self.X[test], self.y[test]
        nearest = clone(self.nearest).fit(self.X[train], self.y[train])
        if self.measured is not None:
            return self.measured(nearest.predicted(X, order, sizes), y)
        answers, scores = nearest.answers(X, order, sizes), np.empty(len(sizes))
        for s, swept in enumerate(nearest.with_answers(answers)):
            with named(f"nearest neighbours failed {where}, with {sizes[s]} features"):
                scores[s] = self._scored(swept, X, y)
        return scores

    def _scored(self, estimator: Any, X: Any, y: NDArray[Any]) -> float:
        """Score of a fitted classifier or regressor."""
        if self.measured is not None:
            return float(self.measured(estimator.predict(X), y))
        try:
            score = float(self.scorer(estimator, X, y))
        except AttributeError as error:  # no predict_proba, for one
            raise ValueError(f"it cannot be scored this way: {error}") from error
        if np.isnan(score):
            raise ValueError(
                "the score is not defined, perhaps because the test rows are too few "
                "or of a single class. Try fewer folds, or another scoring."
            )
        return score
