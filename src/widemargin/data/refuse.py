"""What no method takes, or not this one: refused with the names of the columns."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from widemargin.data.frames import (
    as_frame,
    has_sparse_columns,
    is_frame,
    is_sparse,
)
from widemargin.data.kinds import (
    BOOLEAN,
    NOMINAL,
    NUMBER,
    ORDERED,
    OTHER,
    TEXT,
    listed,
)
from widemargin.data.protocol import Ints

# The methods that take nominal features and missing values.
MIXED = (
    "KernelRFE",
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

# The methods that are fitted to sparse X.
SPARSE = (
    "AutoSelector",
    "KernelRFE",
    "Relief",
    "ReliefF",
    "SURF",
    "SURFStar",
    "MultiSURF",
    "MultiSURFStar",
    "FRLL",
    "FisherScore",
    "PearsonScore",
    "MRMR",
    "InformationGain",
    "FCBF",
)

ENCODE = (
    "Encode them (for example with sklearn.preprocessing.OrdinalEncoder or "
    "OneHotEncoder), drop them, or use a method that takes nominal features as they "
    f"are: {', '.join(MIXED)}."
)


def refuse_columns(X: Any, kinds: Ints, name: str, nominal: Ints | None) -> None:
    """Name the columns that a method cannot take.

    ``nominal`` are those that it takes as such; None if it takes numbers only.
    """
    mixed = nominal is not None
    if is_frame(X):
        fine = (NUMBER, BOOLEAN, NOMINAL, ORDERED) if mixed else (NUMBER, BOOLEAN)
        odd = [str(X.columns[f]) for f in np.flatnonzero(~np.isin(kinds, fine))]
        refuse_odd_columns(odd, len(X.columns), name, mixed=mixed)
        return
    numeric = np.ones(len(kinds), np.bool_)
    numeric[[] if nominal is None else nominal] = False
    text = np.flatnonzero(numeric & (kinds == TEXT)).tolist()
    wanted = "numbers, or to be told what is nominal" if mixed else "numbers"
    advice = "Name them in categorical_features." if mixed else ENCODE
    _refuse(text, len(kinds), name, wanted, "hold text", advice)
    for f in np.flatnonzero(numeric & (kinds == OTHER)):
        np.asarray(X[:, f], np.float64)  # NumPy says what is wrong with it


def refuse_odd_columns(odd: list[str], d: int, name: str, *, mixed: bool) -> None:
    """Name these columns of a frame, of d, unless there are none."""
    wanted = "numeric or nominal features" if mixed else "numeric features"
    advice = "Encode them (for example as numbers of days) or drop them."
    _refuse(odd, d, name, wanted, "are not", advice if mixed else ENCODE)


def _refuse(
    odd: list[Any], d: int, name: str, wanted: str, are: str, advice: str
) -> None:
    if odd:
        raise ValueError(
            f"{name} needs {wanted}; {len(odd)} of {d} columns {are}: "
            f"{listed(odd)}. {advice}"
        )


def refuse_sparse(X: Any, name: str) -> None:
    """Say what to use for a sparse matrix."""
    if not is_sparse(X):
        return
    size = 8 * float(np.prod(X.shape, dtype=float)) / 2**20
    raise TypeError(
        f"{name} needs dense features, but X is sparse ({type(X).__name__} of shape "
        f"{X.shape}; dense, it takes {size:,.0f} MB). Use one of {', '.join(SPARSE)}, "
        "or X.toarray() if that fits into memory (sparse_output=False of "
        "OneHotEncoder, sparse_threshold=0 of ColumnTransformer)."
    )


def unwrapped(X: Any, name: str, *, missing: bool, sparse: bool = False) -> Any:
    """X as a frame or an array without a mask, where it comes as something else.

    A masked cell is a missing value, and refused unless there may be some. X may be
    sparse only if it is said so.
    """
    if sparse and (is_sparse(X) or has_sparse_columns(X)):
        return X
    X = as_frame(X, name)
    refuse_sparse(X, name)
    refuse_what_is_no_table(X, name)
    if not np.ma.isMaskedArray(X):
        return X
    mask = np.ma.getmaskarray(X)
    if not mask.any():
        return X.data
    if not missing:
        raise ValueError(
            f"{name} does not support missing values, but {mask.sum()} of {X.size} "
            "cells of X are masked. Fill them in, for example with X.filled(0) or "
            "sklearn.impute.SimpleImputer, or use a method that supports them: "
            f"{', '.join(MIXED)}."
        )
    whole = X.dtype.kind in "biu"
    values = np.array(X.data, dtype=np.float64 if whole else None)
    if values.dtype.kind not in "f":  # text
        values = values.astype(object)
    values[mask] = np.nan
    return values


def refuse_what_is_no_table(X: Any, name: str) -> None:
    """Say what to do with an X that is not an array or a frame of plain columns."""
    came = _not_a_table(X) or (_odd_frame(X) if is_frame(X) else _odd_array(X))
    if came:
        raise ValueError(f"{name} needs a table of rows and columns, but X {came}")


def _not_a_table(X: Any) -> str:
    if isinstance(X, dict):
        return "is a dict. Make it a frame: pandas.DataFrame(X)."
    if X is None or isinstance(X, str | bytes):
        return f"is {'None' if X is None else 'text'}. Pass an array or a DataFrame."
    rows = X if isinstance(X, list | tuple) else ()
    lengths = {len(row) for row in rows if isinstance(row, list | tuple)}
    if len(lengths) > 1:
        return (
            f"has rows of {min(lengths)} to {max(lengths)} values. Give all the same "
            "number, None where a value is missing."
        )
    return ""


def _odd_frame(X: Any) -> str:
    if len(set(X.columns)) < len(X.columns):
        repeated = [str(c) for c, times in Counter(X.columns).items() if times > 1]
        return (
            f"has several columns of the same name: {listed(repeated)}. Rename them, "
            "or pass X.to_numpy()."
        )
    if any(type(t).__name__ == "SparseDtype" for t in X.dtypes):
        return "has sparse columns. Make them dense with X.sparse.to_dense()."
    return ""


def _odd_array(X: Any) -> str:
    dtype = getattr(X, "dtype", None)
    if getattr(dtype, "names", None):
        return "is an array of records. Make it a frame: pandas.DataFrame(X)."
    if getattr(dtype, "kind", "") == "c":
        return (
            "is an array of complex numbers. Complex data not supported: take their "
            "real parts, sizes or angles."
        )
    if getattr(dtype, "kind", "") in ("M", "m"):
        return (
            f"is an array of type {dtype}. Make numbers of it, for example of days: "
            "(X - X.min()) / numpy.timedelta64(1, 'D')."
        )
    return ""
