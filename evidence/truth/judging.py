"""Accuracy of 1-NN, by hand: only selectors, and `same_folds`' folds, are ours."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import MinMaxScaler

from widemargin.judging.auto import N_FOLDS
from widemargin.judging.folds import stratified_folds

DEALS = 3  # of the rows to the folds of the plain loop

Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # X, y, then for tests


def one_nearest(features: np.ndarray, split: Split) -> float:
    """1-NN with these features, fitted to the training rows, on the test rows.

    Of several nearest rows, the class of most counts, then the larger class: so the
    order of the rows does not matter.
    """
    X, y, Z, t = split
    scaler = MinMaxScaler().fit(X[:, features])
    A, B = scaler.transform(Z[:, features]), scaler.transform(X[:, features])
    D = np.zeros((len(A), len(B)))
    for a, b in zip(A.T, B.T, strict=True):
        D += np.subtract.outer(a, b) ** 2
    nearest = D.min(axis=1, keepdims=True) * (1 + 1e-12) >= D
    classes, codes = np.unique(y, return_inverse=True)
    members = nearest.astype(float) @ np.eye(len(classes))[codes]
    votes = members + np.bincount(codes) / (2 * len(codes))
    return float(np.mean(classes[votes.argmax(axis=1)] == t))


def auto(selector: Any, split: Split, **options: Any) -> dict[str, float]:
    """What "auto" claims, and what is."""
    fitted = clone(selector).set_params(n_features_to_select="auto", **options)
    start = time.perf_counter()
    fitted.fit(*split[:2])
    return {
        "kept": fitted.n_features_,
        "claim": float(fitted.prefix_scores_[fitted.n_features_ - 1]),
        "test": one_nearest(fitted.get_support(indices=True), split),
        "seconds": time.perf_counter() - start,
    }


def plain_loop(selector: Any, split: Split) -> dict[str, dict[str, float]]:
    """Rank inside ten folds and judge each size by 1-NN, in plain code.

    "best" takes the best size, "1-SE" the smallest within a standard error of it, by
    the spread of the folds, "1-SE, binomial" the same with one that is at least that
    of a share of the rows. Means over several deals of the rows to folds: which size
    is chosen owes much to that.
    """
    X, y = split[:2]
    order = np.argsort(clone(selector).fit(X, y).ranking_)
    tests: dict[int, float] = {}
    found: dict[str, list[tuple[float, ...]]] = {}
    for deal in range(DEALS):
        folds = StratifiedKFold(10, shuffle=True, random_state=deal).split(X, y)
        right = np.array([_fold(selector, X, y, *fold) for fold in folds])
        for rule, k in _sizes(right, len(y)).items():
            if k not in tests:
                tests[k] = one_nearest(order[:k], split)
            told = k, float(right.mean(axis=0)[k - 1]), tests[k]
            found.setdefault(rule, []).append(told)
    return {
        rule: dict(zip(("kept", "claim", "test"), np.mean(some, axis=0), strict=True))
        for rule, some in found.items()
    }


def same_folds(selector: Any, split: Split) -> dict[str, float]:
    """The plain loop on the folds that "auto" makes, "1-SE, binomial".

    So the two do not differ by which rows share a fold.
    """
    X, y = split[:2]
    codes = np.unique(y, return_inverse=True)[1]
    n_folds = min(N_FOLDS, int(np.bincount(codes).max()))
    folds = stratified_folds(X, codes, n_folds, keep_single=True)
    right = np.array([_fold(selector, X, y, *fold) for fold in folds])
    k = _sizes(right, len(y))["1-SE, binomial"]
    order = np.argsort(clone(selector).fit(X, y).ranking_)
    claim, test = float(right.mean(axis=0)[k - 1]), one_nearest(order[:k], split)
    return {"kept": k, "claim": claim, "test": test}


def _sizes(right: np.ndarray, n: int) -> dict[str, int]:
    """How many features each rule keeps, by the accuracies of folds and sizes."""
    scores = right.mean(axis=0)
    best = int(np.argmax(scores))
    spread = right[:, best].std(ddof=1) / np.sqrt(len(right))
    share = np.sqrt(scores[best] * (1 - scores[best]) / n)
    errors = {"best": 0.0, "1-SE": spread, "1-SE, binomial": max(spread, share)}
    return {
        rule: int(np.argmax(scores >= scores[best] - error - 1e-9)) + 1
        for rule, error in errors.items()
    }


def _fold(
    selector: Any, X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """Accuracy in one fold with the best 1, 2, 3, … features."""
    fitted = clone(selector).fit(X[train], y[train])
    scaler = MinMaxScaler().fit(X[train])
    A, B = scaler.transform(X[test]), scaler.transform(X[train])
    D = np.zeros((len(test), len(train)))
    scores = []
    for f in np.argsort(fitted.ranking_):
        D += np.subtract.outer(A[:, f], B[:, f]) ** 2
        scores.append(np.mean(y[train][D.argmin(axis=1)] == y[test]))
    return np.array(scores)
