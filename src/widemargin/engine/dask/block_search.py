"""What a worker does to find nearest rows in a block of rows.

A block is a run of the caller's rows, scaled and sorted by class. The nearest rows to
query rows of any block are sought in each block by itself (`find_queries`), or in two
blocks both ways (`find_each_other`); `widemargin.engine.dask.merge` then picks
the nearest of all.

               block 0      block 1      block 2
    queries ──► k nearest    k nearest    k nearest      with their exact distances and
                   └────────────┼────────────┘           all that tie with the k-th
                              merge ──► the k nearest
"""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.engine.dask.merge import Found, Request, small_numbers
from widemargin.engine.dask.rows import (
    RawRows,
    Rows,
    Scaling,
    numbers_of,
    scaled,
    with_mixed,
)
from widemargin.engine.nearest_rows import QUERY_BLOCK, nearest
from widemargin.engine.neighbors import Neighbors, slot_members
from widemargin.engine.search import (
    METRICS,
    NO_BORDERS,
    SPARE_ENTRIES,
    Search,
    numbers_only,
    panel_width,
)
from widemargin.kernels.distances import Mixed, MixedRows
from widemargin.kernels.records import EUCLIDEAN, Candidates, ErrorBound, Queries, Rule
from widemargin.kernels.search import search_pairs, search_panel, set_borders
from widemargin.kernels.tiles import MixedNorms
from widemargin.threads import Workers, fill_up, single_threaded_blas, spans


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


class _QuerySearch(Search):
    """A table packed for the search, and the query rows whose neighbours are sought.

    ``stack`` holds the rows of the table and below them the query rows; ``own`` says
    where a query row is in the table, −1 for nowhere.
    """

    def __init__(
        self,
        table: Table,
        stack: Rows,
        y: Ints,
        own: Ints,
        request: Request,
        width: int,
    ) -> None:
        self.stack, self.labels, self.own = stack, y, own
        super().__init__(
            table, METRICS[request.metric], request.slots, Workers(1), width
        )
        rank = np.empty(0, np.int64) if request.share_ties else table.rows
        # Those of query rows that are in the table, then those of others.
        slots, counts = request.slots, table.counts
        members = [slot_members(slots, counts, outside=o) for o in (False, True)]
        self.rule = Rule(
            self.metric, request.k, np.concatenate(members), rank, True, NO_BORDERS
        )

    def _mixed(self) -> Mixed:
        assert isinstance(self.stack, MixedRows)
        return self.stack.mixed

    def pack_queries(self) -> None:
        """Make the query rows ready for `panels`."""
        queries = numbers_of(self.stack)[len(self.table.X) :]
        self.query_packed, self.query_norms = self._pack(
            numbers_only(queries, self.table.numeric)
        )

    def lists_within(self, reach: Floats) -> Candidates:
        """Empty lists of all query rows, for rows up to ``reach`` away, (m, S)."""
        candidates = self._candidates(len(self.own), self.rule.k + SPARE_ENTRIES)
        norms = self._lengths(self.query_norms[self.metric])
        bound = ErrorBound(norms, self.largest, self.depth)
        borders = np.full(candidates.borders.shape, np.inf, np.float32)
        set_borders(self.metric, norms, bound, self.factor, np.array(reach), borders)
        self.first_borders = borders.view(np.int32)
        return candidates._replace(borders=self.first_borders.copy())

    def panels(self, rows: Ints, wanted: int) -> Candidates:
        """Screen some query rows against the table."""
        candidates = self._candidates(len(rows), wanted)
        padded = fill_up(len(rows), self.width)
        chunks, _, length = self.query_packed.shape
        packed = np.zeros((chunks, padded, length), np.float32)
        packed[:, : len(rows)] = self.query_packed[:, rows]
        norms = np.zeros(padded)
        norms[: len(rows)] = self.query_norms[EUCLIDEAN, rows]
        euclidean = self.metric == EUCLIDEAN
        both: Any = (norms, self.norms[EUCLIDEAN]) if euclidean else None
        both = self.with_extras(both, rows, padded)
        queries = Queries(self.own[rows], self.labels[rows])
        with Workers(1), single_threaded_blas():
            for part in spans(len(rows), self.width):
                search_panel(
                    self.packed,
                    both,
                    packed,
                    part.start,
                    queries,
                    self.layout,
                    candidates,
                    self.tile(),
                )
        return candidates

    def with_extras(self, norms: Any, rows: Ints, padded: int) -> Any:
        """What a tile needs: norms of query rows and of the table, and extra distances.

        The query rows are filled up to ``padded``.
        """
        if self.extras is None:
            return norms
        own, queries = np.arange(len(self.table.X)), len(self.table.X) + rows
        return MixedNorms(
            norms,
            self.extras.extras(queries, padded, own),
            self.extras.extras(own, self.packed.shape[1], queries),
        )

    def _asked(self, rows: Ints) -> tuple[Rows, Queries, ErrorBound]:
        n, C = len(self.table.X), len(self.table.classes)
        labels = self.labels[rows] + np.where(self.own[rows] < 0, C, 0)
        norms = self._lengths(self.query_norms[self.metric, rows])
        bound = ErrorBound(norms, self.largest, self.depth)
        return self.stack, Queries(n + rows, labels), bound

    def found_in(self, candidates: Candidates) -> Found:
        """Neighbours of all query rows, from screened lists that began with borders."""
        rule = self.rule._replace(borders=self.first_borders)
        lists = [
            self.resolve(np.arange(b.start, b.stop), candidates, b.start, rule)
            for b in spans(len(self.own), QUERY_BLOCK)
        ]
        return _joined(lists, self.table.rows)

    def found(self, max_found: int) -> Found | None:
        """Neighbours of all query rows; None if too many tie."""
        lists, held = [], 0
        for block in spans(len(self.own), self.width):
            part = np.arange(block.start, block.stop)
            near = self.panels(part, self.rule.k + SPARE_ENTRIES)
            lists.append(self.resolve(part, near, 0, self.rule))
            held += len(lists[-1].rows)
            if held > max_found and len(self.own) > 1:
                return None
        return _joined(lists, self.table.rows)


