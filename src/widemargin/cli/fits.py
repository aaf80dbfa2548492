"""Fit one method to a file, in memory or on Dask, as ``rank`` and ``select`` do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import pandas as pd

from widemargin.base import MarginSelector
from widemargin.cli.choosing import (
    OPTIONS,
    check_fit,
    check_neighbors,
    check_ranges,
    default_method,
    for_task,
    make_selectors,
    told_task,
)
from widemargin.cli.options import DataOptions, Engine, MethodOptions
from widemargin.cli.prepare import Dataset, load, load_lazily
from widemargin.cli.printing import (
    answer_without,
    command_without,
    redundancy_of,
    relevant,
    scored,
    worth,
)
from widemargin.cli.problem import Problem, listed, plural
from widemargin.cli.session import Session, faults, working
from widemargin.cli.terminal import echo
from widemargin.judging.scores import measure
from widemargin.threads import thread_count

if TYPE_CHECKING:
    from widemargin import AutoSelector

UNBALANCED = 2  # times the rows of the smallest class, in the largest
NOT_CONVERGED = "not converged, so the best features are not certain"
# Options that need all rows at once, and what to do without.
NOT_ON_DASK = {
    "bins": "store the classes in a column",
    "sheet": "store the sheet as CSV or Parquet",
    "transpose": "store the table with features as columns",
    "labels": "store one table with all columns",
    "covariates": "leave the option out, or the engine",
    "feature_groups": "leave the option out, or the engine",
    "weights": "--engine local takes them",
    "sample": "--samples N looks up the neighbours of N rows only",
}


@dataclass(frozen=True)
class Ranking:
    """A fitted method and the data it was fitted to."""

    method: str
    selector: Any
    dataset: Dataset

    @property
    def interval(self) -> Any:
        """Ends of the scores' confidence intervals; None if they are exact."""
        return getattr(self.selector, "scores_interval_", None)

    @property
    def frame(self) -> Any:
        """Features, best first."""
        order = np.argsort(self.selector.ranking_, kind="stable")
        names = np.asarray(self.dataset.features, dtype=object)
        if self.selector.groups_ is not None:  # one row for each
            order = np.unique(self.selector.ranking_, return_index=True)[1]
            names = self.selector.groups_[self.selector._feature_of]
        columns = {
            "rank": self.selector.ranking_[order],
            "feature": names[order],
            "score": self.selector.scores_[order],
            "selected": self.selector.support_[order],
        }
        if self.interval is not None:
            columns["low"], columns["high"] = self.interval[order].T
        return pd.DataFrame(columns)

    def data(self, notes: list[str]) -> dict[str, Any]:
        """Contents of the JSON."""
        values = self.selector.get_params()
        defaults = type(self.selector)().get_params()
        shown = {*OPTIONS.values(), "random_state"}
        shown |= {name for name, value in values.items() if value != defaults[name]}
        shown -= {"n_jobs", "verbose"}
        return {
            "file": self.dataset.name,
            "target": self.dataset.target
            if not self.dataset.several
            else [*self.dataset.several],
            "n_samples": self.dataset.n_rows,
            "n_features": int(self.selector.ranking_.max()),
            "task": self.dataset.task,
            "classes": self.dataset.counts,
            "method": self.method,
            "parameters": {n: value for n, value in values.items() if n in shown},
            "n_selected": int(self.selector.n_features_),
            **self._worth,
            "features": self.frame.to_dict("records"),
            "notes": notes,
        }

    @property
    def _worth(self) -> dict[str, Any]:
        """What `AutoSelector` says of its choice, as `compare` does."""
        auto = self.selector
        if not hasattr(auto, "recommendation_"):
            return {}
        found, names = auto._found_without_leaks, auto.without_leaks_
        return {
            **worth(auto.recommendation_, auto.scoring_),
            "relevant": relevant(auto.features_),
            "without_leaks": answer_without(found, names),
        }

    def say_how_sure(self, notes: Session) -> None:
        """Note how many rows were visited, where the method decides that."""
        if self.interval is None:
            return
        outcome = "converged" if self.selector.converged_ else NOT_CONVERGED
        visited = f"{self.selector.n_samples_} of {plural(self.dataset.n_rows, 'row')}"
        notes.note(f"{visited} visited (--samples auto): {outcome}.")


