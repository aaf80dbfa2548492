"""All compiled code: scaling, neighbour search, edge sums, Simba, G-flip.

Everything that Numba compiles lives in this one file, because Numba's on-disk
cache does not notice when a function imported from another file changes. Nothing
compiles at import. The functions release the GIL and are single-threaded; threads
belong to the engine, which hands each of them its own rows, panels or restarts.

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
view, or a field of a tuple, costs Numba two atomic operations each time.

Single precision only *screens*. `resolve` turns keys into decisions: every key comes
with a rigorous error bound, rows that are surely inside or outside the k nearest are
taken as such, and the few in doubt are measured again in double precision by direct
differences. A list that is too short to be sure is reported, and the engine repeats
the search for that query with a longer one.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

# Reassociation lets reductions vectorise. nnan and ninf stay off: NaN and infinity
# keep their meaning everywhere.
jit = partial(
    njit,
    nogil=True,
    cache=True,
    error_model="numpy",
    fastmath={"reassoc", "contract", "arcp", "nsz"},
)
# For what only other compiled code calls: no entry from Python saves compile time.
inner = partial(jit, no_cpython_wrapper=True, no_cfunc_wrapper=True)

EUCLIDEAN, MANHATTAN = 0, 1
LINEAR, SIGMOID, ZERO_ONE = 0, 1, 2

UNIT = 2.0**-24  # unit roundoff of float32
TIE = 1e-10  # distances this close, relatively, are the same distance
CHUNK = 512  # features summed in float32 before the sum is carried on
LANES = 16  # keys compared at once; panels are a multiple of it
NEVER = np.float32(np.inf).view(np.int32)  # the key of a row that is not to be found


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

    entries: np.ndarray  # (m, S, L) int64, key · 2³² + row
    counts: np.ndarray  # (m, S) filled places
    borders: np.ndarray  # (S, m) int32; rows that are not listed have no smaller key


class Doubt(NamedTuple):
    """What is needed to bound the error of a key."""

    norms: np.ndarray  # (m,) norm of each query, in the units of the screen
    largest: float  # largest norm of any row
    depth: float  # most float32 roundings that any summand goes through


class Rule(NamedTuple):
    """What counts as a neighbour."""

    k: int
    members: np.ndarray  # (C, S) rows in each slot of a query of each class
    rank: np.ndarray  # (n,) tie-breaker, lowest wins; empty: tied rows share
    measure: bool  # exact distances are wanted


class Lists(NamedTuple):
    """Resolved neighbours of each query and slot."""

    counts: np.ndarray  # (m, S) length, or −1 where the heap was too short to tell
    ids: np.ndarray  # (m, S, K) ascending row numbers
    share: np.ndarray  # (m, S, K) weight of each
    distances: np.ndarray  # (m, S, K) exact distances, if asked for


@jit
def column_range(X, first, last, low, high):
    """Smallest and largest value of columns first … last−1."""
    for f in range(first, last):
        low[f] = X[0, f]
        high[f] = X[0, f]
    for i in range(1, X.shape[0]):
        for f in range(first, last):
            v = X[i, f]
            low[f] = v if v < low[f] else low[f]
            high[f] = v if v > high[f] else high[f]


@jit
def column_means(X, first, last, means):
    """Means of columns first … last−1; a rough sum will do."""
    for f in range(first, last):
        means[f] = 0.0
    for i in range(X.shape[0]):
        for f in range(first, last):
            means[f] += X[i, f]
    for f in range(first, last):
        means[f] /= X.shape[0]


@jit
def scale_rows(X, rows, shift, span, first, last, Z):
    """Z[r] = (X[rows[r]] − shift) / span for rows first … last−1."""
    for r in range(first, last):
        for f in range(X.shape[1]):
            Z[r, f] = (X[rows[r], f] - shift[f]) / span[f]


@jit
def pack_rows(Z, centre, factor, packed, first, norms):
    """Copy rows of Z to places first, first + 1, … in single precision, in chunks.

    ``packed`` has shape (chunks, rows, length). Returned are ‖z‖² and ‖z‖₁ in
    ``norms[:, r]``.
    """
    n, d = Z.shape
    chunks, _, length = packed.shape
    for r in range(n):
        squares, sizes = 0.0, 0.0
        for chunk in range(chunks):
            row = packed[chunk, first + r]
            f0 = chunk * length
            for e in range(length):
                row[e] = 0
            z, c = Z[r, f0 : f0 + length], centre[f0 : f0 + length]
            for e in range(z.size):
                v = np.float32((z[e] - c[e]) * factor)
                row[e] = v
                squares += np.float64(v) * np.float64(v)
                sizes += abs(np.float64(v))
        norms[EUCLIDEAN, r] = squares
        norms[MANHATTAN, r] = sizes


@inner
def _panel(packed, chunk, first, width):
    """Rows first … first + width − 1 of a chunk; keeps them known as contiguous."""
    return packed[chunk][first : first + width]


@inner
def _euclidean_tile(ours, first, theirs, offset, norms, tile, part):
    """tile[r, c] = ‖a_r − b_c‖², one matrix product per chunk of features."""
    width = tile.shape[0]
    norms_a, norms_b = norms
    for chunk in range(ours.shape[0]):
        A = _panel(ours, chunk, first, width)
        B = _panel(theirs, chunk, offset, width)
        if chunk == 0:
            np.dot(A, B.T, tile)
            continue
        np.dot(A, B.T, part)
        for r in range(width):
            for c in range(width):
                tile[r, c] += part[r, c]
    for r in range(width):
        row = tile[r]
        norm = np.float32(norms_a[first + r])
        theirs_norms = norms_b[offset : offset + width]
        for c in range(width):
            key = (norm + np.float32(theirs_norms[c])) - (row[c] + row[c])
            row[c] = max(key, np.float32(0))


@inner
def _long_manhattan_tile(A, B, tile):
    """tile[r, c] += ‖a_r − b_c‖₁, two rows by four columns at a time.

    Sums run along the features: best when there are many.
    """
    width = tile.shape[0]
    for r in range(0, width, 2):
        x, z = A[r], A[r + 1]
        upper, lower = tile[r], tile[r + 1]
        for c in range(0, width, 4):
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
    width, d = A.shape
    T = part[:d]  # B transposed
    for c in range(width):
        for f in range(d):
            T[f, c] = B[c, f]
    for r in range(0, width, 2):
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
def _manhattan_tile(ours, first, theirs, offset, tile, part):
    """tile[r, c] = ‖a_r − b_c‖₁."""
    width, length = tile.shape[0], ours.shape[2]
    for r in range(width):
        for c in range(width):
            tile[r, c] = 0
    for chunk in range(ours.shape[0]):
        A = _panel(ours, chunk, first, width)
        B = _panel(theirs, chunk, offset, width)
        if length <= 128 and length <= width:
            _short_manhattan_tile(A, B, tile, part)
        else:
            _long_manhattan_tile(A, B, tile)


def _vector(context, builder, array_type, array, start):
    """Code that loads LANES elements of a contiguous int32 array from ``start``."""
    data = context.make_array(array_type)(context, builder, array).data
    vector = ir.VectorType(ir.IntType(32), LANES)
    place = builder.bitcast(builder.gep(data, [start]), vector.as_pointer())
    loaded = builder.load(place)
    loaded.align = 4
    return loaded


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
        undefined = ir.Constant(loaded.type, ir.Undefined)
        zero = ir.Constant(ir.IntType(32), 0)
        first = builder.insert_element(undefined, args[2], zero)
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        everywhere = builder.shuffle_vector(first, undefined, lanes)
        return _mask(builder, builder.icmp_signed("<", loaded, everywhere))

    return types.int64(keys, types.intp, types.int32), code


@intrinsic
def _below_borders(typing_context, keys, start, borders, slot, first):
    """Bit c says whether keys[start + c] < borders[slot, first + c], for c < LANES."""

    def code(context, builder, signature, args):
        a = _vector(context, builder, signature.args[0], args[0], args[1])
        table = context.make_array(signature.args[2])(context, builder, args[2])
        length = builder.extract_value(table.shape, 1)
        place = builder.add(builder.mul(args[3], length), args[4])
        b = _vector(context, builder, signature.args[2], args[2], place)
        return _mask(builder, builder.icmp_signed("<", a, b))

    index = types.intp
    return types.int64(keys, index, borders, index, index), code


@intrinsic
def _lowest_bit(typing_context, mask):
    """Position of the lowest bit set."""

    def code(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code


@inner
def _within(mask, block, lo, hi):
    """Clear the bits of a block that lie outside lo … hi−1."""
    if block < lo:
        mask &= -1 << (lo - block)
    if block + LANES > hi:
        mask &= (1 << (hi - block)) - 1
    return mask


@inner
def _entry(key, row):
    return (np.int64(key) << 32) | row


@inner
def _below(entries, count, border):
    total = 0
    for e in range(count):
        total += entries[e] < border
    return total


@inner
def _shrink(entries, count, wanted):
    """Cut a list to its ``wanted`` smallest entries and a few more.

    Returns the new length and a key that no dropped row lies below.
    """
    lo, hi = entries[0], entries[0]
    for e in range(count):
        lo, hi = min(lo, entries[e]), max(hi, entries[e])
    # Below lo there are fewer than wanted entries, below hi at least as many.
    hi, most, below = hi + 1, wanted + wanted // 4, count
    while below > most:
        middle = lo + (hi - lo) // 2
        number = _below(entries, count, middle)
        if number >= wanted:
            hi, below = middle, number
        else:
            lo = middle
    kept = 0
    for e in range(count):
        entry = entries[e]
        entries[kept] = entry
        kept += entry < hi
    return kept, np.int32(hi >> 32)


@inner
def _kept(length):
    """How many entries a list with that many places keeps when it is cut."""
    return (length - LANES) // 2


@inner
def _scan_rows(flat, shape, queries, first, offset, layout, heap):
    """Offer the rows of a tile to the lists of queries first, first + 1, …

    ``flat`` holds the tile row by row; ``shape`` is its height, its width, and how many
    of its columns are filled.
    """
    labels, starts, slots = layout
    rows, classes = queries
    entries, counts, borders = heap
    height, width, filled = shape
    room, wanted = entries.shape[2] - LANES, _kept(entries.shape[2])
    for r in range(height):
        q, place = first + r, r * width
        itself = rows[q] - offset
        if 0 <= itself < filled:
            flat[place + itself] = NEVER
        for c in range(labels[offset], labels[offset + filled - 1] + 1):
            slot = slots[classes[q], c]
            if slot < 0:
                continue
            lo = max(starts[c] - offset, 0)
            hi = min(starts[c + 1] - offset, filled)
            count, border = counts[q, slot], borders[slot, q]
            for block in range(lo - lo % LANES, hi, LANES):
                mask = _below_border(flat, place + block, border)
                mask = _within(mask, block, lo, hi)
                while mask:
                    e = block + _lowest_bit(mask)
                    mask &= mask - 1
                    entries[q, slot, count] = _entry(flat[place + e], offset + e)
                    count += 1
                if count > room:
                    count, border = _shrink(entries[q, slot], count, wanted)
            counts[q, slot], borders[slot, q] = count, border


@inner
def _scan_columns(flat, shape, first, offset, layout, heap):
    """Offer the columns of a tile to the lists of rows offset, offset + 1, …"""
    labels, starts, slots = layout
    entries, counts, borders = heap
    height, width, filled = shape
    room, wanted = entries.shape[2] - LANES, _kept(entries.shape[2])
    for c in range(labels[offset], labels[offset + filled - 1] + 1):
        lo = max(starts[c] - offset, 0)
        hi = min(starts[c + 1] - offset, filled)
        for r in range(height):
            i, place = first + r, r * width
            slot = slots[c, labels[i]]
            if slot < 0:
                continue
            for block in range(lo - lo % LANES, hi, LANES):
                mask = _below_borders(flat, place + block, borders, slot, offset + block)
                mask = _within(mask, block, lo, hi)
                while mask:
                    e = block + _lowest_bit(mask)
                    mask &= mask - 1
                    j = offset + e
                    count = counts[j, slot]
                    entries[j, slot, count] = _entry(flat[place + e], i)
                    count += 1
                    if count > room:
                        count, borders[slot, j] = _shrink(
                            entries[j, slot], count, wanted
                        )
                    counts[j, slot] = count


@jit
def search_pairs(packed, norms, tiles, queries, layout, heap):
    """All pairs of panel p with panels q0 … q1−1, q0 ≥ p, both ways.

    Squared Euclidean distances if the rows' squared norms are given, Manhattan
    distances if ``norms`` is None (Numba then compiles that branch only).
    """
    p, q0, q1, width = tiles
    n = layout.labels.size
    tile = np.empty((width, width), np.float32)
    part = np.empty((width, width), np.float32)
    keys = tile.view(np.int32).reshape(-1)
    first = p * width
    for q in range(q0, q1):
        offset = q * width
        if norms is None:
            _manhattan_tile(packed, first, packed, offset, tile, part)
        else:
            both = norms, norms
            _euclidean_tile(packed, first, packed, offset, both, tile, part)
        shape = min(width, n - first), width, min(width, n - offset)
        _scan_rows(keys, shape, queries, first, offset, layout, heap)
        if q > p:
            _scan_columns(keys, shape, first, offset, layout, heap)


@jit
def search_panel(packed, norms, ours, first, width, queries, layout, heap):
    """All rows against a panel of queries, rows first … of ``ours``.

    ``norms`` are the squared norms of ``ours`` and ``packed``; None as above.
    """
    n = layout.labels.size
    tile = np.empty((width, width), np.float32)
    part = np.empty((width, width), np.float32)
    keys = tile.view(np.int32).reshape(-1)
    for offset in range(0, n, width):
        if norms is None:
            _manhattan_tile(ours, first, packed, offset, tile, part)
        else:
            _euclidean_tile(ours, first, packed, offset, norms, tile, part)
        shape = queries.rows.size, width, min(width, n - offset)
        _scan_rows(keys, shape, queries, 0, offset, layout, heap)


@inner
def _distance(metric, X, i, j):
    """Distance of rows i and j in double precision, by direct differences."""
    x, z, s = X[i], X[j], 0.0
    if metric == EUCLIDEAN:
        for f in range(x.size):
            t = x[f] - z[f]
            s += t * t
        return np.sqrt(s)
    for f in range(x.size):
        s += abs(x[f] - z[f])
    return s


@inner
def _error(metric, key, norm, largest, depth):
    """How far a key near ``key`` may be from the true value, whatever its row.

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
    return depth * UNIT * key + 2 * UNIT * (norm + min(largest, norm + reach)) + 1e-30


