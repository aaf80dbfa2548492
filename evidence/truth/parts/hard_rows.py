"""Flipped labels: how many of them are among the hardest rows, and is that known?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import grouped
from evidence.framework.verdicts import Verdict, promise
from widemargin.evaluation import hard_rows

TITLE = "Flipped labels among the hardest rows"
BUNDLED = {"wdbc": load_breast_cancer, "wine": load_wine}
TABLES = ("wine", "sonar", "ionosphere", "wdbc")
OVERLAP = "pima"  # where a surprising label is often right
RATE = 0.05  # of labels that are flipped, and of rows that are listed
SEEDS = 10
BASELINES = {
    "boosting": HistGradientBoostingClassifier,
    "forest": RandomForestClassifier,
}
SHARE = 2 / 3  # of the precision of boosting
HIGH = 0.1  # above the true precision, on average


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    for name in ("wine",) if quick else (*TABLES, OVERLAP):
        for seed in range(1 if quick else SEEDS):
            yield {"table": name, "seed": seed}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    X, y = _table(case["table"], data)
    n, C, seed = len(y), y.max() + 1, case["seed"]
    rng = np.random.default_rng(seed)
    size = max(1, round(RATE * n))
    flipped = rng.choice(n, size, replace=False)
    y = y.copy()
    y[flipped] = (y[flipped] + rng.integers(1, C, size)) % C
    folds = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y))
    found = hard_rows(X, y, cv=folds, n_rows=size, random_state=seed)
    listed = {"margins": found.rows[:size]}
    for name, model in BASELINES.items():
        p = cross_val_predict(
            model(random_state=seed), X, y, cv=folds, method="predict_proba"
        )
        listed[name] = np.argsort(p[np.arange(n), y], kind="stable")[:size]
    precision = {m: float(np.isin(r, flipped).mean()) for m, r in listed.items()}
    return {**precision, "stated": found.precision, "expected": found.expected / n}


def _table(name: str, data: Sets) -> tuple[Any, np.ndarray]:
    if name in BUNDLED:
        return BUNDLED[name](return_X_y=True)
    found = data(name)
    return found.data, np.unique(found.target, return_inverse=True)[1]


def _mean(rows: list[dict[str, Any]], column: str) -> float:
    return float(np.mean([row[column] for row in rows]))


def verdicts(rows: list[dict[str, Any]]) -> list[Verdict]:
    by_table = {name: some for (name,), some in grouped(rows, "table").items()}
    usual = [by_table[name] for name in TABLES if name in by_table]
    ratios = [_mean(some, "margins") / _mean(some, "boosting") for some in usual]
    off = [_mean(some, "stated") - _mean(some, "margins") for some in usual]
    return [
        promise(
            "precision on each table is at least two thirds of that of boosting",
            f"{100 * min(ratios):.0f} to {100 * max(ratios):.0f} % of it",
            min(ratios) >= SHARE,
        ),
        promise(
            f"the stated precision is at most {100 * HIGH:.0f} points too high",
            f"{100 * min(off):+.0f} to {100 * max(off):+.0f} points",
            max(off) <= HIGH,
        ),
    ]


def tables(rows: list[dict[str, Any]]) -> str:
    columns = ("margins", *BASELINES, "stated", "expected")
    lines = [
        [
            name,
            len(some),
            *(f"{_mean(some, c):.0%}".replace("%", " %") for c in columns),
        ]
        for (name,), some in grouped(rows, "table").items()
    ]
    head = [
        "table",
        "seeds",
        "margins",
        *BASELINES,
        "stated",
        "wrong labels, estimated",
    ]
    return (
        f"{100 * RATE:.0f} % of the labels were flipped at random. The first "
        "percentages are the shares of flipped rows among as many of the hardest "
        "rows, by `evaluation.hard_rows` and by the out-of-fold probability of the "
        "label in the same folds (confident learning). *Stated* is the precision "
        "that `hard_rows` estimates without knowing what was flipped. On the Pima "
        "data classes overlap everywhere: the estimates are too high there, as the "
        "guide says.\n\n"
    ) + table(head, lines)
