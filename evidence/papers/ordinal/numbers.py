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
    """Mean curves over the repeats: error, loss, F by number of features."""
    mine = results.where(data=name)
    return np.mean([row["methods"][method][what] for row in mine], axis=0)


def papers_choice(results: Results, name: str, method: str) -> tuple[int, Array]:
    """The k of the least error in the test folds, and what it gives."""
    if method == ALL:
        curve = curve_of(results, name, RANDOM, "paper")
        return curve.shape[1], curve[:, -1]
    curve = curve_of(results, name, method, "paper")
    k = int(np.argmin(curve[0]))
    return k + 1, curve[:, k]


def honest_of(results: Results, name: str, method: str, measure: str) -> Array:
    """Of each repeat: the mean over its five folds."""
    place, mine = MEASURES.index(measure), results.where(data=name)
    if method == ALL:
        return np.array([r["methods"][RANDOM]["paper"][place][-1] for r in mine])
    return np.array(
        [np.mean([f[place] for f in r["methods"][method]["honest"]]) for r in mine]
    )


def gain(measure: str, first: Any, second: Any) -> Any:
    """By how much the first is better."""
    return first - second if measure == "f" else second - first
