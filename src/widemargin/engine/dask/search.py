"""`nearest` on blocks of rows.

A block is a run of the caller's rows, scaled and sorted by class. A batch of query rows
is sent to every block, and the nearest rows are sought in each by itself
(`find_queries`). A tree of merges then picks the nearest of what the blocks have found
(`merge`). Distances are exact, so the k nearest of all are among the k nearest of each
block, and ties are settled as if there had been one block only.

               block 0      block 1      block 2
    queries ──► k nearest    k nearest    k nearest      with their exact distances and
                   └────────────┼────────────┘           all that tie with the k-th
                              merge ──► the k nearest
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from widemargin import engine
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.engine.dask.rows import RawRows, Scaling, scaled
from widemargin.engine.dask.table import DistributedTable
from widemargin.engine.neighbors import Neighbors
from widemargin.engine.search import METRICS, SPARE_ENTRIES, Search, Stack
from widemargin.kernels.records import TIE, MixedRows
from widemargin.progress import progress
from widemargin.threads import Workers, spans

FEW_BLOCKS = 8  # searched on the workers that are given them


class Request(NamedTuple):
    """Which neighbours are sought."""

    k: int
    slots: Ints
    metric: str
    share_ties: bool
    max_found: int  # neighbours that one block lists

    @property
    def n_slots(self) -> int:
        """Lists of each query row."""
        return int(self.slots.max()) + 1


class Found(NamedTuple):
    """Nearest rows of m queries in S slots; group q·S + s is slot s of query q."""

    counts: Ints  # (m·S,) entries of each group, one group after the other
    rows: Ints  # the caller's row numbers
    distances: Floats
    share: Floats


@engine.nearest.register
def nearest(
    table: DistributedTable,
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
    settings = table.cluster.settings
    request = Request(k, slots, metric, share_ties, settings.max_block_neighbors)
    rows = np.arange(table.n_rows) if queries is None else queries
    queries = np.asarray(rows, np.int64)
    most = min(
        settings.max_query_rows,
        settings.max_query_cells // table.row_cells,
        settings.max_neighbors // (request.n_slots * request.k),
    )
    size = block_size or max(1, most)
    at_once = size
    with progress(
        "neighbours", len(queries), workers.verbose, summary=False
    ) as advance:
        for batch in spans(len(queries), size):
            first, start, pieces = batch.start, batch.start, list[Found]()
            while start < batch.stop:
                stop = min(start + at_once, batch.stop)
                found = _in_all_blocks(table, queries[start:stop], request)
                if found is None:
                    at_once = max(1, (stop - start) // 16)
                    continue
                pieces.append(found)
                start = stop
                # A block of the size that was asked for is not given in pieces.
                if block_size is None or start == batch.stop:
                    yield _neighbors(queries[first:start], pieces, request.n_slots)
                    advance(start - first)
                    first, pieces = start, []


def _in_all_blocks(
    table: DistributedTable, rows: Ints, request: Request
) -> Found | None:
    """Neighbours of some rows; None if too many tie."""
    queries, call = table.queries(rows), table.cluster.call
    shared = request, table.shared_scaling()
    near = [call(find_queries, block, queries, *shared) for block in table.blocks]
    if len(near) <= FEW_BLOCKS:
        # Dask would search them all on the worker that has the queries.
        near = table.cluster.keep(near, spread=True)
    merged = table.cluster.tree(partial(merge, request=request), near)
    (found,) = table.cluster.compute([merged])
    return found


def _neighbors(queries: Ints, parts: list[Found], n_slots: int) -> Neighbors:
    counts, *entries = map(np.concatenate, zip(*parts, strict=True))
    rows, distances, share = entries
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Neighbors(queries, n_slots, offsets, rows, share, distances)


def block_table(
    block: RawRows, n_classes: int, scaling: Scaling, queries: RawRows
) -> tuple[Table, Floats | MixedRows]:
    """The numbers of a block as a Table, and all of it with query rows below."""
    own = block.take(np.argsort(block.y, kind="stable"))
    X, mixed = scaled([own, queries], scaling)
    y, classes = own.y.astype(np.int64), np.arange(n_classes)
    limits = scaling.low, scaling.high, scaling.mean
    table = Table(X[: len(y)], y, classes, own.rows, *limits)
    return table, X if mixed is None else MixedRows(X, mixed)


def find_queries(
    block: RawRows, queries: RawRows, request: Request, scaling: Scaling
) -> Found | None:
    """Nearest rows of a block to each query row; no row is its own neighbour.

    None if too many tie.
    """
    table, stack = block_table(block, len(request.slots), scaling, queries)
    first, n, m = block.rows[0], len(block.rows), len(queries.rows)
    own = np.concatenate([np.arange(n), np.full(m, -1)])
    inside = (queries.rows >= first) & (queries.rows < first + n)
    own[n:][inside] = np.argsort(table.rows)[queries.rows[inside] - first]
    labels = np.concatenate([table.y, queries.y.astype(np.int64)])
    lists, held = [], 0
    with Workers(1) as workers:
        search = Search(
            table,
            METRICS[request.metric],
            request.slots,
            workers,
            Stack(stack, labels, own),
        )
        rule = search.rule(request.k, share_ties=request.share_ties, measure=True)
        for block_of_queries in spans(m, search.width):
            rows = n + np.arange(block_of_queries.start, block_of_queries.stop)
            near = search.panels(rows, request.k + SPARE_ENTRIES)
            lists.append(search.resolve(rows, near, 0, rule))
            held += len(lists[-1].rows)
            if held > request.max_found and m > 1:
                return None
    counts = np.concatenate([np.diff(part.offsets) for part in lists])
    found = table.rows[np.concatenate([part.rows for part in lists])]
    exact = np.concatenate([part.distances for part in lists])
    # Shares are settled when lists are merged.
    return Found(counts, found, exact, np.empty(0))


def merge(lists: Sequence[Found | None], request: Request) -> Found | None:
    """The k nearest of all, from the k nearest in each of several blocks.

    None if one of the lists is.
    """
    found = [part for part in lists if part is not None]
    if len(found) < len(lists):
        return None
    G = len(found[0].counts)
    groups = np.concatenate([np.repeat(np.arange(G), part.counts) for part in found])
    rows = np.concatenate([part.rows for part in found])
    D = np.concatenate([part.distances for part in found])
    order = np.lexsort((D, groups))
    counts = np.bincount(groups, minlength=G)
    wanted = np.minimum(request.k, counts)
    last = np.where(wanted > 0, np.cumsum(counts) - counts + wanted - 1, len(D))
    border = np.append(D[order], 0.0)[last][groups]
    # The rule of `widemargin.kernels.distances`, for arrays.
    inside = border * (1 - TIE) > D
    tied = ~inside & (border * (1 + TIE) >= D)
    left = wanted - np.bincount(groups, inside, G)
    share = inside + tied * (left / np.maximum(np.bincount(groups, tied, G), 1))[groups]
    order = np.lexsort((rows, groups))
    order = order[share[order] > 0]
    groups, rows, D, share = groups[order], rows[order], D[order], share[order]
    if not request.share_ties:  # those of lowest number win
        at_border = tied[order]
        before = np.cumsum(at_border) - at_border
        first = np.searchsorted(groups, groups)
        won = ~at_border | (before - before[first] < left[groups])
        groups, rows, D, share = groups[won], rows[won], D[won], np.ones(won.sum())
    return Found(np.bincount(groups, minlength=G), rows, D, share)
