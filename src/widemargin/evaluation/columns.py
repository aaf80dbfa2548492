"""Columns of any table, numbers or not, with or without missing values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.evaluation.frames import Names, feature_names
from widemargin.table import Floats, Ints


class Columns(NamedTuple):
    """Numbers and nominal values of a table, apart."""

    names: Names
    numbers: Floats  # (n, d), NaN where a value is missing, infinite or not a number
    nominal: dict[int, Ints]  # codes of the columns that hold no numbers, −1 missing


def read_columns(X: Any, caller: str) -> Columns:
    """Take a frame or an array apart.

    Columns of numbers and of booleans, and ordered categories in their order, are
    numbers; all others are nominal.
    """
    if hasattr(X, "columns"):
        d = X.shape[1]
        # Names in pandas may occur twice; polars knows columns by their name.
        by_place = hasattr(X, "iloc")
        series = [X.iloc[:, f] if by_place else X[X.columns[f]] for f in range(d)]
        numbers = np.full(X.shape, np.nan)
    else:
        X = np.asarray(X)
        if X.ndim != 2:
            raise ValueError(f"{caller} needs a table, got shape {X.shape}.")
        if X.dtype.kind in "biuf":
            numbers = np.where(np.isfinite(X), X, np.nan).astype(np.float64)
            return Columns(feature_names(X), numbers, {})
        series, numbers = list(X.T), np.full(X.shape, np.nan)
    if min(numbers.shape) == 0:
        raise ValueError(f"{caller} needs rows and columns, got shape {X.shape}.")
    nominal = {}
    for f, column in enumerate(series):
        values = _numbers(column)
        if values is None:
            nominal[f] = _codes(column)
        else:
            numbers[:, f] = np.where(np.isfinite(values), values, np.nan)
    return Columns(feature_names(X), numbers, nominal)


def _numbers(column: Any) -> Floats | None:
    """The values as numbers; None if that is not what they are."""
    dtype = column.dtype
    if getattr(dtype, "ordered", False):  # a pandas categorical
        codes = np.asarray(column.cat.codes, dtype=np.float64)
        return np.where(codes < 0, np.nan, codes)
    if type(dtype).__name__ == "Enum":  # polars; always in order
        return column.to_physical().cast(float).to_numpy()
    if hasattr(dtype, "is_numeric"):  # polars
        plain = dtype.is_numeric() or str(dtype) == "Boolean"
        return column.cast(float).to_numpy() if plain else None
    kind = getattr(dtype, "kind", "O")
    if kind in "biuf":
        if hasattr(column, "to_numpy"):
            return column.to_numpy(dtype=np.float64, na_value=np.nan)
        return np.asarray(column, dtype=np.float64)
    if kind == "O" and isinstance(column, np.ndarray):
        return _numbers_among_objects(column)
    return None


def _numbers_among_objects(column: NDArray[Any]) -> Floats | None:
    missing = np.array([_is_missing(v) for v in column])
    if all(isinstance(v, int | float | np.number) for v in column[~missing]):
        return np.where(missing, np.nan, column).astype(np.float64)
    return None


def _codes(column: Any) -> Ints:
    """Codes of nominal values, the most frequent one 0; −1 for a missing one."""
    values = column.to_list() if hasattr(column, "to_list") else column.tolist()
    counts: dict[str, int] = {}
    # Values of different types cannot be sorted, their text can.
    keys = [None if _is_missing(v) else f"{type(v).__name__} {v}" for v in values]
    for key in keys:
        if key is not None:
            counts[key] = counts.get(key, 0) + 1
    ranked = sorted(counts, key=lambda key: (-counts[key], key))
    code = {key: c for c, key in enumerate(ranked)}
    return np.array([-1 if key is None else code[key] for key in keys], np.int64)


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas.NA."""
    if value is None:
        return True
    same = value == value
    return not isinstance(same, bool | np.bool_) or not same
