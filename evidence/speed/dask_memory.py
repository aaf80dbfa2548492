"""More rows than the workers could hold: ReliefF on lazily made data, and its memory.

    python evidence/speed/dask_memory.py [--rows 2000000] [--features 64] [--check]
        [--keep]

Two workers with 700 MB each. ``--check`` fails if the client's peak reaches 500 MB, or
if a worker says anything about its memory.
"""

import argparse
import os
import sys
import threading
import time

import dask.array as da
import numpy as np
import psutil
from distributed import Client, LocalCluster
from keep import keep

from widemargin import ReliefF

MB = 10**6


def make(rows, features, chunk):
    """Rows of float32 whose first five features carry the class."""

    def block(block_info=None):
        (start, stop), _ = block_info[None]["array-location"]
        rng = np.random.default_rng(start)
        X = rng.random((stop - start, features), dtype=np.float32)
        X[:, :5] += (np.arange(start, stop) % 2)[:, None].astype(np.float32) / 2
        return X

    sizes = tuple(min(chunk, rows - s) for s in range(0, rows, chunk))
    X = da.map_blocks(block, chunks=(sizes, (features,)), dtype=np.float32)
    return X, da.arange(rows, chunks=chunk) % 2


class Watch(threading.Thread):
    """Peak memory of some processes."""

    def __init__(self, pids):
        super().__init__(daemon=True)
        self.processes = [psutil.Process(pid) for pid in pids]
        self.peaks = [0] * len(pids)
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(0.05):
            for i, process in enumerate(self.processes):
                self.peaks[i] = max(self.peaks[i], process.memory_info().rss)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--chunk", type=int, default=50_000)
    parser.add_argument("--samples", type=int, default=2_000)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--keep", action="store_true", help="store the peaks")
    options = parser.parse_args()
    X, y = make(options.rows, options.features, options.chunk)
    cluster = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        memory_limit="700MB",
        dashboard_address=":0",
    )
    with cluster, Client(cluster) as client:
        pids = client.run(os.getpid)
        watch = Watch([os.getpid(), *pids.values()])
        watch.start()
        start = time.perf_counter()
        fitted = ReliefF(5, n_samples=options.samples, random_state=0).fit(X, y)
        seconds = time.perf_counter() - start
        watch.over.set()
        watch.join()
        logs = client.get_worker_logs()
        same = client.run(os.getpid) == pids
    ours, *theirs = (peak / MB for peak in watch.peaks)
    words = ("memory", "pill", "paus")
    said = [
        line
        for lines in logs.values()
        for level, line in lines
        if level in ("WARNING", "ERROR") and any(w in line for w in words)
    ]
    print(
        f"{options.rows} x {options.features} float32 "
        f"({X.nbytes / MB:.0f} MB), {options.samples} samples: {seconds:.0f} s; peak "
        f"of the client {ours:.0f} MB, of the workers "
        f"{', '.join(f'{p:.0f} MB' for p in theirs)}; "
        f"selected {fitted.get_support(indices=True).tolist()}; warnings about "
        f"memory: {len(said)}; workers restarted: {not same}"
    )
    print("\n".join(said))
    if options.keep:
        keep("dask_memory", data=X.nbytes / MB, client=ours, worker=max(theirs))
    if options.check:
        right = fitted.get_support(indices=True).tolist() == [0, 1, 2, 3, 4]
        sys.exit(not (ours < 500 and not said and same and right))


if __name__ == "__main__":
    main()
