"""Trials of several selectors in many folds: what is to be done, and what came out.

A `Plan` says what is to be done. `carry_out` does it, some trials side by side, and
returns `Results`; Ctrl-C leaves those of the finished trials.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import clone
from threadpoolctl import ThreadpoolController

from widemargin.data.dataset import Dataset
from widemargin.data.protocol import Floats, Ints
from widemargin.judging.copies import Thinned, thin
from widemargin.judging.folds import Fold
from widemargin.judging.judge import Judge, named
from widemargin.judging.nearest import CALLER
from widemargin.judging.scores import FoldScores, repeats_of
from widemargin.notices import warn
from widemargin.progress import progress
from widemargin.threads import Workers, single_threaded_blas, thread_count

MOST_THINNED = 256  # features that near copies of are skipped
NOTHING, NO_SCORES = np.empty(0, np.int64), np.empty(0)

Place = tuple[str | None, int]  # a selector, or None for all features, and a fold


class Trial(NamedTuple):
    """What came out for one selector in one fold, or for all features."""

    scores: Floats  # of the best features, for the sizes of the plan
    ranking: Ints = NOTHING  # 1 for the best feature
    order: Ints = NOTHING  # columns, best first, near copies last if they are skipped
    size: int | None = None  # how many the method itself would keep, if it can tell
    score: float = np.nan  # of so many
    most: int | None = None  # how many are no near copies, if these are skipped
    score_most: float = np.nan  # of so many
    seconds: float = 0.0  # that the selector took


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be tried: each selector in each fold, and all features."""

    selectors: Mapping[str, Any]
    data: Dataset
    table: Dataset  # the same as numbers, for the similarities of features
    judge: Judge
    folds: list[Fold]
    sizes: Ints  # ascending, all less than the number of features
    with_all: bool = True  # whether all features are a size, too
    reference: Ints | None = None  # columns in use today, scored as well
    redundancy: float | None = None  # similarity from which features are skipped
    refit_sizes: bool = False  # whether each size is a fit of its own

    @cached_property
    def repeat(self) -> Ints:
        """Number of the repeat that each fold belongs to."""
        return repeats_of([test for _, test in self.folds], self.data.shape[0])

    def without_copies(self, order: Ints, rows: Ints | None = None) -> Thinned:
        """A ranking with near copies last, by some rows or all, and what they copy.

        There are none if near copies are not to be skipped.
        """
        if self.redundancy is None:
            return Thinned(order, np.full(len(order), -1))
        table = self.table if rows is None else self.table.take(rows)
        with Workers(1) as workers:
            (found,) = thin(order, table, [self.redundancy], MOST_THINNED, workers)
        return found

    def fold_scores(self, scores: Floats) -> FoldScores:
        """Scores of some configurations in all folds, (V, Q), to choose by."""
        tested = np.array([self.judge.worth(test) for _, test in self.folds])
        return FoldScores(scores, tested, self.repeat, not self.data.numeric)


@dataclass(eq=False)
class Results:
    """What has come out of a plan so far."""

    plan: Plan
    trials: dict[Place, Trial] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def places(self) -> list[Place]:
        """Fold after fold, so that whole folds are finished first."""
        labels: list[str | None] = [None, *self.plan.selectors]
        return [(m, fold) for fold in range(len(self.plan.folds)) for m in labels]

    def finished(self) -> list[tuple[str, int]]:
        """Selectors and folds that are done, and whose fold has a baseline."""
        return [
            (label, fold)
            for label in self.plan.selectors
            for fold in range(len(self.plan.folds))
            if (label, fold) in self.trials and (None, fold) in self.trials
        ]

    def of(self, label: str | None) -> list[Trial]:
        """All trials of a selector, or of all features."""
        return [self.trials[label, fold] for fold in range(len(self.plan.folds))]


def carry_out(plan: Plan, n_jobs: int | None, verbose: int, caller: str) -> Results:
    """Do what is planned; Ctrl-C leaves what is finished, if any, and says so."""
    results = Results(plan)
    try:
        # scikit-learn changes the filters of warnings in each thread; here they are
        # put back as they were.
        with warnings.catch_warnings():
            run(results, n_jobs, verbose)
    except KeyboardInterrupt:
        done = len(results.finished())
        if not done:
            raise KeyboardInterrupt(
                f"{caller}: interrupted before any fold was finished; there is no "
                "result."
            ) from None
        total = len(plan.selectors) * len(plan.folds)
        warn(
            f"{caller}: interrupted; {done} of {total} fits, one per selector and "
            "fold, are finished and kept."
        )
        results.interrupted = True
    return results


