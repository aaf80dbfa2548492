"""Distances after a flip of one feature."""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from widemargin.kernels._jit import alloca_once, for_range, inner
from widemargin.kernels.choose import lesser
from widemargin.kernels.constants import LANES
from widemargin.kernels.team import fill
from widemargin.kernels.vectors import splat_doubles


class Batch(NamedTuple):
    """Flips that are tried together; the last of them fills up the TRIED places."""

    count: int
    features: np.ndarray  # (TRIED,)
    values: np.ndarray  # (n, TRIED) their columns side by side
    ranges: np.ndarray  # (3, TRIED) +1 to add, −1 to remove; low; high
    members: np.ndarray  # the features of F come first
    size: int  # how many there are


FEWEST, TRIED = 8, 32  # flips tried together: after one was kept, or long none


OCTET = 8  # of them are tried at once


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
    fill(least, np.inf)
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
def settle_row(i, h, lane, span, XT, row, shortlist, batch, tests, least):
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
            base = splat_doubles(builder, builder.load(builder.gep(near, [here])))
            v = builder.fadd(base, square, flags=("contract",))
            old = builder.load(least)
            nearer = builder.fcmp_ordered("<", v, old)
            builder.store(builder.select(nearer, v, old), least)
        found = builder.load(least)
        builder.store(found, place, align=8)
        limit = builder.fsub(splat_doubles(builder, args[6]), slack)
        beyond = builder.fcmp_ordered(">", found, limit)
        lost = builder.fcmp_ordered("<", found, floor)
        bits = builder.bitcast(builder.or_(beyond, lost), ir.IntType(OCTET))
        return builder.icmp_unsigned("!=", bits, ir.IntType(OCTET)(0))

    index = types.intp
    three, two = types.UniTuple(index, 3), types.UniTuple(index, 2)
    kinds = values, three, near, ids, two, tests, types.float64
    return types.boolean(*kinds), code


@inner
def search_list(listed, ours, lane, h, near, ids, values, tests):
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
