"""LMBA (Li and Lu 2009): loss of the nearest-neighbour margin, and its descent."""

import numpy as np

from oracles.neighbours import TIE, hits_and_misses, scaled, weighted_distance


def squared(x, z, w):
    """||x - z||_w^2."""
    return np.sum(w**2 * (x - z) ** 2)


def target_neighbours(X, y, i, k):
    """The k nearest of the same class in the original space; ties: the lowest rows."""
    ones = np.ones(X.shape[1])
    hits, _ = hits_and_misses(y, i)
    d = {j: weighted_distance(X[i], X[j], ones) for j in hits}
    if len(d) <= k:
        return sorted(d)
    d_k = sorted(d.values())[k - 1]
    inside = [j for j in hits if d[j] < d_k * (1 - TIE)]
    tied = sorted(j for j in hits if abs(d[j] - d_k) <= TIE * d_k)
    return sorted(inside + tied[: k - len(inside)])


def margin(X, y, i):
    """theta_i = | ||x - nearmiss||^2 - ||x - nearhit||^2 | in the original space."""
    ones = np.ones(X.shape[1])
    hits, misses = hits_and_misses(y, i)
    near = min(squared(X[i], X[j], ones) for j in hits)
    far = min(squared(X[i], X[p], ones) for p in misses)
    return abs(far - near)


def active_pairs(X, y, i, targets, theta, w):
    """Pairs (j, p) with theta_i + d_ij >= d_ip under w (eq. 17, equality included)."""
    _, misses = hits_and_misses(y, i)
    near = {j: squared(X[i], X[j], w) for j in targets}
    far = {p: squared(X[i], X[p], w) for p in misses}
    return [
        (j, p) for j in targets for p in misses if theta + near[j] >= far[p] * (1 - TIE)
    ]


def gradient(X, y, i, w, k=3, c=1.0, active="weighted"):
    """Eq. 16 for one sample."""
    targets, theta = target_neighbours(X, y, i, k), margin(X, y, i)
    tested = w if active == "weighted" else np.ones_like(w)
    inner = np.zeros_like(w)
    for j in targets:
        inner += (X[i] - X[j]) ** 2
    for j, p in active_pairs(X, y, i, targets, theta, tested):
        inner += c * ((X[i] - X[j]) ** 2 - (X[i] - X[p]) ** 2)
    return 2 * w * inner


def sample_loss(X, y, i, w, k=3, c=1.0):
    """Definition 5: pulled targets, and a hinge for every invader."""
    targets, theta = target_neighbours(X, y, i, k), margin(X, y, i)
    _, misses = hits_and_misses(y, i)
    loss = sum(squared(X[i], X[j], w) for j in targets)
    for j in targets:
        for p in misses:
            gap = theta + squared(X[i], X[j], w) - squared(X[i], X[p], w)
            loss += c * max(gap, 0.0)
    return loss


def with_hits(y):
    """Samples that have a target neighbour at all."""
    return [i for i in range(len(y)) if hits_and_misses(y, i)[0]]


def loss(X, y, w, k=3, c=1.0, row_weights=1.0):
    """e(w), eq. 4; each sample counts as much as its weight."""
    v = np.broadcast_to(row_weights, len(y))
    return sum(v[i] * sample_loss(X, y, i, w, k, c) for i in with_hits(y))


def lmba(
    X,
    y,
    orders,
    *,
    k=3,
    c=1.0,
    active="weighted",
    step="sqrt",
    scale="minmax",
    batch_size=1,
    row_weights=1.0,
):
    """Section 3.1, steps 1 to 3, over one list of orders; returns w.

    Samples of a batch share one w, and one step against the gradient of the sum of
    their losses. Weights multiply losses, and their mean in a batch multiplies its
    step: a sample of weight 2 moves w twice as far.
    """
    X = scaled(X, scale)
    w, t = np.ones(X.shape[1]), 0
    visitable, v = set(with_hits(y)), np.broadcast_to(row_weights, len(y))
    for order in orders:
        for start in range(0, len(order), batch_size):
            t += 1
            g = np.zeros(X.shape[1])
            batch = [i for i in order[start : start + batch_size] if i in visitable]
            for i in batch:
                g += v[i] * gradient(X, y, i, w, k, c, active)
            size = np.sqrt(np.sum(g**2))
            beta = {"sqrt": 1 / np.sqrt(t), "constant": 1.0}.get(step)
            if size > 0:
                w = w - beta * np.mean(v[batch]) * g / size
    return w
