"""Ways to rank features: our methods, and what people use instead.

Each is a function ``(split, k) -> order``: features, best first, at least k. Methods
are taken with their defaults; random ones get a fixed seed. Methods of the package that
have ``categorical_features`` are told which features are nominal; its other methods and
trees get the codes of the levels; for all others a nominal feature is a column for each
level and takes the place of the best of these.
"""

from __future__ import annotations

import contextlib
import io
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import f_classif, f_regression
from sklearn.linear_model import LassoCV, LogisticRegression, Ridge
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

import widemargin
from evidence.study.judge import Split, indicators
from widemargin import baselines

Way = Callable[[Split, int], np.ndarray]
REPEATS = 5  # shuffles of a feature
SHUFFLED = 100  # features of a wide table that are
HSIC_FEATURES = 300  # of a wide table that are given to the HSIC lasso, by the F-test


def ours(name: str, **params: Any) -> Way:
    """A selector with its defaults, apart from some parameters."""

    def rank(split: Split, k: int) -> np.ndarray:
        make = getattr(widemargin, name, None) or getattr(baselines, name)
        selector = make(**params).set_params(n_jobs=1)
        known = selector.get_params()
        if "random_state" in known:
            selector.set_params(random_state=0)
        if "categorical_features" in known and split.nominal:
            selector.set_params(categorical_features=[*split.nominal])
        if params.get("redundancy") == "auto":
            selector.set_params(n_features_to_select=k)
        return np.argsort(selector.fit(split.X, split.y).ranking_, kind="stable")

    return rank


def auto_selector(split: Split, k: int) -> np.ndarray:
    """AutoSelector, asked for k features; it judges them by 1-NN in its own folds."""
    selector = widemargin.AutoSelector(
        n_features_to_select=k,
        categorical_features=[*split.nominal] or None,
        random_state=0,
        n_jobs=1,
    )
    selector.fit(split.X, split.y, groups=split.groups)
    return np.argsort(selector.ranking_, kind="stable")


def turf(split: Split, k: int) -> np.ndarray:
    """TuRF around ReliefF, down to k features."""
    selector = widemargin.TuRF(widemargin.ReliefF(n_jobs=1), n_features_to_select=k)
    return np.argsort(selector.fit(split.X, split.y).ranking_, kind="stable")


def by_columns(rank: Callable[..., np.ndarray], **params: Any) -> Way:
    """A ranking of columns: a feature takes the place of the best of its columns."""

    def features(split: Split, k: int) -> np.ndarray:
        d = split.X.shape[1]
        X, owners = indicators(split.X, split.nominal, tuple(range(d)))
        found = owners[rank(X, split.y, **params)]
        return np.array([*dict.fromkeys(found.tolist())])

    return features


def univariate(X: np.ndarray, y: np.ndarray, test: Callable[..., Any]) -> np.ndarray:
    """By a statistic of each column."""
    with np.errstate(all="ignore"):
        found = test(X, y)
    return _order(found[0] if isinstance(found, tuple) else found)


def forest(split: Split, k: int, numeric: bool = False) -> np.ndarray:
    return _order(_forest(numeric).fit(split.X, split.y).feature_importances_)


def _forest(numeric: bool, **params: Any) -> Any:
    """A forest for a numeric target considers a third of the features in each node."""
    if numeric:
        return RandomForestRegressor(max_features=1 / 3, random_state=0, **params)
    return RandomForestClassifier(random_state=0, **params)


