"""Which columns of the caller's table are nominal, and all of them as numbers.

A nominal column becomes codes 0, 1, … in order of first appearance, so that neither
the names of its values nor an order that their type happens to have plays a part. A
missing cell becomes NaN, whatever it was before.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.notices import warn
from widemargin.targets import MANY_NUMBERS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# The methods that take nominal features and missing values.
MIXED = (
    "Relief",
    "ReliefF",
    "Simba",
    "OReliefF",
    "OSimba",
    "SURF",
    "SURFStar",
    "MultiSURF",
    "MultiSURFStar",
    "IRelief",
    "RReliefF",
)

ENCODE = (
    "Encode them (for example with sklearn.preprocessing.OrdinalEncoder or "
    "OneHotEncoder), drop them, or use a method that takes nominal features as they "
    f"are: {', '.join(MIXED)}."
)

NUMBER, BOOLEAN, NOMINAL, ORDERED, OTHER = range(5)


def is_frame(X: Any) -> bool:
    """Whether X is a pandas or polars frame, or looks like one."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


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


def column_of(X: Any, f: int) -> Any:
    """Column f of a frame; in pandas, a name may occur twice."""
    return X.iloc[:, f] if hasattr(X, "iloc") else X.to_series(f)


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


def _is_mixture(column: Any) -> bool:
    return _inferred(column) is None and is_mixture(column.to_list())


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


def warn_of_mixtures(columns: list[str], name: str) -> None:
    """Name the columns in which numbers and text are mixed."""
    if columns:
        warn(
            f"{name}: numbers and text are mixed in {len(columns)} "
            f"column{'s' * (len(columns) > 1)}, taken as nominal: {listed(columns)}. "
            "If the text stands for missing values, convert with "
            'pandas.to_numeric(column, errors="coerce"); if the numbers are names, '
            "list such columns in categorical_features."
        )


def listed(columns: list[str]) -> str:
    """The first of some names."""
    return ", ".join(map(repr, columns[:5])) + (", …" if len(columns) > 5 else "")


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
    chosen = _given_columns(X, given, name)
    if declared and notice:
        asked = set(declared).difference(chosen.tolist())
        mixtures = [
            str(X.columns[f])
            for f in object_columns(X)
            if f in asked and _is_mixture(column_of(X, f))
        ]
        warn_of_mixtures(mixtures, name)
    return np.union1d(np.array(declared, np.int64), chosen)


def _given_columns(X: Any, given: Any, name: str) -> Ints:
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
            f"{name}: categorical_features has names ({names[0]!r}), but X is no "
            "frame; use column numbers or a mask."
        )
    columns = list(X.columns)
    unknown = [c for c in names if c not in columns]
    if unknown:
        raise ValueError(
            f"{name}: categorical_features has {unknown[0]!r}, which is no column of X."
        )
    return np.array([columns.index(c) for c in names], np.int64)


def refuse_columns(X: Any, name: str, *, mixed: bool) -> None:
    """Name the columns of a frame that the method cannot take."""
    if not is_frame(X):
        return
    fine = {NUMBER, BOOLEAN} | ({NOMINAL, ORDERED} if mixed else set())
    columns = zip(X.columns, kinds(X), strict=True)
    odd = [str(c) for c, k in columns if k not in fine]
    refuse_odd_columns(odd, len(X.columns), name, mixed=mixed)


def refuse_odd_columns(odd: list[str], d: int, name: str, *, mixed: bool) -> None:
    """Name these columns, of d, unless there are none."""
    if not odd:
        return
    wanted = "numeric or nominal features" if mixed else "numeric features"
    advice = "Encode them (for example as numbers of days) or drop them."
    if not mixed:
        advice = ENCODE
    raise ValueError(
        f"{name} needs {wanted}; {len(odd)} of {d} columns are not: "
        f"{listed(odd)}. {advice}"
    )


def refuse_text(X: Any, name: str, nominal: Ints | None) -> None:
    """Name the columns of an array that hold text which is no number."""
    if not isinstance(X, np.ndarray) or X.dtype.kind not in "OUST" or X.ndim != 2:
        return
    numeric = np.setdiff1d(np.arange(X.shape[1]), [] if nominal is None else nominal)
    odd = [int(f) for f in numeric if any(map(_is_text, X[:, f].tolist()))]
    if not odd:
        return
    shown = ", ".join(map(str, odd[:5])) + (", …" if len(odd) > 5 else "")
    wanted = "numbers" if nominal is None else "numbers, or to be told what is nominal"
    advice = ENCODE if nominal is None else "Name them in categorical_features."
    raise ValueError(
        f"{name} needs {wanted}; {len(odd)} of {X.shape[1]} columns hold text: "
        f"{shown}. {advice}"
    )


def _is_text(value: Any) -> bool:
    if not isinstance(value, str | bytes):
        return False
    try:
        float(value)
    except ValueError:
        return True
    return False


def unwrapped(X: Any, name: str, *, missing: bool) -> Any:
    """X as a frame or an array without a mask, where it comes as something else.

    A masked cell is a missing value, and refused unless there may be some.
    """
    library = type(X).__module__.split(".")[0]
    if library == "polars" and type(X).__name__ == "LazyFrame":
        raise TypeError(
            f"{name} needs a table in memory, but X is a polars LazyFrame. Call "
            "X.collect() first."
        )
    if library == "pyarrow" and hasattr(X, "to_pandas"):
        return X.to_pandas()
    if not np.ma.isMaskedArray(X):
        return X
    mask = np.ma.getmaskarray(X)
    if not mask.any():
        return X.data
    if not missing:
        raise ValueError(
            f"{name} does not take missing values, but {mask.sum()} of {X.size} cells "
            "of X are masked. Fill them in, for example with X.filled(0) or "
            "sklearn.impute.SimpleImputer, or use a method that takes missing values: "
            f"{', '.join(MIXED)}."
        )
    whole = X.dtype.kind in "biu"
    values = np.array(X.data, dtype=np.float64 if whole else None)
    if values.dtype.kind not in "f":  # text
        values = values.astype(object)
    values[mask] = np.nan
    return values


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix or array."""
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def refuse_sparse(X: Any, name: str) -> None:
    """Say what to do with a sparse matrix."""
    if not is_sparse(X):
        return
    size = 8 * float(np.prod(X.shape, dtype=float)) / 2**20
    raise TypeError(
        f"{name} needs dense features, but X is sparse ({type(X).__name__} of shape "
        f"{X.shape}). Make it dense with X.toarray(), which takes {size:,.0f} MB, or "
        "first choose some of its columns, for example with "
        "sklearn.feature_selection.SelectKBest."
    )


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


def missing_cells(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which entries of an array of objects are None, NaN, NaT or pandas' NA."""
    flat = [is_missing(v) for v in values.ravel().tolist()]
    return np.array(flat, dtype=bool).reshape(values.shape)


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating | Decimal) and bool(value != value)


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


def holds_numbers(X: Any) -> bool:
    """Whether X is a frame of numbers alone, all of types that NumPy has."""
    return is_frame(X) and all(map(_is_plain_number, X.dtypes))


def _is_plain_number(dtype: Any) -> bool:
    if isinstance(dtype, np.dtype):
        return dtype.kind in "iuf"
    # polars
    names = ("is_integer", "is_float")
    return any(bool(getattr(dtype, name, bool)()) for name in names)


def floats_of(column: Any) -> Floats:
    """Numbers of a column or of a frame of these, NaN where a value is missing."""
    if hasattr(column, "iloc"):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(column.to_numpy(), dtype=np.float64)
