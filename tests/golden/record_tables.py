"""The tables of the record: small ones of every kind, made here or bundled."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse
from sklearn import datasets as bundled

from widemargin import datasets


class Data(NamedTuple):
    """A table, its target, and perhaps groups of rows."""

    X: Any
    y: Any
    groups: Any = None


def rng(seed: int = 0) -> np.random.Generator:
    """The random numbers of a table."""
    return np.random.default_rng(seed)


def some(data: Any, n: int, d: int = 30) -> Data:
    """Every so many rows, and the first features, of a bundled data set."""
    rows = np.linspace(0, len(data.target) - 1, n).astype(int)
    return Data(data.data[rows, :d], data.target[rows])


def labels(n: int, n_classes: int, seed: int = 0) -> np.ndarray:
    """Random labels, every class at least once."""
    y = rng(seed).integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    return y


def gaussian(n: int = 60, d: int = 7, seed: int = 0) -> Data:
    y = labels(n, 3, seed)
    X = rng(seed + 1).standard_normal((n, d))
    X[:, :3] += y[:, None] * [2.0, 1.0, -1.0]
    return Data(X, y)


def tied() -> Data:
    return Data(rng(2).integers(0, 3, (50, 6)).astype(float), labels(50, 2))


def duplicates() -> Data:
    X = np.repeat(rng(3).standard_normal((15, 4)).round(1), 3, axis=0)
    return Data(np.column_stack([X, X[:, 1], -X[:, 2]]), labels(45, 2))


def constants() -> Data:
    X, y, _ = gaussian(seed=4)
    X[:, [0, 4]] = 3.7
    return Data(X, y)


def lopsided() -> Data:
    y = rng(5).permutation(np.repeat([0, 1, 2], [40, 3, 2]))
    return Data(rng(6).standard_normal((45, 5)) + y[:, None], y)


def lonely() -> Data:
    y = rng(7).permutation(np.repeat([0, 1, 2], [20, 9, 1]))
    return Data(rng(8).standard_normal((30, 4)).round(1), y)


def wide() -> Data:
    X, y = rng(9).standard_normal((40, 500)), labels(40, 2)
    X[:, :5] += 1.5 * y[:, None]
    return Data(X, y)


def linear(n: int = 70) -> Data:
    X = rng(10).standard_normal((n, 6))
    return Data(X, 2 * X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng(11).standard_normal(n))


def mixed(n: int = 60) -> Data:
    """Numbers, text, truth values, ordered and unordered categories, gaps."""
    y = labels(n, 2, 12)
    draw = rng(13)
    size = draw.standard_normal(n) + y
    grade = np.array(["low", "mid", "high"])[np.clip(y + draw.integers(0, 2, n), 0, 2)]
    frame = pd.DataFrame(
        {
            "size": np.where(draw.random(n) < 0.15, np.nan, size),
            "colour": np.array(["red", "green", "blue"])[(y + draw.integers(0, 2, n))],
            "smokes": draw.random(n) < 0.3 + 0.4 * y,
            "grade": pd.Categorical(grade, ["low", "mid", "high"], ordered=True),
            "town": pd.Categorical(draw.choice(["a", "b", "c"], n)),
            "count": draw.integers(0, 5, n),
        }
    )
    frame["note"] = np.array(["x", "y", None], object)[draw.integers(0, 3, n)]
    return Data(frame, np.where(y, "ill", "well"))


def mixed_numbers() -> Data:
    X, y, _ = mixed()
    return Data(X, np.nan_to_num(X["size"].to_numpy()) + (y == "ill") + 0.01 * X.index)


def polars_frame() -> Data:
    X, y, _ = gaussian(50, 5, 14)
    table = pl.DataFrame(X, schema=[f"p{j}" for j in range(5)])
    return Data(table, pl.Series("y", y))


def gaps() -> Data:
    X, y, _ = gaussian(50, 6, 15)
    X[rng(16).random(X.shape) < 0.1] = np.nan
    return Data(X, y)


def ordered() -> Data:
    X, y, _ = gaussian(60, 6, 17)
    names = pd.Categorical.from_codes(y, ["low", "mid", "high"], ordered=True)
    return Data(pd.DataFrame(X).add_prefix("f"), pd.Series(names))


def grouped() -> Data:
    X, y, _ = gaussian(72, 6, 18)
    return Data(X, y, np.repeat(np.arange(12), 6))


def spoilt() -> dict[str, Data]:
    """What should be refused."""
    X, y, _ = gaussian(30, 4, 19)
    infinite, holes = X.copy(), y.astype(float)
    infinite[3, 1], holes[2] = np.inf, np.nan
    return {
        "one class": Data(X, np.zeros(30)),
        "infinite": Data(infinite, y),
        "missing label": Data(X, holes),
        "short y": Data(X, y[:-1]),
        "text": Data(np.array([["a", "b"]] * 30), y),
        "flat": Data(X[:, 0], y),
        "sparse": Data(sparse.csr_matrix(X), y),
        "constant target": Data(X, np.full(30, 2.5)),
        "complex": Data(X + 1j, y),
    }


def odd() -> dict[str, Data]:
    """Other types of the same numbers, and extreme shapes."""
    X, y, _ = gaussian(40, 5, 20)
    names = np.array(["b", "a", "c"])[y]
    return {
        "float32": Data(X.astype(np.float32), y),
        "fortran": Data(np.asfortranarray(X), y),
        "text labels": Data(X, names),
        "object labels": Data(X.tolist(), names.astype(object)),
        "truth labels": Data(X, y > 0),
        "objects": Data(X.astype(object), y),
        "int8": Data((10 * X).astype(np.int8), y),
        "one feature": Data(X[:, :1], y),
        "two rows": Data(X[:2], np.array([0, 1])),
        "all equal": Data(np.full((12, 3), 5.0), labels(12, 2)),
        "far from zero": Data(X + 1e8, y),
        "masked frame": Data(pd.DataFrame(X).round(1).convert_dtypes(), y),
    }


def made() -> dict[str, Data]:
    """What `widemargin.datasets` makes."""
    return {
        "xor": Data(*datasets.make_xor(120, 8, random_state=0)),
        "quadrants": Data(*datasets.make_quadrants(80, 6, random_state=0)),
        "gaussian_relevant": Data(
            *datasets.make_gaussian_relevant(60, 10, n_relevant=4, random_state=0)
        ),
        "ordinal": Data(*datasets.make_ordinal(15, 12, random_state=0)[:2]),
        "epistasis": Data(*datasets.make_epistasis(100, 8, random_state=0)[:2]),
    }


def tables() -> dict[str, Data]:
    """All that methods are expected to take, by name."""
    return {
        "wine": some(bundled.load_wine(), 90),
        "iris": some(bundled.load_iris(), 60),
        "cancer": some(bundled.load_breast_cancer(), 100, 12),
        "diabetes": some(bundled.load_diabetes(), 80),
        **made(),
        "gaussian": gaussian(),
        "tied": tied(),
        "duplicates": duplicates(),
        "constants": constants(),
        "lopsided": lopsided(),
        "lonely": lonely(),
        "wide": wide(),
        "linear": linear(),
        "mixed": mixed(),
        "mixed numbers": mixed_numbers(),
        "polars": polars_frame(),
        "gaps": gaps(),
        "ordered": ordered(),
        **odd(),
    }
