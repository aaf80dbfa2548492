"""`nearest` on blocks of rows: a batch of query rows is sent to every block.

A tree of merges then picks the nearest of what each block has found.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from widemargin import engine
from widemargin.data.protocol import Ints
from widemargin.engine.dask import block_search
from widemargin.engine.dask.merge import Found, Request, merge, merge_all
from widemargin.engine.dask.table import DistributedTable
from widemargin.engine.neighbors import Neighbors
from widemargin.progress import progress
from widemargin.threads import Workers, spans


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
    request = Request(
        k, slots, metric, share_ties, distances, settings.max_block_neighbors
    )
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
                    yield _neighbors(queries[first:start], pieces, request)
                    advance(start - first)
                    first, pieces = start, []


def _in_all_blocks(
    table: DistributedTable, rows: Ints, request: Request
) -> Found | None:
    """Neighbours of some rows; None if too many tie."""
    queries, call = table.queries(rows), table.cluster.call
    shared = request, table.shared_scaling()
    near = [
        call(block_search.find_queries, block, queries, *shared)
        for block in table.blocks
    ]
    last = partial(merge_all, request=request)
    merged = table.cluster.tree(partial(merge, request=request), near, last)
    (found,) = table.cluster.compute([merged])
    return found


def _neighbors(queries: Ints, parts: list[Found], request: Request) -> Neighbors:
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    shares = [p.share if len(p.share) else np.ones(len(p.rows)) for p in parts]
    return Neighbors(
        queries,
        request.n_slots,
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([part.rows for part in parts]).astype(np.int64),
        np.concatenate(shares),
        np.concatenate([p.distances for p in parts]) if request.distances else None,
    )
