"""Frames of any library, read as frames of pandas or polars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

# Types of arrays that `transform` keeps; scikit-learn calls the first the default.
FLOATS, INTS = ("float64", "float32", "float16"), ("int64", "int32", "int16", "int8")
PRESERVED = (*FLOATS, *INTS, "bool", "object")


def is_frame(X: Any) -> bool:
    """Whether X is a frame of pandas or polars, or looks like one."""
    return hasattr(X, "columns") and (hasattr(X, "iloc") or hasattr(X, "to_series"))


def column_of(X: Any, f: int) -> Any:
    """Column f of a frame or an array; in pandas, a name may occur twice."""
    if isinstance(X, np.ndarray):
        return X[:, f]
    return X.iloc[:, f] if hasattr(X, "iloc") else X.to_series(f)


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix or array."""
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def has_sparse_columns(X: Any) -> bool:
    """Whether X is a pandas frame of sparse columns of numbers alone."""
    types = X.dtypes if hasattr(X, "iloc") else ()
    return len(types) > 0 and all(
        type(t).__name__ == "SparseDtype" and t.kind in "biuf" and t.fill_value == 0
        for t in types
    )


def feature_names(X: Any) -> NDArray[np.object_]:
    """Column names as text, x0, x1, … for what has none."""
    columns = getattr(X, "columns", None)
    if columns is None:
        columns = [f"x{f}" for f in range(np.shape(X)[1])]
    return np.array([str(c) for c in columns], dtype=object)


def as_frame(X: Any, name: str) -> Any:
    """X as a frame of pandas or polars if it is another frame; else X itself.

    A frame of narwhals wraps one of another library. Others are read through Arrow's
    standard interface, ``__arrow_c_stream__``.
    """
    if type(X).__name__ == "LazyFrame":
        library = type(X).__module__.split(".")[0]
        raise TypeError(
            f"{name} needs a table in memory, but X is a {library} LazyFrame. Call "
            "X.collect() first."
        )
    X = without_narwhals(X)
    column = hasattr(X, "dtype")
    if is_frame(X) or column or not hasattr(X, "__arrow_c_stream__"):
        return X
    if hasattr(X, "read_all"):
        raise TypeError(
            f"{name} needs a table that can be read again, but X is a stream "
            f"({type(X).__name__}). Call X.read_all() first."
        )
    try:
        import pandas as pd  # noqa: F401
        import pyarrow as pa
    except ImportError as error:
        raise ImportError(
            f"{name} reads X, a {type(X).__name__}, by pandas and pyarrow, but "
            f"{error.name} is not installed: pip install pandas pyarrow."
        ) from error
    return (X if hasattr(X, "to_pandas") else pa.table(X)).to_pandas()


def without_narwhals(data: Any) -> Any:
    """The frame or the column that narwhals wraps; anything else as it is."""
    wrapped = type(data).__module__.split(".")[0] == "narwhals"
    return data.to_native() if wrapped else data


def for_output(frame: Any, library: str) -> Any:
    """Columns of a frame as `set_output` asks for them.

    scikit-learn itself makes a frame of polars out of one of pandas, but one of
    objects the other way round.
    """
    if library == "pandas" and not hasattr(frame, "iloc"):
        return frame.to_pandas()
    return frame


def data_frame(columns: Mapping[str, Any]) -> pd.DataFrame:
    """Columns as a pandas frame; pandas is imported only when someone asks for one."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "A result's .frame needs pandas, which is not installed: "
            'pip install "widemargin[report]". '
            "The same numbers are in the result's own attributes."
        ) from error
    return pd.DataFrame(dict(columns))
