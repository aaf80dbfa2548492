"""docs/benchmarks.md from the stored results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from evidence.framework.pages import WIDE, Pages, folded, table
from evidence.framework.store import Stores

MEGABYTE = 2**20
# Peers that work in processes of their own, whose time and memory are not counted.
SUBPROCESSES = ("skrebate", "mrmr", "scikit-learn mutual")

INTRODUCTION = (
    f"{WIDE}\n"
    + """\
# Benchmarks against other packages

{conclusion}

Each package runs in its own process on the same table, with {threads} threads. They
take turns of half a second or one fit, whichever is longer; times are medians of up to
9 turns (`make bench` measures, `python -m evidence.peers --page` writes this page).
Measured on {cores} cores ({processor}) with Python {python}, {versions}.
The load average was {load} when the comparisons began; other work slowed both sides.

- *times as fast*: their wall-clock time divided by ours. *Processor* is the same ratio
  of processor times, which other work on the machine disturbs less; packages that start
  subprocesses have none.
- *memory*: their peak memory during a fit divided by ours, each relative to the process
  before the fit, without subprocesses; none where either is below 1 MB.
- *error*: the largest difference from a naive implementation of the paper, divided by
  the largest score, on 120 rows and 12 features without ties; none where the formulas
  differ.
"""
)


def pages(results: Path) -> Pages:
    """The page."""
    stores = Stores(results)
    stored, machine = stores["comparisons"].rows(), stores["comparisons"].made_with
    versions = ", ".join(f"{k} {v}" for k, v in machine["versions"].items() if v)
    loads = [row["load"] for row in stored if "load" in row] or [0.0]
    load = f"{min(loads):.0f} to {max(loads):.0f}"
    rows = [r for r in stored if "problem" not in r]
    rows.sort(key=lambda row: (row["method"], row["peer"], row["size"]))
    words = {**machine, "versions": versions, "load": load}
    parts = [INTRODUCTION.format(conclusion=_conclusion(rows), **words)]
    head = ["method", "against", "rows × features", "ours", "theirs", "times as fast"]
    head += ["processor"]
    head += ["memory", "our error", "their error"]
    parts.append(folded(table(head, [_row(row) for row in rows])))
    for name, section in (("growth", _growth), ("limits", _limits)):
        if len(stores[name]):
            parts.append(section(stores[name].rows()))
    problems = [r for r in stored if "problem" in r]
    if problems:
        lines = [f"- {r['peer']}, {_shape(r)}: {r['problem']}" for r in problems]
        parts.append("Not measured:\n\n" + "\n".join(lines))
    text = "\n\n".join(part.strip() for part in parts) + "\n"
    return {Path("benchmarks.md"): text}


def _row(row: dict[str, Any]) -> list[str]:
    ours, theirs = row["ours"], row["theirs"]
    return [
        f"`{row['method']}`",
        row["peer"],
        f"{_shape(row)} ({row['size']})",
        _seconds(ours["seconds"]),
        _seconds(theirs["seconds"]),
        f"{_ratio(row):.3g}",
        _processor(row),
        _memory(ours["bytes"], theirs["bytes"]),
        _error(ours),
        _error(theirs),
    ]


def _growth(rows: list[dict[str, Any]]) -> str:
    """Exponents of the time and the memory of our methods."""
    lines = []
    for method in dict.fromkeys(row["method"] for row in rows):
        mine = [row for row in rows if row["method"] == method]
        cells = [f"`{method}`"]
        for axis in (0, 1):
            other = min(row["shape"][1 - axis] for row in mine)
            part = [row for row in mine if row["shape"][1 - axis] == other]
            sizes = [row["shape"][axis] for row in part]
            for what in ("processor", "bytes"):
                least = MEGABYTE if what == "bytes" else 1e-9
                values = [max(row[what] or 0, least) for row in part]
                cells.append(f"{_exponent(sizes, values):.2f}")
        lines.append(cells)
    head = [
        "method",
        "time, rows",
        "memory, rows",
        "time, features",
        "memory, features",
    ]
    words = """\
