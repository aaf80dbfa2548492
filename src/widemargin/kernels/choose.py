"""The smaller and the larger of two numbers."""

import operator

from numba import types
from numba.extending import intrinsic


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
