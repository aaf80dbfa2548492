"""Near copies: how similar features are, and rankings without those that are.

Features are visited best first. One that is similar, by a threshold or more, to a
feature kept before is skipped; else it is kept. Similarities come in blocks of features
that may be kept against all that come after: there is never a matrix of d² of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array
from scipy.stats import rankdata

from widemargin.data.blocks import by_feature, columns_of
from widemargin.data.dataset import Dataset
from widemargin.data.frames import is_sparse
from widemargin.data.protocol import Floats, Ints
from widemargin.data.sparse import added_up, row_of_cells
from widemargin.discrete import MOST, Coded, Codes
from widemargin.settings import current
from widemargin.threads import Workers

SIMILARITIES = 2**24  # of a sparse table, that are held at once
FEWEST = 3  # rows in common: two points are always on a line
ROUNDING = 1e-12  # relative to the values, what varies less does not vary
DIGITS = 1e-6  # a variance so much smaller than the squares has lost too many
TIE = 1e-10  # similarities this close are equal
N_BINS = 5  # of equal frequency, for numbers in a table that has nominal values, too


class Similarity(Protocol):
    """Similarities between 0 and 1."""

    usable: NDArray[np.bool_]  # (d,) features that can be similar to any other
    block: int  # how many to ask for at a time

    def __call__(self, features: Ints, others: Ints) -> Floats:
        """Similarity of each feature with each of the others."""


class Correlation:
    """|r| over the rows in which both features have a value."""

    def __init__(self, numbers: Floats) -> None:
        self.block = current().correlation_block
        V = np.ascontiguousarray(numbers.T)
        there = ~np.isnan(V)
        V = np.where(there, V, 0.0)
        # The range first, so that no square overflows.
        largest = np.abs(V).max(axis=1, keepdims=True)
        V /= np.where(largest > 0, largest, 1.0)
        counts = np.maximum(there.sum(axis=1, keepdims=True), 1)
        V = np.where(there, V - V.sum(axis=1, keepdims=True) / counts, 0.0)
        length = np.sqrt(np.einsum("fi,fi->f", V, V))[:, None]
        # Of a constant column, what is left of its values is rounding.
        varies = length[:, 0] > ROUNDING * np.sqrt(V.shape[1])
        self.usable = varies & (counts[:, 0] >= FEWEST)
        self.values = V / np.where(length > 0, length, 1.0)
        self.complete: NDArray[np.bool_] = np.all(there, axis=1)
        self.there = None if self.complete.all() else there

    def __call__(self, features: Ints, others: Ints) -> Floats:
        """|r| of each feature with each of the others."""
        r = self.values[features] @ self.values[others].T
        partly, partly_too = ~self.complete[features], ~self.complete[others]
        if partly.any():
            r[partly] = self._in_common(features[partly], others)
        if partly_too.any() and not partly.all():
            r[np.ix_(~partly, partly_too)] = self._in_common(
                features[~partly], others[partly_too]
            )
        np.abs(r, out=r)
        return np.minimum(r, 1.0, out=r)

    def _in_common(self, features: Ints, others: Ints) -> Floats:
        """R over the rows that each pair has in common; 0 where it is undefined."""
        assert self.there is not None
        A, B = self.values[features], self.values[others]
        P, Q = (self.there[g].astype(np.float64) for g in (features, others))
        m = np.maximum(P @ Q.T, 1.0)
        a, b = A @ Q.T / m, P @ B.T / m
        covariance = A @ B.T / m - a * b
        spread_a, spread_b = A**2 @ Q.T / m, P @ (B**2).T / m
        left_a, left_b = spread_a - a * a, spread_b - b * b
        sure = (left_a > DIGITS * spread_a) & (left_b > DIGITS * spread_b)
        root = np.sqrt(np.where(sure, left_a * left_b, 1.0))
        r = np.where(sure & (m >= FEWEST), covariance / root, 0.0)
        for f, g in np.argwhere(~sure & (m >= FEWEST)):
            both = (P[f] > 0) & (Q[g] > 0)
            r[f, g] = _two_pass(A[f, both], B[g, both])
        return r


class CellCorrelation:
    """|r| of columns of which only some cells are stored."""

    def __init__(self, X: Any) -> None:
        n, d = X.shape
        self.block = max(1, min(current().correlation_block, SIMILARITIES // d))
        self.X = csc_array(X, copy=True)
        column, values = row_of_cells(self.X), self.X.data
        largest = np.zeros(d)
        np.maximum.at(largest, column, np.abs(values))
        values /= largest[column]
        self.mean = added_up(column, values, d) / n
        squares = added_up(column, (values - self.mean[column]) ** 2, d)
        zeros = n - np.diff(self.X.indptr)
        self.length = np.sqrt(squares + zeros * self.mean**2)
        self.usable = (self.length > ROUNDING * np.sqrt(n)) & (n >= FEWEST)

    def __call__(self, features: Ints, others: Ints) -> Floats:
        """|r| of each feature with each of the others."""
        Z = (self.X[:, features].toarray() - self.mean[features]) / self.length[
            features
        ]
        products = self.X[:, others].T @ Z
        r: Floats = np.abs(products / self.length[others][:, None]).T
        return np.minimum(r, 1.0, out=r)


def _two_pass(a: Floats, b: Floats) -> float:
    """Pearson's r; 0 if either does not vary but for rounding."""
    size_a, size_b = np.abs(a).max(), np.abs(b).max()
    a, b = a - a.mean(), b - b.mean()
    if min(np.ptp(a) - ROUNDING * size_a, np.ptp(b) - ROUNDING * size_b) <= 0:
        return 0.0
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


