"""Tasks, and where they run: a cluster of workers, or the configured scheduler.

Dask's own `delayed` searches all arguments for others of its kind, and merges and names
graphs at every call. With blocks of rows that are searched in a fraction of a second,
that would be a good part of the time. Here a graph is written once, when it is sent,
and the arguments of a task that are not results of other tasks are opaque to Dask.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from threading import Lock
from typing import Any
from uuid import uuid4
from weakref import ref

from widemargin.engine.dask import _dask
from widemargin.engine.dask.monitor import Monitor
from widemargin.settings import DistributedSettings, current
from widemargin.threads import single_threaded_blas, spans

_submitting = Lock()
_session, _numbers = uuid4().hex, count()


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Stands for the result of another task among the arguments."""

    number: int


# Recursive functions are not nested in others: a closure would refer to itself, and
# keep blocks of rows in memory until the next garbage collection.


def run(function: Callable[..., Any], args: tuple[Any, ...], *results: Any) -> Any:
    """Make a call, given the results that it has waited for."""
    return function(*_filled(args, results))


def _filled(value: Any, results: tuple[Any, ...]) -> Any:
    kind = type(value)
    if kind is Placeholder:
        return results[value.number]
    if kind is list or kind is tuple:
        return kind(_filled(v, results) for v in value)
    return value


class Task:
    """A call that is to be made somewhere, and whose result others may use.

    Parameters
    ----------
    function : callable
    args : tuple
        Tasks, and partitions of a collection, are waited for; so are those in lists and
        tuples.
    """

    __slots__ = ("entry", "key", "needs")

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        plain = function.func if isinstance(function, partial) else function
        name = getattr(plain, "__name__", "task").strip("_<>")
        # Copies of this process would number theirs in the same way.
        self.key: Any = f"{name}-{_session}-{os.getpid()}-{next(_numbers)}"
        self.needs: list[Any] = []
        keys: dict[Any, Placeholder] = {}
        call = partial(run, function, self._with_placeholders(args, keys))
        self.entry: Any = (call, *keys)  # what a graph of Dask has under the key

    def _with_placeholders(self, value: Any, keys: dict[Any, Placeholder]) -> Any:
        kind = type(value)
        if kind is list or kind is tuple:
            return kind(self._with_placeholders(v, keys) for v in value)
        if not isinstance(value, Task | _dask.Delayed):
            return value
        if value.key not in keys:
            keys[value.key] = Placeholder(len(keys))
            self.needs.append(value)
        return keys[value.key]

    def become(self, entry: Any) -> Task:
        """The same task with another entry in the graph, which needs nothing."""
        self.entry, self.needs = entry, []
        return self


def begun(key: Any, future: Any) -> Task:
    """The task of a result that is being computed already."""
    task = constant(None)
    task.key = key
    return task.become(future)


def constant(value: Any) -> Task:
    """A task whose result is a given value."""
    return Task(partial(_identity, value), ())


def _identity(value: Any) -> Any:
    return value


def closure(results: Iterable[Any]) -> tuple[list[Task], list[Any]]:
    """All tasks that some results need, and the partitions that these need."""
    known: dict[int, Any] = {}
    left = list(results)
    while left:
        value = left.pop()
        if id(value) not in known:
            known[id(value)] = value
            left += value.needs if isinstance(value, Task) else ()
    tasks = [value for value in known.values() if isinstance(value, Task)]
    return tasks, [value for value in known.values() if not isinstance(value, Task)]


