"""The search cut into blocks of rows that need not be in one place.

A block is a run of the caller's rows, scaled and sorted by class. What is near to
*guests*, rows of wherever, is looked for in each block apart (`find_guests`), or in two
blocks both ways (`find_each_other`); `merge` then picks the nearest of all. Nothing
here knows where blocks live.

              block 0      block 1      block 2
    guests ──► k nearest    k nearest    k nearest      with their exact distances and
                  └────────────┼────────────┘           all that tie with the k-th
                             merge ──► the k nearest

Distances are exact, so the k nearest of all are among the k nearest of each block, and
ties are settled as if there had been one block only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.engine.local import (
    BLOCK,
    METRICS,
    NO_BORDERS,
    SPARE,
    Neighbors,
    Search,
    fill_up,
    nearest,
    numbers_only,
    panel_width,
    sum_edges,
)
from widemargin.engine.rows import (
    Guests,
    Rows,
    Scaling,
    numbers_of,
    scaled,
    with_beyond,
)
from widemargin.table import Floats, Ints, Table
from widemargin.threads import Workers, single_threaded_blas, spans

ROOM = 2**22  # most neighbours that a block lists, in 80 MB
CROWD = 16  # times k that a list may have on the average, for lists of all rows at once


class Wish(NamedTuple):
    """What is looked for."""

    k: int
    slots: Ints
    metric: str
    share_ties: bool
    distances: bool  # to be told as well

    @property
    def n_slots(self) -> int:
        """Lists of each guest."""
        return int(self.slots.max()) + 1


class Found(NamedTuple):
    """Nearest rows of m guests in S slots; group q·S + s is slot s of guest q."""

    offsets: Ints  # (m·S + 1,)
    rows: NDArray[np.integer]  # the caller's row numbers
    distances: Floats
    share: Floats

    def light(self, distances: bool) -> Found:
        """The same to send: without distances, unless wanted, or shares that are 1."""
        share = self.share[: 0 if (self.share == 1).all() else None]
        exact = self.distances[: None if distances else 0]
        return Found(self.offsets, _small(self.rows), exact, share)


def block_table(
    block: Guests, n_classes: int, scaling: Scaling, *guests: Guests
) -> tuple[Table, Rows]:
    """A block as a Table, and its rows with those of guests stacked below them."""
    home = block.take(np.argsort(block.y, kind="stable"))
    X, mixed = scaled([home, *guests], scaling)
    y, classes = home.y.astype(np.int64), np.arange(n_classes)
    limits = scaling.low, scaling.high, scaling.mean
    beyond = mixed[0] if mixed else None
    table = Table(X[: len(y)], y, classes, home.rows, *limits, beyond)
    return table, with_beyond(X, mixed)


class _GuestSearch(Search):
    """A table packed for the search, and guests that look around in it.

    ``stack`` holds the rows of the table and below them those of the guests; ``own``
    says where a guest is in the table, −1 for nowhere.
    """

    def __init__(
        self, table: Table, stack: Rows, y: Ints, own: Ints, wish: Wish, width: int
    ) -> None:
        self.stack, self.labels, self.own = stack, y, own
        super().__init__(table, METRICS[wish.metric], wish.slots, Workers(1), width)
        rank = np.empty(0, np.int64) if wish.share_ties else table.rows
        self.rule = kernels.Rule(
            self.metric, wish.k, self.members(), rank, True, NO_BORDERS
        )

    def _beyond(self) -> kernels.Mixed:
        assert isinstance(self.stack, kernels.MixedRows)
        return self.stack.mixed

    def _counting_step(self) -> float:
        """Guests are kept in single precision: what they meet has to be as well."""
        return 0.0

    def pack_guests(self) -> None:
        """Make the guests ready for `panels`."""
        guests = numbers_of(self.stack)[len(self.table.X) :]
        self.guest_packed, self.guest_norms = self._pack(
            numbers_only(guests, self.table.numeric)
        )

    def lists_within(self, reach: Floats) -> kernels.Heap:
        """Empty lists for all guests, for rows up to ``reach`` of them, (m, S)."""
        heap = self._heap(len(self.own), self.rule.k + SPARE)
        norms = self._lengths(self.guest_norms[self.metric])
        doubt = self._doubt(norms)
        borders = np.full(heap.borders.shape, np.inf, np.float32)
        kernels.set_borders(
            self.metric, norms, doubt, self.factor, np.array(reach), borders
        )
        self.first_borders = borders.view(np.int32)
        return heap._replace(borders=self.first_borders.copy())

    def panels(self, rows: Ints, wanted: int) -> kernels.Heap:
        """Screen some guests against the table."""
        heap = self._heap(len(rows), wanted)
        padded = fill_up(len(rows), self.width)
        chunks, _, length = self.guest_packed.shape
        packed = np.zeros((chunks, padded, length), np.float32)
        packed[:, : len(rows)] = self.guest_packed[:, rows]
        norms = np.zeros(padded)
        norms[: len(rows)] = self.guest_norms[kernels.EUCLIDEAN, rows]
        euclidean = self.metric == kernels.EUCLIDEAN
        both: Any = (norms, self.norms[kernels.EUCLIDEAN]) if euclidean else None
        both = self.with_extras(both, rows, padded)
        queries = kernels.Queries(self.own[rows], self.labels[rows])
        with single_threaded_blas():
            for part in spans(len(rows), self.width):
                kernels.search_panel(
                    self.packed,
                    both,
                    packed,
                    part.start,
                    queries,
                    self.layout,
                    heap,
                    self.tile(),
                )
        return heap

    def with_extras(self, norms: Any, rows: Ints, padded: int) -> Any:
        """What a tile needs: norms of some guests and of the table, and what is more.

        The guests are filled up to ``padded``.
        """
        if self.extras is None:
            return norms
        home, guests = np.arange(len(self.table.X)), len(self.table.X) + rows
        return kernels.MixedNorms(
            norms,
            self.extras.extras(guests, padded, home),
            self.extras.extras(home, self.packed.shape[1], guests),
        )

    def members(self) -> Ints:
        """(2C, S): for guests that are in the table, then for those that are not."""
        counts = self.table.counts
        strangers = np.zeros((len(counts), self.n_slots), np.int64)
        for a, slots in enumerate(self.layout.slots):
            np.add.at(strangers[a], slots[slots >= 0], counts[slots >= 0])
        return np.concatenate([super().members(), strangers])

    def _asked(self, rows: Ints) -> tuple[Rows, kernels.Queries, kernels.Doubt]:
        n, C = len(self.table.X), len(self.table.classes)
        labels = self.labels[rows] + np.where(self.own[rows] < 0, C, 0)
        norms = self._lengths(self.guest_norms[self.metric, rows])
        return self.stack, kernels.Queries(n + rows, labels), self._doubt(norms)

    def _doubt(self, norms: Floats) -> kernels.Doubt:
        return kernels.Doubt(norms, self.largest, self.depth, np.zeros(len(norms)))

    def found_in(self, heap: kernels.Heap) -> Found:
        """Neighbours of all guests, from screened lists that began with borders."""
        rule = self.rule._replace(borders=self.first_borders)
        lists = [
            self.resolve(np.arange(b.start, b.stop), heap, b.start, rule)
            for b in spans(len(self.own), BLOCK)
        ]
        return _joined(lists, self.table.rows)

    def found(self) -> Found | None:
        """Neighbours of all guests; None if, since they tie, there are too many."""
        lists, held = [], 0
        for block in spans(len(self.own), self.width):
            part = np.arange(block.start, block.stop)
            near = self.panels(part, self.rule.k + SPARE)
            lists.append(self.resolve(part, near, 0, self.rule))
            held += len(lists[-1].rows)
            if held > ROOM and len(self.own) > 1:
                return None
        return _joined(lists, self.table.rows)


def _joined(lists: list[Neighbors], rows: Ints) -> Found:
    counts = np.concatenate([np.diff(part.offsets) for part in lists])
    found = rows[np.concatenate([part.rows for part in lists])]
    exact = np.concatenate([part.distances for part in lists])
    # Shares are settled when lists are merged.
    return Found(
        np.concatenate([[0], np.cumsum(counts)]), _small(found), exact, np.empty(0)
    )


def _small(rows: NDArray[np.integer]) -> NDArray[np.integer]:
    """Row numbers in half the bytes, where they are small enough."""
    return rows.astype(np.int32) if rows.max(initial=0) < 2**31 else rows


def find_guests(
    block: Guests, guests: Guests, wish: Wish, scaling: Scaling
) -> Found | None:
    """Nearest rows of a block to each guest; no guest is its own neighbour.

    None if, since they tie, there are too many.
    """
    table, stack = block_table(block, len(wish.slots), scaling, guests)
    first, n = block.rows[0], len(block.rows)
    place = np.empty(n, np.int64)
    place[table.rows - first] = np.arange(n)
    inside = (guests.rows >= first) & (guests.rows < first + n)
    own = np.full(len(guests.rows), -1)
    own[inside] = place[guests.rows[inside] - first]
    labels = guests.y.astype(np.int64)
    search = _GuestSearch(table, stack, labels, own, wish, panel_width(n))
    search.pack_guests()
    return search.found()


def find_within(block: Guests, wish: Wish, scaling: Scaling) -> Found | None:
    """Nearest rows of a block to each of its own, in order of their class.

    None if so many tie that lists for all rows at once had better not be made.
    """
    table, _ = block_table(block, len(wish.slots), scaling)
    lists, held = [], 0
    for part in nearest(
        table,
        wish.k,
        wish.slots,
        workers=Workers(1),
        metric=wish.metric,
        share_ties=wish.share_ties,
        distances=True,
    ):
        lists.append(part)
        held += len(part.rows)
        if held > CROWD * wish.k * part.n_slots * sum(len(p.queries) for p in lists):
            return None
    return _joined(lists, table.rows)


def reach(found: Found | None, wish: Wish) -> Floats | None:
    """Beyond which distance a guest need not look any further, (m, S)."""
    if found is None:
        return None
    counts, far = np.diff(found.offsets), np.full(len(found.offsets) - 1, np.inf)
    full = counts >= wish.k
    if full.any():
        starts = found.offsets[:-1][counts > 0]
        far[counts > 0] = np.maximum.reduceat(found.distances, starts)
    return np.where(full, far, np.inf).reshape(-1, wish.n_slots)


def find_each_other(
    block: Guests,
    other: Guests,
    reaches: tuple[Floats | None, Floats | None],
    wish: Wish,
    scaling: Scaling,
    half: int | None = None,
) -> tuple[Found | None, Found | None]:
    """Nearest rows of the other block to each of a block, and the other way round.

    Rows are in order of their class, and nobody looks beyond what it has found at home
    already. Of the block, only the first (0) or the second (1) half takes part if one
    is named.
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
        block_table(b, len(wish.slots), scaling) for b in (block, other)
    )
    stack = np.concatenate([theirs.X, ours.X, theirs.X])
    width = panel_width(min(len(ours.X), len(theirs.X)))
    strangers = np.full(max(len(ours.y), len(theirs.y)), -1)
    among_them, among_us = (
        _GuestSearch(
            table,
            with_beyond(rows, [table.mixed, guests.mixed]),
            guests.y,
            strangers[: len(guests.y)],
            wish,
            width,
        )
        for table, rows, guests in (
            (theirs, stack[: len(theirs.X) + len(ours.X)], ours),
            (ours, stack[len(theirs.X) :], theirs),
        )
    )
    among_them.guest_packed, among_them.guest_norms = among_us.packed, among_us.norms
    among_us.guest_packed, among_us.guest_norms = among_them.packed, among_them.norms
    heaps = among_them.lists_within(ours_within), among_us.lists_within(theirs_within)
    squares: Any = None
    if wish.metric == "euclidean":
        squares = tuple(s.norms[kernels.EUCLIDEAN] for s in (among_us, among_them))
    everyone = np.arange(len(ours.X))
    norms = among_them.with_extras(squares, everyone, among_us.packed.shape[1])
    with single_threaded_blas():
        kernels.search_blocks(
            (among_us.packed, among_them.packed),
            norms,
            tuple(kernels.Queries(s.own, s.labels) for s in (among_them, among_us)),
            (among_us.layout, among_them.layout),
            heaps,
            among_us.tile(),
        )
    return among_them.found_in(heaps[0]), among_us.found_in(heaps[1])


