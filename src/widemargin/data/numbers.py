"""Columns as numbers: codes of nominal values, places of ordered ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin.data.frames import column_of, is_frame
from widemargin.data.kinds import (
    ORDERED,
    is_missing,
    kinds,
    missing_cells,
    object_columns,
)
from widemargin.data.nominal import listed
from widemargin.data.protocol import Floats, Ints
from widemargin.notices import warn

LARGEST_EXACT = 2.0**53  # integers beyond it may be rounded in float64


def as_numbers(X: Any, nominal: Ints, name: str) -> Any:
    """X with codes for nominal and ordered columns; X itself if it has none."""
    if is_frame(X):
        found = kinds(X)
        if not (len(nominal) or ORDERED in found or object_columns(X)):
            return X
        table = np.empty(X.shape)
        for f, k in enumerate(found):
            column = column_of(X, f)
            if f in nominal:
                table[:, f] = _codes(column, name, str(X.columns[f]))
            else:
                table[:, f] = places_of(column) if k == ORDERED else floats_of(column)
        return table
    values = X if isinstance(X, np.ndarray) else None
    if values is None and len(nominal):
        values = np.asarray(X, dtype=object)
    if values is None or (values.dtype.kind != "O" and not len(nominal)):
        return X
    if values.ndim != 2:
        return X
    if values.dtype.kind == "O":
        values = np.where(missing_cells(values), np.nan, values)
    if not len(nominal):
        return values
    table = np.empty(values.shape)
    rest = np.setdiff1d(np.arange(values.shape[1]), nominal)
    table[:, rest] = values[:, rest]
    for f in nominal:
        table[:, f] = _codes(values[:, f], name, str(f))
    return table


def warn_of_rounding(X: Any, Z: Floats, nominal: Ints, name: str) -> None:
    """Warn of integers in X that are too large for Z, the same table in float64."""
    suspects = np.setdiff1d(_integer_columns(X, Z.shape[1]), nominal)
    if not len(suspects):
        return
    part = Z if len(suspects) == Z.shape[1] else Z[:, suspects]
    with np.errstate(invalid="ignore"):
        low, high = np.fmin.reduce(part), np.fmax.reduce(part)
    large = suspects[np.maximum(-low, high) > LARGEST_EXACT]
    if len(large):
        names = [str(X.columns[f]) if is_frame(X) else str(f) for f in large]
        warn(
            f"{name}: integers beyond 2**53 in column {listed(names)} are rounded, and "
            "different ones may become equal. Subtract the smallest from all, drop the "
            "column, or make it nominal if it holds identifiers."
        )


def _integer_columns(X: Any, d: int) -> list[int]:
    """Columns that may hold integers of more than 53 bits, going by their types."""
    if is_frame(X):
        names = ("int64", "uint64", "object")
        types = [str(dtype).lower() in names for dtype in X.dtypes]
        return np.flatnonzero(types).tolist()
    dtype = X.dtype if isinstance(X, np.ndarray) else np.asarray(X).dtype
    return list(range(d)) if dtype in (np.int64, np.uint64, object) else []


def _codes(values: Any, name: str, column: str) -> Floats:
    """Codes of the values by first appearance, NaN where there is none."""
    places, _ = different(values, name, column)
    return np.where(places < 0, np.nan, places)


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
    """Numbers of a column or of a frame of these, NaN where a value is missing."""
    if hasattr(column, "iloc"):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(column.to_numpy(), dtype=np.float64)