def _joined(lists: list[Neighbors], rows: Ints) -> Found:
    counts = np.concatenate([np.diff(part.offsets) for part in lists])
    found = rows[np.concatenate([part.rows for part in lists])]
    exact = np.concatenate([part.distances for part in lists])
    # Shares are settled when lists are merged.
    return Found(
        np.concatenate([[0], np.cumsum(counts)]),
        small_numbers(found),
        exact,
        np.empty(0),
    )


def find_queries(
    block: RawRows, queries: RawRows, request: Request, scaling: Scaling
) -> Found | None:
    """Nearest rows of a block to each query row; no row is its own neighbour.

    None if too many tie.
    """
    table, stack = block_table(block, len(request.slots), scaling, queries)
    first, n = block.rows[0], len(block.rows)
    place = np.empty(n, np.int64)
    place[table.rows - first] = np.arange(n)
    inside = (queries.rows >= first) & (queries.rows < first + n)
    own = np.full(len(queries.rows), -1)
    own[inside] = place[queries.rows[inside] - first]
    labels = queries.y.astype(np.int64)
    search = _QuerySearch(table, stack, labels, own, request, panel_width(n))
    search.pack_queries()
    return search.found(request.max_found)


def find_within(block: RawRows, request: Request, scaling: Scaling) -> Found | None:
    """Nearest rows of a block to each of its own, in order of their class.

    None if so many tie that lists of all rows at once would be too long.
    """
    table, _ = block_table(block, len(request.slots), scaling)
    lists, held = [], 0
    with Workers(1) as workers:
        for part in nearest(
            table,
            request.k,
            request.slots,
            workers=workers,
            metric=request.metric,
            share_ties=request.share_ties,
            distances=True,
        ):
            lists.append(part)
            held += len(part.rows)
            places = request.k * part.n_slots * sum(len(p.queries) for p in lists)
            if held > request.max_tied_share * places:
                return None
    return _joined(lists, table.rows)


def reach(found: Found | None, request: Request) -> Floats | None:
    """Distance up to which a row needs to be sought in other blocks, (m, S)."""
    if found is None:
        return None
    counts, far = np.diff(found.offsets), np.full(len(found.offsets) - 1, np.inf)
    full = counts >= request.k
    if full.any():
        starts = found.offsets[:-1][counts > 0]
        far[counts > 0] = np.maximum.reduceat(found.distances, starts)
    return np.where(full, far, np.inf).reshape(-1, request.n_slots)


def find_each_other(
    block: RawRows,
    other: RawRows,
    reaches: tuple[Floats | None, Floats | None],
    request: Request,
    scaling: Scaling,
    half: int | None = None,
) -> tuple[Found | None, Found | None]:
    """Nearest rows of the other block to each of a block, and the other way round.

    Rows are in order of their class, and are sought up to the distances found in their
    own block. Of the first block, only the first (0) or the second (1) half takes part
    if one is named.
    """
    ours_within, theirs_within = reaches
    if ours_within is None or theirs_within is None:
        return None, None
    if half is not None:
        limits = 0, len(block.y) // 2, len(block.y)
        part = slice(limits[half], limits[half + 1])
        block = block.take(np.argsort(block.y, kind="stable")[part])
        ours_within = ours_within[part]
    (ours, _), (theirs, _) = (
        block_table(b, len(request.slots), scaling) for b in (block, other)
    )
    stack = np.concatenate([theirs.X, ours.X, theirs.X])
    width = panel_width(min(len(ours.X), len(theirs.X)))
    nowhere = np.full(max(len(ours.y), len(theirs.y)), -1)
    among_them, among_us = (
        _QuerySearch(
            table,
            with_mixed(rows, [table.mixed, queries.mixed]),
            queries.y,
            nowhere[: len(queries.y)],
            request,
            width,
        )
        for table, rows, queries in (
            (theirs, stack[: len(theirs.X) + len(ours.X)], ours),
            (ours, stack[len(theirs.X) :], theirs),
        )
    )
    among_them.query_packed, among_them.query_norms = among_us.packed, among_us.norms
    among_us.query_packed, among_us.query_norms = among_them.packed, among_them.norms
    both = among_them.lists_within(ours_within), among_us.lists_within(theirs_within)
    squares: Any = None
    if request.metric == "euclidean":
        squares = tuple(s.norms[EUCLIDEAN] for s in (among_us, among_them))
    everyone = np.arange(len(ours.X))
    norms = among_them.with_extras(squares, everyone, among_us.packed.shape[1])
    with Workers(1), single_threaded_blas():
        search_pairs(
            (among_us.packed, among_them.packed),
            norms,
            (0, len(ours.X), 0, len(theirs.X)),
            tuple(Queries(s.own, s.labels) for s in (among_them, among_us)),
            (among_us.layout, among_them.layout),
            both,
            among_us.tile(),
        )
    return among_them.found_in(both[0]), among_us.found_in(both[1])
