"""`nearest`: the k nearest rows of each query.

In memory, tables with many rows are searched by compiled code (`widemargin.engine.
search`), which takes seconds to compile, once per machine. A small table is done sooner
than that: NumPy and SciPy measure all its distances in double precision. Both agree on
the neighbours, and results do not depend on how the work is cut up for threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import singledispatch

import numpy as np

from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import Table
from widemargin.engine.neighbors import Neighbors
from widemargin.engine.search import METRICS, SPARE_ENTRIES, Search, places
from widemargin.kernels.records import TIE
from widemargin.progress import progress
from widemargin.threads import Workers, spans

SCIPY_METRICS = {"euclidean": "euclidean", "manhattan": "cityblock"}
# Queries resolved and summed together; part of the order of summation.
QUERY_BLOCK = 1024


@singledispatch
def nearest(
    table: AnyTable,
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
    """Yield the k nearest rows of each query in each slot, some queries at a time.

    Given queries are searched for when their block is asked for, and not before.

    Parameters
    ----------
    table : AnyTable
    k : int
    slots : array of shape (n_classes, n_classes)
        The relation, see `widemargin.engine.neighbors`.
    workers : Workers
    metric : "euclidean" or "manhattan", default="euclidean"
    queries : array of int or None, default=None
        Rows of the table whose neighbours are sought; None for all. A row is never its
        own neighbour.
    share_ties : bool, default=False
        Whether rows tied at the k-th place share it; otherwise the caller's lowest row
        number wins.
    distances : bool, default=False
        Whether to measure the distances as well.
    block_size : int or None, default=None
        Queries in a block; None leaves it to the implementation.
    """
    assert isinstance(table, Table)
    all_rows = queries is None
    queries = np.asarray(np.arange(len(table.X)) if all_rows else queries, np.int64)
    blocks = spans(len(queries), block_size or QUERY_BLOCK)
    if table.mixed is None and table.settings.is_small_table(*table.X.shape):
        for part in (queries[block] for block in blocks):
            yield _nearest_in_small(table, k, slots, metric, part, share_ties)
        return
    search = Search(table, METRICS[metric], slots, workers)
    rule = search.rule(k, share_ties=share_ties, measure=distances)
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


def _nearest_in_small(
    table: Table, k: int, slots: Ints, metric: str, queries: Ints, share_ties: bool
) -> Neighbors:
    """Neighbours of some rows of a small table."""
    from scipy.spatial.distance import cdist

    D = cdist(table.X[queries], table.X, SCIPY_METRICS[metric])
    D[np.arange(len(queries)), queries] = np.inf  # a row is not its own neighbour
    return pick(table, D, k, slots, queries, share_ties)


def pick(
    table: Table,
    D: Floats,
    k: int,
    slots: Ints,
    queries: Ints,
    share_ties: bool,
    confirm: Callable[[Ints, Ints, int, Floats], None] | None = None,
) -> Neighbors:
    """Neighbours by the distances D of all rows from some, which are changed.

    If these are not exact, ``confirm(queries, rows, wanted, D)`` makes those exact that
    may be among the ``wanted`` smallest, and the others infinite.
    """
    labels, n_slots = table.y[queries], int(slots.max()) + 1
    share = np.zeros(D.shape)
    for label in np.unique(labels):
        asked = np.flatnonzero(labels == label)
        for slot in range(n_slots):
            rows = np.flatnonzero(slots[label, table.y] == slot)
            wanted = min(k, len(rows) - int(slots[label, label] == slot))
            if wanted > 0:
                block = np.ix_(asked, rows)
                rank = None if share_ties else table.rows[rows]
                near = D[block]
                if confirm is not None:
                    confirm(queries[asked], rows, wanted, near)
                    D[block] = near
                share[block] = shares(near, np.full(len(asked), wanted), rank)
    q, rows = np.nonzero(share)
    group = q * n_slots + slots[labels[q], table.y[rows]]
    order = np.argsort(group, kind="stable")  # rows of a group are in order
    q, rows = q[order], rows[order]
    counts = np.bincount(group, minlength=len(queries) * n_slots)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Neighbors(queries, n_slots, offsets, rows, share[q, rows], D[q, rows])


def shares(D: Floats, wanted: Ints, rank: Ints | None = None) -> Floats:
    """How much of each entry counts as one of the ``wanted`` nearest of its row of D.

    Entries tied with the last wanted one share what is left, or the lowest rank wins.
    """
    last = np.maximum(wanted - 1, 0)
    border = np.partition(D, np.unique(last), axis=1)[np.arange(len(D)), last]
    border = np.where(wanted > 0, border, -1.0)[:, None]
    # The rule of `widemargin.kernels.distances`, for arrays.
    inside = border * (1 - TIE) > D
    tied = ~inside & (border * (1 + TIE) >= D)
    left = wanted[:, None] - inside.sum(axis=1, keepdims=True)
    if rank is None:
        return inside + tied * (left / np.maximum(tied.sum(axis=1, keepdims=True), 1))
    turn = np.where(tied, rank, np.iinfo(rank.dtype).max)
    final = np.take_along_axis(np.sort(turn, axis=1), left - 1, axis=1)
    return (inside | (turn <= final)).astype(float)
