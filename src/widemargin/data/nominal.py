"""Which columns are nominal: those that the caller names, and those of such types."""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin.data.frames import column_of, is_frame
from widemargin.data.kinds import (
    BOOLEAN,
    NOMINAL,
    holds_mixture,
    kinds,
    object_columns,
)
from widemargin.data.protocol import Ints
from widemargin.notices import warn


def nominal_columns(
    X: Any, given: Any, name: str, *, booleans: bool = True, notice: bool = True
) -> Ints:
    """Numbers of the nominal columns of X.

    Those are the ones ``given``, as a mask, as numbers or as names, and those that the
    types of a frame declare, with or without booleans. A column of objects is nominal
    if they are text; with ``notice``, one that has numbers too is warned of.
    """
    declared: list[int] = []
    if is_frame(X):
        wanted = (NOMINAL, BOOLEAN) if booleans else (NOMINAL,)
        declared = [f for f, k in enumerate(kinds(X)) if k in wanted]
    chosen = given_columns(X, given, name)
    if declared and notice:
        asked = set(declared).difference(chosen.tolist())
        mixtures = [
            str(X.columns[f])
            for f in object_columns(X)
            if f in asked and holds_mixture(column_of(X, f))
        ]
        warn_of_mixtures(mixtures, name)
    return np.union1d(np.array(declared, np.int64), chosen)


def given_columns(X: Any, given: Any, name: str) -> Ints:
    """Numbers of the columns that the caller names, in whatever way."""
    if given is None:
        return np.empty(0, np.int64)
    shape = np.shape(X)
    if len(shape) != 2:
        return np.empty(0, np.int64)  # refused later, with the usual words
    d, chosen = shape[1], np.asarray(given)
    if chosen.dtype.kind in "OUT" and chosen.ndim == 1 and len(chosen):
        chosen = _places(X, chosen.tolist(), name)
    elif chosen.dtype == bool and chosen.shape == (d,):
        chosen = np.flatnonzero(chosen)
    elif chosen.shape != (0,) and (chosen.dtype.kind not in "iu" or chosen.ndim != 1):
        raise ValueError(
            f"{name}: categorical_features must be column numbers, names, or a mask of "
            f"shape ({d},); got an array of shape {chosen.shape} and type "
            f"{chosen.dtype}."
        )
    strange = chosen[(chosen < -d) | (chosen >= d)]
    if len(strange):
        raise ValueError(
            f"{name}: categorical_features has column {strange[0]}, but X has columns "
            f"0 to {d - 1}."
        )
    return (chosen % d).astype(np.int64)


def _places(X: Any, names: list[Any], name: str) -> Ints:
    """Where the columns of these names are."""
    if not is_frame(X):
        raise ValueError(
            f"{name}: categorical_features has names ({names[0]!r}), but X is not a "
            "DataFrame. Use column numbers or a mask."
        )
    columns = list(X.columns)
    unknown = [c for c in names if c not in columns]
    if unknown:
        raise ValueError(
            f"{name}: categorical_features has {unknown[0]!r}, which is not a column "
            f"of X: {listed(list(map(str, columns)))}."
        )
    return np.array([columns.index(c) for c in names], np.int64)


def warn_of_mixtures(columns: list[str], name: str) -> None:
    """Name the columns in which numbers and text are mixed."""
    if columns:
        warn(
            f"{name}: numbers and text are mixed in {len(columns)} "
            f"column{'s' * (len(columns) > 1)}, treated as nominal: {listed(columns)}. "
            "If the text stands for missing values, convert with "
            'pandas.to_numeric(column, errors="coerce"); if the numbers are names, '
            "list such columns in categorical_features."
        )


def listed(columns: list[str]) -> str:
    """The first of some names."""
    return ", ".join(map(repr, columns[:5])) + (", …" if len(columns) > 5 else "")
