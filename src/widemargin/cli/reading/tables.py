"""Formats that other libraries read: Parquet, Feather, Excel, AnnData."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

from widemargin.cli.problem import Problem, did_you_mean, listed, needs
from widemargin.cli.reading.files import File
from widemargin.cli.reading.source import MISSING, Source, Wishes

INSTALL = '"widemargin[files]"'


def read_parquet(file: File, wishes: Wishes) -> Source:
    """Read a Parquet file."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise needs("pyarrow", "Parquet", INSTALL) from None
    try:
        table = parquet.read_table(io.BytesIO(file.data))
    except (ArrowException, OSError, ValueError) as error:
        raise _unreadable(file, "Parquet", error) from None
    return _from_arrow(file, table)


def read_feather(file: File, wishes: Wishes) -> Source:
    """Read a Feather file, which is an Arrow file or its predecessor."""
    try:
        from pyarrow import ArrowException, feather
    except ImportError:
        raise needs("pyarrow", "Feather", INSTALL) from None
    try:
        table = feather.read_table(io.BytesIO(file.data))
    except (ArrowException, OSError, ValueError) as error:
        raise _unreadable(file, "Feather", error) from None
    return _from_arrow(file, table)


def _from_arrow(file: File, table: Any) -> Source:
    # Frames cannot tell columns of one name apart.
    names = table.column_names
    repeated = sorted({name for name in names if names.count(name) > 1}, key=str)
    if repeated:
        raise Problem(f"{file.name} has more than one column named {listed(repeated)}.")
    frame = table.to_pandas()
    # An index that pandas stored is no feature.
    return Source(frame.reset_index(drop=True))


def read_excel(file: File, wishes: Wishes) -> Source:
    """Read the first sheet of an Excel file."""
    import pandas as pd

    try:
        from openpyxl import load_workbook
    except ImportError:
        raise needs("openpyxl", "Excel", INSTALL) from None
    try:
        book = load_workbook(io.BytesIO(file.data), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        rows = [list(row) for row in sheet.iter_rows(values_only=True)]
    except Exception as error:  # openpyxl lets all kinds of errors of others through
        raise _unreadable(file, "Excel", error) from None
    notes = []
    if len(book.worksheets) > 1:
        notes.append(
            f"{file.name} has {len(book.worksheets)} sheets; "
            f"the first, {sheet.title!r}, is read."
        )
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if not rows:
        raise Problem(f"{file.name} has nothing on its first sheet.")
    frame = pd.DataFrame(rows)
    frame = frame.loc[:, frame.notna().any()]
    head = frame.iloc[0].tolist()
    names = [
        f"column {j}" if cell is None or cell != cell else str(cell).strip()
        for j, cell in enumerate(head)
    ]
    frame = frame.iloc[1:].reset_index(drop=True).set_axis(names, axis=1)
    missing = [*MISSING, *wishes.missing]
    frame = frame.mask(frame.isin(missing)).infer_objects()
    return Source(frame, notes=notes)


def read_anndata(file: File, wishes: Wishes) -> Source:
    """Read genes as features and one column of the observations as classes."""
    try:
        from anndata import read_h5ad
    except ImportError:
        raise needs("anndata", "AnnData") from None
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.h5ad"
        path.write_bytes(file.data)
        try:
            data = read_h5ad(path)
        except (OSError, KeyError, ValueError, TypeError) as error:
            raise _unreadable(file, "AnnData", error) from None
    described = list(data.obs.columns)
    if not described:
        raise Problem(f"{file.name} says nothing about its observations: no target.")
    target = wishes.target or described[-1]
    if target not in described:
        raise Problem(
            f"{file.name} has no column {target!r} in obs."
            f"{did_you_mean(target, described)} There is: {listed(described)}."
        )
    notes = []
    if wishes.target is None:
        notes.append(
            f"the last column of obs, {target!r}, is the target (--target names "
            "another)."
        )
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    names = data.var_names.astype(str)
    frame = pd.DataFrame(X, columns=names)
    while target in frame.columns:
        frame = frame.rename(columns={target: f"{target} (feature)"})
    classes = data.obs[target].reset_index(drop=True)
    return Source(pd.concat([frame, classes], axis=1), target=target, notes=notes)


def _unreadable(file: File, what: str, error: Exception) -> Problem:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return Problem(f"{file.name} is not a readable {what} file: {lines[0]}")
