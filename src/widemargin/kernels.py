"""All compiled code: scaling, neighbour search, edge sums, Simba, G-flip.

Everything that Numba compiles lives in this one file, because Numba's on-disk
cache does not notice when a function imported from another file changes. Nothing
compiles at import. The functions release the GIL and are single-threaded; threads
belong to the engine, which hands each of them its own rows, panels or restarts. Where
one short step follows another, a `Team` of threads goes through all of them together
and meets in compiled code.

How neighbours are found
------------------------
Rows are sorted by class and copied in single precision. A *panel* is a run of b rows;
the block of distances between two panels is a *tile*: one matrix product for squared
Euclidean distances, one sweep of 2 × 4 rows at a time for Manhattan ones.

              panel q                       every tile is used twice: its rows
            ┌─────────┐                     update the lists of panel p, its
    panel p │  tile   │ b × b distances     columns those of panel q, so half of
            └─────────┘                     the tiles are enough

A tile is scanned while it is hot. Each query row keeps, for each *slot* of the
relation (hits, misses, one slot per class …), an unsorted list that holds every row
whose approximate key lies below the list's *border*. A list that fills up is shrunk to
about its K smallest entries by bisection, and the border comes down. Keys are the bit
patterns of non-negative float32 numbers, which compare like the numbers do, and an
entry is a key with the row's number below it in one int64.

Arrays are taken out of their tuples once per tile and indexed in full in the loops: a
view, or a field of a tuple, costs Numba two atomic operations each time. They are taken
by name, at most three to a line: more make a tuple of their own, and whole tuples of
arrays, copied or passed on, are most of what there is to compile.

Single precision only *screens*. `resolve` turns keys into decisions: every key comes
with a rigorous error bound, rows that are surely inside or outside the k nearest are
taken as such, and the few in doubt are measured again in double precision by direct
differences. A list that is too short to be sure is reported, and the engine repeats
the search for that query with a longer one.
"""

import operator
import os
import threading
from _thread import allocate_lock, start_new_thread
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from widemargin._numba import (
    alloca_once,
    alloca_once_value,
    cached_njit,
    check_blas_return,
    for_range,
    for_range_slice,
    get_or_insert_function,
)

# Reassociation lets reductions vectorise. nnan and ninf stay off: NaN and infinity
# keep their meaning everywhere.
_FLAGS = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "nsz"},
}
_compiled = partial(cached_njit, no_cfunc_wrapper=True, **_FLAGS)
# For what only other compiled code calls: no entry from Python saves compile time.
inner = partial(_compiled, no_cpython_wrapper=True)
# Pasted into the caller, which is then compiled: for a line or two, or where compiling
# more on its own would be repeated in the only caller.
tiny = partial(inner, inline="always")


def jit(function):
    """Make a kernel: compiled code that Python calls.

    It returns a number or nothing. A NamedTuple is made by Python code, and where
    Ctrl-C interrupts that, Numba goes on with a null pointer.
    """
    kernel = _compiled(function)
    compile_for = kernel._compile_for_args

    def compile_checked(*args):
        code = compile_for(*args)
        for signature in kernel.nopython_signatures:
            kind = signature.return_type
            if not isinstance(kind, types.Number | types.Boolean | types.NoneType):
                raise TypeError(
                    f"Kernel {function.__name__} returns {kind}; kernels return a "
                    "number or nothing. Hand in an array to write to."
                )
        return code

    kernel._compile_for_args = partial(_compile_aside, compile_checked)
    return kernel


def _compile_aside(compile_for, *args):
    """Compile, or load from the cache, in a thread that signals do not reach.

    Python handles signals in the main thread. There, Ctrl-C could fall between two
    steps that Numba relies on to come together: between taking its compiler lock, for
    which other threads would then wait for ever, and noting that it has to release it.
    """
    if threading.current_thread() is not threading.main_thread():
        return compile_for(*args)
    outcome, ready = [], allocate_lock()
    ready.acquire()

    def work():
        try:
            result = compile_for(*args), None
        except BaseException as problem:
            result = None, problem
        outcome.append(result)
        ready.release()

    def wait():
        # What counts is the outcome; the lock only makes for a short wait.
        while not outcome:
            ready.acquire(timeout=0.1)

    start_new_thread(work, ())
    try:
        wait()
    except BaseException:
        # Python must not come to its end while code is being compiled.
        wait()
        raise
    ((code, problem),) = outcome
    if problem is not None:
        raise problem
    return code


EUCLIDEAN, MANHATTAN = 0, 1
LINEAR, SIGMOID, ZERO_ONE = 0, 1, 2

UNIT = 2.0**-24  # unit roundoff of float32
TIE = 1e-10  # distances this close, relatively, are the same distance
CHUNK = 512  # features summed in float32 before the sum is carried on
WORDS = 32  # whole numbers of 16 bits that are added at once
# The largest value of a feature that is counted: sums of a chunk stay below 2¹⁶.
TOP = 2**16 * WORDS // CHUNK - 1
LANES = 16  # keys compared at once; panels are a multiple of it
NEVER = np.float32(np.inf).view(np.int32)  # the key of a row that is not to be found
MOST, LOWER = np.int64(2**63 - 1), np.int64(2**32 - 1)  # of 64 bits, and of their half
INFINITE = np.float64(np.inf).view(np.int64)  # bits above are those of NaN


class Layout(NamedTuple):
    """Where the classes lie, and which slot of the relation a pair falls into."""

    labels: np.ndarray  # (n,) class of each row; rows are sorted by it
    starts: np.ndarray  # (C + 1,) first row of each class
    slots: np.ndarray  # (C, C) slot of [query class, row class], −1 for none


class Queries(NamedTuple):
    """Rows whose neighbours are sought."""

    rows: np.ndarray  # (m,) position of each query among the rows
    labels: np.ndarray  # (m,) its class


class Heap(NamedTuple):
    """The smallest keys of each query and slot: all below the border, unsorted."""

    entries: np.ndarray  # (S · m · L,) int64, key · 2³² + row
    length: int  # L, places of a list
    counts: np.ndarray  # (S, m) filled places
    borders: np.ndarray  # (S, m) int32; rows that are not listed have no smaller key


class Tile(NamedTuple):
    """Room for the keys of a panel of rows against another."""

    values: np.ndarray  # (width, width) float32; bits of numbers ≥ 0 compare like them
    turned: np.ndarray  # the same, for work on it and for its transpose
    lows: np.ndarray  # (width,) int64, of groups of keys

    @classmethod
    def empty(cls, width):
        """Room for panels of ``width`` rows; made here, it needs not be compiled."""
        pair = np.empty((2, width, width), np.float32)
        return cls(*pair, np.empty(width, np.int64))


class Doubt(NamedTuple):
    """What is needed to bound the error of a key."""

    norms: np.ndarray  # (m,) norm of each query, in the units of the screen
    largest: float  # largest norm of any row
    depth: float  # most float32 roundings that any summand goes through
    lost: np.ndarray  # (m,) what rounding of the rows may add, whatever the key


class Rule(NamedTuple):
    """What counts as a neighbour."""

    metric: int
    k: int
    members: np.ndarray  # (C, S) rows in each slot of a query of each class
    rank: np.ndarray  # (n,) tie-breaker, lowest wins; empty: tied rows share
    measure: bool  # exact distances are wanted
    borders: np.ndarray  # (S, m) that lists began with, NEVER for none; empty: no list


class Desk(NamedTuple):
    """Room to sort the entries of a list."""

    ids: np.ndarray  # (L,) int64; entries at first
    weight: np.ndarray  # (L,) float64
    exact: np.ndarray  # (L,) float64

    @classmethod
    def empty(cls, places):
        """Room for lists with that many places."""
        return cls(np.empty(places, np.int64), *np.empty((2, places)))


class Lists(NamedTuple):
    """Resolved neighbours of each query and slot."""

    counts: np.ndarray  # (m, S) length, or −1 where the heap was too short to tell
    ids: np.ndarray  # (m, S, K) ascending row numbers
    share: np.ndarray  # (m, S, K) weight of each
    distances: np.ndarray  # (m, S, K) exact distances; (m, S, 0) if not asked for

    def part(self, queries):
        """Lists of some queries, one behind the other, as compiled code wants them."""
        counts, *lists = (a[queries] for a in self)
        return Lists(counts, *(a.reshape(-1) for a in lists))


def _chosen_by(compare):
    """Compiled code for a choice between two numbers, whatever their types."""

    def choose(typing_context, a, b):
        kind = typing_context.unify_types(a, b)

        def code(context, builder, signature, args):
            x, y = (
                context.cast(builder, value, given, kind)
                for value, given in zip(args, signature.args, strict=True)
            )
            better = context.get_function(compare, types.boolean(kind, kind))
            return builder.select(better(builder, (y, x)), y, x)

        return kind(a, b), code

    return intrinsic(choose)


# `min` and `max` of two numbers; Numba's own are compiled for each pair of types.
lesser, greater = _chosen_by(operator.lt), _chosen_by(operator.gt)


@jit
def column_range(X, first, last, low, high, mean):
    """Smallest and largest value and (roughly summed) mean of columns first … last−1.

    They are infinity, −infinity and 0 before. The bounds are unsigned: an index that
    cannot be negative lets loops vectorise.
    """
    part = 1 / X.shape[0]
    for i in range(X.shape[0]):
        for f in range(first, last):
            v = X[i, f]
            low[f] = v if v < low[f] else low[f]
            high[f] = v if v > high[f] else high[f]
            mean[f] += v * part


@jit
def scale_rows(X, rows, shift, span, first, last, Z):
    """Z[r] = (X[rows[r]] − shift) / span for rows first … last−1."""
    for r in range(first, last):
        for f in range(X.shape[1]):
            Z[r, f] = (X[rows[r], f] - shift[f]) / span[f]


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
            for e in range(np.uint64(lesser(length, Z.shape[1] - chunk * length))):
                v = np.float32((Z[r, f0 + e] - centre[f0 + e]) * factor)
                row[e] = v
                squares += np.float64(v) * np.float64(v)
                sizes += abs(np.float64(v))
        norms[EUCLIDEAN, r] = squares
        norms[MANHATTAN, r] = sizes


@jit
def count_rows(Z, low, step, packed, first, lost):
    """Copy rows of Z to places first, first + 1, … as multiples of a step.

    lost[r] is the Manhattan distance between row r and its copy.
    """
    chunks, _, length = packed.shape
    for r in range(Z.shape[0]):
        lost[r] = 0.0
        for chunk in range(chunks):
            row, f0 = packed[chunk, first + r], chunk * length
            z, c = Z[r, f0 : f0 + length], low[f0 : f0 + length]
            s = 0.0
            for e in range(z.size):
                t = (z[e] - c[e]) / step
                count = np.rint(t)
                row[e] = count
                s += abs(t - count)
            lost[r] += s * step


# `np.dot` of two slices does the same, with as much to compile as all else in a tile.
@intrinsic
def _multiply(typing_context, ours, first, theirs, offset, chunk, product):
    """product[r, c] = ours[chunk, first + r] · theirs[chunk, offset + c].

    Chunks after the first are added to what is there.
    """

    def code(context, builder, signature, args):
        letter, index, number = ir.IntType(8), ir.IntType(64), ir.FloatType()
        place = letter.as_pointer()

        def panel(k):
            array = context.make_array(signature.args[k])(context, builder, args[k])
            rows, length = (builder.extract_value(array.shape, e) for e in (1, 2))
            row = builder.add(builder.mul(args[4], rows), args[k + 1])
            start = builder.gep(array.data, [builder.mul(row, length)])
            return builder.bitcast(start, place), length

        def held(value):
            return builder.bitcast(alloca_once_value(builder, value), place)

        target = context.make_array(product)(context, builder, args[5])
        height, width = (builder.extract_value(target.shape, e) for e in (0, 1))
        (A, length), (B, _) = panel(0), panel(2)
        begun = builder.icmp_signed("!=", args[4], index(0))
        one, kept = held(number(1)), held(builder.uitofp(begun, number))
        # BLAS counts columns first: what it makes of Bᵀ and A is the transpose.
        kind, turn, straight = (letter(ord(c)) for c in "stn")
        shape = [letter] * 3 + [index] * 3 + [place] + [place, index] * 2 + [place] * 2
        gemm = get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.IntType(32), [*shape, index]),
            "numba_xxgemm",
        )
        into = builder.bitcast(target.data, place)
        sizes, factors = (width, height, length), (one, B, length, A, length, kept)
        done = builder.call(gemm, [kind, turn, straight, *sizes, *factors, into, width])
        check_blas_return(context, builder, done)
        return context.get_dummy_value()

    at = types.intp
    return types.void(ours, at, theirs, at, at, product), code


@tiny
def _panel(packed, chunk, first, width):
    """Rows first … first + width − 1 of a chunk; keeps them known as contiguous."""
    return packed[chunk][first : first + width]


def _euclidean_tile(ours, first, theirs, offset, norms, shape, tile, part):
    """tile[r, c] = ‖a_r − b_c‖², one matrix product per chunk of features."""
    width = shape[1]
    for chunk in range(ours.shape[0]):
        _multiply(ours, first, theirs, offset, chunk, tile)
    ours_norms, theirs_norms = norms
    beside = theirs_norms[offset : offset + width]
    for r in range(width):
        row, norm = tile[r], np.float32(ours_norms[first + r])
        for c in range(width):
            key = (norm + np.float32(beside[c])) - (row[c] + row[c])
            row[c] = greater(key, np.float32(0))


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


