"""Other seeds, other rows, planted copies: does the answer stay the same?"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import combinations
from typing import Any
from unittest import mock

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import StratifiedKFold

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import Rows, grouped, mean_of
from evidence.framework.verdicts import Verdict, promise
from evidence.truth.agreement import apart, copies_within, jaccard, likeness
from evidence.truth.judging import one_nearest
from widemargin import AutoSelector, ReliefF
from widemargin.evaluation._answer import Setup

TITLE = "Seeds and copies"
LOADERS = {"wine": load_wine, "breast cancer": load_breast_cancer}
SEEDS = {"wine": 5, "breast cancer": 10}
FOLDS, DEALS = 5, 10
QUANTITIES, TIMES, NOISE, ROWS = 5, 4, 30, 200
R = 0.95  # of two measurements of one quantity
PLANTED = 20
STEADY = 0.8  # `stability_` below which sets may differ


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    for name, count in SEEDS.items():
        for seed in range(2 if quick else count):
            if not quick or name == "wine":
                yield {"what": "seeds", "table": name, "seed": seed}
    for deal in range(0 if quick else DEALS):
        yield {"what": "held out", "table": "breast cancer", "seed": deal}
    for seed in range(2 if quick else PLANTED):
        yield {"what": "copies", "seed": seed}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    with warnings.catch_warnings(action="ignore"):
        if case["what"] == "copies":
            return _planted(case["seed"])
        X, y = LOADERS[case["table"]](return_X_y=True)
        if case["what"] == "held out":
            return _held_out(X, y, case["seed"])
        auto = AutoSelector(random_state=case["seed"]).fit(X, y)
    return {
        "method": auto.method_,
        "kept": auto.get_support(indices=True),
        "score": auto.score_,
        "stability": auto.stability_,
        "copies": copies_within(auto.get_support(indices=True), likeness(X)),
    }


def _held_out(X: np.ndarray, y: np.ndarray, deal: int) -> dict[str, Any]:
    """Accuracy in five folds: the answer, the best known rule, and all features."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=deal).split(X, y)
    scores = []
    for train, test in folds:
        rules = [
            AutoSelector(random_state=deal),
            ReliefF(n_features_to_select=3, redundancy=0.9),
        ]
        # What is kept does not depend on the test of relevance.
        with mock.patch.object(Setup, "test_relevance", return_value=None):
            kept = [
                rule.fit(X[train], y[train]).get_support(indices=True) for rule in rules
            ]
        split = X[train], y[train], X[test], y[test]
        sets = [*kept, np.arange(X.shape[1])]
        scores.append([len(kept[0]), *(one_nearest(some, split) for some in sets)])
    names = ("n_kept", "answer", "relieff", "all")
    return dict(zip(names, np.mean(scores, axis=0).tolist(), strict=True))