def run(results: Results, n_jobs: int | None, verbose: int) -> None:
    """Do all trials, some side by side; an interrupt leaves the finished ones."""
    config, cores = get_config(), thread_count(n_jobs)
    at_once = min(cores, len(results.places))
    # Looking for libraries takes as long as a fit to few rows: once for all.
    openmp = ThreadpoolController().select(user_api="openmp")

    def work(place: Place) -> None:
        share = max(1, cores // at_once)
        # Both hold for a thread only.
        with config_context(**config), openmp.limit(limits=share):
            results.trials[place] = _try(results.plan, *place, share)
        advance()

    with (
        progress(CALLER, len(results.places), verbose) as advance,
        Workers(at_once) as workers,
        single_threaded_blas(),  # the cores are busy with trials
    ):
        workers.run(work, results.places)


def _try(plan: Plan, label: str | None, place: int, n_threads: int) -> Trial:
    """One selector in one fold; for None, all features, then the reference."""
    fold, where = plan.folds[place], f"in fold {place}"
    score = partial(plan.judge.score, fold, where)
    if label is None:
        every = np.arange(plan.data.shape[1])
        sets = [every] if plan.reference is None else [every, plan.reference]
        return Trial(np.array([score(c) for c in sets]))
    with named(f"{label} failed {where}"):
        if plan.refit_sizes:
            sets, seconds = _selected(plan, label, fold[0], n_threads)
        else:
            ranked = _ranked(plan, label, fold[0], n_threads)
    if plan.refit_sizes:
        return Trial(np.array([score(c) for c in sets]), seconds=seconds)
    more = [k for k in (ranked.size, ranked.most) if k is not None]
    sizes = np.union1d(plan.sizes, more).astype(np.int64)
    scores = plan.judge.best(fold, where, ranked.order, sizes)
    found = dict(zip(sizes.tolist(), scores.tolist(), strict=True))
    return ranked._replace(
        scores=np.array([found[k] for k in plan.sizes.tolist()]),
        score=found.get(ranked.size, np.nan),
        score_most=found.get(ranked.most, np.nan),
    )


def _ranked(plan: Plan, label: str, train: Ints, n_threads: int) -> Trial:
    """Columns, best first, by the training rows alone; near copies last, if skipped."""
    selector, seconds = _fitted(plan, label, train, n_threads)
    ranking, size = selector.ranking_, own_size(selector)
    order, most = np.argsort(ranking, kind="stable"), None
    if plan.redundancy is not None:
        thinned = plan.without_copies(order, np.sort(train))
        if size is not None:
            size = int(np.count_nonzero(thinned.instead[order[:size]] < 0))
        order, most = thinned.order, int(np.count_nonzero(thinned.instead < 0))
    return Trial(NO_SCORES, ranking, order, size, most=most, seconds=seconds)


def own_size(selector: Any) -> int | None:
    """How many features a fitted method itself would keep; None if it cannot tell."""
    natural = selector._natural()
    if natural is not None:
        return max(1, int(natural.sum()))
    size: int | None = selector._own_size()
    return size


def _selected(
    plan: Plan, label: str, train: Ints, n_threads: int
) -> tuple[list[Ints], float]:
    """Columns that a fit for each size selects; seconds that all fits took."""
    fits = [
        _fitted(plan, label, train, n_threads, n_features_to_select=k)
        for k in plan.sizes.tolist()
    ]
    sets = [np.flatnonzero(selector.support_) for selector, _ in fits]
    return sets, sum(seconds for _, seconds in fits)


def _fitted(
    plan: Plan, label: str, train: Ints, n_threads: int, **settings: Any
) -> tuple[Any, float]:
    """The selector fitted to the training rows; seconds it took."""
    selector = clone(plan.selectors[label]).set_params(**settings)
    if selector.n_jobs is None:
        selector.set_params(n_jobs=n_threads)
    start = time.perf_counter()
    plan.data.take(train).fit(selector)
    return selector, time.perf_counter() - start
