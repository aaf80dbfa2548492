"""Threads that go through the same steps together."""

import os
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from widemargin.kernels._jit import get_or_insert_function, inner


# Assigning to slices would compile the text of an error that they cannot raise, which
# takes seconds.
@inner
def fill(a, value):
    """a[:] = value."""
    for k in range(a.size):
        a[k] = value


@inner
def copy_into(a, b):
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
def claim(typing_context, board):
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
def meet(me, board, steps):
    """Wait until all of the team have done so many steps."""
    _write(board, me, steps)
    for k in range(board.shape[0]):
        looks = 0
        while _read(board, k) < steps:
            looks += 1
            if looks % PATIENCE == 0:
                _sleep()
