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

Scores of numeric targets are not means, but quotients of means:
`Quotients` has their intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from widemargin.base.scores import score_of
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.engine import Neighbors
from widemargin.kernels.records import TIE
from widemargin.progress import Advance
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


def half_width(
    squares: Floats, farthest: Floats, T: int, n: int, delta: float
) -> Floats:
    """Half-width that the mean of n rows keeps to with probability 1 − delta.

    Parameters
    ----------
    squares : array
        Sums of squared deviations of the T < n rows seen from their mean.
    farthest : array
        Bound on the distance of any row from that mean.
    T, n : int
    delta : float
    """
    t = stdtrit(T - 1, 1 - delta / 2)
    of_mean = t**2 * squares / (T - 1) * (1 - T / n) / T
    unseen = math.log(2 / delta) / -math.log1p(-T / n) / n
    return np.sqrt(of_mean + (unseen * farthest) ** 2)


def rounding(n: int) -> float:
    """How far off a mean of n numbers up to 1 may be; that depends on their order."""
    return n * float(np.finfo(np.float64).eps)


class Means:
    """What the rows visited say about scores that are means of contributions.

    Parameters
    ----------
    reach : array of shape (d,)
        Bound on the absolute contribution of any row, per feature; 0 for a feature
        whose score is known to be 0.
    """

    def __init__(self, reach: Floats) -> None:
        self.reach, self.count = reach, 0
        self.mean = np.zeros(len(reach))
        self.squares = np.zeros(len(reach))  # summed, of deviations from the mean

    def add(self, V: Floats) -> None:
        """Visit more rows, given their contributions, (m, d).

        The update of Chan, Golub and LeVeque is stable.
        """
        mean = V.mean(axis=0)
        squares = np.square(V - mean).sum(axis=0)
        total = self.count + len(V)
        step = mean - self.mean
        self.squares += squares + step**2 * (self.count * len(V) / total)
        self.mean += step * (len(V) / total)
        self.count = total

    def scores(self) -> Floats:
        """The means."""
        return self.mean.copy()

    def half_widths(self, n: int, alpha: float) -> Floats:
        """Half-widths that hold together with probability 1 − alpha; n rows in all."""
        if n == self.count:
            return rounding(n) * self.reach
        unknown = max(1, int(np.count_nonzero(self.reach)))
        farthest = self.reach + np.abs(self.mean)
        return half_width(self.squares, farthest, self.count, n, alpha / unknown)


