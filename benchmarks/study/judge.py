"""What features are worth: the accuracy of three classifiers on the test rows."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from study.tables import parts, table

CLASSIFIERS = ("1-NN", "logistic", "boosting")
TEST_SIZE = 1 / 3


class Split(NamedTuple):
    """Training and test rows of a table."""

    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray | None
    Z: np.ndarray  # test rows
    labels: np.ndarray  # of the test rows


@lru_cache(maxsize=2)
def split(name: str, seed: int, data: str | None) -> Split:
    """One split of a table."""
    X, y, groups = table(name, data)
    train, test = parts(table(name, data), seed, TEST_SIZE)
    mine = None if groups is None else groups[train]
    return Split(X[train], y[train], mine, X[test], y[test])


@lru_cache(maxsize=4096)
def accuracies(
    name: str, seed: int, data: str | None, features: tuple[int, ...]
) -> dict[str, float]:
    """Accuracy of each classifier with some features.

    Many methods choose the same: a set of features is judged once.
    """
    X, y, _, Z, labels = split(name, seed, data)
    A, B = X[:, features], Z[:, features]
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    boosting = HistGradientBoostingClassifier(
        max_iter=15,
        learning_rate=0.25,
        max_depth=3,
        min_samples_leaf=5,
        max_bins=32,
        early_stopping=False,
        random_state=0,
    )
    predicted = {
        "1-NN": y[_nearest(A, B)],
        "logistic": logistic.fit(A, y).predict(B),
        "boosting": boosting.fit(A, y).predict(B),
    }
    return {key: float(np.mean(found == labels)) for key, found in predicted.items()}


def _nearest(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The training row nearest to each test row, columns scaled to a range of 1."""
    span = np.ptp(A, axis=0)
    span[span == 0] = 1
    return cdist(B / span, A / span).argmin(axis=1)


def redundancy(X: np.ndarray) -> float:
    """Mean over features of the largest |r| with another one of them."""
    with np.errstate(all="ignore"):
        R = np.abs(np.nan_to_num(np.corrcoef(X, rowvar=False)))
    np.fill_diagonal(R, 0.0)
    return float(R.max(axis=1).mean())
