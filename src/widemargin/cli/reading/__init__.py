"""From a file to a pandas frame.

A reader is a function ``(File, Request) -> Source``; `files.FORMATS` has them all.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from widemargin.cli.problem import Problem
from widemargin.cli.reading.files import FORMATS, load, look, matching
from widemargin.cli.reading.guards import BY_PARTS, check_room
from widemargin.cli.reading.source import Dialect, Request, Source, distinct

__all__ = ["FORMATS", "Dialect", "Request", "Source", "look", "read"]


def read(
    path: str, request: Request, format: str | None = None, *, least: int = 2
) -> Source:
    """Read a file, the files that match a pattern, or stdin if the path is "-".

    The table needs ``least`` columns.
    """
    names = matching(path)
    if names == [path]:
        source = _read_one(path, request, format, least)
    else:
        from widemargin.cli.reading.shape import joined

        check_room(path, sum(Path(name).stat().st_size for name in names), BY_PARTS)
        sources = (_read_one(name, request, format, least) for name in names)
        source = joined(path, names, sources)
    if request.labels is None:
        return source
    from widemargin.cli.reading.shape import labelled

    second = Request(request.target, request.missing, row_names=True)
    return labelled(path, source, request.labels, read(request.labels, second))


def _read_one(path: str, request: Request, format: str | None, least: int) -> Source:
    """Read a file, or stdin if the path is "-"."""
    file = load(path, mapped=format in (None, "numpy"))
    format = format or file.format
    if request.sheet is not None and format != "excel":
        raise Problem(f"--sheet is for Excel files; {file.name} is read as {format}.")
    module, _, function = FORMATS[format].reader.partition(".")
    reader = getattr(import_module(f"{__name__}.{module}"), function)
    source: Source = reader(file, request)
    frame = source.frame
    frame.columns = distinct(file.name, list(map(str, frame.columns)), source.notes)
    if not len(frame):
        raise Problem(
            f"{file.name} has {frame.shape[1]} columns but no rows{source.hint}."
        )
    if frame.shape[1] < least:
        raise Problem(
            f"{file.name} has only one column; features and a target are needed"
            f"{source.hint}."
        )
    if not request.transpose:
        return source
    from widemargin.cli.reading.shape import transposed

    return transposed(file.name, source)
