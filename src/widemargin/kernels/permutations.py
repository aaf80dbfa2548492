"""Neighbours and sums under permuted labels."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.distances import measure_distances
from widemargin.kernels.records import TIE
from widemargin.kernels.ties import is_nearer, is_within, kth_smallest


class Wanted(NamedTuple):
    """Which neighbours a query has, by its class, and what they count."""

    slots: np.ndarray  # (C, C) slot of [query class, row class], −1 for none
    counts: np.ndarray  # (C, S) neighbours wanted, of which there are enough
    coefficients: np.ndarray  # (C, S) what each wanted neighbour counts
    prefix: int  # how many nearest rows of any class hold them, nearly always


class Found(NamedTuple):
    """Neighbours of one query under one permutation."""

    rows: np.ndarray  # (n,)
    slots: np.ndarray  # (n,)
    filled: np.ndarray  # (S,) how many of each slot are listed
    borders: np.ndarray  # (S,) distance of the last one wanted


class Touched(NamedTuple):
    """Weighted neighbours of some queries under all permutations."""

    offsets: np.ndarray  # (m·B + 1,) entries of query q, permutation b: q·B + b
    places: np.ndarray  # place of each entry's row among the rows of its query
    weights: np.ndarray
    rows: np.ndarray  # rows that are a neighbour of a query under any permutation
    ends: np.ndarray  # (m + 1,) where the rows of each query begin and end


@inner
def _sort(rows, distances):
    """Put the nearest first: Shell's sort. `np.argsort` takes seconds to compile."""
    gap = 1
    while gap < rows.size:
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for e in range(gap, rows.size):
            j, p = rows[e], e
            while p >= gap and distances[j] < distances[rows[p - gap]]:
                rows[p] = rows[p - gap]
                p -= gap
            rows[p] = j


@inner
def _nearest_first(distances, prefix, order):
    """Sort rows up to about ``prefix`` of them, with all ties of the last.

    Returns how many, and the distance up to which none is left out.
    """
    n, limit, count = distances.size, np.inf, 0
    if prefix < n - 1:
        limit = kth_smallest(distances.copy(), prefix) * (1 + 4 * TIE)
    for j in range(n):
        if distances[j] <= limit and distances[j] < np.inf:
            order[count] = j
            count += 1
    _sort(order[:count], distances)
    return count, limit


@inner
def _list_nearest(labels, slots, counts, nearest, limit, distances, found):
    """List the nearest rows of each slot, going outwards, with ties; how many.

    −1 if they are not all among the ``nearest``, which leave out none up to ``limit``.
    """
    rows, kinds, filled, borders = found
    listed, unfilled, last = 0, 0, 0.0
    for s in range(counts.size):
        filled[s], borders[s] = 0, np.inf
        unfilled += counts[s] > 0
    for j in nearest:
        if unfilled == 0 and distances[j] > last:
            return listed
        s = slots[labels[j]]
        if s < 0 or not is_within(distances[j], borders[s]):
            continue
        rows[listed], kinds[listed] = j, s
        listed += 1
        filled[s] += 1
        if filled[s] == counts[s]:
            borders[s] = distances[j]
            unfilled -= 1
            last = max(last, borders[s] * (1 + TIE))
    return listed if unfilled == 0 and last <= limit else -1


@inner
def _weigh(listed, counts, coefficients, distances, found, weights):
    """Weights of the listed rows: those tied at the border share what is left."""
    rows, kinds, filled, borders = found
    nearer = np.zeros(counts.size, np.int64)
    for e in range(listed):
        nearer[kinds[e]] += is_nearer(distances[rows[e]], borders[kinds[e]])
    for e in range(listed):
        s = kinds[e]
        weights[e] = coefficients[s]
        if not is_nearer(distances[rows[e]], borders[s]):
            weights[e] *= (counts[s] - nearer[s]) / (filled[s] - nearer[s])


@jit
def permuted_neighbors(metric, X, queries, labels, wanted, touched):
    """Write the neighbours of each query under every permutation of the labels.

    ``labels`` has a row for each permutation. Distances do not depend on them: they are
    measured, and the nearest rows put in order, once per query. Where the first of
    these do not do, all rows are put in order. If there is too little room, the last
    offset is set to −1.
    """
    (n_shuffles, n), n_slots = labels.shape, wanted.counts.shape[1]
    offsets, places, weights, rows, ends = touched
    found = Found(
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n_slots, np.int64),
        np.empty(n_slots),
    )
    near, place, order = found.rows, np.full(n, -1, np.int32), np.empty(n, np.int64)
    distances, all_rows = np.empty(n), np.arange(n)
    offsets[0] = ends[0] = total = count_rows = 0
    for q in range(queries.size):
        i = queries[q]
        measure_distances(metric, X, i, all_rows, np.int64(0), n, distances)
        distances[i] = np.inf
        count, limit = _nearest_first(distances, wanted.prefix, order)
        for b in range(n_shuffles):
            label = labels[b, i]
            slots, counts = wanted.slots[label], wanted.counts[label]
            listed = _list_nearest(
                labels[b], slots, counts, order[:count], limit, distances, found
            )
            if listed < 0:
                count, limit = _nearest_first(distances, n, order)
                listed = _list_nearest(
                    labels[b], slots, counts, order[:count], limit, distances, found
                )
            stop = total + listed
            if stop > places.size:
                offsets[-1] = -1
                return
            coefficients = wanted.coefficients[label]
            _weigh(listed, counts, coefficients, distances, found, weights[total:stop])
            for e in range(listed):
                j = near[e]
                if place[j] < 0:
                    place[j] = count_rows - ends[q]
                    rows[count_rows] = j
                    count_rows += 1
                places[total + e] = place[j]
            total = stop
            offsets[q * n_shuffles + b + 1] = total
        ends[q + 1] = count_rows
        for e in range(ends[q], count_rows):
            place[rows[e]] = -1


@jit
def permuted_sums(X, queries, touched, power, shuffles, features, differences, sums):
    """sums[b, f] += Σ weight · |x_query,f − x_row,f|^power over b's entries.

    Permutations shuffles[0] … shuffles[1]−1 and features[0] … features[1]−1 are summed.
    A query's differences are taken once for all permutations.
    """
    offsets, places, weights, rows, ends = touched
    first, last = np.uint64(features[0]), np.uint64(features[1])
    n_shuffles, width = (offsets.size - 1) // queries.size, last - first
    for q in range(queries.size):
        i = queries[q]
        for e in range(ends[q], ends[q + 1]):
            j, place = rows[e], e - ends[q]
            for f in range(width):
                t = abs(X[i, first + f] - X[j, first + f])
                differences[place, f] = t if power == 1 else t * t
        for b in range(shuffles[0], shuffles[1]):
            start = offsets[q * n_shuffles + b]
            stop = offsets[q * n_shuffles + b + 1]
            for e in range(start, stop):
                g, p = places[e], weights[e]
                for f in range(width):
                    sums[b, first + f] += p * differences[g, f]
