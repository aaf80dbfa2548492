"""`SparseTable`: a table of which only the cells other than 0 are stored.

Differences of rows do not depend on where a feature begins. So scaling only divides,
by the same as for other tables: zeros stay zeros, and scores are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.kernels.records import Cells


def cells_of(X: Any) -> Cells:
    """Cells of a CSR or CSC array, as kernels take them."""
    return Cells(
        X.indptr.astype(np.int64, copy=False),
        X.indices.astype(np.int32, copy=False),
        X.data,
    )


def row_of_cells(X: Any) -> Ints:
    """Row of each cell of a CSR array, column of each of a CSC array."""
    return np.repeat(np.arange(len(X.indptr) - 1), np.diff(X.indptr))


def added_up(places: NDArray[Any], values: Floats, size: int) -> Floats:
    """Sum of the values at each of ``size`` places."""
    sums: Any = np.bincount(places, values, size)
    return sums


@dataclass(frozen=True)
class SparseTable(Table):
    """A `Table` whose X is a CSR array.

    A feature without any zero begins at 0, so that no value is far from 0 beside the
    range of its feature.
    """

    X: Any

    @cached_property
    def cells(self) -> Cells:
        """The cells row by row."""
        return cells_of(self.X)

    @cached_property
    def columns(self) -> Cells:
        """The cells column by column."""
        return cells_of(self.by_column)

    @cached_property
    def by_column(self) -> Any:
        """X as a CSC array."""
        return self.X.tocsc()

    @property
    def longest(self) -> int:
        """Most cells of a row."""
        return int(np.diff(self.X.indptr).max(initial=0))

    def norms(self, power: int) -> Floats:
        """Σ |x_f|^power of each row."""
        sizes = np.abs(self.X.data) ** power
        return added_up(row_of_cells(self.X), sizes, self.n_rows)

    def unit_range(self, features: slice = slice(None)) -> Floats:
        """Features moved to [0, 1] whatever the scale, constant ones to 0; dense."""
        X = self.by_column[:, features].toarray()
        return (X - self.low[features]) / self.span[features]

    def class_means(self, span: Floats) -> tuple[Floats, Floats]:
        """Means of each class, (C, d), of features divided by ``span``.

        And Σ (x − mean of its class)², (d,).
        """
        d, w = self.n_features, self.row_weights[row_of_cells(self.X)]
        shape, sizes = (len(self.classes), d), self.sizes[:, None]
        place = self.y[row_of_cells(self.X)] * d + self.X.indices
        x = self.X.data / span[self.X.indices]
        means = added_up(place, w * x, shape[0] * d).reshape(shape) / sizes
        stored = added_up(place, w, shape[0] * d).reshape(shape)
        apart = (x - means.ravel()[place]) ** 2
        within = added_up(self.X.indices, w * apart, d)
        return means, within + ((sizes - stored) * means**2).sum(axis=0)


class Ordered(NamedTuple):
    """Cells of a CSC array, in the order of their columns and values."""

    X: Any
    order: Ints
    column: Ints  # of each, in that order, as the next two
    run: Ints  # number of the different value
    above: NDArray[np.bool_]  # whether it is above 0
    zeros: Ints  # (d,) cells of each column that are not stored


def ordered_cells(X: Any) -> Ordered:
    """Sort the cells of each column."""
    X = csc_array(X)
    column = row_of_cells(X)
    order = np.lexsort((X.data, column))
    values = X.data[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (np.diff(column) > 0) | (np.diff(values) > 0)
    zeros = X.shape[0] - np.diff(X.indptr)
    return Ordered(X, order, column, np.cumsum(new) - 1, values > 0, zeros)


def ranked_cells(X: Any) -> csr_array:
    """Average ranks in the place of numbers, less the rank of 0."""
    X, order, column, run, above, zeros = ordered_cells(X)
    place = np.arange(len(order)) - X.indptr[column] + 1 + above * zeros[column]
    mean = (np.bincount(run, place) / np.bincount(run))[run] if len(run) else place
    below = np.bincount(column[~above], minlength=len(zeros))
    of_zero = np.where(zeros > 0, below + (zeros + 1) / 2, 0.0)
    data = np.empty(len(order))
    data[order] = mean - of_zero[column]
    return csr_array(csc_array((data, X.indices, X.indptr), X.shape))
