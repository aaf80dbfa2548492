"""The score test of a pair by dense matrices, as the mixed model writes it.

V is the covariance of the working target, Σ_g s_g X_g X_gᵀ + W⁻¹, and
P = V⁻¹ − V⁻¹ Z (Zᵀ V⁻¹ Z)⁻¹ Zᵀ V⁻¹ for the fixed effects Z: the intercept and the bases
of the two features. The scores U = Bᵀ P z have the covariance Bᵀ P B.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm


def projection(V, Z):
    inverse = np.linalg.inv(V)
    middle = np.linalg.pinv(Z.T @ inverse @ Z)
    return inverse - inverse @ Z @ middle @ Z.T @ inverse


def standardised_scores(V, Z, B, z):
    """Scores of the products, each cleared of those before it."""
    P = projection(V, Z)
    scores = []
    for k in range(B.shape[1]):
        before = projection(V, np.hstack([Z, B[:, :k]]))
        b = B[:, k]
        scores.append((b @ before @ z) / np.sqrt(b @ before @ b))
    assert np.isclose(sum(s**2 for s in scores), _joint(P, B, z))
    return np.array(scores)


def _joint(P, B, z):
    U = B.T @ P @ z
    return U @ np.linalg.solve(B.T @ P @ B, U)


def saddlepoint(a, p, u):
    """Barndorff-Nielsen's r* of the score Σ a (y − p) = u."""

    def K(t):
        return np.log(1 - p + p * np.exp(a * t)).sum() - t * (a @ p)

    def slope(t):
        return (a * p * np.exp(a * t) / (1 - p + p * np.exp(a * t))).sum() - a @ p

    t = brentq(lambda t: slope(t) - u, -40, 40, xtol=1e-13)
    h = 1e-4
    curvature = (slope(t + h) - slope(t - h)) / (2 * h)
    r = np.sign(t) * np.sqrt(2 * (t * u - K(t)))
    return r + np.log(t * np.sqrt(curvature) / r) / r


def exact_tail(a, p, u):
    """P(Σ a (y − p) ≥ u), by all outcomes."""
    y = (np.arange(2 ** len(a))[:, None] >> np.arange(len(a))) & 1
    chances = np.where(y == 1, p, 1 - p).prod(axis=1)
    return chances[(y - p) @ a >= u - 1e-12].sum()


def cauchy(p):
    """Combined p-value of several."""
    return 0.5 - np.arctan(np.mean(np.tan((0.5 - np.asarray(p)) * np.pi))) / np.pi


def normal_tail(z):
    return norm.sf(z)
