"""`nearest` on blocks of rows: which searches to run where, and their merges.

all rows at once             each pair of blocks is searched once, both ways; one
(X fits in the cluster)      tree of merges per block picks the nearest

some rows, or all rows of    a batch of query rows is sent to every block; a tree of
a larger X, in batches       merges picks the nearest
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

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
    limits = settings.max_block_neighbors, settings.max_tied_share
    request = Request(k, slots, metric, share_ties, distances, *limits)
    in_batches = partial(_in_batches, table, request, workers.verbose)
    listed = table.n_rows * request.n_slots * k * len(table.blocks)
    if queries is not None:
        yield from in_batches(np.asarray(queries, np.int64), block_size)
    elif table.kept and listed <= settings.max_neighbors:
        tasks = [_merged(table, parts, request) for parts in _all_pairs(table, request)]
        found = table.cluster.compute(tasks)
        if None in found:  # too many tie
            yield from in_batches(table.in_class_order())
        else:
            yield _neighbors(table.in_class_order(), found, request)
    else:
        yield from in_batches(np.arange(table.n_rows))


def _in_batches(
    table: DistributedTable,
    request: Request,
    verbose: int,
    queries: Ints,
    block_size: int | None = None,
) -> Iterator[Neighbors]:
    """Neighbours of queries that are sent to all blocks, some at a time."""
    settings = table.cluster.settings
    most = min(
        settings.max_query_rows,
        settings.max_query_cells // table.row_cells,
        settings.max_neighbors // (request.n_slots * request.k),
    )
    size = block_size or max(1, most)
    at_once = size
    with progress("neighbours", len(queries), verbose, summary=False) as advance:
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


def _all_pairs(table: DistributedTable, request: Request) -> list[list[Any]]:
    """Tasks that search all pairs of blocks: what they find for the rows of each block.

    Rows are in order of their class. What was searched in halves is in a list.
    """
    call, blocks = table.cluster.call, table.blocks
    settings, shared = table.cluster.settings, (request, table.shared_scaling())
    within = [call(block_search.find_within, block, *shared) for block in blocks]
    near: list[list[Any]] = [[found] for found in within]
    reach = [call(block_search.reach, found, request) for found in within]
    # A block on its own is half the work of a pair. With as few blocks as there are
    # workers, these get equal shares only if the work comes in equal pieces.
    smallest = np.diff([*table.firsts, table.n_rows]).min()
    few = len(blocks) <= settings.halved_blocks
    halves = (0, 1) if few and smallest >= settings.min_halved_rows else (None,)
    for b, block in enumerate(blocks):
        for c in range(b + 1, len(blocks)):
            both = [
                call(
                    block_search.find_each_other,
                    block,
                    blocks[c],
                    (reach[b], reach[c]),
                    *shared,
                    half,
                )
                for half in halves
            ]
            near[b].append([part[0] for part in both])
            near[c] += [part[1] for part in both]
    return near


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
    (found,) = table.cluster.compute([_merged(table, near, request)])
    return found


def _merged(table: DistributedTable, parts: list[Any], request: Request) -> Any:
    last = partial(merge_all, request=request)
    return table.cluster.tree(partial(merge, request=request), parts, last)


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
