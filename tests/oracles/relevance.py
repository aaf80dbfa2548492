"""Both scores of the test of relevance, row by row and pair by pair."""

import numpy as np


def scores(Z, Y, order, n_neighbors):
    """Scores (2, 2, d) of features and of copies of them with rows in another order.

    First the squared covariance with the targets; then, over the nearest other rows of
    each row in the table with all copies, how much a feature differs where targets do.
    """
    n, d = Z.shape
    copies = Z[order]
    both = np.hstack([Z, copies])
    found = np.zeros((2, 2, d))
    for which, table in enumerate((Z, copies)):
        for f in range(d):
            for c in range(Y.shape[1]):
                found[0, which, f] += sum(table[i, f] * Y[i, c] for i in range(n)) ** 2
    for i in range(n):
        others = [j for j in range(n) if j != i]
        others.sort(key=lambda j: np.sum((both[i] - both[j]) ** 2))
        near = others[:n_neighbors]
        apart = {j: np.sum((Y[i] - Y[j]) ** 2) for j in near}
        usual = sum(apart.values()) / len(near)
        for j in near:
            for which, table in enumerate((Z, copies)):
                gap = (table[i] - table[j]) ** 2
                found[1, which] += (apart[j] - usual) * gap
    return found
