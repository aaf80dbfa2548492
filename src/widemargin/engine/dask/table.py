"""A table whose rows are in blocks on the workers.

A block is a run of a few megabytes of the caller's rows. It is stored and sent as it
came, in the caller's number type, and scaled where it is used. The client has labels,
row numbers and sums; X is nowhere as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.engine.dask.cluster import Cluster
from widemargin.engine.dask.rows import Pairs, RawRows, Scaling, met_rows
from widemargin.engine.dask.source import Source
from widemargin.kernels.records import Edges
from widemargin.notices import warn
from widemargin.threads import Workers


class Collected(NamedTuple):
    """Query rows that were collected last; sums mostly need the same ones."""

    asked: Ints  # their numbers
    rows: Ints  # the same, ascending
    places: Ints  # where these are among the query rows
    queries: Any


@dataclass(frozen=True, kw_only=True)
class DistributedTable(AnyTable):
    """An `AnyTable` of blocks of rows, in the caller's order."""

    y: NDArray[np.integer[Any]]  # (n,) class codes, not sorted
    classes: NDArray[Any]  # labels as the caller wrote them
    scaling: Scaling
    cluster: Cluster
    blocks: list[Any]  # tasks
    firsts: Ints  # (B,) first row of each block
    kept: bool  # whether blocks are in the memory of workers
    differences: list[Any] = field(default_factory=list)  # that blocks are made with
    collected: list[Collected] = field(default_factory=list)  # none or one
    target: Floats | None = None  # (n,) numeric y, if that is what is predicted
    weights: Floats | None = None  # (n,) of the rows, of mean 1; None: all the same
    design: None = None  # there are no covariates
    low: Floats = field(init=False)
    high: Floats = field(init=False)
    mean: Floats = field(init=False)
    collection: Source  # what the caller passed

    def __post_init__(self) -> None:
        for end in ("low", "high", "mean"):
            object.__setattr__(self, end, getattr(self.scaling, end))

    @property
    def ranges(self) -> Floats:
        """Largest difference that each feature can show."""
        ranges = self.high - self.low
        if self.scaling.mixture is not None:
            nominal = self.scaling.mixture.nominal
            ranges[nominal] = np.abs(self.scaling.factor[nominal])
        return ranges

    def positions(self, rows: NDArray[np.integer[Any]]) -> Ints:
        """Where the caller's rows are in this table."""
        return np.asarray(rows, np.int64)

    def reweighted(self, w: Floats) -> DistributedTable:
        """The same table with feature f multiplied by |w_f|, from its lowest value."""
        return replace(self, scaling=self.scaling.from_low().times(np.abs(w)))

    def oriented(self, directions: Ints) -> DistributedTable:
        """The same table with features negated where the direction is −1."""
        return replace(self, scaling=self.scaling.times(directions.astype(np.float64)))

    @property
    def nominal_counts(self) -> dict[int, Floats | Ints]:
        """What the rows with each code of a nominal feature weigh."""
        known, nominal = self.collection.known, self.collection.columns.nominal
        return {f: known[f].counts for f in nominal}

    def numbers(self, rows: Ints, columns: Ints) -> Floats:
        """Some columns of some rows, ascending, in memory: codes, NaN where missing."""
        parts = self.cluster.compute(self._taken(rows, _cells, columns))
        X = np.concatenate(parts).astype(np.float64)
        X -= self.scaling.shift[columns]
        X /= self.scaling.span[columns]
        return X

    def drawn(self, random_state: Any) -> tuple[Any, Any, Floats | None]:
        """X, y and weights of random rows, as the caller has them, in memory."""
        codes = self.y
        if self.target is not None:
            codes = np.unique(self.target, return_inverse=True)[1]
        X, y, rows = self.collection.draw(codes, random_state)
        if len(rows) < self.n_rows:
            warn(
                f"{self.cluster.name}: how many features to keep, and which are near "
                f"copies, is judged by {len(rows)} of {self.n_rows} rows, drawn at "
                "random."
            )
        return X, y, None if self.weights is None else self.weights[rows]

    @property
    def row_cells(self) -> int:
        """Numbers of a row while it is compared with others."""
        mixture = self.scaling.mixture
        return len(self.low) + (0 if mixture is None else 2 * len(mixture.fills))

    def shared_scaling(self) -> Any:
        """The scaling, for many tasks."""
        return self.cluster.constant(self.scaling, self.scaling.n_bytes)

    def block_of(self, rows: Ints) -> NDArray[np.integer]:
        """Number of the block of each row."""
        return np.searchsorted(self.firsts, rows, side="right") - 1

    def _taken(self, rows: Ints, take: Callable[..., Any], *more: Any) -> list[Any]:
        """Tasks that take some rows, ascending, from their blocks."""
        return [
            self.cluster.call(take, self.blocks[b], rows[run] - self.firsts[b], *more)
            for b, run in _runs(self.block_of(rows))
        ]

    def queries(self, rows: Ints) -> Any:
        """A task of some rows, collected from their blocks."""
        if self.collected and np.array_equal(rows, self.collected[0].asked):
            return self.collected[0].queries
        order = np.argsort(rows, kind="stable")
        parts = self._taken(rows[order], _take)
        places = np.empty(len(rows), np.int64)
        places[order] = np.arange(len(rows))
        together = self.cluster.call(_collect, parts, places)
        (queries,) = self.cluster.keep([together], wait=not self.kept)
        self.collected[:] = [Collected(rows, rows[order], order, queries)]
        return queries

    def pair_tasks(
        self,
        operation: Callable[..., Any],
        edges: Edges,
        marks: NDArray[np.integer],
    ) -> tuple[list[Any], list[Ints]]:
        """Tasks that do an operation where edges meet the block of their tails.

        It takes a table in memory, edges and a mark for each of these.
        Returns tasks, and which edges each is about.
        """
        heads, tails, values = edges
        queries, whose, places = self._heads(heads)
        key = whose * len(self.blocks) + self.block_of(tails)
        order = np.argsort(key, kind="stable")
        scaling, tasks, parts = self.shared_scaling(), [], []
        for pair, run in _runs(key[order]):
            a, b = divmod(pair, len(self.blocks))
            part = order[run]
            pairs = Pairs(
                places[part].astype(np.int32),
                (tails[part] - self.firsts[b]).astype(np.int32),
                values[part],
                marks[part],
            )
            meeting = queries[a], self.blocks[b], pairs, scaling
            tasks.append(self.cluster.call(_meet, *meeting, operation))
            parts.append(part)
        return tasks, parts

    def _heads(self, rows: Ints) -> tuple[list[Any], NDArray[np.integer], Ints]:
        """Tasks that have the given rows; which of them has each, and its place.

        Few rows are collected; of many, blocks are sent to blocks.
        """
        unique = np.unique(rows)
        if len(unique) > self.cluster.settings.max_query_rows:
            whose = self.block_of(rows)
            return self.blocks, whose, rows - self.firsts[whose]
        if not (self.collected and np.isin(unique, self.collected[0].rows).all()):
            self.queries(unique)
        known = self.collected[0]
        places = known.places[np.searchsorted(known.rows, rows)]
        return [known.queries], np.zeros(len(rows), np.int64), places


