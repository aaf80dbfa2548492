"""Candidate lists: per query and slot, every row whose key is below a border."""

import numpy as np

from widemargin.kernels._jit import inner
from widemargin.kernels.constants import NEVER
from widemargin.kernels.simd import below, load, lowest_bit, splat

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
