"""Relief for a numeric target: a neighbour is a hit to the degree that y agrees.

`ReliefSums` has the scores of all samples; `Quotients` estimates them from some.

Reference
---------
M. Robnik-Šikonja, I. Kononenko, *Theoretical and empirical analysis of ReliefF and
RReliefF*, Machine Learning 53, 2003, Figure 4.
"""

from __future__ import annotations

import numpy as np

from widemargin.base.sampling import half_width, rounding
from widemargin.data.protocol import AnyTable, Floats
from widemargin.engine import Edges, edge_sums
from widemargin.kernels.records import TIE
from widemargin.threads import Workers


def unit_target(table: AnyTable) -> Floats:
    """The target over its range, so that differences are at most 1."""
    assert table.target is not None
    return table.target / np.ptp(table.target)


class ReliefSums:
    """N_C, N_A and N_AC of the paper, gathered some samples at a time."""

    def __init__(self, table: AnyTable) -> None:
        d = table.n_features
        self.table = table
        self.y = unit_target(table)
        self.N_C = 0.0
        self.N_A, self.N_AC = np.zeros(d), np.zeros(d)
        self.m = 0  # samples that have neighbours

    def add(self, edges: Edges, workers: Workers) -> None:
        """Add samples (heads) whose neighbours count p; that sums to 1 for each."""
        heads, tails, p = edges
        dy = np.abs(self.y[heads] - self.y[tails])
        self.m += len(np.unique(heads))
        self.N_C += float((dy * p).sum())
        self.N_A += edge_sums(self.table, edges, workers=workers)
        both = Edges(heads, tails, dy * p)
        self.N_AC += edge_sums(self.table, both, workers=workers)

    def scores(self) -> Floats:
        """The estimates of all features."""
        return score_of(self.N_C, self.N_A, self.N_AC, self.m)


def score_of(N_C: float, N_A: Floats, N_AC: Floats, m: int) -> Floats:
    """W = N_AC / N_C − (N_A − N_AC) / (m − N_C); a term over 0 says nothing."""
    W = np.zeros(len(N_A))
    if N_C > 0:
        W += N_AC / N_C
    if m - N_C > TIE * m:
        W -= (N_A - N_AC) / (m - N_C)
    return W


class Quotients:
    """`widemargin.base.sampling.Evidence` for scores of the form of `score_of`.

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
