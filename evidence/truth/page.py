"""Write docs/truth.md from the stored results.

python -m evidence.truth --page [--results DIR] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from pathlib import Path
from typing import Any

from evidence.truth.before import BEFORE
from evidence.truth.formats import newest, table
from evidence.truth.run import part_names
from evidence.truth.store import RESULTS, Store

PAGE = Path(__file__).resolve().parents[2] / "docs" / "truth.md"
INTRODUCTION = """\
# How good the answers are

Scores are facts about a table. *Which features, how many, how sure* are claims about
the world, and this page reports how often they are true. Each claim is tested against a
known truth: either the data were simulated, or rows were held out.

`python -m evidence.truth --page` writes this page from the results in
`evidence/truth/results`, which were measured with

    python -m evidence.truth [part …] --data DIR

An interrupted run resumes where it stopped. `DIR` is a folder of public data sets (see
`evidence.data.load`); cases whose data set is not there are skipped. The slow
tests run a small version of each part.
"""


def write(results: Path = RESULTS) -> str:
    """The page."""
    sections, summary = [], []
    for name in part_names():
        rows = Store(name, results).rows()
        if not rows:
            continue
        part = import_module(f"evidence.truth.parts.{name}")
        if hasattr(part, "GROUPS"):
            enough = getattr(part, "ENOUGH", 40)
            rows = newest(rows, *part.GROUPS, enough=enough)
        verdicts = part.verdicts(rows)
        summary += [[f"[{name}](#{name})", *_words(verdict)] for verdict in verdicts]
        lines = [f'<a id="{name}"></a>', "", f"## {part.TITLE}", ""]
        lines += [f"`python -m evidence.truth {name} --data DIR`", ""]
        lines += [
            f"- {promise}: **{measured}** ({holds})"
            for promise, measured, holds in map(_words, verdicts)
        ]
        lines += ["", *_older(rows), part.tables(rows)]
        sections.append("\n".join(lines))
    head = ["part", "claim", "measured", "verdict"]
    before = table(["what", "result"], [*BEFORE.items()])
    return "\n".join(
        [
            INTRODUCTION,
            "## Summary",
            "",
            table(head, summary),
            "## For comparison: an earlier implementation",
            "",
            "Results of an earlier implementation, without the safeguards tested "
            "above:",
            "",
            before,
            *sections,
            _versions(results),
        ]
    )


def _older(rows: list[dict[str, Any]]) -> list[str]:
    count = sum(bool(row.get("older")) for row in rows)
    if not count:
        return []
    return [
        f"{count} of {len(rows)} results were measured with an older version of the "
        "code.",
        "",
    ]


def _words(verdict: tuple[str, str, bool]) -> list[str]:
    promise, measured, holds = verdict
    return [promise, measured, "holds" if holds else "does not hold"]


def _versions(results: Path) -> str:
    made = {}
    for name in part_names():
        path = results / f"{name}.json"
        if path.exists():
            made[name] = json.loads(path.read_text(encoding="utf-8"))["made_with"]
    groups: dict[str, list[str]] = {}
    for name, packages in made.items():
        text = ", ".join(f"{key} {value}" for key, value in packages.items())
        groups.setdefault(text, []).append(name)
    lines = [f"- {', '.join(names)}: {text}" for text, names in groups.items()]
    return "\n".join(["## Versions", "", *lines, ""])


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=PAGE)
    args = parser.parse_args()
    args.out.write_text(write(args.results), encoding="utf-8")
