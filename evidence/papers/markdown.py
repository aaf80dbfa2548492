"""Pages of the documentation: one per paper, and an index with all verdicts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evidence import papers
from evidence.papers.drawing import standalone
from evidence.papers.frame import FAILS, HOLDS, UNTESTED
from evidence.papers.running import stored
from evidence.papers.summary import summarize

Json = dict[str, Any]

RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parents[2] / "docs" / "papers"

WRITTEN = (
    "This page is written by `python -m evidence.papers --page` from stored results, "
    "which `make reproduce` measures."
)

# Tables need the room of the list of sections; pages with several have their own.
WIDE = ["---", "html_theme.sidebar_secondary.remove: true", "---", ""]
CONTENTS = ["```{contents}", ":local:", ":depth: 1", ":backlinks: none", "```", ""]


def page(summary: Json) -> str:
    """The page of a paper."""
    parts = [
        *WIDE,
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
    lines += [*table(["where, verdict", "the paper says", "we find"], rows), ":::", ""]
    for figure in part["figures"]:
        lines += [
            f"![{figure.caption}]({key}-{figure.key}.svg)",
            "",
            figure.caption,
            "",
        ]
    for one in part["tables"]:
        lines += [f"**{one['title']}**", ""]
        lines += table(one["header"], one["rows"], one["numbers"])
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
    numbers: Sequence[bool] | None = None,
) -> list[str]:
    """A table, and an empty line."""
    right = numbers or [False] * len(header)
    return [
        _line(header),
        _line(["---:" if r else "---" for r in right]),
        *(_line(row) for row in rows),
        "",
    ]


def _line(cells: Sequence[str]) -> str:
    text = "| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |"
    text = re.sub(r"(?<!\w)-(?=\d)", "−", text)
    # What belongs together stays on a line.
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
        *WIDE,
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
    lines += table(
        ["paper", "", *counts],
        [
            [
                f"[{s['key']}]({s['key']}.md)",
                f"{s['citation']}",
                *(str(sum(c["verdict"] == v for c in s["verdicts"])) for v in counts),
            ]
            for s in summaries
        ],
    )
    lines += [":::{table}", ":class: verdicts", ""]
    header = ["paper", "where", "it says", "verdict", "we find"]
    lines += [*table(header, rows), ":::", ""]
    return "\n".join(lines)


def write(results: Path, docs: Path) -> None:
    """Write a page per paper, its figures and the index."""
    docs.mkdir(parents=True, exist_ok=True)
    summaries = []
    for key in papers.available():
        paper = papers.find(key)
        outcomes = [stored(paper, e, results, quick=False) for e in paper.experiments]
        summary = summarize(paper, outcomes, quick=False)
        for part in summary["experiments"]:
            for figure in part["figures"]:
                path = docs / f"{key}-{figure.key}.svg"
                path.write_text(standalone(figure), encoding="utf-8")
        (docs / f"{key}.md").write_text(page(summary), encoding="utf-8")
        summaries.append(summary)
    (docs / "index.md").write_text(index(summaries), encoding="utf-8")
