"""Run the experiments of a paper, and sum up what is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evidence.data import Sets
from evidence.framework import running
from evidence.framework.results import NoResults, Results
from evidence.framework.running import PROCESSOR, Missing
from evidence.framework.store import OLDER, Store, Stores, versions
from evidence.papers.drawing import Figure
from evidence.papers.frame import Claim, Experiment, Paper, Table
from widemargin.progress import progress

Json = dict[str, Any]


@dataclass
class Outcome:
    """What is known of an experiment after a run.

    Attributes
    ----------
    experiment : Experiment
    results : Results
        Of the cases that are done.
    n_cases, n_stored : int
        Cases there are, and those that were stored before.
    missing : list of str
        Of data sets that are not there: what was tried, and how to supply them.
    made_with : dict of str to str
        Versions of the packages that made the results.
    """

    experiment: Experiment
    results: Results
    n_cases: int
    n_stored: int = 0
    missing: list[str] = field(default_factory=list)
    made_with: dict[str, str] = field(default_factory=dict)


def chosen(paper: Paper, tables: Sequence[str]) -> list[Experiment]:
    """The experiments that cover some tables or figures; all if none is named.

    Parameters
    ----------
    paper : Paper
    tables : sequence of str
        As in "Table 2" or "Figure 5", or an experiment's key.
    """
    if not tables:
        return list(paper.experiments)
    names = {e.key: {e.key, *e.covers} for e in paper.experiments}
    for name in tables:
        if not any(name in known for known in names.values()):
            there = [one for e in paper.experiments for one in e.covers]
            raise ValueError(
                f"Paper {paper.key} has no experiment for {name}. There are "
                f"{', '.join(there)}; by name {', '.join(names)}."
            )
    return [e for e in paper.experiments if names[e.key] & set(tables)]


def run(
    paper: Paper,
    experiment: Experiment,
    folder: Path,
    data: Sets,
    *,
    quick: bool = False,
    again: bool = False,
    verbose: int = 0,
) -> Outcome:
    """Run the cases of an experiment that are not stored, and store each.

    Parameters
    ----------
    paper : Paper
    experiment : Experiment
    folder : Path
        Results go to ``folder / paper.key``.
    data : Sets
    quick : bool, default=False
        Whether to run the small cases.
    again : bool, default=False
        Whether to run stored cases, too.
    verbose : int, default=0
        Show progress if positive.
    """
    stores = Stores(folder / paper.key, quick)
    store = stores[experiment.key]
    if again:
        store.mark_as_older()
    before = stored(paper, experiment, folder, quick)
    to_do = before.n_cases - before.n_stored
    missing: dict[str, None] = {}
    label = f"{paper.key} {experiment.key}"
    with progress(label, to_do, verbose if to_do else 0) as advance:
        for step in running.run(experiment, experiment.key, stores, data, quick=quick):
            if isinstance(step.error, Missing):
                missing[str(step.error)] = None
            elif step.error is not None:
                raise step.error
            advance()
    outcome = _outcome(experiment, store, quick)
    outcome.n_stored, outcome.missing = before.n_stored, [*missing]
    return outcome


def stored(paper: Paper, experiment: Experiment, folder: Path, quick: bool) -> Outcome:
    """What is known of an experiment without running anything."""
    store = Stores(folder / paper.key, quick)[experiment.key]
    return _outcome(experiment, store, quick)


def _outcome(experiment: Experiment, store: Store, quick: bool) -> Outcome:
    cases = list(experiment.cases(quick))
    results = Results(row for row in store.rows(cases) if not row.get(OLDER))
    return Outcome(
        experiment, results, len(cases), len(results), made_with=store.made_with
    )


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
        "unimplemented": [list(remark) for remark in paper.unimplemented],
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


def _claim(claim: Claim, outcome: Outcome) -> Json:
    found = claim.find(outcome.results, outcome.missing)
    return {
        "where": claim.where,
        "text": claim.text,
        "published": claim.published,
        "criterion": claim.criterion,
        "honest_criterion": claim.honest,
        "changed": claim.changed,
        "ours": found.ours,
        "reproduced": found.reproduced,
        "survives": found.survives,
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
        "on_page": table.on_page,
    }


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def without_figures(summary: Json) -> Json:
    """The same as JSON can hold it."""
    parts = [
        {**p, "figures": [f.key for f in p["figures"]]} for p in summary["experiments"]
    ]
    return {**summary, "experiments": parts}
