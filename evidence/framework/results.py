"""Rows of results: some of them, in groups, and means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from evidence.framework.store import OLDER, Row

Rows = list[Row]


class NoResults(LookupError):
    """There is no result that a claim, a table or a figure needs."""


class Results:
    """The rows of an experiment: case and result in one dictionary each."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = list(rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, **fields: Any) -> Results:
        """Those with these values.

        Raises
        ------
        NoResults
            If there are none.
        """
        found = [r for r in self.rows if all(r.get(k) == v for k, v in fields.items())]
        if not found:
            raise NoResults(", ".join(f"{k} {v}" for k, v in fields.items()))
        return Results(found)

    def has(self, **fields: Any) -> bool:
        """Whether there are any with these values."""
        return any(all(r.get(k) == v for k, v in fields.items()) for r in self.rows)

    def values(self, name: str) -> list[Any]:
        """One field of every row that has it, in the order of the rows."""
        return [row[name] for row in self.rows if name in row]


def grouped(rows: Rows, *names: str) -> dict[tuple[Any, ...], Rows]:
    """Rows by the values of some columns, in the order in which these are seen.

    A row may lack some of them: the value is then None.
    """
    groups: dict[tuple[Any, ...], Rows] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(name) for name in names), []).append(row)
    return groups


def newest(rows: Rows, *names: str, enough: int) -> Rows:
    """Without results of an older version of the code, where there are enough others.

    ``names`` are columns whose values tell groups apart.
    """
    kept = []
    for some in grouped(rows, *names).values():
        new = [row for row in some if not row.get(OLDER)]
        kept += new if len(new) >= enough else some
    return kept


def how_many(rows: Rows) -> str:
    """Their number, and how many of them are of an older version of the code."""
    older = sum(bool(row.get(OLDER)) for row in rows)
    if not older:
        return str(len(rows))
    return (
        f"{len(rows)} (older)" if older == len(rows) else f"{len(rows)} ({older} older)"
    )


def mean_of(rows: Rows, name: str) -> float:
    """Mean of a column."""
    return float(np.mean([row[name] for row in rows]))