## Growth

Exponents fitted to the processor time and to the peak memory of our fits: 1 means that
twice as many rows, or features, take twice as much. Rows vary from 1000 to 8000 with 50
features, and features from 50 to 400 with 1000 rows. Memory below 1 MB
counts as 1 MB."""
    return words + "\n\n" + table(head, lines)


def _exponent(sizes: list[int], values: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def _limits(rows: list[dict[str, Any]]) -> str:
    """How near whole fits come to what the machine can do."""
    lines = [
        [f"{_shape(r)} ({r['size']})", f"{r['speed'] / 1e9:.0f}", f"{r['share']:.2f}"]
        for r in rows
    ]
    head = ["rows × features", "matrix product, GFlop/s", "fit / matrix product"]
    words = """\
## Relative to a matrix product

Computing all Euclidean distances with a matrix product takes 2 n² d operations. The
table compares the rate at which a whole fit of `ReliefF` does this work with that of a
double-precision matrix product run right after it, as the best of nine pairs. The ratio
can exceed 1: screening uses single precision, and each distance is used twice."""
    return words + "\n\n" + table(head, lines)


def _conclusion(rows: list[dict[str, Any]]) -> str:
    """How much faster we are than each package; where it is faster, or needs less."""
    peers: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        # Methods of a package that has nothing but selectors count together.
        named = row["peer"].startswith("scikit-learn")
        peers.setdefault(row["peer"] if named else row["peer"].split()[0], []).append(
            row
        )
    lines = [_beside(peer, some) for peer, some in sorted(peers.items())]
    slower = _names([r for r in rows if _ratio(r) < 1]) or "nowhere"
    return (
        "How many times as fast our fits are, and how much memory the others take:\n\n"
        + "\n".join(lines)
        + f"\n\nThe other package is faster: {slower}. Where it needs less memory: we "
        "hold the scaled table in double precision and, for the search, once more in "
        "single precision; fast-select holds it in single precision only."
    )


def _beside(peer: str, rows: list[dict[str, Any]]) -> str:
    """A line about one package."""
    text = f"- {peer}: {_range([_ratio(row) for row in rows])} times as fast"
    pairs = [(r["ours"]["bytes"], r["theirs"]["bytes"]) for r in rows]
    memory = [theirs / ours for ours, theirs in pairs if _memory(ours, theirs)]
    if memory:
        text += f", with {_range(memory)} times our memory"
    return f"{text} ({len(rows)} tables)" if len(rows) > 1 else f"{text} (one table)"


def _range(values: list[float]) -> str:
    low, high = (
        f"{x:.2g}" if x < 100 else f"{x:.0f}" for x in (min(values), max(values))
    )
    return low if low == high else f"{low} to {high}"


def _names(rows: list[dict[str, Any]]) -> str:
    return "; ".join(f"{r['method']} against {r['peer']} ({r['size']})" for r in rows)


def _ratio(row: dict[str, Any]) -> float:
    return float(row["theirs"]["seconds"] / row["ours"]["seconds"])


def _processor(row: dict[str, Any]) -> str:
    """Ratio of processor times, where all of it was spent in the two processes."""
    if row["peer"].startswith(SUBPROCESSES) or "processor" not in row["ours"]:
        return ""
    return f"{row['theirs']['processor'] / row['ours']['processor']:.3g}"


def _shape(row: dict[str, Any]) -> str:
    return f"{row['shape'][0]} × {row['shape'][1]}"


def _seconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _memory(ours: int | None, theirs: int | None) -> str:
    # Less than that is what a fit could take from memory that the process had already.
    if ours is None or theirs is None or min(ours, theirs) < MEGABYTE:
        return ""
    return f"{theirs / ours:.2g}"


def _error(side: dict[str, Any]) -> str:
    return f"{side['error']:.0e}" if "error" in side else ""
