"""Distances of all pairs of rows.

`nearest` finds a few neighbours of each query. Methods whose neighbourhoods are a share
of all rows need every distance instead (`blocks_of_pairs`). They are measured in double
precision by direct differences, a block of queries against all rows, so that memory
grows with the number of rows and not with its square.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import singledispatch
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.engine.search import METRICS
from widemargin.kernels.records import Edges
from widemargin.progress import Advance, progress
from widemargin.threads import Workers, spans


class Block(NamedTuple):
    """Some queries, and how far all rows are from them."""

    queries: Ints  # (m,) rows of the table
    distances: Floats  # (m, n)

    @property
    def others(self) -> NDArray[np.bool_]:
        """(m, n): False where a row meets itself."""
        others = np.ones(self.distances.shape, np.bool_)
        others[np.arange(len(self.queries)), self.queries] = False
        return others


@contextmanager
def blocks_of_pairs(
    table: Table, metric: str, workers: Workers, title: str
) -> Iterator[Iterator[Block]]:
    """Give the distances of all rows from some queries at a time, in a ``with`` block.

    That ends the progress bar where the loop ends, also by Ctrl-C: a generator that
    holds the bar would end it whenever it is collected, where an interrupt is lost.
    """
    n = table.n_rows
    parts = spans(n, max(1, table.settings.pair_block // n))
    with progress(title, len(parts), workers.verbose, summary=False) as advance:
        yield _blocks(table, metric, workers, parts, advance)


def _blocks(
    table: Table, metric: str, workers: Workers, parts: list[slice], advance: Advance
) -> Iterator[Block]:
    for part in parts:
        queries = np.arange(part.start, part.stop)
        yield Block(queries, distances_to_all(table, queries, metric, workers))
        advance()


@singledispatch
def distances_to_all(
    table: Table, queries: Ints, metric: str, workers: Workers
) -> Floats:
    """Distances of all rows from each query, (m, n); that of a row from itself is 0."""
    D = np.empty((len(queries), len(table.X)))
    rows, ids = table.data, np.arange(len(table.X))
    workers.run(
        lambda part: kernels.distances.measure_all(
            METRICS[metric], rows, queries[part], ids, D[part]
        ),
        workers.shares(len(queries), 8),
    )
    # Where values are missing, differences are expected ones, and not 0.
    D[np.arange(len(queries)), queries] = 0.0
    return D


def listed(queries: Ints, coefficients: Floats) -> Edges:
    """Edges of all pairs of a query and a row whose coefficient, (m, n), is not 0."""
    q, rows = np.nonzero(coefficients)
    # As other edges have them: kernels would be compiled again for strided ones.
    rows = np.ascontiguousarray(rows)
    return Edges(queries[q], rows, coefficients[q, rows])


def mean_distance(table: Table, metric: str, workers: Workers, title: str) -> float:
    """Mean distance of all pairs of different rows."""
    n = table.n_rows
    if metric == "manhattan" and type(table) is Table and table.mixed is None:
        return _sorted_total(table.X, workers) / (n * (n - 1) / 2)
    total = 0.0
    with blocks_of_pairs(table, metric, workers, title) as blocks:
        for block in blocks:
            total += float(block.distances.sum(axis=1).sum())
    return total / (n * (n - 1))


def _sorted_total(X: Floats, workers: Workers) -> float:
    """Σ |x_i − x_j| over pairs and features, feature by feature, without the pairs.

    In order, the r-th of n values is added as the greater one r times, and n − 1 − r
    times taken away.
    """
    n, d = X.shape
    totals, times = np.empty(d), 2.0 * np.arange(n) - (n - 1)

    def add_up(part: slice) -> None:
        columns = X[:, part].T.copy()
        columns.sort(axis=1)
        # Not a matrix product: its threads would compete with ours for a while.
        columns -= columns[:, :1].copy()
        columns *= times
        totals[part] = columns.sum(axis=1)

    workers.run(add_up, workers.shares(d, 16))
    return float(totals.sum())
