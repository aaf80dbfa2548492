"""Rows packed in single precision, and tiles: blocks of distances between panels."""

import numpy as np
from numba import types

from widemargin.kernels._jit import by_type, inner, jit, tiny
from widemargin.kernels.records import EUCLIDEAN, LINE, MANHATTAN
from widemargin.kernels.simd import absolute, load, splat, store


@jit
def pack_rows(Z, centre, factor, packed, first, norms):
    """Copy rows of Z to places first, first + 1, … in single precision, in chunks.

    ``packed`` has shape (chunks, rows, length); places behind the last feature are left
    as they are. Returned are ‖z‖² and ‖z‖₁ in ``norms[:, r]``.
    """
    chunks, _, length = packed.shape
    for r in range(Z.shape[0]):
        squares, sizes = 0.0, 0.0
        for chunk in range(chunks):
            row, f0 = packed[chunk, first + r], np.uint64(chunk * length)
            for e in range(np.uint64(min(length, Z.shape[1] - chunk * length))):
                v = np.float32((Z[r, f0 + e] - centre[f0 + e]) * factor)
                row[e] = v
                squares += np.float64(v) * np.float64(v)
                sizes += abs(np.float64(v))
        norms[EUCLIDEAN, r] = squares
        norms[MANHATTAN, r] = sizes


@tiny
def _panel(packed, chunk, first, width):
    """Rows first … first + width − 1 of a chunk; keeps them known as contiguous."""
    return packed[chunk][first : first + width]


def _euclidean_tile(ours, first, theirs, offset, norms, shape, tile, part):
    """tile[r, c] = ‖a_r − b_c‖², one matrix product per chunk of features."""
    width = shape[1]
    side, top, left = np.uint64(width), np.uint64(first), np.uint64(offset)
    for chunk in range(ours.shape[0]):
        A, B = _panel(ours, chunk, first, width), _panel(theirs, chunk, offset, width)
        np.dot(A, B.T, part if chunk else tile)
        if chunk:
            for r in range(side):
                for c in range(side):
                    tile[r, c] += part[r, c]
    ours_norms, theirs_norms = norms
    for r in range(side):
        norm = np.float32(ours_norms[top + r])
        for c in range(side):
            key = norm + np.float32(theirs_norms[left + c])
            tile[r, c] = max(key - (tile[r, c] + tile[r, c]), np.float32(0))


@inner
def _add_manhattan(A, B, start, stop, tile, turned):
    """tile[r, c] += Σ |a_r − b_c| over features start … stop−1, 4 × 32 at a time."""
    width = tile.shape[1]
    for c in range(B.shape[0]):
        for f in range(start, stop):
            turned[f - start, c] = B[c, f]
    for r in range(0, A.shape[0], 4):
        for c in range(0, B.shape[0], 32):
            s = t = u = v = splat(np.float32(0), 32)
            for f in range(start, stop):
                z = load(turned, (f - start) * width + c, 32)
                s += absolute(splat(A[r, f], 32) - z)
                t += absolute(splat(A[r + 1, f], 32) - z)
                u += absolute(splat(A[r + 2, f], 32) - z)
                v += absolute(splat(A[r + 3, f], 32) - z)
            place = r * width + c
            # Added to the tile at the end: long sums would lose digits.
            store(load(tile, place, 32) + s, tile, place)
            place += width
            store(load(tile, place, 32) + t, tile, place)
            place += width
            store(load(tile, place, 32) + u, tile, place)
            place += width
            store(load(tile, place, 32) + v, tile, place)


def _manhattan_tile(ours, first, theirs, offset, norms, shape, tile, part):
    """tile[r, c] = ‖a_r − b_c‖₁ in the rows and columns that are filled."""
    height, width, filled = shape
    height, filled = height + -height % 4, filled + -filled % 32
    tile[:] = 0
    for chunk in range(ours.shape[0]):
        A = _panel(ours, chunk, first, height)
        B = _panel(theirs, chunk, offset, filled)
        for start in range(0, ours.shape[2], width):
            stop = min(start + width, ours.shape[2])
            _add_manhattan(A, B, start, stop, tile, part)


def fill_tile(ours, first, theirs, offset, norms, shape, tile, part):
    """Squared Euclidean distances if norms are given, Manhattan ones if None.

    If norms come with extras, what these add to the distances is added.
    """


def _mixed_tile(ours, first, theirs, offset, norms, shape, tile, part):
    """Any of them, and what nominal features and missing cells add."""
    fill_tile(ours, first, theirs, offset, norms.norms, shape, tile, part)
    _add_extras(norms, first, offset, shape, tile, part)


@by_type(fill_tile)
def _choose_tile(ours, first, theirs, offset, norms, shape, tile, part):
    if isinstance(norms, types.NoneType):
        return _manhattan_tile
    if isinstance(norms, types.BaseNamedTuple):
        return _mixed_tile
    return _euclidean_tile


@inner
def _add_mismatches(A, B, sizes, tile, turned):
    """tile[r, c] += Σ size · [a_r ≠ b_c]; NaN differs from nothing."""
    width, none = np.uint64(B.shape[0]), np.float32(0)
    for c in range(width):
        for f in range(B.shape[1]):
            turned[f, c] = B[c, f]
    for r in range(A.shape[0]):
        for f in range(B.shape[1]):
            code, size = A[r, f], sizes[f]
            for c in range(width):
                tile[r, c] += size if abs(code - turned[f, c]) > none else none


@inner
def _add_extras(norms, first, offset, shape, tile, part):
    """Add nominal features and missing cells to the filled part of a tile."""
    ours, theirs = norms.ours, norms.theirs
    height, width, filled = shape
    for chunk in range(ours.codes.shape[0]):
        A = _panel(ours.codes, chunk, first, height)
        B = _panel(theirs.codes, chunk, offset, width)
        _add_mismatches(A, B, ours.sizes[chunk], tile, part)
    starts, pairs, excess = ours.starts, ours.pairs, ours.excess
    wide, place = np.uint64(filled), np.uint64(offset)
    for r in range(height):
        for e in range(starts[first + r], starts[first + r + 1]):
            pair = pairs[e]
            for c in range(wide):
                tile[r, c] += excess[pair, place + c]
    starts, pairs, excess = theirs.starts, theirs.pairs, theirs.excess
    tall, place, side = np.uint64(height), np.uint64(first), np.uint64(LINE)
    # Whole lines of memory at a time: columns are far apart.
    for c0 in range(0, filled, LINE):
        if starts[offset + c0] == starts[min(offset + c0 + LINE, starts.size - 1)]:
            continue
        for c in range(LINE):
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
