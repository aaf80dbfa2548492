"""Workers that die, or have too little memory, while a fit runs on them."""

import os
import signal
import threading
import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pytest
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context

from cases import gaussian
from settings_tools import distributed_settings
from test_mixed import credit, frame
from waiting import act_on_each_wait, wait_until, without_hanging
from widemargin import (
    FRLL,
    LMBA,
    AutoSelector,
    KernelRFE,
    OReliefF,
    OSimba,
    Relief,
    ReliefF,
    RReliefF,
    Simba,
)
from widemargin.baselines import FisherScore, InformationGain, PearsonScore

# A busy machine takes its time to start a process.
pytestmark = [
    pytest.mark.processes,
    pytest.mark.filterwarnings("ignore:.*waits for workers:UserWarning"),
]
SETTINGS = {
    "distributed.deploy.lost-worker-timeout": "300s",
    # New workers are copies of a process that has imported everything.
    "distributed.worker.multiprocessing-method": "forkserver",
}
IMPORTS = ["distributed", "dask.array", "widemargin.engine.dask.build"]
X, y = gaussian(np.random.default_rng(0))


@pytest.fixture(scope="module")
def cluster_of(request):
    """Clusters of processes, each started once."""
    running = {}

    def start(n_workers, **options):
        key = n_workers, *options.items()
        if key not in running:
            running[key] = LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                dashboard_address=":0",
                **options,
            )
        return running[key]

    with dask.config.set(SETTINGS):
        get_mp_context().set_forkserver_preload(IMPORTS)
        yield start
        for cluster in running.values():
            cluster.close()


def killable(folder, X):
    """X in partitions that wait in their process until that is killed, the first time.

    So whoever kills it does so while the fit runs.
    """

    def part(block, block_info=None):
        number = block_info[0]["chunk-location"][0]
        if not (folder / "killed").exists():
            (folder / f"{os.getpid()}").write_text(str(number))
            while not (folder / "killed").exists():
                time.sleep(0.01)
        return block

    return da.from_array(X, chunks=(15, -1)).map_blocks(part, dtype=X.dtype, meta=X[:0])


@pytest.mark.parametrize(
    ("n_workers", "n_killed"),
    [
        (1, 1),
        pytest.param(2, 2, marks=pytest.mark.slow),
        pytest.param(2, 1, marks=pytest.mark.slow),
    ],
)
def test_workers_that_die_while_reading(n_workers, n_killed, cluster_of, tmp_path):
    def fit():
        with distributed_settings(min_block_rows=1):
            return ReliefF().fit(killable(tmp_path, X), y).scores_

    with Client(cluster_of(n_workers)) as client:
        client.wait_for_workers(n_workers)

        killed = []

        def kill():
            """When all workers are in the middle of a partition."""
            wait_until(lambda: len(list(tmp_path.iterdir())) == n_workers)
            for path in list(tmp_path.iterdir())[:n_killed]:
                os.kill(int(path.name), signal.SIGKILL)
                killed.append(int(path.name))
            (tmp_path / "killed").touch()

        threading.Thread(target=kill).start()
        scores = without_hanging(fit)
        assert len(killed) == n_killed
        assert not set(killed) & set(client.run(os.getpid).values())
    np.testing.assert_allclose(scores, ReliefF().fit(X, y).scores_, atol=1e-12)


METHODS = [
    ReliefF(),
    ReliefF(n_samples=20, random_state=0),
    Relief(),
    OReliefF(),
    FRLL(),
    Simba(batch_size=30, n_starts=1, random_state=0),
    OSimba(batch_size=30, n_starts=1, random_state=0),
    LMBA(batch_size=30, random_state=0),
    FisherScore(),
    PearsonScore(),
    InformationGain(),
    KernelRFE(max_rows=30, random_state=0),
    AutoSelector(random_state=0),
]


