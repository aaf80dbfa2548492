"""Means of a numeric target over the nearest rows, for the prefixes of a ranking."""

import numpy as np

from widemargin.kernels._jit import jit
from widemargin.kernels.constants import TIE
from widemargin.kernels.merge import insert
from widemargin.kernels.prefixes import add_column


@jit
def prefix_means(prefixes, queries, target, k, means):
    """Mean target of the k nearest rows of each query, with 1, 2, … features.

    Rows as near as the k-th (relatively `TIE`) share the places that nearer ones leave.
    ``means`` is (queries, d); at least k rows must be anyone's neighbours.
    """
    d, n = prefixes.columns.shape
    D, best = np.empty((1, n)), np.empty(k)
    for q in range(queries.size):
        D[0] = prefixes.begin
        for f in range(d):
            add_column(prefixes, f, queries[q], D, 0)
            best[:] = np.inf
            for j in range(n):
                if D[0, j] < best[k - 1]:
                    insert(best, k, D[0, j])
            border = best[k - 1]
            low, high = border / (1 + TIE) ** 2, border * (1 + TIE) ** 2
            nearer, tied, n_nearer, n_tied = 0.0, 0.0, 0, 0
            for j in range(n):
                if D[0, j] < low:
                    nearer += target[j]
                    n_nearer += 1
                elif D[0, j] <= high:
                    tied += target[j]
                    n_tied += 1
            means[q, f] = (nearer + tied / n_tied * (k - n_nearer)) / k
