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
from widemargin.folding import Fold
from widemargin.table import Floats, Ints
from widemargin.threads import Workers

QUERIES = 8  # rows whose distances to all rows are worked on together
FARTHEST = 1e150  # scaled values are no larger, so that squares stay finite


class Space(NamedTuple):
    """Rows as 1-NN sees them, sorted by class."""

    columns: Floats  # (d, n) numbers, or codes; nothing is missing
    rows: Ints  # (n,) the caller's row numbers
    y: Ints  # (n,) class codes, ascending
    training: NDArray[np.bool_]  # (n,) which rows may be neighbours
    nominal: NDArray[np.bool_]  # (d,) which columns hold codes
    shift: Floats  # (d,) what to subtract from numbers
    factor: Floats  # (d,) and what to multiply them by then
    n_classes: int

    @property
    def starts(self) -> Ints:
        """First row of each class, and n."""
        return np.searchsorted(self.y, np.arange(self.n_classes + 1))

    @property
    def prior(self) -> Ints:
        """Training rows of each class."""
        return np.bincount(self.y[self.training], minlength=self.n_classes)

    @property
    def begin(self) -> Floats:
        """Distance to each row without any feature: ∞ unless it is for training."""
        return np.where(self.training, 0.0, np.inf)


def spaces(
    X: Floats, y: Ints, folds: Sequence[Fold], scale: str | None, nominal: Ints | None
) -> Iterator[Space]:
    """For each fold, all rows as the training rows scale them."""
    rows = np.argsort(y, kind="stable")
    nominals = np.zeros(X.shape[1], np.bool_)
    nominals[[] if nominal is None else nominal] = True
    columns = np.ascontiguousarray(X[rows].T, np.float64)
    gappy = np.flatnonzero(np.isnan(columns.sum(axis=1)))
    missing = np.isnan(columns[gappy])
    parts = _Parts(X, folds, scale)
    for v, (train, _) in enumerate(folds):
        training = np.zeros(len(y), np.bool_)
        training[train] = True
        training = training[rows]
        shift, factor = parts.without(v)
        for f, there in zip(gappy, ~missing, strict=True):
            known = columns[f, there & training]
            fill = np.median(known) if len(known) and not nominals[f] else -1.0
            columns[f, ~there] = fill
            part = columns[f, training, None], [(np.empty(0, np.int64),) * 2], scale
            shift[f], factor[f] = (a[0] for a in _Parts(*part).without(0))
        shift[nominals], factor[nominals] = 0.0, 1.0
        size = int(y.max()) + 1
        yield Space(columns, rows, y[rows], training, nominals, shift, factor, size)


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
    prefixes = _in_columns(space, order)
    place, prior = np.argsort(space.rows), space.prior
    blocks = [
        (t, place[rows[part]])
        for t, rows in enumerate(tests)
        for part in workers.shares(len(rows), 1, QUERIES)
    ]
    correct = np.zeros((len(blocks), len(order)), np.int64)
    workers.run(
        lambda b: kernels.prefix_hits(prefixes, blocks[b][1], prior, correct[b]),
        range(len(blocks)),
    )
    hits = np.zeros((len(tests), len(order)), np.int64)
    for (t, _), found in zip(blocks, correct, strict=True):
        hits[t] += found
    return hits


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
    prefixes, place = _in_columns(space, order), np.argsort(space.rows)
    queries, y = place[rows], target[space.rows]
    k = min(k, int(np.count_nonzero(space.training)))
    means = np.empty((len(rows), len(order)))
    workers.run(
        lambda part: kernels.prefix_means(prefixes, queries[part], y, k, means[part]),
        workers.shares(len(rows), 1, QUERIES),
    )
    return means


def _in_columns(space: Space, order: Ints) -> kernels.Prefixes:
    """The rows column by column, features in order."""
    with np.errstate(over="ignore"):
        Z = space.columns[order]
        Z -= space.shift[order, None]
        Z *= space.factor[order, None]
    return kernels.Prefixes(
        np.clip(Z, -FARTHEST, FARTHEST, out=Z),
        space.nominal[order],
        space.begin,
        space.y,
        space.starts,
    )
