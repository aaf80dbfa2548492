"""Nearest rows with the first, the first two, … features, and what they predict."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.constants import INFINITE, TIE
from widemargin.kernels.merge import insert

NO_TIE = 1 + 4 * TIE  # squared distances that are farther apart are no tie


@inner
def _majority(counts, prior):
    """The class that most of the tied rows have; then the more frequent, the lower."""
    best = 0
    for a in range(1, counts.size):
        more = counts[a] > counts[best]
        if more or (counts[a] == counts[best] and prior[a] > prior[best]):
            best = a
    return best


class Prefixes(NamedTuple):
    """A table whose features are in the order of a ranking."""

    columns: np.ndarray  # (d, n) numbers or codes
    nominal: np.ndarray  # (d,) which of them hold codes
    begin: np.ndarray  # (n,) 0, or ∞ for a row that is not to be a neighbour
    labels: np.ndarray  # (n,) class of each row; rows are sorted by it
    starts: np.ndarray  # (C + 1,) first row of each class, and n


@inner
def _add_column(prefixes, f, i, D, q):
    """Add what row i differs by from all others in feature f to D[q], squared."""
    columns = prefixes.columns
    n, x = np.uint64(columns.shape[1]), columns[f, i]
    if prefixes.nominal[f]:
        for j in range(n):
            D[q, j] += 0.0 if columns[f, j] == x else 1.0
    else:
        for j in range(n):
            t = x - columns[f, j]
            D[q, j] += t * t


@inner
def _least(values, start, stop):
    """The smallest of values[start … stop−1], none of which is negative; ∞ for none.

    As integers, whose minimum the compiler finds several at a time: bit patterns of
    numbers that are not negative compare like these.
    """
    bits, least = values.view(np.int64), INFINITE
    for j in range(np.uint64(start), np.uint64(stop)):
        least = min(least, bits[j])
    return np.int64(least).view(np.float64)


@jit
def prefix_hits(prefixes, queries, prior, correct):
    """correct[f] = how many queries have the class of their nearest row.

    Distances are those of the features 0 … f; two nominal values differ by 0 or 1. The
    class of rows that are equally near is that of most of them, then the one that is
    more frequent by ``prior``, then the lower one.
    """
    labels, starts = prefixes.labels, prefixes.starts
    d, n = prefixes.columns.shape
    D, counts = np.empty((queries.size, n)), np.empty(prior.size, np.int64)
    for q in range(queries.size):
        D[q] = prefixes.begin
    for f in range(d):
        correct[f] = 0
        for q in range(queries.size):
            i = queries[q]
            _add_column(prefixes, f, i, D, q)
            lo, hi = starts[labels[i]], starts[labels[i] + 1]
            hit = _least(D[q], lo, hi)
            miss = min(_least(D[q], 0, lo), _least(D[q], hi, n))
            near, far = min(hit, miss), max(hit, miss)
            if far < np.inf and far <= near * NO_TIE:
                border = near * (1 + TIE) ** 2
                for a in range(prior.size):
                    counts[a] = 0
                    for j in range(starts[a], starts[a + 1]):
                        counts[a] += D[q, j] <= border
                correct[f] += _majority(counts, prior) == labels[i]
            else:
                correct[f] += hit < miss


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
            _add_column(prefixes, f, queries[q], D, 0)
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
