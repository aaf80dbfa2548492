"""The operations that algorithms are made of, for tables wherever their rows are.

Each has two implementations, chosen by the kind of the table: in memory
(`widemargin.engine.local`, `widemargin.engine.sums`) and on the workers of a cluster
(`widemargin.engine.dask`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import singledispatch
from typing import TYPE_CHECKING, Any, NoReturn

from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.threads import Workers

if TYPE_CHECKING:
    from widemargin.engine.neighbors import Neighbors
    from widemargin.kernels import Edges


def _refuse(table: Any) -> NoReturn:
    raise TypeError(
        f"widemargin.engine has no operations for {type(table).__name__}; it takes a "
        "Table or a DistributedTable."
    )


@singledispatch
def nearest(
    table: AnyTable,
    k: int,
    slots: Ints,
    *,
    workers: Workers,
    metric: str = "euclidean",
    queries: Ints | None = None,
    share_ties: bool = False,
    distances: bool = False,
    block_size: int | None = None,
) -> Iterator[Neighbors]:
    """Yield the k nearest rows of each query in each slot, some queries at a time.

    Given queries are searched for when their block is asked for, and not before.

    Parameters
    ----------
    table : AnyTable
    k : int
    slots : array of shape (n_classes, n_classes)
        The relation, see `widemargin.engine.relations`.
    workers : Workers
    metric : "euclidean" or "manhattan", default="euclidean"
    queries : array of int or None, default=None
        Rows of the table whose neighbours are sought; None for all. A row is never its
        own neighbour.
    share_ties : bool, default=False
        Whether rows tied at the k-th place share it; otherwise the caller's lowest row
        number wins.
    distances : bool, default=False
        Whether to measure the distances as well.
    block_size : int or None, default=None
        Queries in a block; None leaves it to the implementation.
    """
    _refuse(table)


@singledispatch
def edge_sums(
    table: AnyTable, edges: Edges, *, workers: Workers, power: int = 1
) -> Floats:
    """Per feature, Σ coefficient · |x_head − x_tail|^power over the edges."""
    _refuse(table)


@singledispatch
def group_sums(
    table: AnyTable,
    edges: Edges,
    offsets: Ints,
    *,
    workers: Workers,
    power: int = 1,
    signed: bool = False,
) -> Floats:
    """The sums of `edge_sums`, for each group of edges by itself.

    Parameters
    ----------
    table : AnyTable
    edges : Edges
    offsets : array of int
        Group g is edges offsets[g] … offsets[g+1]−1.
    workers : Workers
    power : int, default=1
    signed : bool, default=False
        Whether to sum coefficient · (x_tail − x_head) instead.

    Returns
    -------
    sums : array of shape (n_groups, n_features)
    """
    _refuse(table)


@singledispatch
def row_sums(
    table: AnyTable,
    function: Callable[[Floats, Ints], Any],
    *,
    workers: Workers,
    span: Floats | None = None,
) -> Any:
    """Σ function(U, y) over blocks of rows, in a fixed order.

    Parameters
    ----------
    table : AnyTable
    function : callable
        Takes features as (x − low) / span and class codes; returns an array. A function
        of a module, or a `partial` of one, since it may be sent to workers.
    workers : Workers
    span : array of shape (n_features,) or None, default=None
        None moves features to [0, 1].
    """
    _refuse(table)


@singledispatch
def sided_sums(
    table: AnyTable, edges: Edges, sides: Ints, *, workers: Workers
) -> Floats:
    """Σ coefficient · (x_tail − x_head)² over edges, where that has the edge's side.

    A side is 1, −1, or 0 for everywhere.
    """
    _refuse(table)


@singledispatch
def pair_lengths(
    table: AnyTable, edges: Edges, sides: Ints, w: Floats, *, workers: Workers
) -> Floats:
    """Distances under w of pairs of rows, on the features that have the pair's side."""
    _refuse(table)


@singledispatch
def invasions(
    table: AnyTable, rows: Ints, limits: Floats, w: Floats, *, workers: Workers
) -> tuple[Ints, Floats, float]:
    """Rows of other classes that are too near to some rows under w (LMBA).

    Parameters
    ----------
    table : AnyTable
    rows : array of shape (m,)
    limits : array of shape (m, k)
        Squared distances up to which each target of a row is invaded, −1 for none.
    w : array of shape (n_features,)
    workers : Workers

    Returns
    -------
    active : array of shape (m, k)
        How many rows invade each target.
    sums : array of shape (n_features,)
        Σ (x − invader)² over all rows, targets and invaders.
    hinges : float
        Σ (limit − squared distance) over the same.
    """
    _refuse(table)
