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


def mean_of(rows: Rows, name: str) -> float:
    """Mean of a column."""
    return float(np.mean([row[name] for row in rows]))


def table(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown."""
    rows = [list(head), ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows) + "\n"
