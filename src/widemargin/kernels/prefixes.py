"""Nearest rows with the best 1, 2, … features, and what they predict."""

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.distances import insert
from widemargin.kernels.records import TIE

SLACK = (1 + TIE) ** 2  # squared distances this close, relatively, are equal


@inner
def _add_features(columns, x, features, nominal, D):
    """Add some features to the squared distances D between x and all rows."""
    for f in features:
        column, value = columns[f], x[f]
        if nominal[f]:
            for j in range(np.uint64(D.size)):
                D[j] += 0.0 if column[j] == value else 1.0
        else:
            for j in range(np.uint64(D.size)):
                t = column[j] - value
                D[j] += t * t


@inner
def _smallest(D):
    """The smallest distance; four at a time, which need not wait for each other."""
    a = b = c = e = np.inf
    whole = D.size - D.size % 4
    for j in range(0, whole, 4):
        a, b = min(a, D[j]), min(b, D[j + 1])
        c, e = min(c, D[j + 2]), min(e, D[j + 3])
    for j in range(whole, D.size):
        a = min(a, D[j])
    return min(min(a, b), min(c, e))


@jit
def find_votes(columns, queries, nominal, order, sizes, codes, votes):
    """votes[s, q, a] = rows of class a that are nearest to query q.

    ``columns`` is (d, m), queries (Q, d); distances are those of the features
    order[: sizes[s]], sizes ascending. Equally near rows (relatively `TIE`) all vote.
    """
    D = np.empty(columns.shape[1])
    for q in range(len(queries)):
        D[:] = 0
        done = 0
        for s in range(sizes.size):
            added = order[done : sizes[s]]
            _add_features(columns, queries[q], added, nominal, D)
            done = sizes[s]
            border = _smallest(D) * SLACK
            for j in range(D.size):
                if D[j] <= border:
                    votes[s, q, codes[j]] += 1


@jit
def find_means(columns, queries, nominal, order, sizes, target, k, means):
    """means[s, q] = mean target of the k rows that are nearest to query q.

    ``target`` is (m, c), means (S, Q, c). As for `find_votes`. Rows as near as the k-th
    share the places that nearer ones leave. There must be at least k rows.
    """
    D, best = np.empty(columns.shape[1]), np.empty(k)
    nearer, tied = np.empty(target.shape[1]), np.empty(target.shape[1])
    for q in range(len(queries)):
        D[:] = 0
        done = 0
        for s in range(sizes.size):
            added = order[done : sizes[s]]
            _add_features(columns, queries[q], added, nominal, D)
            done = sizes[s]
            best[:] = np.inf
            for j in range(D.size):
                if D[j] < best[k - 1]:
                    insert(best, k, D[j])
            border = best[k - 1]
            nearer[:], tied[:], n_nearer, n_tied = 0.0, 0.0, 0, 0
            for j in range(D.size):
                if D[j] < border / SLACK:
                    for c in range(nearer.size):
                        nearer[c] += target[j, c]
                    n_nearer += 1
                elif D[j] <= border * SLACK:
                    for c in range(nearer.size):
                        tied[c] += target[j, c]
                    n_tied += 1
            for c in range(nearer.size):
                means[s, q, c] = (nearer[c] + tied[c] / n_tied * (k - n_nearer)) / k