class Uncertainty:
    """Symmetrical uncertainty of features in bins of equal frequency.

    ``nominal`` has the codes of nominal columns, the most frequent value 0, −1 for a
    missing one.
    """

    def __init__(
        self,
        numbers: Floats,
        nominal: dict[int, Ints],
        n_bins: int,
        labels: Ints,
        workers: Workers,
    ) -> None:
        self.block = current().uncertainty_block
        codes = _codes(numbers, nominal, min(n_bins, MOST - 1))
        self.coded = Coded(codes, labels, workers)
        self.usable = self.coded.entropies(self.coded.sums) > 0

    def __call__(self, features: Ints, others: Ints) -> Floats:
        """SU of each feature with each of the others."""
        measure = self.coded.redundancy_uncertainty
        return np.array([measure(int(f), others) for f in features])

    def relevance(self) -> Floats:
        """SU of each feature with the class."""
        return self.coded.relevance_uncertainty()


class OfGroups:
    """Similarity of features that are groups of columns.

    Of two groups, √(Σ s_ab²) / (Σ s_aa'² · Σ s_bb'²)^¼ over their columns: with
    s = |r|, the root of the RV coefficient (Escoufier 1973). Of single columns it is s.
    """

    def __init__(self, of_columns: Similarity, feature_of: Ints) -> None:
        self.of_columns, self.feature_of = of_columns, feature_of
        self.usable = by_feature(feature_of, of_columns.usable, np.logical_or)
        self.block = of_columns.block
        self.size = np.array(
            [
                (self._columns(np.array([f]), np.array([f])) ** 2).sum() ** 0.25
                for f in range(len(self.usable))
            ]
        )

    def _columns(self, features: Ints, others: Ints) -> Floats:
        return self.of_columns(
            columns_of(self.feature_of, features), columns_of(self.feature_of, others)
        )

    def __call__(self, features: Ints, others: Ints) -> Floats:
        """Similarity of each feature with each of the others."""
        squares = self._columns(features, others) ** 2
        for side in (features, others):
            counts = np.bincount(self.feature_of)[side]
            starts = np.cumsum(counts) - counts
            squares = np.add.reduceat(squares, starts, axis=0).T
        root = np.sqrt(squares) / np.outer(self.size[features], self.size[others])
        return np.minimum(root, 1.0)


def of_groups(of_columns: Similarity, feature_of: Ints | None) -> Similarity:
    """The similarity of features: of columns, or of groups of them if there are."""
    return of_columns if feature_of is None else OfGroups(of_columns, feature_of)


def _codes(numbers: Floats, nominal: dict[int, Ints], n_bins: int) -> Codes:
    """Small integers, one row per column, 0 for a missing value."""
    n, d = numbers.shape
    codes = np.zeros((d, n), np.uint8)
    for f in range(d):
        if f in nominal:
            # Of a column with very many values the rarest are taken together.
            codes[f] = np.minimum(nominal[f] + 1, MOST - 1)
            continue
        there = ~np.isnan(numbers[:, f])
        codes[f, there] = quantile_bins(numbers[there, f], n_bins)
    return codes


def quantile_bins(values: Floats, n_bins: int) -> Codes:
    """Bins 1, 2, … of equal frequency; few values keep a bin each."""
    distinct, place = np.unique(values, return_inverse=True)
    if len(distinct) <= n_bins:
        return (place + 1).astype(np.uint8)
    # By the middle of a value's ranks, so that a frequent one does not swallow others.
    middle = (rankdata(values) - 0.5) / len(values)
    return (np.floor(n_bins * middle) + 1).astype(np.uint8)


