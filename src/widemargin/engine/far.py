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

    def __getattr__(self, name: str) -> Any:
        if name not in ("offsets", "rows", "share", "distances"):
            raise AttributeError(name)
        parts = list(self.pieces())
        counts = np.concatenate([np.diff(part.offsets) for part in parts])
        here = {
            "offsets": np.concatenate([[0], np.cumsum(counts)]),
            "rows": np.concatenate([part.rows for part in parts]),
            "share": np.concatenate([part.share for part in parts]),
            "distances": None,
        }
        self.__dict__.update(here)
        return here[name]

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

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name not in kernels.Edges._fields:
            raise AttributeError(name)
        found: NDArray[Any] = getattr(self.here, name)
        return found

    def pieces(self) -> Iterator[kernels.Edges]:
        """The edges themselves, of some queries at a time."""
        start = 0
        for part in self.neighbors.pieces():
            stop = start + len(part.queries)
            yield part.edges(self.values[start:stop])
            start = stop
