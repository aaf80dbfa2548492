"""Fits that wait for a Dask cluster: inside of tasks, interrupted, without workers."""

import asyncio
import gc
import signal
import subprocess
import sys
import threading
import warnings
from types import SimpleNamespace

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster, worker_client

from cases import gaussian
from settings_tools import distributed_settings
from waiting import LONG, act_on_each_wait, wait_until, without_hanging
from widemargin import LMBA, ReliefF
from widemargin._version import __version__
from widemargin.engine.dask import monitor
from widemargin.engine.dask.monitor import Monitor
from widemargin.settings import DistributedSettings

X, y = gaussian(np.random.default_rng(0))
EXPECTED = ReliefF().fit(X, y).scores_


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        yield client


def lazily(X):
    return da.from_array(X, chunks=(20, -1))


def fit(_):
    return ReliefF().fit(lazily(X), y).scores_


def fit_by_batches(_):
    return LMBA(batch_size=20, random_state=0).fit(lazily(X), y).scores_


def fit_where_the_caller_has_seceded(_):
    with worker_client():
        return fit(_)


@pytest.mark.parametrize(
    "task", [fit, fit_by_batches, fit_where_the_caller_has_seceded]
)
def test_fits_inside_of_tasks(task, client):
    futures = client.map(task, range(4), pure=False)
    # They may not wait for each other.
    wait_until(lambda: all(f.status != "pending" for f in futures))
    expected = EXPECTED
    if task is fit_by_batches:
        expected = LMBA(batch_size=20, random_state=0).fit(X, y).scores_
    for scores in client.gather(futures):
        np.testing.assert_allclose(scores, expected, atol=1e-9)


BEGUN, WAITING, OVER = threading.Event(), threading.Event(), threading.Event()


def until_over(block):
    BEGUN.set()
    OVER.wait(LONG)
    return block


def test_an_interrupted_fit_leaves_nothing_on_the_cluster(cluster, client, monkeypatch):
    act_on_each_wait(monkeypatch, lambda monitor: WAITING.set())
    for event in (BEGUN, WAITING, OVER):
        event.clear()

    def interrupt():
        """While a task runs, and the caller waits for it."""
        BEGUN.wait(LONG)
        WAITING.wait(LONG)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    # Were there no meta, map_blocks itself would call the function, and wait.
    lazy = lazily(X).map_blocks(until_over, dtype=X.dtype, meta=np.empty((0, 0)))
    assert not BEGUN.is_set()
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt) as raised:
        ReliefF().fit(lazy, y)
    # As in a notebook, where the last traceback refers to all that there was.
    assert raised.tb is not None
    OVER.set()
    wait_until(lambda: not cluster.scheduler.tasks)
    np.testing.assert_allclose(fit(0), EXPECTED, atol=1e-12)


def test_a_fit_leaves_nothing_on_the_cluster(cluster, client):
    lazy = lazily(X).persist()
    ReliefF().fit(lazy, y)
    wait_until(lambda: len(cluster.scheduler.tasks) <= lazy.npartitions)
    np.testing.assert_array_equal(lazy.compute(), X)


def test_scattered_data_are_taken(client, cluster):
    (block,) = client.scatter([X])
    lazy = da.from_delayed(block, X.shape, X.dtype)  # type: ignore[arg-type]
    ReliefF().fit(lazy, y)


