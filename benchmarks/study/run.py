"""Measure what is not stored yet, split by split.

    python benchmarks/study/run.py --data DIR [--splits N] [--costly-splits N]
        [--tables T ...] [--ways W ...] [--minutes M]

Stop it at any time; the next run goes on. Results are one file per table, so that
several processes may run at once on different tables.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from truth import Missing
from truth.store import Store

from study import judge
from study.tables import KS, MADE, SIZES
from study.ways import COSTLY, OTHERS, WAYS

RESULTS = Path(__file__).parent / "results"
ASKED = 10  # features that a method is asked for if it wants to know
SPLITS = 5
COSTLY_SPLITS = 3
compiled: set[str] = set()  # methods whose first call, which compiles, is behind us


def cases(splits: int, costly_splits: int) -> Iterator[dict[str, Any]]:
    """All cases: a whole split of all tables before the next one.

    Costly methods follow one split behind, so that a run that is stopped has the same
    splits of all tables.
    """
    cheap = [way for way in WAYS if way not in COSTLY]
    for seed in range(max(splits, costly_splits) + 1):
        if seed < splits:
            yield from _pass(seed, cheap)
        if 0 < seed <= costly_splits:
            yield from _pass(seed - 1, COSTLY)


def _pass(seed: int, ways: Any) -> Iterator[dict[str, Any]]:
    for name in (*SIZES, *MADE):
        for way in ways:
            yield {"table": name, "split": seed, "way": way}


def measure(case: dict[str, Any], data: str | None) -> dict[str, Any]:
    """Rank by the training rows, judge the best k on the test rows."""
    name, seed = case["table"], case["split"]
    X, y, groups, _, _ = judge.split(name, seed, data)
    ks = [k for k in KS if k < X.shape[1]]
    asked = max(k for k in ks if k <= ASKED)
    way = WAYS[case["way"]]
    if case["way"] not in {*compiled, *OTHERS, *COSTLY}:
        way(X, y, groups, asked)
        compiled.add(case["way"])
    start = time.process_time()
    order = way(X, y, groups, asked)
    seconds = time.process_time() - start
    return {
        "seconds": seconds,
        "order": order[: KS[-1]].tolist(),
        "redundancy": judge.redundancy(X[:, order[:asked]]),
        "n_features": X.shape[1],
        **{
            str(k): judge.accuracies(name, seed, data, tuple(sorted(order[:k])))
            for k in ks
        },
    }


def store_of(name: str, folder: Path = RESULTS) -> Store:
    """The results of a table."""
    return Store(name.replace(" ", "_"), folder)


def main() -> int:
    """Run until all is stored or the time is up; 1 if a case failed."""
    tables = [*SIZES, *MADE]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("WIDEMARGIN_DATA"))
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--costly-splits", type=int, default=COSTLY_SPLITS)
    parser.add_argument("--tables", nargs="*", default=tables, choices=tables)
    parser.add_argument("--ways", nargs="*", default=[*WAYS], choices=[*WAYS])
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--results", type=Path, default=RESULTS)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    end, failed = time.monotonic() + 60 * args.minutes, 0
    stores = {name: store_of(name, args.results) for name in tables}
    for case in cases(args.splits, args.costly_splits):
        store = stores[case["table"]]
        wanted = case["way"] in args.ways and case["table"] in args.tables
        if case in store or not wanted:
            continue
        if time.monotonic() > end:
            print("time is up", flush=True)
            break
        start = time.process_time()
        try:
            store.add(case, measure(case, args.data))
        except Missing as missing:
            print(f"{json.dumps(case)} left out: {missing}", flush=True)
            continue
        except Exception as error:
            print(f"{json.dumps(case)} FAILED: {error!r}", flush=True)
            failed = 1
            continue
        print(f"{json.dumps(case)} {time.process_time() - start:.2f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
