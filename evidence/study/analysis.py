"""Differences between methods over tables, with a test; stability and time.

Tables are what the study samples, so they are the units: the splits of a table are
averaged before anything is compared.

References
----------
A. Benavoli, G. Corani, F. Mangili, *Should we really use post-hoc tests based on
mean-ranks?*, Journal of Machine Learning Research 17, 2016 (two methods are better
compared without the others: Wilcoxon's test, with Holm's correction).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from evidence.study.tables import KS

Rows = list[dict[str, Any]]


class Duel(NamedTuple):
    """One method against another."""

    won: int  # tables
    lost: int
    mean: float  # difference in accuracy or R²
    p: float  # Wilcoxon's signed-rank test, two-sided


class Results:
    """Results of methods on tables, by judge."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self._found: dict[str, dict[tuple[str, int], dict[str, float]]] = {}
        for row in rows:
            sizes = [row[str(k)] for k in KS if str(k) in row]
            means = {j: sum(s[j] for s in sizes) / len(sizes) for j in sizes[0]}
            cases = self._found.setdefault(row["way"], {})
            cases[row["table"], row["split"]] = means

    def on(self, tables: Collection[str]) -> Results:
        """Those on some tables."""
        return Results([row for row in self.rows if row["table"] in tables])

    def ways(self) -> list[str]:
        """All methods."""
        return [*self._found]

    def differences(
        self, way: str, other: str, judge: str | None = None
    ) -> dict[str, float]:
        """By how much one method is better than another on each table, rounded.

        The mean over splits that both were run on, all k, and the judges, or one.
        """
        mine, theirs = self._found[way], self._found[other]
        found: dict[str, list[float]] = {}
        for case in mine:
            if case in theirs:
                judges = [judge] if judge else [*mine[case]]
                gains = [mine[case][j] - theirs[case][j] for j in judges]
                found.setdefault(case[0], []).append(sum(gains) / len(gains))
        return {name: round(float(np.mean(of)), 9) for name, of in found.items()}

    def duel(self, way: str, other: str, judge: str | None = None) -> Duel:
        """Tables won and lost, the mean difference, and a test of it."""
        found = np.array([*self.differences(way, other, judge).values()])
        won, lost = int((found > 0).sum()), int((found < 0).sum())
        return Duel(won, lost, float(found.mean()), signed_rank_p(found))

    def mean(self, way: str, column: str) -> float:
        """Mean over tables of a column, splits averaged first."""
        by_table: dict[str, list[float]] = {}
        for row in self.rows:
            if row["way"] == way:
                by_table.setdefault(row["table"], []).append(row[column])
        return float(np.mean([np.mean(values) for values in by_table.values()]))

    def stability(self, way: str, k: int) -> float:
        """Mean over tables of the agreement of the best k of two splits; NaN for one.

        Training parts of two splits share half of the rows and more: these are not
        independent samples, and the index only serves to compare methods.
        """
        by_table: dict[str, list[list[int]]] = {}
        sizes: dict[str, int] = {}
        for row in self.rows:
            if row["way"] == way and str(k) in row:
                by_table.setdefault(row["table"], []).append(row["order"][:k])
                sizes[row["table"]] = row["n_features"]
        found = [
            np.mean([_agreement(a, b, sizes[name]) for a, b in combinations(of, 2)])
            for name, of in by_table.items()
            if len(of) > 1
        ]
        return float(np.mean(found)) if found else float("nan")


def _agreement(a: list[int], b: list[int], d: int) -> float:
    """What two sets of the same size share beyond chance: 1 if equal, 0 if random."""
    k = len(a)
    expected = k * k / d
    return (len({*a} & {*b}) - expected) / (k - expected)


def signed_rank_p(differences: np.ndarray) -> float:
    """Wilcoxon's signed-rank test, two-sided: exact, also with ties; zeros are dropped.

    SciPy's is slow for so many calls, and exact without ties only.
    """
    values = differences[differences != 0]
    doubled = np.rint(2 * rankdata(np.abs(values))).astype(int)
    ways = np.zeros(doubled.sum() + 1)  # how many choices of signs give each sum
    ways[0] = 1
    for rank in doubled:
        ways[rank:] += ways[:-rank].copy()
    positive = int(doubled[values > 0].sum())
    tail = min(ways[: positive + 1].sum(), ways[positive:].sum())
    return float(min(1.0, 2 * tail / ways.sum()))


def holm(p: Sequence[float]) -> np.ndarray:
    """p-values corrected for their number."""
    values = np.asarray(p, float)
    order = np.argsort(values)
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    corrected = np.empty(len(values))
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected
