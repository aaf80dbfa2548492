"""The two operations that every algorithm is made of: `nearest` and `edge_sums`."""

from widemargin.engine.local import Neighbors, edge_sums, nearest
from widemargin.engine.relations import (
    each_class,
    everyone,
    hits_and_misses,
    hits_only,
)
from widemargin.kernels import Edges

__all__ = [
    "Edges",
    "Neighbors",
    "each_class",
    "edge_sums",
    "everyone",
    "hits_and_misses",
    "hits_only",
    "nearest",
]
