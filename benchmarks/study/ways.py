"""Ways to rank features: all our methods, and what people use instead.

Each is a function ``(X, y, groups, k) -> order``: features, best first, at least k.
Methods are taken with their defaults; random ones get a fixed seed.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

import widemargin
from widemargin import baselines

Groups = np.ndarray | None
Way = Callable[[np.ndarray, np.ndarray, Groups, int], np.ndarray]
REPEATS = 5  # shuffles of a feature


def ours(make: Callable[[], Any]) -> Way:
    """A selector with its defaults."""

    def rank(X: np.ndarray, y: np.ndarray, groups: Groups, k: int) -> np.ndarray:
        selector = make().set_params(n_jobs=1)
        if "random_state" in selector.get_params():
            selector.set_params(random_state=0)
        return np.argsort(selector.fit(X, y).ranking_, kind="stable")

    return rank


def thinned(make: Callable[[], Any]) -> Way:
    """A selector that leaves near copies out where the folds say that it pays."""

    def rank(X: np.ndarray, y: np.ndarray, groups: Groups, k: int) -> np.ndarray:
        selector = make().set_params(
            redundancy="auto", n_features_to_select=k, n_jobs=1
        )
        if "random_state" in selector.get_params():
            selector.set_params(random_state=0)
        return np.argsort(selector.fit(X, y).ranking_, kind="stable")

    return rank


def auto_selector(X: np.ndarray, y: np.ndarray, groups: Groups, k: int) -> np.ndarray:
    """AutoSelector, asked for k features; it judges them by 1-NN in its own folds."""
    selector = widemargin.AutoSelector(n_features_to_select=k, random_state=0, n_jobs=1)
    return np.argsort(selector.fit(X, y, groups=groups).ranking_, kind="stable")


def turf(X: np.ndarray, y: np.ndarray, groups: Groups, k: int) -> np.ndarray:
    """TuRF around ReliefF, down to k features."""
    selector = widemargin.TuRF(widemargin.ReliefF(n_jobs=1), n_features_to_select=k)
    return np.argsort(selector.fit(X, y).ranking_, kind="stable")


def f_test(X: np.ndarray, y: np.ndarray, groups: Groups, k: int) -> np.ndarray:
    with np.errstate(all="ignore"):
        return _order(f_classif(X, y)[0])


def mutual_information(
    X: np.ndarray, y: np.ndarray, groups: Groups, k: int
) -> np.ndarray:
    return _order(mutual_info_classif(X, y, random_state=0))


def forest(X: np.ndarray, y: np.ndarray, groups: Groups, k: int) -> np.ndarray:
    return _order(RandomForestClassifier(random_state=0).fit(X, y).feature_importances_)


def permutation(X: np.ndarray, y: np.ndarray, groups: Groups, k: int) -> np.ndarray:
    """Loss of a forest's accuracy on a quarter of the rows if a feature is shuffled.

    Wide tables: the 100 most important features of the forest are shuffled, the others
    follow in the forest's order.
    """
    train, test = train_test_split(
        np.arange(len(y)), test_size=0.25, stratify=y, random_state=0
    )
    model = RandomForestClassifier(random_state=0).fit(X[train], y[train])
    order, rng = _order(model.feature_importances_), np.random.default_rng(0)
    copies, truth = np.tile(X[test], (REPEATS, 1)), np.tile(y[test], REPEATS)
    accuracy = []
    for f in order[:100]:
        kept = copies[:, f].copy()
        copies[:, f] = np.concatenate(
            [rng.permutation(X[test, f]) for _ in range(REPEATS)]
        )
        accuracy.append(model.score(copies, truth))
        copies[:, f] = kept
    losses = -np.array(accuracy)
    return np.concatenate([order[:100][_order(losses)], order[100:]])


def lasso(X: np.ndarray, y: np.ndarray, groups: Groups, k: int) -> np.ndarray:
    """Largest coefficients of logistic regression with an L1 penalty, C = 1."""
    Z = StandardScaler().fit_transform(X)
    model = LogisticRegression(l1_ratio=1, solver="liblinear", random_state=0)
    fitted = OneVsRestClassifier(model).fit(Z, y)
    return _order(sum(np.abs(part.coef_[0]) for part in fitted.estimators_))


def rfe(X: np.ndarray, y: np.ndarray, groups: Groups, k: int) -> np.ndarray:
    """Recursive elimination by logistic regression, a fifth of what is left a time."""
    Z = StandardScaler().fit_transform(X)
    model, left, dropped = LogisticRegression(max_iter=200), np.arange(X.shape[1]), []
    while len(left) > 1:
        weights = np.abs(model.fit(Z[:, left], y).coef_).sum(axis=0)
        left = left[_order(weights)]
        wanted = int(0.8 * len(left))
        dropped.append(left[wanted:])
        left = left[:wanted]
    return np.concatenate([left, *dropped[::-1]])


def boruta(X: np.ndarray, y: np.ndarray, groups: Groups, k: int) -> np.ndarray:
    """Boruta (its package), by its ranking; ties by a forest's importances.

    Boruta is made to say which features matter, not to rank those that do: 20 forests
    of 100 shallow trees, as its authors advise, and a forest for the order.
    """
    from boruta import BorutaPy

    model = RandomForestClassifier(max_depth=5, random_state=0)
    found = BorutaPy(model, n_estimators=100, max_iter=20, random_state=0).fit(X, y)
    forest = RandomForestClassifier(random_state=0).fit(X, y).feature_importances_
    return np.lexsort([-forest, found.ranking_])


def chance(X: np.ndarray, y: np.ndarray, groups: Groups, k: int) -> np.ndarray:
    """A random ranking: what is not better than this does not rank."""
    seed = zlib.crc32(X.tobytes())  # another one for each split
    return np.random.default_rng(seed).permutation(X.shape[1])


def _order(scores: Any) -> np.ndarray:
    scores = np.nan_to_num(np.asarray(scores, float), nan=-np.inf, posinf=1e300)
    return np.argsort(-scores, kind="stable")


# All margin methods for classes without an order, and all other rankings for classes
# that the package has.
OURS = ("Relief", "ReliefF", "Simba", "GFlip", "LMBA", "IPCMSR", "IPICSR", "FRLL")
OURS += ("IRelief", "SURF", "SURFStar", "MultiSURF", "MultiSURFStar")
BASELINES = ("FisherScore", "TraceRatio", "PearsonScore", "LaplacianScore")
BASELINES += ("InformationGain", "MRMR", "FCBF", "FeatureSimilarity")

OTHERS: dict[str, Way] = {
    "F-test": f_test,
    "mutual information": mutual_information,
    "forest importance": forest,
    "permutation importance": permutation,
    "L1": lasso,
    "RFE": rfe,
    "Boruta": boruta,
    "random": chance,
}
MARGINS: dict[str, Way] = {
    **{name: ours(getattr(widemargin, name)) for name in OURS},
    "TuRF(ReliefF)": turf,
    "ReliefF, redundancy auto": thinned(widemargin.ReliefF),
    "MultiSURF, redundancy auto": thinned(widemargin.MultiSURF),
}
WAYS: dict[str, Way] = {
    "AutoSelector": auto_selector,
    **MARGINS,
    **{name: ours(getattr(baselines, name)) for name in BASELINES},
    "FisherScore, redundancy auto": thinned(baselines.FisherScore),
    "forest, redundancy auto": thinned(baselines.ForestImportance),
    **OTHERS,
}
# Seconds each: run on fewer splits.
COSTLY = ("AutoSelector", "Boruta", "forest, redundancy auto")
