"""Kernel ridge regression on some features of a table, and what each one adds to it.

`Columns` are the numbers that the features are made of; `KernelRidge` is the fit, with
the gradient of its loss by the weights of the features.
"""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dpotrf, dtrtri, dtrtrs

from widemargin.data.build import moments
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import Table
from widemargin.threads import Workers, spans

TIE = 1e-9  # of the terms of a score: scores as close as this are equal
ROUNDING = 1e-13  # of the distances: what is less is none
PANEL, BLOCK = 64, 256  # rows and columns worked on at a time
GIVEN_AWAY = np.empty((0, 0))  # in the place of a matrix whose memory is needed


class RidgeParameters(Protocol):
    """γ, the share a of the linear kernel, and λ, as `KernelRFE` names them."""

    gamma: float
    linear: float
    alpha: float


class Columns(NamedTuple):
    """Columns of numbers that the features are made of: one, or a block of several."""

    X: Any  # (n, d) numbers, or codes of nominal values; NaN: missing
    feature: Ints  # (p,) the feature that each column belongs to, ascending
    column: Ints  # (p,) which column of X it is, or indicates a value of
    shift: Floats  # (p,)
    span: Floats | None = None  # (p,); None for a table of numbers without gaps
    value: Floats | None = None  # (p,) the code to indicate; NaN: X is the column

    def of(self, features: Ints) -> Columns:
        """The columns of some features."""
        kept = np.isin(self.feature, features)
        parts: Any = (p if p is None else p[kept] for p in self[1:])
        return type(self)(self.X, *parts)

    def take(self, rows: Ints, part: slice = slice(None)) -> Floats:
        """Centred and scaled numbers; 0, the mean, where a value is missing."""
        Z: Floats = self.X[rows[:, None], self.column[part]]
        if self.value is None or self.span is None:
            return np.subtract(Z, self.shift[part], out=Z)
        value, known = self.value[part], ~np.isnan(Z)
        np.copyto(Z, value == Z, where=known & ~np.isnan(value))
        return np.where(known, (Z - self.shift[part]) / self.span[part], 0.0)


class KernelRidge:
    """Kernel ridge regression on the features that are left.

    Weights w of the rows, of mean 1, multiply their squared errors. So with W = diag(w)
    K and Y become W^½ K W^½ and W^½ Y, and m and t weighted means.

    LAPACK works in one triangle. So one matrix M holds R below the diagonal; and, from
    the diagonal up, K + λI, then its Cholesky factor, then the inverse of that.
    """

    def __init__(
        self,
        how: RidgeParameters,
        data: Columns,
        rows: Ints,
        Y: Floats,
        workers: Workers,
        w: Floats | None = None,
    ) -> None:
        self.w, root = w, 1.0 if w is None else np.sqrt(w)[:, None]
        self.how, self.data, self.rows, self.Y = how, data, rows, root * Y
        self.workers, self.total = workers, float((self.Y**2).sum()) or 1.0
        M, self.m, self.t = self._factorise(gram_matrix(data, rows, workers))
        H, _ = dtrtri(M.T, lower=1, overwrite_c=1)
        B = dtrmm(1.0, H, self.Y, lower=1)
        A, self.loss = dtrmm(1.0, H, B, lower=1, trans_a=1), float((B**2).sum())
        squares = [(np.triu(M[i, i.start :]) ** 2).sum(axis=1) for i in _panels(M)]
        self.leave_one_out = ((A.T / np.concatenate(squares)) ** 2).sum() / self.total
        self.A, self.M = root * A, M

    def _factorise(self, G: Floats) -> tuple[Floats, float, float]:
        """The Cholesky factor of K + λI, and R, in the memory of G; m and t."""
        n, how, g, w = len(G), self.how, G.diagonal().copy(), self.w
        pairs, sums = float(n * (n - 1)), (float(g.sum()), float(G.sum()))
        if w is not None:
            pairs, sums = n * n - float(w @ w), (float(w @ g), float(w @ G @ w))
        m = 2 * (n * sums[0] - sums[1]) / pairs
        m = m if m > ROUNDING * sums[0] else 1.0
        t, c = sums[0] / n or 1.0, how.gamma / m
        root = None if w is None else np.sqrt(w)
        for i in _panels(G):  # a few rows stay in the cache
            right, size = slice(i.start, n), i.stop - i.start
            k = G[i, right]
            r = 2 * c * k
            r -= c * g[right]
            r -= c * g[i, None]
            np.exp(np.minimum(r, 0.0, out=r), out=r)
            k *= how.linear / t
            k += (1 - how.linear) * r
            if root is not None:
                k *= root[i, None] * root[right]
            k[:, :size] = np.triu(k[:, :size]) + np.tril(r[:, :size], -1)
            G[i.stop :, i] = r[:, size:].T
        G.flat[:: n + 1] += how.alpha
        _, failed = dpotrf(G.T, lower=1, clean=0, overwrite_a=1)
        if failed:
            raise ValueError(
                f"KernelRFE: alpha={how.alpha:g} is too small for rows that are alike: "
                "the kernel matrix is singular. Use a larger alpha, such as 0.01."
            )
        return G, m, t

    def gradient(self) -> tuple[Floats, float]:
        """s_f of each feature, and the difference up to which two are equal.

        W takes the place of R, so this works once.
        """
        a, A, W, self.M = self.how.linear, self.A, self.M, GIVEN_AWAY
        W.flat[:: len(W) + 1] = 1.0  # R of a row and itself
        factor = (1 - a) * 2 * self.how.gamma / self.m
        for i in _panels(W):
            W[i, : i.stop] *= factor * A[i] @ A[: i.stop].T
            W[i, i] = np.tril(W[i, i]) + np.tril(W[i, i], -1).T
        _mirror(W.T)
        terms = quadratic_forms(
            self.data, self.rows, W, A * math.sqrt(a / self.t), self.workers
        )
        terms /= self.total
        return terms.sum(axis=0), TIE * float(np.abs(terms).sum(axis=0).max())

    def added(self, S: Ints) -> tuple[Floats, float]:
        """The loss without each feature in turn, less the loss with all."""
        self.M = GIVEN_AWAY
        Z, loss = self.data.take(self.rows), np.empty(len(S))

        def leave_out(f: int) -> None:
            others = Z[:, self.data.feature != S[f]]
            M, _, _ = self._factorise(others @ others.T)
            loss[f] = (dtrtrs(M.T, self.Y, lower=1)[0] ** 2).sum()

        if len(S) > 1:
            self.workers.run(leave_out, range(len(S)))
        else:
            loss[0] = self.total / self.how.alpha  # K = 0
        return (loss - self.loss) / self.total, TIE * float(loss.max()) / self.total


