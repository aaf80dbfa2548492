"""How many features: leave-one-out 1-NN with the best 1, 2, 3, … of a ranking.

One sweep serves all prefixes. With the features in the order of the ranking, the
squared distance of two rows with k features is that with k − 1 plus one square; the
nearest hit and the nearest miss of every row are noted after each. That is Θ(n² d) for
all d accuracies, as much as the last of them alone would cost.
"""

from __future__ import annotations

import numpy as np

from widemargin import kernels
from widemargin.progress import progress
from widemargin.table import Floats, Ints, Table
from widemargin.threads import Workers, spans

QUERIES = 32  # rows whose distances to a panel are worked on together
FEW = 8  # the same where the distances to all rows are kept


def prefix_scores(table: Table, order: Ints, workers: Workers) -> Floats:
    """Leave-one-out accuracy of 1-NN with features order[0], order[: 2], and so on.

    A row counts if the nearest other row, by Euclidean distance in the scaled table,
    is of its class. Among rows tied with the nearest (relatively 1e-10) the caller's
    lowest row number is it. A row that is alone in its class never counts.
    """
    n, d = table.X.shape
    labels = np.empty(n, np.int64)
    labels[table.rows] = table.y
    prefixes: kernels.Prefixes | kernels.MixedPrefixes
    if table.mixed is None:
        count, size = kernels.prefix_hits, QUERIES
        prefixes = _in_panels(table, order, workers)
    else:
        count, size = kernels.mixed_prefix_hits, FEW
        prefixes = _in_columns(table, table.mixed, order)
    blocks = spans(n, size)
    correct = np.empty((len(blocks), d), np.int64)

    def sweep(b: int) -> None:
        count(prefixes, blocks[b].start, blocks[b].stop, labels, correct[b])
        advance()

    verbose = workers.verbose
    with progress("prefixes", len(blocks), verbose, summary=False) as advance:
        workers.run(sweep, range(len(blocks)))
    return correct.sum(axis=0) / n


def shortest_within_error(scores: Floats, n: int) -> int:
    """Fewest features whose accuracy is within one standard error of the best.

    The standard error is that of a share p of n rows, √(p (1 − p) / n), at the best.
    """
    best = scores.max()
    error = np.sqrt(best * (1 - best) / n)
    # An accuracy is a whole number of n-ths: rounding shall not decide.
    return int(np.argmax(scores >= best - error - 1e-9 / n)) + 1


def _in_panels(table: Table, order: Ints, workers: Workers) -> kernels.Prefixes:
    """The table in panels, features in order, each class at a border of vectors."""
    n, d = table.X.shape
    room = -(-table.counts // kernels.DOUBLES) * kernels.DOUBLES
    edges = np.concatenate([[0], np.cumsum(room)])
    places = np.arange(n) + (edges[:-1] - table.starts[:-1])[table.y]
    n_panels = -(-int(edges[-1]) // kernels.WIDTH)
    step = len(kernels.STEPS)
    begin = np.full(n_panels * kernels.WIDTH, np.inf)
    begin[places] = 0.0
    rank = np.full(len(begin), kernels.NOBODY)
    rank[places] = table.rows
    prefixes = kernels.Prefixes(
        _zeros_in_lines((n_panels, -(-d // step) * step, kernels.WIDTH)),
        begin,
        places,
        table.y,
        edges,
        rank,
    )
    workers.run(
        lambda p: kernels.pack_panel(table.X, order, p, prefixes), range(n_panels)
    )
    return prefixes


def _in_columns(
    table: Table, mixed: kernels.Mixed, order: Ints
) -> kernels.MixedPrefixes:
    """The table column by column in order, and what its cells lack."""
    n, d = table.X.shape
    columns = np.ascontiguousarray(table.X.T[order])
    place = np.empty(d, np.int64)
    place[order] = np.arange(d)
    nominal = np.zeros(d, np.bool_)
    nominal[place[mixed.nominal]] = True
    columns[place[mixed.nominal]] = mixed.codes.T
    features = place[mixed.features]
    rows = np.repeat(np.arange(n), np.diff(mixed.starts))
    by_feature = np.lexsort((rows, features))
    return kernels.MixedPrefixes(
        columns,
        nominal,
        np.searchsorted(features[by_feature], np.arange(d + 1)),
        rows[by_feature],
        mixed.pairs[by_feature],
        mixed.expected,
        kernels.Layout(table.y, table.starts, np.empty((0, 0), np.int64)),
        table.rows,
    )


def _zeros_in_lines(shape: tuple[int, ...]) -> Floats:
    """An array of zeros that begins where a line of the cache does."""
    size = int(np.prod(shape))
    room = np.zeros(size + kernels.DOUBLES)
    start = -(room.ctypes.data // room.itemsize) % kernels.DOUBLES
    return room[start : start + size].reshape(shape)
