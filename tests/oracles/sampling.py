"""Sampling without replacement until simultaneous intervals are good enough.

Contributions of all rows are given, so nothing is found here: this is the statistics,
one look after the other.
"""

from math import ceil, log, sqrt

import numpy as np
from scipy.stats import t as student


def looks(n):
    """Numbers of visited rows at which the intervals are looked at."""
    batch = min(1024, max(64, n // 8))
    visited, due = 0, batch
    while visited < n:
        visited = min(n, visited + batch)
        if visited >= due or visited == n:
            yield visited
            due = ceil(1.5 * visited)


def intervals(V, reach, delta):
    """Mean of the rows of V and half-widths, V being some of n rows."""
    V, n = V
    T, d = V.shape
    means, halves = [], []
    for f in range(d):
        v = V[:, f]
        mean = v.mean()
        if n == T:
            half = 0.0
        else:
            quantile = student.ppf(1 - delta / 2, T - 1)
            of_mean = quantile * v.std(ddof=1) / sqrt(T) * sqrt(1 - T / n)
            unseen_rows = log(2 / delta) / -log(1 - T / n)
            of_unseen = unseen_rows / n * (reach[f] + abs(mean))
            half = sqrt(of_mean**2 + of_unseen**2)
        means.append(mean)
        halves.append(half)
    return np.array(means), np.array(halves)


def sampled(V, order, reach, wanted, tol, confidence=0.95):
    """Mean, half-widths and number of rows when looking ends, and if the top is told.

    The top are the ``wanted`` features of the highest mean.
    """
    n = len(V)
    reach = np.array(reach, float)
    varying = int(np.sum(reach > 0))
    for number, T in enumerate(looks(n), 1):
        delta = (1 - confidence) / (number * (number + 1)) / varying
        mean, half = intervals((V[order[:T]], n), reach, delta)
        ranked = [f for f in np.argsort(-mean, kind="stable") if reach[f] > 0]
        top, rest = ranked[:wanted], ranked[wanted:]
        told = min(mean[f] - half[f] for f in top) > max(
            mean[f] + half[f] for f in rest
        )
        if told or (half <= tol).all() or n == T:
            return mean, half, T, told or n == T
    raise AssertionError("the last look is at all rows")
