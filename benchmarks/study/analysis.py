"""Mean ranks with critical differences, stability, redundancy and time.

Tables are what the study samples, so they are the units: the splits of a table are
averaged before anything is ranked or compared.

References
----------
J. Demšar, *Statistical comparisons of classifiers over multiple data sets*, Journal of
Machine Learning Research 7, 2006 (Friedman test, Nemenyi's critical difference).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

Rows = list[dict[str, Any]]
CLASSIFIERS = ("1-NN", "logistic", "boosting")


class Ranks(NamedTuple):
    """How methods place over tables, by the accuracy of one classifier."""

    ways: tuple[str, ...]
    mean: np.ndarray  # (W,) mean rank, 1 is best
    accuracy: np.ndarray  # (W,) mean over tables
    n_tables: int
    p: float  # of Friedman's test that all are alike
    critical: float  # mean ranks that differ by less cannot be told apart


def complete(rows: Rows, ways: Sequence[str]) -> Rows:
    """Rows of the splits of tables that all these methods were run on."""
    there: dict[tuple[str, int], set[str]] = {}
    for row in rows:
        there.setdefault((row["table"], row["split"]), set()).add(row["way"])
    return [
        row
        for row in rows
        if row["way"] in ways and there[row["table"], row["split"]] >= set(ways)
    ]


def accuracies(rows: Rows, ways: Sequence[str], classifier: str, k: int) -> np.ndarray:
    """(T, W) accuracy with the best k features, splits averaged."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if str(k) in row:
            values = found.setdefault(row["table"], {}).setdefault(row["way"], [])
            values.append(row[str(k)][classifier])
    return np.array([[np.mean(of[way]) for way in ways] for of in found.values()])


def ranks(rows: Rows, ways: Sequence[str], classifier: str, k: int) -> Ranks:
    """Mean ranks over tables at one size, with Nemenyi's critical difference (5 %)."""
    A = accuracies(complete(rows, ways), ways, classifier, k)
    n_tables, n_ways = A.shape
    mean = rankdata(-A, axis=1).mean(axis=0)
    q = studentized_range.ppf(0.95, n_ways, np.inf) / np.sqrt(2)
    critical = float(q * np.sqrt(n_ways * (n_ways + 1) / (6 * n_tables)))
    p = float(friedmanchisquare(*A.T).pvalue)
    return Ranks(tuple(ways), mean, A.mean(axis=0), n_tables, p, critical)


def wins(
    rows: Rows, way: str, other: str, classifier: str, k: int
) -> tuple[int, int, float]:
    """Tables won and lost by more than rounding, and the mean difference."""
    A = accuracies(complete(rows, [way, other]), [way, other], classifier, k)
    difference = A[:, 0] - A[:, 1]
    won, lost = int((difference > 1e-9).sum()), int((difference < -1e-9).sum())
    return won, lost, float(difference.mean())


def stability(rows: Rows, way: str, k: int) -> float:
    """Mean over tables of Nogueira's index of the best k over the splits; NaN for one.

    Training parts of two splits share half of the rows and more: these are not
    independent samples, and the index only serves to compare methods.
    """
    by_table: dict[str, list[list[int]]] = {}
    sizes: dict[str, int] = {}
    for row in rows:
        if row["way"] == way and str(k) in row:
            by_table.setdefault(row["table"], []).append(row["order"][:k])
            sizes[row["table"]] = row["n_features"]
    found = [
        np.mean([_agreement(a, b, sizes[name]) for a, b in combinations(chosen, 2)])
        for name, chosen in by_table.items()
        if len(chosen) > 1
    ]
    return float(np.mean(found)) if found else float("nan")


def _agreement(a: list[int], b: list[int], d: int) -> float:
    """What two sets of the same size share beyond chance: 1 if equal, 0 if random."""
    k = len(a)
    expected = k * k / d
    return (len({*a} & {*b}) - expected) / (k - expected)


def mean_over_tables(rows: Rows, way: str, name: str) -> float:
    """Mean over tables of a column, splits averaged first."""
    by_table: dict[str, list[float]] = {}
    for row in rows:
        if row["way"] == way:
            by_table.setdefault(row["table"], []).append(row[name])
    return float(np.mean([np.mean(values) for values in by_table.values()]))
