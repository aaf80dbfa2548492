"""LMBA's visits and losses."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.cells import (
    PARTS,
    ROUNDED,
    SIDE,
    coarse_weights,
    round_query,
    rows_that_may_invade,
)
from widemargin.kernels.choose import greater, lesser
from widemargin.kernels.constants import TIE
from widemargin.kernels.distances import weighted_distance
from widemargin.kernels.reach import rows_within_reach, screen_cut, screen_weights
from widemargin.kernels.records import Edges
from widemargin.kernels.sums import add_four_edges
from widemargin.kernels.team import copy_into, fill, meet


class Targets(NamedTuple):
    """What LMBA fixes in the original space."""

    ids: np.ndarray  # (n, k) target neighbours
    counts: np.ndarray  # (n,) how many there are
    theta: np.ndarray  # (n,) margins


class DescentRoom(NamedTuple):
    """Room for the work of one thread."""

    edges: Edges  # from a row to others
    limits: np.ndarray  # (k,) squared distances up to which targets are invaded
    pulls: np.ndarray  # (k,)
    w: np.ndarray  # (d,) as this thread knows it
    squares: np.ndarray  # (d,)
    gradient: np.ndarray  # (d,)
    weights: np.ndarray  # (D,) float32, of the columns of the cells
    query: np.ndarray  # (D,) float32
    keys: np.ndarray  # (SIDE,) float32

    @classmethod
    def of(cls, w, n, k, width):
        """Room for n rows, k targets and ``width`` columns of cells, not compiled."""
        most = n + k + 3  # edges, filled up to a multiple of four
        edges = Edges(*np.empty((2, most), np.int64), np.empty(most))
        limits, pulls = np.empty((2, k))
        squares, gradient = np.ones((2, w.size))
        weights, query = np.zeros((2, width), np.float32)
        keys = np.empty(SIDE, np.float32)
        own = w.copy(), squares, gradient
        return cls(edges, limits, pulls, *own, weights, query, keys)


@inner
def _limits(X, i, squares, targets, limits):
    """Squared distances up to which the targets are invaded; returns the reach."""
    farthest = 0.0
    for e in range(targets.counts[i]):
        r = weighted_distance(X, i, targets.ids[i, e], squares)
        limits[e] = targets.theta[i] + r * r
        farthest = greater(farthest, limits[e])
    return np.sqrt(farthest) * (1 + TIE)


@inner
def _measure(X, i, ids, count, squares, lengths):
    """lengths[p] = squared distance of rows i and ids[p] under the squared weights."""
    for p in range(0, count, 4):
        # Four at a time; behind the last one, that one again.
        q, r, s = (
            lesser(p + 1, count - 1),
            lesser(p + 2, count - 1),
            lesser(p + 3, count - 1),
        )
        i1, i2 = ids[p], ids[q]
        i3, i4 = ids[r], ids[s]
        a = b = c = d = 0.0
        for f in range(np.uint64(squares.size)):
            x, weight = X[i, f], squares[f]
            t, u = x - X[i1, f], x - X[i2, f]
            v, w = x - X[i3, f], x - X[i4, f]
            a += weight * t * t
            b += weight * u * u
            c += weight * v * v
            d += weight * w * w
        lengths[p], lengths[q] = a, b
        lengths[r], lengths[s] = c, d


@inner
def _hinge_edges(X, i, squares, targets, pull, count, edges, limits, pulls):
    """Turn rows that may invade, the tails, into edges of the gradient over 2w.

    Returns how many there are, filled up to a multiple of four. An invader pushes for
    each target whose hinge it triggers, and each such hinge pulls its target.
    """
    heads, tails, coefficients = edges.heads, edges.tails, edges.coefficients
    k, kept, lengths = targets.counts[i], 0, coefficients
    first, c = pull
    for e in range(k):
        pulls[e] = 0.0
    _measure(X, i, tails, count, squares, lengths)
    for p in range(count):
        hinges = 0
        for e in range(k):
            if limits[e] >= lengths[p] * (1 - TIE):
                hinges += 1
                pulls[e] += c
        if hinges:
            tails[kept], coefficients[kept] = tails[p], -c * hinges
            kept += 1
    for e in range(k):
        tails[kept + e], coefficients[kept + e] = targets.ids[i, e], first + pulls[e]
    count = kept + k + -(kept + k) % 4
    for e in range(kept + k, count):
        tails[e], coefficients[e] = i, 0.0
    for e in range(count):
        heads[e] = i
    return count


class Descent(NamedTuple):
    """How LMBA goes down."""

    c: float  # weight of the hinges
    weighted: bool  # whether a hinge is tested under the current weights
    batch: int  # rows that share one step


@jit
def lmba_visits(table, targets, coarse, w, visits, steps, descent, team, room):
    """Visit rows in turn; after each batch, move w against the gradient of its loss.

    ``table`` holds the rows and their layout; steps[b] is the length of step b. Each
    of the team searches some groups of rows for invaders and adds up their part of
    the gradient, and then makes the step from all parts for itself. They share an
    array of shape (2, PARTS, d): the parts of this step and of the last.
    """
    X, labels, starts = table[0], table[1].labels, table[1].starts
    me, board, shares = team.me, team.board, team.shares
    edges, limits, pulls = room.edges, room.limits, room.pulls
    own_w, squares, gradient = room.w, room.squares, room.gradient
    weights, query, keys = room.weights, room.query, room.keys
    d, two, scale, batch = np.uint64(w.size), np.int64(2), 0.0, descent.batch
    for t in range(visits.size):
        i, step = visits[t], t // batch
        if t % batch == 0:
            for f in range(d if descent.weighted else np.uint64(0)):
                squares[f] = own_w[f] * own_w[f]
            if t == 0 or descent.weighted:
                scale = coarse_weights(squares, coarse, gradient, weights)
            for part in range(me, PARTS, board.shape[0]):
                fill(shares[step % 2, part], 0.0)
        if targets.counts[i] > 0:
            own = starts[labels[i]], starts[labels[i] + 1]
            cut = screen_cut(_limits(X, i, squares, targets, limits), scale, ROUNDED, d)
            round_query(X, i, coarse, weights, query)
            thin = weights, query, keys
            for part in range(me, PARTS, board.shape[0]):
                count = rows_that_may_invade(
                    X, own, coarse.cells, cut, thin, part, edges.tails
                )
                # One of the parts says what targets pull without an invader.
                pull = 1.0 if part == 0 else 0.0, descent.c
                count = _hinge_edges(
                    X, i, squares, targets, pull, count, edges, limits, pulls
                )
                sums = shares[step % 2, part]
                for e in range(0, count, 4):
                    add_four_edges(X, edges, e, count, two, np.uint64(0), d, sums)
        if (t + 1) % batch == 0 or t + 1 == visits.size:
            meet(me, board, step + 1)
            _go_down(shares[step % 2], steps[step], own_w, gradient)
    if me == 0:
        copy_into(w, own_w)


@inner
def _go_down(shares, step, w, gradient):
    """Move w by a step against the sum of the shares times 2w."""
    size = 0.0
    for f in range(np.uint64(w.size)):
        total = 0.0
        for part in range(PARTS):
            total += shares[part, f]
        gradient[f] = 2 * w[f] * total
        size += gradient[f] * gradient[f]
    if size > 0:
        factor = step / np.sqrt(size)
        for f in range(np.uint64(w.size)):
            w[f] -= factor * gradient[f]


@jit
def invasions(X, layout, screen, labels, squares, limits, active, sums):
    """What LMBA has to know of the rows of a block that invade guests.

    The guests are below the rows of the layout in X. limits[q, e] is the squared
    distance up to which target e of guest q is invaded, −1 if there is no such target.
    Counted are the invaders of each in ``active``; added to ``sums``, for each invader
    and target, are (x_guest − x_invader)², and in its last place the hinge.
    """
    n, d = layout.labels.size, squares.size
    starts = layout.starts
    found = np.empty(n, np.int64), np.empty(n)
    ids, exact = found
    weights = np.zeros(screen.rows.shape[1], np.float32)
    scale, slack = screen_weights(squares, screen, weights)
    for q in range(labels.size):
        i, farthest = n + q, -1.0
        for e in range(limits.shape[1]):
            farthest = greater(farthest, limits[q, e])
        if farthest < 0:
            continue
        ranges = 0, n, starts[labels[q]], starts[labels[q] + 1]
        reach = np.sqrt(farthest) * (1 + TIE), False
        thin = weights, scale, slack
        count, _ = rows_within_reach(X, i, ranges, squares, screen, thin, reach, found)
        for p in range(count):
            hinges, r = 0, exact[p] * exact[p]
            for e in range(limits.shape[1]):
                if limits[q, e] >= r * (1 - TIE) and limits[q, e] >= 0:
                    active[q, e] += 1
                    hinges += 1
                    sums[d] += greater(limits[q, e] - r, 0.0)
            if hinges:
                for f in range(d):
                    delta = X[i, f] - X[ids[p], f]
                    sums[f] += hinges * delta * delta


@jit
def lmba_losses(table, targets, coarse, first, last, c, losses, room):
    """losses[i] = loss of row i under the weights, for i = first … last−1."""
    X, labels, starts = table[0], table[1].labels, table[1].starts
    w, squares, limits = room.w, room.squares, room.limits
    weights, query, keys = room.weights, room.query, room.keys
    ids, lengths = room.edges.tails, room.edges.coefficients
    d = np.uint64(w.size)
    for f in range(d):
        squares[f] = w[f] * w[f]
    scale = coarse_weights(squares, coarse, room.gradient, weights)
    for i in range(first, last):
        losses[i] = 0.0
        if targets.counts[i] == 0:
            continue
        own = starts[labels[i]], starts[labels[i] + 1]
        cut = screen_cut(_limits(X, i, squares, targets, limits), scale, ROUNDED, d)
        round_query(X, i, coarse, weights, query)
        thin = weights, query, keys
        for e in range(targets.counts[i]):
            losses[i] += limits[e] - targets.theta[i]
        for part in range(PARTS):
            count = rows_that_may_invade(X, own, coarse.cells, cut, thin, part, ids)
            _measure(X, i, ids, count, squares, lengths)
            for p in range(count):
                for e in range(targets.counts[i]):
                    losses[i] += c * greater(limits[e] - lengths[p], 0.0)
