"""The best additive explanation of a target: what features tell one at a time.

Each feature is spread into a few numbers by row (`Basis`). Their effects are normal
with a variance per feature, the linear part apart from the rest, which marginal
likelihood estimates (MacKay's updates). What has no effect beyond chance is dropped,
so that an additive model of fifty features costs few degrees of freedom. For classes,
this is done at each step of iteratively reweighted least squares.

References
----------
D. MacKay, *Bayesian interpolation*, Neural Computation 4, 1992.
M. Tipping, A. Faul, *Fast marginal likelihood maximisation for sparse Bayesian models*,
AISTATS 2003.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import legvander
from scipy.linalg import cho_factor, cho_solve, inv, solve_triangular
from scipy.special import chdtrc, expit, gammaln

from widemargin.data.dataset import Columns
from widemargin.data.protocol import Floats, Ints

MAIN, PRODUCT = 6, 2  # degrees of the polynomials of a number: alone, in a pair
OWN = 0.01  # share of a column's norm that no column before it has
FEW_VALUES = 30  # a number with at most as many values has its rare ones merged
RARE_VALUE, RARE_LEVEL = 0.02, 0.05  # shares of the rows
LEVELS = 6  # of a nominal feature that are told apart; all others are one more
GAPS = 0.01  # share of missing cells from which being missing is an effect, too
CHANCE = 0.05  # an effect is dropped if chance does as well with this probability
DROPPED = 0.2  # at most this share of the effects in one step
STEPS, WAIT, SETTLED = 60, 3, 0.01  # at most; before the first drop; change of a fit
WIDEST = 25.0  # variance of an effect
STEEPEST = 7.0  # log-odds


class Basis(NamedTuple):
    """A feature as numbers of mean 0 and variance 1, 0 where it is missing."""

    main: Floats  # (n, k) for the effect of the feature
    product: Floats  # (n, j) for its part in an interaction: the first columns
    degree: Ints  # (j,) of the polynomial; all 1 for a nominal feature
    nominal: bool

    def take(self, rows: Ints) -> Basis:
        """The same for some of the rows."""
        return self._replace(main=self.main[rows], product=self.product[rows])


def bases(columns: Columns) -> list[Basis]:
    """All features of a table."""
    made = []
    for f in range(columns.numbers.shape[1]):
        if f in columns.nominal:
            codes = columns.nominal[f].astype(np.float64)
            values, nominal = np.where(codes < 0, np.nan, codes), True
        else:
            values, nominal = columns.numbers[:, f], False
        there = ~np.isnan(values)
        main = np.zeros((len(values), 0))
        if there.any():
            part = _indicators(values[there]) if nominal else _ranked(values[there])
            main = np.zeros((len(values), part.shape[1]))
            main[there] = part
        product = main if nominal else main[:, :PRODUCT]
        degree = np.arange(1, product.shape[1] + 1) if not nominal else None
        if GAPS < 1 - there.mean() < 1 - GAPS:
            main = np.column_stack([main, (there.mean() - there) / there.std()])
        ones = np.ones(product.shape[1], np.int64)
        made.append(Basis(main, product, ones if degree is None else degree, nominal))
    return made


def _ranked(values: Floats) -> Floats:
    """Orthogonal polynomials of the ranks, those of equal values at their middle.

    Where there are many values, these and their squares are added: ranks say little of
    the tails, and an effect that is missed there looks like an interaction with a
    correlated feature.
    """
    different, codes, counts = np.unique(
        values, return_inverse=True, return_counts=True
    )
    if len(different) <= FEW_VALUES:  # what is rare joins its neighbours
        before = np.cumsum(counts) - counts
        places, last, start = np.empty(len(counts), np.int64), 0, 0
        for i in range(len(counts)):
            if before[i] - start >= RARE_VALUE * len(values):
                last, start = last + 1, before[i]
            places[i] = last
        if last and before[-1] + counts[-1] - start < RARE_VALUE * len(values):
            places[places == last] = last - 1
        codes = places[codes]
        counts = np.bincount(codes)
    ranks: Floats = (np.cumsum(counts) - counts / 2) / len(values)
    degree = min(MAIN, len(counts) - 1)
    made = _orthonormal(legvander(2 * ranks[codes] - 1, degree).astype(np.float64))
    if len(different) <= FEW_VALUES:
        return made
    for power in 1, 2:
        column = ((values - values.min()) / np.ptp(values)) ** power
        column -= column.mean()
        rest = column - made @ (made.T @ column) / len(made)
        if np.linalg.norm(rest) > OWN * np.linalg.norm(column):
            rest *= np.sqrt(len(rest)) / np.linalg.norm(rest)
            made = np.column_stack([made, rest])
    return made


def _indicators(codes: Floats) -> Floats:
    """Contrasts of the frequent levels; all others are one level."""
    shares = np.bincount(codes.astype(np.int64)) / len(codes)
    shown = np.flatnonzero(shares >= RARE_LEVEL)[:LEVELS]
    if np.isclose(shares[shown].sum(), 1.0):
        shown = shown[:-1]
    ones = np.ones((len(codes), 1))
    return _orthonormal(np.hstack([ones, (codes[:, None] == shown).astype(np.float64)]))


def _orthonormal(columns: Floats) -> Floats:
    Q, R = np.linalg.qr(columns)
    scaled: Floats = (Q * np.sign(R.diagonal()) * np.sqrt(len(Q)))[:, 1:]
    return scaled


class Additive(NamedTuple):
    """An additive fit, as the score test needs it."""

    residual: Floats  # (n,) y less what is expected, by the variance of a number
    weight: Floats  # (n,) inverse variances
    factor: Floats  # (p, n) K: the fit's part of the projection is KᵀK
    freedom: float  # degrees of freedom of the fit
    effects: dict[int, Floats]  # (n,) of each feature that has one
    probability: Floats | None  # (n,) for classes
    rows: float  # as many independent ones are worth as much


def fit_additive(
    bases: list[Basis], used: Ints, y: Floats, classes: bool, share: float = 1.0
) -> Additive:
    """Fit the effects of some features on numbers of variance 1, or on 0 and 1.

    ``share`` is what a row is worth, below 1 if those of one group are alike.
    """
    X, effect, owner = _effects(bases, used)
    variance = np.full(effect[-1] + 1, 1.0 / max(effect[-1], 1))
    fit, noise = np.full(len(y), _log_odds(y.mean()) if classes else 0.0), 0.5
    for step in range(STEPS):
        z, w = _working(fit, y, noise, classes, share)
        penalty = 1 / variance[effect]
        penalty[0] = 1e-8  # the intercept
        S = inv((X * w[:, None]).T @ X + np.diag(penalty), check_finite=False)
        b = S @ (X.T @ (w * z))
        change = float(np.abs(X @ b - fit).max())
        fit = X @ b
        by_chance, freedom = {}, 0.0
        for g in np.unique(effect)[1:]:
            own = np.flatnonzero(effect == g)
            by_chance[g] = _by_chance(S[np.ix_(own, own)], b[own], variance[g])
            gamma = len(own) - np.trace(S[np.ix_(own, own)]) / variance[g]
            freedom += gamma
            variance[g] = np.clip(b[own] @ b[own] / max(gamma, 1e-6), 1e-6, WIDEST)
        if not classes:
            noise = float(((y - fit) ** 2).sum() / max(len(y) - 1 - freedom, 1.0))
        gone = _to_drop(by_chance) if step >= WAIT else []
        kept = ~np.isin(effect, gone)
        X, effect, owner = X[:, kept], effect[kept], owner[kept]
        if step > WAIT and not gone and change < SETTLED:
            break
    z, w = _working(fit, y, noise, classes, share)
    penalty = 1 / variance[effect]
    penalty[0] = 1e-8
    A = (X * w[:, None]).T @ X
    information = A.diagonal().copy()
    L = cho_factor(A + np.diag(penalty), lower=True)
    b = cho_solve(L, X.T @ (w * z))
    owners = np.unique(owner[1:]).tolist()
    fit = np.clip(fit, -STEEPEST, STEEPEST) if classes else fit
    return Additive(
        residual=w * (z - fit),
        weight=w,
        factor=solve_triangular(L[0], (X * w[:, None]).T, lower=True),
        freedom=float((information / (information + penalty)).sum()),
        effects={f: X[:, owner == f] @ b[owner == f] for f in owners},
        probability=expit(fit) if classes else None,
        rows=share * len(y),
    )


def _effects(bases: list[Basis], used: Ints) -> tuple[Floats, Ints, Ints]:
    """Columns, the effect that each belongs to, 0 for the intercept, and its feature.

    Of a number, the linear part is an effect of its own; of the others, the higher the
    degree, the smaller they are expected to be.
    """
    columns = [np.ones((len(bases[0].main), 1))]
    effect, owner = [0], [-1]
    for f in used.tolist():
        k = bases[f].main.shape[1]
        if not k:
            continue
        scale = np.ones(k) if bases[f].nominal else 1 / np.maximum(np.arange(k), 1)
        columns.append(bases[f].main * scale)
        rest = effect[-1] + 1
        effect += [rest] * k if bases[f].nominal else [rest, *[rest + 1] * (k - 1)]
        owner += [f] * k
    return np.hstack(columns), np.array(effect, np.int64), np.array(owner, np.int64)


def _working(
    fit: Floats, y: Floats, noise: float, classes: bool, share: float
) -> tuple[Floats, Floats]:
    """The numbers to fit and their weights."""
    if not classes:
        return y, np.full(len(y), share / noise)
    fit = np.clip(fit, -STEEPEST, STEEPEST)
    p = expit(fit)
    w = p * (1 - p)
    return fit + (y - p) / w, share * w


def _by_chance(S: Floats, b: Floats, variance: float) -> float:
    """p-value of an effect, given all the others, from its posterior."""
    precision = inv(S)
    T = precision - np.eye(len(b)) / variance
    T.flat[:: len(b) + 1] += 1e-9 * np.trace(precision)
    q = precision @ b
    return float(chdtrc(len(b), q @ np.linalg.solve(T, q)))


def _to_drop(by_chance: dict[int, float]) -> list[int]:
    """The effects that chance explains best."""
    weak = [g for g, p in by_chance.items() if p > CHANCE]
    most = int(np.ceil(DROPPED * len(by_chance)))
    return sorted(weak, key=lambda g: -by_chance[g])[:most]


def _log_odds(share: float) -> float:
    return float(np.log(share / (1 - share)))


def log_tail(x: Floats, freedom: Ints | int) -> Floats:
    """Log of the probability that χ² is beyond x, also where that is tiny."""
    half, a = np.maximum(x, 1e-300) / 2, np.asarray(freedom) / 2
    far = (
        (a - 1) * np.log(half)
        - half
        - gammaln(a)
        + np.log1p(np.maximum(a - 1, -0.4 * half) / half)
    )
    near = chdtrc(freedom, x)
    tail: Floats = np.where(near > 1e-250, np.log(np.maximum(near, 1e-300)), far)
    return tail
