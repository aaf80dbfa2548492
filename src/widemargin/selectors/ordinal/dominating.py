"""Hits that dominate a row: those that are not below it in any feature."""

from __future__ import annotations

import numpy as np

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.threads import Workers, spans


def dominating_hit_sums(
    table: Table, k: int, rows: Ints | None, workers: Workers
) -> Floats:
    """Σ over rows and sides of mean |x − hit| over the k nearest dominating hits."""
    if rows is not None:
        w = np.zeros(table.X.shape[1])
        for part in spans(len(rows), 1024):
            w += dominating_hits(table, k, rows[part], workers).sum(axis=0)
        return w
    layout, blocks = table.layout, spans(len(table.X), 64)
    sums = np.zeros((len(blocks), table.X.shape[1]))
    workers.run(
        lambda b: kernels.dominating_hit_sums(
            table.data, layout, k, blocks[b].start, blocks[b].stop, sums[b]
        ),
        range(len(blocks)),
    )
    return sums.sum(axis=0)


def dominating_hits(table: Table, k: int, rows: Ints, workers: Workers) -> Floats:
    """The same for each of some rows, (m, d)."""
    layout, sums = table.layout, np.zeros((len(rows), table.X.shape[1]))
    workers.run(
        lambda q: kernels.dominating_hit_sums(
            table.data, layout, k, rows[q], rows[q] + 1, sums[q]
        ),
        range(len(rows)),
    )
    return sums


def dominating_hit_distances(table: Table, w: Floats, workers: Workers) -> Floats:
    """Distance under w of each row to its nearest hit above and below; 0 if none."""
    layout, near = table.layout, np.empty((len(table.X), 2))
    workers.run(
        lambda part: kernels.dominating_hit_distances(
            table.data, layout, w**2, part.start, part.stop, near
        ),
        spans(len(table.X), 64),
    )
    return near
