"""The names that are imported from Dask, and all that is used of its private ones.

Parquet and CSV files are opened as Dask frames here, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from widemargin.engine.dask import _dask
from widemargin.settings import current

INSTALL = 'To run on Dask collections install Dask: pip install "widemargin[dask]".'

try:
    import dask
    import distributed
    from dask import threaded
    from dask.base import get_scheduler
    from dask.delayed import Delayed as Delayed
    from dask.highlevelgraph import HighLevelGraph as HighLevelGraph
    from dask.highlevelgraph import MaterializedLayer as MaterializedLayer
except ImportError as error:
    raise ImportError(INSTALL) from error

Client = distributed.Client
Future = distributed.Future
config = dask.config
wait = distributed.wait


def scheduler() -> tuple[Any, Any]:
    """The function that computes graphs, and the client that it belongs to, if any."""
    get = get_scheduler() or threaded.get
    owner = getattr(get, "__self__", None)
    return get, owner if hasattr(owner, "scheduler_info") else None


def dataframe() -> Any:
    """The module of Dask's frames."""
    try:
        import dask.dataframe
    except ImportError as error:
        raise ImportError(INSTALL) from error
    return dask.dataframe


def empty_like(frame: Any) -> Any:
    """A pandas frame without rows, of the same columns and types as a Dask frame."""
    return frame._meta


def concatenated(parts: list[Any]) -> Any:
    """Arrays, or pandas frames or series whose categories may differ, as one."""
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    from dask.dataframe.dispatch import concat

    return concat(parts)


def event_loop(client: Any) -> Any:
    """The loop in which a client talks to its scheduler."""
    return client.loop.asyncio_loop


def evaluate(
    client: Any, expression: str, workers: list[str], seconds: float
) -> dict[str, Any]:
    """The value of an expression on "scheduler" and on workers, or the error there.

    Since `eval` is Python's own, this package is not needed there. If one of them does
    not answer in time, nothing is returned.
    """

    async def ask() -> dict[str, Any]:
        values: dict[str, Any] = await client._run(
            eval, expression, workers=workers, on_error="return"
        )
        try:
            values["scheduler"] = await client._run_on_scheduler(eval, expression)
        except Exception as error:
            values["scheduler"] = error
        return values

    try:
        answers: dict[str, Any] = client.sync(ask, callback_timeout=seconds)
    except TimeoutError:
        return {}
    return answers


def start_lost_workers(client: Any) -> int:
    """Let a `LocalCluster` start workers that it has given up; returns how many.

    It closes a worker that takes too long to restart, and starts no other. While one
    starts or closes, nothing is done: another one of the same name would be refused.
    """
    cluster = client.cluster
    if not isinstance(cluster, distributed.LocalCluster):
        return 0
    wanted, known = len(cluster.worker_spec), list(cluster.workers.values())
    others = [worker for worker in list(cluster._created) if worker not in known]
    lost = wanted - len(known)
    if not lost or any(worker.status.name != "closed" for worker in others):
        return 0
    cluster.scale(wanted)
    return lost


def in_task() -> bool:
    """Whether this code runs inside a task."""
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


@contextmanager
def seceded() -> Iterator[None]:
    """While a task waits, leave its thread to other tasks; outside of tasks, nothing.

    Otherwise waiting tasks could take all threads, and leave none for what they wait
    for.
    """
    if not in_task():
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


def open_parquet(path: str) -> Any:
    """A frame of a Parquet file, of a folder of such, or of those that match a glob.

    A partition is made of whole row groups, which is how the file is stored.
    """
    size = current().distributed.partition_bytes
    return _dask.dataframe().read_parquet(
        path, split_row_groups="adaptive", blocksize=size
    )


def open_csv(path: str, sample: int, sample_rows: int, **layout: Any) -> Any:
    """A frame of delimited text, of one file or of those that match a glob.

    Parameters
    ----------
    path : str
    sample : int
        Bytes at the beginning that tell the types of the columns. Whole numbers become
        floats, since some may be missing farther on.
    sample_rows : int
        Rows that tell the types, within these bytes.
    **layout : dict
        Goes to `pandas.read_csv`.
    """
    return _dask.dataframe().read_csv(
        path,
        blocksize=current().distributed.partition_bytes,
        sample=sample,
        sample_rows=sample_rows,
        assume_missing=True,
        **layout,
    )
