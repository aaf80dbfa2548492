"""Rows within a radius: which they are, and sums of differences from them.

A query's *list* names its near rows, or its near and its far ones, in ascending order.

Manhattan distances are screened with rows that are rounded to whole numbers of a small
unit. Whole numbers are added without error, and as Σ|a − b| = Σa + Σb − 2 Σ min(a, b),
a difference takes two operations on twice as many numbers at once as in double
precision. The error is what rounding moves the two rows by, which is summed per row.
"""

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.records import (
    BAND,
    FIXED_FEATURES,
    FIXED_QUERIES,
    FIXED_ROWS,
    PANEL,
    TIE,
)
from widemargin.kernels.simd import absolute, as_float64, load, minimum, splat, store


@jit
def fix_rows(X, low, unit, first, last, cells, totals, errors):
    """Round rows first … last−1 to whole numbers of units above ``low``.

    cells : (groups, d, FIXED_ROWS) int32.
    totals : (rows,), set to the sum of each rounded row.
    errors : (n,), set to Σ|rounded − true| of each row.
    """
    side = FIXED_ROWS
    for i in range(first, last):
        g, place, total, error = i // side, i % side, 0.0, 0.0
        for f in range(X.shape[1]):
            x = (X[i, f] - low[f]) / unit
            whole = np.rint(x)
            cells[g, f, place] = np.int32(whole)
            total += whole
            error += abs(x - whole)
        totals[i], errors[i] = total * unit, error * unit


