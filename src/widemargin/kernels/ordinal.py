"""O-Simba's visits."""

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.distances import weighted_distance
from widemargin.kernels.dominance import dominating_rows, smallest_distance
from widemargin.kernels.mixed import add_extra_differences, numbers_of
from widemargin.kernels.reach import nearest_of_ties, rows_within_reach, screen_weights


@inner
def _nearest_from(table, i, seed, ranges, under, found):
    """The row of some ranges that is nearest to row i; ``seed`` is one of them."""
    X, _, rank = table
    squares, screen, thin = under
    reach = weighted_distance(X, i, seed, squares), True
    count, best = rows_within_reach(X, i, ranges, squares, screen, thin, reach, found)
    return nearest_of_ties(count, best, rank, found)[0]


@inner
def _add_squares(X, i, j, squares, sign, side, step):
    """step[f] += sign · ½ (x_j − x_i)_f² / ‖x_j − x_i‖_w, unless the norm is 0.

    With a side, 1 or −1, only where x_j − x_i has its sign.
    """
    length = weighted_distance(X, i, j, squares)
    if length == 0.0:
        return
    factor, Z = sign * 0.5 / length, numbers_of(X)
    for f in range(step.size):
        t = Z[j, f] - Z[i, f]
        if side * t >= 0.0:
            step[f] += factor * t * t
    if side == 0:
        add_extra_differences(X, i, j, factor, 2, step)


@jit
def osimba_visits(table, screen, w, visits, seeds, batch, kind, room):
    """Visit rows in turn and move w after each batch (O-Simba, eq. 12).

    As `simba_visits`, with a margin towards the higher classes and one towards the
    lower. ``seeds`` holds each row's last hit, higher miss and lower miss, −1 for none.
    ``kind`` says whether a miss counts only on the features on which it is on its side,
    and whether only hits that are on that side in every feature are hits.
    """
    X, rank = table[0], table[2]
    labels, starts = table[1].labels, table[1].starts
    directed, dominating = kind
    n, d = rank.size, w.size
    found, step = room.found, room.step
    squares, weights = room.squares, room.weights
    scale = slack = 0.0
    moved, stale = 0, True
    # Literals are types of their own, and what is called with them is compiled again.
    plus, minus, neither = np.int64(1), np.int64(-1), np.int64(0)
    for t in range(visits.size):
        i = visits[t]
        lo, hi = starts[labels[i]], starts[labels[i] + 1]
        if stale:
            scale, slack = screen_weights(squares, screen, weights)
            stale = False
        if hi - lo > 1:
            under = squares, screen, (weights, scale, slack)
            hit = -1
            if not dominating:
                ranges = (lo, hi, hi, hi)
                hit = _nearest_from(table, i, seeds[i, 0], ranges, under, found)
                seeds[i, 0] = hit
            for slot in range(1, 3):
                if seeds[i, slot] < 0:
                    continue
                side = plus if slot == 1 else minus
                ranges = (hi, n, n, n) if slot == 1 else (0, lo, lo, lo)
                miss = _nearest_from(table, i, seeds[i, slot], ranges, under, found)
                seeds[i, slot] = miss
                on = side if directed else neither
                _add_squares(X, i, miss, squares, plus, on, step)
                if dominating:
                    count = dominating_rows(X, i, (lo, hi), side, squares, found)
                    near = smallest_distance(found[1], count)
                    hit, _ = nearest_of_ties(count, near, rank, found)
                if hit >= 0:
                    _add_squares(X, i, hit, squares, minus, neither, step)
            moved += 1
        if moved and ((t + 1) % batch == 0 or t + 1 == visits.size):
            for f in range(d):
                w[f] += step[f] / moved * w[f]
                squares[f] = w[f] * w[f]
                step[f] = 0.0
            moved, stale = 0, True
