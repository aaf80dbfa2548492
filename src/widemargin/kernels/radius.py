"""Rows within a radius: which they are, and the edges to them."""

import numpy as np

from widemargin.kernels._jit import jit
from widemargin.kernels.constants import TIE

NEAR, FAR = 1, 2


@jit
def mark_rows(D, queries, y, radius, marks, counts):
    """Mark the rows that are near each query, and those that are far.

    Distances that differ from a limit by rounding only are neither; nor is a row
    itself.

    D : (m, n) distances of all rows from the queries.
    radius : T; negative for T − D and T + D of each query's own distances.
    marks : (m, n), set to NEAR, FAR or 0.
    counts : (m, 2, C), zeros, set to the near and the far rows of each class.
    """
    m, n = D.shape
    for q in range(m):
        i, mean, dead = queries[q], radius, 0.0
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
        near, far = mean - dead - TIE * mean, mean + dead + TIE * mean
        for j in range(n):
            d = D[q, j]
            marks[q, j] = NEAR if d < near else FAR if d > far else 0
        marks[q, i] = 0
        for j in range(n):
            if marks[q, j]:
                counts[q, marks[q, j] - 1, y[j]] += 1


@jit
def list_marked(marks, queries, y, coefficients, firsts, heads, tails, values):
    """Edges to the marked rows whose coefficient, (m, 2, C), is not 0.

    Those of query q begin at firsts[q].
    """
    for q in range(queries.size):
        e = firsts[q]
        for j in range(marks.shape[1]):
            if marks[q, j]:
                value = coefficients[q, marks[q, j] - 1, y[j]]
                if value != 0.0:
                    heads[e], tails[e], values[e] = queries[q], j, value
                    e += 1