def test_a_cluster_without_workers_is_waited_for_aloud():
    with (
        LocalCluster(
            n_workers=0, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
        warnings.catch_warnings(action="always"),
    ):
        told = []

        def shown(message, *_):
            told.append(str(message))
            cluster.scale(1)

        warnings.showwarning = shown
        with distributed_settings(status_interval=0.05, no_workers_warning=0.2):
            np.testing.assert_allclose(fit(0), EXPECTED, atol=1e-12)
    (message,) = told
    assert "ReliefF waits for workers" in message
    gc.collect()


class FakeClient:
    """A cluster in some state; only what a monitor looks at."""

    status, cluster = "running", None

    def __init__(self, *workers, restarts=0, left=(), versions=None):
        self.workers, self.restarts = workers, restarts
        self.left, self.versions = left, versions or {}

    def scheduler_info(self, n_workers):
        return {"workers": {str(i): w for i, w in enumerate(self.workers)}}

    def get_events(self, topic):
        if topic == "all":
            events = [{"action": "remove-worker", "worker": w} for w in self.left]
        else:
            events = [{}] * self.restarts
        return [(float("inf"), event) for event in events]  # the time, after all others

    async def _run(self, function, *args, workers, on_error):
        return {w: self.versions.get(w, __version__) for w in workers}

    async def _run_on_scheduler(self, function, *args):
        version = self.versions.get("scheduler", __version__)
        if isinstance(version, Exception):
            raise version
        return version

    def sync(self, function, callback_timeout):
        return asyncio.run(function())


def worker(status, memory=550e6, executing=0):
    metrics = {"memory": memory, "task_counts": {"executing": executing}}
    return {"status": status, "memory_limit": 600_000_000, "metrics": metrics}


def monitor_of(name, client, **changed):
    return Monitor(name, client, DistributedSettings(**changed))


def test_paused_workers_that_stop_a_fit():
    client = FakeClient(worker("paused"), worker("running"))
    told = "ReliefF.*paused 1 of 2.*550 MB of 600 MB.*memory_limit"
    with pytest.raises(MemoryError, match=told):
        monitor_of("ReliefF", client, paused_timeout=0.0).until(lambda seconds: False)


@pytest.mark.parametrize(
    "workers",
    [
        [worker("running"), worker("running")],
        [worker("paused"), worker("running", executing=1)],
        [worker("paused", executing=1)],
    ],
)
def test_workers_that_do_something_are_waited_for(workers):
    looks = iter([False] * 5 + [True])
    waiting = monitor_of("ReliefF", FakeClient(*workers), paused_timeout=1e-9)
    waiting.until(lambda seconds: next(looks))


@pytest.mark.parametrize(
    ("who", "told"), [("1", "worker 1"), ("scheduler", "scheduler")]
)
def test_workers_of_another_version(who, told):
    client = FakeClient(worker("running"), worker("running"), versions={who: "0.0.9"})
    versions = f"Relief: the Dask {told} has widemargin 0.0.9, .*{__version__}"
    with pytest.warns(UserWarning, match=versions):
        monitor_of("Relief", client).check(["0", "1"], 1.0)
    # The next fit does not mention it again.
    monitor_of("Relief", client).check(["0", "1"], 1.0)
    client.versions[who] = ModuleNotFoundError("No module named 'widemargin'")
    monitor._checked.clear()
    missing = f"Relief: the Dask {told} cannot import widemargin .*{__version__}"
    with pytest.raises(RuntimeError, match=missing):
        monitor_of("Relief", client).check(["0", "1"], 1.0)


def test_workers_that_join_later_are_checked():
    client = FakeClient(worker("running"), versions={"0": ImportError("no numba")})
    with pytest.raises(RuntimeError, match=r"worker 0 cannot import.*no numba"):
        monitor_of("Relief", client).until(lambda seconds: False)


def test_workers_that_go_away_are_not_blamed():
    client = FakeClient(worker("running"), versions={"0": OSError("closed")})
    monitor_of("Relief", client).check(["0"], 1.0)
    client.versions = {"0": "0.0.9"}  # asked again when it is back
    with pytest.warns(UserWarning, match=r"worker 0 has widemargin 0.0.9"):
        monitor_of("Relief", client).check(["0"], 1.0)


def test_a_worker_that_left_before_it_was_checked_is_named():
    client = FakeClient(left=["tcp://other:1"])
    looks = iter([False, True])
    with pytest.warns(UserWarning, match=r"tcp://other:1 came and left .*widemargin"):
        monitor_of("Relief", client, no_workers_warning=0.0).until(
            lambda seconds: next(looks)
        )


HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name == "widemargin":
            raise ModuleNotFoundError("No module named 'widemargin'")

sys.meta_path.insert(0, Hidden())
"""
SHOW_ANOTHER = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != "Hidden"]
import widemargin
widemargin.__version__ = "0.0.9"
"""


@pytest.mark.processes
@pytest.mark.slow
def test_a_worker_without_the_package(tmp_path):
    """Dask would close it when it is sent a task, and wait for another."""
    (tmp_path / "hide.py").write_text(HIDE)
    with (
        LocalCluster(
            n_workers=0, processes=False, protocol="tcp://", dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        module = [sys.executable, "-m", "distributed.cli.dask_worker"]
        options = ["--preload", str(tmp_path / "hide.py"), "--no-dashboard"]
        process = subprocess.Popen(
            [*module, cluster.scheduler_address, "--no-nanny", *options],
            stderr=subprocess.DEVNULL,
        )
        try:
            # At first there is no worker.
            missing = "ReliefF: the Dask worker tcp://.* cannot import widemargin"
            for _ in range(2):
                with pytest.raises(RuntimeError, match=missing) as raised:
                    without_hanging(lambda: fit(0))
                (address,) = client.scheduler_info(n_workers=-1)["workers"]
                assert address in str(raised.value)
            client.run(exec, SHOW_ANOTHER)
            with pytest.warns(UserWarning, match=f"{address} has widemargin 0.0.9"):
                np.testing.assert_allclose(fit(0), EXPECTED, atol=1e-12)
        finally:
            process.kill()
            process.wait()


def test_deaths_for_want_of_memory_are_told_from_others():
    killed = type("KilledWorker", (Exception,), {})("dead")
    killed.task, killed.allowed_failures = ("read-csv", 3), 3
    error = monitor_of("Relief", FakeClient()).explained(killed)
    assert isinstance(error, RuntimeError)
    assert "Relief: Dask has given up on partition ('read-csv', 3) of X" in str(error)
    assert "after 4 workers died" in str(error)
    client = FakeClient(worker("running"), restarts=4)
    error = monitor_of("Relief", client).explained(killed)
    assert isinstance(error, MemoryError)
    assert "memory limit, 600 MB for each worker" in str(error)


def test_errors_of_tasks_speak_for_themselves():
    client = SimpleNamespace(status="running")
    assert monitor_of("Relief", client).explained(ValueError("no")) is None
