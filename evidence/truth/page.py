"""docs/truth.md from the stored results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evidence.framework.pages import Pages, table
from evidence.framework.results import newest
from evidence.framework.store import OLDER, Stores
from evidence.framework.verdicts import Verdict
from evidence.truth.parts import PARTS

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


def pages(results: Path) -> Pages:
    """The page."""
    sections, summary = [], []
    made_with: dict[str, list[str]] = {}
    stores = Stores(results)
    for name, part in PARTS.items():
        rows = stores[name].rows()
        if not rows:
            continue
        made = stores[name].made_with.items()
        text = ", ".join(f"{package} {version}" for package, version in made)
        made_with.setdefault(text, []).append(name)
        if hasattr(part, "GROUPS"):
            rows = newest(rows, *part.GROUPS, enough=getattr(part, "ENOUGH", 40))
        verdicts = part.verdicts(rows)
        summary += [
            [f"[{name}](#{name})", v.claim, v.ours, v.verdict] for v in verdicts
        ]
        sections.append(_section(name, part, rows, verdicts))
    head = ["part", "claim", "measured", "verdict"]
    lines = [f"- {', '.join(names)}: {text}" for text, names in made_with.items()]
    text = "\n".join(
        [
            INTRODUCTION,
            "## Summary",
            "",
            table(head, summary),
            *sections,
            "## Versions",
            "",
            *lines,
            "",
        ]
    )
    return {Path("truth.md"): text}


def _section(
    name: str, part: Any, rows: list[dict[str, Any]], verdicts: list[Verdict]
) -> str:
    lines = [f'<a id="{name}"></a>', "", f"## {part.TITLE}", ""]
    lines += [f"`python -m evidence.truth {name} --data DIR`", ""]
    lines += [f"- {v.claim}: **{v.ours}** ({v.verdict})" for v in verdicts]
    lines.append("")
    older = sum(bool(row.get(OLDER)) for row in rows)
    if older:
        lines += [
            f"{older} of {len(rows)} results were measured with an older version of "
            "the code.",
            "",
        ]
    return "\n".join([*lines, part.tables(rows)])
