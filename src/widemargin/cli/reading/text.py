"""Delimited text, read by pandas once its layout is inferred."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd

from widemargin.cli.problem import Problem
from widemargin.cli.reading.files import File, load
from widemargin.cli.reading.guards import BY_PARTS, check_room, problem_if_unreadable
from widemargin.cli.reading.layout import BLANKS, Layout, look_at
from widemargin.cli.reading.source import Request, Source, is_whole

BYTES_PER_LETTER, BYTES_PER_CELL = 1.5, 14  # of memory that a table takes
LEADING_ZERO = re.compile(rb'[ \t\n\r",;|]0\d')  # in a cell


def read_text(file: File, request: Request) -> Source:
    """Read comma, semicolon, tab, bar or blank separated text."""
    notes: list[str] = []
    layout = look_at(file, request, notes)
    _check_cells(file, layout)
    frame = _parse(file, layout)
    # A separator at the end of each line makes a column without name and content.
    ghosts = [n for n in layout.unnamed if frame[n].isna().all()]
    frame = frame.drop(columns=ghosts) if ghosts else frame
    frame = frame.assign(**zero_codes(file, layout, frame))
    return Source(
        frame,
        notes=notes,
        decimal=layout.decimal,
        dialect=layout,
        reading=layout.reading(),
        cells=_cells(file, layout),
    )


def zero_codes(
    file: File, layout: Layout, frame: pd.DataFrame, **more: Any
) -> dict[str, Any]:
    """Columns of digits that have leading zeros, such as postcodes, as text.

    ``frame`` is the table with such columns as numbers; ``more`` are other arguments of
    `pandas.read_csv` by which it was read.
    """
    numbers = frame.select_dtypes("number")
    whole = [n for n in numbers if is_whole(numbers[n])]
    if not whole:
        return {}
    if layout.encoding != "utf-16" and not LEADING_ZERO.search(file.data):
        return {}
    codes = {}
    for name, cells in _verbatim(file, layout, whole, **more).items():
        there = frame[name].notna()
        text = cells[there].str.strip()
        if text.str.match(r"0\d").any() and text.str.fullmatch(r"\d+").all():
            codes[str(name)] = cells.where(there)
    return codes


def _cells(file: File, layout: Layout) -> Callable[[list[str]], pd.DataFrame]:
    """A function that reads some columns again, with every cell as it is written."""
    # A file can be read twice; its bytes need not stay in memory.
    name, data = file.name, file.data if file.name == "stdin" else b""

    def read(columns: list[str]) -> pd.DataFrame:
        again = File(name, data) if data else load(name)
        return _verbatim(again, layout, columns)[columns]

    return read


def _check_cells(file: File, layout: Layout) -> None:
    """Refuse a text that would not fit as a table.

    While pandas reads, all of it is there twice more, and each cell as its place in the
    text, as a number and as a copy of it: measured, twice what is asked for here.
    """
    mark = b" " if layout.separator == BLANKS else layout.separator.encode()
    cells = file.data.count(mark) + file.data.count(b"\n")
    needed = BYTES_PER_LETTER * len(file.data) + BYTES_PER_CELL * cells
    check_room(file.name, int(needed), BY_PARTS)


def _verbatim(
    file: File, layout: Layout, columns: list[str], **more: Any
) -> pd.DataFrame:
    """Columns with every cell as it is written."""
    how = {"dtype": str, "na_filter": False, "usecols": columns}
    return _parse(file, layout, **how, **more)


def _parse(file: File, layout: Layout, **more: Any) -> pd.DataFrame:
    with (
        problem_if_unreadable(f"{file.name} cannot be read as text"),
        warnings.catch_warnings(),
    ):
        # Longer lines than the rest: data would be lost.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            options = layout.options() | more
            return pd.read_csv(io.BytesIO(file.data), **options)
        except pd.errors.EmptyDataError:
            raise Problem(f"{file.name} is empty.") from None
        except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
            ragged = _what_is_ragged(str(error), layout)
            raise Problem(f"{file.name} {ragged}") from None


def _what_is_ragged(message: str, layout: Layout) -> str:
    fields = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if fields:
        expected, line, saw = fields.groups()
        return f"is ragged: line {line} has {saw} fields where {expected} are expected."
    opened = re.search(r"EOF inside string starting at row (\d+)", message)
    if opened:
        line = int(opened[1]) + 1
        return (
            f"has a quotation mark that is never closed, about line {line}: delete or "
            "double it there."
        )
    return f"has lines with more fields than its {len(layout.names)} columns."
