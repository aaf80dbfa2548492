"""Which features are relevant: one test for all tables, whatever method selects.

A feature competes with permuted copies of itself. If it has nothing to do with the
target and with the other features, its score and that of a copy beside it have one
distribution. Copies of all features are added to the table at once, some thirty times,
and two scores are compared. One is the squared covariance with the target, summed over
classes, which is powerful for features that tell something by themselves. The other is
that of ReliefF for any target: among the nearest rows of each row, a feature should
differ where the targets do; it also finds features that tell something only together.
The p-value is twice the smaller of both. Numbers enter as ranks, and numeric targets as
their normal scores: neither skew nor units matter.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import ndtri
from scipy.stats import false_discovery_control, rankdata
from sklearn.utils import check_random_state

from widemargin.data.blocks import by_feature
from widemargin.data.covariates import residuals, shuffled
from widemargin.data.dataset import Dataset
from widemargin.data.frames import is_sparse
from widemargin.data.outcomes import target_columns
from widemargin.data.protocol import Floats, Ints
from widemargin.data.read import beyond_covariates, read_dataset
from widemargin.data.sparse import ranked_cells
from widemargin.engine.kernel_ridge import (
    gram_matrix,
    quadratic_forms,
    standardised_columns,
)
from widemargin.evaluation._p_values import TIE, copy_p_values
from widemargin.evaluation._selectors import (
    Call,
    count_of,
    repeat,
    stoppable,
    task_of,
)
from widemargin.evaluation._significance import Significance
from widemargin.judging.folds import row_keys, side_by_side
from widemargin.notices import muted
from widemargin.selectors.kernel_rfe import KernelRFE, centred_targets
from widemargin.threads import Workers, single_threaded_blas

ROUNDS = 30
ROWS, PARTS = 600, 5  # larger tables are tested in up to so many parts of so many rows
NEIGHBORS = 20


def relevance(
    X: Any,
    y: Any,
    *,
    n_rounds: int = ROUNDS,
    categorical_features: Any = None,
    feature_groups: Any = None,
    covariates: Any = None,
    task: str | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Significance:
    """Test which features are relevant, by comparing them with permuted copies.

    This is the test behind `AutoSelector` and `compare`, whatever method they choose.
    `significance` tests the scores of a given method instead.

    Parameters
    ----------
    X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        Numbers, nominal features, missing values.
    y : array-like of shape (n_samples,)
        Class labels, or numbers to predict.
    n_rounds : int, default=30
        How often permuted copies of all features are added to the table.
    categorical_features : array-like of bool, int or str, optional
        Nominal columns besides those that the types of a frame declare.
    feature_groups : dict, array-like, "prefix" or None, default=None
        Columns that are one feature, as for the selectors; copies of them are permuted
        together.
    covariates : array-like or frame of shape (n_samples, ...), default=None
        What the features are to tell something beyond, as for the selectors: ranks and
        target lose what covariates explain, and rows are permuted within strata.
    task : str or None, default=None
        What y holds, as for `KernelRFE`; None goes by y.
    random_state : int, RandomState or None, default=None
        Random seed.
    n_jobs : int or None, default=None
        Fits at a time; None uses all cores.
    verbose : int, default=0
        Show progress if positive.

    Returns
    -------
    Significance
        The p-values and q-values of all features. ``scores`` are squared covariances of
        the features, as ranks, with the target (of numbers, their normal scores).

    Notes
    -----
    A feature that is correlated with a relevant one is relevant, too. Permuted copies
    treat rows as independent: with several rows of one person or machine, p-values are
    too small. Of tables with more than 600 rows, up to five parts of at most 600
    rows are tested together. Features that matter only in combination are hard to find
    among hundreds of others.

    Examples
    --------
    >>> from widemargin.datasets import make_xor
    >>> from widemargin.evaluation import relevance
    >>> X, y = make_xor(400, random_state=0)  # parity of columns 0, 1, 2
    >>> relevance(X, y, random_state=0).significant().nonzero()[0]
    array([0, 1, 2])
    """
    count_of("relevance", "n_rounds", n_rounds, 5)
    task = task_of(None, y, task, "relevance")
    data = read_dataset(X, y, "relevance", task=task, sparse=True)
    data = data.grouped(feature_groups, "relevance")
    data = beyond_covariates(data, covariates, "relevance")
    data.warn_of_columns("relevance", categorical_features)
    return relevance_test(
        data,
        n_rounds,
        categorical_features=categorical_features,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )


def relevance_test(
    data: Dataset,
    n_rounds: int = ROUNDS,
    *,
    categorical_features: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Significance:
    """Do the work of `relevance` on a table that was read already."""
    data = data.take(_in_order(data))
    apart, data = _rows_apart(data), _ranked(data)
    random, d = check_random_state(random_state), data.shape[1]
    ranker: Any = KernelRFE(categorical_features=categorical_features)
    ranker.set_params(task=data.task)
    with muted():  # the caller has said it
        parts = [Part(ranker, rows) for rows in _parts(data, random)]
    tests = [
        (part, shuffled(part.strata, len(part.Y), random))
        for _ in range(n_rounds)
        for part in parts
    ]
    # For both scores, those of features and of their copies; 0 for constant features.
    scores = np.zeros((2, 2, n_rounds, len(parts), d))
    flat = scores.reshape(2, 2, len(tests), d)

    def compare(t: int) -> None:
        part, order = tests[t]
        flat[:, :, t, part.features] = part.beside_copies(order)

    with stoppable("relevance"):
        repeat(compare, len(tests), Call("relevance", "rounds", n_jobs, verbose))
    own, copies = scores.mean(axis=3).swapaxes(0, 1)
    squares = own[0].mean(axis=0)
    # The cube root of a sum of squares is nearly normal (Wilson and Hilferty 1931).
    np.cbrt(own[0], out=own[0])
    np.cbrt(copies[0], out=copies[0])
    by_score = [copy_p_values(o, c, apart) for o, c in zip(own, copies, strict=True)]
    p = np.minimum(1.0, 2 * np.minimum(*by_score))
    q = false_discovery_control(p, method="bh")
    how = (
        f"Each feature was compared with {n_rounds} permuted copies of itself beside "
        "copies of all others, by its covariance with the target and by nearest rows."
    )
    return Significance(squares, p, q, data.names, n_rounds, "copies", how)


class Part:
    """Some rows in which features are compared with copies of themselves."""

    def __init__(self, ranker: KernelRFE, data: Dataset) -> None:
        with Workers(1) as workers, single_threaded_blas():
            table = ranker._table(ranker._view(data), workers)
            self.columns = standardised_columns(table, ranker.scale)
            self.strata = None if data.strata is None else data.strata[table.rows]
            self.features = np.unique(self.columns.feature)
            Y = centred_targets(table, ranker.task)
            self.Y = _normal_scores(Y) if ranker.task == "regression" else Y
            self.rows = np.arange(len(self.Y))
            self.gram = gram_matrix(self.columns, self.rows, workers)
        y = (self.Y**2).sum(axis=1)
        self.apart = y[:, None] + y - 2 * self.Y @ self.Y.T  # squared, of two targets

    def beside_copies(self, order: Ints) -> Floats:
        """Both scores of features and of copies with rows in this order, (2, 2, d)."""
        if not len(self.features):
            return np.empty((2, 2, 0))
        pull = self._pull(self.gram + self.gram[np.ix_(order, order)])
        with Workers(1) as workers:
            terms = np.array(
                [
                    quadratic_forms(self.columns, rows, pull, self.Y, workers)
                    for rows in (self.rows, order)
                ]
            )
        return np.array([terms[:, 2], terms[:, :2].sum(axis=1)])

    def _pull(self, gram: Floats) -> Floats:
        """How near pairs of rows reward that a feature is alike in both.

        Among the nearest rows of each, the more so the less their targets differ
        compared with the others' (ReliefF for any target). Rows tied with the last of
        them share its place, so that rounding decides nothing.
        """
        n = len(gram)
        k = min(NEIGHBORS, n - 1)
        closeness = 2 * gram - gram.diagonal()  # of the rows to each, up to a constant
        np.fill_diagonal(closeness, -np.inf)
        last = np.partition(closeness, n - k, axis=1)[:, n - k, None]
        tie = TIE * gram.diagonal().max()
        near = closeness > last + tie
        tied = (closeness >= last - tie) & ~near
        places = (k - near.sum(axis=1)) / tied.sum(axis=1)
        W: Floats = near + tied * places[:, None]
        W *= (W * self.apart).sum(axis=1, keepdims=True) / k - self.apart
        return W + W.T


def _in_order(data: Dataset) -> Ints:
    """The rows in an order that depends on what they hold, not on how they came."""
    X, nominal = data.X, data.nominal
    if data.target is not None:
        X = side_by_side(X, data.target.reshape(X.shape[0], -1))
    return np.lexsort((row_keys(X, data.codes, nominal=nominal), data.codes))


def _ranked(data: Dataset) -> Dataset:
    """The same table with ranks, as shares of the rows, in the place of numbers."""
    if is_sparse(data.X):
        return data.with_values(ranked_cells(data.X) / (1 + data.shape[0]))
    values: Floats = np.array(data.X, np.float64)
    coded = np.empty(0, np.int64) if data.nominal is None else data.nominal
    numbers = np.setdiff1d(np.arange(values.shape[1]), coded)
    ranks = rankdata(values[:, numbers], axis=0, nan_policy="omit")
    values[:, numbers] = ranks / (1 + np.sum(~np.isnan(ranks), axis=0))
    if data.design is not None:
        values[:, numbers] = residuals(values[:, numbers], data.design)
    whole = np.zeros(data.values.shape)
    whole[data.rows] = values
    return replace(data, values=whole)


def _normal_scores(Y: Floats) -> Floats:
    """Numeric targets by their ranks: a few large numbers would decide every score."""
    scores: Floats = ndtri((rankdata(Y, axis=0) - 0.5) / len(Y))
    scores -= scores.mean(axis=0)
    return scores / np.maximum(scores.std(axis=0), np.finfo(np.float64).tiny)


def _rows_apart(data: Dataset) -> Ints:
    """How many rows are not of the most frequent value, of each feature."""
    X, n = data.X, data.shape[0]
    if is_sparse(X):
        return np.bincount(csr_array(X).indices, minlength=X.shape[1])
    apart = n - np.array([np.unique(x, return_counts=True)[1].max() for x in X.T])
    of = data.feature_of
    return apart if of is None else by_feature(of, apart, np.maximum)


def _parts(data: Dataset, random: np.random.RandomState) -> list[Dataset]:
    """All rows, or disjoint random parts of them, in which classes are as frequent."""
    n = data.shape[0]
    if n <= ROWS:
        return [data]
    count = min(PARTS, -(-n // ROWS))
    size = min(ROWS, n // count)
    y: NDArray[Any] = data.codes
    if data.target is not None:
        y = target_columns(data.target, data.task)[:, 0]
    shuffled = random.permutation(n)
    by_target = shuffled[np.argsort(y[shuffled], kind="stable")]
    # Neighbours in this order go to different parts, of the rows that are needed.
    chosen: Ints = np.linspace(0, n - 1, count * size).round().astype(np.int64)
    return [data.take(np.sort(by_target[chosen[p::count]])) for p in range(count)]
