"""Rankings of training rows, judged in the test rows of their folds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.protocol import Floats, Ints
from widemargin.judging.curves import PARTS, Curve, Judged, JudgedNumbers
from widemargin.judging.folds import Fold, plain_folds, stratified_folds
from widemargin.judging.measures import lopsided
from widemargin.judging.prefixes import Space, prefix_hits, prefix_means, spaces
from widemargin.judging.thinning import best_without_copies, similarity_of
from widemargin.progress import progress
from widemargin.threads import Workers

N_FOLDS = 10
FEW_ROWS = 100  # up to which pairs of parts are left out as well
THRESHOLDS = (None, 0.9, 0.7)  # what redundancy="auto" chooses among
NEIGHBORS = 5  # whose mean predicts a numeric target


class Data(NamedTuple):
    """A table as it was read: not scaled, rows in the caller's order."""

    X: Floats  # (n, d) numbers, or codes of nominal values; NaN: missing
    y: Ints  # (n,) class codes
    nominal: Ints | None  # columns that hold codes
    scale: str | None  # how 1-NN is to scale numbers
    target: Floats | None = None  # (n,) a number to predict; y is of one class then

    @property
    def scoring(self) -> str:
        """What rankings are judged by, as `AutoSelector` and `compare` do."""
        if self.target is not None:
            return "r2"
        counts = np.bincount(self.y)
        return "balanced_accuracy" if lopsided(counts[counts > 0]) else "accuracy"

    @property
    def class_weights(self) -> Floats:
        """What a row of each class counts: all rows, or all classes, are alike.

        The mean over rows is 1. A class of one row, which is never tested, counts as an
        error among rows, but not among classes.
        """
        counts = np.bincount(self.y)
        if self.scoring == "accuracy":
            return np.ones(len(counts))
        tested = counts > 1
        weights = len(self.y) / (tested.sum() * np.maximum(counts, 1))
        return np.where(tested, weights, 0.0)

    @property
    def deviations(self) -> Floats:
        """The target less its mean, in units of its standard deviation."""
        assert self.target is not None
        y = self.target / np.abs(self.target).max()  # no square shall overflow
        return (y - y.mean()) / y.std()


class Pair(NamedTuple):
    """Two parts of the rows, and the training rows outside both."""

    train: Ints
    first: Ints
    second: Ints
    a: int  # the number of the first
    b: int


def fold_rows(data: Data) -> list[Fold]:
    """Ten stratified folds, or as many as the largest class has members if fewer.

    They depend on what the rows hold, not on their order. A row that is alone in its
    class is in every training part: it is never tested, and counts as an error. If all
    are alone there are no folds. With a numeric target, ten folds of whatever rows.
    """
    if data.target is not None:
        n_folds = min(N_FOLDS, len(data.target))
        return plain_folds(data.X, data.target, n_folds, nominal=data.nominal)
    largest = int(np.bincount(data.y).max())
    if largest < 2:
        return []
    n_folds = min(N_FOLDS, largest)
    return stratified_folds(
        data.X, data.y, n_folds, nominal=data.nominal, keep_single=True
    )


def judge(
    data: Data,
    folds: Sequence[Fold],
    orders: Sequence[Ints],
    thresholds: Sequence[float | None],
    most: int,
    workers: Workers,
) -> list[Curve]:
    """Judge the rankings of all folds, thinned out by each of some thresholds.

    Parameters
    ----------
    data : Data
    folds : list of (train, test)
    orders : list of arrays of shape (n_features,)
        Features, best first, as the training rows of each fold rank them.
    thresholds : list of float or None
        Similarity from which a feature is skipped; None skips none.
    most : int
        Largest number of features to judge.
    workers : Workers
    """
    n, d = data.X.shape
    V, most = len(folds), min(most, d)
    found: list[list[NDArray[Any]]] = [[] for _ in thresholds]
    quiet = workers.silent()
    with progress("folds", V, workers.verbose, summary=False) as advance:
        views = spaces(data.X, data.y, folds, data.scale, data.nominal)
        for v, space in enumerate(views):
            train, test = folds[v]
            thinned = _thinned(data, train, orders[v], thresholds, most, quiet)
            for t, order in enumerate(thinned):
                found[t] += _sums(data, space, order[:most], [test], quiet)
            advance()
    if data.target is not None:
        y = data.deviations
        squares = [[np.sum(y[test] ** p) for p in (2, 4)] for _, test in folds]
        return [JudgedNumbers(np.array(f), np.array(squares)) for f in found]
    weights = data.class_weights[data.y]
    tested = np.array([weights[test].sum() for _, test in folds] or [n])
    nothing, spread = [np.zeros(most)], float(np.mean(weights**2))
    return [Judged(np.array(f or nothing), tested, n, spread) for f in found]


