"""What LMBA finds at each row: invaders, the edges of its gradient, and its loss."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit, tiny
from widemargin.kernels.ascent import rows_within_reach, weigh
from widemargin.kernels.distances import weighted_distance
from widemargin.kernels.records import TIE


@inner
def _limits(X, i, squares, targets, limits):
    """Squared distances up to which the targets are invaded; returns the reach."""
    farthest = 0.0
    for e in range(targets.counts[i]):
        r = weighted_distance(X, i, targets.ids[i, e], squares)
        limits[e] = targets.theta[i] + r * r
        farthest = max(farthest, limits[e])
    return np.sqrt(farthest) * (1 + TIE)


@tiny
def _is_active(limit, length):
    """Whether a hinge is: θ_i + d_ij ≥ d_ip, given both sides of it (equation 17)."""
    return limit >= length * (1 - TIE)


@tiny
def find_near(X, i, own, targets, under, room):
    """Put rows of other classes that may invade row i into the tails; how many.

    Their distances are put into the coefficients, and the limits of the targets are
    set. ``own`` is the range of the row's class, and ``under`` a `Weighting`.
    """
    _, tails, coefficients = room.edges
    reach = _limits(X, i, under.squares, targets, room.limits), False
    ranges, found = (0, X.shape[0], own[0], own[1]), (tails, coefficients)
    return rows_within_reach(X, i, ranges, under, reach, found)[0]


@inner
def hinge_edges(i, targets, c, count, room):
    """Turn rows that may invade, the tails, into edges of the gradient over 2w.

    Returns how many there are. An invader pushes for each target whose hinge it
    triggers, and each such hinge pulls its target.
    """
    heads, tails, coefficients = room.edges
    limits, pulls = room.limits, room.pulls
    k, kept, weight = targets.counts[i], 0, targets.weights[i]
    for e in range(k):
        pulls[e] = 1.0
    for p in range(count):
        hinges, r = 0, coefficients[p]
        for e in range(k):
            if _is_active(limits[e], r * r):
                hinges += 1
                pulls[e] += c
        if hinges:
            heads[kept], tails[kept] = i, tails[p]
            coefficients[kept] = -c * hinges * weight
            kept += 1
    for e in range(k):
        heads[kept], tails[kept] = i, targets.ids[i, e]
        coefficients[kept] = pulls[e] * weight
        kept += 1
    return kept


class Descent(NamedTuple):
    """How LMBA goes down."""

    c: float  # weight of the hinges
    tested: np.ndarray  # (d,) weights under which a hinge is tested, w itself or 1
    batch: int  # rows that share one step


@jit
def lmba_losses(table, targets, screen, w, first, last, c, losses, room):
    """losses[i] = weighted loss of row i under w, for i = first … last−1."""
    X, labels, starts = table[0], table[1].labels, table[1].starts
    limits, lengths = room.limits, room.edges.coefficients
    under = weigh(w, screen, room.squares, room.weights)
    for i in range(first, last):
        losses[i] = 0.0
        if targets.counts[i] == 0:
            continue
        own = starts[labels[i]], starts[labels[i] + 1]
        count = find_near(X, i, own, targets, under, room)
        for e in range(targets.counts[i]):
            losses[i] += limits[e] - targets.theta[i]
            for p in range(count):
                losses[i] += c * max(limits[e] - lengths[p] ** 2, 0.0)
        losses[i] *= targets.weights[i]