# Whole numbers halve the work, and the compiler would make them wider than need be.
@intrinsic
def _add_counts(typing_context, A, r, B, c, unit, tile):
    """tile[r + g, c + h] += unit · ‖A_r+g − B_c+h‖₁ for g < 2 and h < 4.

    A and B hold numbers from 0 to TOP, WORDS or a multiple of them in a row.
    """

    def code(context, builder, signature, args):
        index = ir.IntType(64)
        ours, theirs, target = (
            context.make_array(signature.args[k])(context, builder, args[k])
            for k in (0, 2, 5)
        )
        length, width = (
            builder.extract_value(array.shape, 1) for array in (ours, target)
        )
        words = ir.VectorType(ir.IntType(16), WORDS)
        size = get_or_insert_function(
            builder.module,
            ir.FunctionType(words, [words, ir.IntType(1)]),
            f"llvm.abs.v{WORDS}i16",
        )

        def row(array, size, first, k):
            place = builder.mul(builder.add(first, index(k)), size)
            return builder.gep(array.data, [place])

        def load(line, start):
            place = builder.bitcast(builder.gep(line, [start]), words.as_pointer())
            return builder.load(place, align=2)

        rows = [row(ours, length, args[1], g) for g in range(2)]
        columns = [row(theirs, length, args[3], h) for h in range(4)]
        sums = [alloca_once(builder, words) for _ in range(8)]
        for total in sums:
            builder.store(ir.Constant(words, None), total)
        with for_range(builder, builder.udiv(length, index(WORDS))) as loop:
            start = builder.mul(loop.index, index(WORDS))
            a, b = ([load(line, start) for line in lines] for lines in (rows, columns))
            for total, (x, y) in zip(sums, product(a, b), strict=True):
                part = builder.call(size, [builder.sub(x, y), ir.IntType(1)(0)])
                builder.store(builder.add(builder.load(total), part), total)
        wide = ir.VectorType(ir.IntType(32), WORDS)
        add_up = get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.IntType(32), [wide]),
            f"llvm.vector.reduce.add.v{WORDS}i32",
        )
        for k, total in enumerate(sums):
            line = row(target, width, args[1], k // 4)
            place = builder.gep(line, [builder.add(args[3], index(k % 4))])
            count = builder.call(add_up, [builder.zext(builder.load(total), wide)])
            value = builder.fmul(builder.sitofp(count, ir.FloatType()), args[4])
            builder.store(builder.fadd(builder.load(place), value), place)
        return context.get_dummy_value()

    at = types.intp
    return types.void(A, at, B, at, types.float32, tile), code


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


def _tile(ours, first, theirs, offset, norms, shape, tile, part):
    """Squared Euclidean distances if norms are given, Manhattan ones if None.

    A number instead is the unit of Manhattan distances that are counted. If norms come
    with extras, what these add to the distances is added.
    """


def _mixed_tile(ours, first, theirs, offset, norms, shape, tile, part):
    """Any of them, and what nominal features and missing cells add."""
    _tile(ours, first, theirs, offset, norms.norms, shape, tile, part)
    _add_extras(norms, first, offset, shape, tile, part)


# With an `if` in its place, all kinds would be compiled each time.
_by_type = partial(overload, jit_options={**_FLAGS, "no_cfunc_wrapper": True})


@_by_type(_tile)
def _choose_tile(ours, first, theirs, offset, norms, shape, tile, part):
    if isinstance(norms, types.NoneType):
        return _manhattan_tile
    if isinstance(norms, types.Float):
        return _counted_tile
    if isinstance(norms, types.BaseNamedTuple):
        return _mixed_tile
    return _euclidean_tile


def _vector(context, builder, array_type, array, start):
    """Code that loads 32 bits LANES times from ``start`` of a contiguous array."""
    data = context.make_array(array_type)(context, builder, array).data
    vector = ir.VectorType(ir.IntType(32), LANES)
    place = builder.bitcast(builder.gep(data, [start]), vector.as_pointer())
    loaded = builder.load(place)
    loaded.align = 4
    return loaded


def _everywhere(builder, value):
    """Code that makes a vector of LANES times the same value."""
    undefined = ir.Constant(ir.VectorType(value.type, LANES), ir.Undefined)
    zero = ir.Constant(ir.IntType(32), 0)
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    first = builder.insert_element(undefined, value, zero)
    return builder.shuffle_vector(first, undefined, lanes)


def _mask(builder, smaller):
    """Code that turns a vector of comparisons into an integer, one bit each."""
    return builder.zext(builder.bitcast(smaller, ir.IntType(LANES)), ir.IntType(64))


# Numba does not turn a comparison of vectors into a bit mask on its own, and testing
# key by key costs more than computing the distances does.
@intrinsic
def _below_border(typing_context, keys, start, border):
    """Bit c says whether keys[start + c] < border, for c < LANES."""

    def code(context, builder, signature, args):
        loaded = _vector(context, builder, signature.args[0], args[0], args[1])
        border = _everywhere(builder, args[2])
        return _mask(builder, builder.icmp_signed("<", loaded, border))

    return types.int64(keys, types.intp, types.int32), code


@intrinsic
def _append(typing_context, entries, place, keys, start, row, mask):
    """Store the entries of keys[start + c], rows row + c, for each bit c of the mask.

    They go to places place, place + 1, … of the flat list ``entries``; without a
    branch, for which entries are to be stored is anybody's guess.
    """

    def code(context, builder, signature, args):
        wide = ir.VectorType(ir.IntType(64), LANES)
        loaded = _vector(context, builder, signature.args[2], args[2], args[3])
        high = builder.shl(builder.zext(loaded, wide), ir.Constant(wide, [32] * LANES))
        rows = builder.add(
            _everywhere(builder, args[4]), ir.Constant(wide, list(range(LANES)))
        )
        chosen = builder.bitcast(
            builder.trunc(args[5], ir.IntType(LANES)),
            ir.VectorType(ir.IntType(1), LANES),
        )
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        target = builder.gep(data, [args[1]])
        shape = ir.FunctionType(ir.VoidType(), [wide, target.type, chosen.type])
        name = f"llvm.masked.compressstore.v{LANES}i64"
        store = get_or_insert_function(builder.module, shape, name)
        builder.call(store, [builder.or_(high, rows), target, chosen])
        return builder.ctpop(args[5])

    index = types.intp
    return types.int64(entries, index, keys, index, index, types.int64), code


@tiny
def _within(mask, block, lo, hi):
    """Clear the bits of a block that lie outside lo … hi−1."""
    if block < lo:
        mask &= -1 << (lo - block)
    if block + LANES > hi:
        mask &= (1 << (hi - block)) - 1
    return mask


@inner
def _border(values, start, count, wanted, most):
    """A border that ``wanted`` to ``most`` of the values are below; more if tied.

    They are at places start, start + 1, … (unsigned: that lets the loops vectorise).
    """
    lo, hi = values[start], values[start]
    for e in range(np.uint64(count)):
        value = values[start + e]
        lo, hi = lesser(lo, value), greater(hi, value)
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


@tiny
def _kept(length):
    """How many entries a list with that many places keeps when it is cut."""
    return (length - LANES) >> 1


@intrinsic
def _bits(typing_context, numbers, place):
    """The bits of a number, counting row by row, as a number of their own."""

    def code(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        number = builder.load(builder.gep(data, [args[1]]))
        return builder.bitcast(number, ir.IntType(32))

    return types.int32(numbers, types.uintp), code


@inner
def _first_border(values, lo, hi, wanted, groups, lows):
    """A border with at least ``wanted`` of the keys lo … hi−1 below it, and few more.

    The keys are dealt out to groups; the ``wanted``-th smallest of the groups' minima
    is such a border. ``lows`` has room for them.
    """
    for g in range(np.uint64(groups)):
        lows[g] = _bits(values, np.uint64(lo) + g)
    for block in range(lo + groups, hi - groups + 1, groups):
        for g in range(np.uint64(groups)):
            lows[g] = lesser(lows[g], _bits(values, np.uint64(block) + g))
    border = _border(lows, np.uint64(0), groups, wanted, wanted + (wanted >> 3))
    return np.int32(lesser(border, NEVER))


@tiny
def _groups(wanted):
    """Groups that `_first_border` should deal keys to: whole vectors of them."""
    return (2 * wanted + LANES - 1) & -LANES


@inner
def _transpose(tile, turned):
    """turned[c, r] = tile[r, c], from as many rows at a time as fill a cache line."""
    width, side = np.uint64(tile.shape[0]), np.uint64(LANES)
    for start in range(np.uint64(0), width, side):
        for c in range(width):
            for r in range(start, start + side):
                turned[c, r] = tile[r, c]


@inner
def _scan_rows(values, shape, queries, first, offset, layout, heap, lows):
    """Offer the rows of a tile to the lists of queries from ``first`` on.

    ``shape`` is its height, its width, and how many of its columns are filled.
    """
    labels, starts, slots = layout.labels, layout.starts, layout.slots
    rows, classes = queries.rows, queries.labels
    entries, counts, borders = heap.entries, heap.counts, heap.borders
    height, width, filled = shape
    length = heap.length
    room, wanted = length - LANES, _kept(length)
    groups = _groups(wanted)
    for r in range(height):
        q, place = first + r, r * width
        itself = rows[q] - offset
        if 0 <= itself < filled:
            values[r, itself] = np.inf
        for c in range(labels[offset], labels[offset + filled - 1] + 1):
            slot = slots[classes[q], c]
            if slot < 0:
                continue
            lo = greater(starts[c] - offset, 0)
            hi = lesser(starts[c + 1] - offset, filled)
            base = (slot * counts.shape[1] + q) * length
            count, border = counts[slot, q], borders[slot, q]
            if border == NEVER and hi - lo >= 2 * groups:
                start, stop = place + lo, place + hi
                border = _first_border(values, start, stop, wanted, groups, lows)
            for block in range(lo & -LANES, hi, LANES):
                mask = _below_border(values, place + block, border)
                mask = _within(mask, block, lo, hi)
                if mask:
                    count += _append(
                        entries,
                        base + count,
                        values,
                        place + block,
                        offset + block,
                        mask,
                    )
                if count > room:
                    count, border = _shrink(entries, np.uint64(base), count, wanted)
            counts[slot, q], borders[slot, q] = count, border


@jit
def search_pairs(packed, norms, corners, queries, layout, heap, tile):
    """All pairs of rows top … bottom−1 with rows left … right−1, both ways.

    ``corners`` holds these numbers, whole panels. Squared Euclidean distances if the
    rows' squared norms are given (twice, as in `search_panel`), Manhattan distances if
    ``norms`` is None.
    """
    top, bottom, left, right = corners
    values, turned, lows = tile.values, tile.turned, tile.lows
    n, width = layout.labels.size, values.shape[0]
    for first in range(top, bottom, width):
        for offset in range(greater(first, left), right, width):
            shape = lesser(width, n - first), width, lesser(width, n - offset)
            _tile(packed, first, packed, offset, norms, shape, values, turned)
            near, far, block = first, offset, values
            # A loop, so that the scan is compiled into this function once.
            for side in range(1 if offset == first else 2):
                if side == 1:
                    _transpose(values, turned)
                    near, far, block = offset, first, turned
                    shape = shape[2], width, shape[0]
                _scan_rows(block, shape, queries, near, far, layout, heap, lows)


@jit
def search_panel(packed, norms, ours, first, queries, layout, heap, tile):
    """All rows against a panel of queries, first, first + 1, …; ``ours`` are all.

    ``norms`` are the squared norms of ``ours`` and ``packed``; None as above.
    """
    n, width = layout.labels.size, tile.values.shape[0]
    height = lesser(width, queries.rows.size - first)
    for offset in range(0, n, width):
        shape = height, width, lesser(width, n - offset)
        _tile(ours, first, packed, offset, norms, shape, tile.values, tile.turned)
        _scan_rows(tile.values, shape, queries, first, offset, layout, heap, tile.lows)


def _plain_distances(metric, X, i, ids, first, last, exact):
    """exact[e] = distance of rows i and ids[e] for e = first … last−1.

    In double precision, by direct differences.
    """
    for e in range(first, last):
        x, z, s = X[i], X[ids[e]], 0.0
        if metric == EUCLIDEAN:
            for f in range(x.size):
                t = x[f] - z[f]
                s += t * t
            s = np.sqrt(s)
        else:
            for f in range(x.size):
                s += abs(x[f] - z[f])
        exact[e] = s


@inner
def _error(metric, key, norm, largest, depth):
    """How far a key near ``key`` may be from the true value, whatever its row.

    A row b whose norm exceeds ‖a‖ + reach is truly farther than any distance in
    question, so only smaller norms matter.
    """
    key = greater(key, 0.0)
    if metric == EUCLIDEAN:
        unit = (0.5 * depth + 8) * UNIT
        reach = 2 * np.sqrt(key + 16 * unit * norm * norm)
        size = norm + lesser(largest, norm + reach)
        return unit * size * size + 1e-30
    reach = 2 * key + 8 * UNIT * norm
    size = norm + lesser(largest, norm + reach)
    return depth * UNIT * key + 2 * UNIT * size + 1e-30


@inner
def _sorted(heap, q, slot, ordered):
    """The smallest entries of a list in order.

    Returns how many there are and a key that no other row lies below.
    """
    entries, counts, length = heap.entries, heap.counts, heap.length
    border, held = heap.borders[slot, q], 0
    start = (slot * counts.shape[1] + q) * length
    wanted = _kept(length)
    most = wanted + (wanted >> 2)
    for place in range(start, start + counts[slot, q]):
        entry, p = entries[place], held
        if held < most:
            held += 1
        else:
            p -= 1
            border = lesser(border, np.int32(greater(entry, ordered[p]) >> 32))
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
def _settle(exact, ids, first, last, wanted, rank, weight):
    """Weights of sorted entries first … last−1, of which ``wanted`` count; 1 before.

    Entries tied with the last wanted one share what is left, or the lowest rank wins.
    """
    border = exact[first + wanted - 1]
    tied = first
    while exact[tied] < border * (1 - TIE):
        tied += 1
    end = tied
    while end < last and exact[end] <= border * (1 + TIE):
        end += 1
    left = first + wanted - tied
    for e in range(tied, last):
        weight[e] = left / (end - tied) if rank.size == 0 and e < end else 0.0
    for _ in range(left if rank.size else 0):
        best, lowest = tied, MOST
        for e in range(tied, end):
            r = rank[ids[e]]
            if weight[e] == 0.0 and r < lowest:
                best, lowest = e, r
        weight[best] = 1.0


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


@intrinsic
def _key(typing_context, entry):
    """The key of an entry, as the number it is."""

    def code(context, builder, signature, args):
        high = builder.lshr(args[0], ir.IntType(64)(32))
        bits = builder.trunc(high, ir.IntType(32))
        return builder.fpext(builder.bitcast(bits, ir.FloatType()), ir.DoubleType())

    return types.float64(types.int64), code


@inner
def _doubtful(metric, ordered, held, wanted, q, doubt):
    """Entries first … last−1 that may or may not be among the ``wanted`` nearest.

    Those before are surely inside. ``last`` is −1 if rows that are not listed, whose
    keys are at least that of ordered[held], might be inside as well.
    """
    middle, norm = _key(ordered[wanted - 1]), doubt.norms[q]
    error = _error(metric, middle, norm, doubt.largest, doubt.depth) + doubt.lost[q]
    low, high = middle - error, (middle + error) * (1 + 4 * TIE)
    low -= 4 * TIE * abs(low)
    first = 0
    while first < wanted - 1 and _key(ordered[first]) + error < low:
        first += 1
    last = wanted
    if _surely_at_least(metric, _key(ordered[held]), q, doubt) <= high:
        return first, -1
    while (
        last < held and _surely_at_least(metric, _key(ordered[last]), q, doubt) <= high
    ):
        last += 1
    return first, last


@inner
def _surely_at_least(metric, key, q, doubt):
    """What the distance to a row with this key is not below."""
    if key == np.inf:
        return key
    error = _error(metric, key, doubt.norms[q], doubt.largest, doubt.depth)
    return key - error - doubt.lost[q]


@jit
def resolve(X, queries, heap, place, doubt, rule, length, lists, desk):
    """Turn the screened keys of each query and slot into certain neighbours.

    The lists of the queries are at place, place + 1, … and become lists with ``length``
    places each. Their counts are 0 before.
    """
    ids, weight, exact = desk.ids, desk.weight, desk.exact
    counts, members, rank = lists.counts, rule.members, rule.rank
    measure, metric, first_borders = rule.measure, rule.metric, rule.borders
    for q in range(queries.rows.size):
        i, label = queries.rows[q], queries.labels[q]
        for slot in range(counts.shape[1]):
            there = members[label, slot]
            wanted = lesser(rule.k, there)
            held, border = _sorted(heap, place + q, slot, ids)
            if first_borders.size and border == first_borders[slot, place + q]:
                # Everybody is listed who is asked for.
                wanted, border = lesser(wanted, held), NEVER
            if wanted == 0:
                continue
            ids[held] = np.int64(NEVER if held == there else border) << 32
            first, last = _doubtful(metric, ids, held, wanted, q, doubt)
            if last < 0:
                counts[q, slot] = -1
                continue
            first = 0 if measure else first
            for e in range(last):
                ids[e] &= LOWER
                weight[e] = 1.0
            if last > wanted or measure:
                _distances(metric, X, i, ids, first, last, exact)
                _sort(exact, ids, first, last)
                _settle(exact, ids, first, last, wanted - first, rank, weight)
            start = (q * counts.shape[1] + slot) * length
            counts[q, slot] = _store(lists, start, ids, weight, exact, last)


class Edges(NamedTuple):
    """Pairs of rows with a coefficient each."""

    heads: np.ndarray
    tails: np.ndarray
    coefficients: np.ndarray


@jit
def edge_sums(X, edges, power, start, stop, first, last, sums):
    """sums[f] += Σ coefficient · |x_head,f − x_tail,f|^power over edges start … stop−1.

    Only features first … last−1 are summed, so that the sums stay in cache. They are
    unsigned: an index that cannot be negative lets the loops vectorise.
    """
    for e in range(start, stop, 4):
        _add_four(X, edges, e, stop, power, first, last, sums)


@tiny
def _add_four(X, edges, e, stop, power, first, last, sums):
    """The same for edges e … e + 3 at once: the sums are loaded and stored once.

    Those from ``stop`` on count nothing.
    """
    heads, tails, coefficients = edges.heads, edges.tails, edges.coefficients
    x, y, z = e + 1, e + 2, e + 3
    if z >= stop:
        x, y, z = lesser(x, stop - 1), lesser(y, stop - 1), stop - 1
    h, i, j = heads[e], heads[x], heads[y]
    k, p, q = heads[z], tails[e], tails[x]
    r, s, a = tails[y], tails[z], coefficients[e]
    b, c, d = coefficients[x], coefficients[y], coefficients[z]
    if e + 3 >= stop:
        b, c, d = b if x > e else 0.0, c if y > x else 0.0, 0.0
    if power == 2:
        for f in range(first, last):
            t, u = X[h, f] - X[p, f], X[i, f] - X[q, f]
            v, w = X[j, f] - X[r, f], X[k, f] - X[s, f]
            sums[f] += (a * t * t + b * u * u) + (c * v * v + d * w * w)
        return
    for f in range(first, last):
        left = a * abs(X[h, f] - X[p, f]) + b * abs(X[i, f] - X[q, f])
        right = c * abs(X[j, f] - X[r, f]) + d * abs(X[k, f] - X[s, f])
        sums[f] += left + right


class Screen(NamedTuple):
    """Single-precision rows whose most telling features come first."""

    rows: np.ndarray  # (n, D) float32, centred; D is d filled up to whole steps
    columns: np.ndarray  # (d,) feature of each column
    largest: float  # largest absolute value


class VisitRoom(NamedTuple):
    """Room for visits of rows."""

    found: tuple  # (n,) rows that are near, and (n,) their distances
    step: np.ndarray  # (d,) zeros
    squares: np.ndarray  # (d,) of the weights
    weights: np.ndarray  # (D,) float32, the same for the columns of a screen

    @classmethod
    def of(cls, w, n, width):
        """Room for n rows and a screen of ``width`` columns; not compiled."""
        found, weights = (np.empty(n, np.int64), np.empty(n)), np.zeros(width, "f4")
        return cls(found, np.zeros(w.size), w * w, weights)


class Utility(NamedTuple):
    """What a margin is worth: LINEAR, SIGMOID with slope beta, or ZERO_ONE."""

    kind: int
    beta: float


STEP = np.uint64(64)  # features after which Simba asks whether a row is out


@jit
def arrange_columns(X, centre, columns, rows):
    """rows[:, c] = X[:, columns[c]], centred, in single precision."""
    n = X.shape[0]
    for i in range(n):
        for c in range(columns.size):
            f = columns[c]
            rows[i, c] = X[i, f] - centre[f]


def _plain_weighted(X, i, j, squares):
    """Distance of rows i and j under the squared weights."""
    s = 0.0
    for f in range(np.uint64(squares.size)):
        t = X[i, f] - X[j, f]
        s += squares[f] * t * t
    return np.sqrt(s)


@inner
def _thin(squares, screen, weights):
    """Squared weights in single precision and screen order, the largest being 1.

    Returns the scale that makes it so, and how far rounding the rows may move the
    square root of a key.
    """
    columns, top, total = screen.columns, 0.0, 0.0
    for f in range(squares.size):
        top = greater(top, squares[f])
    scale = 1 / np.sqrt(top) if top > 0.0 else 0.0
    for c in range(columns.size):
        share = squares[columns[c]] * scale * scale
        # Denormal numbers are slow, and a key that is too small only screens less.
        weights[c] = share if share > 1e-25 else 0.0
        total += weights[c]
    return scale, 2.1 * UNIT * screen.largest * np.sqrt(total)


@tiny
def _cut(best, scale, slack, depth):
    """No row at most ``best`` away has a screened key above this."""
    reach = best * (1 + 2 * TIE) * scale + slack
    return np.float32(reach * reach * (1 + (depth + 8) * UNIT) + 1e-36)


def _plain_within_reach(X, i, ranges, squares, screen, thin, reach, found):
    """Rows that are near row i under the current weights.

    ``ranges`` says which rows: from the first number up to the second, but not those
    from the third up to the fourth. ``reach`` is a distance, and whether it shrinks to
    that of the nearest row found so far (one row is known to be as near as it). A row
    is given up as soon as its partial sum says that it is farther. Returns how many
    rows were found, in ``found``, and the reach.
    """
    rows = screen.rows
    weights, scale, slack = thin
    ids, exact = found
    best, shrinking = reach
    width, count = np.uint64(rows.shape[1]), 0
    cut = _cut(best, scale, slack, squares.size)
    for j in range(ranges[0], ranges[1]):
        if j == i or ranges[2] <= j < ranges[3]:
            continue
        key, first = np.float32(0), np.uint64(0)
        while first < width and key <= cut:
            for f in range(first, first + STEP):
                t = rows[i, f] - rows[j, f]
                key += weights[f] * t * t
            first += STEP
        if key <= cut:
            r = _weighted(X, i, j, squares)
            if r <= best * (1 + TIE):
                ids[count], exact[count] = j, r
                count += 1
                if r < best and shrinking:
                    best = r
                    cut = _cut(best, scale, slack, squares.size)
    return count, best


@inner
def _first_of_ties(count, best, rank, found):
    """The nearest row found, among ties the one of lowest rank, and its distance."""
    ids, exact = found
    chosen, lowest, distance = -1, MOST, best
    for e in range(count):
        j, r = ids[e], exact[e]
        if r <= best * (1 + TIE) and rank[j] < lowest:
            chosen, lowest, distance = j, rank[j], r
    return chosen, distance


@tiny
def _slope(utility, theta):
    """Derivative of the utility at a margin."""
    if utility.kind == LINEAR:
        return 1.0
    u = 1 / (1 + np.exp(-utility.beta * theta))
    return utility.beta * u * (1 - u)


def _plain_step(X, i, hit, miss, pull, push, step):
    """Step += push · (x − miss)² − pull · (x − hit)², for x in row i."""
    for f in range(step.size):
        a, b = X[i, f] - X[hit, f], X[i, f] - X[miss, f]
        step[f] += push * b * b - pull * a * a


@jit
def simba_visits(
    X, labels, starts, rank, screen, w, visits, seeds, batch, utility, room
):
    """Visit rows in turn and move w after each batch (Simba, step 2).

    ``rank`` decides ties. ``seeds`` holds each row's last hit and miss: a good first
    guess makes the search under the current weights short. w and seeds are updated.
    """
    found, step = room.found, room.step
    squares, weights = room.squares, room.weights
    scale = slack = near = far = 0.0
    moved, stale = 0, True
    for t in range(visits.size):
        i = visits[t]
        lo, hi = starts[labels[i]], starts[labels[i] + 1]
        if stale:
            scale, slack = _thin(squares, screen, weights)
            stale = False
        if hi - lo > 1:
            thin = weights, scale, slack
            for h in range(2):
                ranges = (lo, hi, hi, hi) if h == 0 else (0, rank.size, lo, hi)
                near, reach = far, (_weighted(X, i, seeds[i, h], squares), True)
                count, best = _within_reach(
                    X, i, ranges, squares, screen, thin, reach, found
                )
                seeds[i, h], far = _first_of_ties(count, best, rank, found)
            slope = 0.5 * _slope(utility, 0.5 * (far - near))
            pull = slope / near if near > 0 else 0.0
            push = slope / far if far > 0 else 0.0
            _add_step(X, i, seeds[i, 0], seeds[i, 1], pull, push, step)
            moved += 1
        if moved and ((t + 1) % batch == 0 or t + 1 == visits.size):
            for f in range(w.size):
                w[f] += step[f] / moved * w[f]
                squares[f] = w[f] * w[f]
                step[f] = 0.0
            moved, stale = 0, True


# Assigning to slices would compile the text of an error that they cannot raise, which
# takes seconds.
@inner
def _fill(a, value):
    """a[:] = value."""
    for k in range(a.size):
        a[k] = value


@inner
def _copy(a, b):
    """a[:] = b."""
    for k in range(b.size):
        a[k] = b[k]


class Team(NamedTuple):
    """Threads that go through the same steps, each with its share of the work."""

    me: int
    board: np.ndarray  # (size, 8) steps that each has done, a cache line each; claims
    shares: Any  # what they give each other


PATIENCE = 2**18  # looks at the board, a quarter of a millisecond, before a sleep
MOMENT = 20  # microseconds


@intrinsic
def _write(typing_context, board, member, steps):
    """board[member, 0] = steps, after all that was written before."""

    def code(context, builder, signature, args):
        place = _line(context, builder, signature, args)
        builder.store_atomic(args[2], place, "release", 8)
        return context.get_dummy_value()

    return types.void(board, types.intp, types.intp), code


@intrinsic
def _read(typing_context, board, member):
    """board[member, 0], and all that was written before it."""

    def code(context, builder, signature, args):
        place = _line(context, builder, signature, args)
        return builder.load_atomic(place, "acquire", 8)

    return types.intp(board, types.intp), code


def _line(context, builder, signature, args):
    """Pointer to board[member, 0]."""
    board = context.make_array(signature.args[0])(context, builder, args[0])
    width = builder.extract_value(board.shape, 1)
    return builder.gep(board.data, [builder.mul(args[1], width)])


@intrinsic
def _claim(typing_context, board):
    """How many pieces of work have been claimed by now, before this one."""

    def code(context, builder, signature, args):
        board = context.make_array(signature.args[0])(context, builder, args[0])
        one = ir.Constant(ir.IntType(64), 1)
        return builder.atomic_rmw(
            "add", builder.gep(board.data, [one]), one, "monotonic"
        )

    return types.intp(board), code


@intrinsic
def _sleep(typing_context):
    """Sleep for a moment, where the system has a call for it.

    Who waits for a thread that has no core had better leave his own to somebody else,
    and be the first to get one when there is something to do.
    """

    def code(context, builder, signature, args):
        if os.name == "posix":
            number = ir.IntType(32)
            kind = ir.FunctionType(number, [number])
            usleep = get_or_insert_function(builder.module, kind, "usleep")
            builder.call(usleep, [number(MOMENT)])
        return context.get_dummy_value()

    return types.void(), code


@inner
def _meet(me, board, steps):
    """Wait until all of the team have done so many steps."""
    _write(board, me, steps)
    for k in range(board.shape[0]):
        looks = 0
        while _read(board, k) < steps:
            looks += 1
            if looks % PATIENCE == 0:
                _sleep()


class Flips(NamedTuple):
    """Squared distances under the current set F of G-flip."""

    XT: np.ndarray  # (d, n) features by rows
    D: np.ndarray  # (n, n) each row as of its version; (0, 0) if not kept
    versions: np.ndarray  # (n,) how much of the log a row of D has seen; −1: nothing
    log: np.ndarray  # (2, M) features flipped since D was 0, and +1 in or −1 out


class Shortlist(NamedTuple):
    """The nearest hits and misses of each row under F.

    Lists 2i and 2i + 1 are the hits and the misses of row i.
    """

    length: int  # K, places of a list
    near: np.ndarray  # (2n · K,) squared distances, ascending, list by list
    ids: np.ndarray  # (2n · K,) their rows
    held: np.ndarray  # (2n,) how many there are
    bounds: np.ndarray  # (2n,) no other hit or miss is nearer than this

    @classmethod
    def of(cls, n, length):
        """Lists of n rows, not made yet."""
        near, ids = np.empty(2 * n * length), np.empty(2 * n * length, np.int64)
        return cls(length, near, ids, np.full(2 * n, -1, np.int64), np.empty(2 * n))


class Tour(NamedTuple):
    """Features to visit."""

    features: np.ndarray
    low: np.ndarray  # (d,) ranges of all features
    high: np.ndarray  # (d,)
    accepting: bool  # whether a flip that makes e larger is kept


class Climb(NamedTuple):
    """Where G-flip is."""

    e: float  # e(F)
    length: int  # of the log
    removed: float  # squared ranges of the features that the log takes out
    accepted: int  # feature flipped last, if the lists have yet to learn of it, or −1
    lanes: int  # flips to try next
    changed: bool  # whether a flip was kept


class Batch(NamedTuple):
    """Flips that are tried together; the last of them fills up the TRIED places."""

    count: int
    features: np.ndarray  # (TRIED,)
    values: np.ndarray  # (n, TRIED) their columns side by side
    ranges: np.ndarray  # (3, TRIED) +1 to add, −1 to remove; low; high
    members: np.ndarray  # the features of F come first
    size: int  # how many there are


class Choice(NamedTuple):
    """What one thread knows of the set, and of the flips that are tried."""

    F: np.ndarray  # (d,)
    members: np.ndarray  # (d,) room for its features
    tried: np.ndarray  # (TRIED,) features that are tried
    ranges: np.ndarray  # (3, TRIED) of a batch
    after: np.ndarray  # (TRIED,) e after each
    end: np.ndarray  # (6,) where it leads: the fields of a Climb

    @classmethod
    def of(cls, F):
        """All of it, not filled in but for the set; not compiled."""
        members, tried = np.empty(F.size, np.int64), np.empty(TRIED, np.int64)
        numbers = np.empty((3, TRIED)), np.empty(TRIED), np.empty(len(Climb._fields))
        return cls(F.copy(), members, tried, *numbers)

    def climb(self):
        """Where the visits have led, once they are over."""
        e, length, removed, accepted, lanes, changed = self.end.tolist()
        return Climb(e, int(length), removed, int(accepted), int(lanes), bool(changed))


class FlipRoom(NamedTuple):
    """Room for one thread to evaluate flips."""

    row: np.ndarray  # (n,) of D, if D is not kept
    tests: np.ndarray  # (5, TRIED) signs, slack, floors; nearest hits and misses
    part: np.ndarray  # (TRIED,) sums over a block of rows
    least: np.ndarray  # (LANES,) running minima
    values: np.ndarray  # (K + ROOM + 2 LANES,) distances
    ids: np.ndarray  # (K + ROOM + 2 LANES,) and rows, before they are sorted

    @classmethod
    def of(cls, n, length, kept):
        """Room for a table of n rows; made here, it needs not be compiled."""
        room = length + ROOM + 2 * LANES
        return cls(
            row=np.empty(0 if kept else n),
            tests=np.zeros((5, TRIED)),
            part=np.empty(TRIED),
            least=np.empty(LANES),
            values=np.empty(room),
            ids=np.empty(room, np.int64),
        )


FEWEST, TRIED = 8, 32  # flips tried together: after one was kept, or long none
OCTET = 8  # of them are tried at once
SLACK = 32  # flips beyond twice those of F after which distances are summed anew
ROOM = 48  # rows, beyond those listed, that are put in order at once


@inner
def _row(i, flips, length, spare):
    """Row i of D under F; in the spare room if D is not kept."""
    XT, D = flips.XT, flips.D
    log, versions = flips.log, flips.versions
    n, seen = XT.shape[1], versions[i]
    row = D[i] if D.size else spare
    if seen < 0:
        seen = 0
        for j in range(n):
            row[j] = 0.0
    for e in range(seen, length - 3, 4):
        f, g = log[0, e], log[0, e + 1]
        h, k = log[0, e + 2], log[0, e + 3]
        a, b = log[1, e], log[1, e + 1]
        c, d = log[1, e + 2], log[1, e + 3]
        x, y = XT[f, i], XT[g, i]
        u, v = XT[h, i], XT[k, i]
        for j in range(n):
            p, q = x - XT[f, j], y - XT[g, j]
            r, s = u - XT[h, j], v - XT[k, j]
            row[j] += (a * p * p + b * q * q) + (c * r * r + d * s * s)
    for e in range(length - (length - seen) % 4, length):
        f, sign = log[0, e], log[1, e]
        x = XT[f, i]
        for j in range(n):
            t = x - XT[f, j]
            row[j] += sign * t * t
    versions[i] = length
    return row


@intrinsic
def _below_limit(typing_context, values, start, limit):
    """Bit c says whether values[start + c] < limit, for c < LANES."""

    def code(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        vector = ir.VectorType(ir.DoubleType(), LANES)
        place = builder.bitcast(builder.gep(data, [args[1]]), vector.as_pointer())
        loaded = builder.load(place, align=8)
        limit = _everywhere(builder, args[2])
        return _mask(builder, builder.fcmp_ordered("<", loaded, limit))

    return types.int64(values, types.intp, types.float64), code


@inner
def _few_below_limit(values, start, stop, limit):
    """The same for fewer than LANES values."""
    mask = 0
    for j in range(start, stop):
        if values[j] < limit:
            mask |= 1 << (j - start)
    return mask


@intrinsic
def _lowest_bit(typing_context, mask):
    """Place of the lowest bit that is set."""

    def code(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code


@intrinsic
def _count_bits(typing_context, mask):
    """How many bits are set."""

    def code(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), code


@inner
def _sort_into(values, rows, count, start, K, near, ids):
    """Put the smallest of ``count`` distances, in order, into a list, K at most.

    It begins at ``start``.

    Each goes to the place that the number of smaller ones says: hardly a branch to
    mispredict.
    """
    taken = 0
    for e in range(count, count + LANES):
        values[e] = np.inf
    for e in range(count):
        place = 0
        for first in range(0, count, LANES):
            place += _count_bits(_below_limit(values, first, values[e]))
        while taken >> place & 1:  # by a distance that is the same
            place += 1
        if place < K:
            taken |= 1 << place
            near[start + place], ids[start + place] = values[e], rows[e]


@inner
def _list_nearest(i, span, shortlist, row, values, rows):
    """Keep the nearest hits and misses of row i, and what bounds the others."""
    near, ids = shortlist.near, shortlist.ids
    held, bounds = shortlist.held, shortlist.bounds
    K, (lo, hi) = shortlist.length, span
    ranges = ((lo, i), (i + 1, hi)), ((0, lo), (hi, row.size))
    for h in range(2):
        kind = 2 * i + h
        base = kind * K
        # As many rows are no farther than this one; as a rule, more than K.
        count, worst, enough = np.int64(0), np.inf, 3 * K // 4
        if held[kind] > enough:
            worst = near[base + enough] * (1 + 1e-12) + 1e-300
        for part in range(2):
            start, stop = ranges[h][part]
            for first in range(start, stop, LANES):
                if first + LANES <= stop:
                    nearer = _below_limit(row, first, worst)
                else:
                    nearer = _few_below_limit(row, first, stop, worst)
                while nearer:
                    j = first + _lowest_bit(nearer)
                    nearer &= nearer - 1
                    values[count], rows[count] = row[j], j
                    count += 1
                if count > K + ROOM:
                    _sort_into(values, rows, count, base, K, near, ids)
                    for e in range(K):
                        values[e], rows[e] = near[base + e], ids[base + e]
                    count, worst = K, values[K - 1]
        _sort_into(values, rows, count, base, K, near, ids)
        members = hi - lo - 1 if h == 0 else row.size - (hi - lo)
        if count >= K:
            count, worst = K, near[base + K - 1]
        held[kind] = count
        bounds[kind] = worst if members > count else np.inf


@inner
def _pair(i, j, XT, members, size, f, sign):
    """Squared distance of rows i and j after feature f is flipped, summed afresh."""
    s = 0.0
    for e in range(size):
        g = members[e]
        if g != f:
            t = XT[g, i] - XT[g, j]
            s += t * t
    if sign > 0:
        t = XT[f, i] - XT[f, j]
        s += t * t
    return s


@inner
def _least(row, column, i, sign, lo, hi, least):
    """Smallest row[j] + sign · (column[i] − column[j])² for j in lo … hi−1.

    LANES running minima side by side: a single one would not vectorise.
    """
    _fill(least, np.inf)
    x, first, side = column[i], np.uint64(lo), np.uint64(LANES)
    while first + side <= np.uint64(hi):
        for e in range(side):
            t = x - column[first + e]
            v = row[first + e] + sign * t * t
            least[e] = v if v < least[e] else least[e]
        first += side
    best = np.inf
    for e in range(LANES):
        best = lesser(best, least[e])
    for j in range(first, np.uint64(hi)):
        t = x - column[j]
        best = lesser(best, row[j] + sign * t * t)
    return best


@inner
def _try_all(i, h, span, XT, members, size, f, sign, floor, row, least):
    """Nearest distance after feature f is flipped, from all rows.

    A difference that has lost its digits to cancellation is summed afresh.
    """
    column, best = XT[f], np.inf
    first, second = (span[0], i), (i + 1, span[1])
    if h == 1:
        first, second = (0, span[0]), (span[1], row.size)
    for lo, hi in (first, second):
        best = lesser(best, _least(row, column, i, sign, lo, hi, least))
    if best >= floor:
        return best
    best = np.inf
    for j in range(first[0], second[1]):
        t = column[i] - column[j]
        v = row[j] + sign * t * t
        if v < best and not first[1] <= j < second[0]:
            if v < floor:
                v = _pair(i, j, XT, members, size, f, sign)
            best = lesser(best, v)
            if best == 0.0:
                break
    return best


@inner
def _settle_row(i, h, lane, span, XT, row, shortlist, batch, tests, least):
    """Nearest distances of row i after some flips, where its list does not tell."""
    near, ids, kind = shortlist.near, shortlist.ids, 2 * i + h
    base = kind * shortlist.length
    held, bound = shortlist.held[kind], shortlist.bounds[kind]
    values, features, members = batch.values, batch.features, batch.members
    for b in range(lane, lane + OCTET):
        sign, slack, floor = tests[0, b], tests[1, b], tests[2, b]
        best, x = np.inf, values[i, b]
        for place in range(base, base + held):
            t = x - values[ids[place], b]
            best = lesser(best, near[place] + sign * t * t)
        if best > bound - slack or best < floor:
            best = _try_all(
                i,
                h,
                span,
                XT,
                members,
                batch.size,
                features[b],
                sign,
                floor,
                row,
                least,
            )
        tests[3 + h, b] = best


@inner
def _carry_flip(i, column, sign, reach, shortlist, values, rows):
    """Carry a flip that was kept into the lists of row i; D follows when needed.

    ``reach`` is the longest way from the row's value in the column to another.
    """
    x = column[i]
    near, ids = shortlist.near, shortlist.ids
    held, bounds = shortlist.held, shortlist.bounds
    K = shortlist.length
    for kind in range(2 * i, 2 * i + 2):
        base, count = kind * K, held[kind]
        for e in range(count):
            j = ids[base + e]
            t = x - column[j]
            values[e], rows[e] = near[base + e] + sign * t * t, j
        _sort_into(values, rows, count, base, K, near, ids)
        if sign < 0:
            bounds[kind] -= reach * reach


@intrinsic
def _try_some(typing_context, values, places, near, ids, span, tests, rest):
    """Distances after OCTET flips to some listed rows; whether a row beyond may matter.

    ``places`` are that of the row's values in their flat array, of the first flip, and
    0 for hits or 1 for misses; ``span`` are places in the flat lists.
    """

    def code(context, builder, signature, args):
        vector = ir.VectorType(ir.DoubleType(), OCTET)
        values, near, ids, tests = (
            context.make_array(signature.args[k])(context, builder, args[k]).data
            for k in (0, 2, 3, 5)
        )
        ours, lane, side = (builder.extract_value(args[1], k) for k in range(3))
        first, last = (builder.extract_value(args[4], k) for k in range(2))
        width = ir.Constant(ir.IntType(64), TRIED)

        def at(data, place):
            return builder.bitcast(builder.gep(data, [place]), vector.as_pointer())

        def test(row):
            return at(tests, builder.add(builder.mul(row, width), lane))

        whole = ir.IntType(64)
        place = test(builder.add(side, whole(3)))
        sign, slack, floor = (builder.load(test(whole(k)), align=8) for k in range(3))
        x = builder.load(at(values, ours), align=8)
        least = alloca_once(builder, vector)
        builder.store(builder.load(place, align=8), least)
        with for_range(builder, builder.sub(last, first)) as loop:
            here = builder.add(first, loop.index)
            theirs = builder.mul(builder.load(builder.gep(ids, [here])), width)
            y = builder.load(at(values, builder.add(theirs, lane)), align=8)
            t = builder.fsub(x, y)
            square = builder.fmul(sign, builder.fmul(t, t), flags=("contract",))
            base = _all_lanes(builder, builder.load(builder.gep(near, [here])))
            v = builder.fadd(base, square, flags=("contract",))
            old = builder.load(least)
            nearer = builder.fcmp_ordered("<", v, old)
            builder.store(builder.select(nearer, v, old), least)
        found = builder.load(least)
        builder.store(found, place, align=8)
        limit = builder.fsub(_all_lanes(builder, args[6]), slack)
        beyond = builder.fcmp_ordered(">", found, limit)
        lost = builder.fcmp_ordered("<", found, floor)
        bits = builder.bitcast(builder.or_(beyond, lost), ir.IntType(OCTET))
        return builder.icmp_unsigned("!=", bits, ir.IntType(OCTET)(0))

    index = types.intp
    three, two = types.UniTuple(index, 3), types.UniTuple(index, 2)
    kinds = values, three, near, ids, two, tests, types.float64
    return types.boolean(*kinds), code


@inner
def _search_list(listed, ours, lane, h, near, ids, values, tests):
    """Distances after OCTET flips to the nearest listed row; whether that settles it.

    ``listed`` says where the list begins, how long it is and what bounds other rows.
    """
    start, held, bound = listed
    for b in range(lane, lane + OCTET):
        tests[3 + h, b] = np.inf
    e, unsure = 0, True
    while unsure and e < held:
        stop, rest = lesser(e + 4, held), bound
        if stop < held:
            rest = lesser(rest, near[start + stop])
        span = start + e, start + stop
        places = ours, lane, h
        unsure = _try_some(values, places, near, ids, span, tests, rest)
        e = stop
    return not unsure


@inner
def _set_tests(i, values, ranges, removed, tests):
    """What flips may take off a squared distance of row i, and what is too little."""
    for b in range(np.uint64(TRIED)):
        sign, value = ranges[0, b], values[i, b]
        reach = greater(value - ranges[1, b], ranges[2, b] - value)
        slack = reach * reach if sign < 0 else 0.0
        tests[0, b], tests[1, b] = sign, slack
        tests[2, b] = 1e-8 * (removed + slack)


@inner
def _add_values(utility, tests, sums):
    """Add u(θ) for the hits and misses found."""
    kind, beta = utility.kind, utility.beta
    for b in range(np.uint64(TRIED)):
        near, far = (
            np.sqrt(greater(tests[3, b], 0.0)),
            np.sqrt(greater(tests[4, b], 0.0)),
        )
        value = 0.5 * (far - near)
        if kind == SIGMOID:
            value = 1 / (1 + np.exp(-beta * value))
        elif kind == ZERO_ONE:
            value = 1.0 if far - near > TIE * greater(near, far) else 0.0
        sums[b] += value


@inner
def _lay_out(first, F, tour, batch, XT, blocks, me, size):
    """Fill in the flips of the features from ``first`` on, for one's own rows."""
    features, ranges, values = batch.features, batch.ranges, batch.values
    count, order = batch.count, tour.features
    low, high = tour.low, tour.high
    for b in range(TRIED):
        f = order[first + lesser(b, count - 1)]
        features[b], ranges[0, b] = f, -1.0 if F[f] else 1.0
        ranges[1, b], ranges[2, b] = low[f], high[f]
    for k in range(me, blocks.size - 1, size):
        for b in range((count + OCTET - 1) & -OCTET):
            f = features[b]
            for i in range(blocks[k], blocks[k + 1]):
                values[i, b] = XT[f, i]


@tiny
def _evaluate(
    labels,
    starts,
    flips,
    shortlist,
    batch,
    climb,
    last,
    utility,
    blocks,
    board,
    sums,
    room,
):
    """Sums of u(θ) over blocks of rows, after each flip; blocks go to who is free.

    ``last`` are the sign and the range of the feature that was flipped last.

    The lists of a row settle where its nearest hit and miss are if the best listed row
    is nearer, after the flip, than any other can be. A list that does not is made anew,
    and if that does not help, all rows are looked at.
    """
    XT, versions = flips.XT, flips.versions
    near, ids = shortlist.near, shortlist.ids
    held, bounds = shortlist.held, shortlist.bounds
    values, ranges = batch.values, batch.ranges
    tests, part = room.tests, room.part
    distances, rows = room.values, room.ids
    sign, low, high = last
    # Everyone fails to get one block at each step.
    claims = blocks.size - 1 + board.shape[0]
    k = _claim(board) % claims
    while k < blocks.size - 1:
        _fill(part, 0.0)
        for i in range(blocks[k], blocks[k + 1]):
            span = starts[labels[i]], starts[labels[i] + 1]
            if span[1] - span[0] < 2:
                continue
            if climb.accepted >= 0:
                f, x = climb.accepted, XT[climb.accepted, i]
                reach = greater(x - low, high - x)
                _carry_flip(i, XT[f], sign, reach, shortlist, distances, rows)
            if flips.D.size == 0:
                versions[i] = -1
            _set_tests(i, values, ranges, climb.removed, tests)
            for side in range(0, 2 * TRIED, OCTET):
                h, lane = side // TRIED, side % TRIED
                for _ in range(2 if lane < batch.count else 0):
                    kind = 2 * i + h
                    listed = kind * shortlist.length, held[kind], bounds[kind]
                    ours = i * TRIED + lane
                    if _search_list(listed, ours, lane, h, near, ids, values, tests):
                        break
                    outdated = versions[i] < climb.length
                    row = _row(i, flips, climb.length, room.row)
                    if outdated:
                        _list_nearest(i, span, shortlist, row, distances, rows)
                    else:
                        least = room.least
                        _settle_row(
                            i, h, lane, span, XT, row, shortlist, batch, tests, least
                        )
                        break
            _add_values(utility, tests, part)
        _copy(sums[k], part)
        k = _claim(board) % claims


@inner
def _members(F, members):
    """Put the features of a set into the room that is given; returns how many."""
    count = 0
    for f in range(F.size):
        if F[f]:
            members[count] = f
            count += 1
    return count


@inner
def _keep_flip(feature, span, F, size, log, versions, climb, me):
    """Flip a feature that ranges over ``span``; the first of a team writes it down.

    Returned are the length of the log and what it has removed.
    """
    length, removed = climb.length, climb.removed
    F[feature] = not F[feature]
    sign = 1 if F[feature] else -1
    if me == 0:
        log[0, length], log[1, length] = feature, sign
    length += 1
    if sign < 0:
        removed += span * span
    size += sign
    if length > 2 * size + SLACK:
        # Start anew from F, so that neither the log nor its rounding grows.
        length, removed, count = size, 0.0, 0
        for f in range(F.size if me == 0 else 0):
            log[0, count], log[1, count] = f, 1
            count += F[f]
        for i in range(versions.size if me == 0 else 0):
            versions[i] = -1
    return length, removed


@inner
def _first_better(e, after, count):
    """Place of the first flip after which e is larger, −1 if there is none."""
    for b in range(count):
        if after[b] - e > TIE * greater(greater(1.0, abs(e)), abs(after[b])):
            return b
    return -1


@inner
def _add_up(F, features, size, sums, after):
    """Value of e after each flip of a set, from the sums over blocks of rows."""
    for b in range(TRIED):
        total = 0.0
        for k in range(sums.shape[0]):
            total += sums[k, b]
        last = F[features[b]] and size == 1
        after[b] = 0.0 if last else total  # e(∅) = 0


@jit
def flip_features(
    labels,
    starts,
    flips,
    shortlist,
    tour,
    climb,
    utility,
    blocks,
    team,
    choice,
    room,
    evaluated,
):
    """Visit features in turn, keep flips that make e larger; choice.end says the end.

    Several flips are tried at once, in the hope that none but the last is kept. Each
    of the team has some of the blocks of rows, whose sums are added up in order, and
    decides for itself; the first writes down what all have decided, and values of e in
    ``evaluated``.
    """
    me, board = team.me, team.board
    values, sums = team.shares
    features, low, high = tour.features, tour.low, tour.high
    F, members, tried = choice.F, choice.members, choice.tried
    ranges, after = choice.ranges, choice.after
    # With a literal 0, a type of its own, all that is called would be compiled twice.
    first, meetings = np.int64(0), 0
    while first < features.size:
        count = lesser(climb.lanes, features.size - first)
        size = _members(F, members)
        batch = Batch(count, tried, values, ranges, members, size)
        _lay_out(first, F, tour, batch, flips.XT, blocks, me, board.shape[0])
        _meet(me, board, meetings + 1)
        f = greater(climb.accepted, 0)
        last = 1.0 if F[f] else -1.0, low[f], high[f]
        _evaluate(
            labels,
            starts,
            flips,
            shortlist,
            batch,
            climb,
            last,
            utility,
            blocks,
            board,
            sums,
            room,
        )
        _meet(me, board, meetings + 2)
        meetings += 2
        _add_up(F, tried, size, sums, after)
        for b in range(count if me == 0 else 0):
            evaluated[tried[b]] = after[b]
        b = _first_better(climb.e, after, count) if tour.accepting else -1
        if b >= 0:
            f = tried[b]
            span = high[f] - low[f]
            log, versions = flips.log, flips.versions
            length, removed = _keep_flip(f, span, F, size, log, versions, climb, me)
            # Flips are as dense as this, as a rule.
            lanes = greater(FEWEST, (b + OCTET) // OCTET * OCTET)
            climb = Climb(after[b], length, removed, f, lanes, True)
            first += b + 1
        else:
            lanes = lesser(TRIED, 2 * climb.lanes)
            e, length, removed = climb.e, climb.length, climb.removed
            climb = Climb(e, length, removed, -1, lanes, climb.changed)
            first += count
    end = choice.end
    end[0], end[1], end[2] = climb.e, climb.length, climb.removed
    end[3], end[4], end[5] = climb.accepted, climb.lanes, climb.changed


class Targets(NamedTuple):
    """What LMBA fixes in the original space."""

    ids: np.ndarray  # (n, k) target neighbours
    counts: np.ndarray  # (n,) how many there are
    theta: np.ndarray  # (n,) margins


class Coarse(NamedTuple):
    """Rows rounded to bytes, SIDE of them side by side, most telling features first."""

    cells: np.ndarray  # (groups, D, SIDE) uint8; D is d filled up to whole parts
    columns: np.ndarray  # (d,) feature of each column
    low: np.ndarray  # (d,) value of a cell 0 of each column
    step: np.ndarray  # (d,) value of one unit of each column


class DescentRoom(NamedTuple):
    """Room for the work of one thread."""

    edges: Edges  # from a row to others
    limits: np.ndarray  # (k,) squared distances up to which targets are invaded
    pulls: np.ndarray  # (k,)
    w: np.ndarray  # (d,) as this thread knows it
    squares: np.ndarray  # (d,)
    gradient: np.ndarray  # (d,)
    weights: np.ndarray  # (D,) float32, of the columns of the cells
    query: np.ndarray  # (D,) float32
    keys: np.ndarray  # (SIDE,) float32

    @classmethod
    def of(cls, w, n, k, width):
        """Room for n rows, k targets and ``width`` columns of cells, not compiled."""
        most = n + k + 3  # edges, filled up to a multiple of four
        edges = Edges(*np.empty((2, most), np.int64), np.empty(most))
        limits, pulls = np.empty((2, k))
        squares, gradient = np.ones((2, w.size))
        weights, query = np.zeros((2, width), np.float32)
        keys = np.empty(SIDE, np.float32)
        own = w.copy(), squares, gradient
        return cls(edges, limits, pulls, *own, weights, query, keys)


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
def _coarse_weights(squares, coarse, spare, roots):
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
                _everywhere(builder, builder.load(builder.gep(a, [column])))
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
def _may_invade(X, own, cells, cut, thin, part, ids):
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
def _round_query(X, i, coarse, roots, query):
    """Row i in units of the cells, weighted."""
    columns, low, step = coarse.columns, coarse.low, coarse.step
    for c in range(np.uint64(columns.size)):
        query[c] = (X[i, np.uint64(columns[c])] - low[c]) / step[c] * roots[c]


@inner
def _limits(X, i, squares, targets, limits):
    """Squared distances up to which the targets are invaded; returns the reach."""
    farthest = 0.0
    for e in range(targets.counts[i]):
        r = _weighted(X, i, targets.ids[i, e], squares)
        limits[e] = targets.theta[i] + r * r
        farthest = greater(farthest, limits[e])
    return np.sqrt(farthest) * (1 + TIE)


@inner
def _measure(X, i, ids, count, squares, lengths):
    """lengths[p] = squared distance of rows i and ids[p] under the squared weights."""
    for p in range(0, count, 4):
        # Four at a time; behind the last one, that one again.
        q, r, s = (
            lesser(p + 1, count - 1),
            lesser(p + 2, count - 1),
            lesser(p + 3, count - 1),
        )
        i1, i2 = ids[p], ids[q]
        i3, i4 = ids[r], ids[s]
        a = b = c = d = 0.0
        for f in range(np.uint64(squares.size)):
            x, weight = X[i, f], squares[f]
            t, u = x - X[i1, f], x - X[i2, f]
            v, w = x - X[i3, f], x - X[i4, f]
            a += weight * t * t
            b += weight * u * u
            c += weight * v * v
            d += weight * w * w
        lengths[p], lengths[q] = a, b
        lengths[r], lengths[s] = c, d


@inner
def _hinge_edges(X, i, squares, targets, pull, count, edges, limits, pulls):
    """Turn rows that may invade, the tails, into edges of the gradient over 2w.

    Returns how many there are, filled up to a multiple of four. An invader pushes for
    each target whose hinge it triggers, and each such hinge pulls its target.
    """
    heads, tails, coefficients = edges.heads, edges.tails, edges.coefficients
    k, kept, lengths = targets.counts[i], 0, coefficients
    first, c = pull
    for e in range(k):
        pulls[e] = 0.0
    _measure(X, i, tails, count, squares, lengths)
    for p in range(count):
        hinges = 0
        for e in range(k):
            if limits[e] >= lengths[p] * (1 - TIE):
                hinges += 1
                pulls[e] += c
        if hinges:
            tails[kept], coefficients[kept] = tails[p], -c * hinges
            kept += 1
    for e in range(k):
        tails[kept + e], coefficients[kept + e] = targets.ids[i, e], first + pulls[e]
    count = kept + k + -(kept + k) % 4
    for e in range(kept + k, count):
        tails[e], coefficients[e] = i, 0.0
    for e in range(count):
        heads[e] = i
    return count


class Descent(NamedTuple):
    """How LMBA goes down."""

    c: float  # weight of the hinges
    weighted: bool  # whether a hinge is tested under the current weights
    batch: int  # rows that share one step


@jit
def lmba_visits(table, targets, coarse, w, visits, steps, descent, team, room):
    """Visit rows in turn; after each batch, move w against the gradient of its loss.

    ``table`` holds the rows and their layout; steps[b] is the length of step b. Each
    of the team searches some groups of rows for invaders and adds up their part of
    the gradient, and then makes the step from all parts for itself. They share an
    array of shape (2, PARTS, d): the parts of this step and of the last.
    """
    X, labels, starts = table[0], table[1].labels, table[1].starts
    me, board, shares = team.me, team.board, team.shares
    edges, limits, pulls = room.edges, room.limits, room.pulls
    own_w, squares, gradient = room.w, room.squares, room.gradient
    weights, query, keys = room.weights, room.query, room.keys
    d, two, scale, batch = np.uint64(w.size), np.int64(2), 0.0, descent.batch
    for t in range(visits.size):
        i, step = visits[t], t // batch
        if t % batch == 0:
            for f in range(d if descent.weighted else np.uint64(0)):
                squares[f] = own_w[f] * own_w[f]
            if t == 0 or descent.weighted:
                scale = _coarse_weights(squares, coarse, gradient, weights)
            for part in range(me, PARTS, board.shape[0]):
                _fill(shares[step % 2, part], 0.0)
        if targets.counts[i] > 0:
            own = starts[labels[i]], starts[labels[i] + 1]
            cut = _cut(_limits(X, i, squares, targets, limits), scale, ROUNDED, d)
            _round_query(X, i, coarse, weights, query)
            thin = weights, query, keys
            for part in range(me, PARTS, board.shape[0]):
                count = _may_invade(X, own, coarse.cells, cut, thin, part, edges.tails)
                # One of the parts says what targets pull without an invader.
                pull = 1.0 if part == 0 else 0.0, descent.c
                count = _hinge_edges(
                    X, i, squares, targets, pull, count, edges, limits, pulls
                )
                sums = shares[step % 2, part]
                for e in range(0, count, 4):
                    _add_four(X, edges, e, count, two, np.uint64(0), d, sums)
        if (t + 1) % batch == 0 or t + 1 == visits.size:
            _meet(me, board, step + 1)
            _go_down(shares[step % 2], steps[step], own_w, gradient)
    if me == 0:
        _copy(w, own_w)


@inner
def _go_down(shares, step, w, gradient):
    """Move w by a step against the sum of the shares times 2w."""
    size = 0.0
    for f in range(np.uint64(w.size)):
        total = 0.0
        for part in range(PARTS):
            total += shares[part, f]
        gradient[f] = 2 * w[f] * total
        size += gradient[f] * gradient[f]
    if size > 0:
        factor = step / np.sqrt(size)
        for f in range(np.uint64(w.size)):
            w[f] -= factor * gradient[f]


@jit
def invasions(X, layout, screen, labels, squares, limits, active, sums):
    """What LMBA has to know of the rows of a block that invade guests.

    The guests are below the rows of the layout in X. limits[q, e] is the squared
    distance up to which target e of guest q is invaded, −1 if there is no such target.
    Counted are the invaders of each in ``active``; added to ``sums``, for each invader
    and target, are (x_guest − x_invader)², and in its last place the hinge.
    """
    n, d = layout.labels.size, squares.size
    starts = layout.starts
    found = np.empty(n, np.int64), np.empty(n)
    ids, exact = found
    weights = np.zeros(screen.rows.shape[1], np.float32)
    scale, slack = _thin(squares, screen, weights)
    for q in range(labels.size):
        i, farthest = n + q, -1.0
        for e in range(limits.shape[1]):
            farthest = greater(farthest, limits[q, e])
        if farthest < 0:
            continue
        ranges = 0, n, starts[labels[q]], starts[labels[q] + 1]
        reach = np.sqrt(farthest) * (1 + TIE), False
        thin = weights, scale, slack
        count, _ = _within_reach(X, i, ranges, squares, screen, thin, reach, found)
        for p in range(count):
            hinges, r = 0, exact[p] * exact[p]
            for e in range(limits.shape[1]):
                if limits[q, e] >= r * (1 - TIE) and limits[q, e] >= 0:
                    active[q, e] += 1
                    hinges += 1
                    sums[d] += greater(limits[q, e] - r, 0.0)
            if hinges:
                for f in range(d):
                    delta = X[i, f] - X[ids[p], f]
                    sums[f] += hinges * delta * delta


@jit
def lmba_losses(table, targets, coarse, first, last, c, losses, room):
    """losses[i] = loss of row i under the weights, for i = first … last−1."""
    X, labels, starts = table[0], table[1].labels, table[1].starts
    w, squares, limits = room.w, room.squares, room.limits
    weights, query, keys = room.weights, room.query, room.keys
    ids, lengths = room.edges.tails, room.edges.coefficients
    d = np.uint64(w.size)
    for f in range(d):
        squares[f] = w[f] * w[f]
    scale = _coarse_weights(squares, coarse, room.gradient, weights)
    for i in range(first, last):
        losses[i] = 0.0
        if targets.counts[i] == 0:
            continue
        own = starts[labels[i]], starts[labels[i] + 1]
        cut = _cut(_limits(X, i, squares, targets, limits), scale, ROUNDED, d)
        _round_query(X, i, coarse, weights, query)
        thin = weights, query, keys
        for e in range(targets.counts[i]):
            losses[i] += limits[e] - targets.theta[i]
        for part in range(PARTS):
            count = _may_invade(X, own, coarse.cells, cut, thin, part, ids)
            _measure(X, i, ids, count, squares, lengths)
            for p in range(count):
                for e in range(targets.counts[i]):
                    losses[i] += c * greater(limits[e] - lengths[p], 0.0)


@jit
def class_distances(X, first, last, D):
    """D[i, j] = D[j, i] = ‖x_i − x_j‖ for i = first … last−1 and j ≥ i.

    Four rows share the loads of x_j, and rows first … last−1 stay in cache.
    """
    m, d = X.shape[0], np.uint64(X.shape[1])
    for i in range(first, last):
        D[i, i] = 0.0
    for j in range(first + 1, m):
        stop = lesser(last, j)
        i = first
        while i + 4 <= stop:
            p = q = r = s = 0.0
            for f in range(d):
                z = X[j, f]
                a, b = X[i, f] - z, X[i + 1, f] - z
                c, e = X[i + 2, f] - z, X[i + 3, f] - z
                p += a * a
                q += b * b
                r += c * c
                s += e * e
            D[i, j], D[i + 1, j] = np.sqrt(p), np.sqrt(q)
            D[i + 2, j], D[i + 3, j] = np.sqrt(r), np.sqrt(s)
            i += 4
        while i < stop:
            p = 0.0
            for f in range(d):
                a = X[i, f] - X[j, f]
                p += a * a
            D[i, j] = np.sqrt(p)
            i += 1
        for i in range(first, stop):
            D[j, i] = D[i, j]


@inner
def _nearest_cluster(S, sizes, alive, count, x, near):
    """Nearest of the living clusters to x; of those that tie, the lowest."""
    least, e = np.inf, 0
    while alive[e] < x:
        q = alive[e]
        near[e] = S[q, x] / (sizes[q] + sizes[x])
        least = lesser(least, near[e])
        e += 1
    near[e] = np.nan  # itself, which no comparison takes
    for o in range(e + 1, count):
        q = alive[o]
        near[o] = S[x, q] / (sizes[q] + sizes[x])
        least = lesser(least, near[o])
    border, e = least * (1 + TIE), 0
    while not near[e] <= border:
        e += 1
    return alive[e]


@inner
def _join(S, sizes, alive, count, lo, hi):
    """Let cluster ``lo`` take in ``hi``: sums of distances simply add up."""
    kept = 0
    for e in range(count):
        q = alive[e]
        alive[kept] = q
        kept += q != hi
        if q < lo:
            S[q, lo] += S[q, hi]
        elif lo < q < hi:
            S[lo, q] += S[q, hi]
        elif q > hi:
            S[lo, q] += S[hi, q]
    sizes[lo] += sizes[hi]


@jit
def summed_linkage(S, merges, heights):
    """Agglomerate by d(P, Q) = Σ ‖x − x'‖ / (n_P + n_Q), by nearest-neighbour chain.

    On entry S holds the distances; its upper triangle is used up, the lower one stays.
    A cluster goes by its lowest row. Merge t joins merges[t, 1] into merges[t, 0];
    merges come in the order of the chain, not of their heights.

    A union is never nearer to a third cluster than both its parts were, and where
    distances tie, its lowest row is one of theirs. So two clusters that are each
    other's nearest stay so until they are merged, and the chain makes the merges of
    the greedy algorithm that takes the lowest of tied pairs.
    """
    m = S.shape[0]
    sizes, alive = np.ones(m, np.int64), np.arange(m)
    near, chain = np.empty(m), np.empty(m, np.int64)
    chained = np.zeros(m, np.bool_)
    length = 0
    for t in range(m - 1):
        count = m - t
        if length == 0:
            chain[0], length = alive[0], 1
            chained[alive[0]] = True
        while True:
            x = chain[length - 1]
            y = _nearest_cluster(S, sizes, alive, count, x, near)
            # Distances that are ties only through others in between could lead the
            # chain round in a circle; any of its links is as short then.
            if chained[y]:
                y = chain[length - 2]
                break
            chain[length], length = y, length + 1
            chained[y] = True
        length -= 2
        chained[x] = chained[y] = False
        lo, hi = lesser(x, y), greater(x, y)
        merges[t, 0], merges[t, 1] = lo, hi
        heights[t] = S[lo, hi] / (sizes[lo] + sizes[hi])
        _join(S, sizes, alive, count, lo, hi)


class TreeLimits(NamedTuple):
    """When to stop splitting the nodes of a ranking tree."""

    depth: int  # nodes at this depth are leaves
    split: int  # fewest rows of a node that is split
    leaf: int  # fewest rows of a node
    share: float  # least decrease of impurity, in terms of the root's impurity


class TreeNodes(NamedTuple):
    """Nodes of a ranking tree, level by level; children come after their parent."""

    left: np.ndarray  # child with values up to the threshold, −1 in a leaf
    right: np.ndarray
    feature: np.ndarray  # −1 in a leaf
    threshold: np.ndarray  # NaN in a leaf
    first: np.ndarray  # the node's rows are at first … last−1 of each feature's order
    last: np.ndarray
    depth: np.ndarray
    impurity: np.ndarray  # Σ_{i<j} (j − i) N_i N_j


@inner
def _count_classes(rows, y, first, last, counts):
    """N_c of the rows at first … last−1."""
    for c in range(counts.size):
        counts[c] = 0
    for p in range(first, last):
        counts[y[rows[p]]] += 1


@inner
def _ranking_impurity(counts, size):
    """Σ_{i<j} (j − i) N_i N_j.

    A pair of classes i < j lies on two sides of j − i of the cuts between neighbouring
    classes, so this is the sum over the cuts of (rows below) · (rows above).
    """
    impurity, below = 0, 0
    for c in range(counts.size - 1):
        below += counts[c]
        impurity += below * (size - below)
    return impurity


@inner
def _best_ranking_split(XT, y, order, first, last, smallest, totals, counts):
    """Decrease, feature and place of the best split of a node; −1 if there is none.

    Of the rows in the order of that feature, those before the place go left. The
    decrease is what is no longer compared: per cut between classes, left below · right
    above + right below · left above. All in integers, so that ties are ties; the first
    of equal splits wins.
    """
    best, feature, place = -1, -1, -1
    cuts = totals.size - 1
    for f in range(XT.shape[0]):
        value = XT[f, order[f, first]]
        if value == XT[f, order[f, last - 1]]:
            continue
        for c in range(counts.size):
            counts[c] = 0
        for p in range(first + 1, last):
            counts[y[order[f, p - 1]]] += 1
            following = XT[f, order[f, p]]
            if following == value:
                continue
            value = following
            n_left, n_right = p - first, last - p
            if n_left < smallest or n_right < smallest:
                continue
            decrease, left, both = 0, 0, 0
            for c in range(cuts):
                left += counts[c]
                both += totals[c]
                right = both - left
                decrease += left * (n_right - right) + right * (n_left - left)
            if decrease > best:
                best, feature, place = decrease, f, p
    return best, feature, place


@inner
def _midpoint(low, high):
    """A number t with low ≤ t < high, half-way where numbers are dense enough."""
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


@inner
def _partition(order, feature, first, place, last, goes_left, right):
    """Part a node's rows, in the order of every feature, into those of its children."""
    for p in range(first, last):
        goes_left[order[feature, p]] = p < place
    for f in range(order.shape[0]):
        if f == feature:
            continue
        n_left, n_right = first, 0
        for p in range(first, last):
            row = order[f, p]
            is_left = goes_left[row]
            # Written to both sides, kept on one: no branch to mispredict.
            order[f, n_left] = row
            right[n_right] = row
            n_left += is_left
            n_right += 1 - is_left
        for p in range(n_right):
            order[f, n_left + p] = right[p]


@jit
def grow_ranking_tree(XT, y, order, n_classes, limits, nodes):
    """Grow a tree level by level; the number of its nodes.

    ``XT`` has a row per feature, and ``order[f]`` the numbers of the samples sorted by
    feature f; it is parted as the nodes are.
    """
    left, right, feature, threshold, first, last, depth, impurity = nodes
    totals, counts = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    goes_left, rest = np.empty(y.size, np.int64), np.empty_like(order[0])
    first[0], last[0], depth[0] = 0, y.size, 0
    node, used = 0, 1
    while node < used:
        start, stop = first[node], last[node]
        left[node], right[node], feature[node], threshold[node] = -1, -1, -1, np.nan
        _count_classes(order[0], y, start, stop, totals)
        impurity[node] = _ranking_impurity(totals, stop - start)
        if (
            impurity[node] > 0
            and depth[node] < limits.depth
            and stop - start >= greater(limits.split, 2 * limits.leaf)
        ):
            decrease, f, place = _best_ranking_split(
                XT, y, order, start, stop, limits.leaf, totals, counts
            )
            if f >= 0 and decrease >= limits.share * impurity[0]:
                feature[node] = f
                low, high = XT[f, order[f, place - 1]], XT[f, order[f, place]]
                threshold[node] = _midpoint(low, high)
                _partition(order, f, start, place, stop, goes_left, rest)
                left[node], right[node] = used, used + 1
                first[used], last[used] = start, place
                first[used + 1], last[used + 1] = place, stop
                depth[used] = depth[used + 1] = depth[node] + 1
                used += 2
        node += 1
    return used


@jit
def tree_counts(rows, y, first, last, counts):
    """counts[node, c] = N_c of each node whose rows are at first … last−1."""
    for node in range(counts.shape[0]):
        _count_classes(rows, y, first[node], last[node], counts[node])


@jit
def tree_leaves(X, left, right, feature, threshold, leaves):
    """The leaf that each row of X ends in."""
    for i in range(X.shape[0]):
        node = 0
        while left[node] >= 0:
            goes_left = X[i, feature[node]] <= threshold[node]
            node = left[node] if goes_left else right[node]
        leaves[i] = node


@inner
def _dominating(X, i, span, side, squares, found):
    """Rows of a range that are on one side of row i in every feature; how many.

    With side 1 no feature is smaller than that of row i, with −1 none is larger. Most
    rows are out after a few features.
    """
    ids, exact = found
    Z = _values(X)
    count, d = 0, Z.shape[1]
    for j in range(span[0], span[1]):
        f = 0
        while f < d and side * (Z[j, f] - Z[i, f]) >= 0.0:
            f += 1
        if f == d and j != i:
            ids[count], exact[count] = j, _weighted(X, i, j, squares)
            count += 1
    return count


@inner
def _smallest(exact, count):
    """Smallest of the first distances; infinity if there are none."""
    least = np.inf
    for e in range(count):
        least = lesser(least, exact[e])
    return least


@jit
def dominating_hit_sums(X, layout, k, first, last, sums):
    """sums[f] += mean |x_f − hit_f| of the k nearest dominating hits of some rows.

    Rows first … last−1 count with those above them if there is a higher class, and with
    those below if there is a lower one. Rows tied at the k-th place share it.
    """
    Z = _values(X)
    n, d = Z.shape
    labels, starts = layout.labels, layout.starts
    ids, exact, ones = np.empty(n, np.int64), np.empty(n), np.ones(d)
    for i in range(first, last):
        span = starts[labels[i]], starts[labels[i] + 1]
        for side in (1, -1):
            if (side > 0 and span[1] == n) or (side < 0 and span[0] == 0):
                continue
            count = _dominating(X, i, span, side, ones, (ids, exact))
            if count == 0:
                continue
            wanted = lesser(k, count)
            border = np.sort(exact[:count])[wanted - 1]
            closer, tied = 0, 0
            for e in range(count):
                if exact[e] < border * (1 - TIE):
                    closer += 1
                elif exact[e] <= border * (1 + TIE):
                    tied += 1
            for e in range(count):
                if exact[e] > border * (1 + TIE):
                    continue
                share = 1.0
                if exact[e] >= border * (1 - TIE):
                    share = (wanted - closer) / tied
                j, c = ids[e], share / wanted
                for f in range(np.uint64(d)):
                    sums[f] += c * abs(Z[i, f] - Z[j, f])
                _add_beyond(X, i, j, c, 1, sums)


@jit
def dominating_hit_distances(X, layout, squares, first, last, near):
    """near[i] = distances to the nearest hit above row i and below it; 0 if none."""
    n = _values(X).shape[0]
    labels, starts = layout.labels, layout.starts
    ids, exact = np.empty(n, np.int64), np.empty(n)
    for i in range(first, last):
        span = starts[labels[i]], starts[labels[i] + 1]
        for s, side in enumerate((1, -1)):
            count = _dominating(X, i, span, side, squares, (ids, exact))
            near[i, s] = _smallest(exact, count) if count else 0.0


@inner
def _nearest_from(table, i, seed, ranges, under, found):
    """The row of some ranges that is nearest to row i; ``seed`` is one of them."""
    X, _, rank = table
    squares, screen, thin = under
    reach = _weighted(X, i, seed, squares), True
    count, best = _within_reach(X, i, ranges, squares, screen, thin, reach, found)
    return _first_of_ties(count, best, rank, found)[0]


@inner
def _add_squares(X, i, j, squares, sign, side, step):
    """step[f] += sign · ½ (x_j − x_i)_f² / ‖x_j − x_i‖_w, unless the norm is 0.

    With a side, 1 or −1, only where x_j − x_i has its sign.
    """
    length = _weighted(X, i, j, squares)
    if length == 0.0:
        return
    factor, Z = sign * 0.5 / length, _values(X)
    for f in range(step.size):
        t = Z[j, f] - Z[i, f]
        if side * t >= 0.0:
            step[f] += factor * t * t
    if side == 0:
        _add_beyond(X, i, j, factor, 2, step)


@jit
def osimba_visits(table, screen, w, visits, seeds, batch, kind, room):
    """Visit rows in turn and move w after each batch (O-Simba, eq. 12).

    As `simba_visits`, with a margin towards the higher classes and one towards the
    lower. ``seeds`` holds each row's last hit, higher miss and lower miss, −1 for none.
    ``kind`` says whether a miss counts only on the features on which it is on its side,
    and whether only hits that are on that side in every feature are hits.
    """
    X, rank = table[0], table[2]
    labels, starts = table[1].labels, table[1].starts
    directed, dominating = kind
    n, d = rank.size, w.size
    found, step = room.found, room.step
    squares, weights = room.squares, room.weights
    scale = slack = 0.0
    moved, stale = 0, True
    # Literals are types of their own, and what is called with them is compiled again.
    plus, minus, neither = np.int64(1), np.int64(-1), np.int64(0)
    for t in range(visits.size):
        i = visits[t]
        lo, hi = starts[labels[i]], starts[labels[i] + 1]
        if stale:
            scale, slack = _thin(squares, screen, weights)
            stale = False
        if hi - lo > 1:
            under = squares, screen, (weights, scale, slack)
            hit = -1
            if not dominating:
                ranges = (lo, hi, hi, hi)
                hit = _nearest_from(table, i, seeds[i, 0], ranges, under, found)
                seeds[i, 0] = hit
            for slot in range(1, 3):
                if seeds[i, slot] < 0:
                    continue
                side = plus if slot == 1 else minus
                ranges = (hi, n, n, n) if slot == 1 else (0, lo, lo, lo)
                miss = _nearest_from(table, i, seeds[i, slot], ranges, under, found)
                seeds[i, slot] = miss
                on = side if directed else neither
                _add_squares(X, i, miss, squares, plus, on, step)
                if dominating:
                    count = _dominating(X, i, (lo, hi), side, squares, found)
                    near = _smallest(found[1], count)
                    hit, _ = _first_of_ties(count, near, rank, found)
                if hit >= 0:
                    _add_squares(X, i, hit, squares, minus, neither, step)
            moved += 1
        if moved and ((t + 1) % batch == 0 or t + 1 == visits.size):
            for f in range(d):
                w[f] += step[f] / moved * w[f]
                squares[f] = w[f] * w[f]
                step[f] = 0.0
            moved, stale = 0, True


class Sorted(NamedTuple):
    """Features in ascending order of their values, one per row."""

    values: np.ndarray  # (d, n)
    labels: np.ndarray  # (d, n) class of the sample that each value belongs to
    logs: np.ndarray  # (n + 1,) c · ln c in fixed point
    one: float  # what 1 is in that fixed point


@jit
def joint_sums(codes, features, other, shape, logs, first, last, sums):
    """sums[e] = Σ c · ln c over the cells of feature features[e] against ``other``.

    ``logs`` holds c · ln c in fixed point: a sum of integers does not depend on the
    order of the cells, so that relabelled codes give the same information to the bit.
    """
    n, width = other.size, shape[1]
    counts = np.zeros(shape[0] * width, np.int64)
    for e in range(first, last):
        f = features[e]
        for cell in range(counts.size):
            counts[cell] = 0
        for i in range(n):
            counts[codes[f, i] * width + other[i]] += 1
        total = np.int64(0)
        for cell in range(counts.size):
            total += logs[counts[cell]]
        sums[e] = total


@inner
def _best_cut(f, start, stop, order, left, right):
    """Where to cut values start … stop−1 of feature f for the purest two parts.

    Returns the first value of the right part (``start`` if there is no cut), and
    Σ c · ln c over the classes of the whole, the left and the right part. Cuts that are
    as good as another up to rounding do not replace it. ``left`` and ``right`` are
    left with the counts of the classes at the cut.
    """
    values, labels, logs = order.values, order.labels, order.logs
    for c in range(left.size):
        left[c], right[c] = 0, 0
    for i in range(start, stop):
        right[labels[f, i]] += 1
    below, above, whole = np.int64(0), np.int64(0), np.int64(0)
    for c in range(right.size):
        above += logs[right[c]]
    whole = above
    margin = TIE * (stop - start) * order.one
    cut, best, best_below, best_above = start, -np.inf, below, above
    for i in range(start, stop - 1):
        c = labels[f, i]
        below += logs[left[c] + 1] - logs[left[c]]
        above += logs[right[c] - 1] - logs[right[c]]
        left[c] += 1
        right[c] -= 1
        if values[f, i + 1] - values[f, i] > TIE:
            purity = below - logs[i + 1 - start] + above - logs[stop - i - 1]
            if purity > best + margin:
                best, cut, best_below, best_above = purity, i + 1, below, above
    for c in range(left.size):
        right[c] += left[c]
        left[c] = 0
    for i in range(start, cut):
        left[labels[f, i]] += 1
        right[labels[f, i]] -= 1
    return cut, whole, best_below, best_above


@inner
def _cut_pays(sizes, sums, order, left, right):
    """Whether a cut saves more bits than it takes to describe (Fayyad and Irani)."""
    logs, one = order.logs, order.one
    m, m_1, m_2 = sizes
    # n · entropy of the whole and of its parts, in nats as all that follows
    H = (logs[m] - sums[0]) / one
    H_1, H_2 = (logs[m_1] - sums[1]) / one, (logs[m_2] - sums[2]) / one
    k, k_1, k_2 = 0, 0, 0
    for c in range(left.size):
        k += left[c] + right[c] > 0
        k_1 += left[c] > 0
        k_2 += right[c] > 0
    choices = np.log(3.0**k - 2) if k < 30 else k * np.log(3.0)
    price = np.log(m - 1.0) + choices - (k * H / m - k_1 * H_1 / m_1 - k_2 * H_2 / m_2)
    saved = H - H_1 - H_2
    return saved > price + TIE * m


@jit
def mdl_cuts(order, n_classes, first, last, cuts):
    """Mark the first value of each interval of features first … last−1 but the lowest.

    No more than 255 cuts are made, so that the intervals can be counted in a byte.
    """
    n = order.values.shape[1]
    left, right = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    stack = np.empty((n + 1, 2), np.int64)
    for f in range(first, last):
        stack[0, 0], stack[0, 1] = 0, n
        held, made = 1, 0
        while held > 0 and made < 255:
            held -= 1
            start, stop = stack[held, 0], stack[held, 1]
            cut, whole, below, above = _best_cut(f, start, stop, order, left, right)
            sizes = stop - start, cut - start, stop - cut
            sums = whole, below, above
            if cut > start and _cut_pays(sizes, sums, order, left, right):
                cuts[f, cut] = True
                made += 1
                stack[held, 0], stack[held, 1] = start, cut
                stack[held + 1, 0], stack[held + 1, 1] = cut, stop
                held += 2


@jit
def set_borders(metric, norms, doubt, factor, reach, borders):
    """Let the lists of queries begin with a border: nothing beyond ``reach`` is asked.

    ``reach`` has shape (m, S); infinity for no border.
    """
    for q in range(reach.shape[0]):
        for slot in range(reach.shape[1]):
            key = reach[q, slot] * factor
            key = key * key if metric == EUCLIDEAN else key
            key *= 1 + 8 * TIE
            error = _error(metric, key, norms[q], doubt.largest, doubt.depth)
            # Twice: the bound is for keys near this one, and the sum is rounded.
            key += 2 * error
            borders[slot, q] = np.float32(key)


@jit
def search_blocks(packed, norms, queries, layouts, heaps, tile):
    """All pairs of the rows of two tables, both ways.

    Everything comes in pairs, ours and theirs. Our queries look among their rows, in
    their layout, and theirs among ours; each tile serves both.
    """
    ours, theirs = packed
    n, m = layouts[0].labels.size, layouts[1].labels.size
    values, turned, lows = tile.values, tile.turned, tile.lows
    width = values.shape[0]
    for first in range(0, n, width):
        for offset in range(0, m, width):
            shape = lesser(width, n - first), width, lesser(width, m - offset)
            _tile(ours, first, theirs, offset, norms, shape, values, turned)
            near, far, block = first, offset, values
            asking, asked, heap = queries[0], layouts[1], heaps[0]
            for side in range(2):
                if side == 1:
                    _transpose(values, turned)
                    near, far, block = offset, first, turned
                    asking, asked, heap = queries[1], layouts[0], heaps[1]
                    shape = shape[2], width, shape[0]
                _scan_rows(block, shape, asking, near, far, asked, heap, lows)


class Merged(NamedTuple):
    """Lists of neighbours, one group after the other."""

    offsets: np.ndarray  # (G + 1,) group g is entries offsets[g] … offsets[g + 1] − 1
    rows: np.ndarray
    distances: np.ndarray
    share: np.ndarray


@inner
def _insert(top, held, value):
    """Put a value into an ascending list; what no longer fits falls out."""
    p = lesser(held, top.size - 1)
    while p > 0 and value < top[p - 1]:
        top[p] = top[p - 1]
        p -= 1
    top[p] = value
    return lesser(held + 1, top.size)


@jit
def merge_lists(offsets, rows, distances, k, ranked, merged):
    """The k nearest of each group, from lists of the nearest in several places.

    ``offsets`` has a row for each place: the limits of its groups in ``rows`` and
    ``distances``. Rows tied with the k-th share it, or, if ``ranked``, those of lowest
    number win. What `_settle` does for one place, this does across them.
    """
    limits, ids, exact, share = merged
    places, top, end = offsets.shape[0], np.empty(k), 0
    limits[0] = 0
    for g in range(offsets.shape[1] - 1):
        held = 0
        for p in range(places):
            for e in range(offsets[p, g], offsets[p, g + 1]):
                if held < k or distances[e] < top[k - 1]:
                    held = _insert(top, held, distances[e])
        start, inside, tied = end, 0, 0
        border = top[held - 1] if held else 0.0
        for p in range(places):
            for e in range(offsets[p, g], offsets[p, g + 1]):
                if distances[e] <= border * (1 + TIE):
                    ids[end], exact[end] = rows[e], distances[e]
                    nearer = distances[e] < border * (1 - TIE)
                    share[end] = 1.0 if nearer else 0.0
                    inside, tied = inside + nearer, tied + (not nearer)
                    end += 1
        left = held - inside
        if ranked:
            end = _lowest_win(ids, exact, share, start, end, left)
        else:
            for e in range(start, end):
                if share[e] == 0.0:
                    share[e] = left / tied
        limits[g + 1] = end


@inner
def _lowest_win(ids, exact, share, start, end, left):
    """Of entries start … end−1 without a share, give one to ``left``; drop the rest."""
    for _ in range(left):
        lowest = -1
        for e in range(start, end):
            if share[e] == 0.0 and (lowest < 0 or ids[e] < ids[lowest]):
                lowest = e
        share[lowest] = 1.0
    kept = start
    for e in range(start, end):
        if share[e] > 0.0:
            ids[kept], exact[kept], share[kept] = ids[e], exact[e], share[e]
            kept += 1
    return kept


@jit
def sided_edge_sums(X, edges, sides, first, last, sums):
    """sums[f] += Σ coefficient · (x_tail − x_head)_f² where that has the edge's side.

    A side of 0 takes every feature.
    """
    heads, tails, coefficients = edges
    for e in range(first, last):
        i, j, c, side = heads[e], tails[e], coefficients[e], sides[e]
        for f in range(sums.size):
            t = X[j, f] - X[i, f]
            if side * t >= 0.0:
                sums[f] += c * t * t


@jit
def pair_lengths(X, heads, tails, sides, squares, lengths):
    """Weighted distance of each pair, on the features that have its side."""
    for e in range(heads.size):
        i, j, side, s = heads[e], tails[e], sides[e], 0.0
        for f in range(squares.size):
            t = X[j, f] - X[i, f]
            if side * t >= 0.0:
                s += squares[f] * t * t
        lengths[e] = np.sqrt(s)


@inner
def _signed_sums(X, edges, start, stop, sums):
    """sums[f] += Σ coefficient · (x_tail,f − x_head,f) over edges start … stop−1."""
    heads, tails, coefficients = edges
    for e in range(start, stop):
        i, j, c = heads[e], tails[e], coefficients[e]
        for f in range(np.uint64(X.shape[1])):
            sums[f] += c * (X[j, f] - X[i, f])


@jit
def group_sums(X, edges, power, offsets, start, stop, sums):
    """sums[g] += the sums of edges offsets[g] … offsets[g+1]−1, groups start … stop−1.

    With power 0 they are the sums of signed differences.
    """
    last = np.uint64(X.shape[1])
    for g in range(start, stop):
        lo, hi = offsets[g], offsets[g + 1]
        if power == 0:
            _signed_sums(X, edges, lo, hi, sums[g])
        else:
            edge_sums(X, edges, power, lo, hi, np.uint64(0), last, sums[g])


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
DOUBLES = 8  # places that are worked on at once
FAR = 1 + 4 * TIE  # squared distances farther apart than this are no tie
INFINITE = np.float64(np.inf).view(np.int64)


def _all_lanes(builder, value):
    """Code that makes a vector of DOUBLES times the same value."""
    undefined = ir.Constant(ir.VectorType(value.type, DOUBLES), ir.Undefined)
    zero = ir.Constant(ir.IntType(32), 0)
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), DOUBLES), [0] * DOUBLES)
    first = builder.insert_element(undefined, value, zero)
    return builder.shuffle_vector(first, undefined, lanes)


def _smaller(builder, a, b):
    """Code for the smaller of two numbers, or of each lane of two vectors."""
    return builder.select(builder.fcmp_ordered("<", a, b), a, b)


def _smallest_lane(builder, vector):
    """Code for the smallest number of a vector."""
    undefined = ir.Constant(vector.type, ir.Undefined)
    for distance in (4, 2, 1):
        lanes = [(c + distance) % DOUBLES for c in range(DOUBLES)]
        turned = ir.Constant(ir.VectorType(ir.IntType(32), DOUBLES), lanes)
        other = builder.shuffle_vector(vector, undefined, turned)
        vector = _smaller(builder, vector, other)
    return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))


