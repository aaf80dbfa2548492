"""How far a row is from where its nearest neighbour is of another class.

That region consists of one polyhedron for each row q of the other class: the points no
farther from q than from any row p of the own class. The distance from a polyhedron is a
least distance problem, solved exactly by non-negative least squares (C. Lawson,
R. Hanson, *Solving least squares problems*, 1974, chapter 23).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from widemargin.data.protocol import Floats


def distance_to_cells(P: Floats, Q: Floats, apart: Floats) -> float:
    """Distance of the origin from where a row of Q is as near as all rows of P.

    Parameters
    ----------
    P, Q : arrays of shape (m, d) and (k, d)
    apart : array of shape (k, m)
        Distances between the rows of Q and of P.
    """
    near, far = np.linalg.norm(P, axis=1), np.linalg.norm(Q, axis=1)
    h = 0.5 * (far[:, None] - near) * (far[:, None] + near)
    # At least as far as from the half-space of each pair (p, q).
    least = np.divide(h, apart, out=np.zeros_like(h), where=apart > 0).max(axis=1)
    best = np.inf
    for q in np.argsort(least, kind="stable"):
        if least[q] >= best:
            break
        best = min(best, _least_distance(Q[q] - P, h[q]))
    return float(best)


def _least_distance(G: Floats, h: Floats) -> float:
    """Length of the shortest u with Gu ≥ h, which must exist."""
    if (h <= 0).all():
        return 0.0
    size = np.linalg.norm(G, axis=1)
    G, h = G[size > 0] / size[size > 0, None], h[size > 0] / size[size > 0]
    unit = h.max()
    E = np.vstack([G.T, h / unit])
    f = np.zeros(len(E))
    f[-1] = 1.0
    y, _ = nnls(E, f, maxiter=100 + 30 * len(h))
    r = E @ y - f
    return float(unit * np.linalg.norm(r[:-1] / r[-1]))
