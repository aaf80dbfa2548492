"""What Dask costs: exact ReliefF in memory and through a local cluster, in one run.

    python evidence/speed/dask_overhead.py [--rows 20000] [--features 50] [--repeats 5]
        [--keep]

Both sides use as many cores: threads in memory, processes of one thread on the cluster.
Each has one warm-up fit, which compiles and loads code.
"""

import argparse
import statistics
import time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from keep import keep

from widemargin import ReliefF


def seconds(fit, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        fit()
        times.append(time.perf_counter() - start)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="store the ratios")
    options = parser.parse_args()

    rng = np.random.default_rng(0)
    X = rng.standard_normal((options.rows, options.features))
    y = rng.integers(0, 2, options.rows)
    X[:, :5] += y[:, None]
    local = ReliefF(n_jobs=options.workers)
    local.fit(X, y)

    cluster = LocalCluster(
        n_workers=options.workers, threads_per_worker=1, dashboard_address=":0"
    )
    ratios = []
    with cluster, Client(cluster):
        print("| chunks | in memory (s) | Dask (s) | ratio | largest difference |")
        print("| --- | --- | --- | --- | --- |")
        for n_chunks in (1, 4, 16, 64):
            size = -(-options.rows // n_chunks)
            lazy = da.from_array(X, chunks=(size, -1))
            remote = ReliefF().fit(lazy, y)
            difference = np.abs(remote.scores_ - local.scores_).max()
            # In turns, so that whatever else the machine does meets both.
            ours, theirs = [], []
            for _ in range(options.repeats):
                ours += seconds(lambda: local.fit(X, y), 1)
                theirs += seconds(lambda lazy=lazy: ReliefF().fit(lazy, y), 1)
            a, b = statistics.median(ours), statistics.median(theirs)
            ratios.append(b / a)
            print(
                f"| {n_chunks} | {a:.2f} | {b:.2f} | {b / a:.2f} | {difference:.0e} |"
            )
    if options.keep:
        size = f"{options.rows} x {options.features}"
        keep("dask_overhead", size=size, lowest=min(ratios), highest=max(ratios))


if __name__ == "__main__":
    main()
