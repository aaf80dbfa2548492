"""Vectors: a few numbers of one type that the processor works on at once.

Numba leaves it to the compiler to find vectors in loops, which fails where a loop ends
in a test of many numbers or in a running minimum. Such loops are written with the
functions of this module and read like what they compute; a vector is a value of
compiled code like any other:

    least = splat(np.inf, 8)
    for e in range(0, x.size, 8):
        difference = load(x, e, 8) - load(y, e, 8)
        least = minimum(difference * difference, least)
    return min_lane(least)

A place counts the elements of a contiguous array row by row. Vectors have +, −, × and,
with a vector of their kind, < and >, which give a mask; masks have & and |.
"""

import operator

from llvmlite import ir
from numba import types
from numba.extending import (
    intrinsic,
    lower_builtin,
    models,
    register_model,
    type_callable,
)


class Vector(types.Type):
    """Type of ``lanes`` numbers of one kind."""

    def __init__(self, dtype, lanes):
        self.dtype, self.lanes = dtype, lanes
        super().__init__(f"Vector({dtype} x {lanes})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        element = manager.lookup(kind.dtype).get_value_type()
        super().__init__(manager, kind, ir.VectorType(element, kind.lanes))


def _lane(number):
    return ir.Constant(ir.IntType(32), number)


def _is_float(kind):
    return isinstance(kind.dtype, types.Float)


def _pointer(context, builder, kind, array, place, lanes):
    """Code for a pointer to ``lanes`` elements of an array, and its alignment."""
    data = context.make_array(kind)(context, builder, array).data
    vector = ir.VectorType(data.type.pointee, lanes)
    start = builder.bitcast(builder.gep(data, [place]), vector.as_pointer())
    return start, kind.dtype.bitwidth // 8


@intrinsic(prefer_literal=True)
def load(typing_context, array, place, lanes):
    """The ``lanes`` elements of an array from a place on."""

    def code(context, builder, signature, args):
        start, align = _pointer(
            context, builder, array, args[0], args[1], lanes.literal_value
        )
        return builder.load(start, align=align)

    return Vector(array.dtype, lanes.literal_value)(array, types.intp, lanes), code


@intrinsic
def store(typing_context, vector, array, place):
    """Write a vector to an array of its type, from a place on."""
    if vector.dtype != array.dtype:
        return None

    def code(context, builder, signature, args):
        start, align = _pointer(context, builder, array, args[1], args[2], vector.lanes)
        builder.store(args[0], start, align=align)
        return context.get_dummy_value()

    return types.void(vector, array, types.intp), code


@intrinsic(prefer_literal=True)
def splat(typing_context, number, lanes):
    """A vector of ``lanes`` times the same number."""
    number = types.unliteral(number)
    kind = Vector(number, lanes.literal_value)

    def code(context, builder, signature, args):
        one = ir.Constant(context.get_value_type(kind), ir.Undefined)
        one = builder.insert_element(one, args[0], _lane(0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), kind.lanes), None)
        return builder.shuffle_vector(one, one, everywhere)

    return kind(number, lanes), code


def _arithmetic(operation, of_floats, of_integers):
    """Let an operator work on two vectors of one kind."""

    @type_callable(operation)
    def infer(context):
        return lambda a, b: a if isinstance(a, Vector) and a == b else None

    @lower_builtin(operation, Vector, Vector)
    def code(context, builder, signature, args):
        if _is_float(signature.return_type):
            # Not reassociated: vectors are added in the order that is written.
            return getattr(builder, of_floats)(*args, flags=("contract",))
        return getattr(builder, of_integers)(*args)


_arithmetic(operator.add, "fadd", "add")
_arithmetic(operator.sub, "fsub", "sub")
_arithmetic(operator.mul, "fmul", "mul")
_arithmetic(operator.iadd, "fadd", "add")
_arithmetic(operator.and_, None, "and_")
_arithmetic(operator.or_, None, "or_")


def _less(builder, kind, a, b):
    if _is_float(kind):
        return builder.fcmp_ordered("<", a, b)
    compare = builder.icmp_signed if kind.dtype.signed else builder.icmp_unsigned
    return compare("<", a, b)


def _comparison(operation, turned):
    """Let an operator compare two vectors of one kind, lane by lane."""

    @type_callable(operation)
    def infer(context):
        def mask(a, b):
            if isinstance(a, Vector) and a == b:
                return Vector(types.boolean, a.lanes)
            return None

        return mask

    @lower_builtin(operation, Vector, Vector)
    def code(context, builder, signature, args):
        a, b = reversed(args) if turned else args
        return _less(builder, signature.args[0], a, b)


_comparison(operator.lt, turned=False)
_comparison(operator.gt, turned=True)


@intrinsic
def minimum(typing_context, a, b):
    """The smaller number of each lane; b's where they are not in order (NaN)."""

    def code(context, builder, signature, args):
        return builder.select(_less(builder, a, *args), *args)

    return a(a, b), code


@intrinsic
def min_lane(typing_context, vector):
    """The smallest number of a vector without NaN."""

    def code(context, builder, signature, args):
        (smallest,), lanes = args, vector.lanes
        while lanes > 1:  # the smaller of two halves, of their halves, …
            lanes //= 2
            half = ir.VectorType(ir.IntType(32), lanes)
            low, high = (
                builder.shuffle_vector(
                    smallest, smallest, ir.Constant(half, list(range(s, s + lanes)))
                )
                for s in (0, lanes)
            )
            smallest = builder.select(_less(builder, vector, low, high), low, high)
        return builder.extract_element(smallest, _lane(0))

    return vector.dtype(vector), code


@intrinsic
def mask_bits(typing_context, mask):
    """A mask as a number: bit c is lane c."""

    def code(context, builder, signature, args):
        bits = builder.bitcast(args[0], ir.IntType(mask.lanes))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(mask), code


@intrinsic
def any_lane(typing_context, mask):
    """Whether a mask is set anywhere."""

    def code(context, builder, signature, args):
        bits = builder.bitcast(args[0], ir.IntType(mask.lanes))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(mask), code


@intrinsic
def lowest_bit(typing_context, bits):
    """Place of the lowest bit of a number that is set."""

    def code(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code
