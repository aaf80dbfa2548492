"""Sums in memory over all rows, and over pairs of rows with a side."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from widemargin import kernels
from widemargin.engine import operations
from widemargin.table import Floats, Ints, Table
from widemargin.threads import Workers, spans

A = TypeVar("A", bound=np.ndarray)


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
