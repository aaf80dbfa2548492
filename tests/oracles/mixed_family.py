"""SURF to MultiSURF*, RReliefF and I-Relief on nominal features and missing values.

The same formulas as in `radius`, `regression` and `irelief`, over the differences of
`mixed`. For a numeric target there are no classes: a missing value is expected to be
any value of its feature.
"""

import numpy as np

from .mixed import Differences
from .radius import near_and_far, relief_ratio
from .regression import influences


def distances(D, metric):
    return np.array(
        [[D.distance(i, j, metric) if i != j else 0.0 for j in range(D.n)]
         for i in range(D.n)]
    )  # fmt: skip


def radius(X, y, nominal, *, own, star, metric="manhattan"):
    D = Differences(X, y, nominal)
    matrix = distances(D, metric)
    P = {C: D.y.count(C) / D.n for C in dict.fromkeys(D.y)}
    w = np.zeros(D.d)
    for i, (near, far) in enumerate(near_and_far(matrix, own)):
        w += contribution(D, P, i, near)
        if star:
            w -= contribution(D, P, i, far)
    return w / D.n


def contribution(D, P, i, rows):
    total = np.zeros(D.d)
    for C in P:
        members = [j for j in rows if D.y[j] == C]
        if members:
            diff = np.mean([D.diff(i, j) for j in members], axis=0)
            total += -diff if D.y[i] == C else P[C] / (1 - P[D.y[i]]) * diff
    return total


def numeric_radius(X, y, nominal, *, own, star, metric="manhattan"):
    D = Differences(X, [0] * len(y), nominal)
    matrix = distances(D, metric)
    rows = list(near_and_far(matrix, own))
    near = [dict.fromkeys(a, 1 / max(len(a), 1)) for a, _ in rows]
    far = [dict.fromkeys(b, 1 / max(len(b), 1)) for _, b in rows]
    scores = estimate(D, y, near)
    return scores - estimate(D, y, far) if star else scores


def rrelieff(X, y, nominal, k, *, weights="rank", sigma=20.0, metric="manhattan"):
    D = Differences(X, [0] * len(y), nominal)
    chosen = []
    for i in range(D.n):
        others = [j for j in range(D.n) if j != i]
        apart = [D.distance(i, j, metric) for j in others]
        shares = influences(apart, k, weights, sigma)
        chosen.append(dict(zip(others, shares, strict=True)))
    return estimate(D, y, chosen)


def estimate(D, y, chosen):
    """N_AC/N_C − (N_A − N_AC)/(m − N_C) from the weights of each sample's rows."""
    span = max(y) - min(y)
    N_C, N_A, N_AC = 0.0, np.zeros(D.d), np.zeros(D.d)
    for i, weights in enumerate(chosen):
        for j, p in weights.items():
            dy = abs(y[i] - y[j]) / span
            N_C += dy * p
            N_A += D.diff(i, j) * p
            N_AC += dy * D.diff(i, j) * p
    return relief_ratio(N_C, N_A, N_AC, sum(bool(w) for w in chosen))


def irelief(X, y, nominal, *, sigma=1.0, steps=3):
    """w after some steps."""
    D = Differences(X, y, nominal)
    w = np.full(D.d, 1 / D.d)
    for _ in range(steps):
        nu = np.zeros(D.d)
        for i in range(D.n):
            kernel = [np.exp(-np.sum(w * D.diff(i, j)) / sigma) for j in range(D.n)]
            hits = [j for j in range(D.n) if D.y[j] == D.y[i] and j != i]
            misses = [j for j in range(D.n) if D.y[j] != D.y[i]]
            if not hits:
                continue
            to_hits = sum(kernel[j] for j in hits)
            to_misses = sum(kernel[j] for j in misses)
            miss = sum(kernel[j] * D.diff(i, j) for j in misses) / to_misses
            hit = sum(kernel[j] * D.diff(i, j) for j in hits) / to_hits
            nu += to_hits / (to_hits + to_misses) * (miss - hit)
        nu = np.maximum(nu, 0.0)
        w = nu / np.sqrt(np.sum(nu**2))
    return w