def read_data(
    path: str, data: DataOptions, notes: Session, *, lazily: bool = False
) -> Dataset:
    """Read a file, or let Dask look at it, and pass on what is to be said about it."""
    status = notes.status(f"looking at {path}") if lazily else notes.reading(path)
    with status:
        dataset = (load_lazily if lazily else load)(path, data)
    notes.note(*dataset.notes)
    return dataset


def fitted(
    path: str,
    method: str | None,
    data: DataOptions,
    how: MethodOptions,
    engine: Engine,
    notes: Session,
) -> Ranking:
    """Read, check, and rank the features."""
    on_dask = engine.engine == "dask"
    name = method or default_method(data.ordinal, how, on_dask=on_dask)
    selectors = make_selectors((name,), how, notes.verbose)
    if on_dask:
        _refuse_on_dask(data, selectors)
        _begin_on_dask(engine.scheduler, how.jobs)
    dataset = read_data(path, told_task(data, selectors), notes, lazily=on_dask)
    _say_constant(dataset.constant, notes)
    if method is None and dataset.numeric and name == "ReliefF":
        selectors = make_selectors(("RReliefF",), how, notes.verbose)
    if not on_dask:
        for_task(selectors, dataset)
    check_fit(selectors, dataset)
    if not on_dask:
        check_ranges(selectors, dataset)
    check_neighbors(how, dataset.counts, selectors)
    notes.begin()
    ((name, selector),) = selectors.items()
    if method is None and data.ordinal:
        _without_direction(selector, dataset, notes)
    _say_unbalanced(name, dataset, notes)
    with faults(path) if on_dask else working(notes):
        if on_dask:
            selector._fit_on_dask(dataset.X, dataset.y, look=False)
        else:
            name = type(selector).__name__
            table = dataset.read_as(name, sparse=selector._sparse)
            table.fit(selector)._by_column()
    ranking = Ranking(name, selector, dataset)
    ranking.say_how_sure(notes)
    if not on_dask:
        say_what_it_is_worth(ranking, notes)
    return ranking


def choose(path: str, data: DataOptions, how: MethodOptions, notes: Session) -> Ranking:
    """Read a file and let `AutoSelector` choose, as ``compare`` does."""
    from widemargin import AutoSelector

    dataset = read_data(path, data, notes)
    _say_constant(dataset.constant, notes)
    auto = AutoSelector(
        **{**redundancy_of(how), "task": dataset.task},
        n_jobs=how.jobs,
        random_state=how.seed,
        verbose=notes.verbose,
    )
    notes.begin()
    with working(notes):
        auto.fit(dataset.read_as("AutoSelector", sparse=True), dataset.y)
    _say_copies(auto, dataset, notes)
    _say_worth(auto, dataset, notes)
    return Ranking("AutoSelector", auto, dataset)


def _say_worth(auto: AutoSelector, dataset: Dataset, notes: Session) -> None:
    """Note what the choice of `AutoSelector` is worth, and how to drop leaks."""
    from widemargin.evaluation._judges import title_of

    judge, scoring = title_of(None, dataset.numeric), str(auto.scoring_)
    n = len(relevant(auto.features_) or [])
    known = plural(n, "feature is", "features are") if n else "no feature is"
    notes.note(
        f"{auto.n_features_} of {plural(auto.ranking_.max(), 'feature')} kept: "
        f"{measure(scoring).name} of {judge} "
        f"{scored(scoring, auto.score_, auto.score_stderr_)}, stability "
        f"{auto.stability_:.2f}; {known} relevant{' (--json lists them)' if n else ''}."
    )
    if auto.without_leaks_ is not None and not notes.quiet:
        # Not as a note, which would change blanks in names.
        echo(f"to leave suspected leaks out: {command_without(auto._leaks)}", err=True)


def _begin_on_dask(scheduler: str | None, jobs: int | None) -> None:
    """Run on a scheduler's cluster, or in threads, until the command ends."""
    from widemargin.engine.dask.cluster import running

    cluster = running(scheduler, thread_count(jobs))
    try:
        click.get_current_context().with_resource(cluster)
    except (OSError, ValueError) as error:  # the latter for an invalid address
        raise Problem(f"--scheduler {scheduler} does not answer: {error}.") from None


