"""Sums over edges and over rows.

They run over fixed blocks in a fixed order, so that they do not depend on threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import Table
from widemargin.engine.nearest_rows import nearest
from widemargin.engine.neighbors import anyone
from widemargin.kernels.records import Edges
from widemargin.threads import Workers, spans

A = TypeVar("A", bound=np.ndarray)

EDGE_BLOCK = 4096  # edges summed together; part of the order of summation
GROUP_BLOCK = 64  # groups of edges that a thread sums at once


def edge_sums(
    table: AnyTable, edges: Edges, *, workers: Workers, power: int = 1
) -> Floats:
    """Per feature, Σ coefficient · |x_head − x_tail|^power over the edges."""
    none = np.zeros(len(edges.heads), np.int8)
    return class_edge_sums(
        table, edges, none, n_classes=1, workers=workers, power=power
    )[0]


@singledispatch
def class_edge_sums(
    table: AnyTable,
    edges: Edges,
    codes: NDArray[np.integer],
    *,
    n_classes: int,
    workers: Workers,
    power: int = 1,
) -> Floats:
    """The sums of `edge_sums`, and those of the edges of each class.

    Parameters
    ----------
    table : AnyTable
    edges : Edges
    codes : array of shape (n_edges,)
        Class that each edge counts for. Memory grows with the number of runs of equal
        codes.
    n_classes : int
    workers : Workers
    power : int, default=1

    Returns
    -------
    sums : array of shape (1 + n_classes, n_features)
        Of all edges, which are to the last digit those of `edge_sums`; then class by
        class.
    """
    assert isinstance(table, Table)
    found = np.zeros((1 + n_classes, table.n_features))
    borders = np.flatnonzero(np.diff(codes)) + 1
    found[0], sums, starts = _run_sums(table, edges, borders, power, workers)
    np.add.at(found, 1 + codes[starts], sums)
    return table.pooled(found, power)


def end_sums(
    table: AnyTable, edges: Edges, *, workers: Workers, power: int = 1
) -> Floats:
    """`class_edge_sums` of edges that count half for the class of each end."""
    y, C = table.y.astype(np.int64), len(table.classes)
    order = np.argsort(y[edges.tails], kind="stable")
    turned = Edges(*(a[order] for a in edges))
    options: dict[str, Any] = {"n_classes": C, "workers": workers, "power": power}
    found = class_edge_sums(table, edges, y[edges.heads], **options)
    other = class_edge_sums(table, turned, y[turned.tails], **options)
    found[1:] = (found[1:] + other[1:]) / 2
    return found


def _run_sums(
    table: Table, edges: Edges, borders: Ints, power: int, workers: Workers
) -> tuple[Floats, Floats, Ints]:
    """Sums over all edges, and over runs of edges, which end at borders and in blocks.

    The runs of a block are added up one on top of the other, so that the total does not
    depend on the borders.

    Returns
    -------
    total : array of shape (n_features,)
    sums : array of shape (n_runs, n_features)
    starts : array of shape (n_runs,)
        First edge of each run.
    """
    X, n, d = table.X, len(edges.heads), table.n_features
    starts = np.union1d(np.arange(0, n, EDGE_BLOCK), borders)
    stops = np.append(starts[1:], n)
    heads = np.flatnonzero(starts % EDGE_BLOCK == 0)  # first run of each block
    tails = np.append(heads, len(starts))[1:] - 1
    before, after = np.zeros((2, len(starts), d))

    def add_block(b: int, part: slice, add: Callable[..., None]) -> None:
        for r in range(heads[b], tails[b] + 1):
            if r > heads[b]:
                before[r, part] = after[r - 1, part]
            after[r, part] = before[r, part]
            add(starts[r], stops[r], part, after[r])

    def add_plain(start: int, stop: int, part: slice, sums: Floats) -> None:
        kernels.sums.add_edge_sums(
            X, edges, power, start, stop, part.start, part.stop, sums
        )

    def add_mixed(start: int, stop: int, part: slice, sums: Floats) -> None:
        kernels.distances.add_mixed_edge_sums(
            table.data, edges, power, start, stop, sums
        )

    parts = workers.shares(d, 512, 1024)
    blocks = range(len(heads))
    items = [(b, part) for b in blocks for part in parts]
    workers.run(lambda item: add_block(item[0], item[1], add_plain), items)
    sums = after - before
    if table.mixed is not None:
        before[heads] = after[tails]
        workers.run(lambda b: add_block(b, slice(d), add_mixed), blocks)
        sums += after - before
    return _in_order(after[tails], np.zeros(d)), sums, starts


def _in_order(parts: Any, total: A) -> A:
    """Add up parts one after the other, to a total that is changed."""
    for part in parts:
        total += part
    return total


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
    assert isinstance(table, Table)
    n_groups = len(offsets) - 1
    sums = np.zeros((n_groups, table.X.shape[1]))

    def add(part: slice) -> None:
        groups = offsets, part.start, part.stop
        kernels.sums.add_group_sums(
            table.X, edges, 0 if signed else power, *groups, sums
        )
        # Where a value is missing, the rows hold the mean, which is all that signed
        # differences need to know.
        if table.mixed is not None and not signed:
            kernels.sums.add_mixed_group_sums(table.data, edges, power, *groups, sums)

    workers.run(add, spans(n_groups, GROUP_BLOCK))
    return sums if signed else table.pooled(sums, power)


@singledispatch
def row_sums(
    table: AnyTable,
    function: Callable[..., A],
    *,
    workers: Workers,
    span: Floats | None = None,
) -> A:
    """Σ function(U, y, w) over blocks of rows, in a fixed order.

    Parameters
    ----------
    table : AnyTable
    function : callable
        Takes features as (x − low) / span, class codes, and weights of the rows, None
        if all count the same; returns an array. A function of a module, or a `partial`
        of one, since it may be sent to workers.
    workers : Workers
    span : array of shape (n_features,) or None, default=None
        None moves features to [0, 1].
    """
    assert isinstance(table, Table)
    n, d = table.X.shape
    span = table.span if span is None else span
    w = table.weights
    blocks = spans(n, max(1, 2**16 // d))
    sums: dict[int, A] = {}

    def add(b: int) -> None:
        part = blocks[b]
        U, mine = (table.X[part] - table.low) / span, None if w is None else w[part]
        sums[b] = function(U, table.y[part], mine)

    workers.run(add, range(len(blocks)))
    return _in_order((sums[b] for b in range(1, len(blocks))), sums[0].copy())


def column_sums(U: Floats, y: Ints, w: Floats | None = None) -> Floats:
    """Sum of the rows."""
    return weighed(U, w).sum(axis=0)


def weighed(U: Floats, w: Floats | None) -> Floats:
    """Rows multiplied by their weights."""
    return U if w is None else U * w[:, None]


def square_sums(U: Floats, w: Floats | None) -> Floats:
    """Sum of the squares of each column."""
    return np.einsum("if,if->f", weighed(U, w), U)


def class_sums(
    U: Floats, y: Ints, w: Floats | None = None, *, n_classes: int
) -> Floats:
    """Sum of the rows of each class, (C, d)."""
    U = weighed(U, w)
    order = np.argsort(y, kind="stable")
    present, starts = np.unique(y[order], return_index=True)
    sums = np.zeros((n_classes, U.shape[1]))
    sums[present] = np.add.reduceat(U[order], starts, axis=0)
    return sums


@singledispatch
def sided_sums(
    table: AnyTable, edges: Edges, sides: Ints, *, workers: Workers
) -> Floats:
    """Σ coefficient · (x_tail − x_head)² over edges, where that has the edge's side.

    A side is 1, −1, or 0 for everywhere.
    """
    assert isinstance(table, Table)
    blocks = spans(len(edges.heads), EDGE_BLOCK)
    sums = np.zeros((len(blocks), table.X.shape[1]))

    def add(b: int) -> None:
        block = blocks[b].start, blocks[b].stop
        kernels.sums.add_sided_sums(table.X, edges, sides, *block, sums[b])

    workers.run(add, range(len(blocks)))
    total: Floats = sums.sum(axis=0)
    if table.mixed is not None:
        # A side is that of the numbers; without one, all counts.
        free = Edges(*(a[sides == 0] for a in edges))
        kernels.distances.add_mixed_edge_sums(
            table.data, free, 2, 0, len(free.heads), total
        )
    return total


@singledispatch
def pair_lengths(
    table: AnyTable, edges: Edges, sides: Ints, w: Floats, *, workers: Workers
) -> Floats:
    """Distances under w of pairs of rows, on the features that have the pair's side."""
    assert isinstance(table, Table)
    heads, tails, _ = edges
    lengths = np.empty(len(heads))
    workers.run(
        lambda part: kernels.sums.measure_edges(
            table.X, heads[part], tails[part], sides[part], w * w, lengths[part]
        ),
        spans(len(heads), EDGE_BLOCK),
    )
    return lengths


