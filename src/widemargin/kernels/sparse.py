"""Rows of which only the cells other than 0 are stored: differences and sums.

A feature in which neither of two rows has a cell adds nothing to their difference. And
what a feature adds is what each row alone, beside zeros, would add, plus a correction
where both have a cell. So all distances from a row take the norms of the rows, and the
columns in which that row has a cell (`measure_from`). They are rounded; those that
decide are measured again, by direct differences of two rows (`measure_pairs`).
"""

import numpy as np

from widemargin.kernels._jit import inner, jit, tiny
from widemargin.kernels.records import EUCLIDEAN


@tiny
def _correction(metric, a, b):
    """What two cells differ by, less what each would differ from 0."""
    return -2.0 * a * b if metric == EUCLIDEAN else abs(a - b) - abs(a) - abs(b)


@jit
def measure_from(metric, rows, columns, norms, queries, D):
    """D[q, j] = distance, squared if Euclidean, of rows queries[q] and j, rounded.

    ``norms`` are these distances of the rows from 0.
    """
    starts, places, values = rows
    column_starts, row_of, cells = columns
    for q in range(queries.size):
        i = queries[q]
        for j in range(norms.size):
            D[q, j] = norms[i] + norms[j]
        for e in range(starts[i], starts[i + 1]):
            f, a = places[e], values[e]
            for c in range(column_starts[f], column_starts[f + 1]):
                D[q, row_of[c]] += _correction(metric, a, cells[c])
        for j in range(norms.size):
            D[q, j] = max(D[q, j], 0.0)


@inner
def _add_differences(rows, i, j, coefficient, power, stride, sums):
    """sums[f · stride] += coefficient · |x_i,f − x_j,f|^power for all features f."""
    starts, places, values = rows
    a, b, a_end, b_end = starts[i], starts[j], starts[i + 1], starts[j + 1]
    while a < a_end or b < b_end:
        t = 0.0
        f = min(
            places[a] if a < a_end else 2**31 - 1, places[b] if b < b_end else 2**31 - 1
        )
        if a < a_end and places[a] == f:
            t += values[a]
            a += 1
        if b < b_end and places[b] == f:
            t -= values[b]
            b += 1
        sums[f * stride] += coefficient * (abs(t) if power == 1 else t * t)


@jit
def measure_pairs(metric, rows, heads, tails, exact):
    """exact[e] = distance of rows heads[e] and tails[e], by direct differences."""
    for e in range(heads.size):
        exact[e] = 0.0
        power = 2 if metric == EUCLIDEAN else 1
        _add_differences(rows, heads[e], tails[e], 1.0, power, 0, exact[e : e + 1])
        exact[e] = np.sqrt(exact[e]) if metric == EUCLIDEAN else exact[e]


@jit
def add_cell_edge_sums(rows, edges, power, start, stop, sums):
    """sums[f] += Σ coefficient · |x_head,f − x_tail,f|^power over edges start … stop−1.

    The same as `widemargin.kernels.sums.add_edge_sums` over all features.
    """
    heads, tails, coefficients = edges
    for e in range(start, stop):
        _add_differences(rows, heads[e], tails[e], coefficients[e], power, 1, sums)


@jit
def add_pair_sums(rows, columns, queries, weights, totals, sums):
    """sums[f] += Σ weights[q, j] · (|x_q,f − x_j,f| − |x_j,f|) over queries and rows.

    ``totals`` are the sums of the rows of ``weights``.
    """
    starts, places, values = rows
    column_starts, row_of, cells = columns
    for q in range(queries.size):
        i = queries[q]
        for e in range(starts[i], starts[i + 1]):
            f, a = places[e], values[e]
            s = totals[q] * abs(a)
            for c in range(column_starts[f], column_starts[f + 1]):
                s += weights[q, row_of[c]] * _correction(1, a, cells[c])
            sums[f] += s


@jit
def cell_forms(columns, W, w, A, shifts, first, last, terms):
    """Terms of `quadratic_forms` of columns first … last−1, less their shifts, (3, d).

    ``w`` are the sums of the rows of W, and that of all of it; the last row of A are
    the sums of its columns.
    """
    starts, row_of, values = columns
    for f in range(first, last):
        shift, product, along, squares, total = shifts[f], 0.0, 0.0, 0.0, 0.0
        for a in range(starts[f], starts[f + 1]):
            i, x, s = row_of[a], values[a], 0.0
            for b in range(starts[f], starts[f + 1]):
                s += W[i, row_of[b]] * values[b]
            product += x * s
            along += w[i] * x
            squares += w[i] * x * x
        for c in range(A.shape[1]):
            t = -shift * A[-1, c]
            for a in range(starts[f], starts[f + 1]):
                t += values[a] * A[row_of[a], c]
            total += t * t
        moved = shift * (shift * w[-1] - 2 * along)
        terms[0, f], terms[1, f] = product + moved, -(squares + moved)
        terms[2, f] = total


@jit
def cell_joint_sums(codes, of_zero, features, other, shape, logs, part, sums):
    """sums[e] = Σ c · ln c over the cells of feature features[e] against ``other``.

    As `widemargin.kernels.information.joint_sums`, for e from part[0] to part[1] − 1.
    ``codes`` are `Cells` of columns; all other cells have the code ``of_zero``.
    """
    starts, row_of, values = codes
    n_codes, width = shape
    totals, counts = np.zeros(width, np.int64), np.zeros(n_codes * width, np.int64)
    for i in range(other.size):
        totals[other[i]] += 1
    for e in range(part[0], part[1]):
        f = features[e]
        for cell in range(counts.size):
            counts[cell] = 0
        rest = np.int64(of_zero[f]) * width
        for label in range(width):
            counts[rest + label] = totals[label]
        for c in range(starts[f], starts[f + 1]):
            label = other[row_of[c]]
            counts[rest + label] -= 1
            counts[np.int64(values[c]) * width + label] += 1
        total = np.int64(0)
        for cell in range(counts.size):
            total += logs[counts[cell]]
        sums[e] = total
