"""Fit one method to a file: what ``rank`` and ``select`` have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
from widemargin.cli.dataset import DataOptions, Dataset, constant_features, load
from widemargin.cli.problem import plural
from widemargin.cli.reading import look
from widemargin.cli.session import Session, working
from widemargin.cli.worth import say_what_it_is_worth

if TYPE_CHECKING:
    from widemargin.base import MarginSelector
    from widemargin.cli.lazy import LazyDataset
    from widemargin.cli.options import MethodOptions

UNBALANCED = 2  # times the rows of the smallest class, in the largest
NOT_CONVERGED = "not converged, so the best features are not certain"


@dataclass(frozen=True)
class Ranking:
    """A fitted method and the data it saw."""

    method: str
    selector: Any
    dataset: Dataset | LazyDataset

    @property
    def interval(self) -> Any:
        """Ends of the scores' confidence intervals; None if they are exact."""
        return getattr(self.selector, "scores_interval_", None)

    @property
    def frame(self) -> Any:
        """Features, best first."""
        import numpy as np
        import pandas as pd

        order = np.argsort(self.selector.ranking_, kind="stable")
        columns = {
            "rank": self.selector.ranking_[order],
            "feature": np.asarray(self.dataset.features, dtype=object)[order],
            "score": self.selector.scores_[order],
            "selected": self.selector.support_[order],
        }
        if self.interval is not None:
            columns["low"], columns["high"] = self.interval[order].T
        return pd.DataFrame(columns)

    def data(self, notes: list[str]) -> dict[str, Any]:
        """What machines may want to know."""
        parameters = self.selector.get_params()
        shown = {*OPTIONS.values(), "random_state"} - {"n_jobs"}
        changed = _changed(self.selector)
        return {
            "file": self.dataset.name,
            "target": self.dataset.target,
            "n_samples": self.dataset.n_rows,
            "n_features": len(self.dataset.features),
            "task": self.task,
            "classes": self.dataset.counts,
            "method": self.method,
            "parameters": {
                name: value
                for name, value in parameters.items()
                if name in shown or name in changed
            },
            "n_selected": int(self.selector.support_.sum()),
            "features": self.frame.to_dict("records"),
            "notes": notes,
        }

    @property
    def task(self) -> str:
        """What the features are ranked for."""
        return "regression" if self.selector._numeric_target else "classification"

    def say_how_sure(self, notes: Session) -> None:
        """Note how many rows it took, where the method decided that."""
        if self.interval is None:
            return
        outcome = "converged" if self.selector.converged_ else NOT_CONVERGED
        visited = f"{self.selector.n_samples_} of {plural(self.dataset.n_rows, 'row')}"
        notes.note(f"{visited} visited (--samples auto): {outcome}.")


def _changed(selector: MarginSelector) -> set[str]:
    """Parameters that are not at their defaults, what only shows progress aside."""
    defaults = type(selector)().get_params()
    values = selector.get_params()
    return {n for n, v in values.items() if v != defaults[n]} - {"verbose", "n_jobs"}


def read_data(path: str, data: DataOptions, notes: Session) -> Dataset:
    """Read a file and pass on what is to be said about it."""
    with notes.reading(path):
        dataset = load(path, data)
    for text in dataset.notes:
        notes.note(text)
    return dataset


def fit(
    path: str,
    method: str | None,
    data: DataOptions,
    how: MethodOptions,
    notes: Session,
) -> Ranking:
    """Read, check, and rank the features with one method."""
    look(path)
    name = method or default_method(data.ordinal, how)
    selectors = make_selectors((name,), how, notes.verbose)
    dataset = read_data(path, told_task(data, selectors), notes)
    say_constant(dataset, notes)
    if method is None and dataset.numeric and name == "ReliefF":
        selectors = make_selectors(("RReliefF",), how, notes.verbose)
    for_task(selectors, dataset)
    check_fit(selectors, dataset)
    check_ranges(selectors, dataset)
    check_neighbors(how, dataset.counts, selectors)
    notes.begin()
    ((name, selector),) = selectors.items()
    if method is None and data.ordinal:
        without_direction(selector, dataset, notes)
    say_unbalanced(name, dataset, notes)
    with working(notes):
        selector.fit(dataset.X, dataset.y)
    ranking = Ranking(name, selector, dataset)
    ranking.say_how_sure(notes)
    say_what_it_is_worth(ranking, notes)
    return ranking


def say_constant(dataset: Dataset | LazyDataset, notes: Session) -> None:
    """Note which features cannot matter; a report says so in its own words."""
    if dataset.constant:
        notes.note(constant_features(dataset.constant))


def say_unbalanced(name: str, dataset: Dataset | LazyDataset, notes: Session) -> None:
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


def without_direction(
    selector: MarginSelector, dataset: Dataset | LazyDataset, notes: Session
) -> None:
    """Let a method for ordered classes take categories, if there are any."""
    if dataset.nominal:
        notes.note("categories have no direction: absolute differences are used.")
        selector.set_params(difference="absolute")
