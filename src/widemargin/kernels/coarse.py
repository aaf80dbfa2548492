"""Rows rounded to bytes, to find those that may invade."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit


class Coarse(NamedTuple):
    """Rows rounded to bytes, SIDE of them side by side.

    Features with the largest share of distances come first.
    """

    cells: np.ndarray  # (groups, D, SIDE) uint8; D is d filled up to whole parts
    columns: np.ndarray  # (d,) feature of each column
    low: np.ndarray  # (d,) value of a cell 0 of each column
    step: np.ndarray  # (d,) value of one unit of each column


SIDE = 64  # rows of a group; a cell of all of them is one cache line
PART = 32  # columns after which rows that are out are counted
# Looking at one row in full costs as much as this many columns of a whole group.
ALONE = 12
# By how much rounding moves the root of a key: half a unit of the cells, and a little
# for the query in single precision.
ROUNDED = 0.5001


@jit
def round_rows(X, low, step, first, last, cells):
    """cells[g, f, l] = X[g · SIDE + l, f], rounded to bytes, for g = first … last−1."""
    n, d = X.shape
    side = SIDE
    for g in range(first, last):
        for f in range(d):
            for i in range(g * side, min(n, (g + 1) * side)):
                cells[g, f, i - g * side] = np.rint((X[i, f] - low[f]) / step[f])


@jit
def rearrange_cells(cells, columns, first, last, arranged):
    """arranged[g, c] = cells[g, columns[c]], for g = first … last−1."""
    for g in range(first, last):
        for c in range(columns.size):
            f = columns[c]
            for k in range(SIDE):
                arranged[g, c, k] = cells[g, f, k]


@inner
def coarse_weights(squares, coarse, spare, roots):
    """Weights of the cells' columns in single precision, their squares summing to 1.

    Returns the scale that makes it so.
    """
    columns, step, total = coarse.columns, coarse.step, 0.0
    for c in range(np.uint64(columns.size)):
        root = np.sqrt(squares[np.uint64(columns[c])]) * step[c]
        spare[c] = root
        total += root * root
    scale = 1 / np.sqrt(total) if total > 0 else 0.0
    for c in range(np.uint64(columns.size)):
        root = spare[c] * scale
        # Denormal numbers are slow, and a key that is too small only screens less.
        roots[c] = root if root > 1e-13 else 0.0
    return scale


@inner
def _add_columns(cells, g, first, last, query, roots, keys):
    """keys[l] += Σ (query_c − root_c · cell_l,c)² over columns first … last−1."""
    for c in range(first, last):
        q, root = query[c], roots[c]
        for k in range(np.uint64(SIDE)):
            t = q - root * np.float32(cells[g, c, k])
            keys[k] += t * t


@inner
def rows_that_may_invade(X, own, cells, cut, work, ids):
    """Rows outside the range ``own`` whose keys, from a query, are at most ``cut``.

    Returns how many there are, in ``ids``. ``work`` has the weights of the columns, the
    query in units of the cells, and room for the keys of a group. A group is given up
    as soon as the partial sums say that all of it is farther, and is not looked at
    further when few are left.
    """
    n, d = X.shape
    roots, query, keys = work
    width, side, columns, count = cells.shape[1], SIDE, PART, 0
    for g in range(cells.shape[0]):
        start = g * side
        if own[0] <= start and start + side <= own[1]:
            continue
        first, left = 0, side
        keys[:] = 0
        while first < width and left * d > ALONE * (width - first):
            _add_columns(cells, g, first, first + columns, query, roots, keys)
            first += columns
            left = 0
            for k in range(side):
                left += keys[k] <= cut
        for k in range(min(side, n - start) if left else 0):
            j = start + k
            if keys[k] <= cut and not own[0] <= j < own[1]:
                ids[count] = j
                count += 1
    return count


@inner
def round_query(X, i, coarse, roots, query):
    """Row i in units of the cells, weighted."""
    columns, low, step = coarse.columns, coarse.low, coarse.step
    for c in range(np.uint64(columns.size)):
        query[c] = (X[i, np.uint64(columns[c])] - low[c]) / step[c] * roots[c]