@inner
def _merge(heaps, q, slot, merged):
    """The smallest entries of several partial lists, sorted.

    Returns how many there are and a key that no other row lies below.
    """
    entries, counts, borders = heaps
    count, border = 0, np.int32(NEVER)
    for part in range(entries.shape[0]):
        border = min(border, borders[part, slot, q])
        for e in range(counts[part, q, slot]):
            merged[count] = entries[part, q, slot, e]
            count += 1
    wanted = _kept(entries.shape[3])
    if count > wanted:
        count, cut = _shrink(merged, count, wanted)
        border = min(border, cut)
    for e in range(1, count):
        entry, p = merged[e], e
        while p > 0 and entry < merged[p - 1]:
            merged[p] = merged[p - 1]
            p -= 1
        merged[p] = entry
    return count, border


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
    """Weights of sorted entries first … last−1, of which ``wanted`` count.

    Entries tied with the last wanted one share what is left, or the lowest rank wins.
    """
    border = exact[first + wanted - 1]
    tied = first
    while exact[tied] < border * (1 - TIE):
        weight[tied] = 1.0
        tied += 1
    end = tied
    while end < last and exact[end] <= border * (1 + TIE):
        end += 1
    left = first + wanted - tied
    for e in range(tied, last):
        weight[e] = left / (end - tied) if rank.size == 0 and e < end else 0.0
    if rank.size == 0:
        return
    for _ in range(left):
        lowest = -1
        for e in range(tied, end):
            if weight[e] == 0.0 and (lowest < 0 or rank[ids[e]] < rank[ids[lowest]]):
                lowest = e
        weight[lowest] = 1.0


