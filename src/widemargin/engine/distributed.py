"""The engine for rows that are in many places: the same operations on blocks of them.

`nearest`, `edge_sums` and their kin recognise a `BlockTable`, so that an algorithm need
not know. A block is a run of a few megabytes of the caller's rows. It travels to where
it is needed as it came, in the caller's number type, and is scaled there.

    all rows at once             blocks a and b meet once and look for neighbours both
    (X fits in the cluster)      ways; one tree of merges per block picks the nearest

    some rows, or all rows of    a batch of query rows visits every block; a tree of
    a larger X, in batches       merges picks the nearest

Then the numbers of neighbours are known here, and edges go back to the blocks, to be
summed where the neighbours are; if all rows together are no more than a block may have,
neighbours stay where they were found instead (`widemargin.engine.far_neighbors`). Here
there are labels, row numbers and sums; a larger X is nowhere as a whole. Where tasks
run is the affair of `widemargin.engine.dask`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.engine import blocks as tasks
from widemargin.engine import local, sums
from widemargin.engine.blocks import Found, Pairs, Wish
from widemargin.engine.far_neighbors import FarEdges, FarNeighbors
from widemargin.engine.local import Neighbors
from widemargin.engine.rows import Guests, Scaling
from widemargin.progress import progress
from widemargin.table import Floats, Ints, Table
from widemargin.threads import Workers, spans

GUESTS = 8192  # most query rows that visit the blocks together
CELLS = 2**22  # most cells of these: 32 MB when scaled
FEW = 8  # blocks whose pairs are worked on in halves,
HALVED = 512  # if they have at least as many rows
LISTED = 2**24  # most neighbours that are listed at once


class Runner(Protocol):
    """What runs tasks."""

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """A task; its arguments may be tasks."""

    def constant(self, value: Any, n_bytes: int) -> Any:
        """A value that several tasks use."""

    def inside(self, parts: list[Any]) -> list[Any]:
        """Partitions, to be made in the tasks that use them, one each, if possible."""

    def tree(
        self,
        function: Callable[..., Any],
        parts: list[Any],
        last: Callable[..., Any] | None = None,
    ) -> Any:
        """Reduce results by a function of a list of them, in a fixed order.

        The last call is made to another function, if one is given.
        """

    def total(self, parts: list[Any]) -> Any:
        """The sum of arrays."""

    def compute(self, results: Sequence[Any]) -> list[Any]:
        """Values of some results."""

    def keep(self, results: Sequence[Any], *, wait: bool = False) -> list[Any]:
        """The same results, computed and kept where they are."""


class Remote:
    """Stands for the rows of a `BlockTable`, of which only the shape is known here."""

    def __init__(self, n: int, d: int) -> None:
        self.shape = n, d

    def __len__(self) -> int:
        return self.shape[0]


class Held(NamedTuple):
    """Query rows that were collected last; sums mostly ask for the same."""

    asked: Ints  # their numbers
    rows: Ints  # the same, ascending
    places: Ints  # where these are among the guests
    guests: Any


@dataclass(frozen=True, kw_only=True)
class BlockTable(Table):
    """A table whose rows are in blocks; they are numbered as the caller has them."""

    runner: Runner
    blocks: list[Any]
    firsts: Ints  # (B,) first row of each block
    kept: bool  # whether blocks are in memory somewhere
    together: bool  # whether all rows together are no more than a block may have
    scaling: Scaling
    laws: list[Any] = field(default_factory=list)  # what blocks need to be made again
    held: list[Held] = field(default_factory=list)

    @property
    def in_memory(self) -> bool:
        """Whether the rows are at hand."""
        return False

    @property
    def ranges(self) -> Floats:
        """Largest difference that each feature can show."""
        ranges = self.high - self.low
        if self.scaling.mixture is not None:
            nominal = self.scaling.mixture.nominal
            ranges[nominal] = np.abs(self.scaling.factor[nominal])
        return ranges

    def positions(self, rows: NDArray[np.integer]) -> Ints:
        """Where the caller's rows are in this table."""
        return np.asarray(rows, np.int64)

    def reweighted(self, w: Floats) -> BlockTable:
        """The same table with feature f multiplied by w_f, from its lowest value on."""
        return self._scaled(self.scaling.from_low().times(np.abs(w)))

    def oriented(self, directions: Ints) -> BlockTable:
        """The same table with features turned round where the direction is −1."""
        return self._scaled(self.scaling.times(directions.astype(np.float64)))

    def _scaled(self, scaling: Scaling) -> BlockTable:
        limits = {name: getattr(scaling, name) for name in ("low", "high", "mean")}
        return replace(self, scaling=scaling, **limits)

    @property
    def row_cells(self) -> int:
        """Numbers of a row at work."""
        mixture = self.scaling.mixture
        return len(self.low) + (0 if mixture is None else 2 * len(mixture.fills))

    def shared_scaling(self) -> Any:
        """The scaling, for many tasks."""
        return self.runner.constant(self.scaling, self.scaling.n_bytes)

    def block_of(self, rows: Ints) -> NDArray[np.integer]:
        """Number of the block of each row."""
        if len(self.firsts) > FEW:
            return np.searchsorted(self.firsts, rows, side="right") - 1
        number = np.zeros(len(rows), np.int8)
        for first in self.firsts[1:]:
            number += rows >= first
        return number

    def different(self, rows: Ints) -> Ints:
        """Each of the given rows once, in order."""
        if len(rows) < len(self.y) // 8:
            return np.unique(rows)
        there = np.zeros(len(self.y), bool)
        there[rows] = True
        return np.flatnonzero(there)

    def in_class_order(self) -> Ints:
        """Rows, block after block, those of a block in order of their class."""
        limits = zip(self.firsts, [*self.firsts[1:], len(self.y)], strict=True)
        return np.concatenate(
            [lo + np.argsort(self.y[lo:hi], kind="stable") for lo, hi in limits]
        )

    def guests(self, rows: Ints) -> Any:
        """Some rows, collected from their blocks."""
        if self.held and np.array_equal(rows, self.held[0].asked):
            return self.held[0].guests
        order = np.argsort(rows, kind="stable")
        parts = []
        for b, part in _runs(self.block_of(rows[order])):
            places = rows[order[part]] - self.firsts[b]
            parts.append(self.runner.call(_take, self.blocks[b], places))
        places = np.empty(len(rows), np.int64)
        places[order] = np.arange(len(rows))
        collected = self.runner.call(_collect, parts, places)
        (guests,) = self.runner.keep([collected], wait=not self.kept)
        self.held[:] = [Held(rows, rows[order], order, guests)]
        return guests

    def pair_tasks(
        self,
        function: Callable[..., Any],
        edges: kernels.Edges,
        marks: Ints,
        *more: Any,
    ) -> tuple[list[Any], list[Ints]]:
        """Call a function of pairs of rows where the tails are.

        Returns tasks, and which pairs each is about.
        """
        heads, tails, values = edges
        guests, whose, places = self._hosts(heads)
        # The smaller the numbers, the faster they are sorted.
        small = np.min_scalar_type(-len(guests) * len(self.blocks))
        whose, where = whose.astype(small), self.block_of(tails).astype(small)
        key = whose * small.type(len(self.blocks)) + where
        order = np.argsort(key, kind="stable")
        scaling, calls, parts = self.shared_scaling(), [], []
        for pair, run in _runs(key[order]):
            a, b = divmod(pair, len(self.blocks))
            part = order[run]
            pairs = Pairs(
                places[part].astype(np.int32),
                (tails[part] - self.firsts[b]).astype(np.int32),
                values[part],
                marks[part] if len(marks) else marks,
            )
            calls.append(
                self.runner.call(
                    function, guests[a], self.blocks[b], pairs, scaling, *more
                )
            )
            parts.append(part)
        return calls, parts

    def _hosts(self, rows: Ints) -> tuple[list[Any], NDArray[np.integer], Ints]:
        """Groups of guests that have the given rows; which has each, and its place."""
        unique = self.different(rows)
        if len(unique) > GUESTS:
            whose = self.block_of(rows)
            return self.blocks, whose, rows - self.firsts[whose]
        if not (self.held and np.isin(unique, self.held[0].rows).all()):
            self.guests(unique)
        held = self.held[0]
        places = held.places[np.searchsorted(held.rows, rows)]
        return [held.guests], np.zeros(len(rows), np.int64), places


