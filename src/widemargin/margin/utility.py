"""What methods ask of the margins of a table: nearest hits and misses, and e(w)."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.engine import hits_and_misses, nearest
from widemargin.engine.neighbors import HIT, MISS
from widemargin.kernels.records import LINEAR, SIGMOID, TIE, ZERO_ONE
from widemargin.threads import Workers

UTILITIES = {"linear": LINEAR, "sigmoid": SIGMOID, "zero-one": ZERO_ONE}


def neighbors_at(
    table: AnyTable, w: Floats, workers: Workers, slots: Ints | None = None
) -> tuple[Ints, Floats]:
    """Nearest row under w in each slot, and its distance, both (n, n_slots).

    Slots are the hits and the misses unless a relation is given. −1 and NaN mark empty
    ones, such as the hits of a sample that is alone in its class.
    """
    if slots is None:
        slots = hits_and_misses(len(table.classes))
    shape = table.n_rows, int(slots.max()) + 1
    rows = np.full(shape, -1, np.int64)
    distances = np.full(shape, np.nan)
    if not (w == 1).all():
        table = table.reweighted(w)
    for block in nearest(table, 1, slots, distances=True, workers=workers):
        query, slot = np.nonzero(block.counts)
        place = block.queries[query], slot
        rows[place] = block.rows
        distances[place] = block.distances
    return rows, distances


def hit_and_miss_distances(
    table: AnyTable, w: Floats, workers: Workers
) -> tuple[Floats, Floats]:
    """Distance of each row to its nearest hit (NaN if none) and miss under w."""
    _, distances = neighbors_at(table, w, workers)
    return distances[:, HIT], distances[:, MISS]


def resolve_beta(
    beta: float | str, utility: str, table: AnyTable, workers: Workers
) -> float:
    """The slope of the sigmoid; "auto" looks at the margins at equal weights."""
    if beta != "auto":
        return float(beta)
    if utility != "sigmoid":
        return 1.0
    near, far = hit_and_miss_distances(table, np.ones(table.n_features), workers)
    w = np.where(np.isnan(near), 0.0, table.row_weights)
    mean = np.nansum(w * (far - near)) / w.sum() if w.any() else 0.0
    return float(1 / mean) if mean > 0 else 1.0


def evaluate(
    table: AnyTable, w: Floats, utility: str, beta: float, workers: Workers
) -> float:
    """e(w) of a table."""
    if not w.any():
        return 0.0
    near, far = hit_and_miss_distances(table, w, workers)
    there = ~np.isnan(near)
    near, far, w = near[there], far[there], table.row_weights[there]
    theta = 0.5 * (far - near)
    if utility == "sigmoid":
        u = expit(beta * theta)
    elif utility == "zero-one":
        # The same distance found twice is no margin, also if rounded differently.
        u = far - near > TIE * np.maximum(near, far)
    else:
        u = theta
    return float((w * u).sum())
