"""Pairs that work together: additive tables without any, and tables with one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import Rows, grouped, mean_of
from evidence.framework.verdicts import Verdict, promise
from widemargin.datasets import make_epistasis, make_xor
from widemargin.evaluation import interactions

TITLE = "Which features work together: `evaluation.interactions`"
TABLES, POWER_TABLES = 120, 20
LEVEL, MOST, LEAST = 0.05, 0.07, 0.9
ROWS, COLUMNS = 400, 16
Made = tuple[Any, np.ndarray]
Rng = np.random.Generator


def _blocks(rng: Rng, size: int = 4, d: int = COLUMNS, n: int = ROWS) -> np.ndarray:
    """Normal columns in blocks; in a block, any two have a correlation of .8."""
    shared = np.repeat(rng.standard_normal((n, d // size)), size, axis=1)
    return np.sqrt(0.8) * shared + np.sqrt(0.2) * rng.standard_normal((n, d))


def _drawn(rng: Rng, log_odds: np.ndarray) -> np.ndarray:
    return (rng.random(len(log_odds)) < expit(log_odds)).astype(int)


def _independent(rng: Rng) -> Made:
    X = rng.uniform(-1, 1, (ROWS, COLUMNS))
    return X, _drawn(rng, 3 * X[:, 0] - 3 * X[:, 1] + 2 * X[:, 2])


def _correlated(rng: Rng) -> Made:
    X = _blocks(rng)
    return X, _drawn(rng, X[:, 0] + X[:, 1] - 1.5 * X[:, 4] + X[:, 8])


def _shifted(rng: Rng, sizes: tuple[float, ...]) -> Made:
    """Normal classes with one covariance: log-odds are linear."""
    y = rng.choice(len(sizes), ROWS, p=sizes)
    X = _blocks(rng)
    X[:, [0, 5, 10]] += 0.7 * (np.eye(3)[y % 3] - (y == 0)[:, None] * 0.5)
    return X, y


def _unequal(rng: Rng) -> Made:
    X = np.exp(0.8 * rng.standard_normal((ROWS, COLUMNS)))
    return X, _drawn(rng, 0.8 * np.log(X[:, :3]).sum(axis=1) - 2.4)


def _nominal(rng: Rng) -> Made:
    """Half of the columns nominal, one number shifted by one of them."""
    X = pd.DataFrame(rng.standard_normal((ROWS, COLUMNS)))
    effect = np.array([0.0, 1.0, -1.0, 0.5])
    for f in range(0, COLUMNS, 2):
        X[f] = rng.choice(4, ROWS, p=[0.4, 0.3, 0.2, 0.1])
    X[1] += effect[X[0]]
    y = _drawn(rng, effect[X[0]] + effect[X[2]] + X[1].to_numpy())
    for f in range(0, COLUMNS, 2):
        X[f] = np.array(list("abcd"))[X[f]]
    return X.rename(columns=str), y


def _curved(rng: Rng) -> Made:
    X = _blocks(rng, 2)
    wave, step = 1.5 * np.sin(2.5 * X[:, 0]), 1.5 * (X[:, 2] > 0.4)
    return X, _drawn(rng, wave + step + X[:, 4] ** 2 - 1.5)


def _gaps(rng: Rng) -> Made:
    """One cell in ten is missing; of one column, most of the high values."""
    X = _blocks(rng)
    y = _drawn(rng, X[:, 0] + X[:, 1] - 1.5 * X[:, 4])
    X[:, 0][(X[:, 0] > 1) & (rng.random(ROWS) < 0.8)] = np.nan
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def _number(rng: Rng) -> Made:
    X = _blocks(rng)
    effects = 2 * X[:, 0] + np.abs(X[:, 1]) + 2 * np.cos(2 * X[:, 4]) + (X[:, 8] > 0)
    return X, effects + rng.standard_normal(ROWS)


def _tails(rng: Rng) -> Made:
    """Skewed features and residuals of t(3), wider where a feature is large."""
    X = rng.gamma(1.5, size=(ROWS, COLUMNS))
    noise = rng.standard_t(3, ROWS) * (0.5 + 0.5 * X[:, 0])
    return X, X[:, 0] + np.sqrt(X[:, 1]) * 2 + noise


ADDITIVE: dict[str, Callable[[Rng], Made]] = {
    "noise": lambda rng: (
        rng.standard_normal((ROWS, COLUMNS)),
        rng.integers(0, 2, 400),
    ),
    "logistic, independent features": _independent,
    "logistic, correlated features": _correlated,
    "normal classes, correlated features": lambda rng: _shifted(rng, (0.5, 0.5)),
    "three normal classes, 6:3:1": lambda rng: _shifted(rng, (0.6, 0.3, 0.1)),
    "a class of 15 %, skewed features": _unequal,
    "nominal features": _nominal,
    "waves and steps, correlated features": _curved,
    "missing cells": _gaps,
    "numeric target, curved effects": _number,
    "numeric target, t(3), unequal spread": _tails,
}


def _two(rng: Rng, n: int = 300, d: int = 60) -> tuple[Any, Any, Any]:
    X = rng.standard_normal((n, d))
    return X, X[:, 0], X[:, 1]


def _xor(rng: Rng) -> Made:
    X, a, b = _two(rng)
    return X, ((a > 0) ^ (b > 0)) * 1


def _xor_uniform(rng: Rng) -> Made:
    return make_xor(300, 60, 2, random_state=int(rng.integers(2**31)))


def _product(rng: Rng) -> Made:
    X, a, b = _two(rng)
    return X, _drawn(rng, 1.5 * a * b)


def _and(rng: Rng, n: int = 600) -> Made:
    """One row in ten is an exception."""
    X, a, b = _two(rng, n)
    return X, (((a > 0) & (b > 0)) ^ (rng.random(n) < 0.1)) * 1


def _threshold(rng: Rng) -> Made:
    """More cases among those with a minor allele of both markers."""
    X = rng.binomial(2, 0.3, (600, 60))
    both = (X[:, 0] > 0) & (X[:, 1] > 0)
    return X * 1.0, (rng.random(600) < np.where(both, 0.75, 0.2)) * 1


def _numeric(rng: Rng) -> Made:
    X, a, b = _two(rng)
    return X, a * b + rng.standard_normal(300)


def _beside_effects(rng: Rng) -> Made:
    X, a, b = _two(rng)
    return X, 2 * X[:, 2] + a + 0.7 * a * b + rng.standard_normal(300)


def _nominal_pair(rng: Rng) -> Made:
    X = pd.DataFrame(rng.standard_normal((400, 30))).rename(columns=str)
    X["0"] = rng.choice(["red", "green", "blue"], 400)
    return X, _drawn(rng, np.where(X["0"] == "red", 1.5, -0.75) * X["1"])


PAIRED: dict[str, Callable[[Rng], Made]] = {
    "xor, normal features": _xor,
    "xor, uniform features": _xor_uniform,
    "product": _product,
    "AND with 10 % exceptions": _and,
    "threshold, genotypes": _threshold,
    "numeric target, product": _numeric,
    "numeric target, product and effects": _beside_effects,
    "nominal feature turns another": _nominal_pair,
    "epistasis, 1600 × 100": lambda rng: make_epistasis(
        1600, 100, random_state=int(rng.integers(2**31))
    ),
    "epistasis, 1600 × 1000": lambda rng: make_epistasis(
        1600, 1000, random_state=int(rng.integers(2**31))
    ),
}


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    """Additive tables, and tables whose first two features work together."""
    for seed in range(2 if quick else TABLES):
        for design in list(ADDITIVE)[:2] if quick else ADDITIVE:
            yield {"what": "additive", "design": design, "seed": seed}
        for design in list(PAIRED)[:2] if quick else PAIRED:
            if seed < POWER_TABLES:
                yield {"what": "a pair", "design": design, "seed": seed}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    """One table: p-values of pairs without interaction, or those of the pair."""
    designs = ADDITIVE if case["what"] == "additive" else PAIRED
    X, y = designs[case["design"]](np.random.default_rng([case["seed"], 35]))
    with warnings.catch_warnings(action="ignore"):
        found = interactions(X, y, n_jobs=1)
    hit = (found.pairs == [0, 1]).all(axis=1)
    if case["what"] == "additive":
        n_found = len(found.found)
        return {
            "low": float((found.p_values <= LEVEL).mean()),
            "lower": float((found.p_values <= LEVEL / 50).mean()),
            "fdp": float(n_found > 0),
        }
    sure = found.q_values < LEVEL
    return {
        "first": float(hit[0] and sure[0]),
        "fdp": float((sure & ~hit).sum() / max(1, sure.sum())),
        "p": float(found.p_values[hit].max(initial=0)) if hit.any() else 1.0,
    }


def verdicts(rows: Rows) -> list[Verdict]:
    """Levels of additive tables, and power."""
    by, told = grouped(rows, "what"), []
    if none := by.get(("additive",)):
        some = {name: part for (name,), part in grouped(none, "design").items()}
        fdr = {name: mean_of(part, "fdp") for name, part in some.items()}
        low = {name: mean_of(part, "low") for name, part in some.items()}
        worst = max(fdr, key=fdr.__getitem__)
        told.append(
            promise(
                "finds a pair in at most 7 % of additive tables, in each design",
                f"{min(fdr.values()):.3f} to {fdr[worst]:.3f} ({worst})",
                fdr[worst] <= MOST,
            )
        )
        told.append(
            promise(
                "p ≤ .05 for 3 to 7 % of the pairs without interaction, in each design",
                f"{min(low.values()):.3f} to {max(low.values()):.3f}",
                min(low.values()) >= 0.03 and max(low.values()) <= MOST,
            )
        )
    if paired := by.get(("a pair",)):
        share = {
            name: mean_of(part, "first")
            for (name,), part in grouped(paired, "design").items()
        }
        worst = min(share, key=share.__getitem__)
        told.append(
            promise(
                "the right pair first, with q < .05, in 9 of 10 tables of each design",
                f"{share[worst]:.2f} ({worst}) to {max(share.values()):.2f}",
                share[worst] >= LEAST,
            )
        )
    return told


def tables(rows: Rows) -> str:
    """One row per design."""
    by, parts = grouped(rows, "what"), []
    if none := by.get(("additive",)):
        lines = [
            [
                name,
                len(some),
                f"{mean_of(some, 'low'):.3f}",
                f"{mean_of(some, 'lower'):.4f}",
                f"{mean_of(some, 'fdp'):.3f}",
            ]
            for (name,), some in grouped(none, "design").items()
        ]
        head = ["additive design", "tables", "p ≤ .05", "p ≤ .001", "a pair found"]
        parts.append(table(head, lines))
    if paired := by.get(("a pair",)):
        lines = [
            [
                name,
                len(some),
                f"{mean_of(some, 'first'):.2f}",
                f"{np.median([row['p'] for row in some]):.1g}",
                f"{mean_of(some, 'fdp'):.3f}",
            ]
            for (name,), some in grouped(paired, "design").items()
        ]
        head = ["pair", "tables", "first, q < .05", "median p", "false discoveries"]
        parts.append(table(head, lines))
    return (
        f"Additive tables have {ROWS} rows and {COLUMNS} columns, strong effects of "
        "single features and no interaction. Of the others, the first two columns work "
        "together: 300 rows and 60 columns, AND and threshold with 600 rows. The "
        "additive designs are not those on which the statistic was chosen; the pairs "
        "are of the same kinds.\n\n" + "\n\n".join(parts)
    )
