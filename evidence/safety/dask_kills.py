"""Workers killed during fits, over all methods that run on Dask.

    python evidence/safety/dask_kills.py [--kills 100] [--rows 3000] [--partitions 10]
                                    [--seed 0] [--seconds 60] [--only RReliefF]

Each fit loses its only worker, both of two, or one of two, by SIGKILL. That happens
while a partition is made, or at a random moment after some request was sent to the
cluster and before its answer is read: while X is surveyed, values are counted, rows are
searched, sums are made. X is an array of numbers, or a frame with columns of numbers,
text and categories, and missing values in all of them.
The scores must be those in memory, or an error must say what happened, and no request
may take more than a minute (give more to a busy machine, which takes that long to start
a worker). Fails otherwise; of a fit that hangs, it prints in which state the tasks are.
"""

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from pathlib import Path

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context

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
from widemargin.engine.dask.monitor import Monitor

BATCHES = {"batch_size": 600, "n_starts": 1, "random_state": 0}
UNDIRECTED = {"difference": "absolute"}
# Of numbers, and of columns of all kinds.
CASES = [
    (Relief(), "numbers"),
    (RReliefF(), "mixed"),
    (ReliefF(), "numbers"),
    (ReliefF(), "mixed"),
    (ReliefF(n_samples=200, random_state=0), "numbers"),
    (RReliefF(n_samples=200, random_state=0), "mixed"),
    (RReliefF(), "numbers"),
    (OReliefF(), "numbers"),
    (OReliefF(**UNDIRECTED), "mixed"),
    (FRLL(), "numbers"),
    (Relief(), "mixed"),
    (FisherScore(), "numbers"),
    (PearsonScore(), "numbers"),
    (InformationGain(), "numbers"),
    (Simba(**BATCHES), "numbers"),
    (Simba(**BATCHES), "mixed"),
    (OSimba(**BATCHES), "numbers"),
    (OSimba(**UNDIRECTED, **BATCHES), "mixed"),
    (LMBA(batch_size=600, random_state=0), "numbers"),
    (KernelRFE(max_rows=100, random_state=0), "numbers"),
    (KernelRFE(max_rows=100, random_state=0), "mixed"),
    (AutoSelector(random_state=0), "mixed"),
]
SETTINGS = {
    "distributed.worker.multiprocessing-method": "forkserver",
    "distributed.logging.distributed": "error",
}


class Killer:
    """Kills workers once, while a fit provably waits for the cluster."""

    def __init__(self, pids, n_victims, at, delay):
        self.pids, self.n_victims = pids, n_victims
        self.at, self.delay = at, delay  # number of the request, 0 while reading
        self.requests, self.killed_at = 0, None
        self.kept = Monitor.until

    def kill(self):
        for pid in self.pids[: self.n_victims]:
            os.kill(pid, signal.SIGKILL)
        self.killed_at = self.requests

    def __call__(self, waiting, done):
        """In place of `Monitor.until`."""
        self.requests += 1
        timer = None
        if self.requests == self.at:
            timer = threading.Timer(self.delay, self.kill)
            timer.start()
            # The answer is not looked at before.
            timer.join()
        self.kept(waiting, done)


def workers_of(client, n_workers, killed):
    """Process ids, once all that were killed have been replaced."""
    while True:
        # Of what took too long to restart after a fit, too.
        client.cluster.scale(n_workers)
        # An error, for one that is dying.
        answers = client.run(os.getpid, on_error="return").values()
        pids = [pid for pid in answers if isinstance(pid, int) and pid not in killed]
        if len(pids) == n_workers:
            return pids
        time.sleep(0.1)


def make_tables(n, rng):
    """An array of numbers, a frame of all kinds of columns, and classes for both."""
    y = rng.integers(0, 3, n)
    X = rng.standard_normal((n, 12)) + y[:, None] * (np.arange(12) < 4)
    mixed = pd.DataFrame(X[:, :6].copy(), columns=list("abcdef"))
    mixed["whole"] = rng.integers(0, 9, n).astype(float)
    towns = np.array(["Ulm", "Bonn", "Jena", "Kiel"], object)
    mixed["town"] = towns[np.where(rng.random(n) < 0.6, y, rng.integers(0, 4, n))]
    mixed["sex"] = pd.Categorical(rng.choice(["f", "m"], n))
    for column in mixed:
        mixed.loc[rng.random(n) < 0.05, column] = None
    return {"numbers": X, "mixed": mixed}, y


