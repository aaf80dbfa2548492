"""What the columns of a table hold: numbers, booleans, nominal values, or others."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.data.frames import column_of, is_frame, is_sparse
from widemargin.data.protocol import Ints
from widemargin.data.targets import MANY_NUMBERS
from widemargin.notices import warn

NUMBER, BOOLEAN, NOMINAL, ORDERED, OTHER, TEXT = range(6)  # TEXT: in an array
CODED = (NOMINAL, OTHER, TEXT)  # what a dataset has codes for


def kind(dtype: Any) -> int:
    """What a column of a pandas or polars frame holds, going by its type."""
    name = type(dtype).__name__
    if name == "CategoricalDtype":  # pandas
        return ORDERED if dtype.ordered else NOMINAL
    letter = getattr(dtype, "kind", None)
    if letter is not None:  # NumPy and pandas
        kinds = {"b": BOOLEAN, **dict.fromkeys("iuf", NUMBER)}
        text = letter in "OSUT" and name not in ("PeriodDtype", "IntervalDtype")
        return kinds.get(letter, NOMINAL if text else OTHER)
    # polars
    if getattr(dtype, "is_numeric", lambda: True)():
        return NUMBER
    kinds = {"Boolean": BOOLEAN, "Enum": ORDERED}
    text = name in ("String", "Categorical", "Object")
    return kinds.get(name, NOMINAL if text else OTHER)


def kinds(X: Any) -> list[int]:
    """What the columns of a table hold, going by their types and by what objects are.

    Of objects in a frame, numbers make a numeric column and dates one that no method
    takes; all else is nominal. Without any value, the type decides.
    """
    if not is_frame(X):
        return _kinds_of_array(X) if X.dtype.kind in "OUST" else [NUMBER] * X.shape[1]
    found = _by_type(X, kind)
    for f in object_columns(X):
        found[f] = _kind_of_objects(column_of(X, f), found[f])
    return found


def mixture_columns(X: Any, found: Ints) -> list[int]:
    """Nominal columns of objects in a frame that have both numbers and text."""
    return [
        f
        for f in (object_columns(X) if is_frame(X) else [])
        if found[f] == NOMINAL
        and _inferred(column_of(X, f)) is None
        and is_mixture(column_of(X, f).to_list())
    ]


def object_columns(X: Any) -> list[int]:
    """Columns of a frame that may hold anything, going by their types."""
    return [f for f, holds in enumerate(_by_type(X, _holds_objects)) if holds]


def _by_type(X: Any, function: Callable[[Any], Any]) -> list[Any]:
    """What a function says of the type of each column; wide frames have few types."""
    dtypes = list(X.dtypes)
    different = {id(dtype): dtype for dtype in dtypes}
    known = {key: function(dtype) for key, dtype in different.items()}
    return [known[id(dtype)] for dtype in dtypes]


def _holds_objects(dtype: Any) -> bool:
    name = type(dtype).__name__
    any_kind = isinstance(dtype, np.dtype) or name == "ArrowDtype"  # pandas
    return name == "Object" or (any_kind and dtype.kind == "O")  # polars or pandas


# What pandas finds in a column of objects, where that says all.
INFERRED = {
    "string": NOMINAL,
    "integer": NUMBER,
    "floating": NUMBER,
    "mixed-integer-float": NUMBER,
    "decimal": NUMBER,
    "boolean": BOOLEAN,
}


def _inferred(column: Any) -> int | None:
    """What pandas finds in a column of objects, at the speed of C; None if unsure."""
    if not hasattr(column, "iloc"):
        return None
    from pandas.api.types import infer_dtype

    return INFERRED.get(infer_dtype(column, skipna=True))


def _kind_of_objects(column: Any, default: int) -> int:
    inferred = _inferred(column)
    return kind_of_values(column.to_list(), default) if inferred is None else inferred


def _kinds_of_array(X: NDArray[Any]) -> list[int]:
    """What the columns of an array of objects or text hold; numerals are numbers."""
    found = []
    for column in X.T:
        values = [v for v in column.tolist() if not is_missing(v)]
        try:
            np.array(values, dtype=np.float64)
            found.append(NUMBER)
        except (TypeError, ValueError):
            found.append(TEXT if any(map(_is_text, values)) else OTHER)
    return found


def _is_text(value: Any) -> bool:
    """Whether a value is text that is not a numeral."""
    if not isinstance(value, str | bytes):
        return False
    try:
        float(value)
    except ValueError:
        return True
    return False


def kind_of_values(values: list[Any], default: int = NOMINAL) -> int:
    """What some objects are; ``default`` if all of them are missing."""
    values = [v for v in values if not is_missing(v)]
    if not values:
        return default
    if all(isinstance(v, bool | np.bool_) for v in values):
        return BOOLEAN
    if all(map(_is_number, values)):
        return NUMBER
    return OTHER if all(isinstance(v, date | timedelta) for v in values) else NOMINAL


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real | Decimal | np.bool_)


def is_mixture(values: list[Any]) -> bool:
    """Whether there are both numbers and text."""
    return any(isinstance(v, str) for v in values) and any(
        _is_number(v) and not is_missing(v) for v in values
    )


def are_numerals(values: list[Any]) -> bool:
    """Whether text must be numbers: with decimals, or more than there are codes."""
    try:
        found = np.array([v for v in values if not is_missing(v)], dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return len(found) > MANY_NUMBERS or bool(np.any(found % 1 != 0))


def holds_numbers(X: Any) -> bool:
    """Whether X is a frame of numbers alone, all of types that NumPy has."""
    return is_frame(X) and all(map(_is_plain_number, X.dtypes))


def _is_plain_number(dtype: Any) -> bool:
    if isinstance(dtype, np.dtype):
        return dtype.kind in "iuf"
    # polars
    names = ("is_integer", "is_float")
    return any(bool(getattr(dtype, name, bool)()) for name in names)


def missing_cells(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which entries of an array of objects are None, NaN, NaT or pandas' NA."""
    flat = [is_missing(v) for v in values.ravel().tolist()]
    return np.array(flat, dtype=bool).reshape(values.shape)


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating | Decimal) and bool(value != value)


def nominal_columns(
    X: Any, given: Any, name: str, found: Ints | None = None, *, booleans: bool = True
) -> Ints:
    """Numbers of the nominal columns of X.

    Those are the ones ``given``, as a mask, as numbers or as names, and those that the
    types of a frame declare, with or without booleans. ``found`` are the kinds of the
    columns, if they are known.
    """
    chosen = given_columns(X, given, name)
    if found is None:
        found = np.array(kinds(X) if is_frame(X) else [], np.int64)
    declared = np.isin(found, (NOMINAL, BOOLEAN) if booleans else (NOMINAL,))
    return np.union1d(np.flatnonzero(declared), chosen)


def given_columns(X: Any, given: Any, name: str) -> Ints:
    """Numbers of the columns that the caller names, in whatever way."""
    if given is None:
        return np.empty(0, np.int64)
    shape = np.shape(X)
    if is_sparse(X):
        raise ValueError(
            f"{name}: categorical_features names columns of a sparse X, which holds "
            "numbers. One-hot encode them, or pass X.toarray()."
        )
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


def listed(names: list[Any]) -> str:
    """The first of some columns or classes."""
    return ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")
