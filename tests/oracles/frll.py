"""FRLL (Pan et al. 2013): features ranked by two neighbourhood graphs.

Slow and direct: the two graphs as dense adjacency matrices, their Laplacians, and one
quadratic form per feature.
"""

import numpy as np

from oracles.neighbours import TIE, scaled


def nearest(X, i, candidates, k):
    """The k nearest candidates; among rows tied with the k-th, the lowest."""
    distances = {j: np.sqrt(np.sum((X[i] - X[j]) ** 2)) for j in candidates}
    if len(distances) <= k:
        return set(distances)
    d_k = sorted(distances.values())[k - 1]
    inside = [j for j, d in distances.items() if d < d_k * (1 - TIE)]
    tied = sorted(j for j, d in distances.items() if abs(d - d_k) <= TIE * d_k)
    return {*inside, *tied[: k - len(inside)]}


def graphs(X, y, k, neighbors):
    """Adjacency matrices of G_w and G_b: unit edges, joined if either is near."""
    n = len(y)
    W, B = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        others = [j for j in range(n) if j != i]
        if neighbors == "global":
            near = nearest(X, i, others, k)
        else:
            near = nearest(X, i, [j for j in others if y[j] == y[i]], k)
            near |= nearest(X, i, [j for j in others if y[j] != y[i]], k)
        for j in near:
            G = W if y[j] == y[i] else B
            G[i, j] = G[j, i] = 1
    return W, B


def ball(X, y, radius):
    """The same, joined if within the radius (section 1, "the epsilon-ball")."""
    n = len(y)
    W, B = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j and np.sqrt(np.sum((X[i] - X[j]) ** 2)) <= radius * (1 + TIE):
                (W if y[j] == y[i] else B)[i, j] = 1
    return W, B


def laplacian_form(A, f):
    """f'Lf with L = D - A."""
    L = np.diag(A.sum(axis=1)) - A
    return f @ L @ f


def frll(X, y, k=5, *, neighbors="class", radius=None, scale="minmax"):
    """J_w and J_b of every feature."""
    X = scaled(X, scale)
    W, B = graphs(X, y, k, neighbors) if radius is None else ball(X, y, radius)
    within = np.array([laplacian_form(W, f) for f in X.T])
    between = np.array([laplacian_form(B, f) for f in X.T])
    return within, between
