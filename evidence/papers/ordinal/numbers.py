"""What the trees found, set by set, in the paper's protocol and honestly."""

from __future__ import annotations

from typing import Any

import numpy as np

from evidence.framework.results import Results
from evidence.papers.ordinal.folds import MEASURES, Array
from evidence.papers.splits import RANDOM

SETS = {
    "Housing": "boston_housing_4cls",
    "Pasture": "pasture",
    "Cpu": "cpu_performance_4cls",
    "Bankruptcy risk": "bankruptcy_risk",
    "Australian credit": "australian",
    "Japan credit": "japan_credit_crx",
    "German credit": "german_numeric",
    "Wine quality": "wine_quality_red",
    "Adult": "adult",
    "Wdbc": "wdbc",
}
WHERE = {  # tables of each measure, for ReliefF and for Simba
    "error": ("Table 2", "Table 3"),
    "loss": ("Table 5", "Table 6"),
    "f": ("Table 7", "Table 8"),
}
NAMES = {"error": "classification error", "loss": "rank loss", "f": "F-measure"}
ALL = "all features"


def known_sets(results: Results) -> list[str]:
    """Those that there are results of, in the order of the paper."""
    return [name for name in SETS if results.has(data=name)]


def curve_of(results: Results, name: str, method: str, what: str) -> Array:
    """Mean curves over repeats and folds: error, loss, F by number of features."""
    curves = [row["methods"][method][what] for row in results.where(data=name)]
    whole = np.array(curves)
    return whole.reshape(-1, *whole.shape[-2:]).mean(axis=0)


def best_k(curves: Array, measure: str) -> int:
    """Place of the k that a measure chooses: by its own tree, F or error of it."""
    return int(np.argmax(curves[2]) if measure == "f" else np.argmin(curves[0]))


def papers_choice(
    results: Results, name: str, method: str, measure: str
) -> tuple[int, float]:
    """The k that is best in the test folds, and what it gives."""
    place = MEASURES.index(measure)
    if method == ALL:
        curve = curve_of(results, name, RANDOM, "paper")
        return curve.shape[1], float(curve[place, -1])
    curve = curve_of(results, name, method, "paper")
    k = best_k(curve, measure)
    return k + 1, float(curve[place, k])


def honest_folds(
    results: Results, name: str, method: str, measure: str
) -> tuple[list[int], Array]:
    """Of each fold: the k that its chooser likes best, and what it gives."""
    place, sizes, found = MEASURES.index(measure), [], []
    for row in results.where(data=name):
        mine = row["methods"][RANDOM if method == ALL else method]
        for test, chooser in zip(mine["test"], mine["chooser"], strict=True):
            k = -1 if method == ALL else best_k(np.array(chooser), measure)
            sizes.append(k % len(test[0]) + 1)
            found.append(test[place][k])
    return sizes, np.array(found)


def honest_of(results: Results, name: str, method: str, measure: str) -> float:
    """Mean of these folds."""
    return float(honest_folds(results, name, method, measure)[1].mean())


def gain(measure: str, first: Any, second: Any) -> Any:
    """By how much the first is better."""
    return first - second if measure == "f" else second - first
