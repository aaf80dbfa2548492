"""Every column at a glance: what kind it is, what is missing, where its values lie.

``columns`` returns lists with one entry per feature: ``kind``, ``missing`` (cells
without a value), ``distinct`` (different values), ``low`` and ``high`` (None where
values are not numbers), ``values`` (of other columns the most frequent values, as
text) and ``histogram``. That is a text of up to twelve digits, one per bar: 9 for the
highest, 0 for an empty one. Numbers of few values have a bar for each, other numbers
one per stretch of the axis, and categories the most frequent ones, highest first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.data.kinds import holds_numbers
from widemargin.data.numbers import floats_of
from widemargin.data.protocol import Floats
from widemargin.reporting.distributions import axis_ends, column
from widemargin.reporting.plain import numbers, text

BARS = 12
NAMED_VALUES = 3  # most frequent ones that are named
LONGEST = 24  # characters of a value
MOST_ROWS = 100_000  # a small histogram looks the same with every k-th row of more

Json = dict[str, Any]


def columns(X: Any, profile: Any) -> Json | None:
    """Look at all columns; None without the data or their profile."""
    if X is None or profile is None:
        return None
    if holds_numbers(X) and not hasattr(X, "compute"):
        X = floats_of(X)  # columns of an array are at hand, those of a frame are not
    looks = [
        _look(column(X, f), str(kind))
        for f, kind in enumerate(np.asarray(profile.kinds).tolist())
    ]
    return {
        "kind": [text(kind) for kind in profile.kinds],
        "missing": numbers(profile.missing),
        "distinct": numbers(profile.distinct),
        "low": numbers(profile.low),
        "high": numbers(profile.high),
        "values": [values for values, _ in looks],
        "histogram": [bars for _, bars in looks],
    }


def _look(values: NDArray[Any], kind: str) -> tuple[str | None, str]:
    values = values[:: -(-len(values) // MOST_ROWS) or 1]
    if kind == "numeric" and values.dtype != object:
        return None, _numeric_bars(values[np.isfinite(values)])
    known = [v for v in values.tolist() if v is not None and v == v]
    # Booleans may come as 0.0 and 1.0, for a column with missing values has no others.
    present = [str(bool(v) if kind == "boolean" else v) for v in known]
    levels, counts = np.unique(np.array(present, object), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return _frequent(levels[order], counts[order]), heights(counts[order][:BARS])


def _numeric_bars(known: Floats) -> str:
    if not len(known):
        return ""
    known = np.sort(known)
    starts = np.flatnonzero(known[1:] != known[:-1]) + 1
    if len(starts) < BARS:
        return heights(np.diff(starts, prepend=0, append=len(known)))
    low, high, _ = axis_ends(known)
    edges = np.linspace(low, high, BARS + 1)
    below = np.searchsorted(known, edges[1:-1])  # what is beyond counts at the ends
    return heights(np.diff(below, prepend=0, append=len(known)))


def heights(counts: NDArray[Any]) -> str:
    """Counts as digits: 9 for the largest, at least 1 where there is anything."""
    if not len(counts):
        return ""
    return "".join(map(str, np.ceil(9 * counts / counts.max()).astype(int).tolist()))


def _frequent(levels: NDArray[Any], counts: NDArray[Any]) -> str:
    named = []
    for level, count in zip(levels[:NAMED_VALUES], counts, strict=False):
        short = level if len(level) <= LONGEST else f"{level[: LONGEST - 1]}…"
        named.append(f"{text(short)} ({count})")
    return ", ".join(named) + (", …" if len(levels) > NAMED_VALUES else "")
