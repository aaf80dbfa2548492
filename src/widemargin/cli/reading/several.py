"""Files of one kind, such as one for each day, as one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from widemargin.cli.problem import Problem, listed
from widemargin.cli.reading.source import Source

if TYPE_CHECKING:
    import pandas as pd


def joined(pattern: str, names: list[str], read: Callable[[str], Source]) -> Source:
    """The rows of all files, one after the other; their columns have to agree."""
    import pandas as pd

    first = read(names[0])
    columns = list(first.frame.columns)
    notes = [f"{pattern} is {len(names)} files, read as one table."]
    notes += [text.replace(names[0], pattern) for text in first.notes]
    frames = [first.frame]
    for name in names[1:]:
        source = read(name)
        _check_columns(names[0], columns, name, list(source.frame.columns))
        frames.append(source.frame[columns])
        more = [text.replace(name, pattern) for text in source.notes]
        notes += [text for text in more if text not in notes]
    kinds = [{f.dtypes[c].kind in "iuf" for f in frames} for c in columns]
    mixed = [c for c, kind in zip(columns, kinds, strict=True) if len(kind) == 2]
    frames = [f.assign(**{c: _as_text(f[c]) for c in mixed}) for f in frames]
    frame = pd.concat(frames, ignore_index=True)
    return replace(first, frame=frame, notes=notes, hint="", cells=None)


def _as_text(column: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers as they are written where others, of another file, are text."""
    if column.dtype.kind == "f" and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")
    written = column.astype(object).map(str)
    return written.where(column.notna(), None)


def _check_columns(first: str, columns: list[str], name: str, found: list[str]) -> None:
    lacking = [column for column in columns if column not in set(found)]
    extra = [column for column in found if column not in set(columns)]
    if lacking:
        raise Problem(
            f"{name} does not match {first}: it lacks the columns {listed(lacking)}."
        )
    if extra:
        raise Problem(
            f"{name} does not match {first}, which lacks the columns {listed(extra)}."
        )
