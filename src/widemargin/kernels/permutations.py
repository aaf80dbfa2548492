"""Neighbours and sums under permuted labels."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.constants import TIE
from widemargin.kernels.distances import measure_distances
from widemargin.kernels.ties import is_nearer, is_within


class Shuffles(NamedTuple):
    """Permuted class labels of a table's rows, one permutation per row."""

    labels: np.ndarray  # (B, n) class codes
    members: np.ndarray  # (B, n) rows, class after class
    starts: np.ndarray  # (C + 1,) where the rows of each class begin in there


class Wanted(NamedTuple):
    """Which neighbours a query has, by its class, and what they count."""

    slots: np.ndarray  # (C, C) slot of [query class, row class], −1 for none
    counts: np.ndarray  # (C, S) neighbours wanted, of which there are enough
    walked: np.ndarray  # (C, S) whether to look among the nearest rows of any class
    coefficients: np.ndarray  # (C, S) what each wanted neighbour counts
    prefix: int  # how many nearest rows of any class to look at


class Found(NamedTuple):
    """Neighbours of one query under one permutation, as far as they are known."""

    places: np.ndarray  # rows
    slots: np.ndarray
    filled: np.ndarray  # (S,) how many of each slot are listed
    borders: np.ndarray  # (S,) distance of the last one wanted
    order: np.ndarray  # (n,) rows, nearest first, as many as are sorted
    distances: np.ndarray  # (n,) of every row


class Touched(NamedTuple):
    """Weighted neighbours of some queries under all permutations."""

    offsets: np.ndarray  # (m·B + 1,) entries of query q, permutation b: q·B + b
    places: np.ndarray  # place of each entry's row among the rows of its query
    weights: np.ndarray
    rows: np.ndarray  # rows that are a neighbour of a query under any permutation
    ends: np.ndarray  # (m + 1,) where the rows of each query begin and end


@inner
def _nearest_first(distances, prefix, order):
    """Sort rows up to about ``prefix`` of them, with all ties of the last.

    Returns how many, and the distance up to which none is left out.
    """
    n, limit, count = distances.size, np.inf, 0
    if prefix < n - 1:
        limit = np.partition(distances, prefix - 1)[prefix - 1] * (1 + 4 * TIE)
    for j in range(n):
        if distances[j] <= limit and distances[j] < np.inf:
            order[count] = j
            count += 1
    order[:count] = order[:count][np.argsort(distances[order[:count]])]
    return count, limit


@inner
def _walk(labels, slots, counts, walked, count, found):
    """List the nearest rows of each walked slot, going outwards, with ties.

    Returns how many were listed.
    """
    places, kinds, filled, borders, order, distances = found
    listed, unfilled, last = 0, 0, 0.0
    for s in range(counts.size):
        filled[s], borders[s] = 0, np.inf
        unfilled += walked[s]
    for e in range(count):
        j = order[e]
        if unfilled == 0 and distances[j] > last:
            break
        s = slots[labels[j]]
        if s < 0 or not walked[s] or not is_within(distances[j], borders[s]):
            continue
        places[listed], kinds[listed] = j, s
        listed += 1
        filled[s] += 1
        if filled[s] == counts[s]:
            borders[s] = distances[j]
            unfilled -= 1
            last = max(last, borders[s] * (1 + TIE))
    return listed


@inner
def _look_through(i, members, starts, slots, s, wanted, listed, found):
    """List the nearest rows of one slot from all of its members, with ties."""
    places, kinds, filled, borders, _, distances = found
    total, first = 0, listed
    for c in range(slots.size):
        if slots[c] == s:
            for m in range(starts[c], starts[c + 1]):
                if members[m] != i:
                    places[first + total] = members[m]
                    total += 1
    candidates = places[first : first + total]
    border = np.partition(distances[candidates], wanted - 1)[wanted - 1]
    for e in range(first, first + total):
        if is_within(distances[places[e]], border):
            places[listed], kinds[listed] = places[e], s
            listed += 1
    filled[s], borders[s] = listed - first, border
    return listed


@inner
def _drop(s, listed, found):
    """Take the rows of slot s off the list again."""
    places, kinds = found.places, found.slots
    kept = 0
    for e in range(listed):
        if kinds[e] != s:
            places[kept], kinds[kept] = places[e], kinds[e]
            kept += 1
    return kept


@inner
def _list_all(i, b, shuffles, wanted, count, limit, found):
    """List the neighbours of row i in every slot under permutation b."""
    label = shuffles.labels[b, i]
    slots, counts = wanted.slots[label], wanted.counts[label]
    walked, borders = wanted.walked[label], found.borders
    listed = _walk(shuffles.labels[b], slots, counts, walked, count, found)
    for s in range(counts.size):
        if counts[s] > 0 and not (walked[s] and borders[s] * (1 + TIE) <= limit):
            listed = _drop(s, listed, found)
            listed = _look_through(
                i,
                shuffles.members[b],
                shuffles.starts,
                slots,
                s,
                counts[s],
                listed,
                found,
            )
    return listed


@inner
def _weigh(listed, counts, coefficients, found, nearer, weights, first):
    """Weights of the listed rows: those tied at the border share what is left."""
    places, kinds, filled, borders, _, distances = found
    for s in range(counts.size):
        nearer[s] = 0
    for e in range(listed):
        nearer[kinds[e]] += is_nearer(distances[places[e]], borders[kinds[e]])
    for e in range(listed):
        s = kinds[e]
        weights[first + e] = coefficients[s]
        if not is_nearer(distances[places[e]], borders[s]):
            share = (counts[s] - nearer[s]) / (filled[s] - nearer[s])
            weights[first + e] *= share


@jit
def permuted_neighbors(metric, X, queries, shuffles, wanted, touched):
    """Write the neighbours of each query under every permutation of the labels.

    Distances do not depend on labels: they are measured, and the nearest rows put in
    order, once per query. Where the nearest rows of any class do not hold enough of a
    slot, its members are looked through instead. If there is too little room, the last
    offset is set to −1.

    Nothing is returned: Ctrl-C while Numba makes a Python object of an array ends in a
    crash.
    """
    n_shuffles, n = shuffles.labels.shape
    n_slots = wanted.counts.shape[1]
    offsets, places, weights, rows, ends = touched
    found = Found(
        np.empty(2 * n, np.int64),
        np.empty(2 * n, np.int64),
        np.empty(n_slots, np.int64),
        np.empty(n_slots),
        np.empty(n, np.int64),
        np.empty(n),
    )
    nearer, place = np.empty(n_slots, np.int64), np.full(n, -1, np.int32)
    near, distances, all_rows = found.places, found.distances, np.arange(n)
    offsets[0] = ends[0] = total = count_rows = 0
    for q in range(queries.size):
        i = queries[q]
        measure_distances(metric, X, i, all_rows, np.int64(0), n, distances)
        distances[i] = np.inf
        count, limit = _nearest_first(distances, wanted.prefix, found.order)
        for b in range(n_shuffles):
            listed = _list_all(i, b, shuffles, wanted, count, limit, found)
            if total + listed > places.size:
                offsets[-1] = -1
                return
            label = shuffles.labels[b, i]
            counts, coefficients = wanted.counts[label], wanted.coefficients[label]
            _weigh(listed, counts, coefficients, found, nearer, weights, total)
            for e in range(listed):
                j = near[e]
                if place[j] < 0:
                    place[j] = count_rows - ends[q]
                    rows[count_rows] = j
                    count_rows += 1
                places[total + e] = place[j]
            total += listed
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
