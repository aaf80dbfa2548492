"""Simba's visits."""

import numpy as np

from widemargin.kernels._jit import by_type, jit, tiny
from widemargin.kernels.constants import LINEAR
from widemargin.kernels.distances import weighted_distance
from widemargin.kernels.mixed import add_mixed_differences, is_plain
from widemargin.kernels.reach import nearest_of_ties, rows_within_reach, screen_weights
from widemargin.kernels.records import Edges


@tiny
def _slope(utility, theta):
    """Derivative of the utility at a margin."""
    if utility.kind == LINEAR:
        return 1.0
    u = 1 / (1 + np.exp(-utility.beta * theta))
    return utility.beta * u * (1 - u)


def _plain_step(X, i, hit, miss, pull, push, step):
    """Step += push · (x − miss)² − pull · (x − hit)², for x in row i."""
    for f in range(step.size):
        a, b = X[i, f] - X[hit, f], X[i, f] - X[miss, f]
        step[f] += push * b * b - pull * a * a


@jit
def simba_visits(
    X, labels, starts, rank, screen, w, visits, seeds, batch, utility, room
):
    """Visit rows in turn and move w after each batch (Simba, step 2).

    ``rank`` decides ties. ``seeds`` holds each row's last hit and miss: a good first
    guess makes the search under the current weights short. w and seeds are updated.
    """
    found, step = room.found, room.step
    squares, weights = room.squares, room.weights
    scale = slack = near = far = 0.0
    moved, stale = 0, True
    for t in range(visits.size):
        i = visits[t]
        lo, hi = starts[labels[i]], starts[labels[i] + 1]
        if stale:
            scale, slack = screen_weights(squares, screen, weights)
            stale = False
        if hi - lo > 1:
            thin = weights, scale, slack
            for h in range(2):
                ranges = (lo, hi, hi, hi) if h == 0 else (0, rank.size, lo, hi)
                near, reach = far, (weighted_distance(X, i, seeds[i, h], squares), True)
                count, best = rows_within_reach(
                    X, i, ranges, squares, screen, thin, reach, found
                )
                seeds[i, h], far = nearest_of_ties(count, best, rank, found)
            slope = 0.5 * _slope(utility, 0.5 * (far - near))
            pull = slope / near if near > 0 else 0.0
            push = slope / far if far > 0 else 0.0
            _add_step(X, i, seeds[i, 0], seeds[i, 1], pull, push, step)
            moved += 1
        if moved and ((t + 1) % batch == 0 or t + 1 == visits.size):
            for f in range(w.size):
                w[f] += step[f] / moved * w[f]
                squares[f] = w[f] * w[f]
                step[f] = 0.0
            moved, stale = 0, True


def _mixed_step(X, i, hit, miss, pull, push, step):
    """As `_plain_step`, with all that belongs to the differences."""
    _add_step(X.X, i, hit, miss, pull, push, step)
    ends = np.array([i, i]), np.array([hit, miss])
    add_mixed_differences(X, Edges(*ends, np.array([-pull, push])), 2, 0, 2, step)


def _add_step(X, i, hit, miss, pull, push, step):
    """A step of Simba, plain or mixed."""


@by_type(_add_step)
def _choose_step(X, i, hit, miss, pull, push, step):
    return _plain_step if is_plain(X) else _mixed_step
