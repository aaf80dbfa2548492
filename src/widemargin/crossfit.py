"""Cross-fitting: rank in the training part of each fold, judge in its test part.

An accuracy that is shown for k features comes from rows that had no part in ranking or
scaling them. The steps, each of its own use:

1. `fold_rows` deals the rows out to ten stratified folds;
2. the caller ranks the features by the training rows of each fold;
3. `judge` counts the test rows that 1-NN gets right with the best 1, 2, … features of
   the fold's ranking, thinned out or not (`widemargin.thinning`);
4. `choose` picks the size, and how redundant features are treated; `optimism` says how
   much the accuracy of what was picked owes to that.

For a numeric target, folds are dealt without classes, the judge is the mean of the five
nearest rows, and the score is R² = 1 − Σ(y − ŷ)² / Σ(y − ȳ)² over all test rows: 0 is
what predicting the mean ȳ scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from widemargin.folding import Fold, plain_folds, stratified_folds
from widemargin.prefixes import Space, prefix_hits, prefix_means, spaces
from widemargin.progress import progress
from widemargin.table import Floats, Ints
from widemargin.thinning import similarity_of, thin_by
from widemargin.threads import Workers

N_FOLDS = 10
NEIGHBORS = 5  # whose mean predicts a numeric target
PARTS = 5  # of the rows, two of which are left out for an honest choice of the size
FEW_ROWS = 100  # up to which that is done: its fits are worth their time there
THRESHOLDS = (None, 0.9, 0.7)  # what redundancy="auto" chooses among


class Data(NamedTuple):
    """A table as it was read: not scaled, rows in the caller's order."""

    X: Floats  # (n, d) numbers, or codes of nominal values; NaN: missing
    y: Ints  # (n,) class codes
    nominal: Ints | None  # columns that hold codes
    scale: str | None  # how 1-NN is to scale numbers
    target: Floats | None = None  # (n,) a number to predict; y is of one class then

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


class Curve(Protocol):
    """Scores with the best 1, 2, … features, as sums over the rows of each fold."""

    @property
    def scores(self) -> Floats:
        """(K,)."""

    @property
    def gains(self) -> NDArray[Any]:
        """(V, K) what each fold adds to the scores, times the total."""

    @property
    def total(self) -> float:
        """By what the sum of the gains is divided."""

    @property
    def tie(self) -> float:
        """Scores that differ by less are equal but for rounding."""

    def without(self, v: int) -> Self:
        """The same of all folds but one."""

    def of_parts(self, found: NDArray[Any], part_of: Ints, a: int) -> Self:
        """The same of all parts but one, from what `judge_pairs` found without it."""

    def error(self, size: int) -> float:
        """Standard error of the score of some size."""


@dataclass(frozen=True)
class Judged:
    """Test rows that 1-NN gets right with the best 1, 2, … features."""

    hits: Ints  # (V, K)
    tested: Ints  # (V,) test rows of each fold
    n: int  # rows that count, also those which are never tested

    @property
    def scores(self) -> Floats:
        """Share of the rows that 1-NN gets right, (K,)."""
        return self.hits.sum(axis=0) / self.n

    @property
    def gains(self) -> Ints:
        """The hits."""
        return self.hits

    @property
    def total(self) -> float:
        """The rows."""
        return self.n

    @property
    def tie(self) -> float:
        """An accuracy is a whole number of n-ths: rounding shall not decide."""
        return 1e-9 / self.n

    def of_parts(self, found: Ints, part_of: Ints, a: int) -> Judged:
        """The same of all parts but one."""
        rest = np.flatnonzero(np.arange(PARTS) != a)
        sizes = np.bincount(part_of, self.tested, PARTS).astype(np.int64)
        return Judged(found[a, rest], sizes[rest], self.n - int(sizes[a]))

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


