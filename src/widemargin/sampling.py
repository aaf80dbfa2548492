"""Scores from a sample of the rows, with intervals that say when to stop.

A score of the Relief family is a mean over the rows: row i contributes a vector v_i
that depends on the whole table (its neighbours, its scaling, the class priors) but not
on which other rows are visited. Rows visited in a random order are therefore a sample
without replacement from n fixed vectors, and after T of them, with mean m and standard
deviation s per feature, the score lies within

    h² = t² s² (1 − T/n) / T + (K R / n)²,   K = ln(2/δ) / −ln(1 − T/n),

of m with probability 1 − δ. The first term is the central limit theorem for finite
populations, t the quantile 1 − δ/2 of Student's distribution with T − 1 degrees of
freedom. The second is for what s cannot know: more than K rows would hardly all have
stayed unseen, since the odds of missing K given rows are at most (1 − T/n)^K, and none
of them is farther from m than R. It vanishes like 1/T, and without it a feature that is
the same in nearly all rows would look as if it were known exactly.

The intervals of all d features hold together, at every look at them: the l-th look
spends δ = α / (l (l + 1) d), and these sum to α. When all rows are visited only
rounding is left: a sum of n terms up to R may be off by n ε R, so that h = n ε R.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from widemargin.engine import Neighbors
from widemargin.progress import Advance
from widemargin.protocol import AnyTable, Floats, Ints
from widemargin.threads import spans

FEWEST, MOST = 64, 1024  # rows in a batch
SHARE = 8  # batches that a small table is cut into
GROWTH = 1.5  # rows visited at one look over those at the look before
TOL = 0.0025  # half-width that is narrow enough, in ranges of the feature


@dataclass(frozen=True)
class Estimate:
    """Scores as far as they are known."""

    scores: Floats  # (d,)
    half_width: Floats  # (d,) of the simultaneous confidence intervals
    n_samples: int  # rows visited

    @property
    def interval(self) -> Floats:
        """(d, 2): lower and upper ends."""
        low, high = self.scores - self.half_width, self.scores + self.half_width
        return np.column_stack([low, high])

    def separates(self, top: NDArray[np.bool_], rest: NDArray[np.bool_]) -> bool:
        """Whether all of the top surely lie above all of the rest."""
        low, high = self.interval.T
        return bool(np.min(low[top]) > np.max(high[rest]))

    def clear_of(self, threshold: float) -> bool:
        """Whether every feature is surely above the threshold, or surely not."""
        low, high = self.interval.T
        return bool(np.all((low > threshold) | (high <= threshold)))


class Moments:
    """Mean and sum of squared deviations of the rows seen so far, per feature."""

    def __init__(self, d: int) -> None:
        self.count = 0
        self.mean = np.zeros(d)
        self.squares = np.zeros(d)

    def add(self, V: Floats) -> None:
        """See more rows; the update of Chan, Golub and LeVeque is stable."""
        mean = V.mean(axis=0)
        squares = np.square(V - mean).sum(axis=0)
        total = self.count + len(V)
        step = mean - self.mean
        self.squares += squares + step**2 * (self.count * len(V) / total)
        self.mean += step * (len(V) / total)
        self.count = total

    def half_width(self, n: int, reach: Floats, delta: float) -> Floats:
        """Half-width that the mean of n rows keeps to with probability 1 − delta.

        ``reach`` bounds the absolute contribution of any row.
        """
        T = self.count
        if n == T:  # exact but for rounding, which depends on the order of the rows
            return n * np.finfo(np.float64).eps * reach
        t = stdtrit(T - 1, 1 - delta / 2)
        of_mean = t**2 * self.squares / (T - 1) * (1 - T / n) / T
        unseen = math.log(2 / delta) / -math.log1p(-T / n) / n
        return np.sqrt(of_mean + (unseen * (reach + np.abs(self.mean))) ** 2)


def batch_size(n: int) -> int:
    """Rows visited between two chances to look."""
    return int(np.clip(n // SHARE, FEWEST, MOST))


def estimate(
    contributions: Iterable[Floats],
    n: int,
    reach: Floats,
    *,
    confidence: float,
    enough: Callable[[Estimate], bool],
    advance: Advance,
) -> Estimate:
    """Visit rows until what is known is enough, or until all are visited.

    Parameters
    ----------
    contributions : iterable of arrays of shape (m, d)
        v_i of the rows in random order, computed when asked for.
    n : int
        Rows that there are.
    reach : array of shape (d,)
        Bound on |v_i|; 0 for a feature whose score is known to be 0.
    confidence : float
        Probability that all intervals of all looks hold.
    enough : function of an Estimate
        Says whether to stop.
    advance : function
        Told the rows visited and the widest half-width.
    """
    moments, look, due = Moments(len(reach)), 0, batch_size(n)
    unknown = max(1, int(np.count_nonzero(reach)))
    known = Estimate(moments.mean, np.full(len(reach), np.inf), 0)
    for V in contributions:
        moments.add(V)
        T = moments.count
        if min(due, n) <= T:
            look, due = look + 1, math.ceil(GROWTH * T)
            delta = (1 - confidence) / (look * (look + 1) * unknown)
            half_width = moments.half_width(n, reach, delta)
            known = Estimate(moments.mean.copy(), half_width, T)
        advance(len(V), f"widest half-width {known.half_width.max():.2g}")
        if known.n_samples == T and enough(known):
            break
    return known


def query_parts(table: AnyTable, block: Neighbors) -> Iterator[tuple[Ints, Ints]]:
    """Queries of a block, some at a time, and where the edges of each begin.

    As many as have sums of moderate size: `group_sums` gives d of them per query.
    """
    offsets = block.offsets[:: block.n_slots]
    for part in spans(len(block.queries), max(1, 2**22 // table.n_features)):
        yield block.queries[part], offsets[part.start : part.stop + 1]
