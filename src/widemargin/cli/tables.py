"""Columns of a file as they go into another: its dialect, and no formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from widemargin.cli.problem import listed
from widemargin.cli.reading import Dialect, Source
from widemargin.cli.writing import ending_of

if TYPE_CHECKING:
    import pandas as pd

    from widemargin.cli.session import Session

TEXT = {".csv", ".tsv"}
BLANKS = r"\s+"  # separator of the reader for any number of blanks
# What a spreadsheet takes for the beginning of a formula.
LEADS = tuple("=+-@\t\r\n")
# A sign before nothing but a number, or a dash for "none".
HARMLESS = re.compile(
    r"[+-]*[\d.,'\u2019\s]*%?([eE][+-]?\d+)?|[+-](inf|infinity|nan)", re.IGNORECASE
)


def is_formula(cell: Any) -> bool:
    """Whether a spreadsheet would take a cell for a formula.

    Examples
    --------
    >>> from widemargin.cli.tables import is_formula
    >>> [is_formula(t) for t in ("=1+1", "-2+cmd", "@SUM(A1)", "-2,5", "-", "a=b")]
    [True, True, True, False, False, False]
    """
    return (
        isinstance(cell, str)
        and cell.startswith(LEADS)
        and HARMLESS.fullmatch(cell) is None
    )


@dataclass
class Disarmed:
    """Puts an apostrophe before formulas, and remembers where."""

    count: int = 0
    columns: list[str] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)

    def frame(self, frame: pd.DataFrame, numbers: Iterable[str] = ()) -> pd.DataFrame:
        """The same frame without formulas; columns of ``numbers`` have none."""
        changed = {}
        for name in frame.columns:
            column = frame[name]
            if column.dtype.kind in "biufcmM" or name in numbers:
                continue
            formulas = column.map(is_formula, na_action="ignore") == True  # noqa: E712
            if formulas.any():
                text = column.astype(object)
                changed[name] = text.mask(formulas, "'" + text[formulas])
                self.count += int(formulas.sum())
                if str(name) not in self.columns:
                    self.columns.append(str(name))
        frame = frame.assign(**changed) if changed else frame
        names = [str(name) for name in frame.columns if is_formula(str(name))]
        self.headers = list(dict.fromkeys([*self.headers, *names]))
        return frame.rename(columns={name: f"'{name}" for name in names})

    def parts(self, frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """The same for frames one after the other."""
        return map(self.frame, frames)

    @property
    def note(self) -> str | None:
        """What was done, if anything."""
        done = []
        if self.headers:
            names = "the column name" + "s" * (len(self.headers) > 1)
            done.append(f"{names} {listed(self.headers)}")
        if self.count:
            cells = "cell" if self.count == 1 else "cells"
            done.append(f"{self.count} {cells} of {listed(self.columns)}")
        if not done:
            return None
        return (
            f"put an apostrophe before {' and '.join(done)}, which a spreadsheet would "
            "run as a formula (--keep-formulas leaves them)."
        )


def disarm(
    frame: pd.DataFrame, notes: Session, numbers: Iterable[str] = ()
) -> pd.DataFrame:
    """The same frame without formulas, and a note on where there were any."""
    disarmed = Disarmed()
    frame = disarmed.frame(frame, numbers)
    if disarmed.note is not None:
        notes.note(disarmed.note)
    return frame


def dialect_for(path: str, source: Source | None, name: str) -> Dialect | None:
    """How to write a text: as the one that was read, as far as the ending allows."""
    if source is None or source.dialect is None:
        return None
    read = source.dialect
    ending = ending_of(path)
    if ending == ".tsv":
        return replace(read, separator="\t")
    if read.separator == BLANKS:
        read = replace(read, separator=" ")
    if read.separator in ",;|" or ending == ending_of(name):
        return read
    return replace(read, separator=";" if read.decimal == "," else ",")


def columns_for(
    path: str, source: Source | None, raw: pd.DataFrame, columns: list[str]
) -> pd.DataFrame:
    """Columns to write: of a text as they are written there, if it becomes a text."""
    if source is not None and source.cells is not None and ending_of(path) in TEXT:
        return source.cells(columns)
    return raw[columns]


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a frame, with JSON's null for what is missing."""
    rows: list[dict[str, Any]] = (
        frame.astype(object).where(frame.notna(), None).to_dict("records")
    )
    return rows
