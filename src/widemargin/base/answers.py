"""How many features to keep, and which of them are redundant, judged in folds."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from widemargin.data.protocol import Floats, Ints
from widemargin.data.rows import Rows
from widemargin.data.table import Table
from widemargin.judging.curves import choose, excess, optimism
from widemargin.judging.folds import Fold
from widemargin.judging.judge import (
    FEW_ROWS,
    THRESHOLDS,
    Data,
    fold_rows,
    judge,
    judge_pairs,
    pair_up,
)
from widemargin.judging.prefixes import constant_in_training
from widemargin.judging.thinning import similarity_of, thin
from widemargin.notices import muted
from widemargin.threads import Workers

if TYPE_CHECKING:
    from widemargin.base.selector import MarginSelector


class Answer(NamedTuple):
    """What a fit finds besides scores, as far as it was asked for."""

    ranking: Ints  # redundant features last
    size: int | None = None  # features to keep
    prefix_scores: Floats | None = None
    optimism: float | None = None
    scoring: str | None = None  # of the prefix scores
    redundancy: float | None = None
    redundant_with: Ints | None = None


def answer(
    selector: MarginSelector, rows: Rows, table: Table, workers: Workers
) -> Answer:
    """Judge sizes and thresholds in folds, then skip redundant features."""
    found = Answer(selector.ranking_)
    natural, d = selector._natural_support(), table.n_features
    subset = natural is not None and selector.n_features_to_select in (None, "auto")
    any_size = selector.n_features_to_select == "auto" and not subset
    wanted = d if any_size else min(selector._wanted(), d)
    if natural is not None and subset:
        wanted = max(1, int(natural.sum()))
    threshold: Any = selector.redundancy
    data = Data(rows.X, rows.judged, rows.nominal, selector.scale, rows.target)
    if any_size or threshold == "auto":
        thresholds = THRESHOLDS if threshold == "auto" else (threshold,)
        folds = fold_rows(data)
        orders, sizes = _fold_orders(selector, rows, table, folds, workers)
        curves = judge(data, folds, orders, thresholds, wanted, workers)
        own = selector._own_size() if any_size else wanted
        which, size = choose(curves, own)
        threshold = thresholds[which]
        if any_size:
            if own is None:
                pairs = _judged_pairs(selector, rows, data, folds, thresholds, workers)
                too_high = optimism(curves, pairs)
            else:
                too_high = excess(curves[which], size, sizes)
            # R² may be below 0, an accuracy may not.
            lowest = 0.0 if rows.target is None else -np.inf
            scores = np.maximum(curves[which].scores - too_high, lowest)
            found = found._replace(
                size=size,
                prefix_scores=scores,
                optimism=too_high,
                scoring=data.scoring,
            )
    if selector.redundancy is None:
        return found
    return _without_redundant(found, data, threshold, wanted, workers)


def _without_redundant(
    found: Answer,
    data: Data,
    threshold: float | None,
    wanted: int,
    workers: Workers,
) -> Answer:
    """Move features that are similar to better ones to the end of the ranking."""
    if threshold is None:
        return found._replace(redundant_with=np.full(len(found.ranking), -1))
    similarity = similarity_of(data.X, data.nominal, data.y, workers)
    order = np.argsort(found.ranking)
    order, redundant_with = thin(order, similarity, threshold, wanted)
    ranking = np.empty_like(found.ranking)
    ranking[order] = np.arange(1, len(order) + 1)
    return found._replace(
        ranking=ranking, redundancy=threshold, redundant_with=redundant_with
    )


def _judged_pairs(
    selector: MarginSelector,
    rows: Rows,
    data: Data,
    folds: list[Fold],
    thresholds: Sequence[float | None],
    workers: Workers,
) -> list[NDArray[Any]] | None:
    """Hits without two parts of the rows each, if there are few rows."""
    pairs = pair_up(folds)
    if not pairs or len(rows.X) > FEW_ROWS:
        return None
    quiet, fresh = workers.silent(), clone(selector)
    with muted():
        orders = [_fold_order(fresh, rows, pair.train, quiet)[0] for pair in pairs]
    d = rows.X.shape[1]
    return judge_pairs(data, pairs, orders, thresholds, d, quiet)


def _fold_orders(
    selector: MarginSelector,
    rows: Rows,
    table: Table,
    folds: list[Fold],
    workers: Workers,
) -> tuple[list[Ints], list[int | None]]:
    """Features, best first, as the training rows of each fold rank them; how many."""
    quiet, trains = workers.silent(), [train for train, _ in folds]
    with muted():
        tests = [table.positions(test) for _, test in folds]
        scores = selector._scores_without(table, tests, quiet)
        if scores is None:
            fresh = clone(selector)
            found = [_fold_order(fresh, rows, train, quiet) for train in trains]
            return [order for order, _ in found], [size for _, size in found]
    constant = constant_in_training(rows.X, folds)
    orders = [np.lexsort((-s, c)) for s, c in zip(scores, constant, strict=True)]
    return orders, [None] * len(orders)


def _fold_order(
    selector: MarginSelector, rows: Rows, train: Ints, workers: Workers
) -> tuple[Ints, int | None]:
    """Features, best first, by a fit of a selector to some rows, and its own size."""
    twin = deepcopy(selector)  # a sixth of the time of `clone`
    twin.n_features_in_ = rows.X.shape[1]
    if getattr(selector, "order", None) is not None:
        place = np.full(len(rows.X), -1)
        place[train] = np.arange(len(train))
        visits = place[np.asarray(selector.order)]
        twin.set_params(order=visits[visits >= 0])
    y, target = rows.y[train], None if rows.target is None else rows.target[train]
    # Unsupervised methods see one class in all rows, and rank by other things.
    if np.ptp(rows.y) > 0 == np.ptp(y) or (target is not None and np.ptp(target) == 0):
        return np.arange(twin.n_features_in_), None  # there is nothing to rank by
    part = rows._replace(X=rows.X[train], y=y, target=target)
    table = selector._table(part, workers)
    twin.scores_ = twin._score(table, workers)
    return np.argsort(twin._rank(table)), twin._own_size()
