"""Dask: where tasks run, files as its frames, and from these to a `BlockTable`.

This is the only file that imports Dask. What is done with the blocks is said in
`widemargin.engine.distributed`.

Everything that lives on a worker can be made again from the caller's collection:
queries and edges travel with the graph, and nothing is scattered. A worker that dies
costs time and nothing else.
"""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from widemargin.engine.distributed import BlockTable, Remote
from widemargin.engine.laws import expectations
from widemargin.engine.partitions import Source
from widemargin.table import Ints, refuse_extreme_ranges
from widemargin.threads import single_threaded_blas, spans

INSTALL = 'To run on Dask collections install Dask: pip install "widemargin[dask]".'

try:
    import dask
    import distributed
    from dask.base import compute, get_scheduler, persist
    from dask.delayed import delayed
except ImportError as error:
    raise ImportError(INSTALL) from error

CELLS = 2**18, 2**24  # fewest and most cells of a block: 2 to 128 MB when scaled
PART = 512  # a block has as many cells as this part of a thread's bytes of memory
FEWEST = 256  # rows of a block, unless X has fewer
SHARE = 6  # X is kept in the cluster if it takes at most this part of its memory
MEMORY = 2**31  # bytes to reckon with where a scheduler does not tell
LIGHT = 2**14  # bytes of a value that is sent with each task
FAN = 8  # results that one task of a tree takes
CONNECT = 10  # seconds that a scheduler may take to answer
PIECE = 2**26  # bytes of a file that become a partition


