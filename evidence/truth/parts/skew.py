"""A skewed column that goes with the classes: is it found, and ranked first?"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import Rows, mean_of
from evidence.framework.verdicts import Verdict, promise
from widemargin import AutoSelector, ReliefF

TITLE = "A skewed feature"
ROWS, FEATURES, SIGMA, SHIFT = 200, 12, 2.0, 1.0
LARGEST_P = 3e-10
TABLES = 20


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    for seed in range(2 if quick else TABLES):
        yield {"seed": seed}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    rng = np.random.default_rng(case["seed"])
    p = 1.0
    while p > LARGEST_P:
        y = rng.integers(0, 2, ROWS)
        X = rng.standard_normal((ROWS, FEATURES))
        X[:, 0] = np.exp(SIGMA * (X[:, 0] + SHIFT * y))
        p = mannwhitneyu(X[y == 1, 0], X[y == 0, 0]).pvalue
    with warnings.catch_warnings(action="ignore"):
        auto = AutoSelector(random_state=case["seed"]).fit(X, y)
    order = np.argsort(-auto.scores_, kind="stable")
    return {
        "p": float(p),
        "q": float(auto.relevance_.q_values[0]),
        "relevant": bool(auto.relevance_.q_values[0] < 0.05),
        "rank": int(np.flatnonzero(order == 0)[0]) + 1,
        "kept": bool(auto.support_[0]),
        "relieff_rank": int(ReliefF().fit(X, y).ranking_[0]),
    }


def figures(rows: Rows) -> dict[str, Any]:
    """What the verdicts and the sentences are made of."""
    return {
        "tables": len(rows),
        "relevant": sum(row["relevant"] for row in rows),
        "first": sum(row["rank"] == 1 for row in rows),
        "kept": sum(row["kept"] for row in rows),
        "ranks": [row["rank"] for row in rows],
    }


def verdicts(rows: Rows) -> list[Verdict]:
    found, n = figures(rows), len(rows)
    return [
        promise(
            "relevant in every table",
            f"{found['relevant']} of {n}",
            found["relevant"] == n,
        ),
        promise(
            "first by consensus in every table",
            f"{found['first']} of {n} (last rank {max(found['ranks'])})",
            found["first"] == n,
        ),
    ]


def tables(rows: Rows) -> str:
    found = figures(rows)
    line = [
        len(rows),
        found["relevant"],
        found["first"],
        max(found["ranks"]),
        found["kept"],
        f"{mean_of(rows, 'relieff_rank'):.1f}",
    ]
    head = ["tables", "relevant", "first by consensus", "last rank", "kept"]
    return (
        f"{ROWS} × {FEATURES}: one lognormal column (σ = {SIGMA:g}) whose logarithm is "
        f"shifted by {SHIFT:g} sd, so that the test of Mann and Whitney has "
        f"p ≤ {LARGEST_P:g}; the others are normal noise.\n\n"
        + table([*head, "mean rank by `ReliefF()`, scaled to its range"], [line])
    )
