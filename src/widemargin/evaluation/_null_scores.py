"""Scores under permuted labels: how many to draw, and how they are computed.

The number of permutations depends on the shape of the table and the kind of method, not
on a clock: the same call gives the same result everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from widemargin.base import MarginSelector
from widemargin.data.dataset import Dataset
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation._p_values import needed
from widemargin.evaluation._selectors import Call, refit, scores_of
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
LEAST = 32  # permutations at a time
CELLS = 2**24  # scores at a time


class Plan(NamedTuple):
    """How p-values are computed."""

    method: str  # "permutation", "pooled" or "probes"
    n_permutations: int
    first: int = 0  # permutations of all features; further ones of promising ones only
    refits: int = 0  # to confirm significant features by permuted copies, about


def plan(selector: Any, data: Dataset, method: str, n_permutations: int | None) -> Plan:
    """Choose the method and the number of permutations."""
    n, d = data.shape
    neighbors = summed_neighbors(selector, data)
    separable = getattr(selector, "_separable", False)
    # What is affordable: permutations, mostly of few features if that is cheaper, and
    # those of all features.
    if neighbors:
        afford, first = SEARCHES // n, SUMS // (n * d * neighbors)
    elif separable:
        afford, first = FITS, SUMS // (100 * n * d)
    else:
        afford = first = PAIRS // (n * n * d)
    first = int(np.clip(first, FEW, MANY))
    if method == "auto":
        enough = needed(d) <= (afford if n_permutations is None else n_permutations)
        method = "permutation" if enough else "pooled"
    if method == "pooled":
        number = first = n_permutations or first
    elif neighbors or separable:
        number = n_permutations or max(needed(d), AT_LEAST)
        first = min(first, number)
    else:
        number = first = n_permutations or max(needed(d), FEW)
    # Where a feature's score depends on no other feature, permuting its column and
    # permuting the labels have the same effect, and nothing needs to be confirmed.
    most = 0 if separable else np.clip(CONFIRMATION // (n * n * d), 2 * FEW, MANY)
    return Plan(method, number, first, min(int(most), number))


def summed_neighbors(selector: Any, data: Dataset) -> int | None:
    """Neighbours of each row in the selector's sums, if one search serves all labels.

    0 if it needs no search; None if only refits give its scores under permuted labels.
    Distances between missing values depend on labels, too.
    """
    if "_permuted_neighbors" not in vars(type(selector)) or data.blocks is not None:
        return None  # the scores of a subclass, or of groups, may be others
    neighbors = selector._permuted_neighbors(data.shape[0], len(data.classes))
    if not neighbors:
        return neighbors
    rows = selector._view(data)
    nominal = rows.nominal is not None and len(rows.nominal) > 0
    return None if nominal or not np.isfinite(rows.X).all() else neighbors


def statistic_of(fitted: Any) -> Floats:
    """What is tested: a statistic that is not relative to the other features.

    Where it is not defined, as scikit-learn's is of a constant feature, the lowest one.
    """
    if isinstance(fitted, MarginSelector):
        found = fitted._of_features(fitted._statistic, np.maximum)
        return np.asarray(found, dtype=np.float64)
    scores = scores_of(fitted, "significance")
    return np.where(np.isnan(scores), np.fmin.reduce(scores), scores)


def for_probes(selector: Any, features: Ints) -> Any:
    """A clone for a table to which permuted copies of some features are added.

    Its settings for single features hold for the copies as well. Which features are
    nominal is no such setting: `Dataset.with_probes` takes care of it.
    """
    more = clone(selector)
    directions = more.get_params().get("directions")
    if directions is not None and not isinstance(directions, str):
        given = np.asarray(directions)
        more.set_params(directions=np.concatenate([given, given[features]]))
    return more


def source_of(selector: Any, data: Dataset) -> AtOnce | Refits:
    """The fastest source of scores under permuted labels.

    ``observed`` is what is tested, ``scores`` is what the selector reports.
    """
    neighbors = summed_neighbors(selector, data)
    if neighbors is None:
        return Refits(selector, data)
    return AtOnce(selector, data, neighbors)


def _at_once(n_features: int, work: int = CELLS) -> int:
    """Permutations at a time: as many as fit into memory, up to ``work`` of them."""
    room = min(work, CELLS // max(1, n_features))
    return int(np.clip(room, LEAST, current().max_permutations))


class AtOnce:
    """Selectors that compute the scores of many permutations together."""

    def __init__(self, selector: Any, data: Dataset, neighbors: int) -> None:
        self.selector, self.neighbors = selector, neighbors
        self.observed = self.scores = data.fit(clone(selector)).scores_
        with Workers(1) as workers:
            self.table = table = selector._table(selector._view(data), workers)
            self.target = table.y if table.target is None else table.target
            if not neighbors:  # the scores under permutations are a function of these
                (self.observed,) = selector._permuted_scores(
                    table, self.target[None], np.arange(len(self.scores)), workers
                )

    def batch(self, features: Ints) -> int:
        """What takes a second or so; the search begins anew for each batch."""
        n, d = len(self.table.X), max(1, len(features))
        if not self.neighbors:
            return _at_once(d)
        work = min(SUMS // (8 * n * d * self.neighbors), SEARCHES // (8 * n))
        return _at_once(d, work)

    def draw(
        self,
        permutations: list[Ints],
        features: Ints,
        call: Call,
        keep: Callable[[int, Floats], None],
    ) -> None:
        """Call ``keep(b, scores)`` for some features, all permutations at once."""
        caller = np.empty_like(self.target)
        caller[self.table.rows] = self.target
        targets = np.array([caller[order][self.table.rows] for order in permutations])
        with Workers(thread_count(call.n_jobs)) as workers:
            scores = self.selector._permuted_scores(
                self.table, targets, features, workers
            )
        for b, row in enumerate(scores):
            keep(b, row)


class Refits:
    """Any selector: one fit for each permutation."""

    def __init__(self, selector: Any, data: Dataset) -> None:
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
        """Call ``keep(b, scores)`` for some features, after a fit for each order.

        It is to these features alone if each has its score by itself.
        """
        data = self.data.columns(features) if self.divisible else self.data

        def permuted(b: int) -> Dataset:
            return data.relabelled(permutations[b])

        def each(b: int, refitted: Any) -> None:
            found = statistic_of(refitted)
            keep(b, found if self.divisible else found[features])

        refit(self.selector, permuted, each, len(permutations), call)
