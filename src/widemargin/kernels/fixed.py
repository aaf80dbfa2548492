"""Manhattan distances of rows that are rounded to whole numbers of a small unit.

Whole numbers are added without error, and as Σ|a − b| = Σa + Σb − 2 Σ min(a, b), a
difference takes two operations on twice as many numbers at once as in double precision.
What is lost is what rounding moves the two rows by, which is known for each row.
"""

import numpy as np

from widemargin.kernels._jit import jit
from widemargin.kernels.simd import as_float64, load, minimum, splat, store

FIXED_ROWS = 32  # rows side by side
FIXED_QUERIES = 4  # rows measured from together; divides FIXED_ROWS
FIXED_FEATURES = 32  # features whose sum has to fit into 31 bits


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
