"""What the columns of a frame hold: numbers, booleans, nominal values, or others."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.data.frames import column_of, is_frame
from widemargin.data.targets import MANY_NUMBERS

NUMBER, BOOLEAN, NOMINAL, ORDERED, OTHER = range(5)


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
    """What the columns of a frame hold, going by their types and by what objects are.

    Of objects, numbers make a numeric column and dates one that no method takes; all
    else is nominal. Without any value, the type decides.
    """
    found = _by_type(X, kind)
    for f in object_columns(X):
        found[f] = _kind_of_objects(column_of(X, f), found[f])
    return found


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
    known = _inferred(column)
    return kind_of_values(column.to_list(), default) if known is None else known


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


def holds_mixture(column: Any) -> bool:
    """Whether a column of objects has both numbers and text."""
    return _inferred(column) is None and is_mixture(column.to_list())


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
