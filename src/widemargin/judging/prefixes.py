"""How good the best 1, 2, 3, … features of a ranking are, judged by nearest rows.

One sweep serves all prefixes. With the features in the order of the ranking, the
squared distance of two rows with k features is that with k − 1 plus one square; the
nearest hit and the nearest miss of every test row are noted after each. That is as much
work for all d accuracies as for the last of them alone.

The class of equally near training rows (relatively 1e-10) is that of most of them, then
the one that is more frequent in the training rows, then the one that comes first. The
order of the rows plays no part. A numeric target is predicted by the mean of the k
nearest rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.build import ranks_among
from widemargin.data.protocol import Floats, Ints
from widemargin.judging.folds import Fold
from widemargin.kernels.prefixes import (
    GROUP,
    LANES,
    Prefixes,
    find_prefix_hits,
    find_prefix_means,
    scale_columns,
)
from widemargin.threads import Workers, fill_up, spans


class Space(NamedTuple):
    """Rows as 1-NN sees them."""

    columns: Floats  # (d, n) numbers, or codes; nothing is missing
    y: Ints  # (n,) class codes
    training: Ints  # (m,) rows that may be neighbours, sorted by class
    nominal: NDArray[np.bool_]  # (d,) which columns hold codes
    shift: Floats  # (d,) what to subtract from numbers
    factor: Floats  # (d,) and what to multiply them by then

    def prefixes(self, order: Ints, rows: Ints, workers: Workers) -> Prefixes:
        """Training rows, and others to predict; features in order, scaled."""
        # Some features and rows are repeated: kernels take so many at a time.
        order = np.resize(order, fill_up(len(order), GROUP))
        rows = np.resize(rows, fill_up(len(rows), LANES))
        columns = np.empty((len(order), len(self.training)))
        queries, how = np.empty((len(order), len(rows))), (self.shift, self.factor)

        def scale(part: slice) -> None:
            some = self.columns, order[part]
            scale_columns(*some, self.training, *how, columns[part])
            scale_columns(*some, rows, *how, queries[part])

        workers.run(scale, workers.shares(len(order), 256))
        classes = np.arange(self.y.max() + 2)
        starts = np.searchsorted(self.y[self.training], classes)
        return Prefixes(columns, queries, self.nominal[order], starts)


def spaces(
    X: Floats, y: Ints, folds: Sequence[Fold], scale: str | None, nominal: Ints | None
) -> Iterator[Space]:
    """For each fold, all rows as the training rows scale them."""
    by_class = np.argsort(y, kind="stable")
    nominals = np.zeros(X.shape[1], np.bool_)
    nominals[[] if nominal is None else nominal] = True
    values = columns = np.array(X.T, np.float64, order="C")
    gappy = np.flatnonzero(np.isnan(columns.sum(axis=1)))
    missing = np.isnan(columns[gappy])
    for train, _ in folds:
        used = np.zeros(len(y), np.bool_)
        used[train] = True
        rows = X
        if scale == "rank":
            columns = _ranks(values, used, nominals)
            rows = columns.T
        shift, factor = _scaling(rows[used], scale)
        for f, there in zip(gappy, ~missing, strict=True):
            seen = columns[f, there & used]
            fill = np.median(seen) if len(seen) and not nominals[f] else -1.0
            columns[f, ~there] = fill
            shift[[f]], factor[[f]] = _scaling(columns[f, used, None], scale)
        shift[nominals], factor[nominals] = 0.0, 1.0
        yield Space(columns, y, by_class[used[by_class]], nominals, shift, factor)


def _ranks(
    values: Floats, training: NDArray[np.bool_], nominal: NDArray[np.bool_]
) -> Floats:
    """Columns of numbers as ranks among the training rows."""
    columns = values.copy()
    for f in np.flatnonzero(~nominal):
        columns[f] = ranks_among(values[f], values[f, training])
    return columns


def constant_in_training(X: Floats, folds: Sequence[Fold]) -> NDArray[np.bool_]:
    """Features that do not vary in the training rows of each fold, (V, d)."""
    return np.array([_scaling(X[train], "minmax")[1] == 0 for train, _ in folds])


def _scaling(X: Floats, scale: str | None) -> tuple[Floats, Floats]:
    """What to subtract from features and to multiply them by.

    A feature that does not vary in the rows is as far from all of them: it becomes 0.
    """
    if scale is None:
        return np.zeros(X.shape[1]), np.ones(X.shape[1])
    low, high = (a.astype(np.float64) for a in (X.min(axis=0), X.max(axis=0)))
    shift, span, same = low, high - low, low == high
    if scale == "standard":
        shift, span = X.mean(axis=0, dtype=float), X.std(axis=0, dtype=float)
    return shift, np.where(same, 0.0, 1 / np.where(same, 1.0, span))


def prefix_hits(
    space: Space, order: Ints, tests: Sequence[Ints], workers: Workers
) -> Ints:
    """How many rows 1-NN gets right with features order[0], order[: 2], and so on.

    Distances are Euclidean; two values of a nominal feature differ by 0 or 1. One row
    of the result for each of ``tests``, some of the caller's rows that are not for
    training.
    """
    rows = np.concatenate(tests)
    prefixes, labels = space.prefixes(order, rows, workers), space.y[rows]
    right = np.empty((len(rows), len(prefixes.columns)), np.bool_)
    workers.run(
        lambda part: find_prefix_hits(prefixes, part.start, labels[part], right[part]),
        spans(len(rows), LANES),
    )
    ends = np.cumsum([len(test) for test in tests])[:-1]
    hits = [part.sum(axis=0) for part in np.split(right, ends)]
    return np.array(hits)[:, : len(order)]


def prefix_means(
    space: Space, order: Ints, rows: Ints, target: Floats, k: int, workers: Workers
) -> Floats:
    """What k-NN regression predicts with features order[0], order[: 2], and so on.

    Distances are as for `prefix_hits`; rows as near as the k-th (relatively 1e-10)
    share the places that nearer ones leave, so that the order of rows plays no part.

    Parameters
    ----------
    space : Space
    order : array of int
        Features, best first.
    rows : array of int
        Some of the caller's rows that are not for training.
    target : array of shape (n,)
        Of the caller's rows.
    k : int
        Neighbours; with fewer training rows, all of these.
    workers : Workers

    Returns
    -------
    means : array of shape (len(rows), len(order))
    """
    prefixes = space.prefixes(order, rows, workers)
    y = target[space.training]
    k, queries = min(k, len(y)), np.arange(len(rows))
    means = np.empty((len(rows), len(order)))
    workers.run(
        lambda part: find_prefix_means(prefixes, queries[part], y, k, means[part]),
        workers.shares(len(rows), 1, LANES),
    )
    return means
