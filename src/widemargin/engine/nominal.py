"""Nominal features as numbers, for Manhattan distances.

The points ½ and −½ on each of m axes are all at Manhattan distance 1 from each other.
So a nominal feature of up to 2 m values can be written as m columns of numbers whose
differences add up to the 0 or 1 by which two of its values differ, without rounding.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table

# Beyond so many columns for each feature, comparing the values themselves is faster.
MOST_COLUMNS = 8


def as_numbers(table: Table) -> tuple[Table, Ints]:
    """The table with columns of numbers for its nominal features.

    Returns
    -------
    table : Table
        The same table where that cannot be done: values are missing, or features have
        too many of them.
    features : array of shape (columns,)
        The feature that each column is of.
    """
    d, mixed = table.X.shape[1], table.mixed
    if mixed is None or mixed.features.size:
        return table, np.arange(d)
    sizes = (mixed.codes.max(axis=0).astype(np.int64) + 2) // 2  # columns of each
    numeric = np.flatnonzero(table.numeric)
    features = np.concatenate([numeric, np.repeat(mixed.nominal, sizes)])
    if len(features) > MOST_COLUMNS * d:
        return table, np.arange(d)
    starts = len(numeric) + np.cumsum(sizes) - sizes
    X = np.zeros((len(table.X), len(features)))
    X[:, : len(numeric)] = table.X[:, numeric]
    _place(mixed.codes.astype(np.int64), starts, mixed.weights[mixed.nominal], X)
    ends = {"low": X.min(axis=0), "high": X.max(axis=0), "mean": X.mean(axis=0)}
    return replace(table, X=X, mixed=None, **ends), features


def _place(codes: Ints, starts: Ints, weights: Floats, X: Floats) -> None:
    """Write ½ or −½ of its weight into the column of each nominal value."""
    rows = np.arange(len(X))[:, None]
    X[rows, starts + codes // 2] = (0.5 - codes % 2) * weights
