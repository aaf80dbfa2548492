"""Columns as numbers: codes of nominal values, places of ordered ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin.data.frames import column_of, is_frame
from widemargin.data.kinds import (
    NUMBER,
    ORDERED,
    holds_numbers,
    is_missing,
    missing_cells,
)
from widemargin.data.protocol import Floats, Ints

LARGEST_EXACT = 2.0**53  # integers beyond it may be rounded in float64


def as_numbers(
    X: Any, kinds: Ints, coded: Ints, name: str
) -> tuple[Any, dict[int, list[Any]]]:
    """A frame or an array as numbers, with codes in some columns; what these stand for.

    X itself if all columns hold plain numbers: scikit-learn's checks convert these.
    """
    numbers = holds_numbers(X) if is_frame(X) else X.dtype.kind not in "OUST"
    categories: dict[int, list[Any]] = {}
    if numbers and not len(coded):
        return X, categories
    table, nominal = np.empty(X.shape), set(coded.tolist())
    if numbers:
        table[:] = floats_of(X)
    for f, kind in enumerate(kinds):
        column = column_of(X, f)
        if f in nominal:
            codes, categories[f] = different(column, name, _name_of(X, f))
            table[:, f] = np.where(codes < 0, np.nan, codes)
        elif not numbers:
            table[:, f] = places_of(column) if kind == ORDERED else floats_of(column)
    return table, categories


def _name_of(X: Any, f: int) -> str:
    return str(X.columns[f]) if is_frame(X) else str(f)


def rounded_columns(X: Any, values: Floats, kinds: Ints) -> Ints:
    """Columns of numbers with integers that are too large for float64."""
    suspects = np.flatnonzero(_may_be_large(X) & (kinds == NUMBER))
    if not len(suspects):
        return suspects
    part = values if len(suspects) == values.shape[1] else values[:, suspects]
    with np.errstate(invalid="ignore"):
        low, high = np.fmin.reduce(part), np.fmax.reduce(part)
    return suspects[np.maximum(-low, high) > LARGEST_EXACT]


def _may_be_large(X: Any) -> Any:
    """Whether columns may hold integers of more than 53 bits, going by their types."""
    if is_frame(X):
        names = ("int64", "uint64", "object")
        return np.array([str(dtype).lower() in names for dtype in X.dtypes])
    return X.dtype in (np.int64, np.uint64, object)


def code_columns(X: Any, values: Floats, coded: Ints, name: str) -> Floats:
    """Values of X, a copy, with codes in some more columns."""
    values = values.astype(np.float64)
    for f in coded.tolist():
        codes, _ = different(column_of(X, f), name, _name_of(X, f))
        values[:, f] = np.where(codes < 0, np.nan, codes)
    return values


def different(values: Any, name: str, column: str) -> tuple[Ints, list[Any]]:
    """Different values of a nominal column, and which of them each row has.

    They come in order of first appearance; −1 stands for a missing one.
    """
    kind_of_type = type(getattr(values, "dtype", None)).__name__
    quick = kind_of_type in ("CategoricalDtype", "StringDtype")
    if hasattr(values, "iloc") and (quick or values.dtype.kind != "O"):  # pandas
        places, found = values.factorize()
        return places.astype(np.int64), found.tolist()
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        there = ~np.isnan(values)
        found, first, place = np.unique(
            values[there], return_index=True, return_inverse=True
        )
        order = np.argsort(first)
        places = np.full(len(values), -1)
        places[there] = np.argsort(order)[place]
        return places, found[order].tolist()
    if hasattr(values, "to_list"):
        values = values.to_list()
    seen: dict[Any, int] = {}
    try:
        places = np.array([seen.setdefault(v, len(seen)) for v in values], np.int64)
    except TypeError:
        raise ValueError(
            f"{name}: the nominal column {column!r} has values that cannot be compared "
            "(lists or dictionaries). Make them text or numbers."
        ) from None
    # The missing ones of these take no code.
    missing = np.array([is_missing(v) for v in seen], dtype=bool)
    codes = np.where(missing, -1, np.cumsum(~missing) - 1)
    return codes[places], [v for v in seen if not is_missing(v)]


def places_of(column: Any) -> Floats:
    """Places of a column's values in the order that its type declares."""
    if hasattr(column, "cat") and hasattr(column.cat, "codes"):  # pandas
        codes = np.asarray(column.cat.codes, np.float64)
        return np.where(codes < 0, np.nan, codes)
    return floats_of(column.to_physical())  # polars


def floats_of(column: Any) -> Floats:
    """Numbers of a column or of a table of these, NaN where a value is missing."""
    if isinstance(column, np.ndarray):
        if column.dtype.kind == "O":
            column = np.where(missing_cells(column), np.nan, column)
        return column.astype(np.float64, copy=False)
    if hasattr(column, "iloc"):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(column.to_numpy(), dtype=np.float64)
