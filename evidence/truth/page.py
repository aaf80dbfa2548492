"""docs/truth.md from the stored results: ten sentences, the verdicts, the tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evidence.framework.pages import Pages, folded, table
from evidence.framework.results import Rows, newest
from evidence.framework.store import OLDER, Stores
from evidence.framework.verdicts import HOLDS
from evidence.truth.parts import PARTS
from evidence.truth.sentences import sentences

# The one answer comes first, then the tools around it.
FIRST = ("answer", "relevance", "seeds", "genes", "skew")
ORDER = (*FIRST, *(name for name in PARTS if name not in FIRST))

HOW = """\
## How it was measured

Scores are facts about a table. *Which features, how many, how sure* are claims about
the world. Each is tested here against a known truth: either the data were simulated, or
rows were held out. `evidence/truth/PROTOCOL.md` was written before the answer was
measured. `python -m evidence.truth --page` writes this page from the results in
`evidence/truth/results`, which were measured with

    python -m evidence.truth [part …] --data DIR

`DIR` is a folder of public data sets (see `evidence.data.load`), and the environment
variable `WIDEMARGIN_FRESH` names one with the tables of the study
(`evidence/study/collect.py`). Cases whose data set is not there are skipped.
"""


def pages(results: Path) -> Pages:
    """The page."""
    sections, summary, found = [], [], dict[str, Rows]()
    made_with: dict[str, list[str]] = {}
    stores = Stores(results)
    for name in ORDER:
        part, rows = PARTS[name], stores[name].rows()
        if not rows:
            continue
        made = stores[name].made_with.items()
        text = ", ".join(f"{package} {version}" for package, version in made)
        made_with.setdefault(text, []).append(name)
        if hasattr(part, "GROUPS"):
            rows = newest(rows, *part.GROUPS, enough=getattr(part, "ENOUGH", 40))
        found[name] = rows
        link = f"[{name}](#{name})"
        verdicts = part.verdicts(rows)
        summary += [(v.verdict == HOLDS, [link, v.claim, v.ours]) for v in verdicts]
        sections.append(_section(name, part, rows))
    head = ["part", "promise", "measured"]
    kept = [line for holds, line in summary if holds]
    broken = [line for holds, line in summary if not holds]
    text = "\n".join(
        [
            "# How good the answers are",
            "",
            *(f"{i}. {text}" for i, text in enumerate(sentences(found), 1)),
            "",
            "## Promises",
            "",
            f"{len(kept)} of {len(summary)} hold. These do not:",
            "",
            table(head, broken),
            folded(table(head, kept), "The {} that hold"),
            "",
            *sections,
            HOW,
            "Versions in the last run of each part:",
            "",
            *(f"- {', '.join(names)}: {text}" for text, names in made_with.items()),
            "",
        ]
    )
    return {Path("truth.md"): text}


def _section(name: str, part: Any, rows: Rows) -> str:
    lines = [f'<a id="{name}"></a>', "", f"## {part.TITLE}", ""]
    older = sum(bool(row.get(OLDER)) for row in rows)
    if older:
        lines += [
            f"{older} of {len(rows)} results were measured with an older version of "
            "the code.",
            "",
        ]
    return "\n".join([*lines, folded(part.tables(rows))])
