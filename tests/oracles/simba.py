"""Simba: stochastic gradient ascent on e(w).

Gilad-Bachrach, Navot, Tishby (2004), Algorithm 2.
"""

import numpy as np

from .margin import automatic_beta, sigmoid
from .neighbours import first_nearest, hits_and_misses, scaled, weighted_distance


def simba(X, y, orders, *, scale="minmax", utility="linear", beta="auto", batch_size=1):
    """Return raw w after one pass per visiting order, from w = 1 (steps 1 and 2)."""
    X = scaled(X, scale)
    if beta == "auto":
        beta = automatic_beta(X, y)
    w = np.ones(X.shape[1])
    for order in orders:
        w = simba_pass(X, y, order, w, utility, beta, batch_size)
    return w


def simba_pass(X, y, order, w, utility="linear", beta=1.0, batch_size=1):
    """Step 2 for the rows in ``order``; X is scaled already.

    The samples of a batch share one w, and their mean Delta is added to it. A batch
    of one is the paper's step. Samples without a hit are not part of the mean.
    """
    X, y, w = np.array(X, dtype=float), list(y), np.array(w, dtype=float)
    for start in range(0, len(order), batch_size):
        deltas = []
        for i in order[start : start + batch_size]:
            hits, misses = hits_and_misses(y, i)
            if hits:
                hit = first_nearest(X, i, hits, w)
                miss = first_nearest(X, i, misses, w)
                deltas.append(step(X[i], X[hit], X[miss], w, utility, beta))
        if deltas:
            w = w + sum(deltas) / len(deltas)
    return w


def step(x, hit, miss, w, utility, beta):
    """Delta of step 2(c), one term of eq. 3, times u'(theta)."""
    d_hit = weighted_distance(x, hit, w)
    d_miss = weighted_distance(x, miss, w)
    delta = np.zeros(len(w))
    # The norm has no gradient at 0: such a neighbour contributes no term.
    if d_miss > 0:
        delta += (x - miss) ** 2 / d_miss * w / 2
    if d_hit > 0:
        delta -= (x - hit) ** 2 / d_hit * w / 2
    if utility == "linear":
        return delta
    if utility == "sigmoid":
        u = sigmoid(beta * (d_miss - d_hit) / 2)
        return beta * u * (1 - u) * delta
    raise ValueError(f"unknown utility {utility!r}")


def normalised(w):
    """Step 3: w^2 / max(w^2), and 0 where w = 0 leaves nothing to divide by."""
    w = np.array(w, dtype=float)
    return w**2 / np.max(w**2) if np.any(w) else w