def _lanes_at(builder, data, place, *more):
    """Code for a pointer to DOUBLES elements of an array at the sum of some places."""
    for term in more:
        place = builder.add(place, term)
    pointer = builder.gep(data, [place])
    vector = ir.VectorType(pointer.type.pointee, DOUBLES)
    return builder.bitcast(pointer, vector.as_pointer())


def _integer(value):
    return ir.Constant(ir.IntType(64), value)


def _data(context, builder, signature, args, places):
    """Code for the pointers to the elements of array arguments."""
    return [
        context.make_array(signature.args[a])(context, builder, args[a]).data
        for a in places
    ]


def _accumulators(builder, value):
    """Code for one variable per step, all lanes set to a value."""
    vector = _all_lanes(builder, value)
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
        column = _lanes_at(builder, panels, place, _integer(e * WIDTH))
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
        columns, D, x, least = _data(context, builder, signature, args, (0, 2, 5, 6))
        place, row, first = args[1], args[3], args[7]
        start, stop = (builder.extract_value(args[4], e) for e in range(2))
        at = [builder.add(first, _integer(e)) for e in STEPS]
        query = [_all_lanes(builder, builder.load(builder.gep(x, [p]))) for p in at]
        best = _accumulators(builder, ir.Constant(ir.DoubleType(), np.inf))
        with for_range_slice(builder, start, stop, _integer(DOUBLES)) as (c, _):
            distances = _lanes_at(builder, D, row, c)
            column = builder.add(place, c)
            after = _distances_by_step(builder, columns, column, distances, query)
            for e in STEPS:
                smaller = _smaller(builder, after[e], builder.load(best[e]))
                builder.store(smaller, best[e])
        for e in STEPS:
            pointer = builder.gep(least, [at[e]])
            smallest = _smallest_lane(builder, builder.load(best[e]))
            builder.store(_smaller(builder, smallest, builder.load(pointer)), pointer)
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


