"""The matrix product of two panels."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from widemargin.kernels._jit import (
    alloca_once_value,
    check_blas_return,
    get_or_insert_function,
)


# `np.dot` of two slices does the same, with as much to compile as all else in a tile.
@intrinsic
def multiply(typing_context, ours, first, theirs, offset, chunk, product):
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
