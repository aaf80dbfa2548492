"""What a worker sums over pairs of rows, and over the rows of a block."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.engine.dask.block_search import block_table
from widemargin.engine.dask.rows import (
    RawRows,
    Rows,
    Scaling,
    numbers_of,
    scaled,
    with_mixed,
)
from widemargin.engine.sums import sum_edges
from widemargin.threads import Workers, fill_up


class Pairs(NamedTuple):
    """RawRows and rows of a block, by their places there, with something for each."""

    heads: NDArray[np.int32]
    tails: NDArray[np.int32]
    values: Floats  # coefficients
    marks: Ints  # groups, or sides


def _meet(
    queries: RawRows, block: RawRows, pairs: Pairs, scaling: Scaling
) -> tuple[Rows, kernels.Edges, Ints]:
    """The rows of some pairs, scaled, and the pairs as edges between them; marks."""
    parts, places, taken = [], [], 0
    for rows, wanted in ((queries, pairs.heads), (block, pairs.tails)):
        there = np.zeros(len(rows.y), bool)
        there[wanted] = True
        parts.append(rows.take(there))
        places.append((np.cumsum(there) - 1)[wanted] + taken)
        taken += len(parts[0].y)
    # What was sent may be read-only, which would be compiled for anew.
    edges = kernels.Edges(places[0], places[1], np.array(pairs.values))
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
    kernels.group_sums(X, edges, power, offsets, 0, n, sums)
    if power and isinstance(rows, kernels.MixedRows):
        kernels.mixed_group_sums(rows, edges, power, offsets, 0, n, sums)
    return sums


def sum_sided_pairs(
    queries: RawRows, block: RawRows, pairs: Pairs, scaling: Scaling
) -> Floats:
    """Σ value · (x_tail − x_head)² where that has the pair's side, 0 for everywhere."""
    rows, edges, sides = _meet(queries, block, pairs, scaling)
    X = numbers_of(rows)
    sums = np.zeros(X.shape[1])
    kernels.sided_edge_sums(X, edges, sides, 0, len(sides), sums)
    if isinstance(rows, kernels.MixedRows):
        # A side is that of the numbers; without one, all counts.
        free = kernels.Edges(*(a[sides == 0] for a in edges))
        kernels.mixed_edge_sums(rows, free, 2, 0, len(free.heads), sums)
    return sums


def measure_pairs(
    queries: RawRows, block: RawRows, pairs: Pairs, scaling: Scaling, w: Floats
) -> Floats:
    """Distance of each pair under w, where x_tail − x_head has the pair's side."""
    rows, edges, sides = _meet(queries, block, pairs, scaling)
    lengths = np.empty(len(sides))
    kernels.pair_lengths(
        numbers_of(rows), edges.heads, edges.tails, sides, w * w, lengths
    )
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
    rows = np.zeros((len(stack), fill_up(len(w), int(kernels.STEP))), np.float32)
    kernels.arrange_columns(stack, scaling.mean, columns, rows)
    reach = np.maximum(scaling.high - scaling.mean, scaling.mean - scaling.low)
    screen = kernels.Screen(rows, columns, float(reach.max()))
    active, sums = np.zeros(limits.shape, np.int64), np.zeros(len(w) + 1)
    kernels.invasions(
        stack,
        kernels.Layout(table.y, table.starts, np.empty((0, 0), np.int64)),
        screen,
        queries.y.astype(np.int64),
        w,
        np.array(limits),
        active,
        sums,
    )
    return active, sums
