"""`nearest` in memory: neighbours of rows in a table, by threads.

Results do not depend on how the work is cut up: neighbours are certain whichever way
they were screened (`widemargin.engine.search`), and small tables, which need no search
(`widemargin.engine.small`), have the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from widemargin import kernels
from widemargin.data.protocol import Ints
from widemargin.data.table import Table
from widemargin.engine import operations, small
from widemargin.engine.neighbors import Neighbors
from widemargin.engine.relations import slot_members
from widemargin.engine.search import NO_BORDERS, SPARE_ENTRIES, Search, places
from widemargin.progress import progress
from widemargin.threads import Workers, spans

METRICS = {"euclidean": kernels.EUCLIDEAN, "manhattan": kernels.MANHATTAN}

QUERY_BLOCK = (
    1024  # queries resolved and summed together; part of the order of summation
)


@operations.nearest.register
def nearest(
    table: Table,
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
    all_rows = queries is None
    queries = np.asarray(np.arange(len(table.X)) if all_rows else queries, np.int64)
    blocks = spans(len(queries), block_size or QUERY_BLOCK)
    if small.is_small(table):
        for part in (queries[block] for block in blocks):
            found = small.neighbors(table, k, slots, metric, part, share_ties)
            yield Neighbors(part, int(slots.max()) + 1, *found)
        return
    search = Search(table, METRICS[metric], slots, workers)
    rank = np.empty(0, np.int64) if share_ties else table.rows
    members = slot_members(slots, table.counts)
    rule = kernels.Rule(METRICS[metric], k, members, rank, distances, NO_BORDERS)
    wanted = k + SPARE_ENTRIES
    memory = len(table.X) * search.n_slots * places(wanted) * 8
    candidates = None
    if all_rows and memory <= table.settings.search_bytes:
        candidates = search.all_pairs(wanted)
    # With all pairs screened, what is left takes no time worth showing.
    verbose = workers.verbose if candidates is None else 0
    with progress("neighbours", len(blocks), verbose, summary=False) as advance:
        for block in blocks:
            part = queries[block]
            if candidates is None:
                yield search.resolve(part, search.panels(part, wanted), 0, rule)
            else:
                yield search.resolve(part, candidates, block.start, rule)
            advance()