@singledispatch
def invasions(
    table: AnyTable, rows: Ints, limits: Floats, w: Floats, *, workers: Workers
) -> tuple[Ints, Floats, float]:
    """Rows of other classes that are too near to some rows under w (LMBA).

    Only for tables on the workers of a cluster: in memory, LMBA's visits are compiled
    as a whole.

    Parameters
    ----------
    table : DistributedTable
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
        Σ weight · (x − invader)² over all rows, targets and invaders.
    hinges : float
        Σ weight · (limit − squared distance) over the same.
    """
    raise NotImplementedError


def neighbor_pairs(
    table: AnyTable, k: int, slots: Ints, *, workers: Workers, distances: bool = False
) -> tuple[Ints, Ints, Floats]:
    """Pairs of rows of which one is among the other's k nearest, each once.

    Returns
    -------
    low, high : array of shape (n_pairs,)
        Rows.
    lengths : array of shape (n_pairs,)
        Their distances; zeros unless ``distances``.
    """
    n = table.n_rows
    pairs, lengths = [], []
    for block in nearest(table, k, slots, distances=distances, workers=workers):
        heads = np.repeat(block.queries, block.counts.sum(axis=1))
        low, high = np.minimum(heads, block.rows), np.maximum(heads, block.rows)
        pairs.append(low * n + high)
        measured = block.distances
        lengths.append(np.zeros(len(heads)) if measured is None else measured)
    found, first = np.unique(np.concatenate(pairs), return_index=True)
    low, high = np.divmod(found, n)
    return low, high, np.concatenate(lengths)[first]


def heat_width(delta: float | str, table: Table, workers: Workers) -> float:
    """δ of the heat kernel; "auto": mean distance to the (⌊ln n⌋ + 1)-th nearest row.

    Where that is 0, since every row has that many duplicates, δ is 1.
    """
    if delta != "auto":
        return float(delta)
    n = len(table.X)
    i = int(np.log(n)) + 1
    reach = np.empty(n)
    slots = anyone(len(table.classes))
    for block in nearest(table, i, slots, distances=True, workers=workers):
        assert block.distances is not None
        reach[block.queries] = block.distances.reshape(-1, i).max(axis=1)
    return float(reach.mean()) or 1.0


def heat(distances: Floats, delta: float) -> Floats:
    """The heat kernel S = exp(−‖x − z‖²/δ) of some distances."""
    return np.exp(-(distances**2) / delta)
