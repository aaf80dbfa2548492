"""Pages of the documentation: one per paper, and an index with all verdicts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evidence import papers
from evidence.framework.pages import WIDE, Pages
from evidence.framework.pages import table as pages_table
from evidence.framework.verdicts import HOLDS, KINDS, STAND_INS
from evidence.papers.drawing import standalone
from evidence.papers.frame import Paper
from evidence.papers.outcomes import stored, summarize

Json = dict[str, Any]

RESULTS = Path(__file__).parent / "results"

WRITTEN = (
    "Written by `python -m evidence.papers --page` from stored results, which `make "
    "reproduce` measures. `python -m evidence.papers all -o evidence/papers/results` "
    "makes pages with all tables of these results."
)

REPRODUCED, SURVIVES = "reproduced", "survives"  # the two verdicts
UNIMPLEMENTED = "Remarks without code"
EXPLAINED = (
    "*Reproduced*: by the protocol of the paper, with the choices that it makes on "
    "test rows. *Survives*: nothing is chosen on test rows, only differences beyond "
    "two standard errors count, and the controls are passed; – where the paper chooses "
    "nothing. Where the data are not public, others stand in, which cannot refute: "
    "the verdict is *untested*, with what the stand-ins show in brackets."
)

MAIN = ("widemargin", "numpy", "scikit-learn")  # packages that a page names

# Each verdict in the index.
BRIEF = dict(zip(KINDS, ("holds", "fails", "undecided", "untested"), strict=True))


def page(summary: Json) -> str:
    """The page of a paper: what was found, then claims; how it was done is folded."""
    told = tally([summary])
    lines = [WIDE, f"# {summary['title']}", ""]
    lines += [f"{summary['about']} {told}".strip(), ""]
    lines += [f"*{summary['citation']}.* [What the verdicts mean](index.md)", ""]
    first = 1
    for part in summary["experiments"]:
        lines += _experiment(part, summary["key"], first)
        first += len(part["claims"])
    if summary["unimplemented"]:
        header = ["where", "the remark", "why there is no code"]
        lines += [f"## {UNIMPLEMENTED}", "", table(header, summary["unimplemented"])]
    lines += ["## Versions", "", *_versions(summary["experiments"]), ""]
    return "\n".join(lines)


def tally(summaries: Sequence[Json]) -> str:
    """In a sentence, how many claims there are and how they fare."""
    first, second = (counts(summaries, which) for which in (REPRODUCED, SURVIVES))
    verbs = dict(zip(KINDS, ("hold", "do not", "are undecided"), strict=False))
    told = [f"{n} {verbs.get(kind, kind)}" for kind, n in first.items() if n]
    whose = "paper's" if len(summaries) == 1 else "papers'"
    text = f"Of {sum(first.values())} claims, by the {whose} protocol, "
    text += f"{', '.join(told)}."
    chosen = sum(second.values())
    if chosen:
        text += f" {second[HOLDS]} of {chosen} survive an honest choice."
    return text


def _experiment(part: Json, key: str, first: int) -> list[str]:
    """A section; ``first`` is the number of its first claim."""
    lines = [f"## {part['title']}", ""]
    if part["n_done"] < part["n_cases"]:
        done = f"{part['n_done']} of {part['n_cases']} cases"
        lines += [f"**Not complete:** {done} are stored; verdicts may change.", ""]
    rows = [
        [
            f"{number}. {c['where']}",
            _said(c),
            f"**{c[REPRODUCED]}**",
            f"**{c[SURVIVES]}**",
            _ours(c),
        ]
        for number, c in enumerate(part["claims"], first)
    ]
    header = ["claim", "the paper says", REPRODUCED, SURVIVES, "we find"]
    lines += [":::{table}", ":class: claims", "", table(header, rows), ":::", ""]
    for figure in part["figures"]:
        name = figure.caption.partition(":")[0]
        lines += [f"![{name}]({key}-{figure.key}.svg)", "", figure.caption, ""]
    lines += ["::::{dropdown} How it was measured, and when a claim holds", ""]
    lines += [part["how"], "", *_all_criteria(part["claims"], first), ""]
    for one in part["tables"]:
        if one["on_page"]:
            lines += [f"**{one['title']}**", ""]
            lines.append(table(one["header"], one["rows"], one["numbers"]))
            lines += [one["note"], ""] if one["note"] else []
    return [*lines, "::::", ""]


def _all_criteria(claims: Sequence[Json], first: int) -> list[str]:
    """The criteria of an experiment, each once, and what was changed, with claims."""
    holds: dict[str, list[int]] = {}
    changes: dict[str, list[int]] = {}
    for number, claim in enumerate(claims, first):
        texts = [
            text.removeprefix("It ") for text in criteria({**claim, "changed": ""})
        ]
        if texts:
            text = "; ".join(text.rstrip(".") for text in texts)
            holds.setdefault(f"{text[0].upper()}{text[1:]}.", []).append(number)
        if claim["changed"]:
            changed = f"Changed {claim['changed'].rstrip('.')}."
            changes.setdefault(changed, []).append(number)
    found = [*holds.items(), *changes.items()]
    return [f"- *{_numbers(numbers)}.* {text}" for text, numbers in found]


def _numbers(found: Sequence[int]) -> str:
    """Ascending numbers: 2, 4–6."""
    runs: list[list[int]] = []
    for number in found:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts = [", ".join(map(str, r)) if len(r) < 3 else f"{r[0]}–{r[-1]}" for r in runs]
    return ", ".join(texts)


def _versions(parts: Sequence[Json]) -> list[str]:
    """What measured which experiment, and how long it took."""
    by: dict[str, list[Json]] = {}
    for part in parts:
        made = ", ".join(
            f"{name} {value}"
            for name, value in part["made_with"].items()
            if name in MAIN
        )
        by.setdefault(made, []).append(part)
    lines = []
    for made, some in by.items():
        names = ", ".join(part["title"] for part in some)
        cases = f"{sum(part['n_done'] for part in some)} cases"
        seconds = [part["processor_seconds"] for part in some]
        if None not in seconds and sum(part["n_done"] for part in some):
            cases += f", {sum(seconds) / 60:.1f} minutes of processor time"
        lines.append(f"- {names}: {cases}{f', with {made}' if made else ''}.")
    return lines


def _said(claim: Json) -> str:
    """The claim, and what was published, if that is a number."""
    published = claim["published"].rstrip(".")
    if not any(c.isdigit() for c in published):
        return str(claim["text"])
    return f"{claim['text']}<br>*Published: {published}.*"


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


def counts(summaries: Sequence[Json], which: str) -> dict[str, int]:
    """How many verdicts of each kind there are."""
    claims = [claim for summary in summaries for claim in summary["verdicts"]]
    found = [claim[which].partition(";")[0] for claim in claims]
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
    "How large a difference has to be is our choice: the page of each paper states the "
    "criterion of each claim, so that readers can disagree, and which criteria were "
    "changed after first results had been seen, with date and reason. Before "
    "2026-11-18, for ARCENE, in 001, PCA of the training rows had been accepted as a "
    "reading besides PCA of all rows, which changed no verdict; and in 004, claims "
    "about times that are nearly equal had become ones that cannot be tested: two had "
    "held before and one had not. No method or parameter was tuned to match a "
    "published result."
)


def index(summaries: Sequence[Json]) -> str:
    """All claims of all papers with both verdicts, a line each."""
    head = "All claims of the five papers that widemargin implements, on public data."
    lines = [WIDE, "# The papers, reproduced", "", f"{head} {tally(summaries)}", ""]
    lines += [EXPLAINED, "", CRITERIA, ""]
    totals = []
    for s in summaries:
        first, second = (counts([s], which) for which in (REPRODUCED, SURVIVES))
        survive = f"{second[HOLDS]} of {sum(second.values())}"
        totals.append([f"[{s['key']}]({s['key']}.md)", *map(str, first.values())])
        totals[-1].append(survive)
    lines.append(table(["paper", *KINDS, "survive"], totals))
    for s in summaries:
        lines += [f"## [{s['key']}]({s['key']}.md): {s['title']}", ""]
        rows = [
            [
                str(number),
                c["text"],
                *(_briefly(c[which]) for which in (REPRODUCED, SURVIVES)),
            ]
            for number, c in enumerate(s["verdicts"], 1)
        ]
        lines += [f"::::{{dropdown}} The {len(rows)} claims"]
        lines += [":::{table}", ":class: claims", ""]
        lines += [table(["", "it says", REPRODUCED, SURVIVES], rows), ":::", "::::", ""]
    return "\n".join([*lines, WRITTEN, ""])


def _briefly(verdict: str) -> str:
    """A verdict in a word, with that of stand-ins in brackets."""
    first, _, other = verdict.partition(STAND_INS)
    return f"untested ({BRIEF[other]})" if other else BRIEF.get(first, first)


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
