"""From a Dask collection to a `DistributedTable`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from widemargin.data.build import refuse_extreme_ranges

# The operations of the engine are registered by these.
from widemargin.engine.dask import search as search
from widemargin.engine.dask import sums as sums
from widemargin.engine.dask.cluster import Cluster
from widemargin.engine.dask.source import Source
from widemargin.engine.dask.statistics import with_expected_differences
from widemargin.engine.dask.table import DistributedTable
from widemargin.settings import DistributedSettings


def block_rows(
    n: int, cells: int, capacity: tuple[int, int], settings: DistributedSettings
) -> int:
    """Rows of a block.

    Parameters
    ----------
    n : int
        Rows that there are.
    cells : int
        Numbers of a row.
    capacity : tuple of two int
        Threads of the cluster and bytes of its memory.
    settings : DistributedSettings
    """
    threads, memory = capacity
    limits = settings.min_block_cells, settings.max_block_cells
    most_cells = np.clip(memory // threads // settings.bytes_per_block_cell, *limits)
    most = max(1, int(most_cells) // cells)
    # Blocks are searched in pairs: as many as threads keep these busy.
    return int(np.clip(n // threads, min(n, settings.min_block_rows), most))


@contextmanager
def distribute(
    estimator: Any, X: Any, y: Any, sample_weight: Any = None, *, look: bool = True
) -> Iterator[Any]:
    """A table of a Dask array or frame X; at the end, nothing of it is left there.

    Parameters
    ----------
    estimator : MarginSelector
        Says how to scale, which columns are nominal, and what y has to be. Its
        ``n_features_in_`` and ``feature_names_in_`` are set.
    X : Dask array or frame
    y : array-like, Dask collection or str
        Labels; the name of a column of a frame X.
    sample_weight : array-like or Dask collection, default=None
        Weights of the rows.
    look : bool, default=True
        Whether many different whole numbers in y are refused, or warned of, as
        classes.
    """
    cluster = Cluster(type(estimator).__name__)
    try:
        yield _build(cluster, estimator, X, y, sample_weight, look)
    finally:
        cluster.release()


def _build(
    cluster: Cluster, estimator: Any, X: Any, y: Any, sample_weight: Any, look: bool
) -> DistributedTable:
    """A table of X and labels y; see `distribute`."""
    scale, ordered = estimator.scale, estimator._ordered_classes
    name, settings, capacity = cluster.name, cluster.settings, cluster.size()
    if scale == "rank":
        raise ValueError(
            f'{name}: scale="rank" sorts all rows and does not run on Dask '
            'collections. Use "minmax", or the logarithm of skewed features.'
        )
    numeric, nominal = estimator._numeric_target, estimator._nominal
    source = Source(X, y, name, cluster, nominal, numeric, look)
    # Few partitions are on few workers.
    spread = len(source.rows.parts) < capacity[0]
    early = source.n_bytes() * settings.kept_share <= capacity[1]
    if early:
        source.keep()
    if sample_weight is not None:
        source.weigh(sample_weight)
    if getattr(estimator, "class_weight", None) is not None:
        source.weigh_classes(estimator.class_weight)
    summary, codes, classes = source.survey(ordered=ordered)
    source.describe(estimator)
    refuse_extreme_ranges(summary.low, summary.high, scale, name)
    n, d = summary.n, len(summary.low)
    # A row carries a number, and half of one in two ways, for each feature and class
    # with missing cells.
    more = len(classes) * int(np.count_nonzero(summary.missing))
    n_bytes = n * (source.row_bytes() + 8 * more)
    kept = n_bytes * settings.kept_share <= capacity[1]
    rows = block_rows(n, d + 2 * more, capacity, settings)
    firsts, blocks = source.blocks(codes, rows)
    if kept:
        blocks = cluster.keep(blocks, spread=spread)
        if early:
            source.forget()
    scaling = summary.scaling(scale, sorted(source.columns.nominal))
    differences: list[Any] = []
    many = [f for f in sorted(source.columns.nominal) if summary.high[f] > 1]
    if many or more:
        absent = n, np.flatnonzero(summary.missing), np.array(many, np.int64)
        extended, differences, mixture = with_expected_differences(
            cluster, blocks, scaling, absent, len(classes)
        )
        if kept and more:
            # Until then, what they are made of must be kept.
            extended, differences = cluster.keep(extended, wait=True), []
        blocks = extended
        scaling = replace(scaling, mixture=mixture)
    return DistributedTable(
        y=codes,
        classes=classes,
        scaling=scaling,
        cluster=cluster,
        blocks=blocks,
        firsts=firsts,
        kept=kept,
        differences=differences,
        target=source.target,
        weights=source.weights,
        collection=source,
    )