def stack(lists: list[Found]) -> Found:
    """What was found for some guests, and then for others."""
    counts = np.concatenate([np.diff(part.offsets) for part in lists])
    rows, distances, share = (
        np.concatenate(a) for a in list(zip(*lists, strict=True))[1:]
    )
    return Found(np.concatenate([[0], np.cumsum(counts)]), rows, distances, share)


def merge_all(lists: Sequence[Found | list[Found] | None], wish: Wish) -> Found | None:
    """The same as `merge`, made ready to send."""
    found = merge(lists, wish)
    return found and found.light(wish.distances)


def merge(lists: Sequence[Found | list[Found] | None], wish: Wish) -> Found | None:
    """The k nearest of all, from the k nearest in each of several places.

    Where the guests of a place were asked in turns, its lists come in a list. None if
    one of the lists is.
    """
    if any(part is None or (type(part) is list and None in part) for part in lists):
        return None
    found: list[Any]
    found = [stack(part) if type(part) is list else part for part in lists]
    lengths = np.array([len(part.rows) for part in found])
    starts = np.cumsum(lengths) - lengths
    merged = kernels.Merged(
        np.empty_like(found[0].offsets),
        np.empty(lengths.sum(), np.int64),
        np.empty(lengths.sum()),
        np.empty(lengths.sum()),
    )
    kernels.merge_lists(
        np.array([part.offsets + s for part, s in zip(found, starts, strict=True)]),
        np.concatenate([part.rows for part in found]).astype(np.int64),
        np.concatenate([part.distances for part in found]),
        wish.k,
        not wish.share_ties,
        merged,
    )
    offsets, *rest = merged
    return Found(offsets, *(a[: offsets[-1]].copy() for a in rest))


