"""Near copies: what skipping them gains, and what it costs."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import grouped, mean_of
from evidence.framework.verdicts import Verdict, promise
from evidence.truth.judging import one_nearest
from evidence.truth.methods import selector
from evidence.truth.tables import SIZES, SMALL, parts, public

TITLE = "Redundancy"
K = 20
THRESHOLDS = (None, 0.9, 0.7, "auto")
REPEATS = 3


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    yield {"table": "memory", "features": 2000 if quick else 10_000}
    for seed in range(1 if quick else REPEATS):
        for name in SMALL if quick else SIZES:
            for threshold in THRESHOLDS:
                yield {"table": name, "redundancy": threshold, "seed": seed}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    if case["table"] == "memory":
        return _memory(case["features"])
    found = public(case["table"], data)
    train, test = parts(found, case["seed"], 1 / 3)
    X, y, Z, t = found.X[train], found.y[train], found.X[test], found.y[test]
    chosen = selector(
        "ReliefF", n_features_to_select=K, redundancy=case["redundancy"]
    ).fit(X, y)
    features = chosen.get_support(indices=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    threshold = chosen.redundancy_
    return {
        "knn": one_nearest(features, (X, y, Z, t)),
        "logistic": float(model.fit(X[:, features], y).score(Z[:, features], t)),
        "threshold": None if threshold is None else float(threshold),
    }


def _memory(d: int) -> dict[str, Any]:
    """Time and largest memory of a wide table with as many copies as features."""
    rng = np.random.default_rng(0)
    half = rng.standard_normal((200, d // 2))
    X = np.hstack([half, half + 0.1 * rng.standard_normal(half.shape)])
    y = (X[:, :5].sum(axis=1) > 0).astype(int)
    result = {}
    for name, redundancy in (("fit", None), ("thinned", 0.9), ("auto", "auto")):
        model = selector("ReliefF", n_features_to_select=K, redundancy=redundancy)
        model.fit(X, y)
        start = time.process_time()
        model.fit(X, y)
        result[f"{name}_seconds"] = time.process_time() - start
        tracemalloc.start()
        model.fit(X, y)
        result[f"{name}_megabytes"] = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
    result["matrix_megabytes"] = d * d * 8 / 2**20
    return result


def _gains(rows: list[dict[str, Any]]) -> dict[str, dict[Any, dict[str, float]]]:
    """Mean accuracies of each table by threshold."""
    real = [row for row in rows if row["table"] != "memory"]
    return {
        name: {
            threshold: {c: mean_of(mine, c) for c in ("knn", "logistic")}
            for (threshold,), mine in grouped(some, "redundancy").items()
        }
        for (name,), some in grouped(real, "table").items()
        if len(grouped(some, "redundancy")) == len(THRESHOLDS)
    }


def verdicts(rows: list[dict[str, Any]]) -> list[Verdict]:
    found = []
    for row in (row for row in rows if row["table"] == "memory"):
        most = max(row["thinned_seconds"], row["auto_seconds"])
        largest = max(row["thinned_megabytes"], row["auto_megabytes"])
        found.append(
            promise(
                f"{row['features']} features take seconds, and no d × d matrix",
                f"{most:.1f} s, {largest:.0f} MB (the matrix alone would take "
                f"{row['matrix_megabytes']:.0f} MB)",
                most < 30 and largest < row["matrix_megabytes"],
            )
        )
    gains = _gains(rows)
    if not gains:
        return found
    for classifier, words in (("knn", "1-NN"), ("logistic", "logistic regression")):
        gain = [g["auto"][classifier] - g[None][classifier] for g in gains.values()]
        found.append(
            promise(
                f'`redundancy="auto"` improves accuracy at k = {K} for {words}',
                f"{100 * np.mean(gain):+.1f} points, {sum(g > 0 for g in gain)} of "
                f"{len(gain)} data sets better, {sum(g < 0 for g in gain)} worse",
                float(np.mean(gain)) > 0,
            )
        )
    if "madelon" in gains:
        loss = gains["madelon"]["auto"]["knn"] - gains["madelon"][None]["knn"]
        found.append(
            promise(
                '`redundancy="auto"` does not lose accuracy on Madelon',
                f"{100 * loss:+.1f} points for 1-NN",
                loss >= -0.02,
            )
        )
    return found


def tables(rows: list[dict[str, Any]]) -> str:
    gains = _gains(rows)
    lines = [
        [
            name,
            *(f"{gains[name][t]['knn']:.3f}" for t in THRESHOLDS),
            *(f"{gains[name][t]['logistic']:.3f}" for t in THRESHOLDS),
        ]
        for name in gains
    ]
    if gains:
        lines.append(
            [
                "**mean**",
                *(
                    f"**{np.mean([g[t][c] for g in gains.values()]):.3f}**"
                    for c in ("knn", "logistic")
                    for t in THRESHOLDS
                ),
            ]
        )
    labels = ["none", ".9", ".7", "auto"]
    head = ["table", *(f"1-NN, {t}" for t in labels)]
    head += [f"logistic, {t}" for t in labels]
    memory = "\n".join(
        f"- {row['features']} features, 200 rows: ReliefF {row['fit_seconds']:.2f} s, "
        f"`redundancy=.9` {row['thinned_seconds']:.2f} s and "
        f'{row["thinned_megabytes"]:.0f} MB, `"auto"` {row["auto_seconds"]:.2f} s and '
        f"{row['auto_megabytes']:.0f} MB"
        for row in rows
        if row["table"] == "memory"
    )
    return (
        f"Processor time and peak memory:\n\n{memory}\n\nTest accuracy with the top "
        f"{K} features of ReliefF, ranked and trained on two thirds of the rows and "
        f"tested on one third, {REPEATS} splits:\n\n" + table(head, lines)
    )
