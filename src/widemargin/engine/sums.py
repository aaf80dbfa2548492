"""Sums in memory: over edges, over all rows, and over pairs of rows with a side.

They run over fixed blocks in a fixed order, so that they do not depend on threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.engine import operations
from widemargin.threads import Workers, spans

A = TypeVar("A", bound=np.ndarray)


@operations.edge_sums.register
def edge_sums(
    table: Table, edges: kernels.Edges, *, workers: Workers, power: int = 1
) -> Floats:
    """Per feature, Σ coefficient · |x_head − x_tail|^power over the edges."""
    return sum_edges(table.data, edges, workers=workers, power=power)


def sum_edges(
    rows: Floats | kernels.MixedRows,
    edges: kernels.Edges,
    *,
    workers: Workers,
    power: int,
) -> Floats:
    """The same for some rows."""
    X = rows.X if isinstance(rows, kernels.MixedRows) else rows
    d = X.shape[1]
    n_edges = len(edges.heads)
    blocks = spans(n_edges, 4096)
    sums = np.zeros((len(blocks), d))
    parts = workers.shares(d, 512, 1024)
    pieces = [(b, part) for b in range(len(blocks)) for part in parts]

    def add(piece: tuple[int, slice]) -> None:
        b, part = piece
        start, stop = blocks[b].start, blocks[b].stop
        kernels.edge_sums(X, edges, power, start, stop, part.start, part.stop, sums[b])

    workers.run(add, pieces)
    if isinstance(rows, kernels.MixedRows):
        workers.run(
            lambda b: kernels.mixed_edge_sums(
                rows, edges, power, blocks[b].start, blocks[b].stop, sums[b]
            ),
            range(len(blocks)),
        )
    total = np.zeros(d)
    for part in sums:
        total += part
    return total


@operations.group_sums.register
def group_sums(
    table: Table,
    edges: kernels.Edges,
    offsets: Ints,
    *,
    workers: Workers,
    power: int = 1,
    signed: bool = False,
) -> Floats:
    """The sums of `edge_sums`, for each group of edges by itself."""
    n_groups = len(offsets) - 1
    sums = np.zeros((n_groups, table.X.shape[1]))
    workers.run(
        lambda part: kernels.group_sums(
            table.X,
            edges,
            0 if signed else power,
            offsets,
            part.start,
            part.stop,
            sums,
        ),
        spans(n_groups, 64),
    )
    # Where a value is missing, the rows hold the mean, which is all that signed
    # differences need to know.
    if table.mixed is not None and not signed:
        rows = table.data
        workers.run(
            lambda part: kernels.mixed_group_sums(
                rows, edges, power, offsets, part.start, part.stop, sums
            ),
            spans(n_groups, 64),
        )
    return sums


@operations.row_sums.register
def row_sums(
    table: Table,
    function: Callable[[Floats, Ints], A],
    *,
    workers: Workers,
    span: Floats | None = None,
) -> A:
    """Σ function(U, y) over blocks of rows, in a fixed order."""
    n, d = table.X.shape
    span = table.span if span is None else span
    blocks = spans(n, max(1, 2**16 // d))
    sums: dict[int, A] = {}

    def add(b: int) -> None:
        part = blocks[b]
        sums[b] = function((table.X[part] - table.low) / span, table.y[part])

    workers.run(add, range(len(blocks)))
    total = sums[0].copy()
    for b in range(1, len(blocks)):
        total += sums[b]
    return total


def column_sums(U: Floats, y: Ints) -> Floats:
    """Sum of the rows."""
    return U.sum(axis=0)


def class_sums(U: Floats, y: Ints, n_classes: int) -> Floats:
    """Sum of the rows of each class, (C, d)."""
    order = np.argsort(y, kind="stable")
    present, starts = np.unique(y[order], return_index=True)
    sums = np.zeros((n_classes, U.shape[1]))
    sums[present] = np.add.reduceat(U[order], starts, axis=0)
    return sums


@operations.sided_sums.register
def sided_sums(
    table: Table, edges: kernels.Edges, sides: Ints, *, workers: Workers
) -> Floats:
    """Σ coefficient · (x_tail − x_head)² over edges, where that has the edge's side."""
    blocks = spans(len(edges.heads), 4096)
    sums = np.zeros((len(blocks), table.X.shape[1]))
    workers.run(
        lambda b: kernels.sided_edge_sums(
            table.X, edges, sides, blocks[b].start, blocks[b].stop, sums[b]
        ),
        range(len(blocks)),
    )
    return sums.sum(axis=0)


@operations.pair_lengths.register
def pair_lengths(
    table: Table, edges: kernels.Edges, sides: Ints, w: Floats, *, workers: Workers
) -> Floats:
    """Distances under w of pairs of rows, on the features that have the pair's side."""
    heads, tails, _ = edges
    lengths = np.empty(len(heads))
    workers.run(
        lambda part: kernels.pair_lengths(
            table.X, heads[part], tails[part], sides[part], w * w, lengths[part]
        ),
        spans(len(heads), 4096),
    )
    return lengths
