"""Where in a text the table begins, and whether it begins with names."""

from __future__ import annotations

import csv
import re
from itertools import pairwise

from widemargin.cli.reading.source import Request

BLANKS = r"\s+"
PREAMBLE = 30  # lines above a table at most
FITS = 0.5  # share of the lines of a table that have the fields of its first
REPEATED = 5  # times that the values of a column occur, at least, if they are few
SEPARATOR = re.compile(r'"?sep=.?"?', re.IGNORECASE)  # for Excel
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def find_table(lines: list[str]) -> tuple[int, str, list[list[str]]]:
    """How many lines are above the table, its separator, and the rows of the rest.

    A title, a comment or "sep=;" above it has other fields than the lines below.
    """
    full = [(place, line) for place, line in enumerate(lines) if line.strip()]
    whole = [line for _, line in full]
    told = bool(whole) and SEPARATOR.fullmatch(whole[0].strip()) is not None
    for above in range(told, max(1, min(PREAMBLE, len(full) - 2))):
        share, separator, rows = _sniff(whole[above:])
        if share >= FITS:
            place = full[above][0]
            # Empty lines above are skipped anyway, unless they have blanks.
            odd = above or any(line.strip("\r\n") for line in lines[:place])
            return place if odd else 0, separator, rows
    return 0, *_sniff(whole)[1:]


def titles(rows: list[list[str]]) -> int:
    """How many rows above the names are titles, or empty, filled up with separators.

    Of their cells at most half are filled, as spreadsheets export them.
    """
    width = len(rows[0]) if rows else 0
    filled = [sum(map(bool, map(str.strip, row))) for row in rows]
    table = next((i for i, count in enumerate(filled) if 2 * count > width), 0)
    if table >= len(rows) - 1 or any(len(row) != width for row in rows[: table + 1]):
        return 0
    # A table of two columns may have a name for the second only.
    if width < 2 or (width == 2 and not rows[0][0].strip() and filled[0]):
        return 0
    numbers = [any(map(NUMBER.fullmatch, row)) for row in (rows[0], rows[table])]
    return 0 if all(numbers) or is_data(rows[table], rows[table + 1 :]) else table


def lines_of(lines: list[str], separator: str, count: int) -> int:
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


def _sniff(lines: list[str]) -> tuple[float, str, list[list[str]]]:
    """The separator by which most lines, and how many, have the fields of the first."""
    best: tuple[tuple[float, int], str, list[list[str]]] | None = None
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


def _split(lines: list[str], separator: str) -> list[list[str]]:
    if separator == BLANKS:
        return [line.split() for line in lines]
    try:
        reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
        return [row for row in reader if row]
    except csv.Error:  # a field beyond the limit: not the separator
        return []


def has_names(first: list[str], request: Request) -> bool:
    """Whether a first line has the columns asked for, or a target that is no number."""
    cells, target = set(map(str.strip, first)), request.target
    if request.names and cells.issuperset(request.names):
        return True
    return target in cells and not NUMBER.fullmatch(str(target))


def is_data(first: list[str], body: list[list[str]]) -> bool:
    """Whether a first line is data: mostly numbers, not a scale such as wavelengths.

    A scale rises, and is long or stands beside the name of a column of few words.
    """
    cells = list(map(str.strip, first))
    numbers = [float(c) for c in cells if NUMBER.fullmatch(c)]
    rising = all(a < b for a, b in pairwise(numbers))
    named = any(
        c and not NUMBER.fullmatch(c) and _is_name(c, [row[j].strip() for row in body])
        for j, c in enumerate(cells)
        if all(len(row) > j for row in body)
    )
    return len(numbers) > sum(map(bool, cells)) / 2 and not (
        rising and (named or len(numbers) >= 5)
    )


def _is_name(word: str, below: list[str]) -> bool:
    """Whether a word stands above words that repeat, and is none of them."""
    few = len(set(below)) <= len(below) / REPEATED
    return few and word not in below
