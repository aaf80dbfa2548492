"""Pieces of code that work on vectors."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from widemargin.kernels.constants import LANES


def load_lanes(context, builder, array_type, array, start):
    """Code that loads 32 bits LANES times from ``start`` of a contiguous array."""
    data = context.make_array(array_type)(context, builder, array).data
    vector = ir.VectorType(ir.IntType(32), LANES)
    place = builder.bitcast(builder.gep(data, [start]), vector.as_pointer())
    loaded = builder.load(place)
    loaded.align = 4
    return loaded


def splat_lanes(builder, value):
    """Code that makes a vector of LANES times the same value."""
    undefined = ir.Constant(ir.VectorType(value.type, LANES), ir.Undefined)
    zero = ir.Constant(ir.IntType(32), 0)
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    first = builder.insert_element(undefined, value, zero)
    return builder.shuffle_vector(first, undefined, lanes)


def lanes_to_mask(builder, smaller):
    """Code that turns a vector of comparisons into an integer, one bit each."""
    return builder.zext(builder.bitcast(smaller, ir.IntType(LANES)), ir.IntType(64))


@intrinsic
def lowest_bit(typing_context, mask):
    """Place of the lowest bit that is set."""

    def code(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code


@intrinsic
def count_bits(typing_context, mask):
    """How many bits are set."""

    def code(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), code


DOUBLES = 8  # places that are worked on at once


def splat_doubles(builder, value):
    """Code that makes a vector of DOUBLES times the same value."""
    undefined = ir.Constant(ir.VectorType(value.type, DOUBLES), ir.Undefined)
    zero = ir.Constant(ir.IntType(32), 0)
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), DOUBLES), [0] * DOUBLES)
    first = builder.insert_element(undefined, value, zero)
    return builder.shuffle_vector(first, undefined, lanes)


def smaller_lanes(builder, a, b):
    """Code for the smaller of two numbers, or of each lane of two vectors."""
    return builder.select(builder.fcmp_ordered("<", a, b), a, b)


def smallest_lane(builder, vector):
    """Code for the smallest number of a vector."""
    undefined = ir.Constant(vector.type, ir.Undefined)
    for distance in (4, 2, 1):
        lanes = [(c + distance) % DOUBLES for c in range(DOUBLES)]
        turned = ir.Constant(ir.VectorType(ir.IntType(32), DOUBLES), lanes)
        other = builder.shuffle_vector(vector, undefined, turned)
        vector = smaller_lanes(builder, vector, other)
    return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))


def pointer_to_lanes(builder, data, place, *more):
    """Code for a pointer to DOUBLES elements of an array at the sum of some places."""
    for term in more:
        place = builder.add(place, term)
    pointer = builder.gep(data, [place])
    vector = ir.VectorType(pointer.type.pointee, DOUBLES)
    return builder.bitcast(pointer, vector.as_pointer())


def integer(value):
    """Code for an integer of 64 bits."""
    return ir.Constant(ir.IntType(64), value)


def data_pointers(context, builder, signature, args, places):
    """Code for the pointers to the elements of array arguments."""
    return [
        context.make_array(signature.args[a])(context, builder, args[a]).data
        for a in places
    ]
