"""Parquet and delimited text as Dask frames; only the head is read."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd

from widemargin.cli.columns import find_columns
from widemargin.cli.problem import Problem, require
from widemargin.cli.reading.files import FORMATS, PACKED, File, matching
from widemargin.cli.reading.layout import look_at
from widemargin.cli.reading.source import Request, Source
from widemargin.cli.reading.text import zero_codes

HEAD = 2**18  # bytes of a text to look at, and at least two lines
ROWS = 200  # rows of a text from which the types of its columns are inferred
PARQUET = (*FORMATS["parquet"].endings, ".parq")
TEXT = FORMATS["csv"].endings


def open_lazily(
    path: str, request: Request, format: str | None, drop: tuple[str, ...]
) -> Source:
    """Open a file, the files in a folder, or those that match a pattern.

    Columns to ``drop`` are there, but may hold anything.
    """
    first = _first_file(path)
    format = format or _format_of(first)
    if format == "parquet":
        source = _open_parquet(path)
    elif format == "csv":
        source = _open_text(path, first, request, drop)
    else:
        raise Problem(
            f"--engine dask reads Parquet and CSV, not {format}; --engine local reads "
            "the other formats."
        )
    if len(source.frame.columns) < 2:
        raise Problem(f"{path} has only one column; features and a target are needed.")
    return source


def _first_file(path: str) -> Path:
    """One of the files, from which format and layout are inferred."""
    if path == "-":
        raise Problem(
            "--engine dask needs a file, because it reads the data more than once."
        )
    place = Path(path)
    if not place.is_dir():
        return Path(matching(path)[0])
    for file in sorted(place.rglob("*")):
        hidden = any(part[0] in "._" for part in file.relative_to(place).parts)
        if file.is_file() and not hidden:
            return file
    raise Problem(f"there is no file in {path!r}.")


def _format_of(file: Path) -> str:
    """The format of a file, by its ending or else by its first bytes."""
    ending = file.suffix.lower()
    if ending in PACKED and any(end in TEXT for end in file.suffixes):
        raise Problem(
            f"{file} is compressed and cannot be read in partitions: decompress it, "
            "store it as Parquet, or use --engine local."
        )
    if ending in PARQUET:
        return "parquet"
    if ending in TEXT:
        return "csv"
    with file.open("rb") as stream:
        return "parquet" if stream.read(4) == b"PAR1" else ending or "csv"


def _open_parquet(path: str) -> Source:
    from widemargin.engine.dask._dask import open_parquet

    pyarrow = require("pyarrow", "Parquet", "files")
    errors = (pyarrow.ArrowException, OSError, ValueError, NotImplementedError)
    try:
        return Source(open_parquet(path))
    except errors as error:
        raise _unreadable(path, "Parquet", error) from None


def _open_text(
    path: str, first: Path, request: Request, drop: tuple[str, ...]
) -> Source:
    from widemargin.engine.dask._dask import open_csv

    notes: list[str] = []
    head = _head(first)
    file = File(str(first), head)
    layout = look_at(file, request, notes)
    if layout.encoding == "utf-16":
        raise Problem(
            f"{first} is in UTF-16, which cannot be read in partitions: store it in "
            "UTF-8, or use --engine local."
        )
    names = f"{path}/*" if Path(path).is_dir() else path
    options = layout.options()
    try:
        rows = pd.read_csv(io.BytesIO(head), nrows=ROWS, **options)
        if not len(rows):
            raise Problem(f"{path} has {len(rows.columns)} columns but no rows.")
        # A type with missing values.
        flags = rows.select_dtypes("bool").columns
        types: dict[str, Any] = dict.fromkeys(flags, "boolean")
        types |= dict.fromkeys(zero_codes(file, layout, rows, nrows=ROWS), str)
        types |= dict.fromkeys(find_columns(drop, rows.columns, "--drop"), object)
        frame = open_csv(names, len(head) + 1, ROWS, dtype=types, **options)
    except (OSError, ValueError) as error:
        raise _unreadable(path, "text", error) from None
    last = frame.columns[-1]
    if last in layout.unnamed and frame[last].head(50).isna().all():
        frame = frame.drop(columns=[last])  # after a separator that ends each line
    return Source(frame, notes=notes, decimal=layout.decimal, dialect=layout)


def _head(file: Path) -> bytes:
    """Whole lines from the beginning: some, and at least the first three."""
    with file.open("rb") as stream:
        head = stream.read(HEAD)
        if len(head) == HEAD:
            head += stream.readline()
            while head.count(b"\n") < 3 and (line := stream.readline()):
                head += line
    if not head.strip():
        raise Problem(f"{file} is empty.")
    return head


def _unreadable(path: str, what: str, error: Exception) -> Problem:
    reason = error.__cause__ or error  # Dask says first where it noticed
    lines = str(reason).strip().splitlines() or [type(reason).__name__]
    return Problem(f"{path} is not readable as {what}: {lines[0]}")
