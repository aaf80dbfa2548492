"""The search: tiles are scanned into candidate lists, and these become neighbours.

A candidate list holds, for a query and a slot, every row whose key is below a border.
Keys are screened distances in single precision, each with an error bound.
"""

import numpy as np

from widemargin.kernels._jit import inner, jit, tiny
from widemargin.kernels.distances import measure_distances, rank_ties, share_ties
from widemargin.kernels.records import EUCLIDEAN, LINE, NEVER, ROW_BITS, TIE, UNIT
from widemargin.kernels.simd import below, load, lowest_bit, splat
from widemargin.kernels.tiles import fill_tile

RUN = 32  # keys that are compared with a border at once; panels have whole runs
ONE = np.uint64(1)


@inner
def _border(values, start, count, wanted, most):
    """A border that ``wanted`` to ``most`` of the values are below; more if tied.

    They are at places start, start + 1, … (unsigned: that lets the loops vectorise).
    """
    lo, hi = values[start], values[start]
    for e in range(np.uint64(count)):
        value = values[start + e]
        lo, hi = min(lo, value), max(hi, value)
    # Below lo there are fewer than wanted values, below hi at least as many.
    hi, below = hi + 1, count
    while below > most and hi - lo > 1:
        middle = lo + ((hi - lo) >> 1)
        number = 0
        for e in range(np.uint64(count)):
            number += values[start + e] < middle
        if number >= wanted:
            hi, below = middle, number
        else:
            lo = middle
    return hi


@inner
def _shrink(entries, start, count, wanted):
    """Cut a list to its ``wanted`` smallest entries and a few more.

    Returns the new length and a key that no dropped row lies below.
    """
    border = _border(entries, start, count, wanted, wanted + (wanted >> 2))
    kept = start
    for e in range(np.uint64(count)):
        entry = entries[start + e]
        entries[kept] = entry
        kept += np.uint64(entry < border)
    return np.int64(kept - start), np.int32(border >> 32)


@inner
def scan_rows(keys, shape, queries, first, offset, layout, candidates):
    """Offer the rows of a tile to the lists of queries from ``first`` on.

    ``shape`` is its height, its width, and how many of its columns are filled.
    """
    labels, starts, slots = layout.labels, layout.starts, layout.slots
    rows, classes = queries.rows, queries.labels
    entries, counts, borders = candidates.entries, candidates.counts, candidates.borders
    length, wanted = candidates.length, candidates.wanted
    height, width, filled = shape
    for r in range(height):
        q = first + r
        itself = rows[q] - offset
        if 0 <= itself < filled:
            keys[r, itself] = NEVER
        for c in range(labels[offset], labels[offset + filled - 1] + 1):
            slot = slots[classes[q], c]
            if slot < 0:
                continue
            lo, hi = max(starts[c] - offset, 0), min(starts[c + 1] - offset, filled)
            base = (slot * counts.shape[1] + q) * length
            count, border = counts[slot, q], borders[slot, q]
            for start in range(lo - lo % RUN, hi, RUN):
                run = load(keys, r * width + start, RUN)
                inside = (ONE << min(hi - start, RUN)) - (ONE << max(lo - start, 0))
                near = below(run, splat(border, RUN)) & inside
                while near != 0:
                    column = start + np.int64(lowest_bit(near))
                    near &= near - ONE  # without its lowest bit
                    key, row = np.int64(keys[r, column]), offset + column
                    entries[base + count] = key << 32 | row
                    count += 1
                    if count == length:
                        count, border = _shrink(entries, np.uint64(base), count, wanted)
                        near &= below(run, splat(border, RUN))
            counts[slot, q], borders[slot, q] = count, border


@inner
def key_error(metric, key, norm, largest, depth):
    """How far a key near ``key`` may be from the true value, for any row.

    A row b whose norm exceeds ‖a‖ + reach is truly farther than any distance in
    question, so only smaller norms matter.
    """
    key = max(key, 0.0)
    if metric == EUCLIDEAN:
        unit = (0.5 * depth + 8) * UNIT
        reach = 2 * np.sqrt(key + 16 * unit * norm * norm)
        size = norm + min(largest, norm + reach)
        return unit * size * size + 1e-30
    reach = 2 * key + 8 * UNIT * norm
    size = norm + min(largest, norm + reach)
    return depth * UNIT * key + 2 * UNIT * size + 1e-30


@tiny
def _key(entry):
    """The key of an entry, as the number it is."""
    return np.float64(np.int32(entry >> 32).view(np.float32))


@inner
def uncertain_entries(metric, ordered, held, wanted, q, bound):
    """Entries first … last−1 that may or may not be among the ``wanted`` nearest.

    Those before are surely inside. ``last`` is −1 if rows that are not listed, whose
    keys are at least that of ordered[held], might be inside as well.
    """
    middle, norm = _key(ordered[wanted - 1]), bound.norms[q]
    error = key_error(metric, middle, norm, bound.largest, bound.depth)
    low, high = middle - error, (middle + error) * (1 + 4 * TIE)
    low -= 4 * TIE * abs(low)
    first = 0
    while first < wanted - 1 and _key(ordered[first]) + error < low:
        first += 1
    last = wanted
    if _surely_at_least(metric, _key(ordered[held]), q, bound) <= high:
        return first, -1
    while (
        last < held and _surely_at_least(metric, _key(ordered[last]), q, bound) <= high
    ):
        last += 1
    return first, last


@inner
def _surely_at_least(metric, key, q, bound):
    """What the distance to a row with this key is not below."""
    if key == np.inf:
        return key
    return key - key_error(metric, key, bound.norms[q], bound.largest, bound.depth)