class Pairs(NamedTuple):
    """Guests and rows of a block, by their places there, with something for each."""

    heads: NDArray[np.int32]
    tails: NDArray[np.int32]
    values: Floats  # coefficients
    marks: Ints  # groups, or sides


def _meet(
    guests: Guests, block: Guests, pairs: Pairs, scaling: Scaling
) -> tuple[Rows, kernels.Edges, Ints]:
    """The rows of some pairs, scaled, and the pairs as edges between them; marks."""
    parts, places, taken = [], [], 0
    for rows, wanted in ((guests, pairs.heads), (block, pairs.tails)):
        there = np.zeros(len(rows.y), bool)
        there[wanted] = True
        parts.append(rows.take(there))
        places.append((np.cumsum(there) - 1)[wanted] + taken)
        taken += len(parts[0].y)
    # What came from elsewhere may be read-only, which would be compiled for anew.
    edges = kernels.Edges(places[0], places[1], np.array(pairs.values))
    return with_beyond(*scaled(parts, scaling)), edges, np.array(pairs.marks)


def sum_pairs(
    guests: Guests, block: Guests, pairs: Pairs, scaling: Scaling, power: int
) -> Floats:
    """Σ value · |x_head − x_tail|^power."""
    rows, edges, _ = _meet(guests, block, pairs, scaling)
    return sum_edges(rows, edges, workers=Workers(1), power=power)


