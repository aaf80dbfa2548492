"""Pages of the documentation: one per paper, and an index with all verdicts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evidence import papers
from evidence.framework.pages import WIDE, Pages
from evidence.framework.pages import table as pages_table
from evidence.framework.verdicts import KINDS
from evidence.papers.drawing import standalone
from evidence.papers.frame import Paper
from evidence.papers.outcomes import stored, summarize

Json = dict[str, Any]

RESULTS = Path(__file__).parent / "results"

WRITTEN = (
    "This page is written by `python -m evidence.papers --page` from stored results, "
    "which `make reproduce` measures."
)

REPRODUCED, SURVIVES = "reproduced", "survives"  # the two verdicts
UNIMPLEMENTED = "Remarks without code"
EXPLAINED = (
    "Each claim has two verdicts. *Reproduced*: by the protocol of the paper, read as "
    "the paper reads it, with the choices that it makes on test rows. *Survives*: "
    "nothing is chosen on test rows, only differences beyond two standard errors "
    "count, and the controls are passed; – where the paper chooses nothing. Where the "
    "data are not public, others stand in, which cannot refute: the verdict is then "
    "*cannot be tested*, and what the stand-ins show is said after it."
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
    parts += [text for one in (summary["about"], EXPLAINED) for text in (one, "")]
    parts += CONTENTS
    for part in summary["experiments"]:
        parts += _experiment(part, summary["key"])
    if summary["unimplemented"]:
        header = ["where", "the remark", "why there is no code"]
        parts += [f"## {UNIMPLEMENTED}", "", table(header, summary["unimplemented"])]
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
        [
            c["where"],
            _said(c),
            f"**{c[REPRODUCED]}**",
            f"**{c[SURVIVES]}**",
            "".join(f"*{text}*<br>" for text in criteria(c)) + _ours(c),
        ]
        for c in part["claims"]
    ]
    header = ["where", "the paper says", REPRODUCED, SURVIVES, "we find"]
    lines += [":::{table}", ":class: claims", "", table(header, rows), ":::", ""]
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


def criteria(claim: Json) -> list[str]:
    """When it holds, by each verdict, and what was changed."""
    texts = []
    if claim["criterion"]:
        texts.append(f"It holds if {claim['criterion'].rstrip('.')}.")
    if claim["honest_criterion"]:
        texts.append(f"It survives if {claim['honest_criterion'].rstrip('.')}.")
    if claim["changed"]:
        texts.append(f"Changed: {claim['changed'].rstrip('.')}.")
    return texts


def counts(summary: Json, which: str) -> dict[str, int]:
    """How many verdicts of each kind there are."""
    found = [claim[which].partition(";")[0] for claim in summary["verdicts"]]
    return {kind: found.count(kind) for kind in KINDS}


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
    "its paper states the criteria, so that readers can disagree. Those that were "
    "changed after first results had been seen are listed below, with date and "
    "reason. Before 2026-11-18, for ARCENE, in 001, PCA of the training rows had been "
    "accepted as a reading besides PCA of all rows, which changed no verdict; and in "
    "004, claims about times that are nearly equal had become ones that cannot be "
    "tested: two of them had held before and one had not. Verdicts are based on "
    "several repeats, whose number is on the page of the paper."
)


def index(summaries: Sequence[Json]) -> str:
    """The verdicts of all papers in one table."""
    lines = [
        WIDE,
        "# The papers, reproduced",
        "",
        "Every table and figure of the five papers that widemargin implements, "
        "repeated on public data. No method or parameter was tuned to match the "
        "published results.",
        "",
        EXPLAINED,
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
            f"**{c[REPRODUCED]}**",
            f"**{c[SURVIVES]}**",
            _ours(c),
        ]
        for s in summaries
        for c in s["verdicts"]
    ]
    totals = [
        [f"[{s['key']}]({s['key']}.md)", s["citation"], which]
        + [str(n) for n in counts(s, which).values()]
        for s in summaries
        for which in (REPRODUCED, SURVIVES)
    ]
    lines.append(table(["paper", "", "", *KINDS], totals))
    lines += [":::{table}", ":class: verdicts", ""]
    header = ["paper", "where", "it says", REPRODUCED, SURVIVES, "we find"]
    lines += [table(header, rows), ":::", "", "## Changed criteria", ""]
    changes: dict[tuple[str, str], list[str]] = {}
    for s in summaries:
        for c in s["verdicts"]:
            if c["changed"]:
                changes.setdefault((s["key"], c["changed"]), []).append(c["where"])
    rows = [
        [f"[{key}]({key}.md)", ", ".join(dict.fromkeys(where)), change]
        for (key, change), where in changes.items()
    ]
    lines.append(table(["paper", "where", "changed"], rows))
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
