"""What the results of an evaluation have in common: feature names and pandas frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from widemargin.data.refuse import unwrapped

if TYPE_CHECKING:
    import pandas as pd

Names = NDArray[np.object_]


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


def feature_names(X: Any) -> Names:
    """Column names as text, x0, x1, … for what has none."""
    columns = getattr(X, "columns", None)
    if columns is None:
        columns = [f"x{f}" for f in range(np.shape(X)[1])]
    return np.array([str(c) for c in columns], dtype=object)


def in_memory(X: Any, caller: str) -> Any:
    """X with a shape and rows that can be taken out of it."""
    if type(X).__module__.split(".")[0] == "dask":
        raise TypeError(
            f"{caller} draws rows at random and needs X and y in memory, got a Dask "
            "collection. Call X.compute() first, or on a sample of the rows."
        )
    X = unwrapped(X, caller, missing=True)
    return X if hasattr(X, "shape") else np.asarray(X)
