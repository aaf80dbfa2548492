"""`Neighbors`: what `nearest` finds, wherever the rows are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints


@dataclass(frozen=True)
class Neighbors:
    """Nearest rows of a block of queries: group q·S + s is slot s of query q."""

    queries: Ints  # (m,) rows of the table
    n_slots: int
    offsets: Ints  # (m·S + 1,) group g is entries offsets[g] … offsets[g+1]−1
    rows: Ints  # the neighbours, ascending in each group
    share: Floats  # 1, or less where rows tied at the k-th place share it
    distances: Floats | None

    @property
    def counts(self) -> Ints:
        """(m, S) entries of each group."""
        return np.diff(self.offsets).reshape(-1, self.n_slots)

    def single_distances(self) -> Floats:
        """(m, S) distances where at most one neighbour was asked for; NaN for none."""
        assert self.distances is not None
        table = np.full(self.counts.shape, np.nan)
        table[self.counts > 0] = self.distances
        return table

    def edges(self, coefficients: Floats) -> kernels.Edges:
        """Edges from queries to neighbours; a group's edges sum to its coefficient.

        Parameters
        ----------
        coefficients : array of shape (m, S)
        """
        counts = np.diff(self.offsets)
        # Shares of a group sum to a whole number, the k or fewer that are wanted.
        sums = np.concatenate([[0.0], np.cumsum(self.share)])
        total = np.maximum(np.rint(np.diff(sums[self.offsets])), 1.0)
        weight = self.share * np.repeat(coefficients.ravel() / total, counts)
        heads = np.repeat(np.repeat(self.queries, self.n_slots), counts)
        return kernels.Edges(heads, self.rows, weight)