def _refuse_on_dask(data: DataOptions, selectors: Mapping[str, Any]) -> None:
    """Refuse, before any work, what Dask cannot do."""
    for option, remedy in NOT_ON_DASK.items():
        if getattr(data, option):
            name = option.replace("_", "-")
            raise Problem(f"--{name} does not work with --engine dask; {remedy}.")
    for name, selector in selectors.items():
        if selector._instead_on_dask is not None:
            raise Problem(
                f"{name} does not run on Dask collections. Use "
                f"{selector._instead_on_dask}, or --engine local if the data fit into "
                "memory."
            )
        if hasattr(selector, "batch_size"):
            try:
                selector._refuse_single_visits()
            except ValueError as error:
                raise Problem(f"{error} (-p batch_size=500)") from None


def _say_constant(names: list[str], notes: Session) -> None:
    """Note which features cannot matter; a report says so in its own words."""
    if not names:
        return
    count = plural(len(names), "feature is", "features are")
    rank = "ranks" if len(names) == 1 else "rank"
    notes.note(f"{count} constant and {rank} last: {listed(names)}.")


def _say_unbalanced(name: str, dataset: Dataset, notes: Session) -> None:
    """Note that scores of noise are above 0 where hits are nearer than misses."""
    counts = dataset.counts.values()
    if name not in ("Relief", "ReliefF") or not counts:
        return
    least, most = min(counts), max(counts)
    if most > UNBALANCED * least:
        notes.note(
            f"classes of {least} to {most} rows: {name} may rank categories, and other "
            "features in which neighbours differ, too high; -m MultiSURF does not, and "
            "`widemargin compare` says which scores are significant."
        )


def _without_direction(
    selector: MarginSelector, dataset: Dataset, notes: Session
) -> None:
    """Let a method for ordered classes take categories, if there are any."""
    if dataset.nominal:
        notes.note("categories have no direction: absolute differences are used.")
        selector.set_params(difference="absolute")


def say_what_it_is_worth(ranking: Ranking, notes: Session) -> None:
    """Note the score of a selection made by folds, and what it rests on."""
    selector, dataset = ranking.selector, ranking.dataset
    _say_copies(selector, dataset, notes)
    scores = getattr(selector, "prefix_scores_", None)
    if scores is None:
        return
    from widemargin.evaluation._profile import describe

    kept = int(selector.n_features_)
    of_all = f"{kept} of {plural(selector.ranking_.max(), 'feature')}"
    value = float(scores[kept - 1])
    if dataset.numeric:
        score = measure(selector.scoring_).name
        notes.note(f"{of_all} kept: cross-validated {score} of 5-NN {value:.2f}.")
    else:
        counts, scoring = dataset.counts.values(), selector.scoring_
        chance = max(counts) / sum(counts)
        if scoring == "balanced_accuracy":
            chance = 1 / sum(count > 1 for count in counts)
        notes.note(
            f"{of_all} kept: cross-validated {measure(scoring).name} of 1-NN "
            f"{value:.1%}; the most frequent class alone gives {chance:.1%}."
        )
    notes.note(*describe(dataset.read_as("profile", sparse=True)).leaks)
    if selector._uses_labels([]):
        _say_if_no_signal(selector, dataset, notes)


def _say_copies(selector: Any, dataset: Dataset, notes: Session) -> None:
    """Note the near copies that were skipped."""
    copies = getattr(selector, "redundant_with_", None)
    if copies is not None and (copies >= 0).any():
        names = [dataset.features[f] for f in (copies >= 0).nonzero()[0]]
        notes.note(
            f"{plural(len(names), 'near copy', 'near copies')} of better features "
            f"skipped: {listed(names)} (--redundancy none keeps them)."
        )


def _say_if_no_signal(selector: Any, dataset: Dataset, notes: Session) -> None:
    """Test for signal, and note it if there is none to be seen."""
    from widemargin.evaluation._signal import signal_test

    with notes.status("looking for signal"):
        found = signal_test(
            dataset.read_as("signal", sparse=True),
            None,
            random_state=selector.get_params().get("random_state", 0),
            n_jobs=selector.n_jobs,
        )
    if not found:
        notes.note(
            f"no signal was found (p = {found.p_value:.2g}): permuted labels do as "
            "well. The selected features are no better than others."
        )