class Thinned(NamedTuple):
    """A ranking without near copies at the top."""

    order: Ints  # (d,) features kept, best first, then the others, then those skipped
    instead: Ints  # (d,) the kept feature that stands for a skipped one, else −1


def _similarity_of(data: Dataset, workers: Workers) -> Similarity:
    """|r|, or symmetrical uncertainty if values are nominal or missing."""
    if is_sparse(data.X):
        return CellCorrelation(data.X)
    numbers, nominal = np.asarray(data.X, np.float64), data.nominal
    columns = [] if nominal is None else nominal.tolist()
    if not columns and not np.isnan(numbers).any():
        return of_groups(Correlation(numbers), data.feature_of)
    codes = {f: _by_frequency(numbers[:, f]) for f in columns}
    similarity = Uncertainty(numbers, codes, N_BINS, data.codes, workers)
    return of_groups(similarity, data.feature_of)


def _by_frequency(values: Floats) -> Ints:
    """Codes of nominal values, the most frequent one 0; −1 for a missing one."""
    there = ~np.isnan(values)
    _, place, counts = np.unique(values[there], return_inverse=True, return_counts=True)
    codes = np.full(len(values), -1)
    codes[there] = np.argsort(np.argsort(-counts, kind="stable"))[place]
    return codes


def thin(
    order: Ints,
    data: Dataset,
    thresholds: Iterable[float],
    wanted: int,
    workers: Workers,
) -> list[Thinned]:
    """Move features that are similar to better ones to the end of a ranking.

    Parameters
    ----------
    order : array of int
        All features, best first.
    data : Dataset
        The rows by which features are compared, as numbers and codes.
    thresholds : iterable of float
        Features at least as similar as this are redundant. There is a result for each.
    wanted : int
        How many features have to be told from their near copies. Beyond so many,
        none is skipped for being similar to another one that is not among them.
    workers : Workers
    """
    similarity = _similarity_of(data, workers)
    usable = order[similarity.usable[order]]
    first = similarity(usable[: min(similarity.block, wanted)], usable)
    found = []
    for threshold in thresholds:
        leader, _ = leaders(usable, similarity, threshold, most=wanted, first=first)
        skipped = leader != np.arange(len(order))
        kept, copies = order[~skipped[order]], order[skipped[order]]
        instead = np.where(skipped, leader, -1)
        found.append(Thinned(np.concatenate([kept, copies]), instead))
    return found


def leaders(
    order: Ints,
    similarity: Similarity,
    threshold: float,
    *,
    most: int | None = None,
    first: Floats | None = None,
    advance: Callable[[], Any] = lambda: None,
) -> tuple[Ints, Floats]:
    """The representative of each feature, and how similar it is.

    Parameters
    ----------
    order : array of int
        Features, best first; others represent themselves.
    most : int, optional
        No feature is represented by any but the first so many representatives.
    first : array, optional
        Similarities of the first of them, as many as come in a block and no more than
        ``most``, to all of them.
    advance : function
        Called once for each feature that is done.

    Returns
    -------
    leader : array of shape (n_features,)
        The most similar representative; the feature itself if it is one.
    similarities : array of shape (n_features,)
        1 for features that represent themselves.
    """
    d = len(similarity.usable)
    leader, similar = np.arange(d), np.zeros(d)
    limit = threshold - TIE
    done, found = 0, 0
    while done < len(order) and (most is None or found < most):
        rest = order[done:]
        size = similarity.block if most is None else min(similarity.block, most - found)
        open_: NDArray[np.int64] = np.flatnonzero(similar[rest] < limit)[:size]
        candidates = rest[open_]
        if done == 0 and first is not None:
            block = first
        elif len(candidates):
            block = similarity(candidates, rest)
        else:
            block = np.empty((0, 0))
        near = block >= limit
        for i, (place, f) in enumerate(zip(open_, candidates, strict=True)):
            if similar[f] >= limit:
                continue
            found += 1
            places = place + 1 + np.flatnonzero(near[i, place + 1 :])
            after, close = rest[places], block[i, places]
            closer = close > similar[after] + TIE
            similar[after[closer]] = close[closer]
            leader[after[closer]] = f
        settled = len(rest)
        if len(open_) == size:
            settled = int(open_[-1]) + 1
        done += settled
        for _ in range(settled):
            advance()
    alone = similar < limit
    return np.where(alone, np.arange(d), leader), np.where(alone, 1.0, similar)
