"""Parquet and CSV files as Dask frames."""

from __future__ import annotations

from typing import Any

from widemargin.engine.dask import _dask
from widemargin.settings import current


def open_parquet(path: str) -> Any:
    """A frame of a Parquet file, of a folder of such, or of those that match a glob.

    A partition is made of whole row groups, which is how the file is stored.
    """
    size = current().distributed.partition_bytes
    return _dask.dataframe().read_parquet(
        path, split_row_groups="adaptive", blocksize=size
    )


def open_csv(path: str, sample: int, sample_rows: int, **layout: Any) -> Any:
    """A frame of delimited text, of one file or of those that match a glob.

    Parameters
    ----------
    path : str
    sample : int
        Bytes at the beginning that tell the types of the columns. Whole numbers become
        floats, since some may be missing farther on.
    sample_rows : int
        Rows that tell the types, within these bytes.
    **layout : dict
        Goes to `pandas.read_csv`.
    """
    return _dask.dataframe().read_csv(
        path,
        blocksize=current().distributed.partition_bytes,
        sample=sample,
        sample_rows=sample_rows,
        assume_missing=True,
        **layout,
    )
