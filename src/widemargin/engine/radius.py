"""Neighbours within a radius: all near rows of each query, and sums over them.

Some queries at a time are measured against all rows, so that memory grows with the
number of rows and not with its square. Manhattan distances of plain rows are screened
with rows rounded to whole numbers; a query for which rounding might put a row on the
wrong side of a limit is measured again in double precision, as all others are.

Nominal features become numbers for that (`as_numbers`). The points ½ and −½ on each of
m axes are all at Manhattan distance 1 from each other. So a nominal feature of up to
2 m values can be written as m columns of numbers whose differences add up to the 0 or 1
by which two of its values differ, without rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.data.sparse import SparseTable
from widemargin.data.table import Table
from widemargin.engine.pairs import distances_to_all
from widemargin.engine.sparse import sums_around
from widemargin.kernels.records import (
    BAND,
    FIXED_FEATURES,
    FIXED_QUERIES,
    FIXED_ROWS,
    PANEL,
    Edges,
    RadiusLists,
)
from widemargin.progress import progress
from widemargin.threads import Workers, fill_up, spans

# Queries that are listed and summed together: many, since all rows have to come from
# memory once for each such block, but enough blocks for several threads.
MOST_QUERIES, LEAST_QUERIES, LEAST_BLOCKS = 256, 32, 8
MEASURED_QUERIES = 32  # queries whose distances are held at once
MOST_COLUMNS = 8  # for each feature; beyond, comparing nominal values is faster
NO_TARGET = np.empty((0, 1))


def as_numbers(table: Table) -> tuple[Table, Ints]:
    """The table with columns of numbers for its nominal features.

    Returns
    -------
    table : Table
        The same table where that cannot be done: values are missing, or features have
        too many of them.
    features : array of shape (columns,)
        The feature that each column is of.
    """
    d, mixed = table.X.shape[1], table.mixed
    if mixed is None or mixed.features.size:
        return table, np.arange(d)
    sizes = (mixed.codes.max(axis=0).astype(np.int64) + 2) // 2  # columns of each
    numeric = np.flatnonzero(table.numeric)
    features = np.concatenate([numeric, np.repeat(mixed.nominal, sizes)])
    if len(features) > MOST_COLUMNS * d:
        return table, np.arange(d)
    starts = len(numeric) + np.cumsum(sizes) - sizes
    X = np.zeros((len(table.X), len(features)))
    X[:, : len(numeric)] = table.X[:, numeric]
    codes, rows = mixed.codes.astype(np.int64), np.arange(len(X))[:, None]
    X[rows, starts + codes // 2] = (0.5 - codes % 2) * mixed.weights[mixed.nominal]
    ends = {"low": X.min(axis=0), "high": X.max(axis=0), "mean": X.mean(axis=0)}
    return replace(table, X=X, mixed=None, **ends), features


class RoundedRows:
    """Rows as whole numbers of a unit, a power of two: sums of them fit into 31 bits.

    Attributes
    ----------
    errors : array of shape (n,)
        How far a distance of each row may be from the truth.
    """

    def __init__(self, table: Table, workers: Workers) -> None:
        n, self.d = table.X.shape
        ranges, step = table.high - table.low, FIXED_FEATURES
        largest = max(ranges[f : f + step].sum() for f in range(0, self.d, step))
        # Below 2³¹ with room for rounding, which moves a sum by half of step at most.
        power = np.floor(np.log2(largest * 1.001)) - 30 if largest > 0 else 0.0
        self.unit = 2.0**power
        groups = -(-n // FIXED_ROWS)
        self.width = groups * FIXED_ROWS
        cells = np.zeros((groups, self.d, FIXED_ROWS), np.int32)
        self.totals, moved = np.zeros(self.width), np.empty(n)

        def fix(part: slice) -> None:
            written = cells, self.totals, moved
            rows = part.start, part.stop
            kernels.radius.fix_rows(table.X, table.low, self.unit, *rows, *written)

        workers.run(fix, workers.shares(n, 64))
        self.cells = cells.ravel()
        # Both rows of a pair are moved; x − low, and what is summed here, is rounded.
        self.errors = moved + moved.max() + 2.0**-48 * ranges.sum()

    def measure(self, first: int, D: Floats) -> None:
        """Distances of all rows from rows first …, as many as D has."""
        kernels.radius.fixed_distances(
            self.cells, self.d, self.totals, self.unit, first, D
        )


class _Room:
    """Memory for the rows around m queries."""

    def __init__(self, m: int, width: int, n_classes: int, bands: int) -> None:
        self.D = np.empty((MEASURED_QUERIES, width))
        self.lists = RadiusLists(
            np.empty((m, width), np.int32),
            np.empty((m, width), np.int8),
            np.empty((m, 2, n_classes), np.int64),
            np.empty(m, np.bool_),
        )
        self.values = np.empty((m, width))
        self.ends = np.empty((m, -(-width // PANEL)), np.int64)
        self.sums = np.empty((1 + n_classes) * bands * BAND)


@dataclass(frozen=True)
class Around:
    """Rows near some queries, and far ones if they were asked for."""

    search: RadiusSearch
    queries: Ints  # (m,)
    counts: Ints  # (m, 2, C): near and far rows of each class
    room: _Room

    def sums(self, weights: Floats, target: Floats = NO_TARGET) -> tuple[Floats, float]:
        """Σ weight · |x_query − x_row| over all rows listed, in all and by class.

        Parameters
        ----------
        weights : array of shape (m, 2, C)
            What a near, and a far, row of each class counts.
        target : array of shape (n, q)
            The distance in this, if it is given, is a factor of the weight.

        Returns
        -------
        sums : array of shape (1 + C, d)
            Of all queries, then of the queries of each class.
        total : float
            Sum of the weights.
        """
        table, room = self.search.table, self.room
        lists, values, lengths = room.lists, room.values, self.counts.sum(axis=(1, 2))
        total = kernels.radius.list_values(self.queries, target, weights, lists, values)
        if table.weights is not None:
            filled, heads, ids = self._listed
            values[filled] *= table.weights[self.queries[heads]] * table.weights[ids]
            total = float(values[filled].sum())
        if isinstance(table, SparseTable):
            return sums_around(table, self.queries, self._edges()), total
        n, bands, d = table.n_rows, self.search.bands, table.n_features
        room.sums[:] = 0.0
        listed = self.queries, table.y, lists.ids, lengths, values, room.ends
        kernels.radius.list_sums(bands.ravel(), n, *listed, room.sums)
        sums = room.sums.reshape(-1, bands.shape[0] * BAND)[:, :d].copy()
        if table.mixed is not None:
            edges = self._edges()
            borders = np.searchsorted(table.y[edges.heads], np.arange(len(sums)))
            for own, (start, stop) in zip(sums[1:], pairwise(borders), strict=True):
                before = sums[0].copy()
                kernels.distances.add_mixed_edge_sums(
                    table.data, edges, 1, start, stop, sums[0]
                )
                own += sums[0] - before
        return sums, total

    @cached_property
    def sizes(self) -> Floats | Ints:
        """(m, 2, C): what near and far rows of each class weigh; see `Table.sizes`."""
        w, y = self.search.table.weights, self.search.table.y
        if w is None:
            return self.counts
        filled, heads, ids = self._listed
        group = 2 * heads + self.room.lists.sides[filled]
        cells = group * self.counts.shape[2] + y[ids]
        sums = np.bincount(cells, w[ids], self.counts.size)
        return sums.reshape(self.counts.shape)

    @cached_property
    def _listed(self) -> tuple[NDArray[np.bool_], Ints, Ints]:
        """Which places of the lists are filled; the query and the row in each."""
        ids, lengths = self.room.lists.ids, self.counts.sum(axis=(1, 2))
        filled = np.arange(ids.shape[1]) < lengths[:, None]
        heads = np.repeat(np.arange(len(lengths)), lengths)
        return filled, heads, ids[filled].astype(np.int64)

    def _edges(self) -> Edges:
        """The lists as edges."""
        filled, heads, ids = self._listed
        return Edges(self.queries[heads], ids, self.room.values[filled])


class RadiusSearch:
    """One table, packed to find all rows within a radius.

    Parameters
    ----------
    table : Table
    metric : "euclidean" or "manhattan"
    radius : float or None
        Rows nearer than that are near, others far. None: near are rows nearer than the
        mean distance from the query by half a standard deviation, and far is the same
        the other way round.
    both : bool
        Whether far rows are listed, too.
    workers : Workers
    """

    def __init__(
        self,
        table: Table,
        metric: str,
        radius: float | None,
        both: bool,
        workers: Workers,
    ) -> None:
        self.table, self.metric, self.workers = table, metric, workers
        self.radius, self.both = -1.0 if radius is None else radius, both
        self.rounded = None
        sparse = isinstance(table, SparseTable)
        if metric == "manhattan" and table.mixed is None and not sparse:
            self.rounded = RoundedRows(table, workers)
        self.bands = np.empty((0, 0, 0)) if sparse else self._banded(table.X)
        self.starts = table.starts

    def _banded(self, X: Floats) -> Floats:
        """Rows, a band of features at a time, filled up with zeros."""
        n, d = X.shape
        bands = np.zeros((-(-d // BAND), n, BAND))

        def copy(band: int) -> None:
            part = X[:, band * BAND : (band + 1) * BAND]
            bands[band, :, : part.shape[1]] = part

        self.workers.run(copy, range(len(bands)))
        return bands

    def add_up(self, function: Callable[[Around], Floats], title: str) -> Any:
        """Σ function(rows around some queries) over all queries, in a fixed order."""
        n, step, verbose = self.table.n_rows, FIXED_QUERIES, self.workers.verbose
        size = min(MOST_QUERIES, max(LEAST_QUERIES, n // LEAST_BLOCKS))
        size = max(step, min(size, self.table.settings.pair_block // n)) // step * step
        blocks = spans(n, size)
        parts: list[Any] = [None] * len(blocks)
        with progress(title, len(blocks), verbose, summary=False) as advance:

            def add(b: int) -> None:
                parts[b] = function(self._around(blocks[b]))
                advance()

            self.workers.run(add, range(len(blocks)))
        return sum(parts[1:], parts[0])

    def _around(self, block: slice) -> Around:
        m, first = block.stop - block.start, block.start
        width, n_classes = fill_up(self.table.n_rows, FIXED_ROWS), len(self.starts) - 1
        room = _Room(m, width, n_classes, len(self.bands))
        places = np.arange(m)
        if self.rounded is not None:
            for part in spans(m, MEASURED_QUERIES):
                D = room.D[: fill_up(part.stop - part.start, FIXED_QUERIES)]
                self.rounded.measure(first + part.start, D)
                self._list(room, first, places[part], self.rounded.errors[block][part])
            places = np.flatnonzero(room.lists.unsure)
        for part in spans(len(places), MEASURED_QUERIES):
            some = places[part]
            self._measure(first + some, room.D)
            self._list(room, first, some, np.zeros(len(some)))
        queries = np.arange(block.start, block.stop)
        return Around(self, queries, room.lists.counts, room)

    def _measure(self, queries: Ints, D: Floats) -> None:
        """Distances in double precision, by direct differences."""
        with Workers(1) as alone:
            D[: len(queries), : self.table.n_rows] = distances_to_all(
                self.table, queries, self.metric, alone
            )

    def _list(self, room: _Room, first: int, places: Ints, errors: Floats) -> None:
        """List what is around rows first + places, whose distances are in the room."""
        limits = self.starts, self.radius, errors, self.both
        kernels.radius.list_rows(room.D, first + places, *limits, places, room.lists)
