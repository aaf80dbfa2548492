"""The operations of the engine on a `SparseTable`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.data.sparse import SparseTable, cells_of
from widemargin.engine import kernel_ridge, nearest_rows, pairs, sums
from widemargin.engine.kernel_ridge import Columns
from widemargin.engine.nearest_rows import pick
from widemargin.engine.neighbors import Neighbors
from widemargin.engine.search import METRICS
from widemargin.kernels.records import EUCLIDEAN, TIE, Edges
from widemargin.progress import progress
from widemargin.threads import Workers, spans

QUERIES = 32  # rows whose distances from all others are held at once
CANCELLED = 1e-3  # of the norms, what distances are measured again below


def _measured(
    table: SparseTable, metric: int, norms: Floats, queries: Ints, workers: Workers
) -> Floats:
    """Distances of all rows from the queries, squared if Euclidean, rounded."""
    D = np.empty((len(queries), table.n_rows))
    rows, columns = table.cells, table.columns

    def measure(part: slice) -> None:
        kernels.sparse.measure_from(
            metric, rows, columns, norms, queries[part], D[part]
        )

    workers.run(measure, workers.shares(len(queries), 4))
    return D


@nearest_rows.nearest.register
def nearest(
    table: SparseTable,
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
    """Yield the k nearest rows of each query in each slot, some queries at a time."""
    kind, n = METRICS[metric], table.n_rows
    queries = np.arange(n) if queries is None else np.asarray(queries, np.int64)
    norms = table.norms(2 if kind == EUCLIDEAN else 1)
    # No sum has more terms than two rows have cells.
    error = 4 * np.finfo(float).eps * (2 * table.longest + 4)
    blocks = spans(len(queries), block_size or QUERIES)

    def confirm(part: Ints, rows: Ints, wanted: int, D: Floats) -> None:
        """Measure again, in double precision, whatever may be among the nearest."""
        border = np.partition(D, wanted - 1, axis=1)[:, wanted - 1, None]
        doubt = error * (norms[part].max() + norms.max())
        q, j = np.nonzero(border * (1 + 4 * TIE) + doubt >= D)
        exact = np.empty(len(q))
        kernels.sparse.measure_pairs(kind, table.cells, part[q], rows[j], exact)
        D[:] = np.inf
        D[q, j] = exact

    with progress("neighbours", len(blocks), workers.verbose, summary=False) as advance:
        for block in blocks:
            part = queries[block]
            D = _measured(table, kind, norms, part, workers)
            D[np.arange(len(part)), part] = np.inf  # not its own neighbour
            yield pick(table, D, k, slots, part, share_ties, confirm)
            advance()


@sums.class_edge_sums.register
def class_edge_sums(
    table: SparseTable,
    edges: Edges,
    codes: NDArray[np.integer],
    *,
    n_classes: int,
    workers: Workers,
    power: int = 1,
) -> Floats:
    """The sums of `edge_sums`, and those of the edges of each class."""
    found = np.zeros((1 + n_classes, table.n_features))
    borders = [0, *(np.flatnonzero(np.diff(codes)) + 1), len(codes)]
    for start, stop in pairwise(borders):
        before = found[0].copy()
        kernels.sparse.add_cell_edge_sums(
            table.cells, edges, power, start, stop, found[0]
        )
        found[1 + codes[start : start + 1]] += found[0] - before
    return found


@sums.group_sums.register
def group_sums(
    table: SparseTable,
    edges: Edges,
    offsets: Ints,
    *,
    workers: Workers,
    power: int = 1,
    signed: bool = False,
) -> Floats:
    """The sums of `edge_sums`, for each group of edges by itself."""
    assert not signed, "only methods that do not take sparse tables need signs"
    total = np.zeros((len(offsets) - 1, table.n_features))
    for g, group in enumerate(total):
        place = offsets[g], offsets[g + 1]
        kernels.sparse.add_cell_edge_sums(table.cells, edges, power, *place, group)
    return total


@pairs.distances_to_all.register
def distances_to_all(
    table: SparseTable, queries: Ints, metric: str, workers: Workers
) -> Floats:
    """Distances of all rows from each query, (m, n); that of a row from itself is 0."""
    kind = METRICS[metric]
    norms = table.norms(2 if kind == EUCLIDEAN else 1)
    D = _measured(table, kind, norms, queries, workers)
    # Where most digits have cancelled, by direct differences.
    q, j = np.nonzero(CANCELLED * (norms[queries][:, None] + norms) > D)
    exact = np.empty(len(q))
    D = np.sqrt(D, out=D) if kind == EUCLIDEAN else D
    kernels.sparse.measure_pairs(kind, table.cells, queries[q], j, exact)
    D[q, j] = exact
    return D


def sums_around(table: SparseTable, queries: Ints, edges: Edges) -> Floats:
    """`class_edge_sums` over very many edges from a few rows that follow each other."""
    weights = np.zeros((len(queries), table.n_rows))
    weights[edges.heads - queries[0], edges.tails] = edges.coefficients
    sizes = table.X.copy()
    np.abs(sizes.data, out=sizes.data)
    found = np.zeros((1 + len(table.classes), table.n_features))
    found[0] = weights.sum(axis=0) @ sizes
    borders = np.searchsorted(table.y[queries], np.arange(len(found)))
    for own, (start, stop) in zip(found[1:], pairwise(borders), strict=True):
        W, before = weights[start:stop], found[0].copy()
        asked = queries[start:stop], W, W.sum(axis=1)
        kernels.sparse.add_pair_sums(table.cells, table.columns, *asked, found[0])
        own += found[0] - before + W.sum(axis=0) @ sizes
    return found


class SparseColumns(Columns):
    """Columns of a CSR array ``X``, one for each feature that varies."""

    __slots__ = ()

    def cells(self, rows: Ints) -> Any:
        """Some rows, (m, p), not centred."""
        return self.X[rows][:, self.feature]

    def take(self, rows: Ints, part: slice = slice(None)) -> Floats:
        """Centred numbers."""
        return self.cells(rows)[:, part].toarray() - self.shift[part]


@kernel_ridge.standardised_columns.register
def standardised_columns(table: SparseTable, scale: str | None) -> SparseColumns:
    """The features that vary, as columns of numbers."""
    varying = np.flatnonzero(~table.constant)
    return SparseColumns(table.X, varying, varying, table.mean[varying])


@kernel_ridge.gram_matrix.register
def gram_matrix(data: SparseColumns, rows: Ints, workers: Workers) -> Floats:
    """Z Zᵀ of centred columns, of products of those that are not."""
    X, G = data.cells(rows), np.empty((len(rows), len(rows)))
    for part in spans(len(rows), QUERIES):
        G[part] = (X[part] @ X.T).toarray()
    along = X @ data.shift
    G -= along
    G -= along[:, None]
    G += data.shift @ data.shift
    return G


@kernel_ridge.quadratic_forms.register
def quadratic_forms(
    data: SparseColumns, rows: Ints, W: Floats, A: Floats, workers: Workers
) -> Floats:
    """Terms of −½ Σ_ij W_ij (z_i − z_j)² + ‖Aᵀz‖² of each feature, (3, d)."""
    columns, w = cells_of(data.cells(rows).tocsc()), W.sum(axis=1)
    w = np.append(w, w.sum())
    terms, A = np.empty((3, len(data.feature))), np.vstack([A, A.sum(axis=0)])
    workers.run(
        lambda part: kernels.sparse.cell_forms(
            columns, W, w, A, data.shift, part.start, part.stop, terms
        ),
        spans(len(data.feature), 2**12),
    )
    return terms