def sum_nearest(
    lists: Sequence[Found | list[Found] | None],
    blocks: list[Guests],
    b: int,
    values: Floats,
    wish: Wish,
    scaling: Scaling,
    power: int,
) -> Floats | None:
    """Σ value / k · |x − neighbour|^power over the neighbours of a block's rows.

    Rows are in order of their class, which have lists of what was found in several
    places, and values for each slot. Tied neighbours share a place. ``blocks`` are all
    that there are. None if one of the lists is.
    """
    found = merge(lists, wish)
    if found is None:
        return None
    own = blocks[b]
    queries = own.rows[np.argsort(own.y, kind="stable")]
    ids = found.rows.astype(np.int64)
    near = Neighbors(queries, wish.n_slots, found.offsets, ids, found.share, None)
    rows = with_beyond(*scaled(blocks, scaling))
    return sum_edges(rows, near.edges(values), workers=Workers(1), power=power)


def sum_groups(
    guests: Guests, block: Guests, pairs: Pairs, scaling: Scaling, n: int, power: int
) -> Floats:
    """The same for each of n groups, which are in order; power 0 sums with sign."""
    rows, edges, groups = _meet(guests, block, pairs, scaling)
    X, offsets = numbers_of(rows), np.searchsorted(groups, np.arange(n + 1))
    sums = np.zeros((n, X.shape[1]))
    kernels.group_sums(X, edges, power, offsets, 0, n, sums)
    if power and isinstance(rows, kernels.MixedRows):
        kernels.mixed_group_sums(rows, edges, power, offsets, 0, n, sums)
    return sums


