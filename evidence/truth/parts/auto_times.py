"""How long "auto" takes, in fits of the same method."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.verdicts import Verdict, promise
from evidence.truth.methods import selector
from widemargin.judging.auto import FEW_ROWS

TITLE = 'Time of `n_features_to_select="auto"`'
SHAPES = ((100, 200), (500, 100), (200, 2000), (2000, 100), (60, 10_000), (1000, 1000))
METHODS = ("Relief", "ReliefF", "Simba", "LMBA", "FisherScore")
BOUNDS = {"Relief": 6, "ReliefF": 6}
ROUNDS = 3


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    for n, d in SHAPES[:2] if quick else SHAPES:
        for method in METHODS[1:2] if quick else METHODS:
            yield {"rows": n, "features": d, "method": method}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((case["rows"], case["features"]))
    y = (X[:, :5].sum(axis=1) > 0).astype(int)
    plain = selector(case["method"], n_features_to_select=10)
    auto = selector(case["method"], n_features_to_select="auto")
    for model in (plain, auto):  # compiles
        model.fit(X, y)
    times = np.array([[_time(plain, X, y), _time(auto, X, y)] for _ in range(ROUNDS)])
    return {
        "fit": float(np.median(times[:, 0])),
        "auto": float(np.median(times[:, 1])),
        "ratio": float(np.median(times[:, 1] / times[:, 0])),
    }


def _time(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def verdicts(rows: list[dict[str, Any]]) -> list[Verdict]:
    found = []
    for bound, words in ((14, "fits"), (6, "fits, for Relief and ReliefF")):
        mine = [row for row in rows if BOUNDS.get(row["method"], 14) == bound]
        if not mine:
            continue
        worst = max(mine, key=lambda row: row["ratio"])
        found.append(
            promise(
                f"takes as long as at most {bound} {words}",
                f"at most {worst['ratio']:.1f} ({worst['method']}, "
                f"{worst['rows']} × {worst['features']})",
                worst["ratio"] <= bound,
            )
        )
    return found


def tables(rows: list[dict[str, Any]]) -> str:
    lines = [
        [
            f"{row['rows']} × {row['features']}",
            row["method"],
            f"{row['fit']:.4f}",
            f"{row['auto']:.4f}",
            f"{row['ratio']:.1f}",
        ]
        for row in rows
    ]
    head = ["table", "method", "fit, s", '`"auto"`, s', "ratio"]
    return (
        f"Processor time, medians of {ROUNDS} alternating pairs, on a machine that was "
        "also doing other work, so read the ratios. Ten folds are ten fits, or a "
        f"single search for Relief and ReliefF. With up to {FEW_ROWS} rows there are "
        "ten more fits, each without two fifths of the rows, to correct for optimism; "
        "small tables also pay the overhead of a fit many times. With many rows, "
        "evaluation dominates: 1-NN with every number of features visits all pairs of "
        "rows for every feature, and cannot use matrix products as the search of a "
        "fit does.\n\n" + table(head, lines)
    )
