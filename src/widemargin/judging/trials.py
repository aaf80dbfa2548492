"""Trials of several selectors in many folds: what is to be done, and what came out.

A `Plan` says what is to be done. `carry_out` does it, some trials side by side, and
returns `Results`; Ctrl-C leaves those of the finished trials.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import clone
from threadpoolctl import ThreadpoolController

from widemargin.data.dataset import Dataset
from widemargin.data.protocol import Floats, Ints
from widemargin.judging.copies import among_rows, best_without_copies
from widemargin.judging.folds import Fold
from widemargin.judging.recommend import Configuration, Evidence, stabilities
from widemargin.judging.splits import repeats_of
from widemargin.judging.sweep import sweep
from widemargin.notices import warn
from widemargin.progress import progress
from widemargin.threads import Workers, single_threaded_blas, thread_count

CALLER = "selection_curve"
MOST_THINNED = 256  # features up to which rankings without near copies are tried
NESTED_ROWS = 300  # up to which the choice itself is cross-validated

Place = tuple[str | None, int]  # a selector, or None for all features, and a fold


class Judge(Protocol):
    """What scores features in a fold: 1-NN, or any classifier or regressor."""

    def score(self, fold: Fold, where: str, columns: Ints) -> float:
        """Score with these columns; ``where`` is for errors."""

    def best(self, fold: Fold, where: str) -> Callable[[Ints, Ints], Floats]:
        """A function that scores the best features of a ranking, for several sizes."""


class Trial(NamedTuple):
    """What came out for one selector in one fold, or for all features."""

    orders: list[Ints]  # columns, best first, for each of the plan's thresholds
    scores: list[Floats]  # of each order, for the sizes
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
    # Similarities from which features are skipped; None skips none.
    thresholds: tuple[float | None, ...] = (None,)
    refit_sizes: bool = False  # whether each size is a fit of its own
    nested: bool = False  # whether to do it without the rows of each fold, too
    race: bool = False  # whether methods clearly behind are spared later repeats

    @cached_property
    def repeat(self) -> Ints:
        """Number of the repeat that each fold belongs to."""
        return repeats_of([test for _, test in self.folds], self.data.shape[0])

    def sizes_at(self, threshold: float | None) -> Ints:
        """The sizes to try with rankings from which near copies are skipped, or not."""
        return (
            self.sizes if threshold is None else self.sizes[self.sizes <= MOST_THINNED]
        )

    def without_each(self) -> list[Plan]:
        """The same work without the rows of each fold of the first repeat.

        What the other folds choose is not independent of a fold that their training
        rows include: rows of two folds that are nearest to each other are right, or
        wrong, together. Nothing is planned for large tables, where it matters less, nor
        for folds that are not a partition of the rows, or leave one class.
        """
        n, y = self.data.shape[0], self.data.labels_given
        first = [self.folds[v] for v in np.flatnonzero(self.repeat == 0)]
        tests = [test for _, test in first]
        whole = len(np.unique(np.concatenate(tests))) == n
        whole &= all(len(train) + len(test) == n for train, test in first)
        if not self.nested or n > NESTED_ROWS or len(first) < 3 or not whole:
            return []
        plans = []
        for v, out in enumerate(tests):
            folds = [
                (np.setdiff1d(train, out), test)
                for u, (train, test) in enumerate(first)
                if u != v
            ]
            if any(len(np.unique(y[train])) < 2 for train, _ in folds):
                return []
            plans.append(
                replace(self, folds=folds, reference=None, nested=False, race=False)
            )
        return plans


@dataclass(eq=False)
class Results:
    """What has come out of a plan so far."""

    plan: Plan
    # Rankings by selector and training rows, which two of the inner results share.
    ranked: dict[tuple[str, bytes], Trial] = field(default_factory=dict)
    trials: dict[Place, Trial] = field(default_factory=dict)
    dropped: set[str] = field(default_factory=set)  # after the first repeat
    # The same without the rows of each fold, for choices in which these have no part.
    inner: list[Results] = field(default_factory=list)
    interrupted: bool = False

    def scores(self, label: str | None, fold: int) -> Floats:
        """Scores of a finished trial, near copies included."""
        return self.trials[label, fold].scores[0]

    @property
    def places(self) -> list[Place]:
        """Fold after fold, so that whole folds are finished first."""
        labels: list[str | None] = [None, *self.plan.selectors]
        return [
            (label, fold)
            for fold, repeat in enumerate(self.plan.repeat)
            for label in labels
            if repeat == 0 or label not in self.dropped
        ]

    def finished(self) -> list[tuple[str, int]]:
        """Selectors and folds that are done, and whose fold has a baseline."""
        return [
            (label, fold)
            for label in self.plan.selectors
            for fold in range(len(self.plan.folds))
            if (label, fold) in self.trials and (None, fold) in self.trials
        ]

    def evidence(self) -> Evidence | None:
        """What all folds tell about all configurations; None if they are unfinished.

        Methods that were dropped after the first repeat have no part in it.
        """
        if self.interrupted or len(self.trials) < len(self.places):
            return None
        labels = [m for m in self.plan.selectors if m not in self.dropped]
        return self._evidence(labels, np.arange(len(self.plan.folds)))

    def first_evidence(self) -> Evidence:
        """What the first repeat of the folds tells, in which all methods compete."""
        first = np.flatnonzero(self.plan.repeat == 0)
        return self._evidence(list(self.plan.selectors), first)

    def _evidence(self, labels: list[str], folds: Ints) -> Evidence:
        plan, d = self.plan, self.plan.data.shape[1]
        score_all = np.array([self.scores(None, int(v))[0] for v in folds])
        configurations, scores, stability = [], [], []
        orders: dict[tuple[str, float | None], list[Ints]] = {}
        for label in labels:
            trials = [self.trials[label, int(v)] for v in folds]
            for t, threshold in enumerate(plan.thresholds):
                sizes = plan.sizes_at(threshold)
                orders[label, threshold] = [trial.orders[t] for trial in trials]
                scores.append(np.array([trial.scores[t] for trial in trials]))
                stability.append(stabilities(orders[label, threshold], sizes, d))
                configurations += [
                    Configuration(label, threshold, int(k)) for k in sizes
                ]
        if plan.with_all:
            configurations.append(Configuration(labels[0], None, d))
            scores.append(score_all[:, None])
            stability.append(np.array([-np.inf]))
            orders.setdefault((labels[0], None), [np.arange(d)] * len(folds))
        nested = [inner.evidence() for inner in self.inner]
        if len(labels) < len(plan.selectors) or None in nested:
            nested = []
        parts = [plan.folds[int(v)] for v in folds]
        return Evidence(
            configurations,
            np.hstack(scores),
            np.concatenate(stability),
            score_all,
            plan.repeat[folds],
            np.array([len(test) for _, test in parts]),
            np.array([len(train) for train, _ in parts]),
            orders,
            d,
            not plan.data.numeric,
            tuple(e for e in nested if e is not None),
        )


def carry_out(plan: Plan, n_jobs: int | None, verbose: int, caller: str) -> Results:
    """Do what is planned; Ctrl-C leaves what is finished, if any, and says so."""
    results = Results(plan)
    inner = [Results(each, results.ranked) for each in plan.without_each()]
    results.inner = inner
    try:
        # scikit-learn changes the filters of warnings in each thread; here they are
        # put back as they were.
        with warnings.catch_warnings():
            run(results, n_jobs, verbose)
            try:
                for each in inner:
                    run(each, n_jobs, 0)
            except ValueError:
                # A classifier with many neighbours, say, refuses the fewer rows; then
                # none of this work is kept. Other errors are not expected here.
                results.inner = []
    except KeyboardInterrupt:
        if not results.finished():
            raise KeyboardInterrupt(
                f"{caller}: interrupted before any fold was finished; there is no "
                "result."
            ) from None
        every = [results, *results.inner]
        done = sum(len(each.finished()) for each in every)
        total = sum(len(each.plan.selectors) * len(each.plan.folds) for each in every)
        warn(
            f"{caller}: interrupted; {done} of {total} fits, one per selector and "
            "fold, are finished and kept."
        )
        results.interrupted = True
    return results


def run(results: Results, n_jobs: int | None, verbose: int) -> None:
    """Do all trials, some side by side; an interrupt leaves the finished ones."""
    config, cores, plan = get_config(), thread_count(n_jobs), results.plan
    at_once = min(cores, len(results.places))
    # Looking for libraries takes as long as a fit to few rows: once for all.
    openmp = ThreadpoolController().select(user_api="openmp")

    def work(place: Place) -> None:
        share = max(1, cores // at_once)
        # Both hold for a thread only.
        with config_context(**config), openmp.limit(limits=share):
            results.trials[place] = _try(results, *place, share)
        advance()

    with (
        progress(CALLER, len(results.places), verbose) as advance,
        Workers(at_once) as workers,
        single_threaded_blas(),  # the cores are busy with trials
    ):
        if plan.race and plan.repeat.any():
            workers.run(work, [p for p in results.places if plan.repeat[p[1]] == 0])
            there = len(results.places)
            results.dropped |= results.first_evidence().clearly_behind()
            advance(there - len(results.places))
        workers.run(work, [p for p in results.places if p not in results.trials])


def _try(results: Results, label: str | None, place: int, n_threads: int) -> Trial:
    """One selector in one fold; for None, all features, then the reference."""
    plan, where = results.plan, f"in fold {place}"
    fold = plan.folds[place]
    score = partial(plan.judge.score, fold, where)
    if label is None:
        every = np.arange(plan.data.shape[1])
        sets = [every] if plan.reference is None else [every, plan.reference]
        return Trial([], [np.array([score(c) for c in sets])])
    with named(f"{label} failed {where}"):
        rank = _selected if plan.refit_sizes else _ranked
        ranked = rank(results, label, fold[0], n_threads)
    if plan.refit_sizes:
        return Trial([], [np.array([score(c) for c in ranked.orders])], ranked.seconds)
    sizes = [plan.sizes_at(t) for t in plan.thresholds]
    best = plan.judge.best(fold, where)
    return ranked._replace(scores=sweep(ranked.orders, sizes, best))


def _ranked(results: Results, label: str, train: Ints, n_threads: int) -> Trial:
    """Columns, best first, by the training rows alone, with and without near copies."""
    key, plan = (label, train.tobytes()), results.plan
    if key not in results.ranked:
        selector, seconds = _fitted(plan, label, train, n_threads)
        order = np.argsort(selector.ranking_, kind="stable")
        most = int(plan.sizes_at(0.0).max(initial=0))
        table, codes = plan.table, plan.data.codes
        with Workers(1) as workers:
            similarity = among_rows(train, table.X, table.nominal, codes, workers)
            orders = best_without_copies(order, similarity, plan.thresholds, most)
        results.ranked[key] = Trial(orders, [], seconds)
    return results.ranked[key]


def _selected(results: Results, label: str, train: Ints, n_threads: int) -> Trial:
    """Columns that a fit for each size selects."""
    fits = [
        _fitted(results.plan, label, train, n_threads, n_features_to_select=k)
        for k in results.plan.sizes.tolist()
    ]
    sets = [np.flatnonzero(selector.support_) for selector, _ in fits]
    return Trial(sets, [], sum(seconds for _, seconds in fits))


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


@contextmanager
def named(what: str, other: type[RuntimeError] = RuntimeError) -> Iterator[None]:
    """Say where an error comes from; one that is not a ValueError becomes ``other``."""
    try:
        yield
    except Exception as error:
        kind = ValueError if isinstance(error, ValueError) else other
        raise kind(f"{CALLER}: {what}: {error}") from error
