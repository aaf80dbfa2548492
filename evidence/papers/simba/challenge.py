"""Section 5.3: G-flip on two data sets of the NIPS 2003 challenge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evidence.data import Sets
from evidence.framework.results import Results
from evidence.framework.running import Missing
from evidence.framework.store import Case, Result
from evidence.framework.verdicts import Verdict, judged
from evidence.papers.frame import Claim, Experiment, Table
from widemargin import GFlip

SCALES: dict[str, Literal["minmax"] | None] = {"unscaled": None, "minmax": "minmax"}
# What the classifier may choose from, in folds of the training rows.
GRID = {"svc__C": [1.0, 10.0, 100.0], "svc__gamma": [0.03, 0.1, 0.3]}
MADELON_SIZE, MADELON_ERROR = 18, 7.61
ARCENE_SIZE, ARCENE_ERROR = 76, 12.66
WHOLE = {"madelon": "2600", "arcene": "200"}  # rows with labels
CHANGED = "2026-11-18: all rows with labels count, too, as the authors had them"

FIFTH, POINTS, MINOR = 0.2, 2.0, 5.0  # how near counts as near, and as minor
# A local search ends elsewhere from another order of the features: hence a fifth.
NEAR_SIZE = "the mean is within a fifth of the published number in one reading"
NEAR_ERROR = (
    f"the mean is at most {POINTS:g} points above the published error in one reading"
)

Array = NDArray[Any]


class Challenge(Experiment):
    """MADELON and ARCENE: how many features G-flip keeps, and their error."""

    key = "challenge"
    covers = ("Section 5.3",)
    title = "MADELON and ARCENE"
    how = (
        "G-flip is run on the official training rows, the error measured on the "
        "official validation rows, since the challenge's test labels are not public. "
        "The authors had the labels of the validation rows as well, 2600 and 200 rows "
        "in all: with these, the numbers of features are counted. ARCENE is converted "
        "by PCA first, as in the paper, fitted to the training rows, or to all 200 "
        "rows without their labels. The paper does not say whether it scaled features: "
        "both readings are run. The error is the balanced one of an RBF-SVM on "
        "standardised features, C and gamma chosen in five folds of the training rows, "
        "and of 1-NN. Controls: as many features at random, and all features with "
        "1-NN."
    )

    def cases(self, quick: bool) -> Sequence[Case]:
        """Sets, reading and order of the features."""
        seeds = range(1 if quick else 5)
        sets = [("madelon", ""), ("arcene", "train"), ("arcene", "all")]
        judged = [
            {"data": name, "pca": pca, "scale": scale, "seed": seed, "quick": quick}
            for seed in seeds
            for name, pca in (sets[:2] if quick else sets)
            for scale in (["unscaled"] if quick else SCALES)
        ]
        whole = [
            {"whole": name, "scale": scale, "seed": seed}
            for seed in (() if quick else seeds)
            for name in WHOLE
            for scale in SCALES
        ]
        return judged + whole

    def measure(self, case: Case, data: Sets) -> Result:
        """Select, then classify, unless all rows are there to select by."""
        if "whole" in case:
            return self._size(case, data(case["whole"]))
        bunch = data(case["data"])
        X, y = np.asarray(bunch.data, float), np.asarray(bunch.target)
        if bunch.split is None:
            raise Missing(
                f"{case['data']} from {bunch.source} has its rows in another order, so "
                f"that the official training rows are not known; put "
                f"{case['data']}.npz with an array split into the data folder."
            )
        train, test = bunch.split == 0, bunch.split == 1
        if case["quick"]:
            train = np.flatnonzero(train)[:300]
        if case["pca"]:
            X = _components(X, train, case["pca"])
        gflip = GFlip(scale=SCALES[case["scale"]], random_state=case["seed"])
        gflip.fit(X[train], y[train])
        kept = gflip.get_support(indices=True)
        random = np.random.default_rng(case["seed"])
        control = random.permutation(X.shape[1])[: len(kept)]
        found: Result = {
            "n_features": len(kept),
            "epochs": gflip.n_epochs_,
            "features": kept[:100],
        }
        found["all"] = {"1-NN": _nearest_error(X[train], y[train], X[test], y[test])}
        for name, columns in {"gflip": kept, "random": control}.items():
            part = X[train][:, columns], y[train], X[test][:, columns], y[test]
            found[name] = {"svm": _svm_error(*part), "1-NN": _nearest_error(*part)}
        return found

    def _size(self, case: Case, bunch: Any) -> Result:
        """How many features of all rows with labels are kept."""
        X, y = np.asarray(bunch.data, float), np.asarray(bunch.target)
        if case["whole"] == "arcene":
            X = _components(X, np.arange(len(X)), "all")
        gflip = GFlip(scale=SCALES[case["scale"]], random_state=case["seed"]).fit(X, y)
        size = int(gflip.get_support().sum())
        return {"n_features": size, "epochs": gflip.n_epochs_, "rows": len(X)}

    def claims(self) -> Sequence[Claim]:
        """The numbers of section 5.3."""
        where = "Section 5.3"
        return [
            Claim(
                where,
                "MADELON: G-flip keeps few of the 500 features.",
                f"{MADELON_SIZE} features",
                _size("madelon", MADELON_SIZE),
                NEAR_SIZE,
                changed=CHANGED,
            ),
            Claim(
                where,
                "MADELON: balanced error of the SVM with these features.",
                f"{MADELON_ERROR} % (hidden test rows)",
                _error("madelon", MADELON_ERROR),
                NEAR_ERROR,
            ),
            Claim(
                where,
                "ARCENE: features that G-flip keeps after PCA.",
                f"{ARCENE_SIZE} features",
                _size("arcene", ARCENE_SIZE),
                NEAR_SIZE,
                changed=CHANGED,
            ),
            Claim(
                where,
                "ARCENE: balanced error of the SVM with these features.",
                f"{ARCENE_ERROR} % (hidden test rows)",
                _error("arcene", ARCENE_ERROR),
                NEAR_ERROR,
            ),
            Claim(
                where,
                "The SVM is better than 1-NN, but the differences are minor.",
                "",
                _svm_against_nearest,
                "on both sets, unscaled, ARCENE with PCA of all rows, the SVM's mean "
                f"error is lower than that of 1-NN, by at most {MINOR:g} points",
            ),
            Claim(
                "Section 3.1",
                "G-flip converges in less than 20 epochs, mostly in less than 10.",
                "< 20 epochs",
                _epochs,
                "no run takes 20 epochs or more, and more than half take less than 10",
            ),
        ]

    def tables(self, results: Results) -> Sequence[Table]:
        """All readings."""
        rows = []
        for name, pca in (("madelon", ""), ("arcene", "train"), ("arcene", "all")):
            for scale in SCALES:
                if not results.has(data=name, pca=pca, scale=scale):
                    continue
                part = results.where(data=name, pca=pca, scale=scale)
                errors = [
                    _spread(_errors(part, which, judge))
                    for which in ("gflip", "random", "all")
                    for judge in ("svm", "1-NN")
                    if judge in part.rows[0][which]
                ]
                label = f"{name.upper()}, PCA of {pca} rows" if pca else name.upper()
                sizes = _range(part.values("n_features"))
                epochs = _range(part.values("epochs"))
                rows.append([label, scale, len(part), sizes, epochs, *errors])
        header = ["data", "scale", "runs", "features", "epochs"]
        header += ["SVM", "1-NN", "random: SVM", "1-NN", "all: 1-NN"]
        note = (
            "Balanced error on the validation rows in percent, mean ± sd of the runs."
        )
        return [Table("All readings", header, rows, note)]


def _components(X: Array, train: Any, which: str) -> Array:
    """Principal components of the training rows, or of all rows."""
    rows = X[train] if which == "train" else X
    pca = PCA(len(rows) - 1, svd_solver="full").fit(rows)
    return pca.transform(X)


def _svm_error(X: Array, y: Array, X_test: Array, y_test: Array) -> float:
    if not X.shape[1]:
        return 0.5
    svm = make_pipeline(StandardScaler(), SVC())
    grid = dict(GRID)
    # Distances grow with the number of features, and so should the kernel's width.
    grid["svc__gamma"] = [g / np.sqrt(X.shape[1] / 18) for g in grid["svc__gamma"]]
    search = GridSearchCV(svm, grid, scoring="balanced_accuracy", cv=5, n_jobs=1)
    return 1 - balanced_accuracy_score(y_test, search.fit(X, y).predict(X_test))


def _nearest_error(X: Array, y: Array, X_test: Array, y_test: Array) -> float:
    if not X.shape[1]:
        return 0.5
    nearest = KNeighborsClassifier(1).fit(X, y)
    return 1 - balanced_accuracy_score(y_test, nearest.predict(X_test))


def _errors(results: Results, which: str, judge: str) -> Array:
    return 100 * np.array([row[which][judge] for row in results])


def _spread(values: Any) -> str:
    return f"{np.mean(values):.1f} ± {np.std(values):.1f}"


def _range(values: Sequence[int]) -> str:
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


def _readings(results: Results, name: str) -> dict[str, Results]:
    """Runs by scale, and by the rows that PCA is fitted to."""
    found = {
        f"{scale}, PCA of {pca} rows" if pca else scale: results.where(
            data=name, pca=pca, scale=scale
        )
        for pca in ("", "train", "all")
        for scale in SCALES
        if results.has(data=name, pca=pca, scale=scale)
    }
    return found or {"": results.where(data=name)}


def _size(name: str, published: int) -> Callable[[Results], Verdict]:
    def judge(results: Results) -> Verdict:
        readings = _readings(results, name)
        sizes = {s: part.values("n_features") for s, part in readings.items()}
        for scale in SCALES:
            if results.has(whole=name, scale=scale):
                part = results.where(whole=name, scale=scale)
                sizes[f"{scale}, all {WHOLE[name]} rows"] = part.values("n_features")
        ours = "; ".join(f"{_range(v)} ({s})" for s, v in sizes.items())
        ours += f"; {len(next(iter(sizes.values())))} runs each"
        near = any(abs(np.mean(v) / published - 1) <= FIFTH for v in sizes.values())
        return judged(bool(near), ours)

    return judge


def _error(name: str, published: float) -> Callable[[Results], Verdict]:
    def judge(results: Results) -> Verdict:
        texts, near = [], False
        for reading, part in _readings(results, name).items():
            svm, control = (_errors(part, w, "svm") for w in ("gflip", "random"))
            near |= bool(svm.mean() <= published + POINTS)
            texts.append(f"{_spread(svm)}, {_spread(control)} ({reading})")
        texts[0] = f"In %, and as many random features: {texts[0]}"
        why = "On the validation rows"
        return judged(near, "; ".join(texts), why)

    return judge


def _svm_against_nearest(results: Results) -> Verdict:
    texts, gaps = [], {}
    for name, pca in (("madelon", ""), ("arcene", "all"), ("arcene", "train")):
        part = results.where(data=name, pca=pca, scale="unscaled")
        svm, nearest = (_errors(part, "gflip", judge) for judge in ("svm", "1-NN"))
        gaps[pca] = float(np.mean(nearest - svm))
        label = f"{name.upper()}, PCA of {pca} rows" if pca else name.upper()
        texts.append(f"{label}: SVM {_spread(svm)} %, 1-NN {_spread(nearest)} %")
    holds = all(0 <= gaps[pca] <= MINOR for pca in ("", "all"))
    return judged(holds, "; ".join(texts))


def _epochs(results: Results) -> Verdict:
    epochs = np.array(results.values("epochs"))
    if not len(epochs):
        results.where(data="madelon")  # says what is missing
    ours = f"{_range([*map(int, epochs)])} epochs in {len(epochs)} runs"
    return judged(bool(epochs.max() < 20 and np.mean(epochs < 10) > 0.5), ours)
