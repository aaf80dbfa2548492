"""From screened keys to certain neighbours."""

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.bounds import uncertain_entries
from widemargin.kernels.constants import NEVER, ROW_BITS
from widemargin.kernels.distances import measure_distances
from widemargin.kernels.ties import rank_ties, share_ties


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
    measure, metric, first_borders = rule.measure, rule.metric, rule.borders
    for q in range(queries.rows.size):
        i, label = queries.rows[q], queries.labels[q]
        for slot in range(counts.shape[1]):
            there = members[label, slot]
            wanted = min(rule.k, there)
            held, border = _sorted(candidates, place + q, slot, ids)
            if first_borders.size and border == first_borders[slot, place + q]:
                # All rows that are asked for are listed.
                wanted, border = min(wanted, held), NEVER
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