def _sums(
    data: Data, space: Space, order: Ints, tests: Sequence[Ints], workers: Workers
) -> list[NDArray[Any]]:
    """Weighted hits with the best 1, 2, … features in each of ``tests``; see `Judged`.

    For a numeric target, sums of the gains; see `JudgedNumbers`.
    """
    if data.target is None:
        classes, weights = np.unique(data.y), data.class_weights
        parts = [rows[data.y[rows] == c] for rows in tests for c in classes]
        hits = prefix_hits(space, order, parts, workers)
        by_class = hits.reshape(len(tests), len(classes), -1)
        return list(np.einsum("tck,c->tk", by_class, weights[classes]))
    y, found = data.deviations, []
    for rows in tests:
        t = y[rows, None]
        means = prefix_means(space, order, rows, y, NEIGHBORS, workers)
        g = t**2 - (t - means) ** 2
        found.append(np.array([s.sum(axis=0) for s in (g, g**2, g * t**2)]))
    return found


def _thinned(
    data: Data,
    train: Ints,
    order: Ints,
    thresholds: Sequence[float | None],
    most: int,
    workers: Workers,
) -> list[Ints]:
    """A ranking without near copies, for each threshold."""
    if all(threshold is None for threshold in thresholds):
        return [order] * len(thresholds)
    similarity = partial(
        similarity_of, data.X[train], data.nominal, data.y[train], workers
    )
    wanted = [t for t in thresholds if t is not None]
    thinned = iter(best_without_copies(order, similarity, wanted, most))
    return [order if t is None else next(thinned) for t in thresholds]


def pair_up(folds: Sequence[Fold]) -> list[Pair]:
    """Pairs of `PARTS` parts of the folds; none if there are fewer folds than that."""
    if len(folds) < PARTS:
        return []
    tests = [test for _, test in folds]
    numbers = np.array_split(np.arange(len(folds)), PARTS)
    parts = [np.concatenate([tests[v] for v in some]) for some in numbers]
    pairs = []
    for a, b in combinations(range(PARTS), 2):
        out = np.concatenate([parts[a], parts[b]])
        every = np.sort(np.concatenate(folds[0]))
        pairs.append(Pair(every[~np.isin(every, out)], parts[a], parts[b], a, b))
    return pairs


def judge_pairs(
    data: Data,
    pairs: Sequence[Pair],
    orders: Sequence[Ints],
    thresholds: Sequence[float | None],
    most: int,
    workers: Workers,
) -> list[NDArray[Any]]:
    """Hits in each part without that part and another one, (PARTS, PARTS, K) each.

    The first index is the other part: it has no part in ranking or judging.
    """
    most = min(most, data.X.shape[1])
    shape = (most,) if data.target is None else (3, most)
    hits = np.zeros((len(thresholds), PARTS, PARTS, *shape))
    folds = [(p.train, np.concatenate([p.first, p.second])) for p in pairs]
    views = spaces(data.X, data.y, folds, data.scale, data.nominal)
    for pair, ranked, space in zip(pairs, orders, views, strict=True):
        thinned = _thinned(data, pair.train, ranked, thresholds, most, workers)
        for t, order in enumerate(thinned):
            tests = [pair.first, pair.second]
            found = _sums(data, space, order[:most], tests, workers)
            hits[t, pair.b, pair.a], hits[t, pair.a, pair.b] = found
    return list(hits)
