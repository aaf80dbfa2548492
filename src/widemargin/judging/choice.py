"""Which configuration to keep, how sure its score is, and what the choice adds to it.

Three questions with one answer each, for ``n_features_to_select="auto"`` as for
`AutoSelector`, curves and comparisons:

- `choose` is the one-standard-error rule;
- `fold_variance` is the squared standard error of a mean over folds;
- `scores_without` scores each fold with what is chosen without it: the mean of that
  is not too high for having been chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.data.protocol import Floats, Ints

PARTS = 5  # of the rows, two of which are left out for an honest choice of the size
TIE = 1e-9  # scores this close are equal


def choose(
    scores: Floats,
    errors: Floats,
    sizes: Ints,
    tie: float = 0.0,
) -> int:
    """Apply the one-standard-error rule to Q configurations.

    All that score within one standard error of the best count as equally good. Of
    these, the smallest is chosen, then the one with the higher score, then the earlier.
    If all have the same size there is nothing to save by a lower score, and the best is
    chosen.

    Parameters
    ----------
    scores : array of shape (Q,)
    errors : array of shape (Q,)
        Standard errors of the scores.
    sizes : array of shape (Q,)
        Numbers of features.
    tie : float
        Best scores that differ by less are equal but for rounding.
    """
    best = np.argmax(scores >= scores.max() - tie)
    allowed = float(errors[best]) if np.ptp(sizes) else 0.0
    close = scores >= scores.max() - allowed - TIE
    close &= sizes == sizes[close].min()
    return int(np.argmax(close & (scores >= scores[close].max() - tie)))


def fold_variance(scores: Floats, repeat: Ints) -> Floats:
    """Squared standard errors of mean scores over folds, (V, …) → (…).

    Those of the folds of one repeat: repeats test the same rows again, and do not tell
    how other rows would fare. If no repeat has two folds, as with random splits, all
    folds count as one repeat, which makes the errors too small. 0 for a single fold.
    """
    if len(np.unique(repeat)) == len(repeat):
        repeat = np.zeros(len(repeat), np.int64)
    parts = [scores[repeat == r] for r in np.unique(repeat)]
    spreads = [part.var(axis=0, ddof=1) / len(part) for part in parts if len(part) > 1]
    return np.mean(spreads, axis=0) if spreads else np.zeros(scores.shape[1:])


def scores_without(gains: NDArray[Any], pick: Callable[[int], int]) -> list[float]:
    """What each fold v scores with configuration ``pick(v)``, chosen without it."""
    return [float(gains[v, pick(v)]) for v in range(len(gains))]


@dataclass(frozen=True)
class AccuracyCurve:
    """Test rows that 1-NN gets right with the best 1, 2, … features, by fold.

    A row counts its weight, which is 1 for the accuracy, and on average.
    """

    hits: Floats  # (V, K)
    tested: Floats  # (V,) test rows of each fold
    n: float  # rows that count, also those which are never tested
    spread: float = 1.0  # mean of the squared weights

    @property
    def gains(self) -> Floats:
        """What each fold adds to the scores, times the total, (V, K)."""
        return self.hits

    @property
    def total(self) -> float:
        """By what the sum of the gains is divided."""
        return self.n

    @property
    def scores(self) -> Floats:
        """Share of the rows that 1-NN gets right, (K,)."""
        return self.hits.sum(axis=0) / self.n

    @property
    def tie(self) -> float:
        """An accuracy is a whole number of n-ths: rounding shall not decide."""
        return 1e-9 / self.n

    @property
    def errors(self) -> Floats:
        """Standard errors of the scores, (K,).

        Those of the mean over the folds, and at least those of shares of n rows.
        """
        p = np.minimum(self.scores, 1.0)  # but for rounding
        folds = self.hits / self.tested[:, None]
        by_folds = fold_variance(folds, np.zeros(len(folds), np.int64))
        return np.sqrt(np.maximum(p * (1 - p) * self.spread / self.n, by_folds))

    def without(
        self, part_of: Ints, a: int, sums: NDArray[Any] | None = None
    ) -> AccuracyCurve:
        """The curve of all parts of the folds but one.

        Parameters
        ----------
        part_of : array of shape (V,)
            The part that each fold belongs to.
        a : int
            The part to leave out.
        sums : array of shape (parts, K), optional
            The hits in each part, measured without part a; None takes those of the
            folds, each of which is a part of its own then.
        """
        sizes = np.bincount(part_of, self.tested)
        rest = np.arange(len(sizes)) != a
        hits = (self.hits if sums is None else sums)[rest]
        return replace(self, hits=hits, tested=sizes[rest], n=self.n - float(sizes[a]))


@dataclass(frozen=True)
class R2Curve:
    """Squared deviations that k-NN regression explains with the best 1, 2, … features.

    With t = y − ȳ of a row and g = t² − (y − ŷ)², its gain, R² is Σg / Σt².
    """

    sums: Floats  # (V, 3, K) of g, g² and g t²
    squares: Floats  # (V, 2) sums of t² and t⁴
    tie: float = 1e-9  # sums of that many squares have no more digits

    @property
    def gains(self) -> Floats:
        """Sums of g, (V, K)."""
        return self.sums[:, 0]

    @property
    def total(self) -> float:
        """The sum of t²."""
        return float(self.squares[:, 0].sum())

    @property
    def scores(self) -> Floats:
        """R², (K,); below 0 where the mean would have been the better guess."""
        return self.gains.sum(axis=0) / self.total

    @property
    def errors(self) -> Floats:
        """Standard errors of the scores, (K,).

        Those of a ratio of sums over the folds, and at least those over the rows.
        """
        R, V = self.scores, len(self.sums)
        _, gg, gt = self.sums.sum(axis=0)
        by_rows = gg - 2 * R * gt + R**2 * self.squares[:, 1].sum()
        rest = self.gains - R * self.squares[:, [0]]
        by_folds = V / (V - 1) * np.square(rest).sum(axis=0) if V > 1 else 0.0
        return np.sqrt(np.maximum(np.maximum(by_rows, by_folds), 0.0)) / self.total

    def without(
        self, part_of: Ints, a: int, sums: NDArray[Any] | None = None
    ) -> R2Curve:
        """The curve of all parts but one; see `AccuracyCurve.without`."""
        squares = np.zeros((part_of.max() + 1, 2))
        np.add.at(squares, part_of, self.squares)
        rest = np.arange(len(squares)) != a
        return R2Curve((self.sums if sums is None else sums)[rest], squares[rest])


Curve = AccuracyCurve | R2Curve


def choose_on(curves: Sequence[Curve], size: int | None = None) -> tuple[int, int]:
    """Which curve, and how many features: `choose` of all, or among those of a size."""
    scores, errors = (
        np.array([getattr(curve, name) for curve in curves])
        for name in ("scores", "errors")
    )
    sizes = np.broadcast_to(np.arange(1, scores.shape[1] + 1), scores.shape)
    some = np.ones(sizes.shape, np.bool_) if size is None else sizes == size
    q = choose(scores[some], errors[some], sizes[some], tie=curves[0].tie)
    t, k = np.argwhere(some)[q]
    return int(t), int(k) + 1


def optimism(curves: Sequence[Curve], pairs: NDArray[Any] | None = None) -> float:
    """How much too high the accuracy of the chosen size is, since it was chosen for it.

    The chosen accuracy minus that of the folds, each at the size and on the curve that
    others choose; at least 0. The others are the other folds or, given ``pairs``, the
    parts that the fold is not in, ranked and scored without its rows. Two rows that are
    each other's nearest are both right or both wrong: without pairs, part of the
    optimism stays.
    """
    gains = np.stack([curve.gains for curve in curves], axis=1)  # (V, T, K)
    V, _, K = gains.shape
    if V < 2:
        return 0.0
    part_of = np.arange(V)
    if pairs is not None:
        sizes = [len(part) for part in np.array_split(part_of, PARTS)]
        part_of = np.repeat(np.arange(PARTS), sizes)

    def pick(v: int) -> int:
        a = int(part_of[v])
        t, k = choose_on(
            [
                curve.without(part_of, a, None if pairs is None else pairs[i, a])
                for i, curve in enumerate(curves)
            ]
        )
        return t * K + k - 1

    which, size = choose_on(curves)
    honest = sum(scores_without(gains.reshape(V, -1), pick)) / curves[0].total
    return max(0.0, float(curves[which].scores[size - 1]) - honest)


def excess(curve: Curve, size: int, sizes: Sequence[int | None]) -> float:
    """How much the score of a size exceeds that of each fold at a size of its own."""
    own = [size if k is None else k for k in sizes]
    honest = sum(scores_without(curve.gains, lambda v: own[v] - 1)) / curve.total
    return max(0.0, float(curve.scores[size - 1]) - honest)
