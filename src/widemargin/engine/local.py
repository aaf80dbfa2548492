"""The engine on one machine: `nearest` and `edge_sums` in memory, with threads.

The search itself is explained at the top of `widemargin.kernels`. This module decides
how it is cut up. Results do not depend on that: neighbours are certain whichever way
they were screened, and sums run over fixed blocks of queries in a fixed order. Small
tables need no search, see `widemargin.engine.small`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from threading import local
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.engine import operations, small
from widemargin.engine.mixed_screen import MixedScreen
from widemargin.progress import progress
from widemargin.table import Floats, Ints, Table
from widemargin.threads import Workers, single_threaded_blas, spans

METRICS = {"euclidean": kernels.EUCLIDEAN, "manhattan": kernels.MANHATTAN}

BLOCK = 1024  # queries resolved and summed together; part of the order of summation
WIDE = 1000  # features from which on it pays to sort edges before they are summed
NO_BORDERS = np.empty((0, 0), np.int32)  # lists that anybody may enter at first
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

    def single_distances(self) -> Floats:
        """(m, S) distances where at most one neighbour was asked for; NaN for none."""
        assert self.distances is not None
        table = np.full(self.counts.shape, np.nan)
        table[self.counts > 0] = self.distances
        return table

    def edges(self, coefficients: Floats) -> kernels.Edges:
        """Edges from queries to neighbours; a group's edges sum to its coefficient.

        Parameters
        ----------
        coefficients : array of shape (m, S)
        """
        counts = np.diff(self.offsets)
        # Shares of a group sum to a whole number, the k or fewer that are wanted.
        sums = np.concatenate([[0.0], np.cumsum(self.share)])
        total = np.maximum(np.rint(np.diff(sums[self.offsets])), 1.0)
        weight = self.share * np.repeat(coefficients.ravel() / total, counts)
        heads = np.repeat(np.repeat(self.queries, self.n_slots), counts)
        return kernels.Edges(heads, self.rows, weight)


def fill_up(n: int, size: int) -> int:
    """The next multiple of ``size``."""
    return -(-n // size) * size


def places(wanted: int) -> int:
    """Length of a list that keeps ``wanted`` keys and has room to grow."""
    return 2 * wanted + 16


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
    everybody = queries is None
    queries = np.asarray(np.arange(len(table.X)) if everybody else queries, np.int64)
    blocks = spans(len(queries), block_size or BLOCK)
    if small.is_small(table):
        for part in (queries[block] for block in blocks):
            found = small.neighbors(table, k, slots, metric, part, share_ties)
            yield Neighbors(part, int(slots.max()) + 1, *found)
        return
    search = Search(table, METRICS[metric], slots, workers)
    rank = np.empty(0, np.int64) if share_ties else table.rows
    members = search.members()
    rule = kernels.Rule(METRICS[metric], k, members, rank, distances, NO_BORDERS)
    wanted = k + SPARE
    memory = len(table.X) * search.n_slots * places(wanted) * 8
    candidates = None
    if everybody and memory <= table.settings.search_bytes:
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


class _Found(NamedTuple):
    """Neighbours of some queries, in order of the query and the slot."""

    queries: Ints
    counts: Ints  # (m, S)
    rows: NDArray[np.int32]
    share: Floats
    distances: Floats


def _filled(a: NDArray[Any], filled: NDArray[np.bool_]) -> NDArray[Any]:
    """The filled places of lists, one list after the other."""
    a = a[..., : filled.shape[2]]
    return a.ravel() if filled.all() else a[filled]


def _numeric_part(table: Table) -> tuple[Floats, tuple[Floats, Floats, Floats]]:
    """Features that are searched as numbers, and their low, high and mean."""
    ranges = table.low, table.high, table.mean
    if table.numeric.all():
        return table.X, ranges
    low, high, mean = (numbers_only(a, table.numeric) for a in ranges)
    return numbers_only(table.X, table.numeric), (low, high, mean)


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


class Search:
    """One table, packed for the search."""

    def __init__(
        self,
        table: Table,
        metric: int,
        slots: Ints,
        workers: Workers,
        width: int | None = None,
    ) -> None:
        self.table, self.metric, self.workers = table, metric, workers
        self.values, (self.low, self.high, self.centre) = _numeric_part(table)
        self.layout = kernels.Layout(table.y, table.starts, slots)
        self.n_slots = int(slots.max()) + 1
        n, d = self.values.shape
        self.width = width or panel_width(n)
        self._own = local()
        size = np.max(np.maximum(self.high - self.centre, self.centre - self.low))
        # A power of two: exact, and keeps squares inside the range of float32.
        self.factor = 2.0 ** -np.ceil(np.log2(size)) if size > 0 else 1.0
        self.packed, self.norms = self._pack(self.values)
        # No sum in single precision is longer than a chunk, or than their number.
        self.depth = float(min(d, kernels.CHUNK) + d // kernels.CHUNK + 2)
        self.extras, self.beyond = None, 0.0
        if table.mixed is not None:
            self.extras = MixedScreen(self._beyond(), metric, self.factor)
            # Each sum that is added to is rounded once more. The largest extra sum
            # enters the norms as if it were one more feature.
            self.depth += 2 * self.extras.depth
            self.beyond = self.extras.largest
        self.largest = float(self._lengths(self.norms[metric, :n]).max())

    def _beyond(self) -> kernels.Mixed:
        """Nominal features and missing cells of all rows that meet."""
        assert self.table.mixed is not None
        return self.table.mixed

    def _pack(self, X: Floats) -> tuple[NDArray[Any], Floats]:
        """Rows for the screen, filled up to whole panels, and their norms."""
        n, d = X.shape
        chunks = -(-d // kernels.CHUNK)
        # Whole vector registers.
        length = fill_up(-(-d // chunks), 8)
        padded = fill_up(n, self.width)
        packed = np.empty((chunks, padded, length), np.float32)
        packed[:, n:] = 0
        packed[-1, :n, d - (chunks - 1) * length :] = 0
        norms = np.zeros((2, padded))

        def pack(part: slice) -> None:
            kernels.pack_rows(
                X[part], self.centre, self.factor, packed, part.start, norms[:, part]
            )

        self.workers.run(pack, self.workers.shares(n, self.width))
        return packed, norms

    def _lengths(self, norms: Floats) -> Floats:
        """Norms in the units of distances."""
        if self.metric == kernels.EUCLIDEAN:
            return np.sqrt(norms + self.beyond)
        return norms

    def _asked(self, rows: Ints) -> tuple[Any, kernels.Queries, kernels.ErrorBound]:
        """What is needed to measure from queries: all rows, their places, bounds."""
        norms = self._lengths(self.norms[self.metric, rows])
        bound = kernels.ErrorBound(norms, self.largest, self.depth)
        return self.table.data, kernels.Queries(rows, self.table.y[rows]), bound

    def tile(self) -> kernels.Tile:
        """Room for a tile, one for each thread: new memory is slow to write to."""
        if not hasattr(self._own, "tile"):
            self._own.tile = kernels.Tile.empty(self.width)
        tile: kernels.Tile = self._own.tile
        return tile

    def _candidates(self, m: int, wanted: int) -> kernels.Candidates:
        """Empty lists that keep at least the ``wanted`` smallest keys."""
        padded = fill_up(m, self.width)
        length = places(wanted)
        return kernels.Candidates(
            np.empty(self.n_slots * m * length, np.int64),
            length,
            wanted,
            np.zeros((self.n_slots, m), np.int32),
            np.full((self.n_slots, padded), kernels.NEVER, np.int32),
        )

    def members(self) -> Ints:
        """(C, S): how many rows each slot has for a query of each class."""
        counts = self.table.counts
        members = np.zeros((len(counts), self.n_slots), np.int64)
        for a, slots in enumerate(self.layout.slots):
            others = counts - (np.arange(len(counts)) == a)
            np.add.at(members[a], slots[slots >= 0], others[slots >= 0])
        return members

    def all_pairs(self, wanted: int) -> kernels.Candidates:
        """Screen every row against every other, each pair once."""
        n = len(self.table.X)
        candidates = self._candidates(n, wanted)
        queries = kernels.Queries(np.arange(n), self.table.y)
        norms = self._tile_norms(self.norms)
        if self.extras is not None:
            extras = self.extras.extras(queries.rows, self.packed.shape[1])
            norms = kernels.MixedNorms(norms, extras, extras)
        # A pair of groups of panels changes the lists of both, so no group is worked
        # on twice at once. Halves of the diagonal, the smallest pieces, come last.
        panels = self.packed.shape[1] // self.width
        groups = spans(panels, -(-panels // (6 * self.workers.n_threads)))
        numbers = range(len(groups))
        pairs = [*combinations(numbers, 2), *((g, g) for g in numbers)]

        def search(pair: tuple[int, int]) -> None:
            a, b = (groups[g] for g in pair)
            corners = (a.start, a.stop, b.start, b.stop)
            kernels.search_pairs(
                (self.packed, self.packed),
                norms,
                tuple(panel * self.width for panel in corners),
                (queries, queries),
                (self.layout, self.layout),
                (candidates, candidates),
                self.tile(),
            )
            advance()

        verbose = self.workers.verbose
        with (
            progress("neighbours", len(pairs), verbose, summary=False) as advance,
            single_threaded_blas(),
        ):
            self.workers.run(search, pairs, claims=set)
        return candidates

    def _tile_norms(self, norms: Floats) -> Any:
        """What a tile needs besides the rows, ours having these norms."""
        if self.metric == kernels.EUCLIDEAN:
            return norms[kernels.EUCLIDEAN], self.norms[kernels.EUCLIDEAN]
        return None

    def panels(self, rows: Ints, wanted: int) -> kernels.Candidates:
        """Screen some rows against all."""
        candidates = self._candidates(len(rows), wanted)
        queries = kernels.Queries(rows, self.table.y[rows])
        packed, norms = self._pack(self.values[rows])
        both = self._tile_norms(norms)
        if self.extras is not None:
            everything, padded = np.arange(len(self.table.X)), self.packed.shape[1]
            both = kernels.MixedNorms(
                both,
                self.extras.extras(rows, packed.shape[1]),
                self.extras.extras(everything, padded, rows),
            )

        def search(part: slice) -> None:
            kernels.search_panel(
                self.packed,
                both,
                packed,
                part.start,
                queries,
                self.layout,
                candidates,
                self.tile(),
            )

        with single_threaded_blas():
            self.workers.run(search, spans(len(rows), self.width))
        return candidates

    def resolve(
        self, rows: Ints, candidates: kernels.Candidates, place: int, rule: kernels.Rule
    ) -> Neighbors:
        """Certain neighbours from screened ones, with longer lists where needed.

        The lists of the rows are at ``place`` and after.
        """
        found: list[_Found] = []
        self._collect(rows, np.arange(len(rows)), candidates, place, rule, found)
        which, counts, ids, share, exact = found[0]
        if len(found) > 1:
            which, counts, ids, share, exact = map(
                np.concatenate, zip(*found, strict=True)
            )
            order = np.argsort(np.repeat(which, counts.sum(axis=1)), kind="stable")
            ids, share = ids[order], share[order]
            exact = exact[order] if rule.measure else exact
            counts = np.zeros_like(counts[: len(rows)])
            for part in found:
                counts[part.queries] += part.counts
        return Neighbors(
            rows,
            self.n_slots,
            np.concatenate([[0], np.cumsum(counts)]),
            ids.astype(np.int64),
            share,
            exact if rule.measure else None,
        )

    def _collect(
        self,
        rows: Ints,
        which: Ints,
        candidates: kernels.Candidates,
        place: int,
        rule: kernels.Rule,
        found: list[_Found],
    ) -> None:
        """Resolve queries ``which`` of ``rows``; search again where doubt is left."""
        lists = self._lists(rows[which], candidates, place, rule)
        unsure = np.any(lists.counts < 0, axis=1)
        # A query is kept or repeated as a whole: its slots are searched together.
        counts = np.where(unsure[:, None], 0, lists.counts)
        filled = np.arange(counts.max(initial=0)) < counts[..., None]
        found.append(
            _Found(
                which,
                counts,
                _filled(lists.ids, filled),
                _filled(lists.share, filled),
                _filled(lists.distances, filled) if rule.measure else np.empty(0),
            )
        )
        again = which[unsure]
        wanted = min(4 * candidates.wanted, len(self.table.X))
        fits = self.table.settings.search_bytes // (28 * places(wanted) * self.n_slots)
        for part in spans(len(again), max(1, fits)):
            longer = self.panels(rows[again[part]], wanted)
            rule = rule._replace(borders=NO_BORDERS)
            self._collect(rows, again[part], longer, 0, rule, found)

    def _lists(
        self, rows: Ints, candidates: kernels.Candidates, place: int, rule: kernels.Rule
    ) -> kernels.Lists:
        wanted = candidates.wanted
        shape = (len(rows), self.n_slots, wanted + wanted // 4 + 1)
        lists = kernels.Lists(
            np.zeros(shape[:2], np.int64),
            np.empty(shape, np.int32),
            np.empty(shape),
            np.empty(shape if rule.measure else (len(rows), self.n_slots, 0)),
        )

        X, queries, bound = self._asked(rows)

        def resolve(part: slice) -> None:
            kernels.resolve(
                X,
                kernels.Queries(*(a[part] for a in queries)),
                candidates,
                place + part.start,
                bound._replace(norms=bound.norms[part]),
                rule,
                shape[2],
                lists.part(part),
                kernels.Scratch.empty(candidates.length),
            )

        self.workers.run(resolve, self.workers.shares(len(rows), 64))
        return lists


def _each_pair_once(edges: kernels.Edges, n: int) -> kernels.Edges:
    """The same sums from fewer edges: both directions of a pair in one."""
    heads, tails, coefficients = edges
    pairs = np.minimum(heads, tails) * n + np.maximum(heads, tails)
    pairs, place = np.unique(pairs, return_inverse=True)
    return kernels.Edges(*np.divmod(pairs, n), np.bincount(place, coefficients))


@operations.edge_sums.register
def edge_sums(
    table: Table, edges: kernels.Edges, *, workers: Workers, power: int = 1
) -> Floats:
    """Per feature, Σ coefficient · |x_head − x_tail|^power over the edges."""
    return sum_edges(table.data, edges, workers=workers, power=power)


def sum_edges(
    rows: Floats | kernels.MixedRows,
    edges: kernels.Edges,
    *,
    workers: Workers,
    power: int,
) -> Floats:
    """The same for some rows."""
    X = rows.X if isinstance(rows, kernels.MixedRows) else rows
    d = X.shape[1]
    if d >= WIDE:
        edges = _each_pair_once(edges, len(X))
    n_edges = len(edges.heads)
    blocks = spans(n_edges, 4096)
    sums = np.zeros((len(blocks), d))
    parts = workers.shares(d, 256, 1024)
    pieces = [(b, part) for b in range(len(blocks)) for part in parts]

    def add(piece: tuple[int, slice]) -> None:
        b, part = piece
        start, stop = blocks[b].start, blocks[b].stop
        kernels.edge_sums(
            X,
            edges,
            power,
            start,
            stop,
            np.uint64(part.start),
            np.uint64(part.stop),
            sums[b],
        )

    workers.run(add, pieces)
    if isinstance(rows, kernels.MixedRows):
        workers.run(
            lambda b: kernels.mixed_edge_sums(
                rows, edges, power, blocks[b].start, blocks[b].stop, sums[b]
            ),
            range(len(blocks)),
        )
    total = np.zeros(d)
    for part in sums:
        total += part
    return total


@operations.group_sums.register
def group_sums(
    table: Table,
    edges: kernels.Edges,
    offsets: Ints,
    *,
    workers: Workers,
    power: int = 1,
    signed: bool = False,
) -> Floats:
    """The sums of `edge_sums`, for each group of edges by itself."""
    n_groups = len(offsets) - 1
    sums = np.zeros((n_groups, table.X.shape[1]))
    workers.run(
        lambda part: kernels.group_sums(
            table.X,
            edges,
            0 if signed else power,
            offsets,
            part.start,
            part.stop,
            sums,
        ),
        spans(n_groups, 64),
    )
    # Where a value is missing, the rows hold the mean, which is all that signed
    # differences need to know.
    if table.mixed is not None and not signed:
        rows = table.data
        workers.run(
            lambda part: kernels.mixed_group_sums(
                rows, edges, power, offsets, part.start, part.stop, sums
            ),
            spans(n_groups, 64),
        )
    return sums