def permutation(split: Split, k: int, numeric: bool = False) -> np.ndarray:
    """Loss of a forest's accuracy, or R², on a quarter of the rows by shuffling.

    Wide tables: the 100 most important features of the forest are shuffled, the others
    follow in the forest's order.
    """
    X, y = split.X, split.y
    train, test = train_test_split(
        np.arange(len(y)),
        test_size=0.25,
        stratify=None if numeric else y,
        random_state=0,
    )
    model = _forest(numeric).fit(X[train], y[train])
    order, rng = _order(model.feature_importances_), np.random.default_rng(0)
    copies, truth = np.tile(X[test], (REPEATS, 1)), np.tile(y[test], REPEATS)
    kept_scores = []
    for f in order[:SHUFFLED]:
        kept = copies[:, f].copy()
        copies[:, f] = np.concatenate(
            [rng.permutation(X[test, f]) for _ in range(REPEATS)]
        )
        kept_scores.append(model.score(copies, truth))
        copies[:, f] = kept
    losses = -np.array(kept_scores)
    return np.concatenate([order[:SHUFFLED][_order(losses)], order[SHUFFLED:]])


def lasso(X: np.ndarray, y: np.ndarray, numeric: bool = False) -> np.ndarray:
    """Largest coefficients of logistic regression with an L1 penalty, C = 1.

    Numeric target: of the lasso, its penalty chosen in five folds.
    """
    Z = StandardScaler().fit_transform(X)
    if numeric:
        return _order(np.abs(LassoCV(random_state=0).fit(Z, y).coef_))
    model = LogisticRegression(l1_ratio=1, solver="liblinear", random_state=0)
    fitted = OneVsRestClassifier(model).fit(Z, y)
    return _order(sum(np.abs(part.coef_[0]) for part in fitted.estimators_))


def rfe(X: np.ndarray, y: np.ndarray, model: Any) -> np.ndarray:
    """Recursive elimination by a model's weights, a fifth of what is left a time."""
    Z = StandardScaler().fit_transform(X)
    left, dropped = np.arange(X.shape[1]), []
    while len(left) > 1:
        fitted = model.fit(Z[:, left], y)
        weights = getattr(fitted, "feature_importances_", None)
        if weights is None:
            weights = np.abs(np.atleast_2d(fitted.coef_)).sum(axis=0)
        left = left[_order(weights)]
        wanted = int(0.8 * len(left))
        dropped.append(left[wanted:])
        left = left[:wanted]
    return np.concatenate([left, *dropped[::-1]])


def rfe_forest(split: Split, k: int, numeric: bool = False) -> np.ndarray:
    """Recursive elimination by the importances of a forest."""
    return rfe(split.X, split.y, _forest(numeric))


