"""The search: all tiles, scanned while they are hot."""

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.bounds import key_error
from widemargin.kernels.candidates import scan_rows
from widemargin.kernels.constants import EUCLIDEAN, LINE, TIE
from widemargin.kernels.tiles import fill_tile


@inner
def _transpose(tile, turned):
    """turned[c, r] = tile[r, c], from as many rows at a time as fill a cache line."""
    width, side = np.uint64(tile.shape[0]), np.uint64(LINE)
    for start in range(np.uint64(0), width, side):
        for c in range(width):
            for r in range(start, start + side):
                turned[c, r] = tile[r, c]


@jit
def search_pairs(packed, norms, corners, queries, layouts, both, tile):
    """All pairs of our rows top … bottom−1 with their rows left … right−1, both ways.

    Everything comes in pairs, ours and theirs, which may be the same. Our queries look
    among their rows, in their layout, and theirs among ours; each tile serves both. Of
    one table, the pairs above the diagonal are enough. ``corners`` are whole panels.
    Squared Euclidean distances if the rows' squared norms are given, Manhattan
    distances if ``norms`` is None.
    """
    ours, theirs = packed
    top, bottom, left, right = corners
    values, turned = tile.values, tile.turned
    n, m, width = layouts[0].labels.size, layouts[1].labels.size, values.shape[0]
    one_table = ours is theirs
    for first in range(top, bottom, width):
        for offset in range(max(first, left) if one_table else left, right, width):
            shape = min(width, n - first), width, min(width, m - offset)
            fill_tile(ours, first, theirs, offset, norms, shape, values, turned)
            scan_rows(tile.keys, shape, queries[0], first, offset, layouts[1], both[0])
            if one_table and offset == first:
                continue
            _transpose(values, turned)
            shape, keys = (shape[2], width, shape[0]), tile.turned_keys
            scan_rows(keys, shape, queries[1], offset, first, layouts[0], both[1])


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


@jit
def set_borders(metric, norms, bound, factor, reach, borders):
    """Let the lists of queries begin with a border: nothing beyond ``reach`` is asked.

    ``reach`` has shape (m, S); infinity for no border.
    """
    for q in range(reach.shape[0]):
        for slot in range(reach.shape[1]):
            key = reach[q, slot] * factor
            key = key * key if metric == EUCLIDEAN else key
            key *= 1 + 8 * TIE
            error = key_error(metric, key, norms[q], bound.largest, bound.depth)
            # Twice: the bound is for keys near this one, and the sum is rounded.
            key += 2 * error
            borders[slot, q] = np.float32(key)
