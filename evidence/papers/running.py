"""Run the experiments of a paper: what is stored is not run again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evidence import data as named
from evidence.data.sources import NotAvailable
from evidence.papers.frame import Case, Experiment, Missing, Paper, Results
from evidence.papers.store import Store
from widemargin.progress import progress

PROCESSOR = "processor_seconds"  # what a case took, in its result


class Sets:
    """Public data sets by name, each read, or found missing, once.

    Parameters
    ----------
    folder : path-like or None
        Data folder; None takes the one that ``WIDEMARGIN_DATA`` names.
    download : bool, default=True
        Whether to ask OpenML for what is not there.
    """

    def __init__(self, folder: Any = None, download: bool = True) -> None:
        self.folder, self.download = folder, download
        self._known: dict[str, Any] = {}

    def __call__(self, name: str) -> Any:
        """The data set as a Bunch with arrays."""
        if name not in self._known:
            try:
                self._known[name] = named.load(
                    name,
                    data_home=self.folder,
                    as_frame=False,
                    download_if_missing=self.download,
                )
            except NotAvailable as error:
                self._known[name] = Missing(error.told("--data DIR"))
            except ValueError as error:
                self._known[name] = Missing(str(error))
        found = self._known[name]
        if isinstance(found, Missing):
            raise found
        return found


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
    verbose : int, default=0
        Show progress if positive.
    """
    store = Store(folder / paper.key, experiment.key, quick)
    cases = list(experiment.cases(quick))
    to_do = [case for case in cases if case not in store]
    missing: dict[str, None] = {}
    label = f"{paper.key} {experiment.key}"
    with progress(label, len(to_do), verbose if to_do else 0) as advance:
        for case in to_do:
            try:
                result = _timed(experiment, case, data)
            except Missing as error:
                missing[str(error)] = None
            else:
                store.add(case, result)
            advance()
    return Outcome(
        experiment,
        store.results(cases),
        len(cases),
        len(cases) - len(to_do),
        [*missing],
        store.made_with,
    )


def stored(paper: Paper, experiment: Experiment, folder: Path, quick: bool) -> Outcome:
    """What is known of an experiment without running anything."""
    store = Store(folder / paper.key, experiment.key, quick)
    cases = list(experiment.cases(quick))
    results = store.results(cases)
    made_with = store.made_with
    return Outcome(experiment, results, len(cases), len(results), [], made_with)


def _timed(experiment: Experiment, case: Case, data: Sets) -> dict[str, Any]:
    # Not the time on the clock, which other work on the machine makes longer.
    start = time.process_time()
    result = experiment.run(case, data)
    return {**result, PROCESSOR: round(time.process_time() - start, 2)}
