"""What ascents of a margin do at each row that they visit.

Their steps are in the files of the algorithms, which are made of these pieces.
"""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import by_type, inner, jit, tiny
from widemargin.kernels.constants import LINEAR
from widemargin.kernels.distances import weighted_distance
from widemargin.kernels.mixed import (
    add_extra_differences,
    add_mixed_differences,
    is_plain,
    numbers_of,
)
from widemargin.kernels.records import Edges
from widemargin.kernels.weighted_search import nearest_of_ties, rows_within_reach


class VisitRoom(NamedTuple):
    """Room for visits of rows."""

    found: tuple  # (n,) rows that are near, and (n,) their distances
    delta: np.ndarray  # (d,) Σ Δ_f / w_f over the rows of a batch
    squares: np.ndarray  # (d,) of a `Weighting`, as the next
    weights: np.ndarray  # (D,) float32
    r: np.ndarray  # (1, 2) distances to a hit and a miss under w
    c: np.ndarray  # (1, 2) what their squared differences count

    @classmethod
    def of(cls, w, n, width):
        """Room for n rows and a screen of ``width`` columns; not compiled."""
        found = np.empty(n, np.int64), np.empty(n)
        delta, squares = np.zeros((2, w.size))
        weights = np.zeros(width, np.float32)
        return cls(found, delta, squares, weights, *np.empty((2, 1, 2)))


@inner
def nearest_from(table, i, seed, ranges, under, found):
    """The row of some ranges that is nearest to row i, and its distance.

    ``ranges`` and ``under`` are as in `rows_within_reach`, and ``seed`` is one of the
    rows: a good guess makes the search short. The rank, the last part of the table,
    decides ties.
    """
    X, _, rank = table
    reach = weighted_distance(X, i, seed, under.squares), True
    count, best = rows_within_reach(X, i, ranges, under, reach, found)
    return nearest_of_ties(count, best, rank, found)


@tiny
def slope(utility, theta):
    """Derivative u'(θ) of the utility at a margin."""
    if utility.kind == LINEAR:
        return 1.0
    u = 1 / (1 + np.exp(-utility.beta * theta))
    return utility.beta * u * (1 - u)


@jit
def move(w, delta, count):
    """w_f += Δ_f, the mean over a batch of ``count`` rows, given Σ Δ_f / w_f.

    Then that sum begins anew, with 0.
    """
    for f in range(w.size):
        w[f] += delta[f] / count * w[f]
        delta[f] = 0.0


def add_hit_and_miss(X, i, ends, c, delta):
    """delta[f] += Σ c[e] · (x_i − x_ends[e])_f², for two rows, the hit and the miss."""


def _plain_hit_and_miss(X, i, ends, c, delta):
    hit, miss = ends
    pull, push = c
    for f in range(delta.size):
        a, b = X[i, f] - X[hit, f], X[i, f] - X[miss, f]
        delta[f] += push * b * b + pull * a * a


def _mixed_hit_and_miss(X, i, ends, c, delta):
    add_hit_and_miss(X.X, i, ends, c, delta)
    edges = Edges(np.array([i, i]), np.array(ends), np.array(c))
    add_mixed_differences(X, edges, 2, 0, 2, delta)


@by_type(add_hit_and_miss)
def _choose_hit_and_miss(X, i, ends, c, delta):
    return _plain_hit_and_miss if is_plain(X) else _mixed_hit_and_miss


@inner
def add_sided(X, i, j, c, side, delta):
    """delta[f] += c · (x_j − x_i)_f².

    With a side, 1 or −1, only where x_j − x_i has its sign.
    """
    Z = numbers_of(X)
    for f in range(delta.size):
        t = Z[j, f] - Z[i, f]
        if side * t >= 0.0:
            delta[f] += c * t * t
    if side == 0:
        add_extra_differences(X, i, j, c, 2, delta)
