"""The same rows in another order: do curves and recommendations stay the same?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_wine

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import grouped
from evidence.framework.verdicts import Verdict, promise
from evidence.truth.methods import selector
from widemargin import evaluation

TITLE = "The order of the rows"
ORDERS = 5
WHAT = ("prefix_scores_", "selection_curve", "compare")


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    for name in ("ties",) if quick else ("ties", "japan_credit_crx"):
        for what in WHAT:
            for order in range(2 if quick else ORDERS):
                yield {"table": name, "what": what, "order": order}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    X, y = _table(case["table"], data)
    rows = np.random.default_rng(case["order"]).permutation(len(y))
    if case["order"] == 0:
        rows = np.arange(len(y))
    X, y = (X.iloc[rows] if hasattr(X, "iloc") else X[rows]), y[rows]
    if case["what"] == "prefix_scores_":
        fitted = selector("ReliefF", n_features_to_select="auto").fit(X, y)
        return {"curve": fitted.prefix_scores_.tolist()}
    if case["what"] == "selection_curve":
        methods = [selector("ReliefF")]
        return _curve(evaluation.selection_curve(methods, X, y, random_state=0))
    found = evaluation.compare(X, y, [selector("ReliefF")], random_state=0)
    return _curve(found.curve)


def _curve(curve: Any) -> dict[str, Any]:
    return {"curve": curve.frame.groupby("n_features")["score"].mean().tolist()}


def _table(name: str, data: Sets) -> tuple[Any, np.ndarray]:
    if name == "ties":  # a wine's measurements, rounded until most rows are tied
        wine = load_wine()
        X = np.round(wine.data / wine.data.std(axis=0))
        return X, wine.target
    found = data(name, as_frame=True)
    return found.data, found.target.to_numpy()


def _spread(rows: list[dict[str, Any]]) -> float:
    """The largest difference of a point of the curve between two orders."""
    curves = np.array([row["curve"] for row in rows])
    return float(np.ptp(curves, axis=0).max())


def verdicts(rows: list[dict[str, Any]]) -> list[Verdict]:
    worst = max(_spread(some) for some in grouped(rows, "table", "what").values())
    return [
        promise(
            "curves are the same for every order of the rows",
            f"largest difference {worst:.3g}",
            worst < 1e-9,
        )
    ]


def tables(rows: list[dict[str, Any]]) -> str:
    lines = [
        [
            name,
            f"`{what}`",
            len(some),
            f"{_spread(some):.3g}",
            " ".join(f"{value:.3f}" for value in some[0]["curve"][:5]),
        ]
        for (name, what), some in grouped(rows, "table", "what").items()
    ]
    head = ["table", "curve", "orders", "largest difference", "first values"]
    return (
        "ReliefF with shuffled rows, on credit data (mixed, with missing values, and "
        "most rows tied in any single column) and on the wine data rounded to whole "
        "standard deviations (`ties`).\n\n" + table(head, lines)
    )