@inner
def _store(lists, q, slot, ids, weight, exact, last):
    """Write the entries that count, by ascending row number."""
    counts, rows, share, distances = lists
    count = 0
    for e in range(last):
        if weight[e] > 0.0:
            p = count
            while p > 0 and ids[e] < rows[q, slot, p - 1]:
                rows[q, slot, p] = rows[q, slot, p - 1]
                share[q, slot, p] = share[q, slot, p - 1]
                distances[q, slot, p] = distances[q, slot, p - 1]
                p -= 1
            rows[q, slot, p] = ids[e]
            share[q, slot, p] = weight[e]
            distances[q, slot, p] = exact[e]
            count += 1
    counts[q, slot] = count


@inner
def _doubtful(metric, keys, held, wanted, norm, doubt):
    """Entries first … last−1 that may or may not be among the ``wanted`` nearest.

    Those before are surely inside. ``last`` is −1 if rows that are not listed, whose
    keys are at least keys[held], might be inside as well.
    """
    middle = np.float64(keys[wanted - 1])
    error = _error(metric, middle, norm, doubt.largest, doubt.depth)
    low, high = middle - error, (middle + error) * (1 + 4 * TIE)
    low -= 4 * TIE * abs(low)
    first = 0
    while first < wanted - 1 and keys[first] + error < low:
        first += 1
    last = wanted
    if _surely_at_least(metric, keys[held], norm, doubt) <= high:
        return first, -1
    while last < held and _surely_at_least(metric, keys[last], norm, doubt) <= high:
        last += 1
    return first, last


