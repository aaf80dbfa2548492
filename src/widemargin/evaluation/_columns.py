"""Columns of any table, numbers or not, with or without missing values."""

from __future__ import annotations

import numbers
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.frames import column_of, is_frame
from widemargin.data.kinds import (
    BOOLEAN,
    NUMBER,
    ORDERED,
    holds_numbers,
    kinds,
    missing_cells,
)
from widemargin.data.numbers import different, floats_of, places_of
from widemargin.data.protocol import Floats, Ints
from widemargin.data.refuse import unwrapped
from widemargin.evaluation._frames import Names, feature_names


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
    X = unwrapped(X, caller, missing=True)
    X = X if is_frame(X) else np.asarray(X)
    if len(X.shape) != 2 or min(X.shape) == 0:
        raise ValueError(f"{caller} needs rows and columns, got shape {X.shape}.")
    names = feature_names(X)
    if not is_frame(X) and X.dtype.kind in "biuf":
        return Columns(names, np.where(np.isfinite(X), X, np.nan), {})
    if holds_numbers(X):
        cells = floats_of(X)
        return Columns(names, np.where(np.isfinite(cells), cells, np.nan), {})
    table, nominal = np.full(X.shape, np.nan), {}
    found = kinds(X) if is_frame(X) else []
    for f in range(X.shape[1]):
        if found:
            column, values = _column_of_frame(X, f, found[f])
        else:
            column, values = X[:, f], _numbers_among_objects(X[:, f])
        if values is None:
            nominal[f] = _by_frequency(*different(column, caller, str(f)))
        else:
            table[:, f] = np.where(np.isfinite(values), values, np.nan)
    return Columns(names, table, nominal)


def _column_of_frame(X: Any, f: int, what: int) -> tuple[Any, Floats | None]:
    """A column, and its values as numbers if that is what they are."""
    column = column_of(X, f)
    if what == ORDERED:
        return column, places_of(column)
    if what not in (NUMBER, BOOLEAN):
        return column, None
    return column, floats_of(column)


def _numbers_among_objects(column: NDArray[Any]) -> Floats | None:
    missing = missing_cells(column)
    if all(isinstance(v, numbers.Real | np.bool_) for v in column[~missing]):
        return np.where(missing, np.nan, column).astype(np.float64)
    return None


def _by_frequency(codes: Ints, found: list[Any]) -> Ints:
    """Codes of nominal values, the most frequent one 0; −1 for a missing one."""
    counts = np.bincount(codes[codes >= 0], minlength=len(found))
    # Values of different types cannot be sorted, their text can.
    text = [f"{type(v).__name__} {v}" for v in found]
    ranked = sorted(range(len(found)), key=lambda c: (-counts[c], text[c]))
    places = np.empty(len(found) + 1, np.int64)
    places[ranked], places[-1] = np.arange(len(found)), -1
    return places[codes]
