"""Tables, and fits of ours and of other packages, which are imported when used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

THREADS = 2
SIZES = {  # rows, features, classes; 0 classes: y is a number
    "small": (200, 20, 2),
    "a": (1000, 500, 2),
    "b": (2600, 500, 2),
    "c": (200, 10000, 2),
    "d": (5000, 100, 10),
    "e": (20000, 50, 2),
    "numbers": (1000, 100, 0),
    "small numbers": (150, 10, 0),
}

Fit = Callable[[np.ndarray, np.ndarray], Any]


def shape(size: str) -> tuple[int, int, int]:
    """Rows, features and classes of a size with a name, or written as "4000x50x2"."""
    if size in SIZES:
        return SIZES[size]
    n, d, classes = map(int, size.split("x"))
    return n, d, classes


def make(size: str) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian noise in which up to 20 features carry the class, or the number."""
    n, d, classes = shape(size)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    told = min(20, d // 2)
    if classes:
        y = rng.integers(0, classes, n)
        X[:, :told] += 0.7 * rng.standard_normal((classes, told))[y]
    else:
        y = X[:, :told].sum(axis=1) + rng.standard_normal(n)
    return np.ascontiguousarray(X[:, rng.permutation(d)]), y


def ours(what: str) -> Fit:
    """A fit that returns scores; of a method, with a metric if one is named."""
    import widemargin
    from widemargin import baselines

    method, _, metric = what.partition(" ")
    make = getattr(widemargin, method, None) or getattr(baselines, method)
    options: dict[str, Any] = {"n_jobs": THREADS}
    if method == "ReliefF":
        options["metric"] = metric or "manhattan"
    if method == "MRMR":
        options["n_features_to_select"] = 10
    return lambda X, y: make(**options).fit(X, y).scores_


def theirs(peer: str) -> Fit:
    """The same of another package."""
    package, _, name = peer.partition(" ")
    return PEERS[package](name)


def _fast_select(name: str) -> Fit:
    import fast_select

    options: dict[str, Any] = {"n_features_to_select": 10, "n_jobs": THREADS}
    if name == "ReliefF":
        options["n_neighbors"] = 10
    make = getattr(fast_select, name)
    return lambda X, y: make(backend="cpu", **options).fit(X, y).feature_importances_


def _skrebate(name: str) -> Fit:
    import skrebate

    options = {"n_neighbors": 10} if name == "ReliefF" else {}
    make = getattr(skrebate, name)
    return lambda X, y: make(n_jobs=THREADS, **options).fit(X, y).feature_importances_


def _skfeature(name: str) -> Fit:
    from skfeature.function.similarity_based.reliefF import reliefF

    return lambda X, y: reliefF(X, y, mode="raw", k=10)


def _mrmr_selection(name: str) -> Fit:
    import mrmr
    import pandas as pd

    def fit(X: np.ndarray, y: np.ndarray) -> None:
        frame = pd.DataFrame(X).rename(columns=str)
        mrmr.mrmr_classif(
            frame, pd.Series(y), K=10, show_progress=False, n_jobs=THREADS
        )

    return fit


def _scikit_learn(name: str) -> Fit:
    if name == "mutual_info_classif":
        from sklearn.feature_selection import mutual_info_classif

        return lambda X, y: mutual_info_classif(X, y, random_state=0, n_jobs=THREADS)
    from sklearn.ensemble import RandomForestClassifier

    def fit(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        forest = RandomForestClassifier(random_state=0, n_jobs=THREADS)
        return forest.fit(X, y).feature_importances_

    return fit


PEERS: dict[str, Callable[[str], Fit]] = {
    "fast-select": _fast_select,
    "skrebate": _skrebate,
    "skfeature": _skfeature,
    "mrmr_selection": _mrmr_selection,
    "scikit-learn": _scikit_learn,
}
