"""Measure what is not stored yet, split by split.

    python benchmarks/study/run.py --data DIR [--splits N] [--ways W ...] [--minutes M]

Stop it at any time; the next run goes on.
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

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from truth import Missing
from truth.store import Store

from study.tables import SIZES, parts, table
from study.ways import WAYS

RESULTS = Path(__file__).parent / "results"
KS = (5, 10, 20)
SPLITS = 5
compiled: set[str] = set()  # methods whose first call, which compiles, is behind us


def cases(splits: int) -> Iterator[dict[str, Any]]:
    """All cases: a whole split of all tables before the next one."""
    for seed in range(splits):
        for name in SIZES:
            for way in WAYS:
                yield {"table": name, "split": seed, "way": way}


def measure(case: dict[str, Any], data: str | None) -> dict[str, Any]:
    """Rank by the training rows, judge the best k on the test rows."""
    found = table(case["table"], data)
    train, test = parts(found, case["split"], 1 / 3)
    X, y, Z, t = found.X[train], found.y[train], found.X[test], found.y[test]
    groups = None if found.groups is None else found.groups[train]
    ks = [k for k in KS if k < X.shape[1]]
    way = WAYS[case["way"]]
    if case["way"] not in compiled:
        way(X, y, groups, ks[-1])
        compiled.add(case["way"])
    start = time.process_time()
    order = way(X, y, groups, ks[-1])
    seconds = time.process_time() - start
    result: dict[str, Any] = {
        "seconds": seconds,
        "order": order[: KS[-1]].tolist(),
        "similarity": similarity(X[:, order[: ks[-1]]]),
        "n_features": X.shape[1],
    }
    for k in ks:
        best = order[:k]
        result[str(k)] = {
            name: float(model.fit(X[:, best], y).score(Z[:, best], t))
            for name, model in models().items()
        }
    return result


def similarity(X: np.ndarray) -> float:
    """Mean over features of the largest |r| with another one of them."""
    with np.errstate(all="ignore"):
        R = np.abs(np.nan_to_num(np.corrcoef(X, rowvar=False)))
    np.fill_diagonal(R, 0.0)
    return float(R.max(axis=1).mean())


def models() -> dict[str, Any]:
    """The classifiers, with the scaling that each needs."""
    return {
        "1-NN": make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
        "boosting": HistGradientBoostingClassifier(
            max_iter=30, max_leaf_nodes=8, min_samples_leaf=3, random_state=0
        ),
    }


def main() -> int:
    """Run until all is stored or the time is up; 1 if a case failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("WIDEMARGIN_DATA"))
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--ways", nargs="*", default=[*WAYS], choices=[*WAYS])
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--results", type=Path, default=RESULTS)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    end, failed = time.monotonic() + 60 * args.minutes, 0
    stores = {name: Store(name, args.results) for name in SIZES}
    for case in cases(args.splits):
        store = stores[case["table"]]
        if case in store or case["way"] not in args.ways:
            continue
        if time.monotonic() > end:
            print("time is up", flush=True)
            break
        start = time.perf_counter()
        try:
            store.add(case, measure(case, args.data))
        except Missing as missing:
            print(f"{json.dumps(case)} left out: {missing}", flush=True)
            continue
        except Exception as error:
            print(f"{json.dumps(case)} FAILED: {error!r}", flush=True)
            failed = 1
            continue
        print(f"{json.dumps(case)} {time.perf_counter() - start:.1f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
