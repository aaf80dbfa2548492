"""The sets and methods of figure 1, and the two classifiers that judge them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from evidence.papers.splits import RANDOM, at_random, nearest_neighbor, ranked
from widemargin import FRLL, ReliefF
from widemargin.baselines import FCBF, MRMR, TraceRatio

Array = NDArray[Any]

# File, classes and images per class; None for all of them.
SETS = {
    "Yale": ("yale_32x32", None, None),
    "YaleB": ("yaleb_32x32", 10, 15),
    "PIE": ("pie_32x32_10p", 10, 15),
    "ORL": ("orl_32x32", None, None),
}
FRLLS = ("FRLL-Q", "FRLL-D")
BASELINES = ("ReliefF", "SFisherScore", "FCBF", "mRMR-MID", "mRMR-MIQ")
METHODS = (*FRLLS, *BASELINES)
GLOBAL = "global neighbours"
READINGS = tuple(
    f"{method}, {reading}" for method in FRLLS for reading in ("min-max", GLOBAL)
)
SIZES = (
    *(5, 10, 15, 20, 30, 40, 50, 60, 80, 100),
    *(125, 150, 200, 300, 400, 600, 800, 1024),
)
COSTS = (0.01, 1.0, 100.0)
FIXED = COSTS.index(1.0)  # the cost that is not chosen on test rows


def by_relevance(X: Array, y: Array, seed: int) -> Array:
    """The order of FCBF's first step: symmetrical uncertainty with the class."""
    return np.argsort(-FCBF(threshold=0.0).fit(X, y).relevance_, kind="stable")


def rankers(readings: bool) -> dict[str, Any]:
    """All methods but SFisherScore, whose set depends on its size."""
    found = {
        "FRLL-Q": ranked(FRLL, scale=None),
        "FRLL-D": ranked(FRLL, criterion="difference", scale=None),
        "ReliefF": ranked(ReliefF, n_neighbors=5, scale=None),
        "FCBF": by_relevance,
        "mRMR-MID": ranked(MRMR, criterion="mid"),
        "mRMR-MIQ": ranked(MRMR, criterion="miq"),
        RANDOM: at_random,
    }
    criteria = {"FRLL-Q": "quotient", "FRLL-D": "difference"}
    for name, criterion in criteria.items() if readings else ():
        found[f"{name}, min-max"] = ranked(FRLL, criterion=criterion)
        found[f"{name}, {GLOBAL}"] = ranked(
            FRLL, criterion=criterion, neighbors="global", scale=None
        )
    return found


def orders(X: Array, y: Array, seed: int, readings: bool) -> dict[str, list[Array]]:
    """For each method the features, best first, for each size."""
    found = {
        name: [rank(X, y, seed)] * len(SIZES)
        for name, rank in rankers(readings).items()
    }
    found["SFisherScore"] = [ranked(TraceRatio, **_subset(k))(X, y, 0) for k in SIZES]
    return found


def _subset(k: int) -> dict[str, Any]:
    return {"n_features_to_select": k, "scale": None}


def by_neighbor(
    X: Array, y: Array, train: Array, test: Array, by_size: list[Array]
) -> Array:
    """Accuracy of 1-NN for each size."""
    judge, sizes = nearest_neighbor(None), np.array(SIZES)
    if by_size[0] is by_size[-1]:
        return judge(X, y, train, test, by_size[0], sizes)
    parts = [
        judge(X, y, train, test, order, np.array([k]))
        for order, k in zip(by_size, SIZES, strict=True)
    ]
    return np.concatenate(parts)


def by_machine(
    X: Array, y: Array, train: Array, test: Array, by_size: list[Array]
) -> Array:
    """Accuracy of a linear SVM for each cost and size."""
    found = np.empty((len(COSTS), len(SIZES)))
    for s, (order, k) in enumerate(zip(by_size, SIZES, strict=True)):
        Z = X[:, order[:k]] / 255.0
        inside, across = Z[train] @ Z[train].T, Z[test] @ Z[train].T
        for c, cost in enumerate(COSTS):
            machine = SVC(C=cost, kernel="precomputed").fit(inside, y[train])
            found[c, s] = np.mean(machine.predict(across) == y[test])
    return found