@inner
def _transpose(tile, turned):
    """turned[c, r] = tile[r, c], from as many rows at a time as fill a cache line."""
    width, side = np.uint64(tile.shape[0]), np.uint64(LINE)
    for start in range(np.uint64(0), width, side):
        for c in range(width):
            for r in range(start, start + side):
                turned[c, r] = tile[r, c]


@jit
def search_pairs(packed, norms, corners, queries, layout, candidates, tile):
    """All pairs of rows top … bottom−1 with rows left … right−1, both ways.

    Each tile serves the queries of both of its panels, so that the pairs above the
    diagonal are enough. ``corners`` are whole panels. Squared Euclidean distances if
    the rows' squared norms are given, Manhattan distances if ``norms`` is None.
    """
    top, bottom, left, right = corners
    values, turned = tile.values, tile.turned
    n, width = layout.labels.size, values.shape[0]
    for first in range(top, bottom, width):
        for offset in range(max(first, left), right, width):
            shape = min(width, n - first), width, min(width, n - offset)
            fill_tile(packed, first, packed, offset, norms, shape, values, turned)
            scan_rows(tile.keys, shape, queries, first, offset, layout, candidates)
            if offset == first:
                continue
            _transpose(values, turned)
            shape, keys = (shape[2], width, shape[0]), tile.turned_keys
            scan_rows(keys, shape, queries, offset, first, layout, candidates)


@jit
def search_panel(packed, norms, ours, first, queries, layout, candidates, tile):
    """All rows against a panel of queries, first, first + 1, …; ``ours`` are all.

    ``norms`` are the squared norms of ``ours`` and ``packed``; None as above.
    """
    n, width = layout.labels.size, tile.values.shape[0]
    height = min(width, queries.rows.size - first)
    for offset in range(0, n, width):
        shape = height, width, min(width, n - offset)
        fill_tile(ours, first, packed, offset, norms, shape, tile.values, tile.turned)
        scan_rows(tile.keys, shape, queries, first, offset, layout, candidates)


@inner
def _sorted(candidates, q, slot, ordered):
    """The smallest entries of a list in order.

    Returns how many there are and a key that no other row lies below.
    """
    entries, counts, length = candidates.entries, candidates.counts, candidates.length
    border, held = candidates.borders[slot, q], 0
    start = (slot * counts.shape[1] + q) * length
    most = candidates.wanted + (candidates.wanted >> 2)
    for place in range(start, start + counts[slot, q]):
        entry, p = entries[place], held
        if held < most:
            held += 1
        else:
            p -= 1
            border = min(border, np.int32(max(entry, ordered[p]) >> 32))
            if entry > ordered[p]:
                continue
        while p > 0 and entry < ordered[p - 1]:
            ordered[p] = ordered[p - 1]
            p -= 1
        ordered[p] = entry
    return held, border


@inner
def _sort(values, ids, first, last):
    """Sort entries first … last−1 by value; they are nearly in order."""
    for e in range(first + 1, last):
        value, j = values[e], ids[e]
        p = e
        while p > first and value < values[p - 1]:
            values[p] = values[p - 1]
            ids[p] = ids[p - 1]
            p -= 1
        values[p] = value
        ids[p] = j


@inner
def _store(lists, start, ids, weight, exact, last):
    """Write the entries that count, by ascending row number; returns how many."""
    rows, share, distances = lists.ids, lists.share, lists.distances
    stop = start
    for e in range(last):
        if weight[e] > 0.0:
            j, p = ids[e], stop
            while p > start and j < rows[p - 1]:
                rows[p], share[p] = rows[p - 1], share[p - 1]
                if distances.size:
                    distances[p] = distances[p - 1]
                p -= 1
            rows[p], share[p] = j, weight[e]
            if distances.size:
                distances[p] = exact[e]
            stop += 1
    return stop - start


@jit
def resolve(X, queries, candidates, place, bound, rule, length, lists, scratch):
    """Turn the screened keys of each query and slot into certain neighbours.

    The lists of the queries are at place, place + 1, … and become lists with ``length``
    places each. Their counts are 0 before.
    """
    ids, ranks = scratch.ids, scratch.ranks
    weight, exact = scratch.weight, scratch.exact
    counts, members, rank = lists.counts, rule.members, rule.rank
    measure, metric = rule.measure, rule.metric
    for q in range(queries.rows.size):
        i, label = queries.rows[q], queries.labels[q]
        for slot in range(counts.shape[1]):
            there = members[label, slot]
            wanted = min(rule.k, there)
            held, border = _sorted(candidates, place + q, slot, ids)
            if wanted == 0:
                continue
            ids[held] = np.int64(NEVER if held == there else border) << 32
            first, last = uncertain_entries(metric, ids, held, wanted, q, bound)
            if last < 0:
                counts[q, slot] = -1
                continue
            first = 0 if measure else first
            for e in range(last):
                ids[e] &= ROW_BITS
                weight[e] = 1.0
            if last > wanted or measure:
                measure_distances(metric, X, i, ids, first, last, exact)
                _sort(exact, ids, first, last)
                border = exact[wanted - 1]
                share_ties(exact, first, last, wanted - first, border, weight)
                if rank.size:
                    for e in range(first, last):
                        ranks[e] = rank[ids[e]]
                    rank_ties(ranks, first, last, weight)
            start = (q * counts.shape[1] + slot) * length
            counts[q, slot] = _store(lists, start, ids, weight, exact, last)