@inner
def _majority(counts, prior):
    """The class that most of the tied rows have; then the more frequent, the lower."""
    best = 0
    for a in range(1, counts.size):
        more = counts[a] > counts[best]
        if more or (counts[a] == counts[best] and prior[a] > prior[best]):
            best = a
    return best


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
                correct[f] += _majority(counts[f], prior) == labels[queries[q]]


class MixedPrefixes(NamedTuple):
    """A table with nominal features, for `mixed_prefix_hits`."""

    columns: np.ndarray  # (d, n) features in the order of a ranking, numbers or codes
    nominal: np.ndarray  # (d,) which of them hold codes
    begin: np.ndarray  # (n,) 0, or ∞ for a row that is nobody's neighbour
    labels: np.ndarray  # (n,) class of each row; rows are sorted by it
    starts: np.ndarray  # (C + 1,) first row of each class, and n


@inner
def _add_column(prefixes, f, i, D, q):
    """Add what row i differs by from all others in feature f to D[q], squared."""
    columns = prefixes.columns
    n, x = np.uint64(columns.shape[1]), columns[f, i]
    if prefixes.nominal[f]:
        for j in range(n):
            D[q, j] += 0.0 if columns[f, j] == x else 1.0
    else:
        for j in range(n):
            t = x - columns[f, j]
            D[q, j] += t * t