def _take(block: Guests, places: Ints) -> Guests:
    return block.take(places)


def _collect(parts: list[Guests], places: Ints) -> Guests:
    X, y, rows = (np.concatenate([part[a] for part in parts]) for a in range(3))
    expected = [part.expected for part in parts if part.expected is not None]
    together = np.concatenate(expected) if expected else None
    return Guests(X, y, rows, together).take(places)


def _runs(values: NDArray[np.integer]) -> Iterator[tuple[int, slice]]:
    """Values that are in order, each with the slice that it fills."""
    starts = np.flatnonzero(np.diff(values, prepend=-1))
    for start, stop in zip(starts, [*starts[1:], len(values)], strict=True):
        yield int(values[start]), slice(int(start), int(stop))


@local.nearest.register(BlockTable)
def nearest(
    table: BlockTable,
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
    wish = Wish(k, slots, metric, share_ties, distances)
    visits = partial(_visits, table, wish, workers.verbose)
    listed = len(table.X) * wish.n_slots * k * len(table.blocks)
    if queries is not None:
        yield from visits(np.asarray(queries, np.int64), block_size)
    elif table.kept and listed <= LISTED:
        searches, near = _all_pairs(table, wish)
        order = table.in_class_order()
        pieces = partial(_pieces, table, near, wish, lambda: visits(order))
        if table.together and not distances:
            table.runner.keep(searches)
            yield FarNeighbors(order, wish, near, pieces)
        else:
            yield from pieces()
    else:
        yield from visits(np.arange(len(table.X)))


def _visits(
    table: BlockTable,
    wish: Wish,
    verbose: int,
    queries: Ints,
    block_size: int | None = None,
) -> Iterator[Neighbors]:
    """Neighbours of queries that visit all blocks, some at a time."""
    most = LISTED // (wish.n_slots * wish.k)
    size = block_size or max(1, min(GUESTS, CELLS // table.row_cells, most))
    at_once = size
    with progress("neighbours", len(queries), verbose, summary=False) as told:
        for batch in spans(len(queries), size):
            first, start, pieces = batch.start, batch.start, list[Found]()
            while start < batch.stop:
                stop = min(start + at_once, batch.stop)
                found_here = _visit(table, queries[start:stop], wish)
                if found_here is None:
                    at_once = max(1, (stop - start) // 16)
                    continue
                pieces.append(found_here)
                start = stop
                # A block of the size that was asked for is not given in pieces.
                if block_size is None or start == batch.stop:
                    yield _neighbors(queries[first:start], pieces, wish)
                    told(start - first)
                    first, pieces = start, []


def _pieces(
    table: BlockTable,
    near: list[Any],
    wish: Wish,
    visits: Callable[[], Iterator[Neighbors]],
) -> Iterator[Neighbors]:
    """What `_all_pairs` has found; if there is too much, since rows tie, by visits."""
    found = table.runner.compute([_merged(table, parts, wish) for parts in near])
    if None in found:
        yield from visits()
    else:
        yield _neighbors(table.in_class_order(), found, wish)


def _all_pairs(table: BlockTable, wish: Wish) -> tuple[list[Any], list[list[Any]]]:
    """Tasks that let blocks meet; what these find for the rows of each block.

    Rows are in order of their class. What is found in several places comes in lists,
    and if the rows of a block were asked in turns, in a list of these as well.
    """
    call, blocks = table.runner.call, table.blocks
    shared = wish, table.shared_scaling()
    searches = [call(tasks.find_within, block, *shared) for block in blocks]
    near = [[found] for found in searches]
    reach = [call(tasks.reach, found, wish) for found in searches]
    # A block on its own is half the work of a pair. With as few blocks as there are
    # workers, these get equal shares only if the work comes in equal pieces.
    smallest = np.diff([*table.firsts, len(table.y)]).min()
    halves = (0, 1) if len(blocks) <= FEW and smallest >= HALVED else (None,)
    for b, block in enumerate(blocks):
        for c in range(b + 1, len(blocks)):
            both = [
                call(
                    tasks.find_each_other,
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
            searches += both
    return searches, near


def _visit(table: BlockTable, rows: Ints, wish: Wish) -> Found | None:
    """Neighbours of some rows; None if there are too many, since they tie."""
    guests, call = table.guests(rows), table.runner.call
    shared = wish, table.shared_scaling()
    near = [call(tasks.find_guests, block, guests, *shared) for block in table.blocks]
    (found,) = table.runner.compute([_merged(table, near, wish)])
    return found


def _merged(table: BlockTable, parts: list[Any], wish: Wish) -> Any:
    last = partial(tasks.merge_all, wish=wish)
    return table.runner.tree(partial(tasks.merge, wish=wish), parts, last)


def _neighbors(queries: Ints, parts: list[Found], wish: Wish) -> Neighbors:
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    shares = [p.share if len(p.share) else np.ones(len(p.rows)) for p in parts]
    return Neighbors(
        queries,
        wish.n_slots,
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([part.rows for part in parts]).astype(np.int64),
        np.concatenate(shares),
        np.concatenate([p.distances for p in parts]) if wish.distances else None,
    )


@local.edge_sums.register(BlockTable)
def edge_sums(
    table: BlockTable, edges: kernels.Edges, *, workers: Workers, power: int = 1
) -> Floats:
    """Per feature, Σ coefficient · |x_head − x_tail|^power over the edges."""
    if isinstance(edges, FarEdges):
        return _far_sums(table, edges, power, workers)
    heads, tails, coefficients = edges
    if len(heads) == 0:
        return np.zeros(table.X.shape[1])
    if len(table.blocks) > 2 and len(table.different(heads)) > GUESTS:
        # Blocks meet each other; either way round will do, and once is enough, unless
        # two workers had to share three pieces of work.
        edges = kernels.Edges(
            np.minimum(heads, tails), np.maximum(heads, tails), coefficients
        )
    calls, _ = table.pair_tasks(tasks.sum_pairs, edges, heads[:0], power)
    return table.runner.total(calls)


def _far_sums(
    table: BlockTable, edges: FarEdges, power: int, workers: Workers
) -> Floats:
    """The sums of `edge_sums`, for edges to neighbours that stay where they are."""
    near, scaling = edges.neighbors, table.shared_scaling()
    calls = []
    for b, (first, stop) in enumerate(pairwise([*table.firsts, len(table.y)])):
        values, shared = edges.values[first:stop], (near.wish, scaling, power)
        calls.append(
            table.runner.call(
                tasks.sum_nearest, near.lists[b], table.blocks, b, values, *shared
            )
        )
    # Little enough to be added up here, which spares a trip between workers.
    parts, total = table.runner.compute(calls), np.zeros(table.X.shape[1])
    if any(part is None for part in parts):
        parts = [
            edge_sums(table, part, workers=workers, power=power)
            for part in edges.pieces()
        ]
    for part in parts:
        total += part
    return total


@local.group_sums.register(BlockTable)
def group_sums(
    table: BlockTable,
    edges: kernels.Edges,
    offsets: Ints,
    *,
    workers: Workers,
    power: int = 1,
    signed: bool = False,
) -> Floats:
    """The sums of `edge_sums`, for each group of edges by itself."""
    n, part = len(offsets) - 1, slice(offsets[0], offsets[-1])
    if part.start == part.stop:
        return np.zeros((n, table.X.shape[1]))
    groups = np.repeat(np.arange(n), np.diff(offsets))
    edges = kernels.Edges(*(a[part] for a in edges))
    calls, _ = table.pair_tasks(
        tasks.sum_groups, edges, groups, n, 0 if signed else power
    )
    return table.runner.total(calls)


@sums.sided_sums.register(BlockTable)
def sided_sums(
    table: BlockTable, edges: kernels.Edges, sides: Ints, *, workers: Workers
) -> Floats:
    """Σ coefficient · (x_tail − x_head)² over edges, where that has the edge's side."""
    if len(edges.heads) == 0:
        return np.zeros(table.X.shape[1])
    calls, _ = table.pair_tasks(tasks.sum_sided_pairs, edges, sides)
    return table.runner.total(calls)


@sums.pair_lengths.register(BlockTable)
def pair_lengths(
    table: BlockTable, edges: kernels.Edges, sides: Ints, w: Floats, *, workers: Workers
) -> Floats:
    """Distances under w of pairs of rows, on the features that have the pair's side."""
    calls, parts = table.pair_tasks(tasks.measure_pairs, edges, sides, w)
    lengths = np.empty(len(sides))
    for part, measured in zip(parts, table.runner.compute(calls), strict=True):
        lengths[part] = measured
    return lengths


@sums.row_sums.register(BlockTable)
def row_sums(
    table: BlockTable,
    function: Callable[..., Any],
    *,
    workers: Workers,
    span: Floats | None = None,
) -> Any:
    """Σ function(U, y) over blocks of rows."""
    call, scaling = table.runner.call, table.shared_scaling()
    span = table.span if span is None else span
    return table.runner.total(
        [call(tasks.apply, block, scaling, span, function) for block in table.blocks]
    )


def invasions(
    table: BlockTable, rows: Ints, limits: Floats, w: Floats
) -> tuple[Ints, Floats, float]:
    """Rows of other classes that come too near to some rows under w.

    ``limits`` (m, k) has the squared distances up to which the targets of each row are
    invaded, −1 for none. Returns how many rows invade each; Σ (x − invader)² over all
    of that; and Σ of the limit − squared distance.
    """
    guests, call = table.guests(rows), table.runner.call
    tested = table.runner.constant(limits, limits.nbytes)
    shared = table.shared_scaling(), tested, w
    C = len(table.classes)
    parts = [
        call(tasks.find_invaders, block, guests, *shared, C) for block in table.blocks
    ]
    (result,) = table.runner.compute([table.runner.tree(_add_both, parts)])
    active, sums = result
    return active, sums[:-1], float(sums[-1])


def _add_both(parts: list[tuple[Ints, Floats]]) -> tuple[Ints, Floats]:
    active, sums = (sum(a[1:], start=a[0]) for a in zip(*parts, strict=True))
    return active, sums
