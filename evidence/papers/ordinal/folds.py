"""Trees with the best features in five folds, in the paper's protocol and honestly."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.tree import DecisionTreeClassifier

from evidence.papers.ordinal.methods import READINGS, selectors
from evidence.papers.splits import RANDOM, at_random
from widemargin.evaluation import RankingTree, rank_loss

Array = NDArray[Any]
MEASURES = ("error", "loss", "f")  # the lower, the lower, the higher the better
MANY_ROWS = 10_000  # from which the slowest methods take fewer steps, or are left out
CHOOSER = 6000, 3000  # rows to rank by and to choose by there
STEPS = 2000  # of Simba and O-Simba there; neighbours are sought among all rows
THREADS = 2
DIGITS = 4  # of the stored curves of single folds


def rankings(X: Array, y: Array, seed: int) -> dict[str, Array]:
    """Features, best first, by each method; without printed readings of many rows."""
    found = {}
    with warnings.catch_warnings():
        # Of small classes and weights that fall to 0, which show in the result.
        warnings.simplefilter("ignore", UserWarning)
        for name, selector in selectors(seed, "auto").items():
            if len(y) > MANY_ROWS:
                if name in READINGS:
                    continue
                if "Simba" in name:
                    steps = np.random.default_rng(seed).permutation(len(y))[:STEPS]
                    selector.set_params(order=steps)
            found[name] = np.argsort(selector.fit(X, y).ranking_, kind="stable")
    found[RANDOM] = at_random(X, y, seed)
    return found


class Judge:
    """Trees for sets of columns, each grown once."""

    def __init__(self, X: Array, y: Array, train: Array, test: Array) -> None:
        self.X, self.y, self.train, self.test = X, y, train, test
        self.known: dict[bytes, Array] = {}

    def curve(self, order: Array) -> Array:
        """Error, rank loss and F-measure (rows) for the best k features (columns)."""
        sets = [np.sort(order[: k + 1]) for k in range(len(order))]
        with ThreadPoolExecutor(THREADS) as threads:  # growing a tree releases the GIL
            return np.array([*threads.map(self._score, sets)]).T

    def _score(self, columns: Array) -> Array:
        key = columns.tobytes()
        if key not in self.known:
            Z, y, train, test = self.X[:, columns], self.y, self.train, self.test
            ranks = RankingTree().fit(Z[train], y[train]).predict(Z[test])
            entropy = DecisionTreeClassifier(criterion="entropy", random_state=0)
            classes = entropy.fit(Z[train], y[train]).predict(Z[test])
            self.known[key] = np.array(
                [
                    np.mean(ranks != y[test]),
                    rank_loss(y[test], ranks),
                    f1_score(y[test], classes, average="weighted", zero_division=0),
                ]
            )
        return self.known[key]


def five_folds(X: Array, y: Array, seed: int) -> dict[str, Any]:
    """One repeat of five folds, for all methods.

    Returns
    -------
    result : dict
        Curves by method: ``result[name]["paper"]`` is the mean over the folds with
        features ranked on all rows. For each fold, ``"test"`` is with features ranked
        on its training rows, and ``"chooser"`` with two thirds of these to rank and
        train, and the other third to judge by.
    """
    before = rankings(X, y, seed)
    found: dict[str, Any] = {
        name: {"paper": 0.0, "test": [], "chooser": []} for name in before
    }
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes of fewer than 5 rows
        pairs = list(folds.split(X, y))
    for train, test in pairs:
        judge = Judge(X, y, train, test)
        part, held = _inner(y[train], seed)
        chooser = Judge(X, y, train[part], train[held])
        orders = rankings(X[train], y[train], seed)
        inner = rankings(X[train[part]], y[train[part]], seed)
        for name, mine in found.items():
            mine["paper"] = mine["paper"] + judge.curve(before[name]) / 5
            mine["test"].append(judge.curve(orders[name]).round(DIGITS))
            mine["chooser"].append(chooser.curve(inner[name]).round(DIGITS))
    return found


def _inner(y: Array, seed: int) -> tuple[Array, Array]:
    """Two thirds of some rows to rank by, a third to choose by."""
    blank = np.zeros(len(y))
    if np.bincount(y).min() < 2:  # too few to stratify by
        rows = np.random.default_rng(seed).permutation(len(y))
        return np.sort(rows[len(y) // 3 :]), np.sort(rows[: len(y) // 3])
    sizes = CHOOSER if len(y) > MANY_ROWS else (None, 1 / 3)
    split = StratifiedShuffleSplit(
        1, train_size=sizes[0], test_size=sizes[1], random_state=seed
    )
    part, held = next(split.split(blank, y))
    return part, held