@singledispatch
def gram_matrix(data: Any, rows: Ints, workers: Workers) -> Floats:
    """Z Zᵀ, a few columns at a time."""
    n = len(rows)
    G, panels = np.zeros((n, n)), spans(n, PANEL)
    for part in spans(len(data.feature), 4 * BLOCK):
        Z = data.take(rows, part)

        def add(i: slice, Z: Floats = Z) -> None:
            G[i, i.start :] += Z[i] @ Z[i.start :].T

        workers.run(add, panels)
    _mirror(G)
    return G


@singledispatch
def quadratic_forms(
    data: Any, rows: Ints, W: Floats, A: Floats, workers: Workers
) -> Floats:
    """Terms of −½ Σ_ij W_ij (z_i − z_j)² + ‖Aᵀz‖² of each feature, (3, d).

    W is symmetric; a feature of several columns has the sum of theirs.
    """
    w = W.sum(axis=1)
    terms = np.empty((3, len(data.feature)))

    def add(part: slice) -> None:
        Z = data.take(rows, part)
        terms[0, part] = np.einsum("if,if->f", Z, W @ Z)
        terms[2, part] = ((Z.T @ A) ** 2).sum(axis=1)
        terms[1, part] = -(w @ np.square(Z, out=Z))

    workers.run(add, spans(len(data.feature), BLOCK))
    first = np.flatnonzero(np.diff(data.feature, prepend=-1))
    by_feature: Floats = np.add.reduceat(terms, first, axis=1)
    return by_feature


def _mirror(G: Floats) -> None:
    """Fill the lower triangle of a symmetric matrix with the upper one."""
    for i in _panels(G):
        G[i.stop :, i] = G[i, i.stop :].T


def _panels(G: Floats) -> list[slice]:
    return spans(len(G), PANEL)


@singledispatch
def loaded(data: Any, draws: list[Ints]) -> tuple[Any, list[Ints]]:
    """Columns with the rows of the first of some draws in memory, and where these are.

    Of rows on the workers, as many draws as there is room for.
    """
    return data, draws


@singledispatch
def standardised_columns(table: AnyTable, scale: str | None) -> Any:
    """The features that vary, as columns of numbers."""
    assert isinstance(table, Table)
    varying, mixed = np.flatnonzero(~table.constant), table.mixed
    of, whole = np.arange(table.n_features), np.zeros(table.n_features, np.bool_)
    if table.pool is not None:
        of, whole = table.pool.feature, ~np.isnan(table.pool.ranges)
        varying = varying[np.argsort(of[varying], kind="stable")]
    if mixed is None:
        parts = (table.X[:, part] for part in spans(table.n_features, BLOCK))
        mean = np.concatenate([_mean(part, table.weights) for part in parts])
        return Columns(table.X, of[varying], varying, mean[varying])
    # A group of columns has been scaled as a whole.
    X, standard = table.X.copy(), ~whole & (scale in ("standard", "rank"))
    X[:, mixed.nominal] = mixed.codes
    X[mixed.absent] = np.nan
    columns = []
    for f in varying:
        known = ~mixed.absent[:, f]
        x, w = X[known, f], None if table.weights is None else table.weights[known]
        if f in mixed.nominal:
            codes, places = np.unique(x, return_inverse=True)
            q = np.bincount(places, w) / (len(x) if w is None else w.sum())
            differ = 1 - (q**2).sum()  # the probability that two rows do
            span = math.sqrt(differ if standard[f] else 2.0) / mixed.weights[f]
            columns += [(f, p, span, c) for c, p in zip(codes, q, strict=True)]
        else:
            span = moments(x, w)[1] if standard[f] else 1.0
            columns.append((f, _mean(x, w), span, np.nan))
    column, *rest = np.array(columns).reshape(-1, 4).T
    column = column.astype(np.int64)
    return Columns(X, of[column], column, *rest)


def _mean(X: Floats, w: Floats | None) -> Any:
    """Means of columns, to the last digits also of values far from 0."""
    low = X.min(axis=0)
    return low + np.average(X - low, axis=0, weights=w)
