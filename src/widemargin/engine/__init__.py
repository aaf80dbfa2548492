"""The two operations that every algorithm is made of: `nearest` and `edge_sums`.

They take a table in memory, or one whose rows are on the workers of a Dask cluster: see
`widemargin.data.protocol` for what both offer.
"""

from typing import Any

# The operations on tables in memory are registered by `local` and `sums`.
from widemargin.engine import local as local
from widemargin.engine.heat import heat, heat_width
from widemargin.engine.influence import influences
from widemargin.engine.neighbors import Neighbors
from widemargin.engine.operations import (
    edge_sums,
    group_sums,
    invasions,
    nearest,
    pair_lengths,
    row_sums,
    sided_sums,
)
from widemargin.engine.relations import (
    anyone,
    each_class,
    hits_and_misses,
    hits_higher_and_lower,
    misses_only,
)
from widemargin.engine.sums import class_sums, column_sums
from widemargin.kernels import Edges

__all__ = [
    "Edges",
    "Neighbors",
    "anyone",
    "class_sums",
    "column_sums",
    "each_class",
    "edge_sums",
    "group_sums",
    "heat",
    "heat_width",
    "hits_and_misses",
    "hits_higher_and_lower",
    "influences",
    "invasions",
    "misses_only",
    "nearest",
    "on_dask",
    "pair_lengths",
    "row_sums",
    "sided_sums",
]


def on_dask(collection: Any) -> bool:
    """Whether something is a Dask collection; Dask is not imported to find out."""
    return type(collection).__module__.split(".")[0] in {"dask", "dask_expr"}
