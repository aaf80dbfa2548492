"""Friedman's H: how much a boosted model says of two features beyond each of them.

J. Friedman, B. Popescu, *Predictive learning via rule ensembles*, Annals of Applied
Statistics 2, 2008, equation 44, with partial dependence by weighted traversal of the
trees (J. Friedman, *Greedy function approximation*, Annals of Statistics 29, 2001), as
R's `gbm::interact.gbm` and scikit-learn's "recursion" compute it.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np


def h_statistics(model: Any, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """H of each pair (d, d) at the rows of X, and its numerator, not divided.

    ``model`` is a fitted gradient boosting of scikit-learn, of two classes or a number.
    The numerator is that of the sum of the trees, without the learning rate. Only trees
    that split on both features can add to what is beyond each of them.
    """
    n, d = X.shape
    X = np.ascontiguousarray(X, np.float32)
    alone, beyond = np.zeros((d, n)), dict[tuple[int, int], np.ndarray]()
    for tree in (regressor.tree_ for regressor in model.estimators_[:, 0]):
        used = np.unique(tree.feature[tree.feature >= 0])
        of = {f: _dependence(tree, X, [f]) for f in used}
        for f, effect in of.items():
            alone[f] += effect
        for a, b in combinations(used.tolist(), 2):
            more = _dependence(tree, X, [a, b]) - of[a] - of[b]
            beyond[a, b] = beyond.get((a, b), 0.0) + more
    H, undivided = np.zeros((d, d)), np.zeros((d, d))
    for (a, b), more in beyond.items():
        together = alone[a] + alone[b] + more
        undivided[a, b] = np.sqrt(np.mean(more**2))
        H[a, b] = undivided[a, b] / max(np.sqrt(np.mean(together**2)), 1e-12)
    return H, undivided


def _dependence(tree: Any, X: np.ndarray, features: list[int]) -> np.ndarray:
    """Centred partial dependence of a tree at the rows of X."""
    found, grid = np.zeros(len(X)), np.ascontiguousarray(X[:, features])
    tree.compute_partial_dependence(grid, np.array(features, np.intp), found)
    return found - found.mean()