class Quotients:
    """What the rows visited say about scores of the form of `score_of`, as `Means`.

    Sample i contributes c_i = Σ_j diff(y) p, a_i = Σ_j diff(f) p and
    b_i = Σ_j diff(y) diff(f) p. With c, a, b their means over all samples, and hats
    over those visited, the score is W = θ − φ, with θ = b/c and φ = (a − b)/(1 − c).
    Let

        u_i = (b_i − θ̂ c_i) / ĉ,    v_i = (a_i − b_i − φ̂ (1 − c_i)) / (1 − ĉ),

    which are 0 in the mean over the visited samples, and U and V their means over all.
    Then, exactly, θ − θ̂ = U ĉ/c and φ − φ̂ = V (1 − ĉ)/(1 − c), so that

        W − Ŵ = (U − V) + U (ĉ − c)/c + V (ĉ − c)/(1 − c).

    U − V, U, V and c are means over all samples, each with an interval as in
    `widemargin.base.sampling`. If these hold,

        |W − Ŵ| ≤ h_{U−V} + h_U h_c / (ĉ − h_c) + h_V h_c / (1 − ĉ − h_c).

    The last two terms vanish like 1/T. Since diff(f) is at most the range R of the
    feature, 0 ≤ b_i ≤ R c_i and 0 ≤ a_i − b_i ≤ R (1 − c_i); hence |u_i| ≤ R c_i/ĉ and
    |v_i| ≤ R (1 − c_i)/(1 − ĉ), which bound what has not been seen.

    Parameters
    ----------
    ranges : array of shape (d,)
        R; 0 for a constant feature.
    """

    def __init__(self, ranges: Floats) -> None:
        d = len(ranges)
        self.ranges, self.count = ranges, 0
        self.mean = np.zeros((3, d))  # of a, b and c
        self.products = np.zeros((3, 3, d))  # summed, of their deviations

    def add(self, V: Floats) -> None:
        """Visit more samples; V is (m, 2 d + 1): a and b of all features, and c."""
        m, d = len(V), len(self.ranges)
        parts = np.empty((m, 3, d))
        parts[:, 0], parts[:, 1], parts[:, 2] = V[:, :d], V[:, d:-1], V[:, -1:]
        mean = parts.mean(axis=0)
        parts -= mean
        total, step = self.count + m, mean - self.mean
        self.products += np.einsum("mif,mjf->ijf", parts, parts)
        self.products += step[:, None] * step * (self.count * m / total)
        self.mean += step * (m / total)
        self.count = total

    def scores(self) -> Floats:
        """The estimates Ŵ."""
        a, b, c = self.mean
        return score_of(float(c[0]), a, b, 1)

    def half_widths(self, n: int, alpha: float) -> Floats:
        """Half-widths that hold together with probability 1 − alpha; n rows in all."""
        R, T, (a, b, cs) = self.ranges, self.count, self.mean
        c = float(cs[0])
        if n == T:
            # A term whose divisor is 0 is left out of the score.
            return rounding(n) * R / min(t for t in (c, 1 - c, 1.0) if t > TIE)
        delta = alpha / (3 * max(1, int(np.count_nonzero(R))) + 1)
        h_c = self._half_width(np.array([[0.0], [0.0], [1.0]]), max(c, 1 - c), n, delta)
        if np.all(h_c < min(c, 1 - c)):
            zero, one = np.zeros_like(a), np.ones_like(a)
            u = np.stack([zero, one, -b / c]) / c
            v = np.stack([one, -one, (a - b) / (1 - c)]) / (1 - c)
            h_U = self._half_width(u, R / c, n, delta)
            h_V = self._half_width(v, R / (1 - c), n, delta)
            h = self._half_width(u - v, R / min(c, 1 - c), n, delta)
            return h + h_c * (h_U / (c - h_c) + h_V / (1 - c - h_c))
        return np.where(R > 0, np.inf, 0.0)

    def _half_width(
        self, g: Floats, farthest: Floats | float, n: int, delta: float
    ) -> Floats:
        """Of the mean of g · (a_i, b_i, c_i) over all samples."""
        g = np.broadcast_to(g, self.mean.shape)
        squares = np.einsum("if,ijf,jf->f", g, self.products, g)
        return half_width(
            np.maximum(squares, 0.0), np.asarray(farthest), self.count, n, delta
        )


def batch_size(n: int) -> int:
    """Rows visited between two chances to look."""
    return int(np.clip(n // SHARE, FEWEST, MOST))


def estimate(
    contributions: Iterable[Floats],
    n: int,
    evidence: Means | Quotients,
    *,
    confidence: float,
    enough: Callable[[Estimate], bool],
    advance: Advance,
) -> Estimate:
    """Visit rows until what is known is enough, or until all are visited.

    Parameters
    ----------
    contributions : iterable of arrays
        Those of the rows in random order, some rows at a time, computed when asked for.
    n : int
        Rows that there are.
    evidence : Means or Quotients
        Takes the contributions, and knows scores and intervals.
    confidence : float
        Probability that all intervals of all looks hold.
    enough : function of an Estimate
        Says whether to stop.
    advance : function
        Told the rows visited and the widest half-width.
    """
    look, due, known = 0, batch_size(n), None
    for V in contributions:
        evidence.add(V)
        T = evidence.count
        if min(due, n) <= T:
            look, due = look + 1, math.ceil(GROWTH * T)
            alpha = (1 - confidence) / (look * (look + 1))
            known = Estimate(evidence.scores(), evidence.half_widths(n, alpha), T)
        widest = math.inf if known is None else known.half_width.max()
        advance(len(V), f"widest half-width {widest:.2g}")
        if known is not None and known.n_samples == T and enough(known):
            break
    assert known is not None  # the last look is at all rows
    return known


def query_parts(table: AnyTable, block: Neighbors) -> Iterator[tuple[Ints, Ints]]:
    """Queries of a block, some at a time, and where the edges of each begin.

    As many as have sums of moderate size: `group_sums` gives d of them per query.
    """
    offsets = block.offsets[:: block.n_slots]
    for part in spans(len(block.queries), max(1, 2**22 // table.n_features)):
        yield block.queries[part], offsets[part.start : part.stop + 1]
