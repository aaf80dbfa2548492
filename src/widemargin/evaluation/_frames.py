"""Results as pandas frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


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