@dataclass(frozen=True)
class JudgedNumbers:
    """Squared deviations that k-NN regression explains with the best 1, 2, … features.

    With t = y − ȳ of a row and g = t² − (y − ŷ)², its gain, R² is Σg / Σt².
    """

    sums: Floats  # (V, 3, K) of g, g² and g t²
    squares: Floats  # (V, 2) sums of t² and t⁴

    @property
    def gains(self) -> Floats:
        """Sums of g."""
        return self.sums[:, 0]

    @property
    def total(self) -> float:
        """The sum of t²."""
        return float(self.squares[:, 0].sum())

    @property
    def scores(self) -> Floats:
        """R²; below 0 where the mean would have been the better guess."""
        return self.gains.sum(axis=0) / self.total

    @property
    def tie(self) -> float:
        """Sums of so many squares are not known to more digits."""
        return 1e-9

    def without(self, v: int) -> JudgedNumbers:
        """The same of all folds but one."""
        sums, squares = (np.delete(a, v, axis=0) for a in (self.sums, self.squares))
        return JudgedNumbers(sums, squares)

    def of_parts(self, found: Floats, part_of: Ints, a: int) -> JudgedNumbers:
        """The same of all parts but one."""
        rest = np.flatnonzero(np.arange(PARTS) != a)
        squares = np.zeros((PARTS, 2))
        np.add.at(squares, part_of, self.squares)
        return JudgedNumbers(found[a, rest], squares[rest])

    def error(self, size: int) -> float:
        """Standard error of R² at some size.

        That of a ratio of sums over the folds, and at least that of one over the rows.
        """
        R, total = float(self.scores[size - 1]), self.total
        _, gg, gt = self.sums[:, :, size - 1].sum(axis=0)
        by_rows = gg - 2 * R * gt + R**2 * self.squares[:, 1].sum()
        V = len(self.sums)
        by_folds = 0.0
        if V > 1:
            rest = self.gains[:, size - 1] - R * self.squares[:, 0]
            by_folds = V / (V - 1) * float(rest @ rest)
        return float(np.sqrt(max(by_rows, by_folds, 0.0)) / total)


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
    tested = np.array([len(test) for _, test in folds] or [n])
    nothing = [np.zeros(most, np.int64)]
    return [Judged(np.array(f or nothing), tested, n) for f in found]


def _sums(
    data: Data, space: Space, order: Ints, tests: Sequence[Ints], workers: Workers
) -> list[NDArray[Any]]:
    """Hits with the best 1, 2, … features in each of ``tests``; see `Judged`.

    For a numeric target, sums of the gains; see `JudgedNumbers`.
    """
    if data.target is None:
        return list(prefix_hits(space, order, tests, workers))
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
    similarity = similarity_of(data.X[train], data.nominal, data.y[train], workers)
    wanted = [t for t in thresholds if t is not None]
    thinned = iter(thin_by(order, similarity, wanted, most))
    return [order if t is None else next(thinned).order for t in thresholds]


def choose(curves: Sequence[Curve], size: int | None = None) -> tuple[int, int]:
    """Which curve, and how many features.

    Without a size, the smallest whose accuracy is within one standard error of the best
    of all curves. Then the more accurate curve, then the earlier.
    """
    scores = np.array([curve.scores for curve in curves])
    tie = curves[0].tie
    if size is not None:
        at = scores[:, size - 1]
        return int(np.argmax(at >= at.max() - tie)), size
    best = scores.max()
    t, k = np.argwhere(scores >= best - tie)[0]
    enough = scores >= best - curves[t].error(int(k) + 1) - tie
    size = int(np.argmax(enough.any(axis=0))) + 1
    at = np.where(enough[:, size - 1], scores[:, size - 1], -np.inf)
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
) -> list[NDArray[Any]]:
    """Hits in each part without that part and another one, (PARTS, PARTS, K) each.

    The first index is the other part: it has no part in ranking or judging.
    """
    most = min(most, data.X.shape[1])
    shape, kind = ((3, most), float) if data.target is not None else ((most,), int)
    hits = np.zeros((len(thresholds), PARTS, PARTS, *shape), kind)
    folds = [(p.train, np.concatenate([p.first, p.second])) for p in pairs]
    views = spaces(data.X, data.y, folds, data.scale, data.nominal)
    for pair, ranked, space in zip(pairs, orders, views, strict=True):
        thinned = _thinned(data, pair.train, ranked, thresholds, most, workers)
        for t, order in enumerate(thinned):
            tests = [pair.first, pair.second]
            found = _sums(data, space, order[:most], tests, workers)
            hits[t, pair.b, pair.a], hits[t, pair.a, pair.b] = found
    return list(hits)


def optimism(
    curves: Sequence[Curve], pairs: Sequence[NDArray[Any]] | None = None
) -> float:
    """How much too high the accuracy of the chosen size is, since it was chosen for it.

    Each fold is judged at the size, and on the curve, that others choose. By so much
    the accuracy at the size that all choose is higher than that; at least 0. The others
    are the other folds or, given the hits of `judge_pairs`, the parts that the fold is
    not in, ranked and judged without its rows. Two rows that are each other's nearest
    are both right or both wrong: without pairs, part of the optimism stays.
    """
    which, size = choose(curves)
    V = len(curves[0].gains)
    if V < 2:
        return 0.0
    part_of = np.repeat(
        np.arange(PARTS), [len(p) for p in np.array_split(np.arange(V), PARTS)]
    )
    gained = 0.0
    for v in range(V):
        others = [curve.without(v) for curve in curves]
        if pairs is not None:
            others = [
                curve.of_parts(found, part_of, int(part_of[v]))
                for curve, found in zip(curves, pairs, strict=True)
            ]
        t, k = choose(others)
        gained += float(curves[t].gains[v, k - 1])
    honest = gained / curves[0].total
    return max(0.0, float(curves[which].scores[size - 1]) - honest)
