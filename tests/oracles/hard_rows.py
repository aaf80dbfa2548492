"""Margins of rows in cross-validation, one row and one class at a time."""

import numpy as np


def class_distance(x, rows, k):
    """Mean Euclidean distance of x to the k nearest rows."""
    distances = sorted(np.sqrt(np.sum((x - row) ** 2)) for row in rows)
    return np.mean(distances[:k])


def margin(X, y, i, train, columns, k=5):
    """(d' - d) / (d' + d), and the nearest other class, scaled by the training rows."""
    known = X[train][:, columns]
    low, high = known.min(axis=0), known.max(axis=0)
    known, x = (known - low) / (high - low), (X[i, columns] - low) / (high - low)
    own = class_distance(x, known[y[train] == y[i]], k)
    others = {
        c: class_distance(x, known[y[train] == c], k)
        for c in np.unique(y[train])
        if c != y[i]
    }
    nearest = min(others, key=others.get)
    other = others[nearest]
    return (other - own) / (other + own), nearest
