"""A score test of the interaction of two features, given an additive fit.

With residuals r, weights W and P = W − KᵀK of the fit, the products B of the two
features' bases have the scores U = Bᵀr. Both features' own effects are taken out once
more without penalty, so that an error of the fit in them does not matter (Neyman's
C(α)). For classes, the normal distribution of each standardised score is corrected by a
saddlepoint approximation, since residuals are skewed where a class is rare; for
numbers, a score is divided by the spread that residuals really show where it is large,
if that is more than the fit expects; both keep the level where the fit's variances
would not.

Three statistics are combined: the product of the ranks, all products of degree 2 and
less, and, of two features with effects, the product of these (Tukey's one degree of
freedom), which is strong for AND.

References
----------
J. Neyman, *Optimal asymptotic tests of composite hypotheses*, 1959.
J. Tukey, *One degree of freedom for non-additivity*, Biometrics 5, 1949.
R. Dey et al., *A fast and accurate algorithm to test for binary phenotypes*, American
Journal of Human Genetics 101, 2017 (saddlepoint approximation of score tests).
Y. Liu, J. Xie, *Cauchy combination test*, JASA 115, 2020.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import expit, logit, logsumexp, ndtri_exp, stdtr

from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation._additive import Additive, Basis, log_tail

CENTRAL = 1.5  # standard deviations up to which a score counts as normal
EXCESS = 1.25  # ratio of variances from which residuals count as more spread
COLLINEAR = 1e-2  # share of a product's variance that has to be its own
NEWTON = 60  # steps
FAR = -20.0  # log p-value from which a tangent is a reciprocal


def pair_test(
    a: Basis, b: Basis, fit: Additive, effects: Floats | None, groups: Ints | None
) -> float:
    """Logarithm of the p-value; ``effects`` is the product of the two, if both have."""
    B, degree = _products(a, b)
    if effects is not None and effects.std() > 1e-9:
        B = np.column_stack([B, effects / effects.std()])
    if not B.shape[1]:
        return 0.0
    n, k = len(B), a.main.shape[1] + b.main.shape[1]
    C = np.hstack([a.main, b.main, B])
    KC = fit.factor @ C
    G, g = C.T @ (C * fit.weight[:, None]) - KC.T @ KC, C.T @ fit.residual
    whole = G.diagonal()[k:].copy()
    G.flat[: k * G.shape[1] : G.shape[1] + 1] += 1e-8 * n * fit.weight.mean()
    A = np.linalg.solve(G[:k, :k], np.column_stack([G[:k, k:], g[:k]]))
    U, V = g[k:] - G[k:, :k] @ A[:, -1], G[k:, k:] - G[k:, :k] @ A[:, :-1]
    V.flat[:: len(V) + 1] += 1e-9 * whole + 1e-12
    own = C[:, :k] @ A
    rest = B - own[:, :-1]
    rest -= fit.factor.T @ (fit.factor @ rest) / fit.weight[:, None]
    r = fit.residual - _projected(fit, own[:, -1])
    q, spare = len(degree), fit.rows / max(fit.rows - fit.freedom - k, 1.0)

    def scores(own: slice) -> tuple[Floats, NDArray[np.bool_]]:
        """χ² of one degree of freedom for each product, and which are usable."""
        L = np.linalg.cholesky(V[own, own])
        u = solve_triangular(L, U[own], lower=True)
        R = solve_triangular(L, rest[:, own].T, lower=True)
        usable = L.diagonal() ** 2 > COLLINEAR * whole[own]
        if groups is None and fit.probability is not None:
            z = _corrected(R, fit.probability, u)
        else:
            z = _by_spread(R * r, u, groups, spare)
        return z**2, usable

    squares, usable = scores(slice(0, q))
    logs = []
    for most in np.unique(degree):
        those = usable & (degree <= most)
        if those.any():
            logs.append(float(log_tail(squares[those].sum(), those.sum())))
    if B.shape[1] > q:
        squares, usable = scores(slice(q, q + 1))
        logs += log_tail(squares[usable], 1).tolist()
    return combined(np.array(logs)) if logs else 0.0


def _products(a: Basis, b: Basis) -> tuple[Floats, Ints]:
    """Products of two bases, the lower degrees first, and the larger degree of each."""
    B = (a.product[:, :, None] * b.product[:, None, :]).reshape(len(a.product), -1)
    degree = np.maximum.outer(a.degree, b.degree).ravel()
    order = np.argsort(degree, kind="stable")
    return B[:, order], degree[order]


def _projected(fit: Additive, x: Floats) -> Floats:
    return fit.weight * x - fit.factor.T @ (fit.factor @ x)


def _by_spread(S: Floats, u: Floats, groups: Ints | None, spare: float) -> Floats:
    """Scores by the spread of their terms; rows of one group make one term."""
    if groups is None:
        spread = (S**2).sum(axis=1) * spare
        return u / np.sqrt(np.where(spread > EXCESS, spread, 1.0))
    S = np.array([np.bincount(groups, s) for s in S])
    t = np.abs(u) / np.sqrt(np.maximum((S**2).sum(axis=1) * spare, 1.0))
    tail = stdtr(max(np.unique(groups).size - 1, 1), -t)
    return -ndtri_exp(np.log(np.maximum(tail, 1e-300)))


def _corrected(R: Floats, p: Floats, u: Floats) -> Floats:
    """Scores Σ R (y − p) of Bernoulli y, as normal as a saddlepoint makes them."""
    z, base = u.copy(), logit(p)
    for k in np.flatnonzero(np.abs(u) > CENTRAL):
        a = R[k] / np.sqrt((R[k] ** 2 * p * (1 - p)).sum())
        t, low, high = 0.0, -np.inf, np.inf
        for _ in range(
            NEWTON
        ):  # where the slope of K(t) is u, by Newton's method within bounds
            tilted = expit(base + a * t)
            slope = float(a @ (tilted - p)) - u[k]
            curvature = float(a**2 @ (tilted * (1 - tilted)))
            if abs(slope) < 1e-8:
                break
            low, high = (low, t) if slope > 0 else (t, high)
            there = t - np.clip(slope / max(curvature, 1e-12), -5 - abs(t), 5 + abs(t))
            t = there if low < there < high else (low + high) / 2
        else:  # more than these rows can show
            continue
        cumulant = float(
            (np.logaddexp(np.log1p(-p), np.log(p) + a * t) - a * t * p).sum()
        )
        root = np.sign(t) * np.sqrt(max(2 * (t * u[k] - cumulant), 1e-12))
        z[k] = root + np.log(t * np.sqrt(curvature) / root) / root
    return z


def combined(logs: Floats) -> float:
    """Cauchy's combination of p-values; all are logarithms."""
    if logs.min() < FAR:  # tan((1/2 − p) π) is 1 / (p π)
        return float(np.log(len(logs)) - logsumexp(-logs))
    p = np.exp(np.minimum(logs, -1e-12))
    return float(np.log(np.arctan2(1.0, np.mean(1 / np.tan(p * np.pi))) / np.pi))