def parts(X, n_partitions, folder):
    """X in partitions that tell when they are being made."""
    size = -(-len(X) // n_partitions)

    def told(block):
        Path(folder, str(os.getpid())).touch()
        time.sleep(0.05)
        return block

    if isinstance(X, np.ndarray):
        return da.from_array(X, chunks=(size, -1)).map_blocks(told, dtype=float)
    pieces = [X.iloc[start : start + size] for start in range(0, len(X), size)]
    return dd.from_map(told, pieces, meta=X.iloc[:0])


def kill_while_reading(killer, folder):
    def run():
        while not any(Path(folder).iterdir()):
            time.sleep(0.005)
        killer.kill()

    threading.Thread(target=run, daemon=True).start()


def fit(method, X, y, n_partitions, killer, patience):
    """How a fit ends that loses workers: what to say, whether that is well, seconds."""
    expected = method.fit(X, y).scores_
    result = []

    def run():
        try:
            result.append(method.fit(lazy, y).scores_)
        except Exception as error:
            result.append(error)

    Monitor.until = lambda self, done: killer(self, done)
    with tempfile.TemporaryDirectory() as folder:
        lazy = parts(X, n_partitions, folder)
        if killer.at == 0:
            kill_while_reading(killer, folder)
        start = time.monotonic()
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        made = -1
        while thread.is_alive() and made < killer.requests:
            made = killer.requests
            thread.join(patience)
        seconds = time.monotonic() - start
    Monitor.until = killer.kept
    if not result:
        return f"hangs: no request for {patience} s", False, seconds
    if isinstance(result[0], Exception):
        message = f"{type(result[0]).__name__}: {result[0]}"
        return message, type(method).__name__ in message, seconds
    difference = np.abs(result[0] - expected).max()
    return f"right (± {difference:.0e})", difference < 1e-9, seconds


def states(client, cluster):
    """What a cluster says about the tasks of a fit that hangs."""
    tasks = [
        f"{str(task.key)[:60]} {task.state}, waits for "
        f"{[(str(d.key)[:40], d.state) for d in task.waiting_on or ()]}, "
        f"runs on {task.processing_on}"
        for task in cluster.scheduler.tasks.values()
    ]
    futures = Counter((f.status, str(k)[:24]) for k, f in client.futures.items())
    workers = [(w.address, w.status) for w in cluster.scheduler.workers.values()]
    return "\n".join([str(futures), str(workers), *tasks])


def start(n_workers):
    return LocalCluster(
        n_workers=n_workers, threads_per_worker=1, dashboard_address=":0"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--partitions", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60, help="for each request")
    parser.add_argument("--only", default="", help="methods whose name has this in it")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    tables, y = make_tables(options.rows, rng)
    dask.config.set(SETTINGS)
    warnings.filterwarnings("ignore", ".*waits for workers")
    get_mp_context().set_forkserver_preload(
        ["distributed", "pandas", "widemargin.engine.dask.build"]
    )
    clusters = {n: start(n) for n in (1, 2)}
    cases = [case for case in CASES if options.only in type(case[0]).__name__]
    ended, killed, trial = [], set(), 0
    print("| method | columns | workers killed | while | seconds | ended |")
    print("| --- | --- | --- | --- | --- | --- |")
    while len(killed) < options.kills:
        method, table = cases[trial % len(cases)]
        n_workers, n_victims = [(1, 1), (2, 2), (2, 1)][trial // len(cases) % 3]
        trial += 1
        with Client(clusters[n_workers]) as client:
            at, delay = int(rng.integers(0, 7)), rng.uniform(0, 0.3)
            pids = workers_of(client, n_workers, killed)
            killer = Killer(pids, n_victims, at, delay)
            said, well, seconds = fit(
                method, tables[table], y, options.partitions, killer, options.seconds
            )
            if said.startswith("hangs"):
                print(states(client, clusters[n_workers]), file=sys.stderr, flush=True)
                clusters[n_workers] = start(n_workers)
        if killer.killed_at is None:
            continue  # it was done before that request
        killed.update(pids[:n_victims])
        ended.append(well)
        when = "reading" if at == 0 else f"request {at}"
        print(
            f"| {type(method).__name__} | {table} | {n_victims} of {n_workers} | "
            f"{when} | {seconds:.1f} | {said} |",
            flush=True,
        )
    for cluster in clusters.values():
        cluster.close()
    print(
        f"\n{len(killed)} workers killed in {len(ended)} fits: {sum(ended)} ended well."
    )
    sys.exit(not all(ended))


if __name__ == "__main__":
    main()