def fit_and_kill(method, lazy, y, number, monkeypatch):
    """Fit, and kill all workers when results are waited for the so-manieth time.

    Returns the scores, and how often results were waited for.
    """
    waits = []

    def kill(monitor):
        waits.append(1)
        if len(waits) == number:
            for pid in monitor.client.run(os.getpid).values():
                os.kill(pid, signal.SIGKILL)

    with monkeypatch.context() as patch, distributed_settings(min_block_rows=1):
        act_on_each_wait(patch, kill)
        return method.fit(lazy, y).scores_, len(waits)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_the_only_worker_dies_at_any_stage(method, cluster_of, monkeypatch):
    expected = method.fit(X, y).scores_
    lazy = da.from_array(X, chunks=(15, -1))
    with Client(cluster_of(1)) as client:
        client.wait_for_workers(1)
        _, most = fit_and_kill(method, lazy, y, 0, monkeypatch)
        for number in sorted({1, 2, most // 2, most} - {0}):
            scores, _ = fit_and_kill(method, lazy, y, number, monkeypatch)
            np.testing.assert_allclose(scores, expected, atol=1e-9)


@pytest.mark.slow
def test_the_only_worker_dies_at_any_stage_of_a_mixed_table(cluster_of, monkeypatch):
    rows, classes = credit(np.random.default_rng(0))
    table, numbers = frame(rows), np.array(classes, float)
    expected = RReliefF().fit(table, numbers).scores_
    lazy = dd.from_pandas(table, npartitions=4)
    with Client(cluster_of(1)) as client:
        client.wait_for_workers(1)
        _, most = fit_and_kill(RReliefF(), lazy, numbers, 0, monkeypatch)
        assert most >= 5  # survey, counts, their classes, blocks, search, sums
        for number in range(1, most + 1):
            scores, _ = fit_and_kill(RReliefF(), lazy, numbers, number, monkeypatch)
            np.testing.assert_allclose(scores, expected, atol=1e-9)


@pytest.mark.slow
def test_a_local_cluster_that_gives_up_its_only_worker(monkeypatch):
    """It does, on a busy machine: the worker took too long to start again."""
    nannies = []

    def kill(monitor):
        if not nannies:
            nannies.extend(cluster.workers.values())
            (pid,) = client.run(os.getpid).values()
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: not cluster.workers)
            wait_until(lambda: nannies[0].status.name == "closed")

    def fit():
        with distributed_settings(status_interval=0.1, no_workers_warning=0.0):
            return ReliefF().fit(da.from_array(X, chunks=(15, -1)), y).scores_

    act_on_each_wait(monkeypatch, kill)
    with (
        dask.config.set({**SETTINGS, "distributed.deploy.lost-worker-timeout": "1ms"}),
        LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
        pytest.warns(
            UserWarning, match="ReliefF has the LocalCluster start 1 of its workers"
        ),
    ):
        scores = without_hanging(fit)
    np.testing.assert_allclose(scores, ReliefF().fit(X, y).scores_, atol=1e-12)


@pytest.mark.slow
def test_a_partition_that_kills_its_worker_is_named(cluster_of):
    def deadly(block, block_info=None):
        if block_info[0]["chunk-location"][0] == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    lazy = da.from_array(X, chunks=(20, -1)).map_blocks(
        deadly, dtype=X.dtype, meta=X[:0]
    )
    with Client(cluster_of(1)) as client:
        client.wait_for_workers(1)
        with (
            dask.config.set({"distributed.scheduler.allowed-failures": 1}),
            pytest.raises(
                RuntimeError, match=r"ReliefF.*deadly-.* of X.*workers died"
            ) as e,
        ):
            ReliefF().fit(lazy, y)
        assert type(e.value.__cause__).__name__ == "KilledWorker"
        client.wait_for_workers(1)
        scores = ReliefF().fit(da.from_array(X, chunks=(20, -1)), y).scores_
    np.testing.assert_allclose(scores, ReliefF().fit(X, y).scores_, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("bytes_made", [200e6, 10e9])
def test_too_small_a_memory_limit_is_said(bytes_made, cluster_of):
    """A worker that fills up is paused; one that does so fast is restarted."""
    hoard = []

    def greedy(block):
        for _ in range(int(bytes_made // 20e6)):
            hoard.append(np.ones(20_000_000 // 8))
            time.sleep(0.02)
        return block

    lazy = da.from_array(X, chunks=(20, -1)).map_blocks(
        greedy, dtype=X.dtype, meta=X[:0]
    )
    with Client(cluster_of(1, memory_limit="600MB")) as client:
        client.wait_for_workers(1)
        with (
            distributed_settings(paused_timeout=3.0),
            pytest.raises(MemoryError, match=r"ReliefF.*600 MB.*memory_limit"),
        ):
            ReliefF().fit(lazy, y)
