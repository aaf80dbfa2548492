"""Neighbours that stay where they were found.

Mostly, neighbours become edges with a coefficient for each query and slot, and edges
are summed up. Then neither need travel: coefficients go to the neighbours, and sums
come back. Whoever wants to see the neighbours themselves gets them sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.engine.blocks import Wish
from widemargin.engine.local import Neighbors
from widemargin.table import Floats, Ints


class FarNeighbors(Neighbors):
    """Nearest rows of all rows of a table, listed where its blocks are.

    Parameters
    ----------
    queries : array of int
        All rows, block by block.
    wish : Wish
    lists : list
        For each block, what has been found for its rows in several places.
    pieces : function
        Yields the same neighbours, sent here, some queries at a time.
    """

    wish: Wish
    lists: list[Any]
    pieces: Callable[[], Iterator[Neighbors]]

    def __init__(
        self,
        queries: Ints,
        wish: Wish,
        lists: list[Any],
        pieces: Callable[[], Iterator[Neighbors]],
    ) -> None:
        self.__dict__.update(
            queries=queries,
            n_slots=wish.n_slots,
            wish=wish,
            lists=lists,
            pieces=pieces,
        )

    @cached_property
    def here(self) -> Neighbors:
        """The neighbours themselves."""
        parts = list(self.pieces())
        counts = np.concatenate([np.diff(part.offsets) for part in parts])
        return Neighbors(
            self.queries,
            self.n_slots,
            np.concatenate([[0], np.cumsum(counts)]),
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.share for part in parts]),
            None,
        )

    @property
    def offsets(self) -> Ints:
        """Where each group begins among the neighbours."""
        return self.here.offsets

    @property
    def rows(self) -> Ints:
        """Rows of the neighbours."""
        return self.here.rows

    @property
    def share(self) -> Floats:
        """How much of a neighbour each is."""
        return self.here.share

    @property
    def distances(self) -> None:
        """Who asks for distances gets the neighbours themselves."""
        return None

    def edges(self, coefficients: Floats) -> kernels.Edges:
        """Edges from queries to neighbours; a group's edges sum to its coefficient."""
        edges: Any = FarEdges(self, coefficients)
        return edges


@dataclass(frozen=True)
class FarEdges:
    """Edges to neighbours that stay where they are, unless these are looked at."""

    neighbors: FarNeighbors
    values: Floats  # (m, S) coefficient of each group of edges

    @cached_property
    def here(self) -> kernels.Edges:
        """The edges themselves."""
        return Neighbors.edges(self.neighbors, self.values)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter(self.here)

    @property
    def heads(self) -> Ints:
        """Rows that the edges come from."""
        heads: Ints = self.here.heads
        return heads

    @property
    def tails(self) -> Ints:
        """Rows that they go to."""
        tails: Ints = self.here.tails
        return tails

    @property
    def coefficients(self) -> Floats:
        """What each counts."""
        coefficients: Floats = self.here.coefficients
        return coefficients

    def pieces(self) -> Iterator[kernels.Edges]:
        """The edges themselves, of some queries at a time."""
        start = 0
        for part in self.neighbors.pieces():
            stop = start + len(part.queries)
            yield part.edges(self.values[start:stop])
            start = stop
