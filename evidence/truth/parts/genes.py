"""A gene list: 20 of 8000, and the same on a busy machine."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import Rows, grouped, mean_of
from evidence.framework.verdicts import Verdict, promise
from widemargin import AutoSelector
from widemargin.evaluation import compare

TITLE = "Gene lists: all relevant features of 100 × 8000"
ROWS, GENES, TRUE, SHIFT = 100, 8000, 20, 1.5
SEEDS = 5


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    for seed in range(1 if quick else SEEDS):
        yield {"who": "AutoSelector", "seed": seed, "busy": False}
    for who in () if quick else ("AutoSelector", "compare"):
        for busy in (False, True):
            if busy or who == "compare":
                yield {"who": who, "seed": 0, "busy": busy}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    rng = np.random.default_rng(case["seed"])
    y = rng.integers(0, 2, ROWS)
    X = rng.standard_normal((ROWS, GENES))
    X[:, :TRUE] += SHIFT * y[:, None]
    with warnings.catch_warnings(action="ignore"), _beside(case["busy"]):
        if case["who"] == "compare":
            found = compare(X, y, random_state=case["seed"])
            features, score = found.features, found.recommendation.score
        else:
            auto = AutoSelector(random_state=case["seed"]).fit(X, y)
            features, score = auto.features_, auto.score_
    place = {f"x{f}": f for f in range(GENES)}
    number = np.array([place[name] for name in features["feature"]])
    relevant = number[features["relevant"].to_numpy(bool)]
    kept = number[(features["verdict"] == "kept").to_numpy()]
    return {
        "found": int(np.count_nonzero(relevant < TRUE)),
        "false": int(np.count_nonzero(relevant >= TRUE)),
        "kept": kept,
        "kept_true": int(np.count_nonzero(kept < TRUE)),
        "score": score,
        "q_values": features["q_value"].to_numpy()[: 2 * TRUE],
    }


@contextmanager
def _beside(busy: bool) -> Iterator[None]:
    """Have another process keep a core busy meanwhile."""
    if not busy:
        yield
        return
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:
        try:
            yield
        finally:
            other.kill()


def _same(rows: Rows) -> bool:
    """Whether idle and busy runs of each came to the same."""
    names = ("found", "false", "kept", "score", "q_values")
    by = grouped([row for row in rows if row["seed"] == 0], "who")
    return all(
        all(row[name] == some[0][name] for row in some for name in names)
        for some in by.values()
    )


def figures(rows: Rows) -> dict[str, Any]:
    """What the verdicts and the sentences are made of."""
    idle = [row for row in rows if row["who"] == "AutoSelector" and not row["busy"]]
    shares = [row["false"] / max(1, row["found"] + row["false"]) for row in idle]
    return {
        "found": [row["found"] for row in idle],
        "false": float(np.mean(shares)),
        "kept": [len(row["kept"]) for row in idle],
        "same": _same(rows),
        "busy": any(row["busy"] for row in rows),
    }


def verdicts(rows: Rows) -> list[Verdict]:
    mine = figures(rows)
    told = [
        promise(
            f"at least 15 of the {TRUE} genes among the relevant features, at most "
            "10 % of these false",
            f"{', '.join(map(str, mine['found']))} found; {mine['false']:.1%} false",
            min(mine["found"]) >= 15 and mine["false"] <= 0.1,
        )
    ]
    if mine["busy"]:
        text = "the same sets, scores and q-values on a busy machine"
        told.append(promise(text, "yes" if mine["same"] else "no", mine["same"]))
    return told


def tables(rows: Rows) -> str:
    lines = [
        [
            f"`{row['who']}`, seed {row['seed']}" + ", busy" * row["busy"],
            row["found"],
            row["false"],
            f"{len(row['kept'])} ({row['kept_true']})",
            f"{mean_of([row], 'score'):.3f}",
        ]
        for row in rows
    ]
    head = ["run", "genes found", "false", "kept (of them genes)", "`score_`"]
    return (
        f"{ROWS} rows, {TRUE} of {GENES} features shifted by {SHIFT} sd. *Busy*: "
        "another process keeps a core busy meanwhile.\n\n" + table(head, lines)
    )
