"""Tiles: blocks of distances between two panels of rows."""

from typing import NamedTuple

import numpy as np
from numba import types

from widemargin.kernels._jit import by_type, inner, tiny
from widemargin.kernels.blas import multiply
from widemargin.kernels.constants import LANES, WORDS
from widemargin.kernels.simd import load, splat, sum_lanes, widen


@tiny
def _panel(packed, chunk, first, width):
    """Rows first … first + width − 1 of a chunk; keeps them known as contiguous."""
    return packed[chunk][first : first + width]


def _euclidean_tile(ours, first, theirs, offset, norms, shape, tile, part):
    """tile[r, c] = ‖a_r − b_c‖², one matrix product per chunk of features."""
    width = shape[1]
    for chunk in range(ours.shape[0]):
        A = _panel(ours, chunk, first, width)
        multiply(A, _panel(theirs, chunk, offset, width), chunk > 0, tile)
    ours_norms, theirs_norms = norms
    beside = theirs_norms[offset : offset + width]
    for r in range(width):
        row, norm = tile[r], np.float32(ours_norms[first + r])
        for c in range(width):
            key = (norm + np.float32(beside[c])) - (row[c] + row[c])
            row[c] = max(key, np.float32(0))


@inner
def _long_manhattan_tile(A, B, tile, half):
    """tile[r, c] += ‖a_r − b_c‖₁, two rows by four columns at a time.

    Sums run along the features: best when there are many. ``half``: only c ≥ r is
    wanted.
    """
    for r in range(0, A.shape[0], 2):
        x, z = A[r], A[r + 1]
        upper, lower = tile[r], tile[r + 1]
        for c in range(r - r % 4 if half else 0, B.shape[0], 4):
            p, q, s, t = B[c], B[c + 1], B[c + 2], B[c + 3]
            xp = xq = xs = xt = zp = zq = zs = zt = np.float32(0)
            for e in range(x.size):
                xp += abs(x[e] - p[e])
                xq += abs(x[e] - q[e])
                xs += abs(x[e] - s[e])
                xt += abs(x[e] - t[e])
                zp += abs(z[e] - p[e])
                zq += abs(z[e] - q[e])
                zs += abs(z[e] - s[e])
                zt += abs(z[e] - t[e])
            upper[c] += xp
            upper[c + 1] += xq
            upper[c + 2] += xs
            upper[c + 3] += xt
            lower[c] += zp
            lower[c + 1] += zq
            lower[c + 2] += zs
            lower[c + 3] += zt


@inner
def _short_manhattan_tile(A, B, tile, part):
    """tile[r, c] += ‖a_r − b_c‖₁, two rows by four features at a time.

    Sums run along a row of the tile: best when features are few.
    """
    width, d = B.shape
    T = part[:d]  # B transposed
    for c in range(width):
        for f in range(d):
            T[f, c] = B[c, f]
    for r in range(0, A.shape[0], 2):
        x, z, upper, lower = A[r], A[r + 1], tile[r], tile[r + 1]
        for f in range(0, d, 4):
            x0, x1, x2, x3 = x[f], x[f + 1], x[f + 2], x[f + 3]
            z0, z1, z2, z3 = z[f], z[f + 1], z[f + 2], z[f + 3]
            b0, b1, b2, b3 = T[f], T[f + 1], T[f + 2], T[f + 3]
            for c in range(width):
                upper[c] += (abs(x0 - b0[c]) + abs(x1 - b1[c])) + (
                    abs(x2 - b2[c]) + abs(x3 - b3[c])
                )
                lower[c] += (abs(z0 - b0[c]) + abs(z1 - b1[c])) + (
                    abs(z2 - b2[c]) + abs(z3 - b3[c])
                )


@inner
def _add_counts(A, r, B, c, unit, tile):
    """tile[r + g, c + h] += unit · ‖A_r+g − B_c+h‖₁ for g < 2 and h < 4.

    A and B hold numbers from 0 to TOP, WORDS or a multiple of them in a row: sums of 16
    bits are enough, and twice as many are added at once as of single precision.
    """
    length = A.shape[1]
    xp = xq = xs = xt = zp = zq = zs = zt = splat(np.uint16(0), WORDS)
    for e in range(0, length, WORDS):
        x = load(A, r * length + e, WORDS)
        z = load(A, (r + 1) * length + e, WORDS)
        p = load(B, c * length + e, WORDS)
        q = load(B, (c + 1) * length + e, WORDS)
        s = load(B, (c + 2) * length + e, WORDS)
        t = load(B, (c + 3) * length + e, WORDS)
        xp, xq = xp + abs(x - p), xq + abs(x - q)
        xs, xt = xs + abs(x - s), xt + abs(x - t)
        zp, zq = zp + abs(z - p), zq + abs(z - q)
        zs, zt = zs + abs(z - s), zt + abs(z - t)
    for column, upper, lower in ((0, xp, zp), (1, xq, zq), (2, xs, zs), (3, xt, zt)):
        tile[r, c + column] += unit * np.float32(sum_lanes(widen(upper, np.int32)))
        tile[r + 1, c + column] += unit * np.float32(sum_lanes(widen(lower, np.int32)))


@inner
def _clear(tile):
    for r in range(tile.shape[0]):
        for c in range(tile.shape[1]):
            tile[r, c] = 0


@inner
def _mirror(tile, height):
    """Fill in what lies left of the diagonal."""
    for r in range(1, height):
        for c in range(r):
            tile[r, c] = tile[c, r]


