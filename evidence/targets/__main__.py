"""What `docs/guides/survival.md` and `docs/guides/targets.md` say was measured.

    python -m evidence.targets cox       synthetic survival times: what is found
    python -m evidence.targets residuals  KernelRFE by three residuals of the null model
    python -m evidence.targets clinical  three clinical tables (needs scikit-survival)
    python -m evidence.targets labels    labels of which a row has several
    python -m evidence.targets numbers   several numbers to predict
    python -m evidence.targets noise     how often noise passes for a signal

Each takes some minutes, prints its figures and stores them in ``results/``. The
residual was chosen by tables of other seeds than these.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import f1_score, r2_score
from sklearn.model_selection import KFold, ShuffleSplit, train_test_split
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import StandardScaler

from widemargin import KernelRFE, MultiSURF, RReliefF
from widemargin.evaluation import concordance_index, relevance, signal

RESULTS = Path(__file__).parent / "results"
TABLES, FIRST_SEED = 10, 5000
Figures = dict[str, list[float]]
Array = NDArray[Any]


def survival_of(event: Array, time: Array) -> Array:
    """A structured array as scikit-survival has it."""
    y = np.empty(len(time), [("event", np.bool_), ("time", np.float64)])
    y["event"], y["time"] = event, time
    return y


def censored(time: Array, share: float, random: np.random.Generator) -> Array:
    """Exponential censoring of about that share of the rows."""
    unit, low, high = random.exponential(1, len(time)), 1e-6, 1e6
    for _ in range(100):
        middle = np.sqrt(low * high)
        low, high = (
            (middle, high) if np.mean(unit * middle < time) > share else (low, middle)
        )
    limit = unit * middle
    return survival_of(time <= limit, np.minimum(time, limit))


def cox() -> Figures:
    """5 of 200 features in a Cox model, half of the rows censored: hits in the top."""
    found: Figures = defaultdict(list)
    for seed in range(FIRST_SEED, FIRST_SEED + TABLES):
        for n in (250, 400):
            random = np.random.default_rng([seed, n])
            X = random.standard_normal((n, 200))
            risk = 0.7 * X[:, :5] @ [1, -1, 1, -1, 1]
            y = censored(random.exponential(np.exp(-risk)), 0.5, random)
            for method in (
                KernelRFE(task="survival"),
                RReliefF(task="survival"),
                RReliefF(n_neighbors=50, task="survival"),
            ):
                k = getattr(method, "n_neighbors", "")
                name = f"{type(method).__name__} {k}".strip()
                hits = np.sum(method.fit(X, y).ranking_[:5] <= 5)
                found[f"{name}, {n} rows"].append(float(hits))
    return found


def residuals() -> Figures:
    """KernelRFE by three residuals of the null model, 5 of 200 features, 400 rows."""
    found: Figures = defaultdict(list)
    for seed in range(6000, 6000 + 2 * TABLES):
        random = np.random.default_rng(seed)
        X = random.standard_normal((400, 200))
        risk = 0.7 * X[:, :5] @ [1, -1, 1, -1, 1]
        hazards = random.exponential(np.exp(-risk))
        odds = np.exp(random.logistic(0, 1, 400) - risk)
        for design, time in {"hazards": hazards, "odds": odds}.items():
            for share in (0.5, 0.8):
                y = censored(time, share, random)
                at_risk = 400 - np.argsort(np.argsort(y["time"]))
                order = np.argsort(y["time"])
                total = np.empty(400)  # the cumulative hazard (Nelson and Aalen)
                total[order] = np.cumsum((y["event"] / at_risk)[order])
                martingale = y["event"] - total
                log = np.log(np.where(y["event"], total, 1))
                deviance = np.sign(martingale) * np.sqrt(-2 * (martingale + log))
                ranker = KernelRFE(task="regression")
                for name, fitted in {
                    "martingale": ranker.fit(X, martingale).ranking_,
                    "deviance": ranker.fit(X, deviance).ranking_,
                    "probability scale": KernelRFE(task="survival").fit(X, y).ranking_,
                }.items():
                    where = f"proportional {design}, {share:.0%} censored: {name}"
                    found[where].append(float(np.sum(fitted[:5] <= 5)))
    return found


def clinical() -> Figures:
    """Concordance of Cox's model in 20 random thirds of three clinical tables."""
    import pandas as pd
    from sksurv import datasets

    found: Figures = defaultdict(list)
    for name in ("gbsg2", "whas500", "breast_cancer"):
        X, y = getattr(datasets, f"load_{name}")()
        X = pd.get_dummies(X, drop_first=True).astype(float)
        y = survival_of(*(y[field] for field in y.dtype.names))
        for split in range(20):
            train, test = train_test_split(
                np.arange(len(y)),
                test_size=1 / 3,
                random_state=split,
                stratify=y["event"],
            )
            scaler = StandardScaler().fit(X.iloc[train])
            parts = [scaler.transform(X.iloc[rows]) for rows in (train, test)]
            for title, fit in MODELS.items():
                risk, size = fit(parts[0], y[train], parts[1])
                found[f"{name}: {title}"].append(concordance_index(y[test], risk))
                found[f"{name}: {title}, features"].append(size)
    return found