@inner
def _least_bits(bits, q, start, stop, least):
    """The least of bits[q, start … stop−1] and ``least``.

    As integers, numbers from 0 to ∞ are in the same order, and compared in vectors.
    """
    for j in range(np.uint64(start), np.uint64(stop)):
        least = lesser(least, bits[q, j])
    return least


@jit
def mixed_prefix_hits(prefixes, queries, prior, correct):
    """Count hits as `prefix_hits` does; two nominal values differ by 0 or 1."""
    labels, starts = prefixes.labels, prefixes.starts
    d, n = prefixes.columns.shape
    D, counts = np.empty((queries.size, n)), np.empty(prior.size, np.int64)
    bits = D.view(np.int64)
    for q in range(queries.size):
        D[q] = prefixes.begin
    for f in range(d):
        correct[f] = 0
        for q in range(queries.size):
            i = queries[q]
            _add_column(prefixes, f, i, D, q)
            lo, hi = starts[labels[i]], starts[labels[i] + 1]
            hit = np.int64(_least_bits(bits, q, lo, hi, INFINITE)).view(np.float64)
            miss = _least_bits(bits, q, 0, lo, INFINITE)
            miss = np.int64(_least_bits(bits, q, hi, n, miss)).view(np.float64)
            near, far = lesser(hit, miss), greater(hit, miss)
            if far < np.inf and far <= near * FAR:
                border = near * (1 + TIE) ** 2
                for a in range(prior.size):
                    counts[a] = 0
                    for j in range(starts[a], starts[a + 1]):
                        counts[a] += D[q, j] <= border
                correct[f] += _majority(counts, prior) == labels[i]
            else:
                correct[f] += hit < miss


