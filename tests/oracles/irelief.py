"""I-Relief, off-line, for several classes: Sun (2007)."""

import numpy as np

from .neighbours import scaled


def irelief(X, y, *, sigma=1.0, max_iter=100, tol=1e-4, scale="minmax"):
    """Returns w and the number of iterations."""
    X, y = scaled(X, scale), list(y)
    n, d = X.shape
    w = np.full(d, 1 / d)
    for t in range(max_iter):
        nu = np.zeros(d)
        for a in range(n):
            kernel = [
                np.exp(-np.sum(w * np.abs(X[a] - X[b])) / sigma) for b in range(n)
            ]
            misses = [b for b in range(n) if y[b] != y[a]]
            hits = [b for b in range(n) if y[b] == y[a] and b != a]
            if not hits:
                continue
            to_misses = sum(kernel[b] for b in misses)
            to_hits = sum(kernel[b] for b in hits)
            not_outlier = 1 - to_misses / (to_misses + to_hits)
            miss = sum(kernel[b] * np.abs(X[a] - X[b]) for b in misses) / to_misses
            hit = sum(kernel[b] * np.abs(X[a] - X[b]) for b in hits) / to_hits
            nu += not_outlier * (miss - hit)
        nu = np.maximum(nu / n, 0.0)
        old, norm = w, np.sqrt(np.sum(nu**2))
        if norm == 0:
            return np.zeros(d), t + 1
        w = nu / norm
        if np.sqrt(np.sum((w - old) ** 2)) < tol:
            return w, t + 1
    return w, max_iter
