"""Measure what is not stored yet, split by split.

    WIDEMARGIN_FRESH=DIR python -m evidence.study --data DIR
        [--tables T ...] [--ways W ...] [--minutes M]

Stop it at any time; the next run goes on. Results are one file per table, so that
several processes may run at once on different tables.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evidence.study import judge
from evidence.study.tables import FRESH, KS, MADE, NUMERIC, SIZES, table
from evidence.study.ways import (
    COSTLY,
    MAIN,
    NUMERIC_COSTLY,
    NUMERIC_MAIN,
    NUMERIC_WAYS,
    REST,
    WAYS,
)
from evidence.truth import Missing
from evidence.truth.store import Store

RESULTS = Path(__file__).parent / "results"
TABLES = (*SIZES, *MADE, *FRESH, *NUMERIC)
ASKED = 10  # features that a method is asked for if it wants to know
compiled: set[str] = set()  # methods whose first call, which compiles, is behind us

# What is run one after the other, on all tables each: a group of methods and a split.
PASSES = (("main", 0), ("costly", 0), ("main", 1), ("rest", 0), ("main", 2))


def cases() -> Iterator[dict[str, Any]]:
    """All cases, pass by pass: a run that is stopped has the same splits of all."""
    groups = {"main": MAIN, "costly": COSTLY, "rest": REST}
    numeric = {"main": NUMERIC_MAIN, "costly": NUMERIC_COSTLY, "rest": {}}
    for group, seed in PASSES:
        for name in TABLES:
            for way in (numeric if name in NUMERIC else groups)[group]:
                yield {"table": name, "split": seed, "way": way}


def measure(case: dict[str, Any], data: str | None) -> dict[str, Any]:
    """Rank by the training rows, judge the best k on the test rows."""
    name, seed, way = case["table"], case["split"], case["way"]
    split = judge.split(name, seed, data)
    d = split.X.shape[1]
    ks = [k for k in KS if k < d]
    asked = max(k for k in ks if k <= ASKED)
    rank = (NUMERIC_WAYS if name in NUMERIC else WAYS)[way]
    kind = f"{way} {name in NUMERIC} {bool(split.nominal)}"
    if kind not in compiled and way not in COSTLY:
        rank(split, asked)
        compiled.add(kind)
    start = time.process_time()
    order = rank(split, asked)
    seconds = time.process_time() - start
    return {
        "seconds": seconds,
        "order": order[: KS[-1]].tolist(),
        "redundancy": judge.redundancy(split.X[:, order[:asked]]),
        "n_features": d,
        "kind": table(name, data).kind,
        **{
            str(k): judge.scores(name, seed, data, tuple(sorted(order[:k].tolist())))
            for k in ks
        },
    }


def store_of(name: str, folder: Path = RESULTS) -> Store:
    """The results of a table."""
    return Store(name.replace(" ", "_"), folder)


def main() -> int:
    """Run until all is stored or the time is up; 1 if a case failed."""
    ways = [*dict.fromkeys([*WAYS, *NUMERIC_WAYS])]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("WIDEMARGIN_DATA"))
    parser.add_argument("--tables", nargs="*", default=TABLES, choices=TABLES)
    parser.add_argument("--ways", nargs="*", default=ways, choices=ways)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--results", type=Path, default=RESULTS)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    end, failed = time.monotonic() + 60 * args.minutes, 0
    stores = {name: store_of(name, args.results) for name in TABLES}
    for case in cases():
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
