"""The sweep: rankings of training rows, scored in test rows with the best k features.

`sweep` is the same for every judge. `PrefixJudge`, 1-NN or the mean of the five nearest
rows, scores all sizes at once by kernels that add one feature at a time; see
`widemargin.judging.prefixes`. Any other estimator is fitted once for each size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.protocol import Floats, Ints
from widemargin.judging.choice import AccuracyCurve, Curve, R2Curve
from widemargin.judging.copies import among_rows, best_without_copies
from widemargin.judging.folds import Fold, plain_folds, stratified_folds
from widemargin.judging.measures import lopsided
from widemargin.judging.prefixes import Space, prefix_hits, prefix_means, spaces
from widemargin.progress import progress
from widemargin.threads import Workers

N_FOLDS = 10
THRESHOLDS = (None, 0.9, 0.7)  # what redundancy="auto" chooses among
NEIGHBORS = 5  # rows, the mean of which predicts a numeric target


class Cut(NamedTuple):
    """Training rows, and one or more sets of test rows."""

    train: Ints
    tests: list[Ints]


def sweep(
    orders: Sequence[Ints],
    sizes: Sequence[Ints],
    score: Callable[[Ints, Ints], NDArray[Any]],
) -> list[NDArray[Any]]:
    """Score the best features of several rankings.

    Parameters
    ----------
    orders : list of arrays
        Features, best first: mostly one ranking, with and without near copies.
    sizes : list of arrays
        Numbers of features to score, for each of the orders, ascending.
    score : function (order, sizes) → array of shape (…, n_sizes)
        Not called for an order that begins as the first does.
    """
    found: list[NDArray[Any]] = []
    for order, mine in zip(orders, sizes, strict=True):
        most = int(mine[-1]) if len(mine) else 0
        if found and np.array_equal(order[:most], orders[0][:most]):
            found.append(found[0][..., : len(mine)])
        else:
            found.append(score(order, mine))
    return found


class PrefixJudge(NamedTuple):
    """1-NN, or 5-NN for a numeric target, and the table that it sees.

    The table is not scaled, its rows are in the caller's order.
    """

    X: Floats  # (n, d) numbers, or codes of nominal values; NaN: missing
    y: Ints  # (n,) class codes
    nominal: Ints | None  # columns that hold codes
    scale: str | None  # how to scale numbers, by the training rows
    target: Floats | None = None  # (n,) a number to predict; y is of one class then

    @property
    def scoring(self) -> str:
        """Name of the score, which is the default of `AutoSelector` and `compare`."""
        if self.target is not None:
            return "r2"
        counts = np.bincount(self.y)
        return "balanced_accuracy" if lopsided(counts[counts > 0]) else "accuracy"

    @property
    def class_weights(self) -> Floats:
        """What a row of each class counts: all rows, or all classes, are alike.

        The mean over rows is 1. A class of one row, which is never tested, counts as an
        error among rows, but not among classes.
        """
        counts = np.bincount(self.y)
        if self.scoring == "accuracy":
            return np.ones(len(counts))
        tested = counts > 1
        weights = len(self.y) / (tested.sum() * np.maximum(counts, 1))
        return np.where(tested, weights, 0.0)

    @property
    def deviations(self) -> Floats:
        """The target less its mean, in units of its standard deviation."""
        assert self.target is not None
        y = self.target / np.abs(self.target).max()  # no square shall overflow
        return (y - y.mean()) / y.std()

    def folds(self) -> list[Fold]:
        """Ten stratified folds, or as many as the largest class has members if fewer.

        They depend on what the rows hold, not on their order. A row that is alone in
        its class is in every training part: it is never tested, and counts as an error.
        If all are alone there are no folds. Folds of a numeric target are not
        stratified.
        """
        if self.target is not None:
            n_folds = min(N_FOLDS, len(self.target))
            return plain_folds(self.X, self.target, n_folds, nominal=self.nominal)
        largest = int(np.bincount(self.y).max())
        if largest < 2:
            return []
        return stratified_folds(
            self.X,
            self.y,
            min(N_FOLDS, largest),
            nominal=self.nominal,
            keep_single=True,
        )

    def sums(
        self,
        cuts: Sequence[Cut],
        orders: Sequence[Ints],
        thresholds: Sequence[float | None],
        most: int,
        workers: Workers,
    ) -> list[list[NDArray[Any]]]:
        """Sums over the test rows with the best 1, 2, … features; see `_score`.

        Parameters
        ----------
        cuts : list of Cut
        orders : list of arrays of shape (n_features,)
            Features, best first, as the training rows of each cut rank them.
        thresholds : list of float or None
            Similarity from which a feature is skipped; None skips none.
        most : int
            Largest number of features.
        workers : Workers

        Returns
        -------
        sums : list of lists of arrays of shape (n_tests, …, most)
            For each cut and threshold.
        """
        quiet, found = workers.silent(), []
        sizes = np.arange(1, min(most, self.X.shape[1]) + 1)
        folds = [(train, np.concatenate(tests)) for train, tests in cuts]
        views = spaces(self.X, self.y, folds, self.scale, self.nominal)
        with progress("folds", len(cuts), workers.verbose, summary=False) as advance:
            for (train, tests), order, space in zip(cuts, orders, views, strict=True):
                similarity = among_rows(train, self.X, self.nominal, self.y, quiet)
                thinned = best_without_copies(order, similarity, thresholds, most)
                score = partial(self._score, space, tests, quiet)
                found.append(sweep(thinned, [sizes] * len(thinned), score))
                advance()
        return found

    def _score(
        self,
        space: Space,
        tests: list[Ints],
        workers: Workers,
        order: Ints,
        sizes: Ints,
    ) -> NDArray[Any]:
        """Weighted hits with the best features in each of ``tests``.

        For a numeric target, sums of the gains; see `R2Curve`.
        """
        order = order[: sizes[-1]]
        if self.target is None:
            classes, weights = np.unique(self.y), self.class_weights
            parts = [rows[self.y[rows] == c] for rows in tests for c in classes]
            hits = prefix_hits(space, order, parts, workers)
            by_class = hits.reshape(len(tests), len(classes), -1)
            return np.einsum("tck,c->tk", by_class, weights[classes])
        y, found = self.deviations, []
        for rows in tests:
            t = y[rows, None]
            means = prefix_means(space, order, rows, y, NEIGHBORS, workers)
            g = t**2 - (t - means) ** 2
            found.append([s.sum(axis=0) for s in (g, g**2, g * t**2)])
        return np.array(found)

    def curves(
        self,
        folds: Sequence[Fold],
        orders: Sequence[Ints],
        thresholds: Sequence[float | None],
        most: int,
        workers: Workers,
    ) -> list[Curve]:
        """The curve of each threshold; parameters as for `sums`."""
        cuts = [Cut(train, [test]) for train, test in folds]
        sums = self.sums(cuts, orders, thresholds, most, workers)
        by_threshold = [
            [of_fold[t][0] for of_fold in sums] for t in range(len(thresholds))
        ]
        if self.target is not None:
            y = self.deviations
            squares = [[np.sum(y[test] ** p) for p in (2, 4)] for _, test in folds]
            return [R2Curve(np.array(f), np.array(squares)) for f in by_threshold]
        n, weights = len(self.y), self.class_weights[self.y]
        tested = np.array([weights[test].sum() for _, test in folds] or [n])
        nothing = [np.zeros(min(most, self.X.shape[1]))]
        spread = float(np.mean(weights**2))
        return [
            AccuracyCurve(np.array(f or nothing), tested, n, spread)
            for f in by_threshold
        ]
