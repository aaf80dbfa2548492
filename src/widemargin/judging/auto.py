"""How many features to keep, and which are redundant, by ten folds of the rows.

A selector ranks the features by the training rows of each fold; 1-NN, or the mean of
the five nearest rows, scores the best 1, 2, … of them in the test rows, with and
without near copies; the one-standard-error rule chooses. An accuracy that is shown
comes from rows that had no part in ranking or scaling the features.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from widemargin.data.dataset import Dataset
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.judging.choice import PARTS, choose_on, excess, optimism
from widemargin.judging.copies import similarity_of, thin
from widemargin.judging.folds import Fold
from widemargin.judging.prefixes import constant_in_training
from widemargin.judging.sweep import THRESHOLDS, Cut, PrefixJudge
from widemargin.notices import muted
from widemargin.threads import Workers

FEW_ROWS = 100  # up to which pairs of parts are left out as well


class Answer(NamedTuple):
    """What a fit answers besides scores, as far as it was asked for."""

    ranking: Ints  # redundant features last
    size: int | None = None  # features to keep
    prefix_scores: Floats | None = None
    optimism: float | None = None
    scoring: str | None = None  # of the prefix scores
    redundancy: float | None = None
    redundant_with: Ints | None = None


def answer(selector: Any, data: Dataset, table: Table, workers: Workers) -> Answer:
    """Choose the size and the threshold in folds, then skip redundant features.

    ``selector`` has scores and a ranking of all rows.
    """
    found = Answer(selector.ranking_)
    natural, d = selector._natural_support(), table.n_features
    subset = natural is not None and selector.n_features_to_select in (None, "auto")
    any_size = selector.n_features_to_select == "auto" and not subset
    wanted = d if any_size else min(selector._wanted(), d)
    if subset:
        wanted = max(1, int(natural.sum()))
    threshold: Any = selector.redundancy
    _, y = np.unique(data.codes, return_inverse=True)
    judge = PrefixJudge(data.X, y, data.nominal, selector.scale, data.target)
    if any_size or threshold == "auto":
        thresholds = THRESHOLDS if threshold == "auto" else (threshold,)
        folds = judge.folds()
        orders, sizes = _fold_orders(selector, data, table, folds, workers)
        curves = judge.curves(folds, orders, thresholds, wanted, workers)
        own = selector._own_size() if any_size else wanted
        which, size = choose_on(curves, own)
        threshold = thresholds[which]
        if any_size:
            if own is None:
                pairs = _pair_sums(selector, data, judge, folds, thresholds, workers)
                too_high = optimism(curves, pairs)
            else:
                too_high = excess(curves[which], size, sizes)
            # R² may be below 0, an accuracy may not.
            lowest = 0.0 if data.target is None else -np.inf
            scores = np.maximum(curves[which].scores - too_high, lowest)
            found = Answer(found.ranking, size, scores, too_high, judge.scoring)
    if selector.redundancy is None:
        return found
    if threshold is None:
        return found._replace(redundant_with=np.full(d, -1))
    similarity = similarity_of(judge.X, judge.nominal, judge.y, workers)
    order, instead = thin(np.argsort(found.ranking), similarity, threshold, wanted)
    ranking = np.empty_like(found.ranking)
    ranking[order] = np.arange(1, d + 1)
    return found._replace(ranking=ranking, redundancy=threshold, redundant_with=instead)


def _pair_sums(
    selector: Any,
    data: Dataset,
    judge: PrefixJudge,
    folds: list[Fold],
    thresholds: Sequence[float | None],
    workers: Workers,
) -> NDArray[Any] | None:
    """Sums in each part of the rows without that part and another one, if rows are few.

    Of shape (thresholds, PARTS, PARTS, …). The first part is the other one: it has no
    part in ranking or scoring.
    """
    n, d = data.X.shape
    if len(folds) < PARTS or n > FEW_ROWS:
        return None
    of_part = np.array_split(np.arange(len(folds)), PARTS)
    parts = [np.concatenate([folds[v][1] for v in some]) for some in of_part]
    every, pairs = (
        np.sort(np.concatenate(folds[0])),
        list(combinations(range(PARTS), 2)),
    )
    cuts = [
        Cut(
            np.setdiff1d(every, np.concatenate([parts[a], parts[b]])),
            [parts[a], parts[b]],
        )
        for a, b in pairs
    ]
    quiet, fresh = workers.silent(), clone(selector)
    with muted():
        orders = [_fold_order(fresh, data, cut.train, quiet)[0] for cut in cuts]
    found = np.array(judge.sums(cuts, orders, thresholds, d, quiet))
    sums = np.zeros((len(thresholds), PARTS, PARTS, *found.shape[3:]))
    for (a, b), of_pair in zip(pairs, found, strict=True):
        sums[:, b, a], sums[:, a, b] = of_pair[:, 0], of_pair[:, 1]
    return sums


def _fold_orders(
    selector: Any, data: Dataset, table: Table, folds: list[Fold], workers: Workers
) -> tuple[list[Ints], list[int | None]]:
    """Features, best first, as the training rows of each fold rank them; how many."""
    quiet = workers.silent()
    with muted():
        tests = [table.positions(test) for _, test in folds]
        scores = selector._scores_without(table, tests, quiet)
        if scores is None:
            fresh = clone(selector)
            found = [_fold_order(fresh, data, train, quiet) for train, _ in folds]
            return [order for order, _ in found], [size for _, size in found]
    constant = constant_in_training(data.X, folds)
    orders = [np.lexsort((-s, c)) for s, c in zip(scores, constant, strict=True)]
    return orders, [None] * len(orders)


def _fold_order(
    selector: Any, data: Dataset, train: Ints, workers: Workers
) -> tuple[Ints, int | None]:
    """Features, best first, by a fit of a selector to some rows, and its own size."""
    twin = deepcopy(selector)  # a sixth of the time of `clone`
    twin.n_features_in_ = data.X.shape[1]
    if getattr(selector, "order", None) is not None:
        place = np.full(len(data.X), -1)
        place[train] = np.arange(len(train))
        visits = place[np.asarray(selector.order)]
        twin.set_params(order=visits[visits >= 0])
    y = data.codes if data.target is None else data.target
    if (data.labelled or selector._numeric_target) and np.ptp(y[train]) == 0:
        return np.arange(twin.n_features_in_), None  # there is nothing to rank by
    table = selector._table(data, workers, train)
    twin.scores_ = twin._score(table, workers)
    return np.argsort(twin._rank(table)), twin._own_size()
