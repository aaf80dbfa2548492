"""From a file to a pandas frame, whatever its format.

A reader is a function ``(File, Request) -> Source`` in the module of its family. The
format follows from the ending of the name, for stdin and unknown endings from the
content.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from widemargin.cli.problem import Problem
from widemargin.cli.reading.files import BY_PARTS, File, load, look, matching
from widemargin.cli.reading.magic import magic, magic_of_text
from widemargin.cli.reading.memory import check_room
from widemargin.cli.reading.source import Dialect, Request, Source, distinct

__all__ = ["FORMATS", "Dialect", "File", "Request", "Source", "look", "read"]


class Format(NamedTuple):
    """Endings of the names of a format, and its reader."""

    endings: tuple[str, ...]
    reader: str


FORMATS = {
    "csv": Format(
        (".csv", ".tsv", ".tab", ".psv", ".txt", ".data", ".dat"), "text.read_text"
    ),
    "parquet": Format((".parquet", ".pq"), "tables.read_parquet"),
    "feather": Format((".feather", ".arrow", ".ipc"), "tables.read_feather"),
    "excel": Format((".xlsx", ".xlsm"), "excel.read_excel"),
    "arff": Format((".arff",), "arff.read_arff"),
    "matlab": Format((".mat",), "arrays.read_matlab"),
    "numpy": Format((".npz", ".npy"), "arrays.read_numpy"),
    "libsvm": Format((".libsvm", ".svmlight", ".svm"), "arrays.read_libsvm"),
    "anndata": Format((".h5ad",), "tables.read_anndata"),
}

# What people may try, and what it is called.
UNREAD = {
    ".json": "JSON",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".xls": "the Excel format before 2007",
    ".ods": "the OpenDocument format",
    ".sas7bdat": "SAS",
    ".dta": "Stata",
    ".sav": "SPSS",
    ".rds": "R's own format",
    ".rdata": "R's own format",
    ".pkl": "pickle",
    ".pickle": "pickle",
}


def read(
    path: str, request: Request, format: str | None = None, *, least: int = 2
) -> Source:
    """Read a file, the files that match a pattern, or stdin if the path is "-".

    It needs ``least`` columns.
    """
    source = _read_all(path, request, format, least)
    if request.labels is None:
        return source
    from widemargin.cli.reading.shape import labelled

    asked = Request(request.target, request.missing, row_names=True)
    return labelled(path, source, request.labels, read(request.labels, asked))


def _read_all(path: str, request: Request, format: str | None, least: int) -> Source:
    """Read a file, or several that match a pattern as one table."""
    names = matching(path)
    if names == [path]:
        return read_one(path, request, format, least=least)
    from widemargin.cli.reading.several import joined

    check_room(path, sum(Path(name).stat().st_size for name in names), BY_PARTS)
    return joined(
        path, names, lambda name: read_one(name, request, format, least=least)
    )


def read_one(
    path: str, request: Request, format: str | None = None, *, least: int = 2
) -> Source:
    """Read a file, or stdin if the path is "-"; it needs ``least`` columns."""
    file = load(path, mapped=format in (None, "numpy"))
    format = format or format_of(file)
    if request.sheet is not None and format != "excel":
        raise Problem(f"--sheet is for Excel files; {file.name} is read as {format}.")
    module, _, function = FORMATS[format].reader.partition(".")
    reader = getattr(import_module(f"{__name__}.{module}"), function)
    source: Source = reader(file, request)
    _check(file, source, least)
    if not request.transpose:
        return source
    from widemargin.cli.reading.shape import transposed

    return transposed(file.name, source)


def format_of(file: File) -> str:
    """The format of a file by its ending, else by its first bytes."""
    for name, format in FORMATS.items():
        if file.ending in format.endings:
            # Endings of text say little about what is in it.
            return (magic_of_text(file.data) or name) if name == "csv" else name
    if file.ending in UNREAD:
        raise Problem(
            f"{file.name}: {UNREAD[file.ending]} is not supported; save the table as "
            "CSV, Parquet or .xlsx."
        )
    return magic(file.data) or "csv"


def _check(file: File, source: Source, least: int) -> None:
    frame = source.frame
    names = [str(name) for name in frame.columns]
    frame.columns = distinct(file.name, names, source.notes)
    if not len(frame):
        raise Problem(
            f"{file.name} has {frame.shape[1]} columns but no rows{source.hint}."
        )
    if frame.shape[1] < least:
        raise Problem(
            f"{file.name} has only one column; features and a target are needed"
            f"{source.hint}."
        )