def _ridge(X: Array, y: Array, Z: Array) -> Array:
    from sksurv.linear_model import CoxPHSurvivalAnalysis

    risk: Array = CoxPHSurvivalAnalysis(alpha=1.0).fit(X, y).predict(Z)
    return risk


def _selected(method: Any) -> Callable[[Array, Array, Array], tuple[Array, int]]:
    def fit(X: Array, y: Array, Z: Array) -> tuple[Array, int]:
        kept = method.fit(X, y).support_
        return _ridge(X[:, kept], y, Z[:, kept]), int(kept.sum())

    return fit


def _lasso(X: Array, y: Array, Z: Array) -> tuple[Array, int]:
    """Cox lasso with the penalty that is best in five folds."""
    from sksurv.linear_model import CoxnetSurvivalAnalysis

    def path(rows: Array, alphas: Array | None = None) -> Any:
        model = CoxnetSurvivalAnalysis(
            l1_ratio=1.0, alphas=alphas, alpha_min_ratio=0.02
        )
        return model.fit(X[rows], y[rows])

    alphas = path(np.arange(len(y))).alphas_
    scores = np.zeros(len(alphas))
    for rows, others in KFold(5, shuffle=True, random_state=0).split(X):
        model = path(rows, alphas)
        scores += [
            concordance_index(y[others], model.predict(X[others], alpha=a))
            for a in alphas
        ]
    model, best = path(np.arange(len(y)), alphas), int(np.argmax(scores))
    kept = np.count_nonzero(model.coef_[:, best])
    return model.predict(Z, alpha=alphas[best]), int(kept)


MODELS: dict[str, Any] = {
    "all features": lambda X, y, Z: (_ridge(X, y, Z), X.shape[1]),
    "KernelRFE auto": _selected(KernelRFE("auto", task="survival")),
    "KernelRFE 5": _selected(KernelRFE(5, task="survival")),
    "RReliefF 5": _selected(RReliefF(5, task="survival")),
    "Cox lasso": _lasso,
}


def labels() -> Figures:
    """14 labels, 4 in a row as in yeast, of 20 features, and 80 columns of noise."""

    def make(seed: int) -> tuple[Array, Array]:
        X, Y = make_multilabel_classification(
            600, 20, n_classes=14, n_labels=4, length=200, random_state=seed
        )
        noise = np.random.default_rng(seed).poisson(X.mean(), (600, 80))
        return np.hstack([X, noise]).astype(float), Y

    def judge(X: Array, Y: Array, Z: Array, T: Array) -> float:
        predicted = KNeighborsClassifier(5).fit(X, Y).predict(Z)
        return float(f1_score(T, predicted, average="macro", zero_division=0))

    methods = {
        "KernelRFE": KernelRFE(task="multilabel"),
        "RReliefF": RReliefF(task="multilabel"),
        "MultiSURF": MultiSURF(task="multilabel"),
        "forest importances": RandomForestClassifier(300, random_state=0, n_jobs=2),
    }
    return _against(make, methods, judge, 20, "macro F1")


