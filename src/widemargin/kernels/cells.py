"""Rows rounded to bytes, to find those that may invade."""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from widemargin.kernels._jit import alloca_once, for_range, inner, jit
from widemargin.kernels.choose import lesser
from widemargin.kernels.constants import LANES
from widemargin.kernels.vectors import splat_lanes


class Coarse(NamedTuple):
    """Rows rounded to bytes, SIDE of them side by side, most telling features first."""

    cells: np.ndarray  # (groups, D, SIDE) uint8; D is d filled up to whole parts
    columns: np.ndarray  # (d,) feature of each column
    low: np.ndarray  # (d,) value of a cell 0 of each column
    step: np.ndarray  # (d,) value of one unit of each column


SIDE = 64  # rows of a group; a cell of all of them is one cache line


PART = 32  # columns after which rows that are out are counted


PARTS = 4  # of the search; sums over them do not depend on the size of a team


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
            for i in range(g * side, lesser(n, (g + 1) * side)):
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


# Left to itself, the compiler reads and writes the keys for every few columns.
@intrinsic
def _add_columns(typing_context, cells, place, query, roots, span, keys):
    """keys[l] += Σ (query_c − root_c · cell_l,c)² over the columns c of a span.

    Their cells begin at ``place`` of the flat array of cells.
    """

    def code(context, builder, signature, args):
        cells, queries, roots, keys = (
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip(signature.args, args, strict=True)
            if isinstance(kind, types.Array)
        )
        byte, whole, number = (
            ir.VectorType(kind, LANES)
            for kind in (ir.IntType(8), ir.IntType(32), ir.FloatType())
        )
        flags = ("contract",)

        def vectors(start, kind):
            places = [ir.Constant(ir.IntType(64), k) for k in range(0, SIDE, LANES)]
            return [
                builder.bitcast(builder.gep(start, [k]), kind.as_pointer())
                for k in places
            ]

        first, last = (builder.extract_value(args[4], k) for k in range(2))
        sums = [alloca_once(builder, number) for _ in vectors(keys, number)]
        for total, key in zip(sums, vectors(keys, number), strict=True):
            builder.store(builder.load(key, align=4), total)
        with for_range(builder, builder.sub(last, first)) as loop:
            column = builder.add(first, loop.index)
            q, r = (
                splat_lanes(builder, builder.load(builder.gep(a, [column])))
                for a in (queries, roots)
            )
            offset = builder.mul(loop.index, ir.Constant(ir.IntType(64), SIDE))
            here = builder.gep(cells, [builder.add(args[1], offset)])
            for total, cell in zip(sums, vectors(here, byte), strict=True):
                x = builder.zext(builder.load(cell, align=1), whole)
                x = builder.fmul(r, builder.sitofp(x, number), flags=flags)
                t = builder.fsub(q, x, flags=flags)
                square = builder.fmul(t, t, flags=flags)
                added = builder.fadd(builder.load(total), square, flags=flags)
                builder.store(added, total)
        for total, key in zip(sums, vectors(keys, number), strict=True):
            builder.store(builder.load(total), key, align=4)
        return context.get_dummy_value()

    index = types.intp
    pair = types.UniTuple(index, 2)
    return types.void(cells, index, query, roots, pair, keys), code


@inner
def rows_that_may_invade(X, own, cells, cut, thin, part, ids):
    """Rows outside the range ``own`` whose keys, from a query, are at most ``cut``.

    Only every PARTS-th group of rows is searched, beginning with ``part``. Returns how
    many rows there are, in ``ids``. A group is given up as soon as the partial sums say
    that all of it is farther, and is not looked at further when few are left.
    """
    n, d = X.shape
    roots, query, keys = thin
    width, side, columns, count = cells.shape[1], SIDE, PART, 0
    for g in range(part, cells.shape[0], PARTS):
        start = g * side
        if own[0] <= start and start + side <= own[1]:
            continue
        first, left = 0, side
        for k in range(side):
            keys[k] = 0
        while first < width and left * d > ALONE * (width - first):
            place = (g * width + first) * side
            _add_columns(cells, place, query, roots, (first, first + columns), keys)
            first += columns
            left = 0
            for k in range(side):
                left += keys[k] <= cut
        for k in range(lesser(side, n - start) if left else 0):
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
