"""Waiting for a Dask cluster, with warnings and errors that say what is wrong.

A scheduler without workers waits for new ones in silence. A worker that is short of
memory is paused, and stays so if nothing on it can be freed. One that cannot import
what a task needs is closed by Dask. Workers are checked before they are sent tasks, and
while a fit waits, it checks the state of the cluster from time to time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import wait
from typing import Any
from weakref import WeakKeyDictionary

from widemargin._version import __version__
from widemargin.engine.dask import _dask
from widemargin.notices import warn
from widemargin.settings import DistributedSettings

VERSION = "__import__('widemargin').__version__"
INSTALL = f"Install widemargin {__version__} on the scheduler and on all workers."
RESTARTS = "worker-restart-memory"  # Dask's name of the event
# Workers of each client, by address, and its "scheduler", that can import this package.
_checked: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


class Monitor:
    """Checks the state of a cluster while a fit waits for it.

    Parameters
    ----------
    name : str
        Name of the estimator that waits.
    client : distributed.Client
    settings : DistributedSettings
    """

    def __init__(self, name: str, client: Any, settings: DistributedSettings) -> None:
        self.name, self.client, self.settings = name, client, settings
        self.begun = time.time()
        self.warned = False
        self.limit = 0  # smallest memory of a worker, also while it restarts

    def values(self, futures: Sequence[Any]) -> list[Any]:
        """Values of futures; their errors are raised."""
        gathering = self.client.gather(list(futures), asynchronous=True)
        gathered = asyncio.run_coroutine_threadsafe(
            gathering, _dask.event_loop(self.client)
        )
        self.until(lambda seconds: bool(wait([gathered], timeout=seconds).done))
        return list(gathered.result())

    def until(self, done: Callable[[float], bool]) -> None:
        """Wait until a function, called with the seconds that it may take, says so."""
        interval = self.settings.status_interval
        longest_alone = self.settings.no_workers_warning - interval
        alone = idle = None  # since when
        lowest = float("inf")
        while not done(interval):
            now, workers = time.monotonic(), self.workers()
            self.check(workers, interval)
            alone = None if workers else alone or now
            if alone and now - alone >= longest_alone:
                self._warn_of_no_workers()
            paused = _paused(workers)
            used = sum(w["metrics"].get("memory", 0) for w in paused)
            if not paused or _executing(workers) or used < 0.99 * lowest:
                idle, lowest = None, used if paused else float("inf")
            idle = (idle or now) if paused else None
            if idle and now - idle >= self.settings.paused_timeout:
                raise MemoryError(self._too_little_memory(paused, len(workers)))

    def check(self, workers: Iterable[str], seconds: float) -> None:
        """Raise if new workers cannot import this package; warn of other versions.

        Nothing is said if one of them does not answer within so many seconds.
        """
        checked = _checked.setdefault(self.client, set())
        new = [address for address in workers if address not in checked]
        found = _dask.evaluate(self.client, VERSION, new, seconds) if new else {}
        for address in found.keys() - checked:
            version = found[address]
            who = "scheduler" if address == "scheduler" else f"worker {address}"
            if isinstance(version, OSError):
                continue  # it has gone away
            if not isinstance(version, str):
                raise RuntimeError(
                    f"{self.name}: the Dask {who} cannot import widemargin "
                    f"({type(version).__name__}: {version}). {INSTALL}"
                )
            checked.add(address)
            if version != __version__:
                warn(
                    f"{self.name}: the Dask {who} has widemargin {version}, and this "
                    f"process {__version__}; the fit may fail, or scores may differ. "
                    f"{INSTALL}"
                )

    def workers(self) -> Mapping[str, Any]:
        """What the scheduler knows of each worker, by address."""
        workers: Mapping[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
        limits = {w["memory_limit"] for w in workers.values()} - {None, 0}
        self.limit = min(limits, default=self.limit)
        return workers

    def _warn_of_no_workers(self) -> None:
        n_started = _dask.start_lost_workers(self.client)
        if not self.warned:
            self.warned = True
            warn(
                f"{self.name} waits for workers: the Dask cluster has none. The fit "
                "continues as soon as one connects; Ctrl-C ends it."
                + self._restarts_for_memory()
                + self._left_unchecked()
            )
        if n_started:
            warn(
                f"{self.name} has the LocalCluster start {n_started} of its workers "
                "again. It closed them since they took longer to restart than Dask's "
                "setting distributed.deploy.lost-worker-timeout allows."
            )

    def _left_unchecked(self) -> str:
        """A sentence about a worker that left before it could be checked."""
        unknown = [
            event["worker"]
            for at, event in self.client.get_events("all")
            if event.get("action") == "remove-worker" and at >= self.begun
            if event["worker"] not in _checked.get(self.client, ())
        ]
        if not unknown:
            return ""
        return (
            f" {unknown[-1]} came and left during the fit. Can it import widemargin? "
            f"Dask closes a worker that gets a task and cannot. {INSTALL}"
        )

    def _too_little_memory(self, paused: list[Any], n_workers: int) -> str:
        worker = paused[0]
        used = worker["metrics"].get("memory", 0)
        return (
            f"{self.name}: the Dask workers have too little memory. Dask has paused "
            f"{len(paused)} of {n_workers}, since they use most of their "
            f"memory limit ({_megabytes(used)} of {_megabytes(worker['memory_limit'])} "
            f"for one of them), and nothing has run for "
            f"{self.settings.paused_timeout:.0f} s. {MORE_MEMORY}"
        )

    def _restarts_for_memory(self) -> str:
        """A sentence about workers that were restarted for using too much memory."""
        events = self.client.get_events(RESTARTS)
        restarts = [event for at, event in events if at >= self.begun]
        if not restarts:
            return ""
        self.workers()  # one that died may be there again, or others may have come
        limit = f", {_megabytes(self.limit)} for each worker" if self.limit else ""
        return (
            f" Dask has restarted workers {len(restarts)} times since they exceeded "
            f"their memory limit{limit}. {MORE_MEMORY}"
        )

    def explained(self, error: Exception) -> Exception | None:
        """The error to raise instead; None for errors that explain themselves."""
        kind = type(error).__name__
        if kind == "KilledWorker":
            return self._killed(error)
        cancelled = kind in {"CancelledError", "FutureCancelledError"}
        if cancelled or self.client.status != "running":
            return RuntimeError(
                f"{self.name}: the Dask cluster went away during the fit, or the data "
                f"that X stands for did ({kind}: {error}). Connect a new client, make "
                "X again and repeat the fit. Data that were sent to workers with "
                "scatter are lost with their worker."
            )
        return None

    def _killed(self, error: Any) -> Exception:
        key = error.task
        task = f"partition {key} of X" if isinstance(key, tuple) else f"task {key}"
        said = (
            f"{self.name}: Dask has given up on {task} after "
            f"{error.allowed_failures + 1} workers died while they worked on it."
        )
        memory = self._restarts_for_memory()
        if memory:
            return MemoryError(said + memory)
        return RuntimeError(
            f"{said} Either the code that reads or makes the data ends the process, or "
            "the process runs out of memory. Compute that part of X on its own to find "
            "out; client.get_worker_logs(nanny=True) tells more. If workers die for "
            "other reasons, raise Dask's setting distributed.scheduler.allowed-failures"
            f", which is {error.allowed_failures}."
        )


MORE_MEMORY = (
    "Give workers more memory (memory_limit), use fewer threads for each, or make "
    "partitions smaller (X.rechunk, frame.repartition)."
)


def _paused(workers: Mapping[str, Any]) -> list[Any]:
    return [worker for worker in workers.values() if worker["status"] == "paused"]


def _executing(workers: Mapping[str, Any]) -> int:
    """Tasks that run."""
    counts = (w["metrics"].get("task_counts", {}) for w in workers.values())
    return sum(count.get("executing", 0) for count in counts)


def _megabytes(n_bytes: int | None) -> str:
    return f"{(n_bytes or 0) / 1e6:.0f} MB"
