"""e(w) of LMBA, the loss-margin of nearest-neighbour classification.

Reference
---------
Y. Li, B.-L. Lu, *Feature selection based on loss-margin of nearest neighbor
classification*, Pattern Recognition 42, 2009, definitions 4 to 6.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from widemargin import kernels
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import Table, warn_small_classes
from widemargin.engine import Edges, hits_and_misses, invasions, nearest, pair_lengths
from widemargin.engine.neighbors import HIT, MISS
from widemargin.engine.screens import WeightedScreen
from widemargin.kernels.records import DescentRoom, Targets
from widemargin.margin._margins import read_table
from widemargin.threads import Workers, spans, thread_count

ROWS_AT_ONCE = 8192  # whose losses are computed together on the workers


def lmba_loss(
    X: Any,
    y: Any,
    weights: Any = None,
    *,
    n_neighbors: int = 3,
    c: float = 1.0,
    sample_weight: Any = None,
) -> float:
    """Evaluate feature weights by the loss that `LMBA` descends; lower is better.

    e(w) = Σ_i (Σ_j d_ij + c Σ_j Σ_p [θ_i + d_ij − d_ip]₊), d_ij = Σ_f w_f² (x_i −
    x_j)_f², over samples i, their k nearest of the same class j, and samples p of other
    classes. Neighbours, and θ_i = |‖x_i − nearmiss‖² − ‖x_i − nearhit‖²|, are those at
    equal weights. X is not scaled.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers.
    y : array-like of shape (n_samples,)
        Class labels.
    weights : array-like of shape (n_features,), optional
        One per feature; default 1.
    n_neighbors : int, default=3
        k.
    c : float, default=1.0
        Weight of the hinge terms.
    sample_weight : array-like of shape (n_samples,), optional
        What the loss of each sample counts, in units of the mean.

    Returns
    -------
    e : float
        Samples that are alone in their class are left out.

    Examples
    --------
    >>> from widemargin.margin import lmba_loss
    >>> X, y = [[0, 3], [1, 0], [4, 1], [6, 2]], ["a", "a", "b", "b"]
    >>> lmba_loss(X, y, [1, 0], n_neighbors=1) < lmba_loss(X, y, [0, 1], n_neighbors=1)
    True
    """
    name = "lmba_loss"
    if not (isinstance(n_neighbors, Integral) and n_neighbors >= 1):
        raise ValueError(
            f"{name} needs n_neighbors to be an integer of at least 1, got "
            f"{n_neighbors!r}."
        )
    if not (isinstance(c, Real) and 0 <= c < np.inf):
        raise ValueError(f"{name} needs c to be a number of at least 0, got {c!r}.")
    k = int(n_neighbors)
    with Workers(thread_count(None)) as workers:
        table, w = read_table(X, y, weights, name, workers, sample_weight)
        warn_small_classes(table, name, k)
        targets = find_targets(table, k, workers)
        return total_loss(table, targets, w, float(c), workers)


def find_targets(table: AnyTable, k: int, workers: Workers) -> Targets:
    """Target neighbours and margins of all rows, both at equal weights."""
    n = table.n_rows
    ids, counts = np.zeros((n, k), np.int64), np.zeros(n, np.int64)
    shortest = np.full((n, 2), np.nan)
    relation = hits_and_misses(len(table.classes))
    for block in nearest(table, k, relation, distances=True, workers=workers):
        filled = np.arange(k) < block.counts[..., None]
        part = np.zeros(filled.shape, np.int64)
        measured = np.full(filled.shape, np.nan)
        part[filled], measured[filled] = block.rows, block.distances
        ids[block.queries] = part[:, HIT]
        counts[block.queries] = block.counts[:, HIT]
        shortest[block.queries] = np.fmin.reduce(measured, axis=2)
    near, far = shortest[:, HIT], shortest[:, MISS]
    return Targets(ids, counts, np.abs(far**2 - near**2), table.row_weights)


def hinges(
    table: AnyTable, targets: Targets, rows: Ints, w: Floats, workers: Workers
) -> tuple[Edges, Floats, Floats]:
    """Edges of rows to targets; squared lengths and limits, (m, k), −1 for no target.

    The edges of a row have its weight. A row of another class invades a target if it is
    no farther than the limit.
    """
    ids, counts, theta, weights = (a[rows] for a in targets)
    there = np.arange(ids.shape[1]) < counts[:, None]
    weights = np.repeat(weights, counts)
    edges = Edges(np.repeat(rows, counts), ids[there], weights)
    everywhere = np.zeros(len(edges.heads), np.int64)
    lengths, limits = np.full((2, *ids.shape), -1.0)
    lengths[there] = pair_lengths(table, edges, everywhere, w, workers=workers) ** 2
    limits[there] = (theta[:, None] + lengths)[there]
    return edges, lengths, limits


def total_loss(
    table: AnyTable, targets: Targets, w: Floats, c: float, workers: Workers
) -> float:
    """e(w) of a table (equation 4)."""
    if isinstance(table, Table):
        return _loss_in_memory(table, targets, w, c, workers)
    total, rows = 0.0, np.flatnonzero(targets.counts)
    for part in spans(len(rows), ROWS_AT_ONCE):
        edges, lengths, limits = hinges(table, targets, rows[part], w, workers)
        _, _, hinged = invasions(table, rows[part], limits, w, workers=workers)
        total += float(edges.coefficients @ lengths[lengths >= 0]) + c * hinged
    return total


def _loss_in_memory(
    table: Table, targets: Targets, w: Floats, c: float, workers: Workers
) -> float:
    screen = WeightedScreen(table).arranged(w)
    n, k = targets.ids.shape
    losses = np.empty(n)

    def measure(part: slice) -> None:
        room = DescentRoom.of(table.n_features, n, k, screen.rows.shape[1])
        rows, here = (table.X, table.layout), (part.start, part.stop)
        kernels.descent.lmba_losses(rows, targets, screen, w, *here, c, losses, room)

    workers.run(measure, spans(n, 64))
    return float(losses.sum())
