"""Nearest rows with the first, the first two, … features, and what they predict."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit, tiny
from widemargin.kernels.records import TIE
from widemargin.kernels.simd import absolute, at_most, load, minimum, splat, store
from widemargin.kernels.ties import insert

LANES = 8  # query rows whose distances to a training row make one vector
GROUP = 4  # features that are added while a distance is in a register
FARTHEST = 1e150  # scaled values are no larger, so that squares stay finite
NO_TIE = 1 + 4 * TIE  # squared distances that are farther apart are no tie


class Prefixes(NamedTuple):
    """Training and query rows whose features are in the order of a ranking."""

    columns: np.ndarray  # (d, m) numbers or codes of training rows, sorted by class
    queries: np.ndarray  # (d, Q) those of query rows
    nominal: np.ndarray  # (d,) which features hold codes
    starts: np.ndarray  # (C + 1,) first training row of each class, and m


@jit
def scale_columns(columns, order, rows, shift, factor, scaled):
    """scaled[f, j] = feature order[f] of row rows[j], shifted, then multiplied."""
    for f in range(order.size):
        column, low, by = columns[order[f]], shift[order[f]], factor[order[f]]
        for j in range(np.uint64(rows.size)):
            value = (column[np.uint64(rows[j])] - low) * by
            scaled[f, j] = min(max(value, -FARTHEST), FARTHEST)


@tiny
def _square(x, value, nominal):
    """Squared differences between values x, or codes, and another value."""
    t = x - splat(value, LANES)
    # Codes are whole numbers: two that differ do so by 1 at least.
    return minimum(absolute(t), splat(1.0, LANES)) if nominal else t * t


@inner
def _add_group(prefixes, f, first, a, before, after, least):
    """Add features f … f + 3 to squared distances from the rows of class a.

    least[a, e] are the smallest distances with features 0 … f + e.
    """
    columns, queries, nominal, starts = prefixes
    width = queries.shape[1]
    place, row = f * width + first, GROUP * LANES * a
    x0, x1 = load(queries, place, LANES), load(queries, place + width, LANES)
    x2 = load(queries, place + 2 * width, LANES)
    x3 = load(queries, place + 3 * width, LANES)
    k0, k1, k2, k3 = nominal[f], nominal[f + 1], nominal[f + 2], nominal[f + 3]
    least0 = least1 = least2 = least3 = splat(np.inf, LANES)
    for j in range(np.uint64(starts[a]), np.uint64(starts[a + 1])):
        distance = load(before, LANES * j, LANES) + _square(x0, columns[f, j], k0)
        least0 = minimum(distance, least0)
        distance += _square(x1, columns[f + 1, j], k1)
        least1 = minimum(distance, least1)
        distance += _square(x2, columns[f + 2, j], k2)
        least2 = minimum(distance, least2)
        distance += _square(x3, columns[f + 3, j], k3)
        least3 = minimum(distance, least3)
        store(distance, after, LANES * j)
    store(least0, least, row)
    store(least1, least, row + LANES)
    store(least2, least, row + 2 * LANES)
    store(least3, least, row + 3 * LANES)


@inner
def _majority(counts, starts):
    """The class that most of the tied rows have; then the more frequent, the lower."""
    best = 0
    for a in range(1, counts.size):
        more = counts[a] > counts[best]
        size, other = starts[a + 1] - starts[a], starts[best + 1] - starts[best]
        if more or (counts[a] == counts[best] and size > other):
            best = a
    return best


@inner
def _add_feature(prefixes, f, first, D):
    """Add feature f to the squared distances D from all rows."""
    columns, nominal = prefixes.columns, prefixes.nominal[f]
    x = load(prefixes.queries, f * prefixes.queries.shape[1] + first, LANES)
    for j in range(np.uint64(columns.shape[1])):
        distance = load(D, LANES * j, LANES) + _square(x, columns[f, j], nominal)
        store(distance, D, LANES * j)


@inner
def _count_within(D, starts, borders, counts):
    """counts[a] = rows of class a that are within the border of each query."""
    border = load(borders, 0, LANES)
    for a in range(starts.size - 1):
        count = splat(0.0, LANES)
        for j in range(np.uint64(starts[a]), np.uint64(starts[a + 1])):
            count += at_most(load(D, LANES * j, LANES), border)
        store(count, counts, LANES * a)


@inner
def _compare(nearest, labels, right, borders):
    """right[q] = whether a row of the class of query q is nearer than all others.

    ``nearest`` is (C, queries). If there are ties, which is returned, tied rows are
    those within borders[q]; that is −1 where there is none.
    """
    any_tie = False
    for q in range(labels.size):
        hit, miss = nearest[labels[q], q], np.inf
        for a in range(nearest.shape[0]):
            miss = miss if a == labels[q] else min(miss, nearest[a, q])
        near, far = min(hit, miss), max(hit, miss)
        tied = far < np.inf and far <= near * NO_TIE
        borders[q] = near * (1 + TIE) ** 2 if tied else -1.0
        right[q] = hit < miss
        any_tie |= tied
    return any_tie


@jit
def find_prefix_hits(prefixes, first, labels, right):
    """right[q, f] = whether query first + q has the class of its nearest row.

    Distances are those of the features 0 … f; two nominal values differ by 0 or 1. The
    class of rows that are equally near is that of most of them, then the one that is
    more frequent in the training rows, then the lower one. There are at most `LANES`
    labels; the number of features is a multiple of `GROUP`, that of queries of `LANES`.
    """
    starts, m = prefixes.starts, prefixes.columns.shape[1]
    C = starts.size - 1
    before, after = np.zeros((m, LANES)), np.empty((m, LANES))
    least, counts = np.empty((C, GROUP, LANES)), np.empty((C, LANES))
    borders = np.empty(LANES)
    for f in range(0, right.shape[1], GROUP):
        for a in range(C):
            _add_group(prefixes, f, first, a, before, after, least)
        added = f
        for e in range(f, f + GROUP):
            if not _compare(least[:, e - f], labels, right[:, e], borders):
                continue
            while added <= e:  # distances with features 0 … e were not kept
                _add_feature(prefixes, added, first, before)
                added += 1
            _count_within(before, starts, borders, counts)
            for q in range(labels.size):
                if borders[q] >= 0:
                    right[q, e] = _majority(counts[:, q], starts) == labels[q]
        before, after = after, before


@jit
def find_prefix_means(prefixes, queries, target, k, means):
    """Mean target of the k nearest rows of each query, with 1, 2, … features.

    Rows as near as the k-th (relatively `TIE`) share the places that nearer ones leave.
    ``means`` is (queries, d); there must be at least k training rows.
    """
    columns, nominal = prefixes.columns, prefixes.nominal
    d, m = means.shape[1], columns.shape[1]
    D, best = np.empty(m), np.empty(k)
    for q in range(queries.size):
        D[:] = 0
        for f in range(d):
            x = prefixes.queries[f, queries[q]]
            if nominal[f]:
                for j in range(np.uint64(m)):
                    D[j] += 0.0 if columns[f, j] == x else 1.0
            else:
                for j in range(np.uint64(m)):
                    t = x - columns[f, j]
                    D[j] += t * t
            best[:] = np.inf
            for j in range(m):
                if D[j] < best[k - 1]:
                    insert(best, k, D[j])
            border = best[k - 1]
            low, high = border / (1 + TIE) ** 2, border * (1 + TIE) ** 2
            nearer, tied, n_nearer, n_tied = 0.0, 0.0, 0, 0
            for j in range(m):
                if D[j] < low:
                    nearer += target[j]
                    n_nearer += 1
                elif D[j] <= high:
                    tied += target[j]
                    n_tied += 1
            means[q, f] = (nearer + tied / n_tied * (k - n_nearer)) / k
