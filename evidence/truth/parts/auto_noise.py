"""Random labels: what is claimed for the features that were chosen.

The truth is one half.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import grouped, mean_of
from evidence.framework.verdicts import Verdict, promise
from evidence.truth.methods import selector
from widemargin import AutoSelector

TITLE = 'Random labels: the accuracy claimed by `"auto"` and by `AutoSelector`'
SHAPES = ((100, 50), (200, 2000), (60, 10_000))
METHODS = ("ReliefF", "Simba", "FisherScore")
BOUND = 0.08
AUTO_SELECTOR = "AutoSelector"
AUTO_SHAPES = ((100, 50), (60, 2000))
AUTO_BOUND = 0.02


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    for seed in range(20):
        for n, d in SHAPES[:1] if quick else SHAPES:
            for method in METHODS:
                yield {"rows": n, "features": d, "method": method, "seed": seed}
        for n, d in () if quick else AUTO_SHAPES:
            yield {"rows": n, "features": d, "method": AUTO_SELECTOR, "seed": seed}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    rng = np.random.default_rng(case["seed"])
    n, d = case["rows"], case["features"]
    X, y = rng.standard_normal((n, d)), rng.integers(0, 2, n)
    if case["method"] == AUTO_SELECTOR:
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            auto = AutoSelector(random_state=case["seed"], n_jobs=1).fit(X, y)
        return {"claim": auto.score_, "kept": auto.n_features_}
    fitted = selector(case["method"], n_features_to_select="auto").fit(X, y)
    claim = float(fitted.prefix_scores_[fitted.n_features_ - 1])
    return {"claim": claim, "kept": fitted.n_features_}


def verdicts(rows: list[dict[str, Any]]) -> list[Verdict]:
    told = []
    for mine, bound, who in (
        (False, BOUND, '`"auto"`'),
        (True, AUTO_BOUND, "`AutoSelector`"),
    ):
        some = [row for row in rows if (row["method"] == AUTO_SELECTOR) == mine]
        if not some:
            continue
        worst = max(
            (abs(mean_of(group, "claim") - 0.5), key)
            for key, group in grouped(some, "rows", "features", "method").items()
        )
        n, d, method = worst[1]
        told.append(
            promise(
                f"the accuracy claimed by {who} is within {bound} of the truth, .50, "
                "on average",
                f"largest deviation {worst[0]:.3f} ({method}, {n} × {d})",
                worst[0] <= bound,
            )
        )
    return told


def tables(rows: list[dict[str, Any]]) -> str:
    lines = [
        [
            f"{n} × {d}",
            method,
            len(some),
            f"{mean_of(some, 'claim'):.3f}",
            f"{np.std([row['claim'] for row in some], ddof=1):.3f}" if some[1:] else "",
            f"{np.median([row['kept'] for row in some]):g}",
        ]
        for (n, d, method), some in grouped(rows, "rows", "features", "method").items()
    ]
    head = [
        "table",
        "method",
        "seeds",
        "claimed accuracy, mean",
        "sd",
        "features kept, median",
    ]
    return (
        "Standard normal features and random binary labels. The claimed accuracy is "
        "`prefix_scores_` at the chosen size, or the `score_` of `AutoSelector`; the "
        "truth is .50.\n\n" + table(head, lines)
    )
