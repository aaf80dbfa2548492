"""The operations that every algorithm is made of, such as `nearest` and `edge_sums`.

They take a table in memory, or one whose rows are on the workers of a Dask cluster,
for which `widemargin.engine.dask` registers implementations of its own, as
`widemargin.engine.sparse` does for sparse tables. What all tables offer is in
`widemargin.data.protocol`.
"""

from typing import Any

from widemargin.engine.nearest_rows import nearest
from widemargin.engine.neighbors import (
    Neighbors,
    anyone,
    each_class,
    hits_and_misses,
    hits_higher_and_lower,
    influences,
    misses_only,
)
from widemargin.engine.sparse import SparseColumns
from widemargin.engine.sums import (
    class_edge_sums,
    class_sums,
    column_sums,
    edge_sums,
    end_sums,
    group_sums,
    heat,
    heat_width,
    invasions,
    neighbor_pairs,
    pair_lengths,
    row_sums,
    sided_sums,
)
from widemargin.kernels.records import Edges


def drawn_rows(name: str, X: Any, y: Any, random_state: Any, *others: Any) -> Any:
    """Random rows of a Dask collection, in memory; see its `drawn`."""
    from widemargin.engine.dask.collection import drawn

    return drawn(name, X, y, random_state, *others)


def on_dask(collection: Any) -> bool:
    """Whether something is a Dask collection; Dask is not imported to find out."""
    return type(collection).__module__.split(".")[0] in {"dask", "dask_expr"}
