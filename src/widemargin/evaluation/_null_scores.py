"""Scores under permuted labels: where they come from, and how many to take.

The number of permutations follows from the shape of the table and the kind of method
alone, not from a clock: the same call gives the same result everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.base import clone

from widemargin.base import MarginSelector
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.evaluation import (
    _permuted_means as permuted_means,
)
from widemargin.evaluation import (
    _permuted_numbers as permuted_numbers,
)
from widemargin.evaluation import (
    _permuted_relief as permuted_relief,
)
from widemargin.evaluation._encoded import Encoded
from widemargin.evaluation._p_values import needed
from widemargin.evaluation._refits import Call, refit, scores_of
from widemargin.settings import current
from widemargin.threads import Workers, thread_count

FEW, MANY = 100, 500  # permutations of all features
AT_LEAST = 1000  # permutations of a feature that may be significant
# How much work is spent by default, some ten seconds of two cores.
SEARCHES = 2 * 10**7  # neighbourhoods of rows under permuted labels
SUMS = 4 * 10**9  # differences of cells in sums over neighbours
FITS = 4000  # of methods that look at each feature on its own
PAIRS = 10**9  # cells of pairs of rows, in fits of other methods
CONFIRMATION = 2 * 10**10  # cells of pairs of rows, in fits with permuted copies
CONFIRMING = 0.25  # of the refits that are allowed for that, on average
LEAST = 32  # permutations at a time
CELLS = 2**24  # scores at a time


class NullScores(Protocol):
    """Where scores under permuted labels come from."""

    observed: Floats  # what is tested: scores, or what stands for them
    scores: Floats  # as the selector reports them

    def batch(self, features: Ints) -> int:
        """Permutations at a time, as memory and the patience of a user allow."""

    def draw(
        self,
        permutations: list[Ints],
        features: Ints,
        call: Call,
        keep: Callable[[int, Floats], None],
    ) -> None:
        """Hand scores of some features, and the number of their permutation, on."""


class Plan(NamedTuple):
    """How p-values are found."""

    method: str  # "permutation", "pooled" or "probes"
    n_permutations: int
    first: int  # permutations for all features; further ones for promising ones only
    fits: float  # how many fits of the selector take about as long
    refits: int = 0  # to confirm significant features by permuted copies, about


def statistic_of(fitted: Any) -> Floats:
    """What is tested: a statistic that is not relative to the other features.

    Where it is not defined, as scikit-learn's is of a constant feature, the lowest one.
    """
    if isinstance(fitted, MarginSelector):
        return np.asarray(fitted._statistic, dtype=np.float64)
    scores = scores_of(fitted, "significance")
    return np.where(np.isnan(scores), np.fmin.reduce(scores), scores)


def plan(selector: Any, data: Encoded, method: str, n_permutations: int | None) -> Plan:
    """Decide how, and with how many permutations."""
    d, cost = data.shape[1], _cost(selector, data)
    if method == "auto":
        afford = cost.afford if n_permutations is None else n_permutations
        method = "permutation" if needed(d) <= afford else "pooled"
    if method == "pooled":
        number = first = n_permutations or cost.first
    elif not cost.divisible:
        number = first = n_permutations or max(needed(d), FEW)
    else:
        number = n_permutations or max(needed(d), AT_LEAST)
        first = min(cost.first, number)
    later = number - first  # mostly of few features
    refits = min(_most_refits(selector, data), number)
    fits = cost.fits * (first + 0.1 * later) + CONFIRMING * refits
    return Plan(method, number, first, fits, refits)


def _most_refits(selector: Any, data: Encoded) -> int:
    """How many fits may be spent on features that permuted labels find significant.

    None, if a feature's score depends on no other feature: then permuting its column
    and permuting the labels have the same effect.
    """
    if getattr(selector, "_separable", False):
        return 0
    n, d = data.shape
    return int(np.clip(CONFIRMATION // (n * n * d), 2 * FEW, MANY))


class _Cost(NamedTuple):
    """What permutations take, roughly."""

    afford: int  # permutations, most of them of few features if that is cheaper
    first: int  # permutations of all features
    fits: float  # one of them, in fits of the selector
    divisible: bool


def _cost(selector: Any, data: Encoded) -> _Cost:
    n, d = data.shape
    if permuted_relief.one_search(selector, data):
        first = SUMS // (n * d * _neighbors(selector, data))
        return _Cost(SEARCHES // n, int(np.clip(first, FEW, MANY)), 0.2, True)
    if permuted_numbers.one_search(selector, data):
        first = SUMS // (n * d * min(n, selector.n_neighbors))
        return _Cost(SEARCHES // n, int(np.clip(first, FEW, MANY)), 0.2, True)
    if getattr(selector, "_separable", False):
        first = SUMS // (100 * n * d)
        fits = 0.1 if permuted_means.by_means(selector) else 1.0
        return _Cost(FITS, int(np.clip(first, FEW, MANY)), fits, True)
    number = PAIRS // (n * n * d)
    return _Cost(number, int(np.clip(number, FEW, MANY)), 1.0, False)


def _neighbors(selector: Any, data: Encoded) -> int:
    """Neighbours of each row that Relief or ReliefF sums over."""
    n = data.shape[0]
    k = selector._k(n) if hasattr(selector, "n_neighbors") else 1
    return min(n, k * len(data.classes))


def _at_once(n_features: int, work: int = CELLS) -> int:
    """Permutations at a time: as many as fit into memory, up to ``work`` of them."""
    room = min(work, CELLS // max(1, n_features))
    return int(np.clip(room, LEAST, current().max_permutations))


class _ManyAtOnce:
    """Sources that compute the scores of many permutations together."""

    def draw(
        self,
        permutations: list[Ints],
        features: Ints,
        call: Call,
        keep: Callable[[int, Floats], None],
    ) -> None:
        """All of them at once."""
        with Workers(thread_count(call.n_jobs)) as workers:
            scores = self._permuted(permutations, features, workers)
        for b, row in enumerate(scores):
            keep(b, row)

    def _permuted(
        self, permutations: list[Ints], features: Ints, workers: Workers
    ) -> Floats:
        raise NotImplementedError


class OneSearch(_ManyAtOnce):
    """Relief and ReliefF on numbers: distances do not depend on labels."""

    def __init__(self, selector: Any, data: Encoded) -> None:
        fitted = clone(selector)
        self.selector = selector
        self.table = fit_for_table(fitted, data)
        self.observed = self.scores = fitted.scores_
        self.neighbors = _neighbors(selector, data)

    def batch(self, features: Ints) -> int:
        """What takes a second or so; the search begins anew for each batch."""
        n, d = len(self.table.X), max(1, len(features))
        work = min(SUMS // (8 * n * d * self.neighbors), SEARCHES // (8 * n))
        return _at_once(d, work)

    def _permuted(
        self, permutations: list[Ints], features: Ints, workers: Workers
    ) -> Floats:
        return permuted_relief.permuted_scores(
            self.selector, self.table, permutations, workers, features
        )


class ClassMeans(_ManyAtOnce):
    """FisherScore: means of classes are products with the labels."""

    def __init__(self, selector: Any, data: Encoded) -> None:
        fitted = clone(selector)
        self.table = fit_for_table(fitted, data)
        self.scores = fitted.scores_
        self.values = permuted_means.centred(self.table)
        with Workers(1) as workers:
            every = np.arange(self.values.shape[1])
            (self.observed,) = permuted_means.explained(
                self.values, self.table.y[None], self.table.counts, every, workers
            )

    def batch(self, features: Ints) -> int:
        """As many as there is room for."""
        return _at_once(len(features))

    def _permuted(
        self, permutations: list[Ints], features: Ints, workers: Workers
    ) -> Floats:
        labels = permuted_relief.shuffled(self.table.y, self.table, permutations)
        return permuted_means.explained(
            self.values, labels, self.table.counts, features, workers
        )


class OneSearchOfNumbers(_ManyAtOnce):
    """RReliefF on numbers: neighbours do not depend on the target."""

    def __init__(self, selector: Any, data: Encoded) -> None:
        fitted = clone(selector)
        self.selector, self.table = selector, fit_for_table(fitted, data)
        self.observed = self.scores = fitted.scores_

    def batch(self, features: Ints) -> int:
        """What takes a second or so; the search begins anew for each batch."""
        n, d = self.table.X.shape
        return _at_once(d, SUMS // (8 * n * d * self.selector.n_neighbors))

    def _permuted(
        self, permutations: list[Ints], features: Ints, workers: Workers
    ) -> Floats:
        assert self.table.target is not None
        targets = permuted_relief.shuffled(self.table.target, self.table, permutations)
        return permuted_numbers.permuted_numbers(
            self.selector, self.table, targets, workers, features
        )


class Refits:
    """Any selector: one fit for each permutation."""

    def __init__(self, selector: Any, data: Encoded) -> None:
        fitted = data.fit(clone(selector))
        self.selector, self.data = selector, data
        self.scores = scores_of(fitted, "significance")
        self.observed = statistic_of(fitted)
        self.divisible = getattr(selector, "_separable", False)

    def batch(self, features: Ints) -> int:
        """As many as there is room for."""
        return _at_once(len(features))

    def draw(
        self,
        permutations: list[Ints],
        features: Ints,
        call: Call,
        keep: Callable[[int, Floats], None],
    ) -> None:
        """Fit to all features, or to some if each has its score by itself."""
        data = self.data.columns(features) if self.divisible else self.data

        def permuted(b: int) -> Encoded:
            return data.relabelled(permutations[b])

        def each(b: int, refitted: Any) -> None:
            found = statistic_of(refitted)
            keep(b, found if self.divisible else found[features])

        refit(self.selector, permuted, each, len(permutations), call)


def source_of(selector: Any, data: Encoded) -> NullScores:
    """The fastest source for a selector and a table."""
    if permuted_relief.one_search(selector, data):
        return OneSearch(selector, data)
    if permuted_means.by_means(selector):
        return ClassMeans(selector, data)
    if permuted_numbers.one_search(selector, data):
        return OneSearchOfNumbers(selector, data)
    return Refits(selector, data)


def fit_for_table(selector: Any, data: Encoded) -> Table:
    """Fit, and return the table that the selector scored."""
    tables: list[Table] = []
    score = selector._score

    def keep(table: Table, workers: Workers) -> Floats:
        tables.append(table)
        return score(table, workers)

    selector._score = keep
    data.fit(selector)
    del selector._score
    return tables[0]
