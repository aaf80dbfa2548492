"""Write docs/benchmarks.md from the stored results.

python benchmarks/peers/page.py [--results FILE] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from truth.formats import table  # noqa: E402

RESULTS = HERE / "results.json"
PAGE = HERE.parents[1] / "docs" / "benchmarks.md"
MEGABYTE = 2**20

INTRODUCTION = """\
# Side by side with other packages

Written by `python benchmarks/peers/page.py` from `benchmarks/peers/results.json`, which
`make bench` measures: each package in a process of its own, on the same table, with
{threads} threads, fits in turn, medians of up to 9.

- *times as fast*: their time over ours; below 1 the other package is faster.
- *memory*: their peak during a fit over ours, each above what the process had before
  (at least 1 MB is assumed).
- *error*: largest difference from a naive implementation of the paper, over its largest
  score, on 120 rows and 12 features without ties. None where the formulas differ.

Measured on {cores} cores ({processor}) with Python {python}, {versions}.
"""


def write(results: Path = RESULTS) -> str:
    """The page."""
    stored = json.loads(results.read_text())
    machine = stored["machine"]
    versions = ", ".join(f"{k} {v}" for k, v in machine["versions"].items() if v)
    words = {**machine, "versions": versions}
    parts = [INTRODUCTION.format(**words)]
    head = ["method", "against", "rows × features", "ours", "theirs", "times as fast"]
    head += ["memory", "our error", "their error"]
    rows = [r for r in stored["rows"] if "problem" not in r]
    parts.append(table(head, [_row(row) for row in rows]))
    parts.append(_verdict(rows))
    problems = [r for r in stored["rows"] if "problem" in r]
    if problems:
        lines = [f"- {r['peer']}, {_shape(r)}: {r['problem']}" for r in problems]
        parts.append("Not measured:\n\n" + "\n".join(lines))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _row(row: dict[str, Any]) -> list[str]:
    ours, theirs = row["ours"], row["theirs"]
    return [
        f"`{row['method']}`",
        row["peer"],
        f"{_shape(row)} ({row['size']})",
        _seconds(ours["seconds"]),
        _seconds(theirs["seconds"]),
        f"{_ratio(row):.3g}" + (f" (wanted {row['wanted']})" if row["wanted"] else ""),
        _memory(ours["bytes"], theirs["bytes"]),
        _error(ours),
        _error(theirs),
    ]


def _verdict(rows: list[dict[str, Any]]) -> str:
    """Where a wish is not met, and where the other package is faster."""
    short = [r for r in rows if r["wanted"] and _ratio(r) < float(r["wanted"])]
    slower = [r for r in rows if _ratio(r) < 1]
    lines = [
        "Less than wanted: " + (_names(short) or "nowhere") + ".",
        "The other package is faster: " + (_names(slower) or "nowhere") + ".",
    ]
    return "\n\n".join(lines)


def _names(rows: list[dict[str, Any]]) -> str:
    return "; ".join(f"{r['method']} against {r['peer']} ({r['size']})" for r in rows)


def _ratio(row: dict[str, Any]) -> float:
    return float(row["theirs"]["seconds"] / row["ours"]["seconds"])


def _shape(row: dict[str, Any]) -> str:
    return f"{row['shape'][0]} × {row['shape'][1]}"


def _seconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _memory(ours: int | None, theirs: int | None) -> str:
    if ours is None or theirs is None:
        return ""
    return f"{max(theirs, MEGABYTE) / max(ours, MEGABYTE):.2g}"


def _error(side: dict[str, Any]) -> str:
    return f"{side['error']:.0e}" if "error" in side else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=PAGE)
    args = parser.parse_args()
    args.out.write_text(write(args.results), encoding="utf-8")


if __name__ == "__main__":
    main()