class Mixed(NamedTuple):
    """What the differences of rows of numbers do not tell.

    In the rows, a nominal feature is 0 throughout, and where the value of a numeric
    feature is missing there is the mean of its class. The mean is never farther from a
    value than that class is on the average, so what is said here only adds to the
    differences of the rows, and nothing is lost to cancellation.
    """

    codes: np.ndarray  # (n, M) float32, nominal values; NaN, where missing, equals all
    nominal: np.ndarray  # (M,) which feature each column of codes is
    starts: np.ndarray  # (n + 1,) cells that row i lacks: starts[i] … starts[i+1]−1
    features: np.ndarray  # (m,) feature of each missing cell
    pairs: np.ndarray  # (m,) the row of ``expected`` for its feature and class
    expected: np.ndarray  # (P, n) difference to expect between such a cell and a row
    excess: np.ndarray  # (2, P, n) float32, what it adds to |.| and (.)², see `Extras`
    absent: np.ndarray  # (n, d) which cells are missing
    weights: np.ndarray  # (d,) what the rows have been multiplied by


class MixedRows(NamedTuple):
    """Rows of numbers, and what is beyond them."""

    X: np.ndarray
    mixed: Mixed


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
        if starts[offset + c0] == starts[lesser(offset + c0 + LANES, starts.size - 1)]:
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