def _meet(
    queries: RawRows, block: RawRows, pairs: Pairs, scaling: Scaling, operation: Any
) -> Any:
    """An operation on the rows of some pairs, which are edges between these."""
    parts, places, taken = [], [], 0
    for rows, wanted in ((queries, pairs.heads), (block, pairs.tails)):
        there = np.zeros(len(rows.y), bool)
        there[wanted] = True
        parts.append(rows.take(there))
        places.append((np.cumsum(there) - 1)[wanted] + taken)
        taken += len(parts[0].y)
    # What was sent may be read-only, which would be compiled for anew.
    edges = Edges(places[0], places[1], np.array(pairs.values))
    marks = np.array(pairs.marks)
    return operation(met_rows(parts, scaling), edges, marks, workers=Workers(1))


def _take(block: RawRows, places: Ints) -> RawRows:
    return block.take(places)


def _cells(block: RawRows, places: Ints, columns: Ints) -> NDArray[Any]:
    return block.X[np.ix_(places, columns)]


def _collect(parts: list[RawRows], places: Ints) -> RawRows:
    X, y, rows = (np.concatenate([part[a] for part in parts]) for a in range(3))
    expected = [part.expected for part in parts if part.expected is not None]
    together = np.concatenate(expected) if expected else None
    return RawRows(X, y, rows, together).take(places)


def _runs(values: NDArray[np.integer]) -> Iterator[tuple[int, slice]]:
    """Values that are in order, each with the slice that it fills."""
    starts = np.flatnonzero(np.diff(values, prepend=-1))
    for start, stop in zip(starts, [*starts[1:], len(values)], strict=True):
        yield int(values[start]), slice(int(start), int(stop))
