"""What features are worth: accuracy, or R² for a numeric target, on the test rows."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evidence.data import Sets
from evidence.study.tables import NUMERIC, split_rows, table

CLASSIFIERS = ("1-NN", "logistic", "boosting")
REGRESSORS = ("5-NN", "ridge", "boosting")
TEST_SIZE = 1 / 3


class Split(NamedTuple):
    """Training and test rows of a table."""

    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray | None
    nominal: tuple[int, ...]  # features
    Z: np.ndarray  # test rows
    labels: np.ndarray  # of the test rows


@lru_cache(maxsize=2)
def split(name: str, seed: int, data: Sets) -> Split:
    """One split of a table."""
    found = table(name, data)
    train, test = split_rows(name, found, seed, TEST_SIZE)
    X, y, groups, nominal = found
    mine = None if groups is None else groups[train]
    return Split(X[train], y[train], mine, nominal, X[test], y[test])


@lru_cache(maxsize=4096)
def scores(
    name: str, seed: int, data: Sets, features: tuple[int, ...]
) -> dict[str, float]:
    """Accuracy of each classifier, or R² of each regressor, with some features.

    Many methods choose the same: a set of features is judged once.
    """
    X, y, _, nominal, Z, labels = split(name, seed, data)
    both, owners = indicators(np.vstack([X, Z]), nominal, features)
    A, B = both[: len(X)], both[len(X) :]
    # Two levels are as far from each other as the ends of a column of range 1.
    weights = np.where(np.isin(owners, nominal), np.sqrt(0.5), 1.0)
    settings = {
        "max_iter": 15,
        "learning_rate": 0.25,
        "max_depth": 3,
        "min_samples_leaf": 5,
        "max_bins": 32,
        "early_stopping": False,
        "random_state": 0,
    }
    if name in NUMERIC:
        ridge = make_pipeline(StandardScaler(), Ridge())
        boosting = HistGradientBoostingRegressor(**settings)
        predicted = {
            "5-NN": y[nearest(A, B, weights, 5)].mean(axis=1),
            "ridge": ridge.fit(A, y).predict(B),
            "boosting": boosting.fit(A, y).predict(B),
        }
        return {key: _r2(found, labels) for key, found in predicted.items()}
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    boosting = HistGradientBoostingClassifier(**settings)
    predicted = {
        "1-NN": y[nearest(A, B, weights, 1)[:, 0]],
        "logistic": logistic.fit(A, y).predict(B),
        "boosting": boosting.fit(A, y).predict(B),
    }
    return {key: float(np.mean(found == labels)) for key, found in predicted.items()}


def indicators(
    X: np.ndarray, nominal: tuple[int, ...], features: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Columns of some features, and of which: a nominal one has one for each level."""
    columns, owners = [], []
    for f in features:
        levels = np.unique(X[:, f]) if f in nominal else ()
        parts = [X[:, f] == level for level in levels] or [X[:, f]]
        columns += parts
        owners += [f] * len(parts)
    return np.column_stack(columns).astype(float), np.array(owners)


def nearest(A: np.ndarray, B: np.ndarray, weights: np.ndarray, k: int) -> np.ndarray:
    """The k training rows nearest to each test row, columns scaled to a range of 1."""
    span = np.ptp(A, axis=0)
    span[span == 0] = 1
    distances = cdist(B / span * weights, A / span * weights)
    return distances.argsort(axis=1, kind="stable")[:, :k]


def _r2(predicted: np.ndarray, y: np.ndarray) -> float:
    """R², not below 0: no model is worse than the mean."""
    return max(0.0, float(r2_score(y, predicted)))


def redundancy(X: np.ndarray) -> float:
    """Mean over features of the largest |r| with another one of them."""
    with np.errstate(all="ignore"):
        R = np.abs(np.nan_to_num(np.corrcoef(X, rowvar=False)))
    np.fill_diagonal(R, 0.0)
    return float(R.max(axis=1).mean())
