"""Neighbours in a small table, by NumPy and SciPy: nothing has to be compiled.

The search of `widemargin.engine.search` takes seconds to compile, once per machine. A
small table is done sooner than that: all its distances are measured in double
precision, which makes the neighbours certain without a screen. Both agree on them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.kernels import TIE

SCIPY_METRICS = {"euclidean": "euclidean", "manhattan": "cityblock"}


class Group(NamedTuple):
    """Neighbours in the same slot of queries of the same class."""

    queries: Ints  # places of the queries, one for each neighbour
    slots: Ints
    rows: Ints
    share: Floats
    distances: Floats


NOBODY = Group(*np.empty((3, 0), np.int64), *np.empty((2, 0)))


def is_small(table: Table) -> bool:
    """Whether plain code is fast enough for a table of numbers."""
    return table.mixed is None and table.settings.is_small_table(*table.X.shape)


def neighbors(
    table: Table, k: int, slots: Ints, metric: str, queries: Ints, share_ties: bool
) -> tuple[Ints, Ints, Floats, Floats]:
    """What `widemargin.engine.neighbors.Neighbors` holds, from its offsets on."""
    from scipy.spatial.distance import cdist

    D = cdist(table.X[queries], table.X, SCIPY_METRICS[metric])
    D[np.arange(len(queries)), queries] = np.inf  # nobody's own neighbour
    rank = None if share_ties else table.rows
    labels, n_slots = table.y[queries], int(slots.max()) + 1
    groups = [NOBODY]
    for label in np.unique(labels):
        asked = np.flatnonzero(labels == label)
        entered = slots[label, table.y]
        for slot in range(n_slots):
            rows = np.flatnonzero(entered == slot)
            wanted = min(k, len(rows) - int(slots[label, label] == slot))
            if wanted > 0:
                block = D[np.ix_(asked, rows)]
                share = _shares(block, wanted, None if rank is None else rank[rows])
                q, r = np.nonzero(share)
                numbers = np.full(len(q), slot)
                taken = share[q, r], block[q, r]
                groups.append(Group(asked[q], numbers, rows[r], *taken))
    found = Group(*map(np.concatenate, zip(*groups, strict=True)))
    group = found.queries * n_slots + found.slots
    order = np.argsort(group, kind="stable")  # rows of a group are in order
    counts = np.bincount(group, minlength=len(queries) * n_slots)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return offsets, found.rows[order], found.share[order], found.distances[order]


def _shares(distances: Floats, wanted: int, rank: Ints | None) -> Floats:
    """How much of each column counts as one of the ``wanted`` nearest, row by row.

    Columns tied with the last wanted one share what is left, or the lowest rank wins.
    """
    border = np.partition(distances, wanted - 1, axis=1)[:, wanted - 1, None]
    inside, tied = nearer_and_tied(distances, border)
    left = wanted - inside.sum(axis=1, keepdims=True)
    if rank is None:
        return inside + tied * (left / tied.sum(axis=1, keepdims=True))
    turn = np.where(tied, rank, np.iinfo(rank.dtype).max)
    last = np.take_along_axis(np.sort(turn, axis=1), left - 1, axis=1)
    return (inside | (turn <= last)).astype(float)


def nearer_and_tied(
    distances: Floats, border: Floats
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which distances are less than the border, and which are the same.

    The rule of `widemargin.kernels.ties`, for arrays.
    """
    nearer = distances < border * (1 - TIE)
    return nearer, ~nearer & (distances <= border * (1 + TIE))
