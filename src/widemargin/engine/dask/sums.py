"""`edge_sums` and its kin on blocks of rows: which rows meet where, and their sums.

Edges are sent to the blocks of their tails, together with their heads; only the sums
are sent back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from widemargin import engine
from widemargin.data.protocol import Floats, Ints
from widemargin.engine.dask.block_search import block_table
from widemargin.engine.dask.rows import (
    Pairs,
    RawRows,
    Rows,
    Scaling,
    numbers_of,
    scaled,
    with_mixed,
)
from widemargin.engine.dask.table import DistributedTable
from widemargin.engine.sums import sum_edges
from widemargin.kernels.ascent import STEP, arrange_columns
from widemargin.kernels.descent import find_invasions
from widemargin.kernels.distances import MixedRows, add_mixed_edge_sums
from widemargin.kernels.records import Edges, Layout, Screen
from widemargin.kernels.sums import (
    add_group_sums,
    add_mixed_group_sums,
    add_sided_sums,
    measure_edges,
)
from widemargin.threads import Workers, fill_up


@engine.edge_sums.register
def edge_sums(
    table: DistributedTable, edges: Edges, *, workers: Workers, power: int = 1
) -> Floats:
    """Per feature, Σ coefficient · |x_head − x_tail|^power over the edges."""
    heads, tails, coefficients = edges
    if len(heads) == 0:
        return np.zeros(table.n_features)
    most = table.cluster.settings.max_query_rows
    if len(table.blocks) > 2 and len(table.different(heads)) > most:
        # Blocks are sent to blocks. Either way round will do, and once is enough,
        # unless two workers had to share three pieces of work.
        edges = Edges(np.minimum(heads, tails), np.maximum(heads, tails), coefficients)
    tasks, _ = table.pair_tasks(sum_pairs, edges, heads[:0], power)
    return table.cluster.total(tasks)


@engine.group_sums.register
def group_sums(
    table: DistributedTable,
    edges: Edges,
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
    edges = Edges(*(a[part] for a in edges))
    tasks, _ = table.pair_tasks(sum_groups, edges, groups, n, 0 if signed else power)
    return table.cluster.total(tasks)


@engine.sided_sums.register
def sided_sums(
    table: DistributedTable, edges: Edges, sides: Ints, *, workers: Workers
) -> Floats:
    """Σ coefficient · (x_tail − x_head)² over edges, where that has the edge's side."""
    if len(edges.heads) == 0:
        return np.zeros(table.n_features)
    tasks, _ = table.pair_tasks(sum_sided_pairs, edges, sides)
    return table.cluster.total(tasks)


@engine.pair_lengths.register
def pair_lengths(
    table: DistributedTable,
    edges: Edges,
    sides: Ints,
    w: Floats,
    *,
    workers: Workers,
) -> Floats:
    """Distances under w of pairs of rows, on the features that have the pair's side."""
    tasks, parts = table.pair_tasks(measure_pairs, edges, sides, w)
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
        [call(apply, block, scaling, span, function) for block in table.blocks]
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
    parts = [call(find_invaders, block, *shared, C) for block in table.blocks]
    (result,) = table.cluster.compute([table.cluster.tree(_add_both, parts)])
    active, total = result
    return active, total[:-1], float(total[-1])


def _add_both(parts: list[tuple[Ints, Floats]]) -> tuple[Ints, Floats]:
    active, sums = (sum(a[1:], start=a[0]) for a in zip(*parts, strict=True))
    return active, sums


def _meet(
    queries: RawRows, block: RawRows, pairs: Pairs, scaling: Scaling
) -> tuple[Rows, Edges, Ints]:
    """The rows of some pairs, scaled, and the pairs as edges between them; marks."""
    parts, places, taken = [], [], 0
    for rows, wanted in ((queries, pairs.heads), (block, pairs.tails)):
        there = np.zeros(len(rows.y), bool)
        there[wanted] = True
        parts.append(rows.take(there))
        places.append((np.cumsum(there) - 1)[wanted] + taken)
        taken += len(parts[0].y)
    # What was sent may be read-only, which would be compiled for anew.
    edges = Edges(places[0], places[1], np.array(pairs.values))
    return with_mixed(*scaled(parts, scaling)), edges, np.array(pairs.marks)


