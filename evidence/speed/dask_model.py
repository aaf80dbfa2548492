"""The cost model of docs/scale.md: rates of the tasks, and fits predicted from them.

    python evidence/speed/dask_model.py [--keep]  --keep: only the rates, into results/

Rates are of one thread and in processor time. From them, the processor time of a fit on
two workers of one thread each is predicted, and then measured.
"""

import os
import sys
import time

import dask.array as da
import numpy as np
import psutil
from distributed import Client, LocalCluster
from keep import keep

from widemargin import ReliefF
from widemargin.engine.dask.encoding import Columns
from widemargin.engine.dask.rows import RawRows, Scaling
from widemargin.engine.dask.search import Request, find_queries
from widemargin.engine.dask.statistics import summarize
from widemargin.engine.neighbors import each_class


def make(first, rows, d):
    rng = np.random.default_rng(first)
    X = rng.random((rows, d), dtype=np.float32)
    X[:, :5] += (np.arange(first, first + rows) % 2)[:, None].astype(np.float32) / 2
    return X


def seconds(function, *args):
    function(*args)
    start = time.process_time()
    function(*args)
    return time.process_time() - start


def rates(d, n=16_384, m=2_048):
    """Nanoseconds per cell of making and surveying, and per pair and feature."""
    X, y = make(0, n, d), np.arange(n) % 2
    block = RawRows(X, y, np.arange(n))
    queries = RawRows(make(n, m, d), y[:m], n + np.arange(m))
    low, high = np.zeros(d), np.full(d, 1.5)
    scaling = Scaling(low, high, np.ones(d), low, low, low + 1, low + 0.5)
    request = Request(10, each_class(2), "euclidean", True, 2**22)
    making = seconds(make, 0, n, d) / (n * d)
    survey = seconds(summarize, X, Columns.of(X, None, ""), None) / (n * d)
    search = seconds(find_queries, block, queries, request, scaling) / (n * m * d)
    return np.array([making, survey, search]) * 1e9


def lazily(n, d, chunk):
    def block(block_info=None):
        (start, stop), _ = block_info[None]["array-location"]
        return make(start, stop - start, d)

    sizes = tuple(min(chunk, n - s) for s in range(0, n, chunk))
    return da.map_blocks(block, chunks=(sizes, (d,)), dtype=np.float32)


def main():
    print("| features | make (ns/cell) | survey (ns/cell) | search (ns/pair/feature) |")
    print("| --- | --- | --- | --- |")
    known = {}
    for d in (16, 64, 256, 1000):
        known[d] = rates(d)
        print(f"| {d} | " + " | ".join(f"{r:.3f}" for r in known[d]) + " |")
    if "--keep" in sys.argv:
        survey, search = ({f"d={d}": r[i] for d, r in known.items()} for i in (1, 2))
        keep("dask_model", survey=survey, search=search)
        return
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit="700MB", dashboard_address=":0"
    )
    print(
        "\n| rows | features | samples | predicted (s) | measured (s) | elapsed (s) |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    with cluster, Client(cluster) as client:
        workers = [psutil.Process(p) for p in client.run(os.getpid).values()]

        def used():
            return sum(sum(w.cpu_times()[:2]) for w in workers)

        ReliefF(n_samples=50).fit(lazily(20_000, 64, 5_000), np.arange(20_000) % 2)
        for n, d, T in (
            (500_000, 64, 2_000),
            (1_000_000, 64, 2_000),
            (1_000_000, 64, 8_000),
            (200_000, 1_000, 2_000),
        ):
            making, survey, search = known[d] * 1e-9
            # Made for the survey, for the queries, for the search and for the sums.
            predicted = n * d * (4 * making + survey) + n * T * d * search
            X = lazily(n, d, 4_000_000 // d)
            before, start = used(), time.perf_counter()
            ReliefF(n_samples=T, random_state=0).fit(X, np.arange(n) % 2)
            elapsed, measured = time.perf_counter() - start, used() - before
            print(
                f"| {n} | {d} | {T} | {predicted:.1f} | {measured:.1f} "
                f"| {elapsed:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
