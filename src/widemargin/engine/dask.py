"""Dask: where tasks run, files as its frames, and from these to a `BlockTable`.

This is the only file that imports Dask. What is done with the blocks is said in
`widemargin.engine.distributed`.

Everything that lives on a worker can be made again from the caller's collection:
queries and edges travel with the graph, and nothing is scattered. Nor is a task tied to
a worker: its address is gone when it dies. A worker that dies costs time and nothing
else.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any
from weakref import ref

import numpy as np

from widemargin.engine import calls
from widemargin.engine.calls import Call, Work
from widemargin.engine.distributed import BlockTable, Remote
from widemargin.engine.laws import expectations
from widemargin.engine.partitions import Source
from widemargin.engine.watch import Watch
from widemargin.table import Ints, refuse_extreme_ranges
from widemargin.threads import single_threaded_blas, spans

INSTALL = 'To run on Dask collections install Dask: pip install "widemargin[dask]".'

try:
    import dask
    import distributed
    from dask import local, threaded
    from dask.base import get_scheduler
    from dask.delayed import Delayed
    from dask.highlevelgraph import HighLevelGraph, MaterializedLayer
except ImportError as error:
    raise ImportError(INSTALL) from error

CELLS = 2**18, 2**24  # fewest and most cells of a block: 2 to 128 MB when scaled
PART = 512  # a block has as many cells as this part of a thread's bytes of memory
FEWEST = 256  # rows of a block, unless X has fewer
SHARE = 6  # X is kept in the cluster if it takes at most this part of its memory
MEMORY = 2**31  # bytes to reckon with where a scheduler does not tell
LIGHT = 2**14  # bytes of a value that is sent with each task
FAN = 8  # results that one task of a tree takes
STEPS = 8  # fewer tasks than that make a partition in the task that uses it
CONNECT = 10  # seconds that a scheduler may take to answer
PIECE = 2**26  # bytes of a file that become a partition

_submitting = Lock()


class Cluster:
    """Whatever runs tasks: the active client's cluster, or the configured scheduler."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.get = get_scheduler() or threaded.get
        owner = getattr(self.get, "__self__", None)
        self.client = owner if hasattr(owner, "scheduler_info") else None
        self.watch = Watch(name, self.client) if self.client is not None else None
        self.futures: list[ref[Any]] = []  # all of this fit
        self.parts_of: dict[Any, list[Any]] = {}  # partitions that a task makes

    def size(self) -> tuple[int, int]:
        """Threads and bytes of memory."""
        if self.client is None:
            return dask.config.get("num_workers", None) or 2, MEMORY
        with self._watched():
            known = self.client.scheduler_info(n_workers=-1)["workers"]
        limits = [w["memory_limit"] or MEMORY for w in known.values()]
        threads = sum(w["nthreads"] for w in known.values())
        return max(1, threads), sum(limits) or MEMORY

    def call(self, function: Callable[..., Any], *args: Any) -> Call:
        """A task under a name that says what it does."""
        task = Call(function, args, _foreign)
        parts = [
            value.args[1]
            for values in args
            if isinstance(values, list)
            for value in values
            if isinstance(value, Work) and value.function is _make
        ]
        if parts:
            self.parts_of[task.key] = parts
        return task

    def constant(self, value: Any, n_bytes: int) -> Any:
        """A value that several tasks use: a result of its own, if it is large.

        A small one had better go with each task, which then need not wait for it to
        come from another worker.
        """
        return value if n_bytes <= LIGHT else calls.constant(value)

    def inside(self, parts: list[Any]) -> list[Any]:
        """Partitions, to be made in the tasks that use them, one each, if possible.

        That is where nobody else needs what they are made of.
        """
        lazy = [part for part in parts if isinstance(part, Delayed)]
        graphs = {id(g): g for g in (part.__dask_graph__() for part in lazy)}
        known = {key: node for graph in graphs.values() for key, node in graph.items()}
        recipes = [_recipe(known, part.key) for part in parts]
        uses = Counter(key for recipe in recipes for key in recipe)
        return [
            Work(_make, (recipe, part.key))
            if recipe and all(uses[key] == 1 for key in recipe)
            else part
            for part, recipe in zip(parts, recipes, strict=True)
        ]

    def tree(
        self,
        function: Callable[..., Any],
        parts: list[Any],
        last: Callable[..., Any] | None = None,
    ) -> Any:
        """Reduce results by a function of a list of them, in a fixed order.

        The last call is made to another function, if one is given.
        """
        while len(parts) > FAN:
            parts = [self.call(function, parts[s]) for s in spans(len(parts), FAN)]
        return self.call(last or function, parts)

    def total(self, parts: list[Any]) -> Any:
        """The sum of arrays."""
        return self.compute([self.tree(_add, parts)])[0]

    def compute(self, results: Sequence[Any]) -> list[Any]:
        """Values of some results."""
        with self._watched():
            if self.watch is None:
                graph, keys = self._graph(results)
                return list(self.get(graph.to_dict(), keys))
            futures = self._begin(results)
            with _seceded():
                return self.watch.values(futures)

    def keep(self, results: Sequence[Any], *, wait: bool = False) -> list[Any]:
        """The same results, begun to be computed, and kept where they are.

        With ``wait`` they are there on return, and what they were made of is gone: of
        two graphs at once, each would hold on to what they share for the other.
        """
        if self.watch is None:
            entries = [calls.constant(v).entry for v in self.compute(results)]
        else:
            with self._watched():
                entries = self._begin(results)
                if wait:
                    with _seceded():
                        self.watch.until(partial(_all_there, entries))
        return [
            result.become(entry)
            if isinstance(result, Call)
            else calls.result(result.key, entry)
            for result, entry in zip(results, entries, strict=True)
        ]

    def release(self) -> None:
        """Let the cluster forget all that was computed or begun.

        After an interrupt, the traceback still refers to it.
        """
        for reference in self.futures:
            future = reference()
            if future is not None:
                future.release()
        self.futures.clear()

    def _begin(self, results: Sequence[Any]) -> list[Any]:
        """Futures of some results."""
        assert self.client is not None
        graph, keys = self._graph(results)
        # What a task waits for goes before other tasks like it.
        nested = 1 if _in_task() else 0
        # Filters of warnings belong to all threads.
        with _submitting, warnings.catch_warnings():
            # Queries and edges travel with the graph, so as not to be lost with a
            # worker.
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            futures = list(self.client.get(graph, keys, sync=False, priority=nested))
        alive = [known for known in self.futures if known() is not None]
        self.futures = [*alive, *map(ref, futures)]
        return futures

    def _graph(self, results: Sequence[Any]) -> tuple[HighLevelGraph, list[Any]]:
        """All that some results need, and their keys."""
        ours, parts = calls.closure(results)
        layers: dict[str, Any] = {}
        entries = {call.key: call.entry for call in ours}
        for part in parts:
            graph = part.__dask_graph__()
            layers.update(
                getattr(graph, "layers", None) or {f"part-{id(graph)}": graph}
            )
            if self.client is not None and part.key not in graph:  # it is computed
                entries[part.key] = distributed.Future(part.key, self.client)
        layers["calls"] = MaterializedLayer(entries)
        graph = HighLevelGraph(layers, {name: set() for name in layers})
        return graph, [result.key for result in results]

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Say what happened if workers die or the cluster goes away."""
        try:
            with single_threaded_blas():
                yield
        except Exception as error:
            if self.watch is None:
                raise
            parts = self.parts_of.get(getattr(error, "task", None), [])
            explained = self.watch.explained(error, parts)
            if explained is None:
                raise
            raise explained from error


def _in_task() -> bool:
    """Whether this is part of a task of Dask."""
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


@contextmanager
def _seceded() -> Iterator[None]:
    """Leave the thread of the task that waits, if it is one, to other tasks.

    Else tasks that wait could take all threads, and what they wait for gets none.
    """
    if not _in_task():
        yield
        return
    try:
        distributed.secede()
    except KeyError:  # the caller has done so: worker_client
        yield
        return
    try:
        yield
    finally:
        distributed.rejoin()


def _all_there(futures: list[Any], timeout: float) -> bool:
    """Whether futures are done within some seconds."""
    try:
        distributed.wait(futures, timeout=timeout)
    except TimeoutError:
        return False
    return True


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


def _foreign(value: Any) -> Any:
    """The key of a partition of a collection."""
    return value.key if isinstance(value, Delayed) else None


def _recipe(known: dict[Any, Any], key: Any) -> dict[Any, Any]:
    """What makes a partition from nothing, in a few steps; empty if there are more."""
    recipe: dict[Any, Any] = {}
    left = [key]
    while left and len(recipe) < STEPS:
        key = left.pop()
        needs = getattr(known.get(key), "dependencies", None)
        if needs is None:  # it is somewhere else, or not said in so many words
            return {}
        recipe[key] = known[key]
        left += needs - recipe.keys()
    return {} if left else recipe


def _make(recipe: dict[Any, Any], key: Any) -> Any:
    return local.get_sync(recipe, key)


def _add(parts: list[Any]) -> Any:
    return sum(parts[1:], start=parts[0])


def _block_cells(threads: int, memory: int) -> int:
    """Most cells of a block."""
    return int(np.clip(memory // threads // PART, *CELLS))


def _block_rows(n: int, cells: int, threads: int, memory: int) -> int:
    """Rows of a block, for n rows of so many cells."""
    most = max(1, _block_cells(threads, memory) // cells)
    # Blocks meet in pairs: as many as threads keep these busy.
    return int(np.clip(n // threads, min(n, FEWEST), most))


@contextmanager
def distribute(estimator: Any, X: Any, y: Any, **options: Any) -> Iterator[BlockTable]:
    """A table of a Dask array or frame X; at the end, nothing of it is on the cluster.

    Parameters
    ----------
    estimator : object
        Its ``n_features_in_`` and ``feature_names_in_`` are set.
    X : Dask array or frame
    y : array-like, Dask collection or str
        Labels; the name of a column of a frame X.
    **options : dict
        See `_build`.
    """
    cluster = Cluster(type(estimator).__name__)
    try:
        yield _build(cluster, estimator, X, y, **options)
    finally:
        cluster.release()


def _build(
    cluster: Cluster,
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scale: str | None,
    ordered: bool,
    nominal: Callable[[Any], Ints | None],
) -> BlockTable:
    """A table of X and of labels y of whatever kind, in the units of ``scale``.

    ``ordered`` classes are numbers or ordered categories. ``nominal`` tells which
    columns of an empty table like X are nominal, or None if these and missing values
    are refused.
    """
    name = cluster.name
    capacity = cluster.size()
    source = Source(X, y, name, cluster, nominal)
    firsts, blocks, rows = np.empty(0, np.int64), list[Any](), 0
    fits = source.n_bytes() * SHARE <= capacity[1]
    if fits and source.foreseen:
        codes, classes = source.labels(ordered=ordered)
        rows = _block_rows(len(codes), source.X.shape[1], *capacity)
        firsts, blocks = source.blocks(codes, rows)
        blocks = cluster.keep(blocks)
        summary = source.look_at(blocks)
    else:
        if fits:
            source.keep()
        summary, codes, classes = source.survey(ordered=ordered)
    source.describe(estimator)
    refuse_extreme_ranges(summary.low, summary.high, scale, name)
    n, d = summary.n, len(summary.low)
    # A row carries a number, and half of one in two ways, for each feature and class
    # with missing cells.
    more = len(classes) * int(np.count_nonzero(summary.gaps))
    kept = n * (source.row_bytes() + 8 * more) * SHARE <= capacity[1]
    if not kept or rows != _block_rows(n, d + 2 * more, *capacity):
        rows = _block_rows(n, d + 2 * more, *capacity)
        firsts, blocks = source.blocks(codes, rows)
        if kept:
            blocks = cluster.keep(blocks)
    scaling = summary.scaling(scale, sorted(source.columns.nominal))
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
        together=n * (d + 2 * more) <= _block_cells(*capacity),
        scaling=scaling,
        laws=laws,
    )
