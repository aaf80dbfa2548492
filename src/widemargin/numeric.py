"""Relief for a numeric target: a neighbour is a hit to the degree that y agrees.

Reference
---------
M. Robnik-Šikonja, I. Kononenko, *Theoretical and empirical analysis of ReliefF and
RReliefF*, Machine Learning 53, 2003, Figure 4.
"""

from __future__ import annotations

import numpy as np

from widemargin.engine import Edges, edge_sums
from widemargin.kernels import TIE
from widemargin.table import Floats, Table
from widemargin.threads import Workers


class ReliefSums:
    """N_C, N_A and N_AC of the paper, gathered some samples at a time."""

    def __init__(self, table: Table) -> None:
        assert table.target is not None
        d = table.X.shape[1]
        self.table = table
        self.y = table.target / np.ptp(table.target)
        self.N_C = 0.0
        self.N_A, self.N_AC = np.zeros(d), np.zeros(d)
        self.m = 0  # samples that have neighbours

    def add(self, edges: Edges, workers: Workers) -> None:
        """Add samples (heads) whose neighbours count p; that sums to 1 for each."""
        heads, tails, p = edges
        dy = np.abs(self.y[heads] - self.y[tails])
        self.m += len(np.unique(heads))
        self.N_C += float((dy * p).sum())
        self.N_A += edge_sums(self.table, edges, workers=workers)
        both = Edges(heads, tails, dy * p)
        self.N_AC += edge_sums(self.table, both, workers=workers)

    def scores(self) -> Floats:
        """The estimates of all features."""
        return score_of(self.N_C, self.N_A, self.N_AC, self.m)


def score_of(N_C: float, N_A: Floats, N_AC: Floats, m: int) -> Floats:
    """W = N_AC / N_C − (N_A − N_AC) / (m − N_C); a term over 0 says nothing."""
    W = np.zeros(len(N_A))
    if N_C > 0:
        W += N_AC / N_C
    if m - N_C > TIE * m:
        W -= (N_A - N_AC) / (m - N_C)
    return W
