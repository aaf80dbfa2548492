"""Lists of nearest rows, and how those of several blocks become one.

Distances are exact, so the k nearest of all are among the k nearest of each block, and
ties are settled as if there had been one block only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.protocol import Floats, Ints
from widemargin.kernels.records import Merged
from widemargin.kernels.ties import merge_lists


class Request(NamedTuple):
    """Which neighbours are sought."""

    k: int
    slots: Ints
    metric: str
    share_ties: bool
    distances: bool  # whether to send them as well
    max_found: int  # neighbours that one block lists

    @property
    def n_slots(self) -> int:
        """Lists of each query row."""
        return int(self.slots.max()) + 1


class Found(NamedTuple):
    """Nearest rows of m queries in S slots; group q·S + s is slot s of query q."""

    offsets: Ints  # (m·S + 1,)
    rows: NDArray[np.integer]  # the caller's row numbers
    distances: Floats
    share: Floats

    def to_send(self, distances: bool) -> Found:
        """The same without shares that are 1, and without distances unless wanted."""
        share = self.share[: 0 if (self.share == 1).all() else None]
        exact = self.distances[: None if distances else 0]
        return Found(self.offsets, small_numbers(self.rows), exact, share)


def merge_all(lists: Sequence[Found | None], request: Request) -> Found | None:
    """The same as `merge`, ready to be sent."""
    found = merge(lists, request)
    return found and found.to_send(request.distances)


def merge(lists: Sequence[Found | None], request: Request) -> Found | None:
    """The k nearest of all, from the k nearest in each of several blocks.

    None if one of the lists is.
    """
    found = [part for part in lists if part is not None]
    if len(found) < len(lists):
        return None
    lengths = np.array([len(part.rows) for part in found])
    starts = np.cumsum(lengths) - lengths
    merged = Merged(
        np.empty_like(found[0].offsets),
        np.empty(lengths.sum(), np.int64),
        np.empty(lengths.sum()),
        np.empty(lengths.sum()),
    )
    merge_lists(
        np.array([part.offsets + s for part, s in zip(found, starts, strict=True)]),
        np.concatenate([part.rows for part in found]).astype(np.int64),
        np.concatenate([part.distances for part in found]),
        request.k,
        not request.share_ties,
        merged,
    )
    offsets, *rest = merged
    return Found(offsets, *(a[: offsets[-1]].copy() for a in rest))


def small_numbers(rows: NDArray[np.integer]) -> NDArray[np.integer]:
    """Row numbers in half the bytes, where they are small enough."""
    return rows.astype(np.int32) if rows.max(initial=0) < 2**31 else rows
