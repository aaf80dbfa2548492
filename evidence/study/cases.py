"""The cases of the study, and how one is measured, split by split."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from evidence.data import Sets
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

TABLES = (*SIZES, *MADE, *FRESH, *NUMERIC)
ASKED = 10  # features that a method is asked for if it wants to know
compiled: set[str] = set()  # methods whose first call, which compiles, is behind us

# What is run one after the other, on all tables each: a group of methods and a split.
PASSES = (("main", 0), ("costly", 0), ("main", 1), ("rest", 0), ("main", 2))


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    """All cases, pass by pass: a run that is stopped has the same splits of all."""
    if quick:
        yield from ({"table": name, "split": 0, "way": "KernelRFE"} for name in MADE)
        return
    groups = {"main": MAIN, "costly": COSTLY, "rest": REST}
    numeric = {"main": NUMERIC_MAIN, "costly": NUMERIC_COSTLY, "rest": {}}
    for group, seed in PASSES:
        for name in TABLES:
            for way in (numeric if name in NUMERIC else groups)[group]:
                yield {"table": name, "split": seed, "way": way}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
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


def file(case: dict[str, Any]) -> str:
    """A file for each table: several processes may work on different tables."""
    return str(case["table"]).replace(" ", "_")