def mrmr_numeric(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """MRMR for a numeric target: F statistic by mean |r| with those chosen before."""
    with np.errstate(all="ignore"):
        relevance = np.nan_to_num(f_regression(X, y)[0], posinf=1e300)
        R = np.abs(np.nan_to_num(np.corrcoef(X, rowvar=False)))
    order, similar = [int(relevance.argmax())], np.zeros(len(relevance))
    for n in range(1, min(50, len(relevance))):
        similar += R[order[-1]]
        merit = relevance / np.maximum(similar / n, 1e-3)
        merit[order] = -np.inf
        order.append(int(merit.argmax()))
    rest = np.setdiff1d(_order(relevance), order, assume_unique=True)
    return np.array([*order, *rest])


def hsic_lasso(X: np.ndarray, y: np.ndarray, numeric: bool = False) -> np.ndarray:
    """HSIC lasso (package pyHSICLasso), blocks of 20 rows; the rest by the F-test."""
    from pyHSICLasso import HSICLasso

    first = univariate(X, y, f_regression if numeric else f_classif)
    given = first[:HSIC_FEATURES]
    model = HSICLasso()
    codes = y if numeric else np.unique(y, return_inverse=True)[1]
    wanted = min(20, len(given) - 1)
    with contextlib.redirect_stdout(io.StringIO()):
        model.input(StandardScaler().fit_transform(X[:, given]), codes)
        fit = model.regression if numeric else model.classification
        np.random.seed(0)  # noqa: NPY002 (it shuffles by the global generator)
        fit(wanted, B=min(20, len(y)), n_jobs=1)
    chosen = given[np.asarray(model.get_index(), int)]
    return np.array([*dict.fromkeys([*chosen.tolist(), *first.tolist()])])


def boruta(split: Split, k: int, numeric: bool = False) -> np.ndarray:
    """Boruta (its package), by its ranking; ties by a forest's importances.

    Boruta is made to say which features matter, not to rank those that do: 20 forests
    of 100 shallow trees, as its authors advise, and a forest for the order.
    """
    from boruta import BorutaPy

    model = _forest(numeric, max_depth=5)
    found = BorutaPy(model, n_estimators=100, max_iter=20, random_state=0)
    ranking = found.fit(split.X, split.y).ranking_
    importances = _forest(numeric).fit(split.X, split.y).feature_importances_
    return np.lexsort([-importances, ranking])


def chance(split: Split, k: int) -> np.ndarray:
    """A random ranking: what is not better than this does not rank."""
    seed = zlib.crc32(split.X.tobytes())  # another one for each split
    return np.random.default_rng(seed).permutation(split.X.shape[1])


def _order(scores: Any) -> np.ndarray:
    scores = np.nan_to_num(np.asarray(scores, float), nan=-np.inf, posinf=1e300)
    return np.argsort(-scores, kind="stable")


AUTO = "redundancy auto"
# What the comparisons are about.
MAIN: dict[str, Way] = {
    "KernelRFE": ours("KernelRFE"),
    **{name: ours(name) for name in ("ReliefF", "MultiSURF", "Simba", "MRMR")},
    f"ReliefF, {AUTO}": ours("ReliefF", redundancy="auto"),
    f"MultiSURF, {AUTO}": ours("MultiSURF", redundancy="auto"),
    "F-test": by_columns(univariate, test=f_classif),
    "forest importance": forest,
    "L1": by_columns(lasso),
    "RFE": by_columns(rfe, model=LogisticRegression(max_iter=200)),
    "random": chance,
}
# Seconds each: run on fewer splits.
COSTLY: dict[str, Way] = {
    "AutoSelector": auto_selector,
    f"forest, {AUTO}": ours("ForestImportance", redundancy="auto"),
    "RFE, forest": rfe_forest,
    "permutation importance": permutation,
    "Boruta": boruta,
    "HSIC lasso": by_columns(hsic_lasso),
}
# All other rankings for classes without an order that the package has: fewer splits,
# to know which of them do not rank.
REST: dict[str, Way] = {
    **{
        name: ours(name)
        for name in (
            *("Relief", "GFlip", "LMBA", "IPCMSR", "IPICSR", "FRLL", "IRelief"),
            *("SURF", "SURFStar", "MultiSURFStar", "FisherScore", "TraceRatio"),
            *("PearsonScore", "LaplacianScore", "InformationGain", "FCBF"),
            "FeatureSimilarity",
        )
    },
    "TuRF(ReliefF)": turf,
    f"FisherScore, {AUTO}": ours("FisherScore", redundancy="auto"),
}
WAYS = MAIN | COSTLY | REST

TO_NUMBERS = {"task": "regression"}
NUMERIC_MAIN: dict[str, Way] = {
    "KernelRFE": ours("KernelRFE", **TO_NUMBERS),
    "RReliefF": ours("RReliefF"),
    f"RReliefF, {AUTO}": ours("RReliefF", redundancy="auto"),
    "MultiSURF": ours("MultiSURF", **TO_NUMBERS),
    f"MultiSURF, {AUTO}": ours("MultiSURF", redundancy="auto", **TO_NUMBERS),
    "MRMR": by_columns(mrmr_numeric),
    "F-test": by_columns(univariate, test=f_regression),
    "forest importance": partial(forest, numeric=True),
    "L1": by_columns(lasso, numeric=True),
    "RFE": by_columns(rfe, model=Ridge()),
    "random": chance,
}
NUMERIC_COSTLY: dict[str, Way] = {
    "RFE, forest": partial(rfe_forest, numeric=True),
    "permutation importance": partial(permutation, numeric=True),
    "Boruta": partial(boruta, numeric=True),
    "HSIC lasso": by_columns(hsic_lasso, numeric=True),
}
NUMERIC_WAYS = NUMERIC_MAIN | NUMERIC_COSTLY