def sum_pairs(
    queries: RawRows, block: RawRows, pairs: Pairs, scaling: Scaling, power: int
) -> Floats:
    """Σ value · |x_head − x_tail|^power."""
    rows, edges, _ = _meet(queries, block, pairs, scaling)
    return sum_edges(rows, edges, workers=Workers(1), power=power)


def sum_groups(
    queries: RawRows, block: RawRows, pairs: Pairs, scaling: Scaling, n: int, power: int
) -> Floats:
    """The same for each of n groups, which are in order; power 0 sums with sign."""
    rows, edges, groups = _meet(queries, block, pairs, scaling)
    X, offsets = numbers_of(rows), np.searchsorted(groups, np.arange(n + 1))
    sums = np.zeros((n, X.shape[1]))
    add_group_sums(X, edges, power, offsets, 0, n, sums)
    if power and isinstance(rows, MixedRows):
        add_mixed_group_sums(rows, edges, power, offsets, 0, n, sums)
    return sums


def sum_sided_pairs(
    queries: RawRows, block: RawRows, pairs: Pairs, scaling: Scaling
) -> Floats:
    """Σ value · (x_tail − x_head)² where that has the pair's side, 0 for everywhere."""
    rows, edges, sides = _meet(queries, block, pairs, scaling)
    X = numbers_of(rows)
    sums = np.zeros(X.shape[1])
    add_sided_sums(X, edges, sides, 0, len(sides), sums)
    if isinstance(rows, MixedRows):
        # A side is that of the numbers; without one, all counts.
        free = Edges(*(a[sides == 0] for a in edges))
        add_mixed_edge_sums(rows, free, 2, 0, len(free.heads), sums)
    return sums


def measure_pairs(
    queries: RawRows, block: RawRows, pairs: Pairs, scaling: Scaling, w: Floats
) -> Floats:
    """Distance of each pair under w, where x_tail − x_head has the pair's side."""
    rows, edges, sides = _meet(queries, block, pairs, scaling)
    lengths = np.empty(len(sides))
    measure_edges(numbers_of(rows), edges.heads, edges.tails, sides, w * w, lengths)
    return lengths


def apply(block: RawRows, scaling: Scaling, span: Floats, function: Any) -> Any:
    """A function of (x − low) / span and of class codes."""
    U, _ = scaled([block], scaling)
    U -= scaling.low
    U /= span
    return function(U, block.y.astype(np.int64))


def find_invaders(
    block: RawRows,
    queries: RawRows,
    scaling: Scaling,
    limits: Floats,
    w: Floats,
    n_classes: int,
) -> tuple[Ints, Floats]:
    """Rows of a block that invade query rows; see `widemargin.kernels.invasions`."""
    table, both = block_table(block, n_classes, scaling, queries)
    stack = numbers_of(both)
    # The features with the largest share of distances first, as far as one can tell.
    columns = np.argsort(-((w * (scaling.high - scaling.low)) ** 2), kind="stable")
    rows = np.zeros((len(stack), fill_up(len(w), int(STEP))), np.float32)
    arrange_columns(stack, scaling.mean, columns, rows)
    reach = np.maximum(scaling.high - scaling.mean, scaling.mean - scaling.low)
    screen = Screen(rows, columns, float(reach.max()))
    active, sums = np.zeros(limits.shape, np.int64), np.zeros(len(w) + 1)
    find_invasions(
        stack,
        Layout(table.y, table.starts, np.empty((0, 0), np.int64)),
        screen,
        queries.y.astype(np.int64),
        w,
        np.array(limits),
        active,
        sums,
    )
    return active, sums
