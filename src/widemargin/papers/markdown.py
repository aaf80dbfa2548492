"""Pages of the documentation: one per paper, and an index with all verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from widemargin.papers.frame import FAILS, HOLDS, UNTESTED

Json = dict[str, Any]

WRITTEN = (
    "This page is written by `python -m widemargin.papers benchmarks/papers/results "
    "docs/papers` from stored results, which `make reproduce` measures."
)


def page(summary: Json) -> str:
    """The page of a paper."""
    parts = [f"# {summary['title']}", "", f"{summary['citation']}.", "", WRITTEN, ""]
    if summary["about"]:
        parts += [summary["about"], ""]
    for part in summary["experiments"]:
        parts += _experiment(part, summary["key"])
    return "\n".join(parts)


def _experiment(part: Json, key: str) -> list[str]:
    lines = [f"## {part['title']}", "", part["how"], ""]
    minutes = part["seconds"] / 60
    done = f"{part['n_done']} of {part['n_cases']} cases, {minutes:.1f} minutes"
    made = ", ".join(f"{name} {value}" for name, value in part["made_with"].items())
    lines += [f"*{done}, with {made}.*" if made else f"*{done}.*", ""]
    rows = [
        [c["where"], _with(c["text"], c["published"]), f"**{c['verdict']}**", _ours(c)]
        for c in part["claims"]
    ]
    lines += table(["where", "the paper says", "verdict", "we find"], rows)
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


def _with(text: str, published: str) -> str:
    return f"{text} *Published: {published}.*" if published else text


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
    return "| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |"


# What a reader has to know to weigh the verdicts; it changes with the experiments.
CRITERIA = (
    "How large a difference counts is our choice, and some of these choices were made "
    "after first results had been seen. In 001, Figure 2 was to show that Relief's "
    "weights are *not* near the right ones, which failed, and is judged by whether "
    "Simba's are nearer; Figure 3 asked for r < −0.9 in nine of ten draws, which "
    "failed, and asks for the mean. Both hold only since. In 002, the best method must "
    "lead by two standard errors: that turned three verdicts from holds to does not "
    "hold. In 004, times that are alike or flat cannot be tested: that took two holds "
    "and one does not hold away. Each paper's page says how many cases are stored: "
    "where runs are incomplete, a verdict may rest on a single repeat."
)


def index(summaries: Sequence[Json]) -> str:
    """The verdicts of all papers in one table."""
    lines = [
        "# The papers, reproduced",
        "",
        "Every table and figure of the five papers that widemargin implements, and "
        "what became of its claims when they were run again on data that everybody "
        f"can get: each *{HOLDS}*, *{FAILS}* or *{UNTESTED}*. No method or parameter "
        "was tuned to match.",
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
            _with(c["text"], c["published"]),
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
    lines += table(["paper", "where", "it says", "verdict", "we find"], rows)
    return "\n".join(lines)
