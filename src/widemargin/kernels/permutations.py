"""Neighbours and sums under permuted labels."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.distances import is_nearer, is_within
from widemargin.kernels.records import TIE


class Found(NamedTuple):
    """Neighbours of one query under one permutation."""

    places: np.ndarray  # (P,) among the nearest rows of any class
    slots: np.ndarray  # (P,)
    filled: np.ndarray  # (S,) how many of each slot are listed
    borders: np.ndarray  # (S,) distance of the last one wanted


@inner
def _list_nearest(labels, slots, counts, near, distances, found):
    """List the nearest rows of each slot, going outwards, with ties; how many.

    −1 if others than the rows in ``near``, which are no nearer, may be among them.
    """
    places, kinds, filled, borders = found
    listed, unfilled, last = 0, 0, 0.0
    for s in range(counts.size):
        filled[s], borders[s] = 0, np.inf
        unfilled += counts[s] > 0
    for e in range(near.size):
        if unfilled == 0 and distances[e] > last:
            return listed
        s = slots[labels[near[e]]]
        if s < 0 or not is_within(distances[e], borders[s]):
            continue
        places[listed], kinds[listed] = e, s
        listed += 1
        filled[s] += 1
        if filled[s] == counts[s]:
            borders[s] = distances[e]
            unfilled -= 1
            last = max(last, borders[s] * (1 + TIE))
    return -1


@inner
def _weigh(listed, counts, coefficients, distances, found, weights):
    """Weights of the listed rows: those tied at the border share what is left."""
    places, kinds, filled, borders = found
    nearer = np.zeros(counts.size, np.int64)
    for e in range(listed):
        nearer[kinds[e]] += is_nearer(distances[places[e]], borders[kinds[e]])
    for e in range(listed):
        s = kinds[e]
        weights[e] = coefficients[s]
        if not is_nearer(distances[places[e]], borders[s]):
            weights[e] *= (counts[s] - nearer[s]) / (filled[s] - nearer[s])


@jit
def permuted_neighbors(near, distances, queries, labels, wanted, touched):
    """Write the neighbours of each query under every permutation of the labels.

    ``labels`` has a row for each permutation. ``near``, (m, P), are the rows nearest to
    each query under any labels, the nearest first, with their distances. If there are
    too few of them, or there is too little room, the last offset is set to −1.
    """
    n_shuffles, n = labels.shape
    n_near, n_slots = near.shape[1], wanted.counts.shape[1]
    offsets, places, weights, rows, ends = touched
    found = Found(
        np.empty(n_near, np.int64),
        np.empty(n_near, np.int64),
        np.empty(n_slots, np.int64),
        np.empty(n_slots),
    )
    at, place = found.places, np.full(n, -1, np.int32)
    offsets[0] = ends[0] = total = count_rows = 0
    for q in range(queries.size):
        for b in range(n_shuffles):
            label = labels[b, queries[q]]
            slots, counts = wanted.slots[label], wanted.counts[label]
            listed = _list_nearest(
                labels[b], slots, counts, near[q], distances[q], found
            )
            stop = total + listed
            if listed < 0 or stop > places.size:
                offsets[-1] = -1
                return
            coefficients = wanted.coefficients[label]
            own = weights[total:stop]
            _weigh(listed, counts, coefficients, distances[q], found, own)
            for e in range(listed):
                j = near[q, at[e]]
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
