"""Vectors: a few numbers of one type that the processor works on at once.

Numba leaves it to the compiler to find vectors in loops. It does not keep a row of sums
in registers from one round of an outer loop to the next; such loops are written with
the functions of this module. A vector is a value of compiled code like any other:

    sums = splat(0.0, 32)
    for row in range(n):
        sums += absolute(x - load(rows, 32 * row, 32))
    store(sums, result, 0)

A place counts the elements of a contiguous array row by row. Vectors have +, − and ×
with a vector of their kind.
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
    if array.layout != "C":
        return None

    def code(context, builder, signature, args):
        start, align = _pointer(
            context, builder, array, args[0], args[1], lanes.literal_value
        )
        return builder.load(start, align=align)

    return Vector(array.dtype, lanes.literal_value)(array, types.intp, lanes), code


@intrinsic
def store(typing_context, vector, array, place):
    """Write a vector to an array of its type, from a place on."""
    if vector.dtype != array.dtype or array.layout != "C":
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


def _less(builder, kind, a, b):
    if _is_float(kind):
        return builder.fcmp_ordered("<", a, b)
    compare = builder.icmp_signed if kind.dtype.signed else builder.icmp_unsigned
    return compare("<", a, b)


@intrinsic
def absolute(typing_context, vector):
    """The absolute value of each lane of a vector of float32 or float64."""

    def code(context, builder, signature, args):
        bits = vector.dtype.bitwidth
        whole = ir.VectorType(ir.IntType(bits), vector.lanes)
        all_but_sign = ir.Constant(whole, [2 ** (bits - 1) - 1] * vector.lanes)
        number = builder.and_(builder.bitcast(args[0], whole), all_but_sign)
        return builder.bitcast(number, args[0].type)

    return (vector(vector), code) if _is_float(vector) else None


@intrinsic
def as_float64(typing_context, vector):
    """A vector of signed integers as one of float64."""
    kind = Vector(types.float64, vector.lanes)

    def code(context, builder, signature, args):
        return builder.sitofp(args[0], context.get_value_type(kind))

    return (kind(vector), code) if vector.dtype.signed else None


@intrinsic
def minimum(typing_context, a, b):
    """The smaller number of each lane; b's where they are not in order (NaN)."""

    def code(context, builder, signature, args):
        return builder.select(_less(builder, a, *args), *args)

    return a(a, b), code


@intrinsic
def below(typing_context, a, b):
    """An integer with bit e set where a < b in lane e, of fewer than 64 lanes."""

    def code(context, builder, signature, args):
        bits = builder.bitcast(_less(builder, a, *args), ir.IntType(a.lanes))
        return builder.zext(bits, ir.IntType(64))

    return (types.uint64(a, b), code) if a == b and a.lanes < 64 else None


@intrinsic
def lowest_bit(typing_context, bits):
    """Place of the lowest bit that is set in an integer other than 0."""

    def code(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), True))

    return types.uint64(types.uint64), code
