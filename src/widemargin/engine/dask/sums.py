"""`edge_sums` and its kin on blocks of rows: which rows meet where, and their sums.

Edges are sent to the blocks of their tails, together with their heads. The rows that
meet there are a table in memory, of which the same operation is asked; only the sums
are sent back. `KernelRFE` fetches the rows that it draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from widemargin import engine
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.engine import kernel_ridge
from widemargin.engine.dask.rows import RawRows, Scaling, met_rows, scaled
from widemargin.engine.dask.table import DistributedTable
from widemargin.engine.kernel_ridge import Columns
from widemargin.engine.pairs import listed
from widemargin.kernels.records import TIE, Edges
from widemargin.threads import Workers, spans

INVADED_PAIRS = 2**20  # whose distances a task holds at once


def _total(
    table: DistributedTable,
    operation: Callable[..., Any],
    edges: Edges,
    marks: NDArray[np.integer],
    n: int | None = None,
) -> Floats:
    """The sum of what an operation gives wherever edges meet, (d,) or (n, d)."""
    if not len(edges.heads):
        return np.zeros(table.n_features if n is None else (n, table.n_features))
    return table.cluster.total(table.pair_tasks(operation, edges, marks)[0])


@engine.class_edge_sums.register
def class_edge_sums(
    table: DistributedTable,
    edges: Edges,
    codes: NDArray[np.integer],
    *,
    n_classes: int,
    workers: Workers,
    power: int = 1,
) -> Floats:
    """The sums of `edge_sums`, of all edges and of those of each class."""
    order = np.argsort(codes, kind="stable")  # few runs of equal codes
    edges = Edges(*(a[order] for a in edges))
    operation = partial(engine.class_edge_sums, n_classes=n_classes, power=power)
    return _total(table, operation, edges, codes[order], n=1 + n_classes)


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
    groups = np.repeat(np.arange(n), np.diff(offsets))
    edges = Edges(*(a[part] for a in edges))
    operation = partial(_sum_groups, n=n, power=power, signed=signed)
    return _total(table, operation, edges, groups, n=n)


@engine.sided_sums.register
def sided_sums(
    table: DistributedTable, edges: Edges, sides: Ints, *, workers: Workers
) -> Floats:
    """Σ coefficient · (x_tail − x_head)² over edges, where that has the edge's side."""
    return _total(table, engine.sided_sums, edges, sides)


@engine.pair_lengths.register
def pair_lengths(
    table: DistributedTable, edges: Edges, sides: Ints, w: Floats, *, workers: Workers
) -> Floats:
    """Distances under w of pairs of rows, on the features that have the pair's side."""
    operation = partial(engine.pair_lengths, w=w)
    tasks, parts = table.pair_tasks(operation, edges, sides)
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
    weights: list[Any] = [None] * len(table.blocks)
    if table.weights is not None:
        weights = np.split(table.weights, table.firsts[1:])
    return table.cluster.total(
        [
            call(apply, block, scaling, span, function, w)
            for block, w in zip(table.blocks, weights, strict=True)
        ]
    )


@engine.invasions.register
def invasions(
    table: DistributedTable, rows: Ints, limits: Floats, w: Floats, *, workers: Workers
) -> tuple[Ints, Floats, float]:
    """Rows of other classes that are too near to some rows under w."""
    call = table.cluster.call
    tested = table.cluster.constant(limits, limits.nbytes)
    own = table.row_weights[rows]
    shared = table.queries(rows), table.shared_scaling(), tested, w, own
    found = table.cluster.total(
        [call(find_invaders, block, *shared) for block in table.blocks]
    )
    active, sums, hinges = np.split(found, [limits.size, -1])
    return active.reshape(limits.shape).astype(np.int64), sums, float(hinges[0])


def _sum_groups(table: Table, edges: Edges, groups: Ints, *, n: int, **how: Any) -> Any:
    """`group_sums` of edges that are in order of their group."""
    offsets = np.searchsorted(groups, np.arange(n + 1))
    return engine.group_sums(table, edges, offsets, **how)


def apply(
    block: RawRows, scaling: Scaling, span: Floats, function: Any, w: Floats | None
) -> Any:
    """A function of (x − low) / span, of class codes and of weights."""
    U, _ = scaled([block], scaling)
    U -= scaling.low
    U /= span
    return function(U, block.y.astype(np.int64), w)


def find_invaders(
    block: RawRows,
    queries: RawRows,
    scaling: Scaling,
    limits: Floats,
    w: Floats,
    of_query: Floats,
) -> Floats:
    """What `invasions` adds up over blocks of rows, one result after the other."""
    table, n = met_rows([block, queries], scaling), len(block.y)
    U = table.X * w
    active, sums = np.zeros(limits.shape), np.zeros(len(w) + 1)
    for part in spans(len(limits), max(1, INVADED_PAIRS // n)):
        D = cdist(U[n:][part], U[:n], "sqeuclidean")
        D[queries.y[part, None] == block.y] = np.inf
        hinges = np.zeros(D.shape)
        for e, limit in enumerate(limits[part].T):
            within = limit[:, None] >= D * (1 - TIE)
            active[part, e] = within.sum(axis=1)
            hinges += within
            excess = np.maximum(limit[:, None] - D, 0.0)
            sums[-1] += of_query[part] @ excess.sum(axis=1, where=within)
        hinges *= of_query[part, None]
        edges = listed(n + np.arange(part.start, part.stop), hinges)
        sums[:-1] += engine.edge_sums(table, edges, power=2, workers=Workers(1))
    return np.concatenate([active.ravel(), sums])


class RemoteColumns(Columns):
    """Columns of a `DistributedTable`, which is their ``X``."""

    __slots__ = ()


@kernel_ridge.standardised_columns.register
def standardised_columns(table: DistributedTable, scale: str | None) -> RemoteColumns:
    """The features that vary, as columns of numbers."""
    varying, counts = np.flatnonzero(~table.constant), table.nominal_counts
    if not counts and table.scaling.mixture is None:
        return RemoteColumns(table, varying, varying, table.mean[varying])
    columns: list[tuple[float, ...]] = []
    for f in varying.tolist():
        if f in counts:
            q = counts[f] / counts[f].sum()
            differ = 1 - (q**2).sum()  # the probability that two rows do
            span = math.sqrt(differ if scale == "standard" else 2.0)
            columns += [(f, p, span, code) for code, p in enumerate(q) if p]
        else:
            columns.append((f, table.mean[f], 1.0, np.nan))
    feature, *rest = np.array(columns).reshape(-1, 4).T
    feature = feature.astype(np.int64)
    return RemoteColumns(table, feature, feature, *rest)


@kernel_ridge.loaded.register
def loaded(data: RemoteColumns, draws: list[Ints]) -> tuple[Columns, list[Ints]]:
    """Columns with the rows of as many draws as may be in memory, and where these are.

    All that one fetch needs is in one graph, so that blocks are read once for it.
    """
    columns, column = np.unique(data.column, return_inverse=True)
    most = data.X.cluster.settings.fetched_cells // (len(columns) * len(draws[0]))
    draws = draws[: max(1, most)]
    rows = np.unique(np.concatenate(draws))
    here = Columns(data.X.numbers(rows, columns), data.feature, column, *data[3:])
    return here, [np.searchsorted(rows, drawn) for drawn in draws]