@inner
def _excess(expected, filled, power):
    """expected^power − filled^power."""
    beyond = expected - filled
    return beyond * (expected + filled) if power == 2 else beyond


@inner
def _mixed_sum(rows, i, j, squares):
    """What rows i and j differ by beyond their numbers, under squared weights.

    Where both lack a value, the cell of row i speaks for both.
    """
    X, mixed = rows
    codes, nominal, starts, features, pairs, expected, _, absent, weights = mixed
    s = 0.0
    for m in range(nominal.size):
        if abs(codes[i, m] - codes[j, m]) > 0:
            s += weights[nominal[m]] ** 2 * squares[nominal[m]]
    for side in range(2):
        p, q = (i, j) if side == 0 else (j, i)
        for e in range(starts[p], starts[p + 1]):
            f = features[e]
            if side == 1 and absent[q, f]:
                continue
            filled = abs(X[p, f] - X[q, f])
            s += squares[f] * _excess(weights[f] * expected[pairs[e], q], filled, 2)
    return s


@inner
def _add_mixed_sums(rows, i, ids, first, last, power, sums):
    """sums[e] += what rows i and ids[e] differ by beyond their numbers, as above.

    Taking arrays out of tuples costs more than most rows do, hence the loop in here.
    """
    X, mixed = rows
    codes, nominal, starts, features, pairs, expected, _, absent, weights = mixed
    for place in range(first, last):
        j, s = ids[place], 0.0
        for m in range(nominal.size):
            if abs(codes[i, m] - codes[j, m]) > 0:
                s += _excess(weights[nominal[m]], 0.0, power)
        for side in range(2):
            p, q = (i, j) if side == 0 else (j, i)
            for e in range(starts[p], starts[p + 1]):
                f = features[e]
                if side == 1 and absent[q, f]:
                    continue
                filled = abs(X[p, f] - X[q, f])
                s += _excess(weights[f] * expected[pairs[e], q], filled, power)
        sums[place] += s


@inner
def _add_mixed(rows, edges, power, start, stop, sums):
    """sums[f] += Σ coefficient · what heads and tails differ by beyond their numbers.

    The loop is in here for the same reason.
    """
    X, mixed = rows
    codes, nominal, starts, features, pairs, expected, _, absent, weights = mixed
    heads, tails, coefficients = edges
    for edge in range(start, stop):
        i, j, c = heads[edge], tails[edge], coefficients[edge]
        for m in range(nominal.size):
            # Without a branch, for nobody can guess which values are equal.
            unequal = 1.0 if abs(codes[i, m] - codes[j, m]) > 0 else 0.0
            f = nominal[m]
            sums[f] += c * unequal * _excess(weights[f], 0.0, power)
        for side in range(2):
            p, q = (i, j) if side == 0 else (j, i)
            for e in range(starts[p], starts[p + 1]):
                f = features[e]
                if side == 1 and absent[q, f]:
                    continue
                filled = abs(X[p, f] - X[q, f])
                size = _excess(weights[f] * expected[pairs[e], q], filled, power)
                sums[f] += c * size


def _mixed_distances(metric, X, i, ids, first, last, exact):
    """The same with all that belongs to a distance."""
    _distances(metric, X.X, i, ids, first, last, exact)
    squared = metric == EUCLIDEAN
    for e in range(first, last):
        exact[e] *= exact[e] if squared else 1.0
    _add_mixed_sums(X, i, ids, first, last, 2 if squared else 1, exact)
    for e in range(first, last):
        exact[e] = np.sqrt(exact[e]) if squared else exact[e]


def _mixed_weighted(X, i, j, squares):
    """Distance of rows i and j under squared weights, with all that belongs to it."""
    near = _weighted(X.X, i, j, squares)
    return np.sqrt(near * near + _mixed_sum(X, i, j, squares))


def _mixed_step(X, i, hit, miss, pull, push, step):
    """As `_plain_step`, with all that belongs to the differences."""
    _add_step(X.X, i, hit, miss, pull, push, step)
    ends = np.array([i, i]), np.array([hit, miss])
    _add_mixed(X, Edges(*ends, np.array([-pull, push])), 2, 0, 2, step)


def _add_one_mixed(X, i, j, c, power, sums):
    """`_add_mixed` for one edge."""
    edge = Edges(np.array([i]), np.array([j]), np.array([c]))
    _add_mixed(X, edge, power, 0, 1, sums)


def _mixed_within_reach(X, i, ranges, squares, screen, thin, reach, found):
    """As `_plain_within_reach`; nominal features are screened after the numbers.

    Missing cells only add to a distance, so that the screen may leave them out.
    """
    Z, codes, nominal = screen.rows, X.mixed.codes, X.mixed.nominal
    weights, scale, slack = thin
    ids, exact = found
    best, shrinking = reach
    width, many, count = np.uint64(Z.shape[1]), np.uint64(nominal.size), 0
    sizes, none = np.empty(nominal.size, np.float32), np.float32(0)
    for m in range(nominal.size):
        sizes[m] = squares[nominal[m]] * scale * scale
    cut = _cut(best, scale, slack, squares.size)
    for j in range(ranges[0], ranges[1]):
        if j == i or ranges[2] <= j < ranges[3]:
            continue
        key, first = np.float32(0), np.uint64(0)
        while first < width and key <= cut:
            for f in range(first, first + STEP):
                t = Z[i, f] - Z[j, f]
                key += weights[f] * t * t
            first += STEP
        first = np.uint64(0)
        while first < many and key <= cut:
            for m in range(first, lesser(first + STEP, many)):
                unequal = abs(codes[i, m] - codes[j, m]) > none
                key += sizes[m] if unequal else none
            first += STEP
        if key <= cut:
            r = _weighted(X, i, j, squares)
            if r <= best * (1 + TIE):
                ids[count], exact[count] = j, r
                count += 1
                if r < best and shrinking:
                    best = r
                    cut = _cut(best, scale, slack, squares.size)
    return count, best


@jit
def mixed_edge_sums(rows, edges, power, start, stop, sums):
    """What `edge_sums` leaves out, for edges start … stop−1."""
    _add_mixed(rows, edges, power, start, stop, sums)


@jit
def mixed_group_sums(rows, edges, power, offsets, start, stop, sums):
    """What `group_sums` leaves out, for groups start … stop−1."""
    for g in range(start, stop):
        mixed_edge_sums(rows, edges, power, offsets[g], offsets[g + 1], sums[g])


def _values(X):
    """The rows themselves: X, or X of `MixedRows`."""


def _distances(metric, X, i, ids, first, last, exact):
    """Distances of some rows from row i, plain or mixed."""


def _weighted(X, i, j, squares):
    """Distance of two rows under squared weights, plain or mixed."""


def _within_reach(X, i, ranges, squares, screen, thin, reach, found):
    """Rows near row i, plain or mixed."""


def _add_step(X, i, hit, miss, pull, push, step):
    """A step of Simba, plain or mixed."""


def _add_beyond(X, i, j, c, power, sums):
    """What mixed rows differ by beyond their numbers; nothing for plain ones."""


# Chosen by type, so that plain rows are served by code of their own.
def _plain(X):
    return isinstance(X, types.Array)


@_by_type(_values)
def _choose_values(X):
    return (lambda X: X) if _plain(X) else (lambda X: X.X)


@_by_type(_distances)
def _choose_distances(metric, X, i, ids, first, last, exact):
    return _plain_distances if _plain(X) else _mixed_distances


@_by_type(_weighted)
def _choose_weighted(X, i, j, squares):
    return _plain_weighted if _plain(X) else _mixed_weighted


