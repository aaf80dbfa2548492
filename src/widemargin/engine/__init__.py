"""The two operations that every algorithm is made of: `nearest` and `edge_sums`."""

from widemargin.engine.local import Neighbors, edge_sums, nearest
from widemargin.engine.relations import (
    each_class,
    hits_and_misses,
    hits_higher_and_lower,
)

__all__ = [
    "Neighbors",
    "each_class",
    "edge_sums",
    "hits_and_misses",
    "hits_higher_and_lower",
    "nearest",
]