def sum_sided_pairs(
    guests: Guests, block: Guests, pairs: Pairs, scaling: Scaling
) -> Floats:
    """Σ value · (x_tail − x_head)² where that has the pair's side, 0 for everywhere."""
    rows, edges, sides = _meet(guests, block, pairs, scaling)
    X = numbers_of(rows)
    sums = np.zeros(X.shape[1])
    kernels.sided_edge_sums(X, edges, sides, 0, len(sides), sums)
    if isinstance(rows, kernels.MixedRows):
        # A side is that of the numbers; without one, all counts.
        free = kernels.Edges(*(a[sides == 0] for a in edges))
        kernels.mixed_edge_sums(rows, free, 2, 0, len(free.heads), sums)
    return sums


def measure_pairs(
    guests: Guests, block: Guests, pairs: Pairs, scaling: Scaling, w: Floats
) -> Floats:
    """Distance of each pair under w, where x_tail − x_head has the pair's side."""
    rows, edges, sides = _meet(guests, block, pairs, scaling)
    lengths = np.empty(len(sides))
    kernels.pair_lengths(
        numbers_of(rows), edges.heads, edges.tails, sides, w * w, lengths
    )
    return lengths


def apply(block: Guests, scaling: Scaling, span: Floats, function: Any) -> Any:
    """A function of (x − low) / span and of class codes."""
    U, _ = scaled([block], scaling)
    U -= scaling.low
    U /= span
    return function(U, block.y.astype(np.int64))


def find_invaders(
    block: Guests,
    guests: Guests,
    scaling: Scaling,
    limits: Floats,
    w: Floats,
    n_classes: int,
) -> tuple[Ints, Floats]:
    """Rows of a block that invade guests; see `widemargin.kernels.invasions`."""
    table, rows_and_guests = block_table(block, n_classes, scaling, guests)
    stack = numbers_of(rows_and_guests)
    # The features with the largest share of distances first, as far as one can tell.
    columns = np.argsort(-((w * (scaling.high - scaling.low)) ** 2), kind="stable")
    rows = np.zeros((len(stack), fill_up(len(w), int(kernels.STEP))), np.float32)
    kernels.arrange_columns(stack, scaling.mean, columns, rows)
    reach = np.maximum(scaling.high - scaling.mean, scaling.mean - scaling.low)
    screen = kernels.Screen(rows, columns, float(reach.max()))
    active, sums = np.zeros(limits.shape, np.int64), np.zeros(len(w) + 1)
    kernels.invasions(
        stack,
        kernels.Layout(table.y, table.starts, np.empty((0, 0), np.int64)),
        screen,
        guests.y.astype(np.int64),
        w * w,
        np.array(limits),
        active,
        sums,
    )
    return active, sums