@jit
def fixed_distances(cells, d, totals, unit, first, D):
    """D[q, j] = distance of the rounded rows first + q and j.

    cells : those of `fix_rows` one after the other.
    first : a multiple of FIXED_QUERIES, as is the number of queries.
    D : (m, rows of whole groups).
    """
    side, part, width = FIXED_ROWS, FIXED_FEATURES, D.shape[1]
    twice = splat(2 * unit, 32)
    for g in range(width // side):
        others = load(totals, g * side, 32)
        for q in range(0, D.shape[0], FIXED_QUERIES):
            row = first + q
            ours, theirs = row // side * d * side + row % side, g * d * side
            a, b = splat(totals[row], 32) + others, splat(totals[row + 1], 32) + others
            c = splat(totals[row + 2], 32) + others
            e = splat(totals[row + 3], 32) + others
            for start in range(0, d, part):
                r = s = t = u = splat(np.int32(0), 32)
                for _ in range(start, min(start + part, d)):
                    z = load(cells, theirs, 32)
                    r += minimum(splat(cells[np.uint64(ours)], 32), z)
                    s += minimum(splat(cells[np.uint64(ours + 1)], 32), z)
                    t += minimum(splat(cells[np.uint64(ours + 2)], 32), z)
                    u += minimum(splat(cells[np.uint64(ours + 3)], 32), z)
                    ours += side
                    theirs += side
                a, b = a - twice * as_float64(r), b - twice * as_float64(s)
                c, e = c - twice * as_float64(t), e - twice * as_float64(u)
            place = q * width + g * side
            store(a, D, place)
            store(b, D, place + width)
            store(c, D, place + 2 * width)
            store(e, D, place + 3 * width)


@inner
def _limits(D, q, i, n, radius):
    """Distances below which a row is near query i, and above which it is far.

    Distances that differ from a limit by rounding only are neither.
    """
    mean, dead = radius, 0.0
    if radius < 0:
        mean = 0.0
        for j in range(n):
            mean += D[q, j]
        mean /= n - 1  # a row is at distance 0 from itself
        squares = 0.0
        for j in range(n):
            squares += (D[q, j] - mean) ** 2
        squares -= (D[q, i] - mean) ** 2
        dead = np.sqrt(max(squares, 0.0) / (n - 1)) / 2
    return mean - dead - TIE * mean, mean + dead + TIE * mean


@inner
def _is_near_limit(D, q, n, limit, window):
    """Whether any distance from a query is within a window of a limit."""
    count = 0
    for j in range(n):
        count += abs(D[q, j] - limit) <= window
    return count > 0


@inner
def _list_row(D, starts, limits, ids, sides, counts):
    """List rows outside the limits, class by class."""
    (near, far), e = limits, np.uint64(0)
    for c in range(starts.size - 1):
        begin, fars = e, 0
        # Without a branch, which the processor could not predict.
        for j in range(np.uint64(starts[c]), np.uint64(starts[c + 1])):
            is_far = D[j] > far
            ids[e], sides[e] = j, is_far
            e += np.uint64((D[j] < near) | is_far)
            fars += is_far
        counts[0, c], counts[1, c] = np.int64(e - begin) - fars, fars


@jit
def list_rows(D, queries, starts, radius, errors, both, places, lists):
    """List the rows near each query, and those that are far if ``both``.

    D : (m, n or more) distances of all rows from the queries; that of a row from
        itself, 0, is overwritten.
    starts : (C + 1,) first row of each class, and n.
    radius : T; negative for T − D and T + D of each query's own distances.
    errors : (m,) how far a distance may be from the truth.
    places : (m,) where the list of each query is.
    lists : `RadiusLists`, set.
    """
    ids, sides, counts, unsure = lists
    n = starts[-1]
    for q in range(queries.size):
        i, place = queries[q], places[q]
        near, far = _limits(D, q, i, n, radius)
        # Own limits, a mean and half a standard deviation, are off by errors, too.
        window = errors[q] * (2.5 if radius < 0 else 1.0)
        unsure[place] = window > 0 and (
            _is_near_limit(D, q, n, near, window)
            or (both and _is_near_limit(D, q, n, far, window))
        )
        D[q, i] = np.nan  # a row is not near itself, and not far
        limits = near, far if both else np.inf
        _list_row(D[q], starts, limits, ids[place], sides[place], counts[place])


@jit
def list_values(queries, target, weights, lists, values):
    """What each listed row counts: the weight of its side and class; returns the sum.

    weights : (m, 2, C)
    target : (n, q), by the distance in which that is multiplied; empty for none.
    """
    ids, sides, counts, _ = lists
    total = 0.0
    for q in range(queries.size):
        end = 0
        for c in range(counts.shape[2]):
            begin, end = end, end + counts[q, 0, c] + counts[q, 1, c]
            near, far = weights[q, 0, c], weights[q, 1, c]
            for e in range(np.uint64(begin), np.uint64(end)):
                values[q, e] = far if sides[q, e] else near
        if target.size:
            for e in range(np.uint64(end)):
                square = 0.0
                for t in range(target.shape[1]):
                    square += (target[queries[q], t] - target[ids[q, e], t]) ** 2
                values[q, e] *= np.sqrt(square)
        for e in range(np.uint64(end)):
            total += values[q, e]
    return total


@jit
def list_sums(bands, rows, queries, codes, ids, lengths, values, ends, sums):
    """sums[f] += Σ value · |x_query,f − x_row,f| over all listed rows.

    Panel by panel, so that rows come from the cache and sums are in registers.

    bands : the rows, BAND features at a time: (K, rows, BAND), one after the other.
    ends : (m, panels), scratch space: where the list of a query leaves a panel.
    codes : (rows,) class of each row.
    sums : (1 + C, K · BAND), one after the other: of all queries, then class by class.
    """
    n_panels, width = ends.shape[1], bands.size // rows
    for q in range(queries.size):
        e = 0
        for p in range(n_panels):
            while e < lengths[q] and ids[q, e] < (p + 1) * PANEL:
                e += 1
            ends[q, p] = e
    for p in range(n_panels):
        for place in range(0, width, BAND):
            base = place // BAND * rows
            for q in range(queries.size):
                first = ends[q, p - 1] if p else 0
                x = load(bands, (base + queries[q]) * BAND, 32)
                s = before = load(sums, place, 32)
                for e in range(np.uint64(first), np.uint64(ends[q, p])):
                    z = load(bands, (base + ids[q, e]) * BAND, 32)
                    s += splat(values[q, e], 32) * absolute(x - z)
                store(s, sums, place)
                own = place + (1 + codes[queries[q]]) * width
                store(load(sums, own, 32) + (s - before), sums, own)
