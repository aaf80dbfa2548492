"""Leave-one-out 1-NN with the best 1, 2, … features of a ranking, from scratch each."""

import numpy as np

from .mixed import Differences
from .neighbours import first_nearest, scaled


def prefix_scores(X, y, ranking, scale="minmax"):
    """Share of rows whose nearest other row has their label, for each prefix."""
    X = scaled(X, scale)
    order = np.argsort(ranking)
    scores = []
    for k in range(1, X.shape[1] + 1):
        Z = X[:, order[:k]]
        correct = 0
        for i in range(len(y)):
            others = [j for j in range(len(y)) if j != i]
            correct += y[first_nearest(Z, i, others, np.ones(k))] == y[i]
        scores.append(correct / len(y))
    return np.array(scores)


def mixed_prefix_scores(X, y, ranking, nominal, scale="minmax"):
    """The same for rows of Python values, None for missing ones."""
    D, n = Differences(X, y, nominal, scale), len(y)
    scores = []
    for k in range(1, D.d + 1):
        w = (np.asarray(ranking) <= k).astype(float)
        nearest = [
            D.first_nearest(i, [*range(i), *range(i + 1, n)], w) for i in range(n)
        ]
        scores.append(np.mean([y[i] == y[nearest[i]] for i in range(n)]))
    return np.array(scores)


def shortest_prefix(scores, n):
    """Fewest features whose accuracy is within one standard error of the best."""
    best = max(scores)
    error = np.sqrt(best * (1 - best) / n)
    for k, score in enumerate(scores, start=1):
        if score >= best - error - 1e-12:
            return k
    raise AssertionError("the best prefix is within reach of itself")
