"""Nearest neighbours with the first, the first two, … features."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.constants import DOUBLES, TIE
from widemargin.kernels.mixed_prefixes import FAR, majority
from widemargin.kernels.simd import load, min_lane, minimum, splat, store


class Prefixes(NamedTuple):
    """A table whose features are in the order of a ranking, for `prefix_hits`.

    Rows have their places in panels, each class in whole vectors.
    """

    panels: np.ndarray  # (P, d', WIDTH); d' is d filled up with zeros to whole steps
    begin: np.ndarray  # (P · WIDTH,) 0, or ∞ where there is nobody's neighbour
    places: np.ndarray  # (n,) where each row is
    labels: np.ndarray  # (n,) its class
    edges: np.ndarray  # (C + 1,) first place of each class


WIDTH = 256  # places of a panel: the distances of a few queries to it stay in cache
STEPS = (0, 1, 2, 3)  # features added before distances are written back


@inner
def _add_features(panels, place, D, row, span, x, least, first):
    """Add STEPS features to the distances of one query, and note the smallest ones.

    Feature e is panels.flat[place + e · WIDTH + c] of a row and x.flat[first + e], its
    distances are D[row + c], for c in a span of whole vectors. least.flat[first + e]
    comes down to the smallest distance with features up to e.
    """
    x, least = x.ravel(), least.ravel()
    x0, x1 = splat(x[first], DOUBLES), splat(x[first + 1], DOUBLES)
    x2, x3 = splat(x[first + 2], DOUBLES), splat(x[first + 3], DOUBLES)
    best0 = best1 = best2 = best3 = splat(np.inf, DOUBLES)
    for c in range(span[0], span[1], DOUBLES):
        column = place + c
        distance = load(D, row + c, DOUBLES)
        t = x0 - load(panels, column, DOUBLES)
        distance += t * t
        best0 = minimum(distance, best0)
        t = x1 - load(panels, column + WIDTH, DOUBLES)
        distance += t * t
        best1 = minimum(distance, best1)
        t = x2 - load(panels, column + 2 * WIDTH, DOUBLES)
        distance += t * t
        best2 = minimum(distance, best2)
        t = x3 - load(panels, column + 3 * WIDTH, DOUBLES)
        distance += t * t
        best3 = minimum(distance, best3)
        store(distance, D, row + c)
    for e, best in enumerate((best0, best1, best2, best3)):
        least[first + e] = min(least[first + e], min_lane(best))


@jit
def pack_panel(columns, order, scaling, p, prefixes):
    """Fill panel p with the rows that have their places in it, scaled.

    Feature f is columns[order[f]]; scaling are what to subtract from each column, what
    to multiply it by, and the largest product.
    """
    panels, places, edges = prefixes.panels, prefixes.places, prefixes.edges
    shift, factor, limit = scaling
    begin = p * WIDTH
    first = np.searchsorted(edges, begin, "right") - 1
    last = np.searchsorted(edges, begin + WIDTH)
    for a in range(first, min(last, edges.size - 1)):
        low = np.searchsorted(places, max(edges[a], begin))
        high = np.searchsorted(places, min(edges[a + 1], begin + WIDTH))
        if low == high:
            continue
        place = places[low] - begin
        for f in range(order.size):
            g = order[f]
            for i in range(high - low):
                t = (columns[g, low + i] - shift[g]) * factor[g]
                panels[p, f, place + i] = max(min(t, limit), -limit)


@inner
def _rows_of_panels(prefixes, queries):
    """The features of some rows, each row's side by side."""
    panels, places = prefixes.panels, prefixes.places
    x = np.empty((queries.size, panels.shape[1]))
    for q in range(queries.size):
        place = places[queries[q]]
        for f in range(x.shape[1]):
            x[q, f] = panels[place // WIDTH, f, place % WIDTH]
    return x


@inner
def _room_for_distances(m):
    """An array for m queries by WIDTH places, and where its first cache line begins."""
    D = np.empty(m * WIDTH + DOUBLES)
    return D, -(D.ctypes.data // 8) % DOUBLES


@inner
def _begin_panel(prefixes, queries, p, D, start):
    """Distances of some rows to those of panel p without any feature."""
    begin, base = prefixes.begin, p * WIDTH
    for q in range(queries.size):
        row = start + q * WIDTH
        for c in range(WIDTH):
            D[row + c] = begin[base + c]


@inner
def _least_distances(prefixes, queries, hits, misses):
    """Squared distances of some rows to their nearest hits and misses.

    hits[q, f] is that of query q with features up to f; ∞ if there is none. The panels
    are gone through one by one, features inside, so that the distances between the
    queries and a panel stay where they are.
    """
    panels, labels, edges = prefixes.panels, prefixes.labels, prefixes.edges
    P, d, _ = panels.shape
    x = _rows_of_panels(prefixes, queries)
    D, start = _room_for_distances(queries.size)
    ranges = np.empty((queries.size, 2), np.int64)
    hits[:], misses[:] = np.inf, np.inf
    for p in range(P):
        _begin_panel(prefixes, queries, p, D, start)
        base = p * WIDTH
        end = min(edges[-1] - base, WIDTH)
        for q in range(queries.size):
            for side in range(2):
                edge = edges[labels[queries[q]] + side] - base
                ranges[q, side] = min(max(edge, 0), end)
        for f in range(0, d, len(STEPS)):
            place = (p * d + f) * WIDTH
            for q in range(queries.size):
                lo, hi, row, e = (
                    ranges[q, 0],
                    ranges[q, 1],
                    start + q * WIDTH,
                    q * d + f,
                )
                if lo > 0:
                    _add_features(panels, place, D, row, (0, lo), x, misses, e)
                if lo < hi:
                    _add_features(panels, place, D, row, (lo, hi), x, hits, e)
                if hi < end:
                    _add_features(panels, place, D, row, (hi, end), x, misses, e)


@inner
def _tied_counts(prefixes, query, borders, counts):
    """Count the rows of each class within some squared distances of a query.

    counts[f, a] is for class a, features up to f and the distance borders[f]; it stays
    as it is where that is negative.
    """
    panels, begin, edges = prefixes.panels, prefixes.begin, prefixes.edges
    place = prefixes.places[query]
    D = np.empty(WIDTH)
    for p in range(panels.shape[0]):
        base = p * WIDTH
        for c in range(WIDTH):
            D[c] = begin[base + c]
        first = np.searchsorted(edges, base, "right") - 1
        last = np.searchsorted(edges, base + WIDTH)
        for f in range(counts.shape[0]):
            x = panels[place // WIDTH, f, place % WIDTH]
            for c in range(WIDTH):
                t = x - panels[p, f, c]
                D[c] += t * t
            if borders[f] < 0.0:
                continue
            for a in range(first, min(last, edges.size - 1)):
                low = max(edges[a] - base, 0)
                high = min(edges[a + 1] - base, WIDTH)
                for c in range(low, high):
                    counts[f, a] += D[c] <= borders[f]


@jit
def prefix_hits(prefixes, queries, prior, correct):
    """correct[f] = how many queries have the class of their nearest row.

    Distances are those of the features 0 … f. The class of rows that are equally near
    is that of most of them, then the one that is more frequent by ``prior``, then the
    lower one.
    """
    labels, d = prefixes.labels, correct.size
    shape = queries.size, prefixes.panels.shape[1]
    hits, misses = np.empty(shape), np.empty(shape)
    _least_distances(prefixes, queries, hits, misses)
    correct[:] = 0
    borders, counts = np.empty(d), np.empty((d, prior.size), np.int64)
    for q in range(shape[0]):
        until = 0
        for f in range(d):
            near, far = (
                min(hits[q, f], misses[q, f]),
                max(hits[q, f], misses[q, f]),
            )
            if far < np.inf and far <= near * FAR:
                borders[f] = near * (1 + TIE) ** 2
                until = f + 1
            else:
                borders[f] = -1.0
                correct[f] += hits[q, f] < misses[q, f]
        if until == 0:
            continue
        counts[:until] = 0
        _tied_counts(prefixes, queries[q], borders, counts[:until])
        for f in range(until):
            if borders[f] >= 0.0:
                correct[f] += majority(counts[f], prior) == labels[queries[q]]
