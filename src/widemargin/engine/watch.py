"""Waiting for a Dask cluster: never in silence, and errors that say what to do.

Workers come and go: a scheduler waits for new ones without a word. A worker that is
short of memory is paused, and if nothing on it can be freed it stays so. While a fit
waits, it looks at the cluster from time to time and tells what it sees.

The client is handed over, so Dask is not imported here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import wait
from typing import Any

from widemargin.notices import warn

LOOK = 2.0  # seconds between two looks at the cluster
NO_WORKERS = 30.0  # seconds without workers, after which a warning says so
STUCK = 20.0  # seconds that paused workers may keep the whole cluster idle
RESTARTS = "worker-restart-memory"  # Dask's name of the event


class Watch:
    """Looks at a cluster while a fit waits for it.

    Parameters
    ----------
    name : str
        Who waits.
    client : distributed.Client
    """

    def __init__(self, name: str, client: Any) -> None:
        self.name, self.client = name, client
        self.begun = time.time()
        self.warned = False

    def values(self, futures: Sequence[Any]) -> list[Any]:
        """Values of futures; their errors are raised."""
        gathering = self.client.gather(list(futures), asynchronous=True)
        loop = self.client.loop.asyncio_loop
        gathered = asyncio.run_coroutine_threadsafe(gathering, loop)
        self.until(lambda seconds: bool(wait([gathered], timeout=seconds).done))
        return list(gathered.result())

    def until(self, done: Callable[[float], bool]) -> None:
        """Wait until a function, given seconds to wait in, says that this is over."""
        alone = idle = None  # since when
        lowest = float("inf")
        while not done(LOOK):
            now, workers = time.monotonic(), self._workers()
            alone = None if workers else alone or now
            if alone and now - alone >= NO_WORKERS - LOOK:
                self._say_no_workers()
            paused = _paused(workers)
            used = sum(w["metrics"].get("memory", 0) for w in paused)
            if not paused or _executing(workers) or used < 0.99 * lowest:
                idle, lowest = None, used if paused else float("inf")
            idle = (idle or now) if paused else None
            if idle and now - idle >= STUCK:
                raise MemoryError(self._too_little_memory(paused, len(workers)))

    def _workers(self) -> Mapping[str, Any]:
        workers: Mapping[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
        return workers

    def _say_no_workers(self) -> None:
        if not self.warned:
            self.warned = True
            warn(
                f"{self.name} waits for workers: the Dask cluster has none. The fit "
                "goes on as soon as one connects; Ctrl-C ends it."
                + self._restarts_for_memory()
            )

    def _too_little_memory(self, paused: list[Any], n_workers: int) -> str:
        worker = paused[0]
        used = worker["metrics"].get("memory", 0)
        return (
            f"{self.name}: the Dask workers have too little memory. Dask has paused "
            f"{len(paused)} of {n_workers}, since they use most of their "
            f"memory limit ({_megabytes(used)} of {_megabytes(worker['memory_limit'])} "
            f"for one of them), and nothing has run for {STUCK:.0f} s. {MORE_MEMORY}"
        )

    def _restarts_for_memory(self) -> str:
        """A sentence, if workers were restarted since they used too much memory."""
        events = self.client.get_events(RESTARTS)
        restarts = [event for at, event in events if at >= self.begun]
        if not restarts:
            return ""
        limits = {w["memory_limit"] for w in self._workers().values()} - {None, 0}
        limit = f", {_megabytes(min(limits))} for each worker" if limits else ""
        return (
            f" Dask has restarted workers {len(restarts)} times since they exceeded "
            f"their memory limit{limit}. {MORE_MEMORY}"
        )

    def explained(self, error: Exception, parts: Sequence[Any]) -> Exception | None:
        """The error to raise instead, None for errors that speak for themselves.

        ``parts`` are the keys of the partitions that are made in the task that failed.
        """
        kind = type(error).__name__
        if kind == "KilledWorker":
            return self._killed(error, parts)
        cancelled = kind in {"CancelledError", "FutureCancelledError"}
        if cancelled or self.client.status != "running":
            return RuntimeError(
                f"{self.name}: the Dask cluster went away during the fit, or the data "
                f"that X stands for did ({kind}: {error}). Connect a new client, make "
                "X again and repeat the fit. Data that were sent to workers with "
                "scatter are lost with their worker."
            )
        return None

    def _killed(self, error: Any, parts: Sequence[Any]) -> Exception:
        key = error.task
        if len(parts) > 1:
            task = f"partitions {parts[0]} to {parts[-1]} of X, which one task makes,"
        elif parts or isinstance(key, tuple):
            task = f"partition {[*parts, key][0]} of X"
        else:
            task = f"task {key}"
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
