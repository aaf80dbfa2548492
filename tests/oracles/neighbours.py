"""What the oracles share: scaling, distances by direct differences, and tie rules."""

import math

import numpy as np

# Two distances that differ by less than this, relatively, are equal: rounding must
# not decide which row is a neighbour.
TIE = 1e-10


def scaled(X, scale):
    """Features in common units; a constant feature becomes 0.

    ``"minmax"`` makes |x_f - z_f| the ``diff`` of Hu et al. (2012), eq. 3.
    """
    X = np.array(X, dtype=float)
    if scale is None:
        return X
    if scale not in ("minmax", "standard"):
        raise ValueError(f"unknown scale {scale!r}")
    for f in range(X.shape[1]):
        column = X[:, f].copy()
        # Asked of the values themselves: the standard deviation of a constant
        # column can be a rounding error instead of 0.
        if column.min() == column.max():
            X[:, f] = 0.0
        elif scale == "minmax":
            X[:, f] = (column - column.min()) / (column.max() - column.min())
        else:
            X[:, f] = (column - column.mean()) / column.std()
    return X


def hits_and_misses(y, i):
    """Rows of the class of row i, leaving i out, and rows of all other classes."""
    hits = [j for j in range(len(y)) if y[j] == y[i] and j != i]
    misses = [j for j in range(len(y)) if y[j] != y[i]]
    return hits, misses


def weighted_distance(x, z, w):
    """||x - z||_w = sqrt(sum_f w_f^2 (x_f - z_f)^2), Gilad-Bachrach et al., eq. 1."""
    return math.sqrt((w**2 * (x - z) ** 2).sum())


def weighted_distances(X, i, w):
    """||x_i - z||_w of row i and every row z."""
    return np.sqrt((w**2 * (X - X[i]) ** 2).sum(axis=1))


def distance(x, z, metric):
    """Hu et al. (2012), eq. 6 for ``"euclidean"``, eq. 5 with p = 1 for Manhattan."""
    if metric == "euclidean":
        return math.sqrt(((x - z) ** 2).sum())
    if metric == "manhattan":
        return np.abs(x - z).sum()
    raise ValueError(f"unknown metric {metric!r}")


def shared_neighbour_weights(distances, k):
    """How much each candidate counts among the k nearest; the weights sum to min(k, m).

    Candidates strictly closer than the k-th distance count 1. Those tied with it
    share what is left equally, so that the order of the rows decides nothing.
    """
    k = min(k, len(distances))
    d_k = sorted(distances)[k - 1]
    closer = [d < d_k * (1 - TIE) for d in distances]
    tied = [abs(d - d_k) <= TIE * d_k for d in distances]
    share = (k - sum(closer)) / sum(tied)
    weights = []
    for is_closer, is_tied in zip(closer, tied, strict=True):
        weights.append(1.0 if is_closer else share if is_tied else 0.0)
    return weights


def first_nearest(X, i, candidates, w):
    """Find the nearest candidate to row i under w; among tied rows, the lowest."""
    distances = weighted_distances(X, i, w)[candidates]
    smallest = distances.min()
    return min(np.array(candidates)[distances - smallest <= TIE * smallest])
