"""Ways to pick k features, ours and the yardsticks.

Each is a function ``(X, y, k, groups) -> features``; groups may be None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

from evidence.truth.methods import selector

Groups = np.ndarray | None
Ranker = Callable[[np.ndarray, np.ndarray, int, Groups], np.ndarray]


def f_test(X: np.ndarray, y: np.ndarray, k: int, groups: Groups) -> np.ndarray:
    with np.errstate(all="ignore"):
        return _top(f_classif(X, y)[0], k)


def forest(X: np.ndarray, y: np.ndarray, k: int, groups: Groups) -> np.ndarray:
    fitted = RandomForestClassifier(random_state=0).fit(X, y)
    return _top(fitted.feature_importances_, k)


def lasso(X: np.ndarray, y: np.ndarray, k: int, groups: Groups) -> np.ndarray:
    """Largest coefficients of logistic regression with an L1 penalty, C = 1."""
    Z = StandardScaler().fit_transform(X)
    model = LogisticRegression(l1_ratio=1, solver="liblinear", random_state=0)
    fitted = OneVsRestClassifier(model).fit(Z, y)
    weights = sum(np.abs(part.coef_[0]) for part in fitted.estimators_)
    return _top(weights, k)


def ours(name: str, **options: Any) -> Ranker:
    def pick(X: np.ndarray, y: np.ndarray, k: int, groups: Groups) -> np.ndarray:
        fitted = selector(name, n_features_to_select=k, **options).fit(X, y)
        return fitted.get_support(indices=True)

    return pick


def auto_selector(X: np.ndarray, y: np.ndarray, k: int, groups: Groups) -> np.ndarray:
    import widemargin

    fitted = widemargin.AutoSelector(n_features_to_select=k, random_state=0)
    fitted.fit(X, y, groups=groups)
    return fitted.get_support(indices=True)


def _top(scores: np.ndarray, k: int) -> np.ndarray:
    scores = np.nan_to_num(np.asarray(scores, float), nan=-np.inf, posinf=1e300)
    return np.argsort(-scores, kind="stable")[:k]


YARDSTICKS: dict[str, Ranker] = {
    "forest": forest,
    "mRMR": ours("MRMR"),
    "L1": lasso,
    "F-test": f_test,
}
SINGLE: dict[str, Ranker] = {
    f"{name}{label}": ours(name, redundancy=redundancy)
    for name in ("ReliefF", "LMBA", "Simba", "FisherScore")
    for label, redundancy in (("", None), (", auto", "auto"))
    if name != "FisherScore" or label
}
RANKERS: dict[str, Ranker] = {"AutoSelector": auto_selector, **YARDSTICKS, **SINGLE}
