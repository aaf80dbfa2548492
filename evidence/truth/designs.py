"""Tables of which it is known which features are relevant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from evidence.data import Sets

ROWS, FEATURES, RELEVANT = 200, 100, 5
EACH = 10  # features of each kind
KINDS = ("normal", "heavy tails", "binary", "rare flag", "few integers", "correlated")
WEAK = ("shift", "correlated", "rare flags", "heavy tails", "xor")
STRONG = ("strong numbers", "strong nominal")
LEVELS = (2, 3, 4, 5, 6)  # of the nominal features that tell the classes apart
NUMBERS, NOMINAL = 30, 15  # irrelevant features beside them
# Public tables of which up to so many rows are used, and columns that are left out.
REAL = {
    "japan_credit_crx": (690, ["A1", "A12", "A13"]),
    "german_20attr": (600, []),
    "adult": (600, []),
    "sonar": (208, []),
}
ADDED = {"coins": 4, "other kinds": 4}  # random columns beside those of a real table


def weak(name: str, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """A table with few relevant features, which come first; and how many they are."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, ROWS)
    X = rng.standard_normal((ROWS, FEATURES))
    if name == "xor":
        X = rng.random((ROWS, FEATURES))
        return X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5), 2
    if name == "correlated":
        shared = rng.standard_normal((ROWS, FEATURES // 10))
        X[:, RELEVANT:] = np.sqrt(0.5) * X[:, RELEVANT:]
        X[:, RELEVANT:] += np.sqrt(0.5) * np.repeat(shared, 10, axis=1)[:, RELEVANT:]
    if name == "heavy tails":
        X = rng.standard_t(3, (ROWS, FEATURES)) / np.sqrt(3)
    if name == "rare flags":
        half = FEATURES // 2
        X[:, half:] = rng.random((ROWS, half)) < rng.uniform(0.02, 0.1, half)
    X[:, :RELEVANT] += 0.6 * y[:, None]
    return X, y, RELEVANT


def strong(name: str, n: int, seed: int) -> tuple[Any, np.ndarray]:
    """Five features that tell two classes apart, and 45 irrelevant ones.

    Of the latter, the first 30 are normal; the others, too, among strong numbers, and
    have 2 to 6 levels among strong nominal features.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    if name == "strong numbers":
        X = rng.standard_normal((n, RELEVANT + NUMBERS + NOMINAL))
        X[:, :RELEVANT] += 4.0 * y[:, None]
        return X, y
    columns: dict[str, Any] = {}
    for levels in LEVELS:
        half = levels // 2
        low, high = rng.integers(0, half, n), rng.integers(half, levels, n)
        mine = np.where(y == 0, low, high)
        other = rng.random(n) < 0.1
        mine[other] = rng.integers(0, levels, n)[other]
        columns[f"relevant {levels}"] = pd.Categorical(mine)
    for f in range(NUMBERS):
        columns[f"number {f}"] = rng.standard_normal(n)
    for f in range(NOMINAL):
        columns[f"nominal {f}"] = pd.Categorical(rng.integers(0, 2 + f % 5, n))
    return pd.DataFrame(columns), y


def all_kinds(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Features of every kind that have nothing to do with y."""
    rng, n = np.random.default_rng(seed), 60
    shared = rng.standard_normal((n, 1))
    parts = [
        rng.standard_normal((n, EACH)),
        rng.standard_t(2, (n, EACH)),
        rng.random((n, EACH)) < 0.4,
        rng.random((n, EACH)) < 0.1,
        rng.integers(0, 4, (n, EACH)),
        shared + 0.5 * rng.standard_normal((n, EACH)),
    ]
    return np.hstack(parts).astype(float), (np.arange(n) % 5 < 2).astype(int)


def with_random(name: str, added: str, data: Sets, seed: int) -> tuple[Any, Any]:
    """A public table and, in its last columns, random ones.

    Either four fair coins, or a coin that falls on one side in 15 % of rows, three
    levels, a normal and an exponential variable.
    """
    size, left_out = REAL[name]
    found = data(name, as_frame=True)
    X, y = found.data, found.target
    rng = np.random.default_rng(seed)
    X = X.drop(columns=left_out)
    if len(X) > size:
        rows = np.random.default_rng(0).choice(len(X), size, replace=False)
        X, y = X.iloc[rows].reset_index(drop=True), np.asarray(y)[rows]
    n = len(X)
    if added == "coins":
        columns = {f"coin {i}": _levels(rng.integers(0, 2, n)) for i in range(4)}
    else:
        columns = {
            "unfair coin": _levels(rng.random(n) < 0.15),
            "three levels": _levels(rng.integers(0, 3, n)),
            "normal": rng.standard_normal(n),
            "exponential": rng.exponential(size=n),
        }
    return X.assign(**columns), y


def _levels(codes: np.ndarray) -> Any:
    return pd.Categorical(np.array(["a", "b", "c"])[codes.astype(int)])
