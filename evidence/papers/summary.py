"""From the outcomes of a run to a dictionary that pages and tables are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evidence.papers.drawing import Figure
from evidence.papers.frame import NoResults, Paper, Results, Table
from evidence.papers.running import PROCESSOR, Outcome
from evidence.papers.store import versions

Json = dict[str, Any]


def summarize(paper: Paper, outcomes: Sequence[Outcome], quick: bool) -> Json:
    """What is known of a paper.

    Parameters
    ----------
    paper : Paper
    outcomes : sequence of Outcome
    quick : bool
        Whether the results are those of a quick run, whose numbers mean nothing.

    Returns
    -------
    summary : dict
        Text and numbers, except for ``figures``, which are `Figure` objects.
    """
    parts = [_part(outcome) for outcome in outcomes]
    return {
        "key": paper.key,
        "alias": paper.alias,
        "title": paper.title,
        "citation": paper.citation,
        "about": paper.about,
        "quick": quick,
        "experiments": parts,
        "verdicts": [claim for part in parts for claim in part["claims"]],
        "versions": versions(),
    }


def _part(outcome: Outcome) -> Json:
    experiment = outcome.experiment
    results, missing = outcome.results, outcome.missing
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    if len(results):
        try:
            tables, figures = experiment.tables(results), experiment.figures(results)
        except NoResults:
            missing = missing or ["Some of its cases have not been run."]
    return {
        "key": experiment.key,
        "title": experiment.title,
        "covers": list(experiment.covers),
        "how": experiment.how,
        "claims": [_claim(claim, outcome) for claim in experiment.claims()],
        "tables": [_table(table) for table in tables],
        "figures": list(figures),
        "missing": list(missing),
        "n_cases": outcome.n_cases,
        "n_done": len(results),
        "processor_seconds": _time(results),
        "made_with": outcome.made_with,
    }


def _time(results: Results) -> float | None:
    """Processor time of all cases; None where one was not timed so."""
    seconds = results.values(PROCESSOR)
    return sum(seconds) if len(seconds) == len(results) else None


def _claim(claim: Any, outcome: Outcome) -> Json:
    found = claim.find(outcome.results, outcome.missing)
    return {
        "where": claim.where,
        "text": claim.text,
        "published": claim.published,
        "criterion": claim.criterion,
        "ours": found.ours,
        "verdict": found.verdict,
        "why": found.why,
    }


def _table(table: Table) -> Json:
    return {
        "title": table.title,
        "header": list(table.header),
        "rows": [[_cell(value) for value in row] for row in table.rows],
        "numbers": [
            all(isinstance(row[i], int | float) for row in table.rows)
            for i in range(len(table.header))
        ],
        "note": table.note,
    }


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def without_figures(summary: Json) -> Json:
    """The same as JSON can hold it."""
    parts = [
        {**p, "figures": [f.key for f in p["figures"]]} for p in summary["experiments"]
    ]
    return {**summary, "experiments": parts}
