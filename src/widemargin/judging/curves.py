"""Scores with the best 1, 2, … features, and the number of features they choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from widemargin.data.protocol import Floats, Ints

PARTS = 5  # of the rows, two of which are left out for an honest choice of the size


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
    """Test rows that 1-NN gets right with the best 1, 2, … features.

    A row counts its weight, which is 1 for the accuracy, and on average.
    """

    hits: Floats  # (V, K)
    tested: Floats  # (V,) test rows of each fold
    n: float  # rows that count, also those which are never tested
    spread: float = 1.0  # mean of the squared weights

    @property
    def scores(self) -> Floats:
        """Share of the rows that 1-NN gets right, (K,)."""
        return self.hits.sum(axis=0) / self.n

    @property
    def gains(self) -> Floats:
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

    def of_parts(self, found: Floats, part_of: Ints, a: int) -> Judged:
        """The same of all parts but one."""
        rest = np.flatnonzero(np.arange(PARTS) != a)
        sizes = np.bincount(part_of, self.tested, PARTS).astype(np.float64)
        return replace(
            self, hits=found[a, rest], tested=sizes[rest], n=self.n - float(sizes[a])
        )

    def without(self, v: int) -> Judged:
        """The same of all folds but one."""
        hits, tested = (np.delete(a, v, axis=0) for a in (self.hits, self.tested))
        return replace(self, hits=hits, tested=tested, n=self.n - self.tested[v])

    def error(self, size: int) -> float:
        """Standard error of the score of some size.

        That of the mean over the folds, and at least that of a share of n rows.
        """
        p = min(float(self.scores[size - 1]), 1.0)  # but for rounding
        binomial = np.sqrt(p * (1 - p) * self.spread / self.n)
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


def excess(curve: Curve, size: int, sizes: Sequence[int | None]) -> float:
    """How much the score of a size exceeds that of each fold at a size of its own."""
    V = len(curve.gains)
    own = [size if k is None else k for k in sizes]
    honest = sum(float(curve.gains[v, own[v] - 1]) for v in range(V)) / curve.total
    return max(0.0, float(curve.scores[size - 1]) - honest)
