"""What a table in memory and a table on the workers of a cluster both offer.

An algorithm that is given an `AnyTable` runs on both: on `widemargin.data.table.Table`,
whose rows are an array, and on `widemargin.engine.dask.table.DistributedTable`,
whose rows are reached by the operations of `widemargin.engine` only.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class AnyTable:
    """Scaled features and coded labels; where the rows are is left open."""

    y: NDArray[np.integer[Any]]  # (n,) class codes; Table has them sorted
    classes: NDArray[Any]  # labels as the caller wrote them
    target: Floats | None  # (n,) numeric y, if that is what the method predicts
    weights: Floats | None  # (n,) of the rows, of mean 1; None if all count the same
    design: Floats | None  # (n, q) columns that tell covariates, if there are any
    low: Floats  # (d,) smallest value of each feature
    high: Floats  # (d,) largest
    mean: Floats  # (d,) mean, not to the last digit

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.low)

    @property
    def ranges(self) -> Floats:
        """Largest difference that each feature can show."""
        raise NotImplementedError

    def positions(self, rows: NDArray[np.integer[Any]]) -> Ints:
        """Where the caller's rows are in this table."""
        raise NotImplementedError

    def reweighted(self, w: Floats) -> Self:
        """The same table with feature f multiplied by |w_f|, from its lowest value."""
        raise NotImplementedError

    def oriented(self, directions: Ints) -> Self:
        """The same table with features negated where the direction is −1."""
        raise NotImplementedError

    @property
    def constant(self) -> NDArray[np.bool_]:
        """Features with one value only."""
        return self.low == self.high

    @property
    def counts(self) -> Ints:
        """Members of each class."""
        return np.bincount(self.y, minlength=len(self.classes))

    @property
    def sizes(self) -> Floats | Ints:
        """Weight of the members of each class; their number if all count the same."""
        if self.weights is None:
            return self.counts
        return np.bincount(self.y, self.weights, len(self.classes))

    @property
    def row_weights(self) -> Floats:
        """(n,) weights of the rows, 1 if all count the same."""
        return np.ones(self.n_rows) if self.weights is None else self.weights

    @property
    def span(self) -> Floats:
        """Range of each feature; 1 for a constant one."""
        return np.where(self.constant, 1.0, self.high - self.low)
