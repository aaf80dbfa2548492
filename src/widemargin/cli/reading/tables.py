"""Formats with one table that other libraries read: Parquet, Feather, Excel."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

import pandas as pd

from widemargin.cli.problem import Problem, listed, require
from widemargin.cli.reading.files import File
from widemargin.cli.reading.guards import BY_PARTS, check_room, problem_if_unreadable
from widemargin.cli.reading.source import (
    MISSING,
    Request,
    Source,
    distinct,
    lines_above,
)

MOST_ROWS = 2**20  # that Excel can have on a sheet

Rows = list[list[Any]]


def read_parquet(file: File, request: Request) -> Source:
    """Read a Parquet file."""
    parquet = require("pyarrow.parquet", "Parquet", "files")
    with problem_if_unreadable(f"{file.name} is not a readable Parquet file"):
        opened = parquet.ParquetFile(io.BytesIO(file.data))
        groups = opened.metadata
        sizes = [
            groups.row_group(g).total_byte_size for g in range(groups.num_row_groups)
        ]
        # A page may say in a few bytes that a million rows are alike.
        cells = groups.num_rows * groups.num_columns
        check_room(file.name, max(sum(sizes), 8 * cells), BY_PARTS)
        return _from_arrow(file, opened.read(), request)


def read_feather(file: File, request: Request) -> Source:
    """Read a Feather file, which is an Arrow file or its predecessor."""
    feather = require("pyarrow.feather", "Feather", "files")
    from pyarrow import ipc

    with problem_if_unreadable(f"{file.name} is not a readable Feather file"):
        if not file.data.startswith(b"ARROW1"):
            table = feather.read_table(io.BytesIO(file.data))
            return _from_arrow(file, table, request)
        with ipc.open_file(io.BytesIO(file.data)) as opened:
            _check_rows(file, opened.schema)
            return _from_arrow(file, opened.read_all(), request)


def _check_rows(file: File, schema: Any) -> None:
    """Refuse an Arrow file with too many rows, going by what its blocks claim."""
    from pyarrow import BufferReader, dataset

    if len(set(schema.names)) < len(schema.names):
        return  # a data set has no two columns of one name
    part = dataset.IpcFileFormat().make_fragment(BufferReader(file.data))
    check_room(file.name, 8 * part.count_rows() * len(schema))


def _from_arrow(file: File, table: Any, request: Request) -> Source:
    table.validate(full=True)  # offsets that lead out of the file would end the process
    notes: list[str] = []
    # Frames cannot tell columns of one name apart.
    names = [str(name) for name in table.column_names]
    if len(set(names)) < len(names):
        table = table.rename_columns(distinct(file.name, names, notes))
    frame = table.to_pandas()
    # An index that pandas stored is no feature, but may name the rows.
    named = request.row_names and frame.index.dtype.kind not in "biuf"
    return Source(frame.reset_index(drop=not named), notes=notes)


def read_excel(file: File, request: Request) -> Source:
    """Read one sheet of an Excel file."""
    openpyxl = require("openpyxl", "Excel", "files")
    with problem_if_unreadable(f"{file.name} is not a readable Excel file"):
        with zipfile.ZipFile(io.BytesIO(file.data)) as parts:
            check_room(file.name, sum(part.file_size for part in parts.infolist()))
        content = io.BytesIO(file.data)
        book = openpyxl.load_workbook(content, read_only=True, data_only=True)
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        title = _chosen(file, list(sheets), request.sheet)
        rows = _rows(file, sheets[title])
    others = [name for name in sheets if name != title]
    notes = []
    if others and request.sheet is None:
        notes.append(
            f"{file.name} has {len(sheets)} sheets; the first, {title!r}, is read "
            f"(--sheet reads another: {listed(others)})."
        )
    hint = f"; --sheet reads another sheet: {listed(others)}" if others else ""
    if not rows:
        raise Problem(f"{file.name} has nothing on its sheet {title!r}{hint}.")
    titles = _titles(rows)
    if titles:
        notes.append(f"{lines_above(titles, file.name)}.")
    frame = pd.DataFrame(rows[titles:])
    frame = frame.loc[:, frame.notna().any()]
    head = frame.iloc[0].tolist()
    names = [
        f"column {j}" if cell is None or cell != cell else str(cell).strip()
        for j, cell in enumerate(head)
    ]
    names = distinct(file.name, names, notes)
    frame = frame.iloc[1:].reset_index(drop=True).set_axis(names, axis=1)
    missing = [*MISSING, *request.missing]
    frame = frame.mask(frame.isin(missing)).infer_objects()
    return Source(frame, notes=notes, hint=hint)


def _chosen(file: File, titles: list[str], wanted: str | None) -> str:
    """The sheet of that name, else at that place, counted from 0 or from the end."""
    if not titles:
        raise Problem(f"{file.name} has no sheet with a table.")
    if wanted is None:
        return titles[0]
    if wanted in titles:
        return wanted
    same = [t for t in titles if t.strip().lower() == wanted.strip().lower()]
    if len(same) == 1:
        return same[0]
    place = int(wanted) if re.fullmatch(r"-?\d{1,9}", wanted) else len(titles)
    if -len(titles) <= place < len(titles):
        return titles[place]
    raise Problem(
        f"--sheet: {file.name} has no sheet {wanted!r}. Its sheets are: "
        f"{listed(titles, 20)}."
    )


def _titles(rows: Rows) -> int:
    """How many rows above the table have one cell only, as a title has."""
    filled = [sum(cell is not None for cell in row) for row in rows]
    table = next((i for i, count in enumerate(filled) if count > 1), 0)
    # A table of two columns may have a name for one of them.
    return table if sorted(filled)[len(filled) // 2] > 2 else 0


def _rows(file: File, sheet: Any) -> Rows:
    """Rows that are not empty; a size that the sheet claims does not count."""
    sheet.reset_dimensions()
    rows: Rows = []
    widest = 0
    for row in sheet.iter_rows(max_row=MOST_ROWS, values_only=True):
        if any(cell is not None for cell in row):
            rows.append(list(row))
            widest = max(widest, len(row))
    check_room(file.name, 8 * len(rows) * widest)  # of which some have fewer cells
    return rows
