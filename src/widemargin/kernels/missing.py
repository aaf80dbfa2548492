"""Differences to expect from missing cells."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.constants import INFINITE, LOWER, MOST


@jit
def take_features(X, features, values, keys):
    """values[g] = feature features[g] of X, from eight rows at a time.

    Sorted, the lower halves of keys[g] are the rows roughly in order of their values,
    and those without one. The upper halves are those of the values: bits of numbers
    compare like the numbers once those of negative ones are turned round.
    """
    n, bits = X.shape[0], values.view(np.int64)
    whole = n - n % 8
    for i in range(0, whole, 8):
        for g in range(features.size):
            f = features[g]
            a, b, c, d = X[i, f], X[i + 1, f], X[i + 2, f], X[i + 3, f]
            p, q, r, s = X[i + 4, f], X[i + 5, f], X[i + 6, f], X[i + 7, f]
            values[g, i], values[g, i + 1] = a, b
            values[g, i + 2], values[g, i + 3] = c, d
            values[g, i + 4], values[g, i + 5] = p, q
            values[g, i + 6], values[g, i + 7] = r, s
    for g in range(features.size):
        for i in range(whole, n):
            values[g, i] = X[i, features[g]]
    for g in range(features.size):
        for i in range(np.uint64(n)):
            b = bits[g, i]
            missing = (b & MOST) > INFINITE
            b = MOST if missing else b ^ ((b >> np.int64(63)) & MOST)
            keys[g, i] = (b | LOWER) - LOWER + np.int64(i)


class Observed(NamedTuple):
    """The rows that have a value of some feature, in order of the values."""

    rows: np.ndarray
    values: np.ndarray
    member: np.ndarray  # room for as many numbers


@inner
def _split(keys, places):
    """Rows of sorted keys: those that have a value, in order, and those that do not."""
    count = keys.size
    while count > 0 and keys[count - 1] >= MOST - LOWER:
        count -= 1
    for e in range(np.uint64(keys.size)):
        places[e] = keys[e] & LOWER
    return places[:count], places[count:]


@inner
def _look_up(values, rows, ordered):
    """ordered[e] = values[rows[e]]; how often it falls."""
    falls = 0
    for e in range(np.uint64(rows.size)):
        ordered[e] = values[rows[e]]
    for e in range(np.uint64(1), np.uint64(rows.size)):
        falls += ordered[e] < ordered[e - np.uint64(1)]
    return falls


@inner
def _put_in_order(values, rows, ordered):
    """Sort rows by their values; they are nearly in order."""
    steps = 0
    for e in range(rows.size):
        row, p = rows[e], e
        v = values[row]
        while p > 0 and v < ordered[p - 1]:
            rows[p], ordered[p] = rows[p - 1], ordered[p - 1]
            p -= 1
        rows[p], ordered[p] = row, v
        steps += e - p
        if steps > 8 * rows.size:
            # Values that are all but equal were not near their places.
            rows[:] = np.argsort(values)[: rows.size]
            _look_up(values, rows, ordered)
            return


@inner
def _sweep(observed, first, last, count, expected):
    """expected[j] = mean |u − v_j| over values u of rows first … last−1; their mean.

    ``count`` is the number of values. With L(v) the mean of max(v − u, 0), the mean of
    |u − v| is 2 L(v) + mean − v, of which nothing is lost to cancellation: L(v) is at
    least v − mean.
    """
    rows, values, member = observed
    low, middle, share = values[0], 0.0, 1 / count
    for e in range(np.uint64(values.size)):
        inside = (first <= rows[e]) & (rows[e] < last)
        member[e] = 2 * share if inside else 0.0
        middle += 0.5 * member[e] * (values[e] - low)
    below, total, previous = 0.0, 0.0, low
    for e in range(np.uint64(values.size)):
        v = values[e]
        total += below * (v - previous)
        expected[rows[e]] = total + (middle - (v - low))
        below += member[e]
        previous = v
    return _snapped(low + middle, values)


@inner
def _snapped(mean, values):
    """The mean, or the value that it would be if it were not for rounding."""
    first, last = 0, values.size - 1
    while last - first > 1:
        middle = (first + last) // 2
        if values[middle] <= mean:
            first = middle
        else:
            last = middle
    span = values[values.size - 1] - values[0]
    for e in (first, last):
        if abs(values[e] - mean) <= 1e-13 * span:
            return values[e]
    return mean


@inner
def _expect_of_gaps(values, gaps, layout, counts, row):
    """Where other rows lack the value too, the mean over the class of those."""
    labels, starts = layout.labels, layout.starts
    last, mean = -1, 0.0
    for e in range(gaps.size):
        c = labels[gaps[e]]
        if c > last:
            first, stop, count = starts[c], starts[c + 1], counts[c]
            if count == 0:
                first, stop, count = starts[0], labels.size, counts.sum()
            total = 0.0
            for j in range(np.uint64(first), np.uint64(stop)):
                total += row[j] if values[j] == values[j] else 0.0
            last, mean = c, total / count
        row[gaps[e]] = mean


@jit
def expect_numbers(values, keys, layout, pairs, expected, excess, fills):
    """Differences to expect from the missing cells of numeric features.

    ``values[g]`` is a feature in which NaN marks missing cells, and ``keys[g]`` are its
    keys, see `take_features`, sorted.
    ``pairs[g]`` numbers the classes in which cells are missing, −1 for the others; each
    pair gets a row of ``expected`` and ``excess`` and, as a fill, the mean of its
    class. A class without any value is taken to be like all classes together, a feature
    without any to be constant.
    """
    labels, starts, _ = layout
    n, C = labels.size, pairs.shape[1]
    counts, places = np.empty(C, np.int64), np.empty(n, np.int64)
    # Expectations come in order of the values; here, all places are near.
    row, ordered, member = np.empty((3, n))
    for g in range(values.shape[0]):
        v = values[g]
        rows, gaps = _split(keys[g], places)
        observed = Observed(rows, ordered[: rows.size], member[: rows.size])
        if _look_up(v, rows, observed.values):
            _put_in_order(v, rows, observed.values)
        for c in range(C):
            counts[c] = starts[c + 1] - starts[c]
        for e in range(gaps.size):
            counts[labels[gaps[e]]] -= 1
        for c in range(C):
            pair = pairs[g, c]
            if pair < 0:
                continue
            fills[pair], row[:] = 0.0, 0.0
            if rows.size:
                first, last, count = starts[c], starts[c + 1], counts[c]
                if count == 0:
                    first, last, count = 0, n, rows.size
                fills[pair] = _sweep(observed, first, last, count, row)
                _expect_of_gaps(v, gaps, layout, counts, row)
            _go_beyond(v, row, pair, expected, excess, fills)
        for c in range(C):
            for e in range(gaps.size if pairs[g, c] >= 0 else 0):
                own = pairs[g, labels[gaps[e]]]
                _go_beyond_gap(gaps[e], own, pairs[g, c], expected, excess, fills)


@inner
def _go_beyond(values, row, pair, expected, excess, fills):
    """What expectations, those in ``row``, add to differences of filled-in values.

    Where a value is missing, expectations only.
    """
    fill = fills[pair]
    for j in range(np.uint64(values.size)):
        filled = abs(fill - values[j])
        # The mean of a class is no farther than the class; nor must rounding say so.
        e = filled if filled > row[j] else row[j]
        expected[pair, j] = e
        excess[0, pair, j] = e - filled
        excess[1, pair, j] = (e - filled) * (e + filled)


@inner
def _go_beyond_gap(j, own, pair, expected, excess, fills):
    """The same for row j, whose value is missing and filled in as ``own`` says."""
    filled = abs(fills[pair] - fills[own])
    e = max(expected[pair, j], filled)
    expected[pair, j] = e
    # Both rows lack the value, and each says one half.
    excess[0, pair, j] = 0.5 * (e - filled)
    excess[1, pair, j] = 0.5 * (e - filled) * (e + filled)
