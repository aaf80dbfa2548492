"""IPCMSR and IPICSR by double loops.

Ng, Wang, Yeung (2009), eqs. 1 to 4. The number of prototypes is found by the L-method
of Salvador and Chan (2004), eq. for RMSE_c.
"""

import math

import numpy as np

from .neighbours import TIE, distance, hits_and_misses, scaled


def cluster_distance(X, P, Q, linkage):
    """Distance of two clusters, from the definition; ``"summed"`` is eq. 4."""
    pairs = [distance(X[i], X[j], "euclidean") for i in P for j in Q]
    if linkage == "summed":
        return sum(pairs) / (len(P) + len(Q))
    if linkage == "average":
        return sum(pairs) / (len(P) * len(Q))
    if linkage == "complete":
        return max(pairs)
    if linkage == "ward":
        factor = 2 * len(P) * len(Q) / (len(P) + len(Q))
        gap = distance(X[P].mean(axis=0), X[Q].mean(axis=0), "euclidean")
        return math.sqrt(factor) * gap
    raise ValueError(f"unknown linkage {linkage!r}")


def greedy_merges(X, linkage="summed"):
    """Merge the two nearest clusters until one is left.

    Yields the height of each merge and the clusters after it. Clusters are listed by
    their lowest row; among tied pairs the first in that order is merged.
    """
    clusters = [[i] for i in range(len(X))]
    known = {}

    def between(P, Q):
        key = (tuple(P), tuple(Q))
        if key not in known:
            known[key] = cluster_distance(X, P, Q, linkage)
        return known[key]

    while len(clusters) > 1:
        pairs = {
            (a, b): between(clusters[a], clusters[b])
            for b in range(len(clusters))
            for a in range(b)
        }
        smallest = min(pairs.values())
        a, b = min(p for p, d in pairs.items() if d - smallest <= TIE * smallest)
        merged = sorted(clusters[a] + clusters[b])
        rest = [P for t, P in enumerate(clusters) if t not in (a, b)]
        clusters = sorted([*rest, merged])
        yield pairs[a, b], clusters


def line_rmse(x, y):
    """Root mean squared error of the best line through the points."""
    A = np.column_stack([x, np.ones(len(x))])
    solution, *_ = np.linalg.lstsq(A, y)
    return math.sqrt(np.mean((y - A @ solution) ** 2))


def l_method(heights):
    """Number of clusters at the knee of merge height against number of clusters.

    With x clusters, the nearest two are y(x) apart: x = 2 … b, and the last merge
    belongs to x = 2. Each line needs two points, so the knee c is 3 … b − 2. Without
    four points, or where all are equally high, there is no knee: one cluster.
    """
    b = len(heights) + 1
    x = np.arange(2, b + 1)
    y = np.sort(np.asarray(heights, dtype=float))[::-1]
    if len(y) < 4 or y[0] - y[-1] <= TIE * y[0]:
        return 1
    errors = {}
    for c in range(3, b - 1):
        left, right = x <= c, x > c
        errors[c] = (c - 1) / (b - 1) * line_rmse(x[left], y[left])
        errors[c] += (b - c) / (b - 1) * line_rmse(x[right], y[right])
    least = min(errors.values())
    return min(c for c, e in errors.items() if e - least <= TIE * (y[0] - y[-1]))


def class_prototypes(X, linkage="summed"):
    """Clusters of the rows of one class, as lists of rows."""
    merges = list(greedy_merges(X, linkage))
    wanted = l_method([height for height, _ in merges])
    singletons = [[i] for i in range(len(X))]
    for clusters in [singletons, *(clusters for _, clusters in merges)]:
        if len(clusters) == wanted:
            return clusters
    raise AssertionError("every number of clusters occurs")


def prototypes(X, y, *, linkage="summed", min_size=3, scale="minmax"):
    """Prototype of each row; -1 in prototypes of fewer than ``min_size`` rows.

    Numbered by class, then by lowest row.
    """
    X, y = scaled(X, scale), np.asarray(y)
    p, number = np.full(len(y), -1), 0
    for c in np.unique(y):
        rows = np.flatnonzero(y == c)
        for members in class_prototypes(X[rows], linkage):
            if len(members) >= min_size:
                p[rows[members]] = number
                number += 1
    return p


def automatic_delta(X):
    """Mean distance to the (floor(ln m) + 1)-th neighbour; 1 where that is 0."""
    m = len(X)
    i = math.floor(math.log(m)) + 1
    total = 0.0
    for a in range(m):
        others = [distance(X[a], X[b], "euclidean") for b in range(m) if b != a]
        total += sorted(others)[i - 1]
    return total / m if total > 0 else 1.0


def nearest_misses(X, y, i, k):
    """KNNd(x_i) of eq. 3: the k nearest rows of other classes.

    Among the rows tied with the k-th the lowest ones belong to it.
    """
    _, misses = hits_and_misses(y, i)
    distances = {j: distance(X[i], X[j], "euclidean") for j in misses}
    k = min(k, len(misses))
    d_k = sorted(distances.values())[k - 1]
    closer = [j for j in misses if distances[j] < d_k * (1 - TIE)]
    tied = [j for j in misses if abs(distances[j] - d_k) <= TIE * d_k]
    return set(closer + sorted(tied)[: k - len(closer)])


def within_sums(X, p, delta):
    """Numerator of eq. 1, each pair of one prototype once."""
    total = np.zeros(X.shape[1])
    for i in range(len(X)):
        for j in range(i):
            if p[i] == p[j] and p[i] >= 0:
                S = math.exp(-np.sum((X[i] - X[j]) ** 2) / delta)  # eq. 2
                total += S * (X[i] - X[j]) ** 2
    return total


def margin_sums(X, y, k, delta):
    """Denominator of eq. 1 for IPCMSR: mutual neighbours of different classes."""
    near = [nearest_misses(X, y, i, k) for i in range(len(X))]
    total = np.zeros(X.shape[1])
    for i in range(len(X)):
        for j in range(i):
            if y[i] != y[j] and i in near[j] and j in near[i]:
                S = math.exp(-np.sum((X[i] - X[j]) ** 2) / delta)  # eq. 3
                total += S * (X[i] - X[j]) ** 2
    return total


def class_sums(X, y):
    """Denominator for IPICSR: all pairs of different classes, unweighted."""
    total = np.zeros(X.shape[1])
    for i in range(len(X)):
        for j in range(i):
            if y[i] != y[j]:
                total += (X[i] - X[j]) ** 2
    return total


def ratio_parts(
    X, y, k=None, *, linkage="summed", delta="auto", min_size=3, scale="minmax"
):
    """Numerator and denominator of eq. 1 for every feature.

    With k the denominator is that of IPCMSR, without that of IPICSR.
    """
    p = prototypes(X, y, linkage=linkage, min_size=min_size, scale=scale)
    X, y = scaled(X, scale), list(y)
    if delta == "auto":
        delta = automatic_delta(X)
    denominator = class_sums(X, y) if k is None else margin_sums(X, y, k, delta)
    return within_sums(X, p, delta), denominator
