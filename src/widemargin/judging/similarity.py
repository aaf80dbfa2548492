"""How similar features are, a block of them at a time."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from widemargin.data.protocol import Floats, Ints
from widemargin.discrete import MOST, Coded, Codes
from widemargin.settings import current
from widemargin.threads import Workers

FEWEST = 3  # rows in common: two points are always on a line
ROUNDING = 1e-12  # relative to the values, what varies less does not vary
DIGITS = 1e-6  # a variance so much smaller than the squares has lost too many


class Columns(Protocol):
    """Numbers and nominal values of a table, apart."""

    @property
    def numbers(self) -> Floats:
        """(n, d), NaN where a value is missing or not a number."""

    @property
    def nominal(self) -> dict[int, Ints]:
        """Codes of nominal columns, the most frequent value 0, −1 for a missing one."""


class Similarity(Protocol):
    """Similarities between 0 and 1."""

    usable: NDArray[np.bool_]  # (d,) features that can be similar to any other
    block: int  # how many to ask for at a time

    def __call__(self, features: Ints, others: Ints) -> Floats:
        """Similarity of each feature with each of the others."""


class Correlation:
    """|r| over the rows in which both features have a value."""

    def __init__(self, columns: Columns) -> None:
        self.block = current().correlation_block
        V = np.ascontiguousarray(columns.numbers.T)
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


def _two_pass(a: Floats, b: Floats) -> float:
    """Pearson's r; 0 if either does not vary but for rounding."""
    size_a, size_b = np.abs(a).max(), np.abs(b).max()
    a, b = a - a.mean(), b - b.mean()
    if min(np.ptp(a) - ROUNDING * size_a, np.ptp(b) - ROUNDING * size_b) <= 0:
        return 0.0
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


class Uncertainty:
    """Symmetrical uncertainty of features in bins of equal frequency."""

    def __init__(
        self, columns: Columns, n_bins: int, labels: Ints, workers: Workers
    ) -> None:
        self.block = current().uncertainty_block
        codes = _codes(columns, min(n_bins, MOST - 1))
        self.coded = Coded(codes, labels, workers)
        self.usable = self.coded.entropies(self.coded.sums) > 0

    def __call__(self, features: Ints, others: Ints) -> Floats:
        """SU of each feature with each of the others."""
        measure = self.coded.redundancy_uncertainty
        return np.array([measure(int(f), others) for f in features])

    def relevance(self) -> Floats:
        """SU of each feature with the class."""
        return self.coded.relevance_uncertainty()


def _codes(columns: Columns, n_bins: int) -> Codes:
    """Small integers, one row per column, 0 for a missing value."""
    n, d = columns.numbers.shape
    codes = np.zeros((d, n), np.uint8)
    for f in range(d):
        if f in columns.nominal:
            # Of a column with very many values the rarest are taken together.
            codes[f] = np.minimum(columns.nominal[f] + 1, MOST - 1)
            continue
        there = ~np.isnan(columns.numbers[:, f])
        codes[f, there] = quantile_bins(columns.numbers[there, f], n_bins)
    return codes


def quantile_bins(values: Floats, n_bins: int) -> Codes:
    """Bins 1, 2, … of equal frequency; few values keep a bin each."""
    distinct, place = np.unique(values, return_inverse=True)
    if len(distinct) <= n_bins:
        return (place + 1).astype(np.uint8)
    # By the middle of a value's ranks, so that a frequent one does not swallow others.
    middle = (rankdata(values) - 0.5) / len(values)
    return (np.floor(n_bins * middle) + 1).astype(np.uint8)
