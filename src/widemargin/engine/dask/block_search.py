"""What a worker does to find the nearest rows in a block of rows.

A block is a run of the caller's rows, scaled and sorted by class. The nearest rows to
query rows of any block are sought in each block by itself (`find_queries`);
`widemargin.engine.dask.merge` then picks the nearest of all.

               block 0      block 1      block 2
    queries ──► k nearest    k nearest    k nearest      with their exact distances and
                   └────────────┼────────────┘           all that tie with the k-th
                              merge ──► the k nearest
"""

from __future__ import annotations

import numpy as np

from widemargin.data.table import Table
from widemargin.engine.dask.merge import Found, Request, small_numbers
from widemargin.engine.dask.rows import RawRows, Rows, Scaling, scaled, with_mixed
from widemargin.engine.search import METRICS, SPARE_ENTRIES, Search, Stack
from widemargin.threads import Workers, spans


def block_table(
    block: RawRows, n_classes: int, scaling: Scaling, *queries: RawRows
) -> tuple[Table, Rows]:
    """A block as a Table, and its rows with query rows stacked below them."""
    own = block.take(np.argsort(block.y, kind="stable"))
    X, mixed = scaled([own, *queries], scaling)
    y, classes = own.y.astype(np.int64), np.arange(n_classes)
    limits = scaling.low, scaling.high, scaling.mean
    separated = mixed[0] if mixed else None
    table = Table(X[: len(y)], y, classes, own.rows, *limits, separated)
    return table, with_mixed(X, mixed)


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
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Found(offsets, small_numbers(found), exact, np.empty(0))