@inner
def _surely_at_least(metric, key, norm, doubt):
    key = np.float64(key)
    if key == np.inf:
        return key
    return key - _error(metric, key, norm, doubt.largest, doubt.depth)


@jit
def resolve(metric, X, queries, heaps, doubt, rule, lists):
    """Turn the screened keys of each query and slot into certain neighbours."""
    places = heaps.entries.shape[0] * heaps.entries.shape[3]
    merged, ids = np.empty(places, np.int64), np.empty(places, np.int32)
    weight, exact = np.empty(places), np.empty(places)
    # The last key is the border.
    bits = np.empty(places + 1, np.int32)
    keys = bits.view(np.float32)
    counts, members, rank, measure = lists.counts, rule.members, rule.rank, rule.measure
    for q in range(queries.rows.size):
        i, label, norm = queries.rows[q], queries.labels[q], doubt.norms[q]
        for slot in range(counts.shape[1]):
            counts[q, slot] = 0
            if members[label, slot] == 0:
                continue
            wanted = min(rule.k, members[label, slot])
            held, border = _merge(heaps, q, slot, merged)
            for e in range(held):
                bits[e], ids[e] = merged[e] >> 32, merged[e] & 0xFFFFFFFF
            bits[held] = NEVER if held == members[label, slot] else border
            first, last = _doubtful(metric, keys, held, wanted, norm, doubt)
            if last < 0:
                counts[q, slot] = -1
                continue
            first = 0 if measure else first
            for e in range(last):
                weight[e] = 1.0
            if last > wanted or measure:
                for e in range(first, last):
                    exact[e] = _distance(metric, X, i, ids[e])
                _sort(exact, ids, first, last)
                _settle(exact, ids, first, last, wanted - first, rank, weight)
            _store(lists, q, slot, ids, weight, exact, last)


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
    heads, tails, coefficients = edges
    for e in range(start, stop):
        i, j, c = heads[e], tails[e], coefficients[e]
        if power == 1:
            for f in range(first, last):
                sums[f] += c * abs(X[i, f] - X[j, f])
        else:
            for f in range(first, last):
                t = X[i, f] - X[j, f]
                sums[f] += c * t * t


