"""Tables in Markdown, and means of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Rows = list[dict[str, Any]]


def grouped(rows: Rows, *names: str) -> dict[tuple[Any, ...], Rows]:
    """Rows by the values of some columns, in the order in which these are seen."""
    groups: dict[tuple[Any, ...], Rows] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def newest(rows: Rows, *names: str, enough: int) -> Rows:
    """Without results of an older version of the code, where there are enough others.

    ``names`` are columns whose values tell groups apart; a row may lack some.
    """
    groups: dict[tuple[Any, ...], Rows] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(name) for name in names), []).append(row)
    kept = []
    for some in groups.values():
        new = [row for row in some if not row.get("older")]
        kept += new if len(new) >= enough else some
    return kept


def how_many(rows: Rows) -> str:
    """Their number, and how many of them are of an older version of the code."""
    older = sum(bool(row.get("older")) for row in rows)
    if not older:
        return str(len(rows))
    return (
        f"{len(rows)} (older)" if older == len(rows) else f"{len(rows)} ({older} older)"
    )


def mean_of(rows: Rows, name: str) -> float:
    """Mean of a column."""
    return float(np.mean([row[name] for row in rows]))


def table(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown."""
    rows = [list(head), ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows) + "\n"
