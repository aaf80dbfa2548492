"""Stability: how often the interval covers an index that is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import brentq

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import grouped, mean_of
from evidence.framework.verdicts import Verdict, promise
from widemargin.evaluation import stability

TITLE = "Confidence intervals for stability"
KINDS = ("each feature by itself", "seldom, all at once")
REPEATS = 300


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    """Populations of selections, and how many of them are drawn."""
    for d in (20,) if quick else (20, 100, 1000):
        for index in (0.9,) if quick else (0.3, 0.6, 0.9, 0.98):
            for sets in (20,) if quick else (20, 50, 100):
                for kind in KINDS:
                    yield {"kind": kind, "features": d, "index": index, "sets": sets}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    """How many of the intervals cover, and how wide they are."""
    rng, d, index = np.random.default_rng(0), case["features"], case["index"]
    inside, outside = _shares(d, index)
    found = [
        stability(_draw(case["kind"], rng, d, case["sets"], inside, outside))
        for _ in range(REPEATS if d < 1000 else REPEATS // 3)
    ]
    covered = [f.low <= index <= f.high for f in found]
    return {
        "covered": float(np.mean(covered)),
        "width": float(np.mean([f.high - f.low for f in found])),
    }


def _shares(d: int, index: float) -> tuple[float, float]:
    """How often the right tenth of the features is selected, and each other one."""
    k = max(2, d // 10)

    def off(a: float) -> float:
        p = np.r_[np.full(k, 1 - a), np.full(d - k, a * k / (d - k))]
        return float(1 - np.mean(p * (1 - p)) / (k / d * (1 - k / d)) - index)

    a = float(brentq(off, 0, 0.9))
    return 1 - a, a * k / (d - k)


def _draw(
    kind: str, rng: Any, d: int, sets: int, inside: float, outside: float
) -> np.ndarray:
    k = max(2, d // 10)
    if kind == KINDS[0]:
        return (
            rng.random((sets, d)) < np.r_[np.full(k, inside), np.full(d - k, outside)]
        )
    Z = np.zeros((sets, d), bool)
    for z in Z:
        if rng.random() < inside:
            z[:k] = True
        else:
            z[k + rng.permutation(d - k)[:k]] = True
    return Z


def verdicts(rows: list[dict[str, Any]]) -> list[Verdict]:
    """The interval is called 95 %."""
    least = min(rows, key=lambda row: row["covered"])
    where = f"{least['sets']} sets of {least['features']}, index {least['index']}"
    return [
        promise(
            "the 95 % interval covers the true index (at least .91 in 300 draws)",
            f"at least {least['covered']:.3f} ({where})",
            least["covered"] >= 0.91,
        )
    ]


def tables(rows: list[dict[str, Any]]) -> str:
    """The section."""
    lines = []
    for (index, sets), some in grouped(rows, "index", "sets").items():
        by = grouped(some, "kind")
        covered = (
            f"{mean_of(by[kind,], 'covered'):.3f} ({mean_of(by[kind,], 'width'):.2f})"
            for kind in KINDS
            if (kind,) in by
        )
        lines.append([index, sets, *covered])
    return (
        "Coverage (and mean width), over independent selections of 20, 100 and 1000 "
        "features from populations with a known index, in which each feature varies by "
        "itself, or seldom, but all at once.\n\n"
        + table(["index", "sets", *KINDS], lines)
    )
