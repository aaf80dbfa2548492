"""`edge_sums` and its kin on blocks of rows.

Edges are sent to the blocks of their tails, together with their heads; only the sums
are sent back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from widemargin import engine, kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.engine.dask import pair_sums
from widemargin.engine.dask.table import DistributedTable
from widemargin.threads import Workers


@engine.edge_sums.register
def edge_sums(
    table: DistributedTable, edges: kernels.Edges, *, workers: Workers, power: int = 1
) -> Floats:
    """Per feature, Σ coefficient · |x_head − x_tail|^power over the edges."""
    heads, tails, coefficients = edges
    if len(heads) == 0:
        return np.zeros(table.n_features)
    most = table.cluster.settings.max_query_rows
    if len(table.blocks) > 2 and len(table.different(heads)) > most:
        # Blocks are sent to blocks. Either way round will do, and once is enough,
        # unless two workers had to share three pieces of work.
        edges = kernels.Edges(
            np.minimum(heads, tails), np.maximum(heads, tails), coefficients
        )
    tasks, _ = table.pair_tasks(pair_sums.sum_pairs, edges, heads[:0], power)
    return table.cluster.total(tasks)


@engine.group_sums.register
def group_sums(
    table: DistributedTable,
    edges: kernels.Edges,
    offsets: Ints,
    *,
    workers: Workers,
    power: int = 1,
    signed: bool = False,
) -> Floats:
    """The sums of `edge_sums`, for each group of edges by itself."""
    n, part = len(offsets) - 1, slice(offsets[0], offsets[-1])
    if part.start == part.stop:
        return np.zeros((n, table.n_features))
    groups = np.repeat(np.arange(n), np.diff(offsets))
    edges = kernels.Edges(*(a[part] for a in edges))
    tasks, _ = table.pair_tasks(
        pair_sums.sum_groups, edges, groups, n, 0 if signed else power
    )
    return table.cluster.total(tasks)


@engine.sided_sums.register
def sided_sums(
    table: DistributedTable, edges: kernels.Edges, sides: Ints, *, workers: Workers
) -> Floats:
    """Σ coefficient · (x_tail − x_head)² over edges, where that has the edge's side."""
    if len(edges.heads) == 0:
        return np.zeros(table.n_features)
    tasks, _ = table.pair_tasks(pair_sums.sum_sided_pairs, edges, sides)
    return table.cluster.total(tasks)


@engine.pair_lengths.register
def pair_lengths(
    table: DistributedTable,
    edges: kernels.Edges,
    sides: Ints,
    w: Floats,
    *,
    workers: Workers,
) -> Floats:
    """Distances under w of pairs of rows, on the features that have the pair's side."""
    tasks, parts = table.pair_tasks(pair_sums.measure_pairs, edges, sides, w)
    lengths = np.empty(len(sides))
    for part, measured in zip(parts, table.cluster.compute(tasks), strict=True):
        lengths[part] = measured
    return lengths


@engine.row_sums.register
def row_sums(
    table: DistributedTable,
    function: Callable[..., Any],
    *,
    workers: Workers,
    span: Floats | None = None,
) -> Any:
    """Σ function(U, y) over blocks of rows."""
    call, scaling = table.cluster.call, table.shared_scaling()
    span = table.span if span is None else span
    return table.cluster.total(
        [
            call(pair_sums.apply, block, scaling, span, function)
            for block in table.blocks
        ]
    )


@engine.invasions.register
def invasions(
    table: DistributedTable, rows: Ints, limits: Floats, w: Floats, *, workers: Workers
) -> tuple[Ints, Floats, float]:
    """Rows of other classes that are too near to some rows under w."""
    call = table.cluster.call
    tested = table.cluster.constant(limits, limits.nbytes)
    shared = table.queries(rows), table.shared_scaling(), tested, w
    C = len(table.classes)
    parts = [call(pair_sums.find_invaders, block, *shared, C) for block in table.blocks]
    (result,) = table.cluster.compute([table.cluster.tree(_add_both, parts)])
    active, total = result
    return active, total[:-1], float(total[-1])


def _add_both(parts: list[tuple[Ints, Floats]]) -> tuple[Ints, Floats]:
    active, sums = (sum(a[1:], start=a[0]) for a in zip(*parts, strict=True))
    return active, sums
