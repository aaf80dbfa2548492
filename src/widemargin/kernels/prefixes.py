"""Nearest neighbours with the first, the first two, … features."""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from widemargin.kernels._jit import alloca_once, for_range_slice, inner, jit
from widemargin.kernels.choose import greater, lesser
from widemargin.kernels.constants import TIE
from widemargin.kernels.mixed_prefixes import FAR, majority
from widemargin.kernels.vectors import (
    DOUBLES,
    data_pointers,
    integer,
    pointer_to_lanes,
    smaller_lanes,
    smallest_lane,
    splat_doubles,
)


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


def _accumulators(builder, value):
    """Code for one variable per step, all lanes set to a value."""
    vector = splat_doubles(builder, value)
    variables = [alloca_once(builder, vector.type) for _ in STEPS]
    for variable in variables:
        builder.store(vector, variable)
    return variables


def _distances_by_step(builder, panels, place, distances, x):
    """Code that adds STEPS squared differences to a vector of distances.

    Returns the distances after each feature. Feature e of a vector of rows is
    e · WIDTH elements after ``place``.
    """
    v = builder.load(distances, align=8)
    after = []
    for e in STEPS:
        column = pointer_to_lanes(builder, panels, place, integer(e * WIDTH))
        t = builder.fsub(x[e], builder.load(column, align=8))
        square = builder.fmul(t, t, flags=("contract",))
        v = builder.fadd(v, square, flags=("contract",))
        after.append(v)
    builder.store(v, distances, align=8)
    return after


# Numba looks for the smallest of many floats one by one, unless NaN is ruled out, which
# our flags do not; and it does not make vectors as wide as they come.
@intrinsic
def _add_features(typing_context, panels, place, D, row, span, x, least, first):
    """Add STEPS features to the distances of one query, and note the smallest ones.

    Feature e is panels.flat[place + e · WIDTH + c] of a row and x.flat[first + e], its
    distances are D[row + c], for c in a span of whole vectors. least.flat[first + e]
    comes down to the smallest distance with features up to e.
    """

    def code(context, builder, signature, args):
        columns, D, x, least = data_pointers(
            context, builder, signature, args, (0, 2, 5, 6)
        )
        place, row, first = args[1], args[3], args[7]
        start, stop = (builder.extract_value(args[4], e) for e in range(2))
        at = [builder.add(first, integer(e)) for e in STEPS]
        query = [splat_doubles(builder, builder.load(builder.gep(x, [p]))) for p in at]
        best = _accumulators(builder, ir.Constant(ir.DoubleType(), np.inf))
        with for_range_slice(builder, start, stop, integer(DOUBLES)) as (c, _):
            distances = pointer_to_lanes(builder, D, row, c)
            column = builder.add(place, c)
            after = _distances_by_step(builder, columns, column, distances, query)
            for e in STEPS:
                smaller = smaller_lanes(builder, after[e], builder.load(best[e]))
                builder.store(smaller, best[e])
        for e in STEPS:
            pointer = builder.gep(least, [at[e]])
            smallest = smallest_lane(builder, builder.load(best[e]))
            builder.store(
                smaller_lanes(builder, smallest, builder.load(pointer)), pointer
            )
        return context.get_dummy_value()

    pair = types.UniTuple(types.intp, 2)
    index = types.intp
    return types.none(panels, index, D, index, pair, x, least, index), code


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
    for a in range(first, lesser(last, edges.size - 1)):
        low = np.searchsorted(places, greater(edges[a], begin))
        high = np.searchsorted(places, lesser(edges[a + 1], begin + WIDTH))
        if low == high:
            continue
        place = places[low] - begin
        for f in range(order.size):
            g = order[f]
            for i in range(high - low):
                t = (columns[g, low + i] - shift[g]) * factor[g]
                panels[p, f, place + i] = greater(lesser(t, limit), -limit)


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
        end = lesser(edges[-1] - base, WIDTH)
        for q in range(queries.size):
            for side in range(2):
                edge = edges[labels[queries[q]] + side] - base
                ranges[q, side] = lesser(greater(edge, 0), end)
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
            for a in range(first, lesser(last, edges.size - 1)):
                low = greater(edges[a] - base, 0)
                high = lesser(edges[a + 1] - base, WIDTH)
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
                lesser(hits[q, f], misses[q, f]),
                greater(hits[q, f], misses[q, f]),
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
