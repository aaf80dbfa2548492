"""Sheets of Excel workbooks."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

from widemargin.cli.problem import Problem, listed, needs
from widemargin.cli.reading.faults import problem_if_unreadable
from widemargin.cli.reading.files import File
from widemargin.cli.reading.memory import check_room
from widemargin.cli.reading.source import MISSING, Request, Source, distinct

MOST_ROWS = 2**20  # that Excel can have on a sheet

Rows = list[list[Any]]


def read_excel(file: File, request: Request) -> Source:
    """Read one sheet of an Excel file."""
    import pandas as pd

    try:
        from openpyxl import load_workbook
    except ImportError:
        raise needs("openpyxl", "Excel", '"widemargin[files]"') from None
    with problem_if_unreadable(f"{file.name} is not a readable Excel file"):
        with zipfile.ZipFile(io.BytesIO(file.data)) as parts:
            check_room(file.name, sum(part.file_size for part in parts.infolist()))
        book = load_workbook(io.BytesIO(file.data), read_only=True, data_only=True)
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
        above = "a line" if titles == 1 else f"{titles} lines"
        notes.append(f"skipped {above} above the table of {file.name}.")
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
