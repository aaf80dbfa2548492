"""Delimited text: which character separates, whether there is a header, and so on.

All of it is guessed from the beginning of the file; pandas then reads the whole.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from widemargin.cli.problem import Problem
from widemargin.cli.reading.beginning import (
    BLANKS,
    find_table,
    has_names,
    is_data,
    lines_of,
    titles,
)
from widemargin.cli.reading.faults import problem_if_unreadable
from widemargin.cli.reading.files import BY_PARTS, File, load
from widemargin.cli.reading.magic import magic
from widemargin.cli.reading.memory import check_room
from widemargin.cli.reading.source import (
    MISSING,
    Dialect,
    Request,
    Source,
    distinct,
    exact_numbers,
)

if TYPE_CHECKING:
    import pandas as pd

SAMPLE = 2**18  # bytes to guess from, or two lines if these are longer
MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
BYTES_PER_LETTER, BYTES_PER_CELL = 1.5, 14  # of memory that a table takes
UNUSED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # in Windows-1252
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Layout:
    """How the text is laid out."""

    encoding: str
    separator: str
    names: list[str]
    header: bool
    decimal: str
    unnamed: frozenset[str]
    skipped: int  # lines above the table
    as_written: bool  # whether the names are what pandas would find
    spaced: bool  # whether there is a blank after a separator

    @property
    def dialect(self) -> Dialect:
        """What it takes to write such a text."""
        return Dialect(self.separator, self.decimal, self.encoding, self.header)

    def reading(self, request: Request) -> dict[str, Any]:
        """What `pandas.read_csv` has to be told besides its defaults."""
        told: dict[str, Any] = {"na_values": ["?", *request.missing]}
        given = {
            "sep": (self.separator, ","),
            "decimal": (self.decimal, "."),
            "encoding": (self.encoding, "utf-8"),
            "skiprows": (self.skipped, 0),
            "skipinitialspace": (self.spaced, False),
        }
        told |= {k: v for k, (v, default) in given.items() if v != default}
        if not self.as_written:
            told |= {"header": 0 if self.header else None, "names": self.names}
        return told

    def options(self, request: Request) -> dict[str, Any]:
        """What `pandas.read_csv` has to be told."""
        return {
            "sep": self.separator,
            "names": self.names,
            "header": 0 if self.header else None,
            "skiprows": self.skipped or None,
            "index_col": False,
            "decimal": self.decimal,
            "skipinitialspace": True,
            "na_values": [*MISSING, *request.missing],
            "keep_default_na": False,
            "encoding": self.encoding,
            "low_memory": False,
            **exact_numbers(),
        }


def read_text(file: File, request: Request) -> Source:
    """Read comma, semicolon, tab, bar or blank separated text."""
    notes: list[str] = []
    layout = look_at(file, request, notes)
    _check_cells(file, layout)
    frame = _parse(file, layout, request)
    # A separator at the end of each line makes a column without name and content.
    ghosts = [n for n in layout.unnamed if frame[n].isna().all()]
    frame = frame.drop(columns=ghosts) if ghosts else frame
    frame = frame.assign(**zero_codes(file, layout, request, frame))
    return Source(
        frame,
        notes=notes,
        decimal=layout.decimal,
        dialect=layout.dialect,
        reading=layout.reading(request),
        cells=_cells(file, layout, request),
    )


def zero_codes(
    file: File, layout: Layout, request: Request, frame: pd.DataFrame, **more: Any
) -> dict[str, Any]:
    """Columns of digits that have leading zeros, such as postcodes, as text.

    ``frame`` is what pandas reads, as numbers; ``more`` is what else it was told.
    """
    numbers = frame.select_dtypes("number")
    whole = [n for n in numbers if (numbers[n].dropna() % 1 == 0).all()]
    if not whole or not (layout.encoding == "utf-16" or _has_zeros(file.data)):
        return {}
    verbatim = {"dtype": str, "na_filter": False, "usecols": whole}
    found = {}
    for name, cells in _parse(file, layout, request, **verbatim, **more).items():
        there = frame[name].notna()
        text = cells[there].str.strip()
        if text.str.match(r"0\d").any() and text.str.fullmatch(r"\d+").all():
            found[str(name)] = cells.where(there)
    return found


def _has_zeros(data: bytes) -> bool:
    """Whether a cell may begin with a zero and another digit."""
    import numpy as np

    ends = np.isin(np.arange(256), list(b' \t\n\r",;|'))
    for start in range(0, len(data), SAMPLE):
        part = np.frombuffer(data, np.uint8)[start : start + SAMPLE + 2]
        zeros = (part[1:-1] == ord("0")) & ends[part[:-2]]
        if (zeros & (part[2:] - ord("0") < 10)).any():  # others wrap around
            return True
    return False


def _cells(
    file: File, layout: Layout, request: Request
) -> Callable[[list[str]], pd.DataFrame]:
    """What reads some columns again, with every cell as it is written."""
    # A file can be read twice; its bytes need not stay in memory.
    name, data = file.name, file.data if file.name == "stdin" else b""

    def read(columns: list[str]) -> pd.DataFrame:
        again = File(name, data) if data else load(name)
        verbatim = {"dtype": str, "na_filter": False, "usecols": columns}
        return _parse(again, layout, request, **verbatim)[columns]

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


def _encoding(file: File, notes: list[str]) -> str:
    for mark, encoding in MARKS.items():
        if file.data.startswith(mark):
            return encoding
    _refuse_binary(file)
    try:
        file.data.decode("utf-8")
    except UnicodeDecodeError:
        encoding, name = _western(file.data)
        notes.append(f"{file.name} is not in UTF-8; it is read as {name}.")
        return encoding
    return "utf-8"


def _western(data: bytes) -> tuple[str, str]:
    """Latin-1, or what Windows makes of it where it has characters of its own."""
    if re.search(rb"[\x80-\x9f]", data) and not UNUSED.search(data):
        return "cp1252", "Windows-1252"
    return "latin-1", "Latin-1"


def _refuse_binary(file: File) -> None:
    head = file.data[:65536]
    controls = sum(head.count(c) for c in range(32) if c not in b"\t\n\v\f\r\x1a\x1b")
    if b"\0" in head or controls > len(head) / 1000:
        kind = magic(file.data)
        hint = f"; it looks like {kind}, try --format {kind}" if kind else ""
        raise Problem(f"{file.name} is not a text file{hint}.")


def look_at(file: File, request: Request, notes: list[str]) -> Layout:
    """Tell the layout; the beginning of the file is enough, if it ends with a line."""
    encoding = _encoding(file, notes)
    lines = _first_lines(file.data, encoding)
    skipped, separator, rows = find_table(lines)
    if not rows:
        raise Problem(f"{file.name} has no line that can be read as a row of a table.")
    padded = titles(rows) if request.header is None and separator != BLANKS else 0
    if padded:
        skipped += lines_of(lines[skipped:], separator, padded)
        rows = rows[padded:]
    if skipped:
        lines_above = "a line" if skipped == 1 else f"{skipped} lines"
        undo = " (--header takes the first line as names)" if padded else ""
        notes.append(f"skipped {lines_above} above the table of {file.name}{undo}.")
    first, body = rows[0], rows[1:]
    header = request.header
    if header is None:
        header = has_names(first, request) or not is_data(first, body)
    width = Counter(map(len, body)).most_common(1)[0][0] if body else len(first)
    if not header:
        if request.header is None:
            notes.append(
                f"{file.name} has no header; columns are named x0, x1, … (--header "
                "takes the first line as names)."
            )
        body, names = rows, [f"x{j}" for j in range(width)]
        unnamed: list[str] = []
    else:
        names, unnamed = _names(file, first, body, width, notes)
    cells = [cell.strip() for row in body for cell in row]
    # In a comma separated file only quoted cells have a comma; these are looked at
    # later, one column at a time.
    commas = separator != "," and sum(map(bool, map(DECIMAL_COMMA.fullmatch, cells)))
    points = sum(map(bool, map(DECIMAL_POINT.fullmatch, cells)))
    decimal = "," if commas and commas > points else "."
    if decimal == ",":
        notes.append("numbers have a decimal comma.")
    return Layout(
        encoding,
        separator,
        names,
        header,
        decimal,
        frozenset(unnamed),
        skipped,
        as_written=header and names == first,
        spaced=any(f"{separator} " in line for line in lines),
    )


def _first_lines(data: bytes, encoding: str) -> list[str]:
    end = SAMPLE
    if len(data) > end:
        second = data.find(b"\n", data.find(b"\n") + 1)
        end = max(data.rfind(b"\n", 0, end), second) + 1 or end
    # A cut may go through a character.
    text = data[: end + 1 if encoding == "utf-16" else end].decode(encoding, "ignore")
    return list(islice(io.StringIO(text, newline=""), 250))


def _names(
    file: File, first: list[str], body: list[list[str]], width: int, notes: list[str]
) -> tuple[list[str], list[str]]:
    """Column names, and which of them are made up."""
    found = [name.strip() for name in first]
    if width == len(found) + 1:
        ends_empty = all(row[-1] == "" for row in body if len(row) == width)
        found = [*found, ""] if ends_empty else ["", *found]
    names = [name or f"column {j}" for j, name in enumerate(found)]
    names = distinct(file.name, names, notes)
    return names, [names[j] for j, name in enumerate(found) if not name]


def _parse(file: File, layout: Layout, request: Request, **more: Any) -> pd.DataFrame:
    import warnings

    import pandas as pd

    with (
        problem_if_unreadable(f"{file.name} cannot be read as text"),
        warnings.catch_warnings(),
    ):
        # Longer lines than the rest: data would be lost.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            options = layout.options(request) | more
            return pd.read_csv(io.BytesIO(file.data), **options)
        except pd.errors.EmptyDataError:
            raise Problem(f"{file.name} is empty.") from None
        except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
            ragged = _what_is_ragged(str(error), layout)
            raise Problem(f"{file.name} {ragged}") from None


def _what_is_ragged(message: str, layout: Layout) -> str:
    found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if found:
        expected, line, saw = found.groups()
        return f"is ragged: line {line} has {saw} fields where {expected} are expected."
    if "EOF inside string" in message:
        return "has a quotation mark that is never closed."
    return f"has lines with more fields than its {len(layout.names)} columns."
