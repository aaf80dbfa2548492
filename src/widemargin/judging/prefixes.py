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

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.judging.folds import Fold
from widemargin.threads import Workers, fill_up, spans


class Space(NamedTuple):
    """Rows as 1-NN sees them."""

    columns: Floats  # (d, n) numbers, or codes; nothing is missing
    y: Ints  # (n,) class codes
    training: Ints  # (m,) rows that may be neighbours, sorted by class
    nominal: NDArray[np.bool_]  # (d,) which columns hold codes
    shift: Floats  # (d,) what to subtract from numbers
    factor: Floats  # (d,) and what to multiply them by then

    def prefixes(self, order: Ints, rows: Ints, workers: Workers) -> kernels.Prefixes:
        """Training rows, and others to predict; features in order, scaled."""
        # Some features and rows are repeated: kernels take so many at a time.
        order = np.resize(order, fill_up(len(order), kernels.GROUP))
        rows = np.resize(rows, fill_up(len(rows), kernels.LANES))
        columns = np.empty((len(order), len(self.training)))
        queries, how = np.empty((len(order), len(rows))), (self.shift, self.factor)

        def scale(part: slice) -> None:
            some = self.columns, order[part]
            kernels.scale_columns(*some, self.training, *how, columns[part])
            kernels.scale_columns(*some, rows, *how, queries[part])

        workers.run(scale, workers.shares(len(order), 256))
        classes = np.arange(self.y.max() + 2)
        starts = np.searchsorted(self.y[self.training], classes)
        return kernels.Prefixes(columns, queries, self.nominal[order], starts)


def spaces(
    X: Floats, y: Ints, folds: Sequence[Fold], scale: str | None, nominal: Ints | None
) -> Iterator[Space]:
    """For each fold, all rows as the training rows scale them."""
    by_class = np.argsort(y, kind="stable")
    nominals = np.zeros(X.shape[1], np.bool_)
    nominals[[] if nominal is None else nominal] = True
    columns = np.array(X.T, np.float64, order="C")
    gappy = np.flatnonzero(np.isnan(columns.sum(axis=1)))
    missing = np.isnan(columns[gappy])
    parts = _Parts(X, folds, scale)
    for v, (train, _) in enumerate(folds):
        used = np.zeros(len(y), np.bool_)
        used[train] = True
        shift, factor = parts.without(v)
        for f, there in zip(gappy, ~missing, strict=True):
            known = columns[f, there & used]
            fill = np.median(known) if len(known) and not nominals[f] else -1.0
            columns[f, ~there] = fill
            part = columns[f, used, None], [(np.empty(0, np.int64),) * 2], scale
            shift[f], factor[f] = (a[0] for a in _Parts(*part).without(0))
        shift[nominals], factor[nominals] = 0.0, 1.0
        yield Space(columns, y, by_class[used[by_class]], nominals, shift, factor)


def constant_in_training(X: Floats, folds: Sequence[Fold]) -> NDArray[np.bool_]:
    """Features that do not vary in the training rows of each fold, (V, d)."""
    parts = _Parts(X, folds, "minmax")
    return np.array([parts.without(v)[1] == 0 for v in range(len(folds))])


class _Parts:
    """Ranges, or moments, of parts of the rows; what a fold trains on scales a table.

    A part is what is in the test rows of the same folds: mostly of one, or of none.
    """

    def __init__(self, X: Floats, folds: Sequence[Fold], scale: str | None) -> None:
        tested = np.zeros((len(X), len(folds)), np.bool_)
        for v, (_, test) in enumerate(folds):
            tested[test, v] = True
        # Rows are of one part if they agree in all bits, which fit into one number:
        # `np.unique` of whole rows is many times slower than that of numbers.
        assert len(folds) < 63
        bits = tested @ (1 << np.arange(len(folds))[::-1])
        _, first, part = np.unique(bits, return_index=True, return_inverse=True)
        self.tested = tested[first]
        parts = [np.flatnonzero(part == p) for p in range(len(first))]
        self.scale, self.counts = scale, np.array([len(p) for p in parts])
        d = X.shape[1]
        self.low = np.full((len(parts), d), np.inf)
        self.high = np.full((len(parts), d), -np.inf)
        self.mean, self.squares = np.zeros((2, len(parts), d))
        for v, rows in enumerate(parts):
            if scale is None or not len(rows):
                continue
            U = X[rows]
            self.low[v], self.high[v] = U.min(axis=0), U.max(axis=0)
            if scale == "standard":
                self.mean[v] = U.mean(axis=0, dtype=float)
                self.squares[v] = np.square(U - self.mean[v]).sum(axis=0, dtype=float)

    def without(self, v: int) -> tuple[Floats, Floats]:
        """What to subtract and to multiply by, by the training rows of fold v.

        A feature that does not vary there is as far from all of them: it becomes 0.
        """
        d = self.low.shape[1]
        if self.scale is None:
            return np.zeros(d), np.ones(d)
        used = np.flatnonzero(~self.tested[:, v])
        low, high = self.low[used].min(axis=0), self.high[used].max(axis=0)
        shift, span = low.copy(), high - low
        if self.scale == "standard":
            m = self.counts[used]
            shift = m @ self.mean[used] / m.sum()
            moved = m @ np.square(self.mean[used] - shift)
            span = np.sqrt((self.squares[used].sum(axis=0) + moved) / m.sum())
        same = low == high
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
        lambda part: kernels.prefix_hits(
            prefixes, part.start, labels[part], right[part]
        ),
        spans(len(rows), kernels.LANES),
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
        lambda part: kernels.prefix_means(prefixes, queries[part], y, k, means[part]),
        workers.shares(len(rows), 1, kernels.LANES),
    )
    return means