class Screen(NamedTuple):
    """Single-precision rows whose most telling features come first."""

    rows: np.ndarray  # (n, d) float32, centred
    columns: np.ndarray  # (d,) feature of each column
    largest: float  # largest absolute value


class Climb(NamedTuple):
    """How Simba moves."""

    utility: int
    beta: float
    batch: int


@inner
def _weighted(x, z, squares):
    s = 0.0
    for f in range(x.size):
        t = x[f] - z[f]
        s += squares[f] * t * t
    return np.sqrt(s)


@inner
def _weighted32(x, z, squares):
    s = np.float32(0)
    for f in range(x.size):
        t = x[f] - z[f]
        s += squares[f] * t * t
    return s


@inner
def _cut(best, scale, slack, depth):
    """No row at most ``best`` away has a screened key above this."""
    reach = best * (1 + 2 * TIE) * scale + slack
    return np.float32(reach * reach * (1 + (depth + 8) * UNIT) * (1 + 2 * UNIT) + 1e-37)


@inner
def _scan_range(X, i, squares, screen, thin, lo, hi, found):
    """Look for rows lo … hi−1 nearer to row i than found says; append them to found.

    ``thin`` are the squared weights in single precision in screen order, with their
    scale. A row is given up as soon as its partial sum exceeds the cut.
    """
    weights, scale, slack = thin
    ids, exact, state = found  # state: [number found, smallest distance]
    d = weights.size
    head = min(d, 32)
    x = screen.rows[i]
    x0, w0 = x[:head], weights[:head]
    cut = _cut(state[1], scale, slack, d)
    for j in range(lo, hi):
        z = screen.rows[j]
        s = _weighted32(x0, z[:head], w0)
        f = head
        while f < d and s <= cut:
            stop = min(d, f + 64)
            s += _weighted32(x[f:stop], z[f:stop], weights[f:stop])
            f = stop
        if s <= cut and j != i:
            r = _weighted(X[i], X[j], squares)
            if r <= state[1] * (1 + TIE):
                count = int(state[0])
                ids[count], exact[count] = j, r
                state[0] += 1
                if r < state[1]:
                    state[1] = r
                    cut = _cut(r, scale, slack, d)


