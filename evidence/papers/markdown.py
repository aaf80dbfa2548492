"""Pages of the documentation: one per paper, and an index with all verdicts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evidence import papers
from evidence.framework.pages import WIDE, Pages
from evidence.framework.pages import table as pages_table
from evidence.framework.verdicts import FAILS, HOLDS, UNTESTED
from evidence.papers.drawing import standalone
from evidence.papers.frame import Paper
from evidence.papers.outcomes import stored, summarize

Json = dict[str, Any]

RESULTS = Path(__file__).parent / "results"

WRITTEN = (
    "This page is written by `python -m evidence.papers --page` from stored results, "
    "which `make reproduce` measures."
)

CONTENTS = ["```{contents}", ":local:", ":depth: 1", ":backlinks: none", "```", ""]


def page(summary: Json) -> str:
    """The page of a paper."""
    parts = [
        WIDE,
        f"# {summary['title']}",
        "",
        f"{summary['citation']}.",
        "",
        WRITTEN,
        "",
    ]
    if summary["about"]:
        parts += [summary["about"], ""]
    parts += CONTENTS
    for part in summary["experiments"]:
        parts += _experiment(part, summary["key"])
    return "\n".join(parts)


def _experiment(part: Json, key: str) -> list[str]:
    lines = [f"## {part['title']}", "", part["how"], ""]
    done = f"{part['n_done']} of {part['n_cases']} cases"
    if part["n_done"] < part["n_cases"]:
        lines += [f"**Not complete:** {done} are stored; verdicts may change.", ""]
    if part["n_done"] and part["processor_seconds"] is not None:
        done += f", {part['processor_seconds'] / 60:.1f} minutes of processor time"
    made = ", ".join(f"{name} {value}" for name, value in part["made_with"].items())
    lines += [f"*{done}, with {made}.*" if made else f"*{done}.*", ""]
    rows = [
        [f"{c['where']}<br>**{c['verdict']}**", _said(c), _criterion(c) + _ours(c)]
        for c in part["claims"]
    ]
    lines += [":::{table}", ":class: claims", ""]
    lines += [table(["where, verdict", "the paper says", "we find"], rows), ":::", ""]
    for figure in part["figures"]:
        lines += [
            f"![{figure.caption}]({key}-{figure.key}.svg)",
            "",
            figure.caption,
            "",
        ]
    for one in part["tables"]:
        lines += [f"**{one['title']}**", ""]
        lines.append(table(one["header"], one["rows"], one["numbers"]))
        if one["note"]:
            lines += [one["note"], ""]
    return lines


def _said(claim: Json) -> str:
    """The claim, and what was published, a line each."""
    if not claim["published"]:
        return str(claim["text"])
    return f"{claim['text']}<br>*Published: {claim['published'].rstrip('.')}.*"


def _criterion(claim: Json) -> str:
    """When it holds, on a line of its own."""
    if not claim["criterion"]:
        return ""
    return f"*It holds if {claim['criterion'].rstrip('.')}.*<br>"


def _ours(claim: Json) -> str:
    return ". ".join(t.rstrip(".") for t in (claim["ours"], claim["why"]) if t) + "."


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    numbers: Sequence[bool] = (),
) -> str:
    """A table; signs and units stay with their numbers."""
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    text = re.sub(r"(?<!\w)-(?=\d)", "−", pages_table(header, cells, numbers))
    return text.replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}").replace(
        " %", "\N{NO-BREAK SPACE}%"
    )


# What a reader has to know to weigh the verdicts; it changes with the experiments.
CRITERIA = (
    "How large a difference has to be is our choice. Beside every claim, the page of "
    "its paper states the criterion, so that readers can disagree. Some criteria were "
    "changed after first results had been seen. Those of Figures 2 and 3 of 001 had "
    "been weakened after the claims failed; the original criteria are used again, and "
    "by these neither claim holds. For ARCENE, also in 001, PCA of the training rows "
    "is accepted as a reading besides PCA of all rows, which changed no verdict. In "
    "002, the best method must lead by two standard errors, which is stricter: it "
    "changed three verdicts from *holds* to *does not hold*. In 004, claims about "
    "times that are nearly equal or do not grow cannot be tested: two of them had "
    "held before and one had not. Verdicts are based on several repeats, whose number "
    "is on the page of the paper."
)


def index(summaries: Sequence[Json]) -> str:
    """The verdicts of all papers in one table."""
    lines = [
        WIDE,
        "# The papers, reproduced",
        "",
        "Every table and figure of the five papers that widemargin implements, "
        f"repeated on public data. Each claim *{HOLDS}*, *{FAILS}* or *{UNTESTED}*. No "
        "method or parameter was tuned to match the published results.",
        "",
        CRITERIA,
        "",
        WRITTEN,
        "",
    ]
    rows = [
        [
            f"[{s['key']}]({s['key']}.md)",
            c["where"],
            _said(c),
            f"**{c['verdict']}**",
            _ours(c),
        ]
        for s in summaries
        for c in s["verdicts"]
    ]
    counts = {
        v: sum(c["verdict"] == v for s in summaries for c in s["verdicts"])
        for v in (HOLDS, FAILS, UNTESTED)
    }
    totals = [
        [
            f"[{s['key']}]({s['key']}.md)",
            s["citation"],
            *(str(sum(c["verdict"] == v for c in s["verdicts"])) for v in counts),
        ]
        for s in summaries
    ]
    lines.append(table(["paper", "", *counts], totals))
    lines += [":::{table}", ":class: verdicts", ""]
    header = ["paper", "where", "it says", "verdict", "we find"]
    lines += [table(header, rows), ":::", ""]
    return "\n".join(lines)


def pages(results: Path, chosen: Sequence[Paper] | None = None) -> Pages:
    """A page for each paper, or each chosen one, its figures, and the index."""
    if chosen is None:
        chosen = [papers.find(key) for key in papers.available()]
    made: Pages = {}
    summaries = []
    folder = Path("papers")
    for paper in chosen:
        outcomes = [stored(paper, e, results, quick=False) for e in paper.experiments]
        summary = summarize(paper, outcomes, quick=False)
        for part in summary["experiments"]:
            for figure in part["figures"]:
                made[folder / f"{paper.key}-{figure.key}.svg"] = standalone(figure)
        made[folder / f"{paper.key}.md"] = page(summary)
        summaries.append(summary)
    made[folder / "index.md"] = index(summaries)
    return made