class Cluster:
    """Whatever runs tasks: the active client's cluster, or the configured scheduler."""

    def __init__(self, name: str) -> None:
        self.name = name
        owner = getattr(get_scheduler(), "__self__", None)
        self.client = owner if hasattr(owner, "scheduler_info") else None

    def size(self) -> tuple[int, int]:
        """Threads and bytes of memory."""
        if self.client is None:
            return dask.config.get("num_workers", None) or 2, MEMORY
        with self._watched():
            workers = self.client.scheduler_info()["workers"].values()
        limits = [w["memory_limit"] or MEMORY for w in workers]
        return max(1, sum(w["nthreads"] for w in workers)), sum(limits) or MEMORY

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """A task under a name that says what it does."""
        name = f"{getattr(function, '__name__', 'task')}-{uuid.uuid4().hex}"
        return delayed(function, pure=False)(*args, dask_key_name=name)

    def constant(self, value: Any, n_bytes: int) -> Any:
        """A value that several tasks use: a result of its own, if it is large.

        A small one had better go with each task, which then need not wait for it to
        come from another worker.
        """
        if n_bytes <= LIGHT:
            return value
        name = f"{type(value).__name__}-{uuid.uuid4().hex}"
        return delayed(value, name=name, pure=False, traverse=False)

    def tree(self, function: Callable[..., Any], parts: list[Any]) -> Any:
        """Reduce results by a function of a list of them, in a fixed order."""
        while True:
            parts = [self.call(function, parts[s]) for s in spans(len(parts), FAN)]
            if len(parts) == 1:
                return parts[0]

    def total(self, parts: list[Any]) -> Any:
        """The sum of arrays."""
        return self.compute([self.tree(_add, parts)])[0]

    def compute(self, results: Sequence[Any]) -> list[Any]:
        """Values of some results."""
        with self._watched():
            if self.client is None:
                return list(compute(*results, optimize_graph=False))
            futures = self.client.compute(list(results), optimize_graph=False)
            return self.client.gather(futures)

    def keep(self, results: Sequence[Any], *, wait: bool = False) -> list[Any]:
        """The same results, begun to be computed, and kept where they are.

        With ``wait`` they are there on return, and what they were made of is gone: of
        two graphs at once, each would hold on to what they share for the other.
        """
        with self._watched():
            if self.client is None:
                return list(persist(*results, optimize_graph=False))
            kept = self.client.persist(list(results), optimize_graph=False)
            if wait:
                distributed.wait(distributed.futures_of(kept))
            return kept

    def spread(self, blocks: list[Any]) -> list[Any]:
        """The same for blocks, an equal share of them at each worker.

        Left to itself, a scheduler puts blocks where their rows came from, and if one
        worker has read all, the others watch it work.
        """
        if self.client is None:
            return self.keep(blocks)
        kept: list[Any] = []
        with self._watched():
            workers = list(self.client.scheduler_info(n_workers=-1)["workers"])
            shares = spans(len(blocks), -(-len(blocks) // max(1, len(workers))))
            for worker, share in zip(workers, shares, strict=False):
                kept += self.client.persist(
                    blocks[share],
                    workers=[worker],
                    allow_other_workers=True,
                    optimize_graph=False,
                )
        return kept or self.keep(blocks)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Say what happened if the cluster goes away."""
        try:
            with single_threaded_blas(), warnings.catch_warnings():
                # Queries and edges travel with the graph, so as not to be lost with a
                # worker.
                warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
                yield
        except Exception as error:
            lost = type(error).__name__ in {"CancelledError", "FutureCancelledError"}
            gone = self.client is not None and self.client.status != "running"
            if not (lost or gone):
                raise
            raise RuntimeError(
                f"{self.name}: the Dask cluster went away during the fit, or the data "
                f"that X stands for did ({type(error).__name__}: {error}). Connect a "
                "new client, make X again and repeat the fit."
            ) from error


@contextmanager
def running(address: str | None, threads: int) -> Iterator[None]:
    """Run tasks on the cluster of a scheduler, or else in threads of this process."""
    if address is None:
        with dask.config.set(scheduler="threads", num_workers=threads):
            yield
        return
    with distributed.Client(address, timeout=CONNECT):
        yield


def open_parquet(path: str) -> Any:
    """A frame of a Parquet file, of a folder of such, or of those that match a glob.

    A partition is made of whole row groups, which is how the file is stored.
    """
    return _frames().read_parquet(path, split_row_groups="adaptive", blocksize=PIECE)


def open_csv(path: str, sample: int, sample_rows: int, **layout: Any) -> Any:
    """A frame of delimited text, of one file or of those that match a glob.

    Types are told by the first rows, within so many bytes; whole numbers become floats,
    since some may be missing farther on. ``layout`` goes to `pandas.read_csv`.
    """
    return _frames().read_csv(
        path,
        blocksize=PIECE,
        sample=sample,
        sample_rows=sample_rows,
        assume_missing=True,
        **layout,
    )


def _frames() -> Any:
    try:
        import dask.dataframe
    except ImportError as error:
        raise ImportError(INSTALL) from error
    return dask.dataframe


def _add(parts: list[Any]) -> Any:
    return sum(parts[1:], start=parts[0])


def distribute(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scale: str | None,
    ordered: bool,
    nominal: Callable[[Any], Ints | None],
) -> BlockTable:
    """A table of a Dask array or frame X and of labels y of whatever kind.

    y may be the name of a column of a frame X. ``nominal`` tells which columns of an
    empty table like X are nominal, or None if these and missing values are refused. The
    estimator's ``n_features_in_`` and ``feature_names_in_`` are set.
    """
    name = type(estimator).__name__
    cluster = Cluster(name)
    threads, memory = cluster.size()
    source = Source(X, y, name, cluster, nominal)
    if source.n_bytes() * SHARE <= memory:
        source.keep()
    summary, codes, classes = source.survey(ordered=ordered)
    source.describe(estimator)
    refuse_extreme_ranges(summary.low, summary.high, scale, name)
    n, d = summary.n, len(summary.low)
    # A row carries a number, and half of one in two ways, for each feature and class
    # with missing cells.
    more = len(classes) * int(np.count_nonzero(summary.gaps))
    cells = int(np.clip(memory // threads // PART, *CELLS))
    # Blocks meet in pairs: as many as threads keep these busy.
    fitting = max(1, cells // (d + 2 * more))
    rows = int(np.clip(n // threads, min(n, FEWEST), fitting))
    firsts, blocks = source.blocks(codes, rows)
    kept = n * (source.row_bytes() + 8 * more) * SHARE <= memory
    scaling = summary.scaling(scale, sorted(source.columns.nominal))
    if kept:
        blocks = cluster.spread(blocks)
    laws: list[Any] = []
    many = [f for f in sorted(source.columns.nominal) if summary.high[f] > 1]
    if many or more:
        absent = n, np.flatnonzero(summary.gaps), np.array(many, np.int64)
        new, laws, mixture = expectations(
            cluster, blocks, scaling, absent, len(classes)
        )
        if kept and more:
            # Until then, what they are made of must be held on to.
            new, laws = cluster.keep(new, wait=True), []
        blocks = new
        scaling = replace(scaling, mixture=mixture)
    return BlockTable(
        X=Remote(n, d),  # type: ignore[arg-type]
        y=codes,  # type: ignore[arg-type]
        classes=classes,
        rows=np.empty(0, np.int64),
        low=scaling.low,
        high=scaling.high,
        mean=scaling.mean,
        runner=cluster,
        blocks=blocks,
        firsts=firsts,
        kept=kept,
        scaling=scaling,
        laws=laws,
    )
