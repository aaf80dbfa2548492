"""RReliefF, one sample at a time: Robnik-Sikonja, Kononenko (2003), Figure 4."""

import numpy as np

from .neighbours import TIE, distance, scaled
from .radius import relief_ratio


def rrelieff(
    X, y, k, *, weights="rank", sigma=20.0, metric="manhattan", scale="minmax"
):
    X, y = scaled(X, scale), np.asarray(y, float)
    n, d = X.shape
    span = y.max() - y.min()
    N_C, N_A, N_AC = 0.0, np.zeros(d), np.zeros(d)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        distances = [distance(X[i], X[j], metric) for j in others]
        for j, p in zip(others, influences(distances, k, weights, sigma), strict=True):
            dy, diff = abs(y[i] - y[j]) / span, np.abs(X[i] - X[j])
            N_C += dy * p
            N_A += diff * p
            N_AC += dy * diff * p
    return relief_ratio(N_C, N_A, N_AC, n)


def influences(distances, k, weights, sigma):
    """Weights of all candidates, which sum to 1; beyond the k nearest they are 0.

    Tied candidates share the weights of the places that they take together.
    """
    m = len(distances)
    k = min(k, m)
    order = sorted(range(m), key=lambda c: distances[c])
    result = [0.0] * m
    place = 0
    while place < m:
        first = distances[order[place]]
        last = place
        while last + 1 < m and distances[order[last + 1]] <= first * (1 + TIE):
            last += 1
        tied = order[place : last + 1]
        share = sum(
            at_place(r, first, weights, sigma)
            for r in range(place + 1, min(last + 1, k) + 1)
        )
        for c in tied:
            result[c] = share / len(tied)
        place = last + 1
    if weights == "distance" and min(distances) == 0:
        zeros = [1.0 if d == 0 else 0.0 for d in distances]
        return [z / sum(zeros) for z in zeros]
    return [r / sum(result) for r in result]


def at_place(rank, d, weights, sigma):
    """What the neighbour in some place counts, not normalised (eq. 13 for ranks)."""
    if weights == "rank":
        return float(np.exp(-((rank / sigma) ** 2)))
    if weights == "distance":
        return 1 / d if d else 0.0
    return 1.0
