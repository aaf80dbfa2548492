"""Candidate lists: per query and slot, every row whose key is below a border."""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from widemargin.kernels._jit import get_or_insert_function, inner, tiny
from widemargin.kernels.choose import greater, lesser
from widemargin.kernels.constants import LANES, NEVER
from widemargin.kernels.vectors import lanes_to_mask, load_lanes, splat_lanes


# Numba does not turn a comparison of vectors into a bit mask on its own, and testing
# key by key costs more than computing the distances does.
@intrinsic
def _below_border(typing_context, keys, start, border):
    """Bit c says whether keys[start + c] < border, for c < LANES."""

    def code(context, builder, signature, args):
        loaded = load_lanes(context, builder, signature.args[0], args[0], args[1])
        border = splat_lanes(builder, args[2])
        return lanes_to_mask(builder, builder.icmp_signed("<", loaded, border))

    return types.int64(keys, types.intp, types.int32), code


@intrinsic
def _append(typing_context, entries, place, keys, start, row, mask):
    """Store the entries of keys[start + c], rows row + c, for each bit c of the mask.

    They go to places place, place + 1, … of the flat list ``entries``; without a
    branch, for which entries are to be stored is anybody's guess.
    """

    def code(context, builder, signature, args):
        wide = ir.VectorType(ir.IntType(64), LANES)
        loaded = load_lanes(context, builder, signature.args[2], args[2], args[3])
        high = builder.shl(builder.zext(loaded, wide), ir.Constant(wide, [32] * LANES))
        rows = builder.add(
            splat_lanes(builder, args[4]), ir.Constant(wide, list(range(LANES)))
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
def entries_kept(length):
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
def scan_rows(values, shape, queries, first, offset, layout, heap, lows):
    """Offer the rows of a tile to the lists of queries from ``first`` on.

    ``shape`` is its height, its width, and how many of its columns are filled.
    """
    labels, starts, slots = layout.labels, layout.starts, layout.slots
    rows, classes = queries.rows, queries.labels
    entries, counts, borders = heap.entries, heap.counts, heap.borders
    height, width, filled = shape
    length = heap.length
    room, wanted = length - LANES, entries_kept(length)
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