def _counted_tile(ours, first, theirs, offset, norms, shape, tile, part):
    """tile[r, c] = ‖a_r − b_c‖₁ of rows that are multiples of a unit, ``norms``."""
    height, _, filled = shape
    height, filled = height + height % 2, filled + -filled % 4
    mirrored = ours is theirs and first == offset
    _clear(tile)
    for chunk in range(ours.shape[0]):
        A = _panel(ours, chunk, first, height)
        B = _panel(theirs, chunk, offset, filled)
        for r in range(0, height, 2):
            for c in range(r - r % 4 if mirrored else 0, filled, 4):
                _add_counts(A, r, B, c, norms, tile)
    if mirrored:
        _mirror(tile, height)


def _manhattan_tile(ours, first, theirs, offset, norms, shape, tile, part):
    """tile[r, c] = ‖a_r − b_c‖₁ in the rows and columns that are filled."""
    height, width, filled = shape
    height, filled = height + height % 2, filled + -filled % 4
    length = ours.shape[2]
    short = length <= 128 and length <= width
    mirrored = not short and ours is theirs and first == offset
    _clear(tile)
    for chunk in range(ours.shape[0]):
        A = _panel(ours, chunk, first, height)
        if short:
            _short_manhattan_tile(A, _panel(theirs, chunk, offset, width), tile, part)
        else:
            B = _panel(theirs, chunk, offset, filled)
            _long_manhattan_tile(A, B, tile, mirrored)
    if mirrored:
        _mirror(tile, height)


def fill_tile(ours, first, theirs, offset, norms, shape, tile, part):
    """Squared Euclidean distances if norms are given, Manhattan ones if None.

    A number instead is the unit of Manhattan distances that are counted. If norms come
    with extras, what these add to the distances is added.
    """


def _mixed_tile(ours, first, theirs, offset, norms, shape, tile, part):
    """Any of them, and what nominal features and missing cells add."""
    fill_tile(ours, first, theirs, offset, norms.norms, shape, tile, part)
    _add_extras(norms, first, offset, shape, tile, part)


@by_type(fill_tile)
def _choose_tile(ours, first, theirs, offset, norms, shape, tile, part):
    if isinstance(norms, types.NoneType):
        return _manhattan_tile
    if isinstance(norms, types.Float):
        return _counted_tile
    if isinstance(norms, types.BaseNamedTuple):
        return _mixed_tile
    return _euclidean_tile


class Extras(NamedTuple):
    """The same for the screen, in its units: what is added to tiles."""

    codes: np.ndarray  # (chunks, rows, length) float32, NaN where missing
    sizes: np.ndarray  # (chunks, length) what a difference of codes counts
    starts: np.ndarray  # (rows + 1,)
    pairs: np.ndarray  # (m,)
    excess: np.ndarray  # (P, rows of the other side) what a missing cell adds


class MixedNorms(NamedTuple):
    """Norms of both sides of a tile, or None, and the extras of both."""

    norms: tuple
    ours: Extras
    theirs: Extras


@inner
def _mismatch_tile(A, B, sizes, tile, part):
    """tile[r, c] += Σ size · [a_r ≠ b_c], four features at a time.

    NaN differs from nothing.
    """
    width, d = B.shape
    T, none = part[:d], np.float32(0)
    for c in range(width):
        for f in range(d):
            T[f, c] = B[c, f]
    for r in range(A.shape[0]):
        row = tile[r]
        for f in range(0, d, 4):
            x, y, z, w = A[r, f], A[r, f + 1], A[r, f + 2], A[r, f + 3]
            p, q, s, t = sizes[f], sizes[f + 1], sizes[f + 2], sizes[f + 3]
            b0, b1, b2, b3 = T[f], T[f + 1], T[f + 2], T[f + 3]
            for c in range(width):
                left = p if abs(x - b0[c]) > none else none
                left += q if abs(y - b1[c]) > none else none
                right = s if abs(z - b2[c]) > none else none
                right += t if abs(w - b3[c]) > none else none
                row[c] += left + right


@inner
def _add_extras(norms, first, offset, shape, tile, part):
    """Add nominal features and missing cells to the filled part of a tile."""
    ours, theirs = norms.ours, norms.theirs
    height, width, filled = shape
    for chunk in range(ours.codes.shape[0]):
        A = _panel(ours.codes, chunk, first, height)
        B = _panel(theirs.codes, chunk, offset, width)
        _mismatch_tile(A, B, ours.sizes[chunk], tile, part)
    starts, pairs, excess = ours.starts, ours.pairs, ours.excess
    wide, place = np.uint64(filled), np.uint64(offset)
    for r in range(height):
        for e in range(starts[first + r], starts[first + r + 1]):
            pair = pairs[e]
            for c in range(wide):
                tile[r, c] += excess[pair, place + c]
    starts, pairs, excess = theirs.starts, theirs.pairs, theirs.excess
    tall, place, side = np.uint64(height), np.uint64(first), np.uint64(LANES)
    # Whole lines of memory at a time: columns are far apart.
    for c0 in range(0, filled, LANES):
        if starts[offset + c0] == starts[min(offset + c0 + LANES, starts.size - 1)]:
            continue
        for c in range(LANES):
            for r in range(tall):
                part[c, r] = 0
            if c0 + c < filled:
                for e in range(starts[offset + c0 + c], starts[offset + c0 + c + 1]):
                    pair = pairs[e]
                    for r in range(tall):
                        part[c, r] += excess[pair, place + r]
        line = np.uint64(c0)
        for r in range(tall):
            for c in range(side):
                tile[r, line + c] += part[c, r]
