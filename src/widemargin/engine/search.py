"""The compiled search of a table in memory, and how it is cut up for threads.

The search itself is explained at the top of `widemargin.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.engine.neighbors import Neighbors, slot_members
from widemargin.engine.screens import MixedScreen
from widemargin.kernels.records import (
    CHUNK,
    EUCLIDEAN,
    MANHATTAN,
    NEVER,
    Candidates,
    ErrorBound,
    Layout,
    Lists,
    MixedNorms,
    MixedRows,
    Queries,
    Rule,
    Scratch,
    Tile,
)
from widemargin.progress import progress
from widemargin.threads import Workers, fill_up, single_threaded_blas, spans

METRICS = {"euclidean": EUCLIDEAN, "manhattan": MANHATTAN}
SPARE_ENTRIES = 3  # list entries beyond k, to decide which row is the k-th


def places(wanted: int) -> int:
    """Length of a list that keeps ``wanted`` keys and has room to grow."""
    return 2 * wanted + 16


def _filled(a: NDArray[Any], filled: NDArray[np.bool_]) -> NDArray[Any]:
    """The filled places of lists, one list after the other."""
    a = a[..., : filled.shape[2]]
    return a.ravel() if filled.all() else a[filled]


def numbers_only(a: Floats, numeric: NDArray[np.bool_]) -> Floats:
    """What of ``a`` is about numeric features; one that is 0 if there are none."""
    if numeric.all():
        return a
    if not numeric.any():
        return np.zeros((*a.shape[:-1], 1))
    return np.ascontiguousarray(a[..., numeric])


def panel_width(n: int) -> int:
    """Rows of a panel, for a table of n rows.

    Wide panels feed the matrix product well and are scanned at leisure; small data
    still has to give every thread some.
    """
    return 256 if n > 4096 else 128 if n > 512 else 32


class Stack(NamedTuple):
    """The rows of a table, and below them query rows from elsewhere, if any."""

    rows: Floats | MixedRows
    labels: Ints  # class of each
    own: Ints  # where each is in the table, −1 for nowhere


class Search:
    """One table, packed for the search.

    Parameters
    ----------
    table : Table
    metric : EUCLIDEAN or MANHATTAN
    slots : array of shape (n_classes, n_classes)
    workers : Workers
    stack : Stack or None, default=None
        Rows whose neighbours may be sought, by their place there; None for the table's.
    """

    def __init__(
        self,
        table: Table,
        metric: int,
        slots: Ints,
        workers: Workers,
        stack: Stack | None = None,
    ) -> None:
        self.table, self.metric, self.workers = table, metric, workers
        n = len(table.X)
        self.stack = stack or Stack(table.data, table.y, np.arange(n))
        rows = self.stack.rows
        mixed = rows.mixed if isinstance(rows, MixedRows) else None
        X = rows.X if isinstance(rows, MixedRows) else rows
        numeric = np.ones(X.shape[1], np.bool_)
        if mixed is not None:
            numeric[mixed.nominal] = False
        values, low, high, self.centre = (
            numbers_only(a, numeric) for a in (X, table.low, table.high, table.mean)
        )
        self.layout = Layout(table.y, table.starts, slots)
        self.n_slots = int(slots.max()) + 1
        self.width = panel_width(n)
        size = np.max(np.maximum(high - self.centre, self.centre - low))
        # A power of two: exact, and keeps squares inside the range of float32.
        self.factor = 2.0 ** -np.ceil(np.log2(size)) if size > 0 else 1.0
        self.packed, self.norms = self._pack(values)
        # No sum in single precision is longer than a chunk, or than the number of sums
        # that are added: a tile of Manhattan distances may take several for a chunk.
        chunks, _, length = self.packed.shape
        at_once = length if metric == EUCLIDEAN else min(length, self.width)
        self.depth = float(
            min(values.shape[1], CHUNK) + chunks * -(-length // at_once) + 2
        )
        self.extras, self.largest_extra = None, 0.0
        if mixed is not None:
            self.extras = MixedScreen(mixed, metric, self.factor)
            # Each sum that is added to is rounded once more. The largest extra sum
            # enters the norms as if it were one more feature.
            self.depth += 2 * self.extras.depth
            self.largest_extra = self.extras.largest
        self.largest = float(self._lengths(self.norms[metric, :n]).max())

    def rule(self, k: int, *, share_ties: bool, measure: bool) -> Rule:
        """What counts as one of the k nearest rows of the table."""
        slots, counts = self.layout.slots, self.table.counts
        # Of query rows that are in the table, then of others.
        members = [slot_members(slots, counts, outside=o) for o in (False, True)]
        rank = np.empty(0, np.int64) if share_ties else self.table.rows
        return Rule(self.metric, k, np.concatenate(members), rank, measure)

    def _pack(self, X: Floats) -> tuple[NDArray[Any], Floats]:
        """Rows for the screen, filled up to whole panels, and their norms."""
        n, d = X.shape
        chunks = -(-d // CHUNK)
        # Whole vector registers.
        length = fill_up(-(-d // chunks), 8)
        padded = fill_up(n, self.width)
        packed = np.empty((chunks, padded, length), np.float32)
        packed[:, n:] = 0
        packed[-1, :n, d - (chunks - 1) * length :] = 0
        norms = np.zeros((2, padded))

        def pack(part: slice) -> None:
            kernels.tiles.pack_rows(
                X[part], self.centre, self.factor, packed, part.start, norms[:, part]
            )

        self.workers.run(pack, self.workers.shares(n, self.width))
        return packed, norms

    def _lengths(self, norms: Floats) -> Floats:
        """Norms in the units of distances."""
        if self.metric == EUCLIDEAN:
            return np.sqrt(norms + self.largest_extra)
        return norms

    def _asked(self, rows: Ints) -> tuple[Any, Queries, ErrorBound]:
        """What is needed to measure from queries: all rows, their places, bounds."""
        norms = self._lengths(self.norms[self.metric, rows])
        bound = ErrorBound(norms, self.largest, self.depth)
        outside = np.where(self.stack.own[rows] < 0, len(self.table.classes), 0)
        labels = self.stack.labels[rows] + outside
        return self.stack.rows, Queries(rows, labels), bound

    def _candidates(self, m: int, wanted: int) -> Candidates:
        """Empty lists that keep at least the ``wanted`` smallest keys."""
        padded = fill_up(m, self.width)
        length = places(wanted)
        return Candidates(
            np.empty(self.n_slots * m * length, np.int64),
            length,
            wanted,
            np.zeros((self.n_slots, m), np.int32),
            np.full((self.n_slots, padded), NEVER, np.int32),
        )

    def all_pairs(self, wanted: int) -> Candidates:
        """Screen every row against every other, each pair once."""
        n = len(self.table.X)
        candidates = self._candidates(n, wanted)
        queries = Queries(np.arange(n), self.table.y)
        norms = self._tile_norms(queries.rows, self.norms)
        # A pair of groups of panels changes the lists of both, so no group is worked
        # on twice at once. Halves of the diagonal, the smallest, come last.
        panels = self.packed.shape[1] // self.width
        groups = spans(panels, -(-panels // (6 * self.workers.n_threads)))
        numbers = range(len(groups))
        pairs = [*combinations(numbers, 2), *((g, g) for g in numbers)]

        def search(pair: tuple[int, int]) -> None:
            a, b = (groups[g] for g in pair)
            corners = (a.start, a.stop, b.start, b.stop)
            kernels.search.search_pairs(
                self.packed,
                norms,
                tuple(panel * self.width for panel in corners),
                queries,
                self.layout,
                candidates,
                Tile.empty(self.width),
            )
            advance()

        verbose = self.workers.verbose
        with (
            progress("neighbours", len(pairs), verbose, summary=False) as advance,
            single_threaded_blas(),
        ):
            self.workers.run(search, pairs, claims=set)
        return candidates

    def _tile_norms(self, rows: Ints, norms: Floats) -> Any:
        """What a tile of some rows, with these norms, and the table needs besides."""
        both: Any = None
        if self.metric == EUCLIDEAN:
            both = norms[EUCLIDEAN], self.norms[EUCLIDEAN]
        if self.extras is None:
            return both
        own = np.arange(len(self.table.X))
        return MixedNorms(
            both,
            self.extras.extras(rows, norms.shape[1], own),
            self.extras.extras(own, self.packed.shape[1], rows),
        )

    def panels(self, rows: Ints, wanted: int) -> Candidates:
        """Screen some rows against all."""
        candidates = self._candidates(len(rows), wanted)
        queries = Queries(self.stack.own[rows], self.stack.labels[rows])
        filled = np.zeros(fill_up(len(rows), self.width), np.int64)
        filled[: len(rows)] = rows
        packed, norms = (a.take(filled, axis=1) for a in (self.packed, self.norms))
        both = self._tile_norms(rows, norms)

        def search(part: slice) -> None:
            kernels.search.search_panel(
                self.packed,
                both,
                packed,
                part.start,
                queries,
                self.layout,
                candidates,
                Tile.empty(self.width),
            )

        with single_threaded_blas():
            self.workers.run(search, spans(len(rows), self.width))
        return candidates

    def resolve(
        self, rows: Ints, candidates: Candidates, place: int, rule: Rule
    ) -> Neighbors:
        """Certain neighbours from screened ones, with longer lists where needed.

        The lists of the rows are at ``place`` and after.
        """
        counts = np.zeros((len(rows), self.n_slots), np.int64)
        queries, parts = [], []
        for which, number, *entries in self._certain(
            rows, np.arange(len(rows)), candidates, place, rule
        ):
            counts[which] += number
            queries.append(np.repeat(which, number.sum(axis=1)))
            parts.append(entries)
        ids, share, *exact = map(np.concatenate, zip(*parts, strict=True))
        if len(parts) > 1:
            order = np.argsort(np.concatenate(queries), kind="stable")
            ids, share, *exact = (a[order] for a in (ids, share, *exact))
        return Neighbors(
            rows,
            self.n_slots,
            np.concatenate([[0], np.cumsum(counts)]),
            ids.astype(np.int64),
            share,
            exact[0] if exact else None,
        )

    def _certain(
        self, rows: Ints, which: Ints, candidates: Candidates, place: int, rule: Rule
    ) -> Iterator[tuple[Any, ...]]:
        """Neighbours of queries ``which`` of ``rows``; searches again where needed.

        Yields queries, their (m, S) counts, and rows, shares and, if they are measured,
        distances in order of the query and the slot.
        """
        lists = self._lists(rows[which], candidates, place, rule)
        unsure = np.any(lists.counts < 0, axis=1)
        # A query is kept or repeated as a whole: its slots are searched together.
        counts = np.where(unsure[:, None], 0, lists.counts)
        filled = np.arange(counts.max(initial=0)) < counts[..., None]
        entries = lists[1 : 4 if rule.measure else 3]
        yield which, counts, *(_filled(a, filled) for a in entries)
        again = which[unsure]
        wanted = min(4 * candidates.wanted, len(self.table.X))
        fits = self.table.settings.search_bytes // (28 * places(wanted) * self.n_slots)
        for part in spans(len(again), max(1, fits)):
            longer = self.panels(rows[again[part]], wanted)
            yield from self._certain(rows, again[part], longer, 0, rule)

    def _lists(
        self, rows: Ints, candidates: Candidates, place: int, rule: Rule
    ) -> Lists:
        wanted = candidates.wanted
        shape = (len(rows), self.n_slots, wanted + wanted // 4 + 1)
        lists = Lists(
            np.zeros(shape[:2], np.int64),
            np.empty(shape, np.int32),
            np.empty(shape),
            np.empty(shape if rule.measure else (len(rows), self.n_slots, 0)),
        )

        X, queries, bound = self._asked(rows)

        def settle(part: slice) -> None:
            kernels.search.resolve(
                X,
                Queries(*(a[part] for a in queries)),
                candidates,
                place + part.start,
                bound._replace(norms=bound.norms[part]),
                rule,
                shape[2],
                lists.part(part),
                Scratch.empty(candidates.length),
            )

        self.workers.run(settle, self.workers.shares(len(rows), 64))
        return lists
