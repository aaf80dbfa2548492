"""The nearest rows under feature weights that change from search to search."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import by_type, inner, jit, tiny
from widemargin.kernels.constants import MAX_INT64, TIE, UNIT
from widemargin.kernels.distances import weighted_distance
from widemargin.kernels.mixed import is_plain
from widemargin.kernels.ties import is_within

# Features after which it is asked whether a row is out. With fewer, the compiler finds
# no vectors in the loop over them, and a fit takes twice as long.
STEP = np.uint64(64)


@jit
def arrange_columns(X, centre, columns, rows):
    """rows[:, c] = X[:, columns[c]], centred, in single precision."""
    for i in range(X.shape[0]):
        for c in range(columns.size):
            rows[i, c] = X[i, columns[c]] - centre[columns[c]]


class Weighting(NamedTuple):
    """Feature weights, also for the columns of a screen."""

    squares: np.ndarray  # (d,) squared weights
    rows: np.ndarray  # (n, D) of the screen
    weights: np.ndarray  # (D,) float32 squares in screen order, the largest being 1
    scale: float  # of the weights, which makes it so
    slack: float  # how far rounding the rows may move the square root of a key


@inner
def weigh(w, screen, squares, weights):
    """What a search under weights w has to know; the last two arrays are set."""
    columns, top, total = screen.columns, 0.0, 0.0
    for f in range(w.size):
        squares[f] = w[f] * w[f]
        top = max(top, squares[f])
    scale = 1 / np.sqrt(top) if top > 0.0 else 0.0
    for c in range(columns.size):
        share = squares[columns[c]] * scale * scale
        # Denormal numbers are slow, and a key that is too small only screens less.
        weights[c] = share if share > 1e-25 else 0.0
        total += weights[c]
    slack = 2.1 * UNIT * screen.largest * np.sqrt(total)
    return Weighting(squares, screen.rows, weights, scale, slack)


@tiny
def screen_cut(best, scale, slack, depth):
    """No row at most ``best`` away has a screened key above this."""
    reach = best * (1 + 2 * TIE) * scale + slack
    return np.float32(reach * reach * (1 + (depth + 8) * UNIT) + 1e-36)


def _with_mismatches(X, i, j, squares, scale, key, cut):
    """A key with what nominal features add to it, or one that is above the cut."""


def _mixed_with_mismatches(X, i, j, squares, scale, key, cut):
    codes, nominal = X.mixed.codes, X.mixed.nominal
    for m in range(nominal.size):
        if key > cut:
            break
        if abs(codes[i, m] - codes[j, m]) > 0:
            key += np.float32(squares[nominal[m]] * scale * scale)
    return key


@by_type(_with_mismatches)
def _choose_with_mismatches(X, i, j, squares, scale, key, cut):
    if is_plain(X):
        return lambda X, i, j, squares, scale, key, cut: key
    return _mixed_with_mismatches


@inner
def rows_within_reach(X, i, ranges, under, reach, found):
    """Rows that are near row i under the current weights, a `Weighting`.

    ``ranges`` says which rows: from the first number up to the second, but not those
    from the third up to the fourth. ``reach`` is a distance, and whether it shrinks to
    that of the nearest row found so far (one row is known to be as near as it). A row
    is given up as soon as its partial sum says that it is farther. Missing cells only
    add to a distance, so that the screen may leave them out. Returns how many rows were
    found, in ``found``, and the reach.
    """
    squares, rows, weights, scale, slack = under
    ids, exact = found
    best, shrinking = reach
    width, count = np.uint64(rows.shape[1]), 0
    cut = screen_cut(best, scale, slack, squares.size)
    for j in range(ranges[0], ranges[1]):
        if j == i or ranges[2] <= j < ranges[3]:
            continue
        key, first = np.float32(0), np.uint64(0)
        while first < width and key <= cut:
            for f in range(first, first + STEP):
                t = rows[i, f] - rows[j, f]
                key += weights[f] * t * t
            first += STEP
        key = _with_mismatches(X, i, j, squares, scale, key, cut)
        if key <= cut:
            r = weighted_distance(X, i, j, squares)
            if is_within(r, best):
                ids[count], exact[count] = j, r
                count += 1
                if r < best and shrinking:
                    best = r
                    cut = screen_cut(best, scale, slack, squares.size)
    return count, best


@inner
def nearest_of_ties(count, best, rank, found):
    """The nearest row found, among ties the one of lowest rank, and its distance."""
    ids, exact = found
    chosen, lowest, distance = -1, MAX_INT64, best
    for e in range(count):
        j, r = ids[e], exact[e]
        if is_within(r, best) and rank[j] < lowest:
            chosen, lowest, distance = j, rank[j], r
    return chosen, distance
