"""How a text is laid out: encoding, separator, header, decimal mark.

All of it is inferred from the beginning of the file.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from widemargin.cli.problem import Problem
from widemargin.cli.reading.files import File, magic
from widemargin.cli.reading.source import (
    MISSING,
    Dialect,
    Request,
    distinct,
    exact_numbers,
    lines_above,
)

SAMPLE = 2**18  # bytes to infer from, or two lines if these are longer
MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
BLANKS = r"\s+"
PREAMBLE = 30  # lines above a table at most
FITS = 0.5  # share of the lines of a table that have the fields of its first
REPEATED = 5  # times that each value of a column of few words occurs on average
SEPARATOR = re.compile(r'"?sep=.?"?', re.IGNORECASE)  # for Excel
UNUSED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # in Windows-1252
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")

Rows = list[list[str]]


@dataclass(frozen=True, kw_only=True)
class Layout(Dialect):
    """How a text is written, and what else it takes to read it."""

    names: list[str]
    unnamed: frozenset[str]  # names that are not in the file
    skipped: int  # lines above the table
    as_written: bool  # whether pandas would use the same names
    spaced: bool  # whether there is a blank after a separator
    missing: tuple[str, ...]  # markers of a missing value that the user has named

    def reading(self) -> dict[str, Any]:
        """Arguments of `pandas.read_csv` that are not its defaults."""
        given = {
            "sep": (self.separator, ","),
            "decimal": (self.decimal, "."),
            "encoding": (self.encoding, "utf-8"),
            "skiprows": (self.skipped, 0),
            "skipinitialspace": (self.spaced, False),
        }
        arguments: dict[str, Any] = {"na_values": ["?", *self.missing]}
        arguments |= {k: v for k, (v, default) in given.items() if v != default}
        if not self.as_written:
            arguments |= {"header": 0 if self.header else None, "names": self.names}
        return arguments

    def options(self) -> dict[str, Any]:
        """Arguments of `pandas.read_csv`."""
        return {
            "sep": self.separator,
            "names": self.names,
            "header": 0 if self.header else None,
            "skiprows": self.skipped or None,
            "index_col": False,
            "decimal": self.decimal,
            "skipinitialspace": True,
            "na_values": [*MISSING, *self.missing],
            "keep_default_na": False,
            "encoding": self.encoding,
            "low_memory": False,
            **exact_numbers(),
        }


def look_at(file: File, request: Request, notes: list[str]) -> Layout:
    """Infer the layout; the beginning of the file is enough, if it ends with a line."""
    encoding = _encoding(file, notes)
    lines = _first_lines(file.data, encoding)
    skipped, separator, rows = _find_table(lines)
    if not rows:
        raise Problem(f"{file.name} has no line that can be read as a row of a table.")
    padded = _titles(rows) if request.header is None and separator != BLANKS else 0
    if padded:
        skipped += _lines_of(lines[skipped:], separator, padded)
        rows = rows[padded:]
    if skipped:
        undo = " (--header takes the first line as names)" if padded else ""
        notes.append(f"{lines_above(skipped, file.name)}{undo}.")
    first, body = rows[0], rows[1:]
    header = request.header
    if header is None:
        header = _has_names(first, request) or not _is_data(first, body)
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
    decimal = _decimal(body, separator)
    if decimal == ",":
        notes.append("numbers have a decimal comma.")
    return Layout(
        separator=separator,
        decimal=decimal,
        encoding=encoding,
        header=header,
        names=names,
        unnamed=frozenset(unnamed),
        skipped=skipped,
        as_written=header and names == first,
        spaced=any(f"{separator} " in line for line in lines),
        missing=request.missing,
    )


def _encoding(file: File, notes: list[str]) -> str:
    data = file.data
    for mark, encoding in MARKS.items():
        if data.startswith(mark):
            return encoding
    _refuse_binary(file)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        encoding, name = "latin-1", "Latin-1"
        # Windows has characters of its own where Latin-1 has none.
        if re.search(rb"[\x80-\x9f]", data) and not UNUSED.search(data):
            encoding, name = "cp1252", "Windows-1252"
        notes.append(f"{file.name} is not in UTF-8; it is read as {name}.")
        return encoding
    return "utf-8"


def _refuse_binary(file: File) -> None:
    head = file.data[:65536]
    controls = sum(head.count(c) for c in range(32) if c not in b"\t\n\v\f\r\x1a\x1b")
    if b"\0" in head or controls > len(head) / 1000:
        kind = magic(file.data)
        hint = f"; it looks like {kind}, try --format {kind}" if kind else ""
        raise Problem(f"{file.name} is not a text file{hint}.")


def _first_lines(data: bytes, encoding: str) -> list[str]:
    end = SAMPLE
    if len(data) > end:
        second = data.find(b"\n", data.find(b"\n") + 1)
        end = max(data.rfind(b"\n", 0, end), second) + 1 or end
    # A cut may go through a character.
    text = data[: end + 1 if encoding == "utf-16" else end].decode(encoding, "ignore")
    return list(islice(io.StringIO(text, newline=""), 250))


def _find_table(lines: list[str]) -> tuple[int, str, Rows]:
    """How many lines are above the table, its separator, and the rows of the rest.

    A title, a comment or "sep=;" above it has other fields than the lines below.
    """
    full = [(place, line) for place, line in enumerate(lines) if line.strip()]
    whole = [line for _, line in full]
    declared = bool(whole) and SEPARATOR.fullmatch(whole[0].strip()) is not None
    for above in range(declared, max(1, min(PREAMBLE, len(full) - 2))):
        share, separator, rows = _sniff(whole[above:])
        if share >= FITS:
            place = full[above][0]
            # Empty lines above are skipped anyway, unless they have blanks.
            odd = above or any(line.strip("\r\n") for line in lines[:place])
            return place if odd else 0, separator, rows
    return 0, *_sniff(whole)[1:]


def _sniff(lines: list[str]) -> tuple[float, str, Rows]:
    """The share of lines with as many fields as the first, by the best separator."""
    best: tuple[tuple[float, int], str, Rows] | None = None
    for separator in ("\t", ";", "|", ",", BLANKS):
        rows = _split(lines, separator)
        if not rows or len(rows[0]) < 2:
            continue
        # Files of R have no name for the first column, which has the row names.
        width, body = len(rows[0]), rows[1:]
        fits = max(sum(len(row) == w for row in body) for w in (width, width + 1))
        share = fits / len(body) if body else 1.0
        if best is None or (share, width) > best[0]:
            # Blanks separate only what nothing else does.
            if separator == BLANKS and best is not None and best[0][0] > 0.5:
                continue
            best = (share, width), separator, rows
    if best is None:
        return 0.0, ",", _split(lines, ",")
    return best[0][0], best[1], best[2]


def _split(lines: list[str], separator: str) -> Rows:
    if separator == BLANKS:
        return [line.split() for line in lines]
    try:
        reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
        return [row for row in reader if row]
    except csv.Error:  # a field beyond the limit: not the separator
        return []


def _titles(rows: Rows) -> int:
    """How many rows above the names are titles, or empty, filled up with separators.

    Of their cells at most half are filled, as spreadsheets export them.
    """
    width = len(rows[0]) if rows else 0
    filled = (sum(map(bool, map(str.strip, row))) for row in rows)
    table = next((i for i, count in enumerate(filled) if 2 * count > width), 0)
    if table >= len(rows) - 1 or any(len(row) != width for row in rows[: table + 1]):
        return 0
    # A table of two columns may have a name for the second only.
    named = width == 2 and not rows[0][0].strip() and rows[0][1].strip()
    if not table or width < 2 or named:
        return 0
    numbers = [any(map(NUMBER.fullmatch, row)) for row in (rows[0], rows[table])]
    return 0 if all(numbers) or _is_data(rows[table], rows[table + 1 :]) else table


def _lines_of(lines: list[str], separator: str, count: int) -> int:
    """How many lines pandas has to skip for the first rows, and blank ones after them.

    A cell with a break in it does not make its row two lines.
    """
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    start, full = 0, list[int]()
    for place, _ in enumerate(reader):
        if "".join(lines[start : reader.line_num]).strip():
            full.append(place)
        start = reader.line_num
    return full[count]


def _has_names(first: list[str], request: Request) -> bool:
    """Whether a line has the requested columns, or a target that is not a number."""
    cells, target = set(map(str.strip, first)), request.target
    if request.names and cells.issuperset(request.names):
        return True
    return target in cells and not NUMBER.fullmatch(str(target))


def _is_data(first: list[str], body: Rows) -> bool:
    """Whether a first line is data: mostly numbers, not a scale such as wavelengths.

    A scale rises, and is long or stands beside the name of a column of few words.
    """
    cells = list(map(str.strip, first))
    numbers = [float(c) for c in cells if NUMBER.fullmatch(c)]
    if len(numbers) <= sum(map(bool, cells)) / 2:
        return False
    if not all(a < b for a, b in pairwise(numbers)):
        return True
    return len(numbers) < 5 and not any(
        c and not NUMBER.fullmatch(c) and _is_name(c, [row[j].strip() for row in body])
        for j, c in enumerate(cells)
        if all(len(row) > j for row in body)
    )


def _is_name(word: str, below: list[str]) -> bool:
    """Whether the cells below a word repeat, and the word is not among them."""
    few = len(set(below)) <= len(below) / REPEATED
    return few and word not in below


def _names(
    file: File, first: list[str], body: Rows, width: int, notes: list[str]
) -> tuple[list[str], list[str]]:
    """Column names, and those of them that are not in the file."""
    cells = [name.strip() for name in first]
    if width == len(cells) + 1:
        ends_empty = all(row[-1] == "" for row in body if len(row) == width)
        cells = [*cells, ""] if ends_empty else ["", *cells]
    names = [name or f"column {j}" for j, name in enumerate(cells)]
    names = distinct(file.name, names, notes)
    return names, [names[j] for j, name in enumerate(cells) if not name]


def _decimal(body: Rows, separator: str) -> str:
    """The decimal mark that most numbers have."""
    if separator == ",":  # quoted cells with one are looked at later, by columns
        return "."
    cells = [cell.strip() for row in body for cell in row]
    commas = sum(map(bool, map(DECIMAL_COMMA.fullmatch, cells)))
    points = sum(map(bool, map(DECIMAL_POINT.fullmatch, cells)))
    return "," if commas > points else "."
