"""The two operations that every algorithm is made of: `nearest` and `edge_sums`."""

from widemargin.engine.heat import heat, heat_width
from widemargin.engine.local import Neighbors, edge_sums, nearest
from widemargin.engine.relations import (
    anyone,
    each_class,
    hits_and_misses,
    hits_higher_and_lower,
    hits_only,
    misses_only,
)
from widemargin.kernels import Edges

__all__ = [
    "Edges",
    "Neighbors",
    "anyone",
    "each_class",
    "edge_sums",
    "heat",
    "heat_width",
    "hits_and_misses",
    "hits_higher_and_lower",
    "hits_only",
    "misses_only",
    "nearest",
]