@_by_type(_within_reach)
def _choose_within_reach(X, i, ranges, squares, screen, thin, reach, found):
    return _plain_within_reach if _plain(X) else _mixed_within_reach


@_by_type(_add_step)
def _choose_step(X, i, hit, miss, pull, push, step):
    return _plain_step if _plain(X) else _mixed_step


@_by_type(_add_beyond)
def _choose_beyond(X, i, j, c, power, sums):
    return (lambda X, i, j, c, power, sums: None) if _plain(X) else _add_one_mixed


@jit
def observed_range(X, first, last, low, high, mean):
    """The same as `column_range` where cells are missing; 0 where all of them are."""
    n, counts, part = X.shape[0], np.zeros(last), 1 / X.shape[0]
    for f in range(first, last):
        low[f], high[f], mean[f] = np.inf, -np.inf, 0.0
    for i in range(n):
        for f in range(first, last):
            v = X[i, f]
            low[f] = v if v < low[f] else low[f]
            high[f] = v if v > high[f] else high[f]
            mean[f] += v * part if v == v else 0.0
            counts[f] += 1.0 if v == v else 0.0
    for f in range(first, last):
        if counts[f] == 0:
            low[f], high[f] = 0.0, 0.0
        else:
            mean[f] *= n / counts[f]


@jit
def take_features(X, features, values, keys):
    """values[g] = feature features[g] of X, from eight rows at a time.

    Sorted, the lower halves of keys[g] are the rows roughly in order of their values,
    and those without one. The upper halves are those of the values: bits of numbers
    compare like the numbers once those of negative ones are turned round.
    """
    n, bits = X.shape[0], values.view(np.int64)
    whole = n - n % 8
    for i in range(0, whole, 8):
        for g in range(features.size):
            f = features[g]
            a, b, c, d = X[i, f], X[i + 1, f], X[i + 2, f], X[i + 3, f]
            p, q, r, s = X[i + 4, f], X[i + 5, f], X[i + 6, f], X[i + 7, f]
            values[g, i], values[g, i + 1] = a, b
            values[g, i + 2], values[g, i + 3] = c, d
            values[g, i + 4], values[g, i + 5] = p, q
            values[g, i + 6], values[g, i + 7] = r, s
    for g in range(features.size):
        for i in range(whole, n):
            values[g, i] = X[i, features[g]]
    for g in range(features.size):
        for i in range(np.uint64(n)):
            b = bits[g, i]
            missing = (b & MOST) > INFINITE
            b = MOST if missing else b ^ ((b >> np.int64(63)) & MOST)
            keys[g, i] = (b | LOWER) - LOWER + np.int64(i)


class Observed(NamedTuple):
    """The rows that have a value of some feature, in order of the values."""

    rows: np.ndarray
    values: np.ndarray
    member: np.ndarray  # room for as many numbers


@inner
def _split(keys, places):
    """Rows of sorted keys: those that have a value, in order, and those that do not."""
    count = keys.size
    while count > 0 and keys[count - 1] >= MOST - LOWER:
        count -= 1
    for e in range(np.uint64(keys.size)):
        places[e] = keys[e] & LOWER
    return places[:count], places[count:]


@inner
def _look_up(values, rows, ordered):
    """ordered[e] = values[rows[e]]; how often it falls."""
    falls = 0
    for e in range(np.uint64(rows.size)):
        ordered[e] = values[rows[e]]
    for e in range(np.uint64(1), np.uint64(rows.size)):
        falls += ordered[e] < ordered[e - np.uint64(1)]
    return falls


@inner
def _put_in_order(values, rows, ordered):
    """Sort rows by their values; they are nearly in order."""
    steps = 0
    for e in range(rows.size):
        row, p = rows[e], e
        v = values[row]
        while p > 0 and v < ordered[p - 1]:
            rows[p], ordered[p] = rows[p - 1], ordered[p - 1]
            p -= 1
        rows[p], ordered[p] = row, v
        steps += e - p
        if steps > 8 * rows.size:
            # Values that are all but equal were not near their places.
            rows[:] = np.argsort(values)[: rows.size]
            _look_up(values, rows, ordered)
            return


@inner
def _sweep(observed, first, last, count, expected):
    """expected[j] = mean |u − v_j| over values u of rows first … last−1; their mean.

    ``count`` is the number of values. With L(v) the mean of max(v − u, 0), the mean of
    |u − v| is 2 L(v) + mean − v, of which nothing is lost to cancellation: L(v) is at
    least v − mean.
    """
    rows, values, member = observed
    low, middle, share = values[0], 0.0, 1 / count
    for e in range(np.uint64(values.size)):
        inside = (first <= rows[e]) & (rows[e] < last)
        member[e] = 2 * share if inside else 0.0
        middle += 0.5 * member[e] * (values[e] - low)
    below, total, previous = 0.0, 0.0, low
    for e in range(np.uint64(values.size)):
        v = values[e]
        total += below * (v - previous)
        expected[rows[e]] = total + (middle - (v - low))
        below += member[e]
        previous = v
    return _snapped(low + middle, values)


@inner
def _snapped(mean, values):
    """The mean, or the value that it would be if it were not for rounding."""
    first, last = 0, values.size - 1
    while last - first > 1:
        middle = (first + last) // 2
        if values[middle] <= mean:
            first = middle
        else:
            last = middle
    span = values[values.size - 1] - values[0]
    for e in (first, last):
        if abs(values[e] - mean) <= 1e-13 * span:
            return values[e]
    return mean


@inner
def _expect_of_gaps(values, gaps, layout, counts, row):
    """Where other rows lack the value too, the mean over the class of those."""
    labels, starts = layout.labels, layout.starts
    last, mean = -1, 0.0
    for e in range(gaps.size):
        c = labels[gaps[e]]
        if c > last:
            first, stop, count = starts[c], starts[c + 1], counts[c]
            if count == 0:
                first, stop, count = starts[0], labels.size, counts.sum()
            total = 0.0
            for j in range(np.uint64(first), np.uint64(stop)):
                total += row[j] if values[j] == values[j] else 0.0
            last, mean = c, total / count
        row[gaps[e]] = mean


@jit
def expect_numbers(values, keys, layout, pairs, expected, excess, fills):
    """Differences to expect from the missing cells of numeric features.

    ``values[g]`` is a feature in which NaN marks missing cells, and ``keys[g]`` are its
    keys, see `take_features`, sorted.
    ``pairs[g]`` numbers the classes in which cells are missing, −1 for the others; each
    pair gets a row of ``expected`` and ``excess`` and, as a fill, the mean of its
    class. A class without any value is taken to be like all classes together, a feature
    without any to be constant.
    """
    labels, starts, _ = layout
    n, C = labels.size, pairs.shape[1]
    counts, places = np.empty(C, np.int64), np.empty(n, np.int64)
    # Expectations come in order of the values; here, all places are near.
    row, ordered, member = np.empty((3, n))
    for g in range(values.shape[0]):
        v = values[g]
        rows, gaps = _split(keys[g], places)
        observed = Observed(rows, ordered[: rows.size], member[: rows.size])
        if _look_up(v, rows, observed.values):
            _put_in_order(v, rows, observed.values)
        for c in range(C):
            counts[c] = starts[c + 1] - starts[c]
        for e in range(gaps.size):
            counts[labels[gaps[e]]] -= 1
        for c in range(C):
            pair = pairs[g, c]
            if pair < 0:
                continue
            fills[pair], row[:] = 0.0, 0.0
            if rows.size:
                first, last, count = starts[c], starts[c + 1], counts[c]
                if count == 0:
                    first, last, count = 0, n, rows.size
                fills[pair] = _sweep(observed, first, last, count, row)
                _expect_of_gaps(v, gaps, layout, counts, row)
            _go_beyond(v, row, pair, expected, excess, fills)
        for c in range(C):
            for e in range(gaps.size if pairs[g, c] >= 0 else 0):
                own = pairs[g, labels[gaps[e]]]
                _go_beyond_gap(gaps[e], own, pairs[g, c], expected, excess, fills)


@inner
def _go_beyond(values, row, pair, expected, excess, fills):
    """What expectations, those in ``row``, add to differences of filled-in values.

    Where a value is missing, expectations only.
    """
    fill = fills[pair]
    for j in range(np.uint64(values.size)):
        filled = abs(fill - values[j])
        # The mean of a class is no farther than the class; nor must rounding say so.
        e = filled if filled > row[j] else row[j]
        expected[pair, j] = e
        excess[0, pair, j] = e - filled
        excess[1, pair, j] = (e - filled) * (e + filled)


@inner
def _go_beyond_gap(j, own, pair, expected, excess, fills):
    """The same for row j, whose value is missing and filled in as ``own`` says."""
    filled = abs(fills[pair] - fills[own])
    e = greater(expected[pair, j], filled)
    expected[pair, j] = e
    # Both rows lack the value, and each says one half.
    excess[0, pair, j] = 0.5 * (e - filled)
    excess[1, pair, j] = 0.5 * (e - filled) * (e + filled)


class Shuffles(NamedTuple):
    """Permuted class labels of a table's rows, one permutation per row."""

    labels: np.ndarray  # (B, n) class codes
    members: np.ndarray  # (B, n) rows, class after class
    starts: np.ndarray  # (C + 1,) where the rows of each class begin in there


class Wanted(NamedTuple):
    """Which neighbours a query has, by its class, and what they count."""

    slots: np.ndarray  # (C, C) slot of [query class, row class], −1 for none
    counts: np.ndarray  # (C, S) neighbours wanted, of which there are enough
    walked: np.ndarray  # (C, S) whether to look among the nearest rows of any class
    coefficients: np.ndarray  # (C, S) what each wanted neighbour counts
    prefix: int  # how many nearest rows of any class to look at


class Found(NamedTuple):
    """Neighbours of one query under one permutation, as far as they are known."""

    places: np.ndarray  # rows
    slots: np.ndarray
    filled: np.ndarray  # (S,) how many of each slot are listed
    borders: np.ndarray  # (S,) distance of the last one wanted
    order: np.ndarray  # (n,) rows, nearest first, as many as are sorted
    distances: np.ndarray  # (n,) of every row


class Touched(NamedTuple):
    """Weighted neighbours of some queries under all permutations."""

    offsets: np.ndarray  # (m·B + 1,) entries of query q, permutation b: q·B + b
    places: np.ndarray  # place of each entry's row among the rows of its query
    weights: np.ndarray
    rows: np.ndarray  # rows that are a neighbour of a query under any permutation
    ends: np.ndarray  # (m + 1,) where the rows of each query begin and end


@inner
def _nearest_first(distances, prefix, order):
    """Sort rows up to about ``prefix`` of them, with all ties of the last.

    Returns how many, and the distance up to which none is left out.
    """
    n, limit, count = distances.size, np.inf, 0
    if prefix < n - 1:
        limit = np.partition(distances, prefix - 1)[prefix - 1] * (1 + 4 * TIE)
    for j in range(n):
        if distances[j] <= limit and distances[j] < np.inf:
            order[count] = j
            count += 1
    order[:count] = order[:count][np.argsort(distances[order[:count]])]
    return count, limit


@inner
def _walk(labels, slots, counts, walked, count, found):
    """List the nearest rows of each walked slot, going outwards, with ties.

    Returns how many were listed.
    """
    places, kinds, filled, borders, order, distances = found
    listed, unfilled, last = 0, 0, 0.0
    for s in range(counts.size):
        filled[s], borders[s] = 0, np.inf
        unfilled += walked[s]
    for e in range(count):
        j = order[e]
        if unfilled == 0 and distances[j] > last:
            break
        s = slots[labels[j]]
        if s < 0 or not walked[s] or distances[j] > borders[s] * (1 + TIE):
            continue
        places[listed], kinds[listed] = j, s
        listed += 1
        filled[s] += 1
        if filled[s] == counts[s]:
            borders[s] = distances[j]
            unfilled -= 1
            last = greater(last, borders[s] * (1 + TIE))
    return listed


@inner
def _look_through(i, members, starts, slots, s, wanted, listed, found):
    """List the nearest rows of one slot from all of its members, with ties."""
    places, kinds, filled, borders, _, distances = found
    total, first = 0, listed
    for c in range(slots.size):
        if slots[c] == s:
            for m in range(starts[c], starts[c + 1]):
                if members[m] != i:
                    places[first + total] = members[m]
                    total += 1
    candidates = places[first : first + total]
    border = np.partition(distances[candidates], wanted - 1)[wanted - 1]
    for e in range(first, first + total):
        if distances[places[e]] <= border * (1 + TIE):
            places[listed], kinds[listed] = places[e], s
            listed += 1
    filled[s], borders[s] = listed - first, border
    return listed


@inner
def _drop(s, listed, found):
    """Take the rows of slot s off the list again."""
    places, kinds = found.places, found.slots
    kept = 0
    for e in range(listed):
        if kinds[e] != s:
            places[kept], kinds[kept] = places[e], kinds[e]
            kept += 1
    return kept


@inner
def _list_all(i, b, shuffles, wanted, count, limit, found):
    """List the neighbours of row i in every slot under permutation b."""
    label = shuffles.labels[b, i]
    slots, counts = wanted.slots[label], wanted.counts[label]
    walked, borders = wanted.walked[label], found.borders
    listed = _walk(shuffles.labels[b], slots, counts, walked, count, found)
    for s in range(counts.size):
        if counts[s] > 0 and not (walked[s] and borders[s] * (1 + TIE) <= limit):
            listed = _drop(s, listed, found)
            listed = _look_through(
                i,
                shuffles.members[b],
                shuffles.starts,
                slots,
                s,
                counts[s],
                listed,
                found,
            )
    return listed


@inner
def _weigh(listed, counts, coefficients, found, nearer, weights, first):
    """Weights of the listed rows: those tied at the border share what is left."""
    places, kinds, filled, borders, _, distances = found
    for s in range(counts.size):
        nearer[s] = 0
    for e in range(listed):
        nearer[kinds[e]] += distances[places[e]] < borders[kinds[e]] * (1 - TIE)
    for e in range(listed):
        s = kinds[e]
        weights[first + e] = coefficients[s]
        if not distances[places[e]] < borders[s] * (1 - TIE):
            share = (counts[s] - nearer[s]) / (filled[s] - nearer[s])
            weights[first + e] *= share


@jit
def permuted_neighbors(metric, X, queries, shuffles, wanted, touched):
    """Write the neighbours of each query under every permutation of the labels.

    Distances do not depend on labels: they are measured, and the nearest rows put in
    order, once per query. Where the nearest rows of any class do not hold enough of a
    slot, its members are looked through instead. If there is too little room, the last
    offset is set to −1.

    Nothing is returned: Ctrl-C while Numba makes a Python object of an array ends in a
    crash.
    """
    n_shuffles, n = shuffles.labels.shape
    n_slots = wanted.counts.shape[1]
    offsets, places, weights, rows, ends = touched
    found = Found(
        np.empty(2 * n, np.int64),
        np.empty(2 * n, np.int64),
        np.empty(n_slots, np.int64),
        np.empty(n_slots),
        np.empty(n, np.int64),
        np.empty(n),
    )
    nearer, place = np.empty(n_slots, np.int64), np.full(n, -1, np.int32)
    near, distances, everybody = found.places, found.distances, np.arange(n)
    offsets[0] = ends[0] = total = count_rows = 0
    for q in range(queries.size):
        i = queries[q]
        _distances(metric, X, i, everybody, np.int64(0), n, distances)
        distances[i] = np.inf
        count, limit = _nearest_first(distances, wanted.prefix, found.order)
        for b in range(n_shuffles):
            listed = _list_all(i, b, shuffles, wanted, count, limit, found)
            if total + listed > places.size:
                offsets[-1] = -1
                return
            label = shuffles.labels[b, i]
            counts, coefficients = wanted.counts[label], wanted.coefficients[label]
            _weigh(listed, counts, coefficients, found, nearer, weights, total)
            for e in range(listed):
                j = near[e]
                if place[j] < 0:
                    place[j] = count_rows - ends[q]
                    rows[count_rows] = j
                    count_rows += 1
                places[total + e] = place[j]
            total += listed
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
            whole = stop - (stop - start) % 4
            for e in range(start, whole, 4):
                g, h, j, k = places[e], places[e + 1], places[e + 2], places[e + 3]
                p, r = weights[e], weights[e + 1]
                s, t = weights[e + 2], weights[e + 3]
                for f in range(width):
                    left = p * differences[g, f] + r * differences[h, f]
                    right = s * differences[j, f] + t * differences[k, f]
                    sums[b, first + f] += left + right
            for e in range(whole, stop):
                g, p = places[e], weights[e]
                for f in range(width):
                    sums[b, first + f] += p * differences[g, f]
