"""Relief and ReliefF, one visited sample at a time.

Gilad-Bachrach, Navot, Tishby (2004), Algorithm 3; Hu, Pan, Song, Yu (2012),
Algorithms 1 and 2.
"""

import numpy as np

from .neighbours import distance, hits_and_misses, scaled, shared_neighbour_weights
from .regression import influences


def relief(X, y, *, squared=False, scale="minmax", samples=None):
    """Hu et al., Algorithm 1; ``squared=True`` is Gilad-Bachrach et al., Algorithm 3.

    ``samples`` are the rows visited (all by default); w is averaged over them. The
    near miss is the nearest row of all other classes together.
    """
    X, y = scaled(X, scale), list(y)
    visited = list(range(len(y)) if samples is None else samples)
    w = np.zeros(X.shape[1])
    for i in visited:
        hits, misses = hits_and_misses(y, i)
        w += mean_difference(X, i, misses, 1, squared=squared)
        w -= mean_difference(X, i, hits, 1, squared=squared)
    return w / len(visited)


def relieff(X, y, k, *, metric="euclidean", scale="minmax", samples=None):
    """Hu et al., Algorithm 2: k hits, and k misses of each other class C.

    P(C) is the frequency of C among all samples, not only among the visited ones.
    """
    X, y = scaled(X, scale), list(y)
    visited = list(range(len(y)) if samples is None else samples)
    # By appearance: the order of a set of strings, and so rounding, varies by run.
    P = {C: y.count(C) / len(y) for C in dict.fromkeys(y)}
    w = np.zeros(X.shape[1])
    for i in visited:
        hits, misses = hits_and_misses(y, i)
        w -= mean_difference(X, i, hits, k, metric=metric)
        for C in [C for C in P if y[i] != C]:
            misses_of_C = [j for j in misses if y[j] == C]
            prior = P[C] / (1 - P[y[i]])
            w += prior * mean_difference(X, i, misses_of_C, k, metric=metric)
    return w / len(visited)


def weighted_relieff(X, y, k, *, weights, sigma=20.0, priors=None, **options):
    """ReliefF whose k neighbours count by rank (MATLAB's sigma) or 1/distance.

    ``priors`` are the probabilities of the classes, by label; those of y by default.
    """
    metric, samples = options.get("metric", "euclidean"), options.get("samples")
    X, y = scaled(X, options.get("scale", "minmax")), list(y)
    visited = list(range(len(y)) if samples is None else samples)
    P = priors or {C: y.count(C) / len(y) for C in dict.fromkeys(y)}
    w = np.zeros(X.shape[1])
    for i in visited:
        for C in P:
            members = [j for j in range(len(y)) if y[j] == C and j != i]
            if not members:
                continue
            distances = [distance(X[i], X[j], metric) for j in members]
            counts_for = -1 if y[i] == C else P[C] / (1 - P[y[i]])
            shares = influences(distances, k, weights, sigma)
            for j, p in zip(members, shares, strict=True):
                w += counts_for * p * np.abs(X[i] - X[j])
    return w / len(visited)


def mean_difference(X, i, candidates, k, *, metric="euclidean", squared=False):
    """Mean over the k nearest candidates of diff(f, x_i, x_j), for every feature f.

    Fewer than k candidates are averaged over their own number. None at all, the hits
    of a class with one member, contribute nothing.
    """
    total = np.zeros(X.shape[1])
    if not candidates:
        return total
    distances = [distance(X[i], X[j], metric) for j in candidates]
    weights = shared_neighbour_weights(distances, k)
    for j, weight in zip(candidates, weights, strict=True):
        if weight:
            diff = np.abs(X[i] - X[j])
            total += weight * (diff**2 if squared else diff)
    return total / min(k, len(candidates))
