"""Columns for kernel ridge regression, of rows that are fetched as they are drawn."""

from __future__ import annotations

import math

import numpy as np

from widemargin.data.protocol import Ints
from widemargin.engine import kernel_ridge
from widemargin.engine.dask.table import DistributedTable
from widemargin.engine.kernel_ridge import Columns


class RemoteColumns(Columns):
    """Columns of a `DistributedTable`, which is their ``X``."""

    __slots__ = ()


@kernel_ridge.standardised_columns.register
def standardised_columns(table: DistributedTable, scale: str | None) -> RemoteColumns:
    """The features that vary, as columns of numbers."""
    varying, counts = np.flatnonzero(~table.constant), table.nominal_counts
    if not counts and table.scaling.mixture is None:
        return RemoteColumns(table, varying, varying, table.mean[varying])
    columns: list[tuple[float, ...]] = []
    for f in varying.tolist():
        if f in counts:
            q = counts[f] / counts[f].sum()
            differ = 1 - (q**2).sum()  # the probability that two rows do
            span = math.sqrt(differ if scale == "standard" else 2.0)
            columns += [(f, p, span, code) for code, p in enumerate(q) if p]
        else:
            columns.append((f, table.mean[f], 1.0, np.nan))
    feature, *rest = np.array(columns).reshape(-1, 4).T
    feature = feature.astype(np.int64)
    return RemoteColumns(table, feature, feature, *rest)


@kernel_ridge.loaded.register
def loaded(data: RemoteColumns, draws: list[Ints]) -> tuple[Columns, list[Ints]]:
    """Columns with the rows of as many draws as may be in memory, and where these are.

    All that one fetch needs is in one graph, so that blocks are read once for it.
    """
    columns, column = np.unique(data.column, return_inverse=True)
    most = data.X.cluster.settings.fetched_cells // (len(columns) * len(draws[0]))
    draws = draws[: max(1, most)]
    rows = np.unique(np.concatenate(draws))
    here = Columns(data.X.numbers(rows, columns), data.feature, column, *data[3:])
    return here, [np.searchsorted(rows, drawn) for drawn in draws]
