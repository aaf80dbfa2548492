"""Ascents of a margin: rows near a row under weights that change, and steps from them.

The algorithms' own files are made of these functions.
"""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import by_type, inner, jit, tiny
from widemargin.kernels.distances import (
    add_extra_differences,
    add_mixed_edge_sums,
    is_plain,
    is_within,
    kth_smallest,
    numbers_of,
    share_ties,
    weighted_distance,
)
from widemargin.kernels.records import (
    LINEAR,
    MAX_INT64,
    STEP,
    TIE,
    UNIT,
    Edges,
)


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
    that of the nearest row found so far (one row is as near as it). A row
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
    add_mixed_edge_sums(X, edges, 2, 0, 2, delta)


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


@inner
def dominating_rows(X, i, span, side, squares, found):
    """Rows of a range that are on one side of row i in every feature; how many.

    With side 1 no feature is smaller than that of row i, with −1 none is larger. Most
    rows are out after a few features.
    """
    ids, exact = found
    Z = numbers_of(X)
    count, d = 0, Z.shape[1]
    for j in range(span[0], span[1]):
        f = 0
        while f < d and side * (Z[j, f] - Z[i, f]) >= 0.0:
            f += 1
        if f == d and j != i:
            ids[count], exact[count] = j, weighted_distance(X, i, j, squares)
            count += 1
    return count


@inner
def nearest_dominating(table, i, span, side, squares, found):
    """The nearest dominating row, and its distance; −1 and NaN if there are none."""
    X, _, rank = table
    count = dominating_rows(X, i, span, side, squares, found)
    if count == 0:
        return -1, np.nan
    return nearest_of_ties(count, found[1][:count].min(), rank, found)


@jit
def add_dominating_hit_sums(X, layout, k, first, last, sums):
    """sums[f] += mean |x_f − hit_f| of the k nearest dominating hits of some rows.

    Rows first … last−1 count with those above them if there is a higher class, and with
    those below if there is a lower one. Rows tied at the k-th place share it.
    """
    Z = numbers_of(X)
    n, d = Z.shape
    labels, starts = layout.labels, layout.starts
    ids, ones = np.empty(n, np.int64), np.ones(d)
    exact, share = np.empty(n), np.empty(n)
    for i in range(first, last):
        span = starts[labels[i]], starts[labels[i] + 1]
        for side in (1, -1):
            if (side > 0 and span[1] == n) or (side < 0 and span[0] == 0):
                continue
            count = dominating_rows(X, i, span, side, ones, (ids, exact))
            if count == 0:
                continue
            wanted = min(k, count)
            border = kth_smallest(exact[:count].copy(), wanted)
            share_ties(exact, 0, count, wanted, border, share)
            for e in range(count):
                if share[e] == 0.0:
                    continue
                j, c = ids[e], share[e] / wanted
                for f in range(np.uint64(d)):
                    sums[f] += c * abs(Z[i, f] - Z[j, f])
                add_extra_differences(X, i, j, c, 1, sums)


@jit
def measure_dominating_hits(X, layout, squares, first, last, near):
    """near[i] = distances to the nearest hit above row i and below it; 0 if none."""
    n = numbers_of(X).shape[0]
    labels, starts = layout.labels, layout.starts
    ids, exact = np.empty(n, np.int64), np.empty(n)
    for i in range(first, last):
        span = starts[labels[i]], starts[labels[i] + 1]
        for s, side in enumerate((1, -1)):
            count = dominating_rows(X, i, span, side, squares, (ids, exact))
            near[i, s] = exact[:count].min() if count else 0.0
