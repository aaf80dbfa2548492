"""Cross-fitting: rank in the training part of each fold, judge in its test part.

An accuracy that is shown for k features comes from rows that had no part in ranking or
scaling them. The steps, each of its own use:

1. `fold_rows` deals the rows out to ten stratified folds;
2. the caller ranks the features by the training rows of each fold;
3. `judge` counts the test rows that 1-NN gets right with the best 1, 2, … features of
   the fold's ranking, thinned out or not (`widemargin.thinning`);
4. `choose` picks the size, and how redundant features are treated; `optimism` says how
   much the accuracy of what was picked owes to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from widemargin.folding import Fold, stratified_folds
from widemargin.prefixes import prefix_hits, spaces
from widemargin.progress import progress
from widemargin.table import Floats, Ints
from widemargin.thinning import similarity_of, thin
from widemargin.threads import Workers

N_FOLDS = 10
PARTS = 5  # of the rows, two of which are left out for an honest choice of the size
FEW_ROWS = 100  # up to which that is done: its fits are worth their time there
THRESHOLDS = (None, 0.9, 0.7)  # what redundancy="auto" chooses among


class Data(NamedTuple):
    """A table as it was read: not scaled, rows in the caller's order."""

    X: Floats  # (n, d) numbers, or codes of nominal values; NaN: missing
    y: Ints  # (n,) class codes
    nominal: Ints | None  # columns that hold codes
    scale: str | None  # how 1-NN is to scale numbers


class Pair(NamedTuple):
    """Two parts of the rows, and the training rows outside both."""

    train: Ints
    first: Ints
    second: Ints
    a: int  # the number of the first
    b: int


class Judged(NamedTuple):
    """Test rows that 1-NN gets right with the best 1, 2, … features."""

    hits: Ints  # (V, K)
    tested: Ints  # (V,) test rows of each fold
    n: int  # rows that count, also those which are never tested

    @property
    def scores(self) -> Floats:
        """Share of the rows that 1-NN gets right, (K,)."""
        return self.hits.sum(axis=0) / self.n

    def without(self, v: int) -> Judged:
        """The same of all folds but one."""
        tested = np.delete(self.tested, v)
        return Judged(np.delete(self.hits, v, axis=0), tested, self.n - self.tested[v])

    def error(self, size: int) -> float:
        """Standard error of the score of some size.

        That of the mean over the folds, and at least that of a share of n rows.
        """
        p = float(self.scores[size - 1])
        binomial = np.sqrt(p * (1 - p) / self.n)
        V = len(self.tested)
        if V < 2:
            return float(binomial)
        folds = self.hits[:, size - 1] / self.tested
        return float(max(binomial, folds.std(ddof=1) / np.sqrt(V)))


def fold_rows(data: Data) -> list[Fold]:
    """Ten stratified folds, or as many as the largest class has members if fewer.

    They depend on what the rows hold, not on their order. A row that is alone in its
    class is in every training part: it is never tested, and counts as an error. If all
    are alone there are no folds.
    """
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
) -> list[Judged]:
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
    hits = np.zeros((len(thresholds), max(V, 1), most), np.int64)
    quiet = workers.silent()
    with progress("folds", V, workers.verbose, summary=False) as advance:
        views = spaces(data.X, data.y, folds, data.scale, data.nominal)
        for v, space in enumerate(views):
            train, test = folds[v]
            thinned = _thinned(data, train, orders[v], thresholds, most, quiet)
            for t, order in enumerate(thinned):
                hits[t, v] = prefix_hits(space, order[:most], [test], quiet)[0]
            advance()
    tested = np.array([len(test) for _, test in folds] or [n])
    return [Judged(h, tested, n) for h in hits]


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
    similarity = similarity_of(data.X[train], data.nominal, data.y[train], workers)
    return [
        order if t is None else thin(order, similarity, t, most).order
        for t in thresholds
    ]


def choose(curves: Sequence[Judged], size: int | None = None) -> tuple[int, int]:
    """Which curve, and how many features.

    Without a size, the smallest whose accuracy is within one standard error of the best
    of all curves. Then the more accurate curve, then the earlier.
    """
    scores = np.array([curve.scores for curve in curves])
    # An accuracy is a whole number of n-ths: rounding shall not decide.
    tie = 1e-9 / curves[0].n
    if size is not None:
        at = scores[:, size - 1]
        return int(np.argmax(at >= at.max() - tie)), size
    best = scores.max()
    t, k = np.argwhere(scores >= best - tie)[0]
    enough = scores >= best - curves[t].error(int(k) + 1) - tie
    size = int(np.argmax(enough.any(axis=0))) + 1
    at = np.where(enough[:, size - 1], scores[:, size - 1], -1.0)
    return int(np.argmax(at >= at.max() - tie)), size


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
) -> list[Ints]:
    """Hits in each part without that part and another one, (PARTS, PARTS, K) each.

    The first index is the other part: it has no part in ranking or judging.
    """
    most = min(most, data.X.shape[1])
    hits = np.zeros((len(thresholds), PARTS, PARTS, most), np.int64)
    folds = [(p.train, np.concatenate([p.first, p.second])) for p in pairs]
    views = spaces(data.X, data.y, folds, data.scale, data.nominal)
    for pair, ranked, space in zip(pairs, orders, views, strict=True):
        thinned = _thinned(data, pair.train, ranked, thresholds, most, workers)
        for t, order in enumerate(thinned):
            tests = [pair.first, pair.second]
            found = prefix_hits(space, order[:most], tests, workers)
            hits[t, pair.b, pair.a], hits[t, pair.a, pair.b] = found
    return list(hits)


def optimism(curves: Sequence[Judged], pairs: Sequence[Ints] | None = None) -> float:
    """How much too high the accuracy of the chosen size is, since it was chosen for it.

    Each fold is judged at the size, and on the curve, that others choose. By so much
    the accuracy at the size that all choose is higher than that; at least 0. The others
    are the other folds or, given the hits of `judge_pairs`, the parts that the fold is
    not in, ranked and judged without its rows. Two rows that are each other's nearest
    are both right or both wrong: without pairs, part of the optimism stays.
    """
    which, size = choose(curves)
    V, n, tested = len(curves[0].tested), curves[0].n, curves[0].tested
    if V < 2:
        return 0.0
    part_of = np.repeat(
        np.arange(PARTS), [len(p) for p in np.array_split(np.arange(V), PARTS)]
    )
    hits = 0
    for v in range(V):
        others = [curve.without(v) for curve in curves]
        if pairs is not None:
            a = part_of[v]
            rest = np.flatnonzero(np.arange(PARTS) != a)
            sizes = np.bincount(part_of, tested, PARTS).astype(np.int64)
            n_rest = n - int(sizes[a])
            others = [Judged(hit[a, rest], sizes[rest], n_rest) for hit in pairs]
        t, k = choose(others)
        hits += int(curves[t].hits[v, k - 1])
    return max(0.0, float(curves[which].scores[size - 1]) - hits / n)
