"""Mean ranks with critical differences, stability, redundancy and time.

Tables are what the study samples, so they are the units: the splits of a table are
averaged before anything is ranked or compared.

References
----------
J. Demšar, *Statistical comparisons of classifiers over multiple data sets*, Journal of
Machine Learning Research 7, 2006 (Friedman test, Nemenyi's critical difference).
A. Benavoli, G. Corani, F. Mangili, *Should we really use post-hoc tests based on
mean-ranks?*, Journal of Machine Learning Research 17, 2016 (two methods are better
compared without the others: Wilcoxon's test, with Holm's correction).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import friedmanchisquare, norm, rankdata

from study.tables import KS

Rows = list[dict[str, Any]]


class Ranks(NamedTuple):
    """How methods place over tables, by the accuracy of one classifier."""

    ways: tuple[str, ...]
    mean: np.ndarray  # (W,) mean rank, 1 is best
    accuracy: np.ndarray  # (W,) mean over tables
    n_tables: int
    p: float  # of Friedman's test that all are alike
    critical: float  # mean ranks that differ by less cannot be told apart


class Duel(NamedTuple):
    """One method against another."""

    won: int  # tables
    lost: int
    mean: float  # difference in accuracy
    p: float  # Wilcoxon's signed-rank test, two-sided


def complete(rows: Rows, ways: Sequence[str]) -> Rows:
    """Rows of these methods, on the tables that all of them were run on."""
    there: dict[str, set[str]] = {}
    for row in rows:
        there.setdefault(row["table"], set()).add(row["way"])
    wanted = set(ways)
    tables = {name for name, found in there.items() if found >= wanted}
    return [row for row in rows if row["way"] in wanted and row["table"] in tables]


def accuracies(
    rows: Rows, ways: Sequence[str], classifier: str, k: int | None = None
) -> np.ndarray:
    """(T, W) accuracy with the best k features; None is the mean over all k.

    Splits are averaged. Splits differ in difficulty, and a costly method may have been
    run on some only: its difference to the methods that were run on all is averaged.
    """
    found: dict[str, dict[int, dict[str, float]]] = {}
    ks = [str(size) for size in KS if size == k or k is None]
    wanted = set(ways)
    for row in rows:
        if row["way"] not in wanted:
            continue
        values = [row[size][classifier] for size in ks if size in row]
        if values:
            of_table = found.setdefault(row["table"], {})
            of_split = of_table.setdefault(row["split"], {})
            of_split[row["way"]] = sum(values) / len(values)
    return np.array([_level(splits, ways) for splits in found.values()])


def _level(splits: dict[int, dict[str, float]], ways: Sequence[str]) -> list[float]:
    """Means over splits as if all methods had been run on all of them."""
    everywhere = [way for way in ways if all(way in of for of in splits.values())]
    base = {s: fmean(of[w] for w in everywhere) for s, of in splits.items()}
    level = fmean(base.values())
    return [
        level + fmean(of[way] - base[s] for s, of in splits.items() if way in of)
        for way in ways
    ]


def ranks(
    rows: Rows, ways: Sequence[str], classifier: str, k: int | None = None
) -> Ranks:
    """Mean ranks over tables, with Nemenyi's critical difference (5 %)."""
    A = accuracies(complete(rows, ways), ways, classifier, k)
    n_tables, n_ways = A.shape
    mean = rankdata(-A.round(9), axis=1).mean(axis=0)
    scale = np.sqrt(n_ways * (n_ways + 1) / (12 * n_tables))
    critical = float(studentized_range(n_ways) * scale)
    p = float(friedmanchisquare(*A.round(9).T).pvalue)
    return Ranks(tuple(ways), mean, A.mean(axis=0), n_tables, p, critical)


@cache
def studentized_range(k: int, level: float = 0.05) -> float:
    """Upper quantile of the range of k standard normal values.

    SciPy's takes seconds, since it has degrees of freedom to integrate over.
    """
    z, step = np.linspace(-8, 8, 4001, retstep=True)

    def excess(q: float) -> float:
        inside = norm.pdf(z) * (norm.cdf(z) - norm.cdf(z - q)) ** (k - 1)
        return float(k * inside.sum() * step - (1 - level))

    return float(brentq(excess, 0.1, 20))


def cliques(found: Ranks) -> list[tuple[int, int]]:
    """First and last place of the largest runs that cannot be told apart."""
    mean = np.sort(found.mean)
    ends = [int(np.searchsorted(mean, m + found.critical, "right")) - 1 for m in mean]
    runs = [(i, end) for i, end in enumerate(ends) if end > i]
    return [(i, e) for i, e in runs if not any(j < i and f >= e for j, f in runs)]


def differences(
    rows: Rows, way: str, other: str, classifier: str, k: int | None = None
) -> np.ndarray:
    """(T,) by how much one method is more accurate than another, rounded."""
    A = accuracies(complete(rows, [way, other]), [way, other], classifier, k)
    return (A[:, 0] - A[:, 1]).round(9)


def duel(
    rows: Rows, way: str, other: str, classifier: str, k: int | None = None
) -> Duel:
    """Tables won and lost, the mean difference, and a test of it."""
    found = differences(rows, way, other, classifier, k)
    won, lost = int((found > 0).sum()), int((found < 0).sum())
    return Duel(won, lost, float(found.mean()), signed_rank_p(found))


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
