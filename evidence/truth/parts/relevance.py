"""The test of relevance in designs that it was not tuned on."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control, kruskal, spearmanr

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import Rows, grouped, mean_of
from evidence.framework.verdicts import Verdict, promise
from evidence.truth.designs import ADDED, RELEVANT, all_kinds, strong, weak, with_random
from widemargin.evaluation import relevance

TITLE = "Which features are relevant: `evaluation.relevance`"
TABLES, REAL_TABLES = 40, 20
LEVEL, MOST = 0.05, 0.07
# X, y, and how many columns are relevant: these come first.
Design = tuple[Any, np.ndarray, int]


def _tails(rng: np.random.Generator) -> Design:
    return rng.standard_t(2, (150, 60)), rng.integers(0, 2, 150), 0


def _flags(rng: np.random.Generator) -> Design:
    X = rng.random((200, 40)) < rng.uniform(0.03, 0.5, 40)
    return X * 1.0, (rng.random(200) < 0.3) * 1, 0


def _blocks(rng: np.random.Generator) -> Design:
    """Five strong columns, and five blocks of ten that go together, not with y."""
    y = rng.integers(0, 2, 150)
    shared = np.repeat(rng.standard_normal((150, 5)), 10, axis=1)
    blocks = np.sqrt(0.8) * shared + np.sqrt(0.2) * rng.standard_normal((150, 50))
    return np.hstack([2.5 * y[:, None] + rng.standard_normal((150, 5)), blocks]), y, 5


def _rare(rng: np.random.Generator) -> Design:
    """Five flags that are up in 4 % of one class and 30 % of the other, of 50."""
    y = rng.integers(0, 2, 200)
    share = np.full((200, 50), rng.uniform(0.04, 0.2, 50))
    share[:, :5] = np.where(y == 1, 0.30, 0.04)[:, None]
    return (rng.random((200, 50)) < share) * 1.0, y, 5


def _third(rng: np.random.Generator) -> Design:
    """Three classes, of which one is shifted by .8 sd, with tails of t(3)."""
    y = rng.integers(0, 3, 240)
    X = rng.standard_t(3, (240, 60))
    X[:, :5] += 0.8 * np.sqrt(3) * (y == 2)[:, None]
    return X, y, 5


def _ring(rng: np.random.Generator) -> Design:
    """A class around the other in two of 20 columns; no column has a shift."""
    X = rng.standard_normal((250, 20))
    return X, (X[:, 0] ** 2 + X[:, 1] ** 2 > 1.4) * 1, 2


def _seldom(rng: np.random.Generator) -> Design:
    """A class of 10 %, shifted by 1 sd in five of 60 columns."""
    y = (rng.permutation(300) < 30) * 1
    X = rng.standard_normal((300, 60))
    X[:, :5] += y[:, None]
    return X, y, 5


def _product(rng: np.random.Generator) -> Design:
    X = rng.standard_normal((200, 30))
    noise = 0.7 * rng.standard_normal(200)
    return X, X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] + noise, 4


def _linear(rng: np.random.Generator) -> Design:
    X = rng.standard_normal((200, 100))
    return X, 0.5 * X[:, :5].sum(axis=1) + rng.standard_normal(200), 5


def _skewed_target(rng: np.random.Generator) -> Design:
    X = rng.standard_normal((150, 40))
    X[:, ::4], X[:, 1::4] = np.exp(X[:, ::4]), rng.random((150, 10)) < 0.1
    return X, np.exp(1.5 * rng.standard_normal(150)), 0


MADE: dict[str, Callable[[np.random.Generator], Design]] = {
    "noise, t(2)": _tails,
    "noise, flags, classes 7:3": _flags,
    "noise, lognormal target": _skewed_target,
    "strong features, correlated noise": _blocks,
    "rare flags": _rare,
    "one class of three, t(3)": _third,
    "class of 10 %": _seldom,
    "ring": _ring,
    "linear target": _linear,
    "target with a product": _product,
}
TOGETHER = ("ring", "target with a product")  # features that matter only together
# Designs of `significance`, too: its figures are for ReliefF.
SHARED = ("noise of six kinds", "strong nominal", "correlated", "heavy tails")
REAL = {
    "japan_credit_crx": "coins",
    "german_20attr": "other kinds",
    "adult": "other kinds",
    "sonar": "permuted columns",
}


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    designs = ("noise, t(2)", "linear target") if quick else (*MADE, *SHARED)
    for seed in range(3 if quick else TABLES):
        for name in designs:
            yield {"design": name, "seed": seed}
    for seed in range(0 if quick else REAL_TABLES):
        for name, added in REAL.items():
            yield {"design": f"{name} and {added}", "table": name, "seed": seed}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    seed = case["seed"]
    if "table" in case:
        X, y, null = _real(case["table"], data, seed)
        relevant = slice(0, X.shape[1] - null)
    else:
        X, y, count = _made(case["design"], seed)
        relevant, null = slice(0, count), X.shape[1] - count
    with warnings.catch_warnings(action="ignore"):
        found = relevance(X, y, random_state=seed, n_jobs=1)
    sure = found.q_values < LEVEL
    hits, wrong = int(sure[relevant].sum()), int(sure[relevant.stop :].sum())
    result = {
        "null": null,
        "low": int((found.p_values[relevant.stop :] <= LEVEL).sum()),
        "fdp": wrong / max(1, hits + wrong),
    }
    if relevant.stop and "table" not in case:
        result["power"] = hits / relevant.stop
    if "power" in result and not hasattr(X, "columns"):
        result["rank_power"] = float(np.mean(_rank_test(X, y)[relevant] < LEVEL))
    return result


def _made(name: str, seed: int) -> Design:
    if name in MADE:
        return MADE[name](np.random.default_rng([seed, 33]))
    if name == "noise of six kinds":
        return *all_kinds(seed), 0
    if name == "strong nominal":
        return *strong(name, 200, seed), RELEVANT
    return weak(name, seed)


def _real(name: str, data: Sets, seed: int) -> tuple[Any, Any, int]:
    """A public table with columns of noise at its end, and how many these are."""
    if REAL[name] in ADDED:
        return *with_random(name, REAL[name], data, seed), ADDED[REAL[name]]
    found = data(name, as_frame=False)
    X = np.asarray(found.data, float)
    rng = np.random.default_rng(seed)
    return np.hstack([X, rng.permuted(X, axis=0)]), found.target, X.shape[1]


def _rank_test(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """q-values of rank tests of each column."""
    labels = np.unique(y)
    if len(labels) > len(y) // 2:
        p = [spearmanr(x, y).pvalue for x in X.T]
    else:
        p = [kruskal(*(x[y == k] for k in labels)).pvalue for x in X.T]
    return false_discovery_control(np.nan_to_num(p, nan=1.0))


def _low(rows: Rows) -> float:
    """Share of p ≤ .05 among columns without a relation to the target."""
    return sum(row["low"] for row in rows) / sum(row["null"] for row in rows)


def figures(rows: Rows) -> dict[str, Any]:
    """What the verdicts and the sentences are made of."""
    by = grouped(rows, "design")
    low = {name: _low(some) for (name,), some in by.items()}
    fdr = {name: mean_of(some, "fdp") for (name,), some in by.items()}
    power = {
        name: tuple(mean_of(some, c) for c in ("power", "rank_power"))
        for (name,), some in by.items()
        if "rank_power" in some[0]
    }
    pure = {row["design"] for row in rows if "power" not in row and "table" not in row}
    return {
        "low": low,
        "fdr": fdr,
        "fdr_beside": [share for name, share in fdr.items() if name not in pure],
        "power": power,
        "noise": [row["fdp"] > 0 for row in rows if row["design"] in pure],
    }


def verdicts(rows: Rows) -> list[Verdict]:
    told, found = [], figures(rows)
    for key, what in (
        ("low", "p ≤ .05 in at most 7 % of irrelevant features"),
        ("fdr", "false discovery rate at q < .05 at most .07"),
    ):
        shares = found[key]
        worst = max(shares, key=shares.get)
        above = [name for name, share in shares.items() if share > MOST]
        measured = f"{min(shares.values()):.3f} to {shares[worst]:.3f} ({worst})"
        if above:
            measured += f"; above in {', '.join(above)}"
        if key == "fdr":
            count, n = sum(found["noise"]), len(found["noise"])
            measured += f". All designs of noise: {count} of {n} tables"
        told.append(promise(f"{what}, in each design", measured, not above))
    return told


def tables(rows: Rows) -> str:
    lines = []
    for (name,), some in grouped(rows, "design").items():
        powers = [
            f"{mean_of(some, c):.2f}" if c in some[0] else ""
            for c in ("power", "rank_power")
        ]
        lines.append(
            [
                name,
                len(some),
                f"{_low(some):.3f}",
                f"{mean_of(some, 'fdp'):.3f}",
                *powers,
            ]
        )
    head = ["design", "tables", "p ≤ .05, irrelevant", "false discovery rate", "power"]
    return (
        "Default calls. *Power* is the share of the relevant features with q < .05; "
        "beside it is that of a rank test of each feature by itself (Kruskal and "
        "Wallis, or Spearman), with the same correction. In public tables, their own "
        "columns count as relevant; random ones are added: coins, other kinds (an "
        "unfair coin, three levels, normal, exponential), or a permuted copy of each "
        "column. None of these designs was used to tune the test.\n\n"
        + table([*head, "power, rank test"], lines)
    )
