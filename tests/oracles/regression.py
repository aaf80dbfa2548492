"""RReliefF, one sample at a time: Robnik-Sikonja, Kononenko (2003), Figure 4."""

from math import log, sqrt

import numpy as np
from scipy.stats import t as student

from .neighbours import TIE, distance, scaled
from .radius import relief_ratio, unit_differences


def rrelieff(X, y, k, *, samples=None, **options):
    """Scores by some samples, or by all."""
    a, b, c = contributions(X, y, k, **options)
    rows = np.arange(len(c)) if samples is None else samples
    N_C, N_A, N_AC = c[rows].sum(), a[rows].sum(axis=0), b[rows].sum(axis=0)
    return relief_ratio(N_C, N_A, N_AC, len(rows))


def contributions(
    X,
    y,
    k,
    *,
    weights="rank",
    sigma=20.0,
    metric="manhattan",
    scale="minmax",
    apart=None,
):
    """What each sample adds to N_A, N_AC and N_C; ``apart`` are differences of y."""
    X = scaled(X, scale)
    n, d = X.shape
    apart = unit_differences(y) if apart is None else apart
    a, b, c = np.zeros((n, d)), np.zeros((n, d)), np.zeros(n)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        distances = [distance(X[i], X[j], metric) for j in others]
        for j, p in zip(others, influences(distances, k, weights, sigma), strict=True):
            if p == 0:
                continue
            dy, diff = apart[i, j], np.abs(X[i] - X[j])
            c[i] += dy * p
            a[i] += diff * p
            b[i] += dy * diff * p
    return a, b, c


def quotient_intervals(a, b, c, ranges, n, alpha):
    """Scores and half-widths from the contributions of some of n samples.

    The score is theta - phi, theta = b/c, phi = (a - b)/(1 - c), of means over all n.
    """
    T = len(c)
    delta = alpha / (3 * sum(r > 0 for r in ranges) + 1)

    def half(values, farthest):
        quantile = student.ppf(1 - delta / 2, T - 1)
        of_mean = quantile * np.std(values, ddof=1) / sqrt(T) * sqrt(1 - T / n)
        unseen = log(2 / delta) / -log(1 - T / n) / n * farthest
        return sqrt(of_mean**2 + unseen**2)

    mean_c = c.mean()
    h_c = half(c, max(mean_c, 1 - mean_c))
    scores, halves = [], []
    for f, r in enumerate(ranges):
        theta = b[:, f].mean() / mean_c
        phi = (a[:, f] - b[:, f]).mean() / (1 - mean_c)
        u = (b[:, f] - theta * c) / mean_c
        v = (a[:, f] - b[:, f] - phi * (1 - c)) / (1 - mean_c)
        largest = r / min(mean_c, 1 - mean_c)
        rest_u = half(u, r / mean_c) * h_c / (mean_c - h_c)
        rest_v = half(v, r / (1 - mean_c)) * h_c / (1 - mean_c - h_c)
        scores.append(theta - phi)
        halves.append(half(u - v, largest) + rest_u + rest_v)
    return np.array(scores), np.array(halves)


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