def _planted(seed: int) -> dict[str, Any]:
    """Quantities that go with y, each measured several times, before noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, ROWS)
    quantity = rng.standard_normal((ROWS, QUANTITIES)) + y[:, None]
    # Their variance within both classes together is 1 + 1/4.
    error = np.sqrt(1.25 * (1 / R - 1))
    X = np.repeat(quantity, TIMES, axis=1)
    X += error * rng.standard_normal(X.shape)
    X = np.hstack([X, rng.standard_normal((ROWS, NOISE))])
    auto = AutoSelector(random_state=seed).fit(X, y)
    kept = auto.get_support(indices=True)
    owner = np.r_[np.repeat(np.arange(QUANTITIES), TIMES), np.full(NOISE, -1)]
    mine, q = owner[kept], auto.relevance_.q_values
    return {
        "twice": int(np.count_nonzero(mine >= 0) - len(np.unique(mine[mine >= 0]))),
        "quantities": len(np.unique(mine[mine >= 0])),
        "noise": int(np.count_nonzero(mine < 0)),
        "relevant": len(np.unique(owner[(q < 0.05) & (owner >= 0)])),
        "stability": auto.stability_,
    }


def _pairs(rows: Rows) -> tuple[int, float]:
    """How far two sets are apart at most, and their mean Jaccard index."""
    alike = likeness(LOADERS[rows[0]["table"]]().data)
    both = [*combinations([row["kept"] for row in rows], 2)]
    return (
        max(apart(a, b, alike) for a, b in both),
        float(np.mean([jaccard(a, b, alike) for a, b in both])),
    )


def figures(rows: Rows) -> dict[str, Any]:
    """What the verdicts and the sentences are made of."""
    by = grouped(rows, "what", "table")
    found: dict[str, Any] = {
        name: _pairs(by["seeds", name]) for name in SEEDS if ("seeds", name) in by
    }
    if planted := by.get(("copies", None)):
        found["twice"] = sum(row["twice"] > 0 for row in planted)
        found["planted"] = len(planted)
        found["relevant"] = mean_of(planted, "relevant") / QUANTITIES
    if held := by.get(("held out", "breast cancer")):
        names = ("answer", "relieff", "all", "n_kept")
        found["held out"] = {name: mean_of(held, name) for name in names}
    return found


def verdicts(rows: Rows) -> list[Verdict]:
    found, told = figures(rows), []
    by = grouped(rows, "what", "table")
    if wine := by.get(("seeds", "wine")):
        most, index = found["wine"]
        steady = mean_of(wine, "stability")
        told.append(
            promise(
                "wine, five seeds: one method, and sets that differ by at most two "
                "features, near copies as one, or `stability_` below .8",
                f"{len({row['method'] for row in wine})} method, sets differ by at "
                f"most {most} (Jaccard {index:.2f}, `stability_` {steady:.2f})",
                len({row["method"] for row in wine}) == 1
                and (most <= 2 or steady < STEADY),
            )
        )
    if cancer := by.get(("seeds", "breast cancer")):
        sizes = [len(row["kept"]) for row in cancer]
        pairs = sum(row["copies"] for row in cancer)
        told.append(
            promise(
                "breast cancer, ten seeds: at most 5 features, no two correlated at .9",
                f"{min(sizes)} to {max(sizes)} features, {pairs} such pairs",
                max(sizes) <= 5 and pairs == 0,
            )
        )
    if held := found.get("held out"):
        told.append(
            promise(
                "breast cancer, 10 × 5 folds: accuracy within .01 of "
                "`ReliefF(3, redundancy=.9)`",
                f"{held['answer']:.3f} with {held['n_kept']:.1f} features against "
                f"{held['relieff']:.3f} with 3 (all features {held['all']:.3f})",
                held["answer"] >= held["relieff"] - 0.01,
            )
        )
    if "planted" in found:
        told.append(
            promise(
                "planted copies: no two of one quantity kept, at least 80 % of the "
                "quantities relevant",
                f"two kept in {found['twice']} of {found['planted']} tables; "
                f"{found['relevant']:.0%} relevant",
                found["twice"] == 0 and found["relevant"] >= 0.8,
            )
        )
    return told


def tables(rows: Rows) -> str:
    by = grouped(rows, "what", "table")
    lines = []
    for name in SEEDS:
        if not (some := by.get(("seeds", name))):
            continue
        most, index = _pairs(some)
        sizes = ", ".join(str(len(row["kept"])) for row in some)
        spread = [f([row["stability"] for row in some]) for f in (min, max)]
        score = mean_of(some, "score")
        lines.append(
            [
                name,
                len(some),
                sizes,
                most,
                f"{index:.2f}",
                f"{spread[0]:.2f} to {spread[1]:.2f}",
                f"{score:.3f}",
            ]
        )
    head = ["table", "seeds", "kept", "two sets differ by at most", "Jaccard index"]
    text = (
        "The same rows with other seeds, which change the folds. Near copies "
        "(|r| ≥ .9) count as one feature.\n\n"
        + table([*head, "`stability_`", "`score_`, mean"], lines)
    )
    if planted := by.get(("copies", None)):
        names = ("quantities", "noise", "relevant", "stability")
        means = (f"{mean_of(planted, name):.2f}" for name in names)
        head = ["tables", "quantities kept", "noise kept", "quantities relevant"]
        text += (
            f"\n{ROWS} rows, {QUANTITIES} quantities with a shift of 1 sd, each "
            f"measured {TIMES} times (pairwise r = {R}), and {NOISE} columns of noise; "
            "means over the tables.\n\n"
            + table([*head, "`stability_`"], [[len(planted), *means]])
        )
    return text