def numbers() -> Figures:
    """Three targets of 6 among 100 features: sums, products and a distance."""

    def make(seed: int) -> tuple[Array, Array]:
        random = np.random.default_rng(seed)
        X = random.standard_normal((400, 100))
        signals = [
            X[:, 0] + X[:, 1],
            1.5 * X[:, 2] * X[:, 3],
            np.hypot(X[:, 4], X[:, 5]) * 2,
        ]
        return X, np.column_stack(signals) + random.standard_normal((400, 3))

    def judge(X: Array, Y: Array, Z: Array, T: Array) -> float:
        return float(r2_score(T, KNeighborsRegressor(5).fit(X, Y).predict(Z)))

    methods = {
        "KernelRFE": KernelRFE(task="regression"),
        "RReliefF": RReliefF(),
        "MultiSURF": MultiSURF(task="regression"),
        "forest importances": RandomForestRegressor(300, random_state=0, n_jobs=2),
    }
    return _against(make, methods, judge, 6, "R²")


def _against(
    make: Callable[[int], tuple[Array, Array]],
    methods: dict[str, Any],
    judge: Callable[..., float],
    k: int,
    score: str,
) -> Figures:
    """Hits in the top k, and the score of 5-NN with them on rows that were left out."""
    found: Figures = defaultdict(list)
    for seed in range(FIRST_SEED, FIRST_SEED + TABLES):
        X, Y = make(seed)
        ((train, test),) = ShuffleSplit(1, test_size=1 / 3, random_state=0).split(X)
        scaler = StandardScaler().fit(X[train])
        Z = scaler.transform(X)
        for name, method in methods.items():
            worth = method.fit(Z[train], Y[train]).feature_importances_
            top = np.argsort(-worth, kind="stable")[:k]
            if hasattr(method, "ranking_"):
                top = np.argsort(method.ranking_)[:k]
            found[f"{name}: hits"].append(float(np.sum(top < k)))
            figure = judge(Z[train][:, top], Y[train], Z[test][:, top], Y[test])
            found[f"{name}: {score}"].append(figure)
        figure = judge(Z[train], Y[train], Z[test], Y[test])
        found[f"all features: {score}"].append(figure)
    return found


def noise() -> Figures:
    """Share of 100 tables of noise with p ≤ 0.05, and of features with p ≤ 0.05."""
    found: Figures = defaultdict(list)
    for seed in range(FIRST_SEED, FIRST_SEED + 10 * TABLES):
        random = np.random.default_rng(seed)
        X = random.standard_normal((150, 20))
        y = censored(random.exponential(1, 150), 0.5, random)
        Y = random.standard_normal((150, 2)) @ [[1, 0.5], [0, 1]]
        for task, target in (
            ("survival", y),
            ("regression", Y),
            ("multilabel", (Y > 0.5).astype(int)),
        ):
            options = {"task": task, "random_state": seed, "n_jobs": 1}
            p = signal(X, target, n_permutations=199, **options).p_value
            found[f"{task}: signal"].append(float(p <= 0.05))
            p_values = relevance(X, target, **options).p_values
            found[f"{task}: features"].append(float(np.mean(p_values <= 0.05)))
    return found


PARTS = {
    part.__name__: part for part in (cox, residuals, clinical, labels, numbers, noise)
}


def main() -> None:
    """Do the parts that are named, or all."""
    RESULTS.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PARTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = PARTS[name]()
        for title, values in found.items():
            shown = np.round(values, 3).tolist()
            print(f"{name}  {title}: {np.mean(values):.3f}  {shown}")
        rounded = {
            title: np.round(values, 4).tolist() for title, values in found.items()
        }
        text = json.dumps(rounded, indent=1, ensure_ascii=False)
        (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
