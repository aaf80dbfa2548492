"""Figure 1: faces, recognised with the best pixels by 1-NN and a linear SVM."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from evidence.data import Sets
from evidence.framework.results import Results
from evidence.framework.store import Case, Result
from evidence.papers.drawing import Figure, Lines, Series
from evidence.papers.frame import Claim, Experiment, Table
from evidence.papers.frll.methods import (
    BASELINES,
    FRLLS,
    METHODS,
    READINGS,
    SETS,
    SIZES,
    Array,
    by_machine,
    by_neighbor,
    orders,
)
from evidence.papers.frll.numbers import (
    curves,
    honest_machine,
    honest_of,
    known_sets,
    mean_of,
)
from evidence.papers.frll.verdicts import TABLE_1, claims
from evidence.papers.splits import RANDOM, SHORT, Paired, mean_sd

SVM_SEEDS = 3
JUDGES = {"nn": "1-NN", "svm": "linear SVM"}


class Faces(Experiment):
    """Accuracy against the number of pixels."""

    key = "faces"
    covers = ("Table 1", "Figure 1")
    title = "Faces"
    how = (
        "Yale as it is; of YaleB and PIE ten people with 15 random images each, drawn "
        "anew for each of ten repeats; ORL, which the paper does not have, as it is, "
        f"{SVM_SEEDS} times. "
        "Five stratified folds per repeat; features are ranked on the training rows. "
        "Pixels are not scaled, being commensurable; FRLL and ReliefF take five "
        "neighbours. SFisherScore is the best set of each size by the trace ratio, not "
        "a prefix of one ranking, FCBF the order of its first step, as the paper says. "
        "Two other readings of FRLL are shown: features scaled by their range, and "
        "neighbours among all rows in place of those of one class. The cost of "
        "the SVM is the best of 0.01, 1 and 100 on the test folds, as in the paper, "
        f"and, as an honest choice, 1; it is run for {SVM_SEEDS} of the repeats. The "
        "honest number of features is chosen on a quarter of the training rows. The "
        "control is a random ranking."
    )

    def cases(self, quick: bool) -> Sequence[Case]:
        """One repeat of five folds of one set each."""
        if quick:
            return [{"data": "Yale", "seed": 0, "svm": True, "folds": 1}]
        return [
            {"data": name, "seed": seed, "svm": seed < SVM_SEEDS, "folds": 5}
            for seed in range(10)
            for name in SETS
            if name in TABLE_1 or seed < SVM_SEEDS
        ]

    def measure(self, case: Case, data: Sets) -> Result:
        """Five folds with all methods."""
        X, y = sample(case["data"], case["seed"], data)
        folds = StratifiedKFold(5, shuffle=True, random_state=case["seed"])
        found: dict[str, Any] = {}
        for fold, (train, test) in enumerate(folds.split(X, y)):
            if fold == case["folds"]:
                break
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of small classes
                self._fold(X, y, train, test, case, found)
        return {"shape": [X.shape[1], len(X), len(np.unique(y))], "methods": found}

    def _fold(
        self,
        X: Array,
        y: Array,
        train: Array,
        test: Array,
        case: Case,
        found: dict[str, Any],
    ) -> None:
        seed = case["seed"]
        inner = StratifiedShuffleSplit(1, test_size=0.25, random_state=seed)
        part, held = next(inner.split(X[train], y[train]))
        ranks = orders(X[train], y[train], seed, readings=True)
        before = orders(X[train[part]], y[train[part]], seed, readings=True)
        for name, by_size in ranks.items():
            mine = found.setdefault(name, {"nn": [], "honest": [], "svm": []})
            curve = by_neighbor(X, y, train, test, by_size)
            chosen = by_neighbor(X, y, train[part], train[held], before[name])
            mine["nn"].append(curve)
            mine["honest"].append(float(curve[int(np.argmax(chosen))]))
            if case["svm"] and name not in READINGS:
                mine["svm"].append(by_machine(X, y, train, test, by_size))

    def claims(self) -> Sequence[Claim]:
        """What the text says of figure 1."""
        return claims()

    def tables(self, results: Results) -> Sequence[Table]:
        """Means of the curves, best and honest sizes, paired differences."""
        return [_means(results), _sizes(results), _differences(results)]

    def figures(self, results: Results) -> Sequence[Figure]:
        """Figure 1, a panel per set and classifier."""
        panels = []
        for name in SETS:
            if not results.has(data=name):
                continue
            for judge, label in JUDGES.items():
                series = [
                    Series(
                        method,
                        SIZES,
                        _percent(curves(results, name, method, judge)),
                        control=method == RANDOM,
                    )
                    for method in (*METHODS, RANDOM)
                ]
                title = f"{name}, {label}"
                panels.append(
                    Lines(series, "features", "accuracy (%)", title, log_x=True)
                )
        caption = (
            "Figure 1: mean accuracy against the number of features (1-NN: "
            f"{len(results.where(data='Yale'))} times five folds; SVM with the best "
            "cost on the test folds, as in the paper)."
        )
        return [Figure("figure-1", caption, panels)]


def sample(name: str, seed: int, data: Sets) -> tuple[Array, Array]:
    """The images of a repeat."""
    file, classes, images = SETS[name]
    bunch = data(file)
    X, y = np.asarray(bunch.data, float), np.asarray(bunch.target)
    if classes is None or images is None:
        return X, y
    rng = np.random.default_rng(seed)
    people = rng.choice(np.unique(y), classes, replace=False)
    rows = [rng.choice(np.flatnonzero(y == p), images, replace=False) for p in people]
    kept = np.sort(np.concatenate(rows))
    return X[kept], y[kept]


def _percent(found: Array) -> list[float]:
    """The mean curve, in percent."""
    mean: list[float] = (100 * found.mean(axis=0)).tolist()
    return mean


def _means(results: Results) -> Table:
    rows = []
    for name in known_sets(results):
        for method in (*METHODS, *READINGS, RANDOM):
            row = [name, method, mean_sd(mean_of(results, name, method))]
            if method in READINGS:
                row += ["", ""]
            else:
                fixed = honest_machine(results, name, method)
                row += [mean_sd(mean_of(results, name, method, "svm")), mean_sd(fixed)]
            rows.append(row)
    header = ["set", "method", "1-NN", "SVM, best cost (paper's)", "SVM, cost 1"]
    note = (
        f"Accuracy in percent, mean over the {len(SIZES)} sizes, ± standard deviation "
        "over the folds."
    )
    return Table("Means of the curves", header, rows, note)


def _sizes(results: Results) -> Table:
    rows = []
    for name in known_sets(results):
        for method in (*METHODS, RANDOM):
            mean = curves(results, name, method).mean(axis=0)
            best = int(np.argmax(mean))
            rows.append(
                [
                    name,
                    method,
                    str(SIZES[best]),
                    f"{100 * mean[best]:.1f}",
                    mean_sd(honest_of(results, name, method)),
                    f"{100 * mean[-1]:.1f}",
                ]
            )
    header = ["set", "method", "best k", "best (paper's)", "honest k", "all features"]
    note = (
        "1-NN. The best k is that of the mean curve, chosen on the test rows; the "
        "honest one is chosen on a quarter of the training rows."
    )
    return Table("Highest points", header, rows, note)


def _differences(results: Results) -> Table:
    rows = []
    for name in known_sets(results):
        for rival in (*BASELINES, RANDOM):
            theirs = mean_of(results, name, rival)
            pairs = [Paired.of(mean_of(results, name, m), theirs) for m in FRLLS]
            rows.append([name, rival, *(pair.short for pair in pairs)])
    header = ["set", "against", *FRLLS]
    note = f"1-NN, means of the curves, fold by fold: {SHORT}."
    return Table("Paired differences", header, rows, note)