class Cluster:
    """What runs tasks.

    Parameters
    ----------
    name : str
        Name of the estimator, for messages.
    settings : DistributedSettings, default=those in force
    """

    def __init__(self, name: str, settings: DistributedSettings | None = None) -> None:
        self.name = name
        self.settings = settings or current().distributed
        self.get, self.client = _dask.scheduler()
        self.monitor = None
        if self.client is not None:
            self.monitor = Monitor(name, self.client, self.settings)
        self.futures: list[ref[Any]] = []  # all of this fit

    def size(self) -> tuple[int, int]:
        """Threads and bytes of memory, after a check of the workers."""
        assumed = self.settings.assumed_memory
        if self.monitor is None or self.client is None:
            return _dask.config.get("num_workers", None) or 2, assumed
        with self._explained():
            known = self.monitor.workers()
            if not known:
                # A task that any worker can run is waited for; some clusters start
                # workers only when there are tasks.
                self.monitor.values([self.client.submit(int, pure=False)])
                known = self.monitor.workers()
            self.monitor.check(known, self.settings.connection_timeout)
        limits = [w["memory_limit"] or assumed for w in known.values()]
        threads = sum(w["nthreads"] for w in known.values())
        return max(1, threads), sum(limits) or assumed

    def call(self, function: Callable[..., Any], *args: Any) -> Task:
        """A task, whose key begins with the name of the function."""
        return Task(function, args)

    def constant(self, value: Any, n_bytes: int) -> Any:
        """A value that several tasks use: a task of its own, if it is large.

        A small one is sent with each task, which then need not wait for it to come
        from another worker.
        """
        small = n_bytes <= self.settings.inline_bytes
        return value if small else constant(value)

    def tree(self, function: Callable[..., Any], parts: list[Any]) -> Any:
        """Reduce results by a function of a list of them, in a fixed order."""
        fan_in = self.settings.merge_fan_in
        while len(parts) > fan_in:
            parts = [self.call(function, parts[s]) for s in spans(len(parts), fan_in)]
        return self.call(function, parts)

    def total(self, parts: list[Any]) -> Any:
        """The sum of arrays."""
        return self.compute([self.tree(_add, parts)])[0]

    def compute(self, results: Sequence[Any]) -> list[Any]:
        """Values of some results."""
        with self._explained():
            if self.monitor is None:
                tasks, keys = self._graph(results)
                return list(self.get(tasks.to_dict(), keys))
            futures = self._begin(results)
            with _dask.seceded():
                return self.monitor.values(futures)

    def keep(
        self, results: Sequence[Any], *, spread: bool = False, wait: bool = False
    ) -> list[Any]:
        """The same results, begun to be computed, and kept on the workers.

        Parameters
        ----------
        results : list of tasks or partitions
        spread : bool, default=False
            Whether every worker is given its share of these tasks, wherever the
            partitions are. Dask would run them, and most that follows from them, on
            the workers that have the partitions.
        wait : bool, default=False
            Whether they are there on return, and what they were made of is gone. Of two
            graphs at once, each would keep what they share for the other.
        """
        if self.monitor is None:
            entries = [constant(v).entry for v in self.compute(results)]
        else:
            with self._explained():
                entries = self._begin(results, spread=spread)
                if wait:
                    with _dask.seceded():
                        self.monitor.until(partial(_all_done, entries))
        return [
            result.become(entry)
            if isinstance(result, Task)
            else begun(result.key, entry)
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

    def _begin(self, results: Sequence[Any], *, spread: bool = False) -> list[Any]:
        """Futures of some results."""
        assert self.client is not None
        tasks, keys = self._graph(results, self._places(results) if spread else None)
        # What a task waits for goes before other tasks like it.
        nested = 1 if _dask.in_task() else 0
        # Filters of warnings belong to all threads.
        with _submitting, warnings.catch_warnings():
            # Query rows and edges are sent with the graph, so as not to be lost with a
            # worker.
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            futures = list(self.client.get(tasks, keys, sync=False, priority=nested))
        alive = [known for known in self.futures if known() is not None]
        self.futures = [*alive, *map(ref, futures)]
        return futures

    def _places(self, results: Sequence[Any]) -> dict[Any, str]:
        """A worker for each result, in order; one with more threads has more."""
        assert self.monitor is not None
        workers = self.monitor.workers().items()
        threads = [address for address, w in workers for _ in range(w["nthreads"])]
        if not threads:
            return {}
        share = len(threads) / len(results)
        return {task.key: threads[int(i * share)] for i, task in enumerate(results)}

    def _graph(
        self, results: Sequence[Any], places: dict[Any, str] | None = None
    ) -> tuple[Any, list[Any]]:
        """All that some results need, as a graph of Dask, and their keys.

        Tasks with a place run there, or elsewhere if that worker is gone.
        """
        ours, parts = closure(results)
        layers: dict[str, Any] = {}
        entries = {task.key: task.entry for task in ours}
        for part in parts:
            foreign = part.__dask_graph__()
            layers.update(
                getattr(foreign, "layers", None) or {f"part-{id(foreign)}": foreign}
            )
            if self.client is not None and part.key not in foreign:  # it is computed
                entries[part.key] = _dask.Future(part.key, self.client)
        if places:
            wishes = {"workers": places.get, "allow_other_workers": True}
            placed = {key: entries.pop(key) for key in places}
            layers["placed"] = _dask.MaterializedLayer(placed, wishes)
        layers["tasks"] = _dask.MaterializedLayer(entries)
        tasks = _dask.HighLevelGraph(layers, {name: set() for name in layers})
        return tasks, [result.key for result in results]

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say what happened if workers die or the cluster goes away."""
        try:
            with single_threaded_blas():
                yield
        except Exception as error:
            if self.monitor is None:
                raise
            explained = self.monitor.explained(error)
            if explained is None:
                raise
            raise explained from error


@contextmanager
def running(address: str | None, threads: int) -> Iterator[None]:
    """Run tasks on the cluster of a scheduler, or else in threads of this process.

    Parameters
    ----------
    address : str or None
        Of the scheduler.
    threads : int
        Of this process, if there is no scheduler.
    """
    if address is None:
        with _dask.config.set(scheduler="threads", num_workers=threads):
            yield
        return
    timeout = current().distributed.connection_timeout
    with _dask.Client(address, timeout=timeout):
        yield


def _all_done(futures: list[Any], timeout: float) -> bool:
    """Whether futures are done within some seconds."""
    try:
        _dask.wait(futures, timeout=timeout)
    except TimeoutError:
        return False
    return True


def _add(parts: list[Any]) -> Any:
    return sum(parts[1:], start=parts[0])
