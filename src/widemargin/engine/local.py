"""The engine on one machine: `nearest` and `edge_sums` in memory, with threads.

The search itself is explained at the top of `widemargin.kernels`. This module decides
how it is cut up. Results do not depend on that: neighbours are certain whichever way
they were screened, and sums run over fixed blocks of queries in a fixed order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.table import Floats, Ints, Table
from widemargin.threads import Workers, single_threaded_blas, spans

METRICS = {"euclidean": kernels.EUCLIDEAN, "manhattan": kernels.MANHATTAN}

BUDGET = 2**28  # bytes of working memory for the lists of the search
BLOCK = 512  # queries resolved and summed together; part of the order of summation
SPARE = 3  # list entries beyond k, so that doubt about the k-th can be settled


@dataclass(frozen=True)
class Neighbors:
    """Nearest rows of a block of queries: group q·S + s is slot s of query q."""

    queries: Ints  # (m,) rows of the table
    n_slots: int
    offsets: Ints  # (m·S + 1,) group g is entries offsets[g] … offsets[g+1]−1
    rows: Ints  # the neighbours, ascending in each group
    share: Floats  # 1, or less where rows tied at the k-th place share it
    distances: Floats | None

    @property
    def counts(self) -> Ints:
        """(m, S) entries of each group."""
        return np.diff(self.offsets).reshape(-1, self.n_slots)

    def edges(self, coefficients: Floats) -> kernels.Edges:
        """Edges from queries to neighbours; a group's edges sum to its coefficient.

        Parameters
        ----------
        coefficients : array of shape (m, S)
        """
        counts = np.diff(self.offsets)
        group = np.repeat(np.arange(len(counts)), counts)
        total = np.bincount(group, self.share, minlength=len(counts))
        weight = self.share * (coefficients.ravel() / np.maximum(total, 1.0))[group]
        return kernels.Edges(self.queries[group // self.n_slots], self.rows, weight)


def fill_up(n: int, size: int) -> int:
    """The next multiple of ``size``."""
    return -(-n // size) * size


def places(wanted: int) -> int:
    """Length of a list that keeps ``wanted`` keys and has room to grow."""
    return 2 * wanted + kernels.LANES


def kept(places: int) -> int:
    """How many keys a list of that length keeps."""
    return (places - kernels.LANES) // 2


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
) -> Iterator[Neighbors]:
    """Yield the k nearest rows of each query in each slot, BLOCK queries at a time.

    Parameters
    ----------
    table : Table
    k : int
    slots : array of shape (n_classes, n_classes)
        The relation, see `widemargin.engine.relations`.
    queries : array of int, optional
        Rows of the table whose neighbours are sought; default all. A row is never its
        own neighbour.
    share_ties : bool
        Rows tied at the k-th place share it; else the caller's lowest row number wins.
    distances : bool
        Also measure the distances.
    """
    search = _Search(table, METRICS[metric], slots, workers)
    rank = np.empty(0, np.int64) if share_ties else table.rows
    rule = kernels.Rule(k, search.members(), rank, distances)
    everything = np.arange(len(table.X))
    wanted = k + SPARE
    memory = workers.n_threads * len(table.X) * search.n_slots * places(wanted) * 8
    heaps = None
    if queries is None and memory <= BUDGET:
        heaps = search.all_pairs(wanted)
    queries = everything if queries is None else np.asarray(queries, np.int64)
    for block in spans(len(queries), BLOCK):
        part = queries[block]
        if heaps is None:
            mine = search.panels(part, wanted)
        else:
            mine = _cut(heaps, slice(None), block)
        yield search.resolve(part, mine, rule)


def _cut(heap: kernels.Heap, parts: int | slice, queries: slice) -> kernels.Heap:
    """The lists of some queries."""
    entries, counts, borders = heap
    return kernels.Heap(
        entries[parts, queries],
        counts[parts, queries],
        borders[parts, :, queries],
    )


class _Found(NamedTuple):
    """Entries of some groups, in order of the group."""

    group: Ints
    rows: NDArray[np.int32]
    share: Floats
    distances: Floats


class _Search:
    """One table, packed for the search."""

    def __init__(
        self, table: Table, metric: int, slots: Ints, workers: Workers
    ) -> None:
        self.table, self.metric, self.workers = table, metric, workers
        self.layout = kernels.Layout(table.y, table.starts, slots)
        self.n_slots = int(slots.max()) + 1
        n, d = table.X.shape
        # Wide panels feed the matrix product well and are scanned at leisure; small
        # data still has to give every thread some.
        self.width = 256 if n > 4096 else 128 if n > 512 else 64
        self.centre = np.empty(d)
        workers.run(
            lambda _, part: kernels.column_means(
                table.X, np.uint64(part.start), np.uint64(part.stop), self.centre
            ),
            spans(d, 256),
        )
        size = np.max(np.maximum(table.high - self.centre, self.centre - table.low))
        # A power of two: exact, and keeps squares inside the range of float32.
        self.factor = 2.0 ** -np.ceil(np.log2(size)) if size > 0 else 1.0
        self.packed, self.norms = self._pack(np.arange(n))
        norms = self.norms[metric, :n]
        self.row_norms = np.sqrt(norms) if metric == kernels.EUCLIDEAN else norms
        self.largest = float(self.row_norms.max())
        # No sum in single precision is longer than a chunk, or than their number.
        self.depth = float(min(d, kernels.CHUNK) + d // kernels.CHUNK + 2)

    def _pack(self, rows: Ints) -> tuple[NDArray[np.float32], Floats]:
        """The given rows in single precision, filled up to whole panels; norms."""
        d = self.table.X.shape[1]
        chunks = -(-d // kernels.CHUNK)
        length = fill_up(-(-d // chunks), 8)  # whole vector registers
        padded = fill_up(len(rows), self.width)
        packed = np.zeros((chunks, padded, length), np.float32)
        norms = np.zeros((2, padded))
        contiguous = len(rows) == len(self.table.X)

        def pack(_: int, part: slice) -> None:
            Z = self.table.X[part if contiguous else rows[part]]
            kernels.pack_rows(
                Z, self.centre, self.factor, packed, part.start, norms[:, part]
            )

        self.workers.run(pack, spans(len(rows), self.width))
        return packed, norms

    def _heap(self, parts: int, m: int, wanted: int) -> kernels.Heap:
        """Empty lists that keep at least the ``wanted`` smallest keys."""
        padded = fill_up(m, self.width)
        shape = (parts, m, self.n_slots, places(wanted))
        return kernels.Heap(
            np.empty(shape, np.int64),
            np.zeros(shape[:3], np.int32),
            np.full((parts, self.n_slots, padded), kernels.NEVER, np.int32),
        )

    def members(self) -> Ints:
        """(C, S): how many rows each slot has for a query of each class."""
        counts = self.table.counts
        members = np.zeros((len(counts), self.n_slots), np.int64)
        for a, slots in enumerate(self.layout.slots):
            others = counts - (np.arange(len(counts)) == a)
            np.add.at(members[a], slots[slots >= 0], others[slots >= 0])
        return members

    def all_pairs(self, wanted: int) -> kernels.Heap:
        """Screen every row against every other, each pair once."""
        n = len(self.table.X)
        heaps = self._heap(self.workers.n_threads, n, wanted)
        queries = kernels.Queries(np.arange(n), self.table.y)
        euclidean = self.metric == kernels.EUCLIDEAN
        squares = self.norms[kernels.EUCLIDEAN] if euclidean else None

        def search(worker: int, tiles: tuple[int, int, int, int]) -> None:
            mine = kernels.Heap(*(a[worker] for a in heaps))
            kernels.search_pairs(
                self.packed, squares, tiles, queries, self.layout, mine
            )

        panels = self.packed.shape[1] // self.width
        strips = [
            (p, q.start + p, q.stop + p, self.width)
            for p in range(panels)
            for q in spans(panels - p, 16)
        ]
        with single_threaded_blas():
            self.workers.run(search, strips)
        return heaps

    def panels(self, rows: Ints, wanted: int) -> kernels.Heap:
        """Screen some rows against all."""
        heap = self._heap(1, len(rows), wanted)
        packed, norms = self._pack(rows)
        both = None
        if self.metric == kernels.EUCLIDEAN:
            both = (norms[kernels.EUCLIDEAN], self.norms[kernels.EUCLIDEAN])

        def search(_: int, part: slice) -> None:
            kernels.search_panel(
                self.packed,
                both,
                packed,
                part.start,
                self.width,
                kernels.Queries(rows[part], self.table.y[rows[part]]),
                self.layout,
                _cut(heap, 0, part),
            )

        with single_threaded_blas():
            self.workers.run(search, spans(len(rows), self.width))
        return heap

    def resolve(self, rows: Ints, heaps: kernels.Heap, rule: kernels.Rule) -> Neighbors:
        """Certain neighbours from screened ones, with longer lists where needed."""
        found: list[_Found] = []
        self._collect(rows, np.arange(len(rows)), heaps, rule, found)
        group = np.concatenate([f.group for f in found])
        order = np.argsort(group, kind="stable")
        sizes = np.bincount(group, minlength=len(rows) * self.n_slots)
        exact = np.concatenate([f.distances for f in found])[order]
        return Neighbors(
            rows,
            self.n_slots,
            np.concatenate([[0], np.cumsum(sizes)]),
            np.concatenate([f.rows for f in found])[order].astype(np.int64),
            np.concatenate([f.share for f in found])[order],
            exact if rule.measure else None,
        )

    def _collect(
        self,
        rows: Ints,
        which: Ints,
        heaps: kernels.Heap,
        rule: kernels.Rule,
        found: list[_Found],
    ) -> None:
        """Resolve queries ``which`` of ``rows``; search again where doubt is left."""
        lists = self._lists(rows[which], heaps, rule)
        unsure = np.any(lists.counts < 0, axis=1)
        # A query is kept or repeated as a whole: its slots are searched together.
        counts = np.where(unsure[:, None], 0, lists.counts)
        filled = np.arange(lists.ids.shape[2]) < counts[..., None]
        group = which[:, None] * self.n_slots + np.arange(self.n_slots)
        found.append(
            _Found(
                np.repeat(group.ravel(), counts.ravel()),
                lists.ids[filled],
                lists.share[filled],
                lists.distances[filled],
            )
        )
        again = which[unsure]
        wanted = min(4 * kept(heaps.entries.shape[3]), len(self.table.X))
        fits = BUDGET // (28 * places(wanted) * self.n_slots)
        for part in spans(len(again), max(1, fits)):
            longer = self.panels(rows[again[part]], wanted)
            self._collect(rows, again[part], longer, rule, found)

    def _lists(
        self, rows: Ints, heaps: kernels.Heap, rule: kernels.Rule
    ) -> kernels.Lists:
        wanted = kept(heaps.entries.shape[3])
        shape = (len(rows), self.n_slots, wanted + wanted // 4 + 1)
        lists = kernels.Lists(
            np.empty(shape[:2], np.int64),
            np.empty(shape, np.int32),
            np.empty(shape),
            np.empty(shape),
        )

        def resolve(_: int, part: slice) -> None:
            kernels.resolve(
                self.metric,
                self.table.X,
                kernels.Queries(rows[part], self.table.y[rows[part]]),
                _cut(heaps, slice(None), part),
                kernels.Doubt(self.row_norms[rows[part]], self.largest, self.depth),
                rule,
                kernels.Lists(*(a[part] for a in lists)),
            )

        self.workers.run(resolve, spans(len(rows), 64))
        return lists


def edge_sums(
    table: Table, edges: kernels.Edges, *, workers: Workers, power: int = 1
) -> Floats:
    """Per feature, Σ coefficient · |x_head − x_tail|^power over the edges."""
    n_edges, d = len(edges.heads), table.X.shape[1]
    blocks = spans(n_edges, 4096)
    sums = np.zeros((len(blocks), d))
    pieces = [(b, part) for b in range(len(blocks)) for part in spans(d, 512)]

    def add(_: int, piece: tuple[int, slice]) -> None:
        b, part = piece
        start, stop = blocks[b].start, blocks[b].stop
        kernels.edge_sums(
            table.X,
            edges,
            power,
            start,
            stop,
            np.uint64(part.start),
            np.uint64(part.stop),
            sums[b],
        )

    workers.run(add, pieces)
    total = np.zeros(d)
    for part in sums:
        total += part
    return total