@inner
def _choose(found, rank):
    """The nearest row found; among ties the one of lowest rank."""
    ids, exact, state = found
    chosen = -1
    for e in range(int(state[0])):
        if exact[e] <= state[1] * (1 + TIE) and (
            chosen < 0 or rank[ids[e]] < rank[chosen]
        ):
            chosen = ids[e]
    return chosen


@jit
def simba_visits(X, layout, rank, screen, w, visits, seeds, climb):
    """Visit rows in turn and move w after each batch (paper 001, algorithm 2).

    ``seeds`` holds each row's last hit and miss: a good first guess makes the search
    under the current weights short. Both w and seeds are updated.
    """
    n, d = X.shape
    found = (np.empty(n, np.int64), np.empty(n), np.empty(2))
    step, moved, squares = np.zeros(d), 0, w * w
    thin = _thin(squares, screen)
    for t in range(visits.size):
        i = visits[t]
        lo, hi = layout.starts[layout.labels[i]], layout.starts[layout.labels[i] + 1]
        if hi - lo > 1:
            found[2][0], found[2][1] = 0, _weighted(X[i], X[seeds[i, 0]], squares)
            _scan_range(X, i, squares, screen, thin, lo, hi, found)
            hit, near = _choose(found, rank), found[2][1]
            found[2][0], found[2][1] = 0, _weighted(X[i], X[seeds[i, 1]], squares)
            _scan_range(X, i, squares, screen, thin, 0, lo, found)
            _scan_range(X, i, squares, screen, thin, hi, n, found)
            miss, far = _choose(found, rank), found[2][1]
            seeds[i, 0], seeds[i, 1] = hit, miss
            pull = 0.5 / _weighted(X[i], X[hit], squares) if near > 0 else 0.0
            push = 0.5 / _weighted(X[i], X[miss], squares) if far > 0 else 0.0
            if climb.utility == SIGMOID:
                u = 1 / (1 + np.exp(-climb.beta * 0.5 * (far - near)))
                pull *= climb.beta * u * (1 - u)
                push *= climb.beta * u * (1 - u)
            for f in range(d):
                a, b = X[i, f] - X[hit, f], X[i, f] - X[miss, f]
                step[f] += push * b * b - pull * a * a
            moved += 1
        if moved and ((t + 1) % climb.batch == 0 or t + 1 == visits.size):
            for f in range(d):
                w[f] += step[f] / moved * w[f]
                squares[f] = w[f] * w[f]
                step[f] = 0.0
            moved = 0
            thin = _thin(squares, screen)


@inner
def _thin(squares, screen):
    """Squared weights in single precision, with what bounds the error they make."""
    top = squares.max()
    weights = np.empty(squares.size, np.float32)
    total = 0.0
    for c in range(squares.size):
        share = squares[screen.columns[c]] / top
        weights[c] = share
        total += share
    slack = 2 * UNIT * screen.largest * np.sqrt(total)
    return weights, 1 / np.sqrt(top), slack
