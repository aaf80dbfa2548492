"""Weka's ARFF: numbers, nominal values, strings and dates; dense or sparse rows."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any

import pandas as pd

from widemargin.cli.numerals import numbers_in
from widemargin.cli.problem import Problem, typed
from widemargin.cli.reading.files import File
from widemargin.cli.reading.guards import check_room
from widemargin.cli.reading.source import Request, Source, distinct, exact_numbers

QUOTED = r"'(?:[^'\\]|\\.)*'" + "|" + r'"(?:[^"\\]|\\.)*"'
ATTRIBUTE = re.compile(
    rf"@attribute\s+({QUOTED}|[^\s{{]+)\s*((?<=\s)\S.*|{{.*)", re.IGNORECASE
)
VALUE = re.compile(rf"[^\S\t]*({QUOTED}|[^,\t]*?)[^\S\t]*([,\t]\s*|$)")
WEIGHT = re.compile(r"[,\t]\s*\{[^,{}]*\}$")  # of an instance
PAIR = re.compile(rf"\s*(\d+)\s+({QUOTED}|[^,]*?)\s*(,|$)")
NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True)
class Attribute:
    """A declared column; ``values`` are those of a nominal one."""

    name: str
    kind: str
    values: list[str] | None = None


def read_arff(file: File, request: Request) -> Source:
    """Read an ARFF file."""
    try:
        text = file.data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = file.data.decode("latin-1")
    attributes, body = _header(file, text)
    notes: list[str] = []
    names = distinct(file.name, [a.name for a in attributes], notes)
    check_room(file.name, 8 * len(names) * (body.count("\n") + 1))
    rows = _fast_rows(attributes, body)
    if rows is None:
        rows = pd.DataFrame(
            _rows(file, attributes, body), columns=range(len(names)), dtype=object
        )
    columns = {
        name: _column(file, a, rows[j], request)
        for j, (name, a) in enumerate(zip(names, attributes, strict=True))
    }
    return Source(pd.DataFrame(columns), notes=notes)


def _header(file: File, text: str) -> tuple[list[Attribute], str]:
    attributes: list[Attribute] = []
    lines = io.StringIO(text)
    for number, line in enumerate(iter(lines.readline, ""), start=1):
        line = line.strip()
        word = line.split(maxsplit=1)[0].lower() if line else ""
        if word == "@data":
            if not attributes:
                raise Problem(f"{file.name} declares no @attribute before its @data.")
            return attributes, text[lines.tell() :]
        if word == "@attribute":
            attributes.append(_attribute(file, number, line))
        elif word and not word.startswith("%") and word != "@relation":
            raise Problem(
                f"{file.name} is not a readable ARFF file: line {number} is "
                f"{line[:40]!r}, where @attribute or @data is expected."
            )
    raise Problem(f"{file.name} is not a readable ARFF file: it has no @data.")


def _attribute(file: File, number: int, line: str) -> Attribute:
    match = ATTRIBUTE.fullmatch(line)
    if not match:
        raise Problem(
            f"{file.name} is not a readable ARFF file: line {number}, {line[:40]!r}, "
            "lacks the name or the type of the attribute."
        )
    name, kind = _unquote(match[1]), match[2].strip()
    if kind.startswith("{"):
        values = [v for v in _cells(kind.strip("{} \t")) if v is not None]
        return Attribute(name, "nominal", values)
    kind = kind.split()[0].lower()
    if kind not in (*NUMERIC, "string", "date"):
        raise Problem(
            f"{file.name}: attribute {name!r} is of type {kind!r}, which is not "
            "supported; numeric, nominal, string and date are."
        )
    return Attribute(name, kind)


def _fast_rows(attributes: list[Attribute], body: str) -> Any:
    """Rows by pandas' parser, which supports neither quotes of two kinds nor braces."""
    if any(sign in body for sign in "'\"{%\\\t"):
        return None
    texts = {j: str for j, a in enumerate(attributes) if a.kind not in NUMERIC}
    try:
        rows = pd.read_csv(
            io.StringIO(body),
            header=None,
            names=range(len(attributes)),
            index_col=False,
            dtype=texts,
            na_values=["?"],
            keep_default_na=False,
            skipinitialspace=True,
            low_memory=False,
            **exact_numbers(),
        )
    except ValueError:  # `_rows` says better what is wrong
        return None
    # The parser fills up short rows.
    full = body.count(",") == len(rows) * (len(attributes) - 1)
    return rows if full else None


def _rows(file: File, attributes: list[Attribute], body: str) -> list[list[str | None]]:
    rows: list[list[str | None]] = []
    for line in body.splitlines():
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        line = WEIGHT.sub("", line)
        row = _sparse(attributes, line) if line.startswith("{") else _cells(line)
        if len(row) != len(attributes):
            raise Problem(
                f"{file.name} is not a readable ARFF file: row {len(rows) + 1} has "
                f"{len(row)} values for {len(attributes)} attributes."
            )
        rows.append(row)
    return rows


def _cells(line: str) -> list[str | None]:
    """Values of a line; None for one that is missing."""
    cells: list[str | None] = []
    for match in VALUE.finditer(line):
        raw = match[1]
        cells.append(None if raw == "?" else _unquote(raw))
        if not match[2]:
            break
    return cells


def _sparse(attributes: list[Attribute], line: str) -> list[str | None]:
    """Values of a sparse row: 0, or the first nominal value, unless given."""
    row: list[str | None] = [a.values[0] if a.values else "0" for a in attributes]
    for match in PAIR.finditer(line.strip("{} \t")):
        j = int(match[1])
        if j >= len(row):
            return []
        row[j] = None if match[2] == "?" else _unquote(match[2])
    return row


def _unquote(text: str) -> str:
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def _column(file: File, a: Attribute, cells: Any, request: Request) -> pd.Series[Any]:
    if request.missing and cells.dtype.kind not in "iuf":
        cells = cells.mask(cells.isin(request.missing))
    if a.kind in NUMERIC:
        numbers = numbers_in(cells)
        stray = numbers.isna() & cells.notna() & ~cells.isin(["NaN", "nan"])
        if stray.any():
            row = int(stray.to_numpy().argmax())
            word = cells.iloc[row]
            raise Problem(
                f"{file.name}: attribute {a.name!r} is {a.kind}, but row {row + 1} has "
                f"{word!r} (--missing {typed(word)} treats it as missing)."
            )
        return numbers
    if a.values is None:
        return cells
    unknown = cells[cells.notna() & ~cells.isin(a.values)]
    if len(unknown):
        raise Problem(
            f"{file.name}: attribute {a.name!r} has the value {unknown.iloc[0]!r} in "
            f"row {unknown.index[0] + 1}, which it does not declare."
        )
    return pd.Series(pd.Categorical(cells, categories=a.values))
