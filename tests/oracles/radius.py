"""SURF, SURF*, MultiSURF and MultiSURF*, one sample at a time.

Greene, Penrod, Kiralis, Moore (2009); Greene, Himmelstein, Kiralis, Moore (2010);
Granizo-Mackenzie, Moore (2013); Urbanowicz, Olson, Schmitt, Meeker, Moore (2018).
"""

import numpy as np

from .neighbours import TIE, distance, scaled


def all_distances(X, metric):
    n = len(X)
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            D[i, j] = distance(X[i], X[j], metric)
    return D


def thresholds(D, own):
    """Distances below which a row is near each sample, and above which it is far."""
    n = len(D)
    of_all = np.mean([D[a, b] for a in range(n) for b in range(n) if a != b])
    for i in range(n):
        T, dead = of_all, 0.0
        if own:
            others = [D[i, j] for j in range(n) if j != i]
            T, dead = np.mean(others), np.std(others) / 2
        yield T - dead - TIE * T, T + dead + TIE * T


def near_and_far(D, own):
    """The near rows and the far rows of each sample."""
    for i, (near_below, far_above) in enumerate(thresholds(D, own)):
        others = [j for j in range(len(D)) if j != i]
        near = [j for j in others if D[i, j] < near_below]
        far = [j for j in others if D[i, j] > far_above]
        yield near, far


def radius(X, y, *, own, star, metric="manhattan", scale="minmax", samples=None):
    """Scores for classes: the mean over samples of near (and far) contributions.

    ``samples`` are those that contribute, all by default.
    """
    X, y = scaled(X, scale), list(y)
    D = all_distances(X, metric)
    P = {C: y.count(C) / len(y) for C in dict.fromkeys(y)}
    w = np.zeros(X.shape[1])
    visited = range(len(y)) if samples is None else samples
    for i, (near, far) in enumerate(near_and_far(D, own)):
        if i not in visited:
            continue
        w += contribution(X, y, P, i, near)
        if star:
            w -= contribution(X, y, P, i, far)
    return w / len(visited)


def contribution(X, y, P, i, rows):
    total = np.zeros(X.shape[1])
    for C in P:
        members = [j for j in rows if y[j] == C]
        if not members:
            continue
        diff = np.mean([np.abs(X[i] - X[j]) for j in members], axis=0)
        total += -diff if y[i] == C else P[C] / (1 - P[y[i]]) * diff
    return total


def numeric_radius(X, y, *, own, star, metric="manhattan", scale="minmax", apart=None):
    """Scores for a numeric target: RReliefF's estimate from near (less far) rows."""
    X = scaled(X, scale)
    apart = unit_differences(y) if apart is None else apart
    D = all_distances(X, metric)
    near, far = zip(*near_and_far(D, own), strict=True)
    scores = relief_of_pairs(X, apart, near)
    return scores - relief_of_pairs(X, apart, far) if star else scores


def unit_differences(y):
    """|y_i - y_j| over the range of y."""
    y = np.asarray(y, float)
    return np.abs(y[:, None] - y) / (y.max() - y.min())


def relief_of_pairs(X, apart, rows_of):
    """N_AC/N_C − (N_A − N_AC)/(m − N_C), all rows of a sample of the same weight."""
    N_C, N_A, N_AC, m = 0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1]), 0
    for i, rows in enumerate(rows_of):
        m += bool(rows)
        for j in rows:
            p, dy = 1 / len(rows), apart[i, j]
            N_C += dy * p
            N_A += np.abs(X[i] - X[j]) * p
            N_AC += dy * np.abs(X[i] - X[j]) * p
    return relief_ratio(N_C, N_A, N_AC, m)


def relief_ratio(N_C, N_A, N_AC, m):
    """A term whose denominator is 0 says nothing."""
    W = np.zeros(len(N_A))
    if N_C > 0:
        W += N_AC / N_C
    if m - N_C > TIE * m:
        W -= (N_A - N_AC) / (m - N_C)
    return W
