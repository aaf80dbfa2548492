"""Random halves of real sets: what a recommendation is worth on the other half."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import grouped, how_many, mean_of
from evidence.framework.running import Missing
from evidence.framework.verdicts import Verdict, promise
from evidence.truth.judging import one_nearest
from evidence.truth.rankers import Groups
from evidence.truth.tables import HALVES, SMALL, parts, public

TITLE = "Random halves: the recommendation of one half, tested on the other"
GROUPS = ("table", "rule")
ENOUGH = REPEATS = 10
OLD = Path(__file__).parents[1] / "old_advice.json"


class Advice(NamedTuple):
    """What a rule recommends."""

    features: np.ndarray
    method: str
    claim: float


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    for seed in range(1 if quick else REPEATS):
        for name in SMALL if quick else HALVES:
            for rule in WORDS:
                yield {"table": name, "rule": rule, "seed": seed}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    found = public(case["table"], data, HALVES)
    halves = parts(found, case["seed"], 1 / 2)
    start = time.process_time()
    if case["rule"] == "old":
        advice = old_advice(case)
    else:
        advice = [
            RULES[case["rule"]](
                found.X[rows],
                found.y[rows],
                case["seed"],
                None if found.groups is None else found.groups[rows],
            )
            for rows in halves
        ]
    seconds = (time.process_time() - start) / 2
    held_out = [
        one_nearest(mine.features, (found.X[a], found.y[a], found.X[b], found.y[b]))
        for mine, a, b in zip(advice, halves, halves[::-1], strict=True)
    ]
    sets = [set(mine.features.tolist()) for mine in advice]
    return {
        "held_out": float(np.mean(held_out)),
        "claim": float(np.mean([mine.claim for mine in advice])),
        "kept": float(np.mean([len(features) for features in sets])),
        "jaccard": len(sets[0] & sets[1]) / len(sets[0] | sets[1]),
        "same_method": advice[0].method == advice[1].method,
        "seconds": seconds,
    }


def auto_selector(X: np.ndarray, y: np.ndarray, seed: int, groups: Groups) -> Advice:
    import widemargin

    fitted = widemargin.AutoSelector(random_state=seed).fit(X, y, groups=groups)
    features = fitted.get_support(indices=True)
    return Advice(features, str(fitted.method_), float(fitted.score_))


def old_advice(case: dict[str, Any]) -> list[Advice]:
    """What `compare` recommended for both halves before there was an AutoSelector.

    Stored, as the last commit without one computed it: five folds, and the method that
    needs the fewest features to come within one standard error of the best of all.
    """
    stored = json.loads(OLD.read_text())
    try:
        both = stored[f"{case['table']} {case['seed']}"]
    except KeyError:
        raise Missing("the old rule was not run on this split") from None
    return [Advice(np.array(features), name, claim) for features, name, claim in both]


def all_features(X: np.ndarray, y: np.ndarray, seed: int, groups: Groups) -> Advice:
    return Advice(np.arange(X.shape[1]), "all", float("nan"))


RULES: dict[str, Callable[[np.ndarray, np.ndarray, int, Groups], Advice]] = {
    "AutoSelector": auto_selector,
    "all": all_features,
}
WORDS = {"AutoSelector": "`AutoSelector`", "old": "old rule", "all": "all features"}


def _means(rows: list[dict[str, Any]]) -> dict[str, dict[str, dict[str, float]]]:
    """Means over repeats, by table and rule, of tables that all rules were tried on.

    All features are tried on the same repeats as `AutoSelector`.
    """
    ours = {(r["table"], r["seed"]) for r in rows if r["rule"] == "AutoSelector"}
    rows = [r for r in rows if r["rule"] != "all" or (r["table"], r["seed"]) in ours]
    names = ("held_out", "claim", "kept", "jaccard", "same_method", "seconds")
    found = {
        name: {
            rule: {column: mean_of(mine, column) for column in names}
            for (rule,), mine in grouped(some, "rule").items()
        }
        for (name,), some in grouped(rows, "table").items()
    }
    rules = {row["rule"] for row in rows}
    return {name: means for name, means in found.items() if {*means} == rules}


def _gain(rows: list[dict[str, Any]]) -> float:
    """Held-out score above the old rule's, on the same splits; mean over tables."""
    gains = []
    for some in grouped(rows, "table").values():
        pairs = [
            {row["rule"]: row["held_out"] for row in split}
            for split in grouped(some, "seed").values()
        ]
        both = [pair for pair in pairs if {"AutoSelector", "old"} <= {*pair}]
        if both:
            gains.append(np.mean([pair["AutoSelector"] - pair["old"] for pair in both]))
    return float(np.mean(gains)) if gains else float("nan")


def verdicts(rows: list[dict[str, Any]]) -> list[Verdict]:
    means = _means(rows)
    if not means or not all("AutoSelector" in mine for mine in means.values()):
        return []

    def mean(rule: str, column: str) -> float:
        return float(np.mean([mine[rule][column] for mine in means.values()]))

    gain = 100 * _gain(rows)
    optimism = 100 * (mean("AutoSelector", "claim") - mean("AutoSelector", "held_out"))
    jaccard = mean("AutoSelector", "jaccard")
    lost = sum(
        mine["AutoSelector"]["held_out"] < mine["all"]["held_out"]
        for mine in means.values()
    )
    return [
        promise(
            "held-out accuracy at least 1.5 points above the old rule on the same "
            "splits",
            f"{gain:+.1f} points",
            gain >= 1.5,
        ),
        promise(
            "mean optimism (claimed minus held-out accuracy) below half a point",
            f"{optimism:+.1f} points",
            optimism < 0.5,
        ),
        promise(
            "mean Jaccard index of the two selections at least .45",
            f"{jaccard:.2f}",
            jaccard >= 0.45,
        ),
        promise(
            "less accurate than all features on at most 3 data sets",
            f"on {lost} of {len(means)}",
            lost <= 3,
        ),
    ]


def tables(rows: list[dict[str, Any]]) -> str:
    means = _means(rows)
    repeats = {
        name: how_many(some)
        for (name, rule), some in grouped(rows, "table", "rule").items()
        if rule == "AutoSelector"
    }
    rules = [rule for rule in WORDS if any(rule in mine for mine in means.values())]
    lines = []
    for name in (*means, "**mean**"):
        some = [means[name]] if name in means else [*means.values()]
        line: list[Any] = [name, repeats.get(name, "")]
        for column, digits in (
            ("held_out", 3),
            ("claim", 3),
            ("kept", 1),
            ("jaccard", 2),
        ):
            line += [
                f"{np.mean([mine[rule][column] for mine in some]):.{digits}f}"
                for rule in rules
                if rule != "all" or column == "held_out"
            ]
        lines.append(line)
    head = ["table", "repeats"]
    for column in ("held out", "claim", "kept", "Jaccard"):
        head += [
            f"{column}, {WORDS[rule]}"
            for rule in rules
            if rule != "all" or column == "held out"
        ]
    agreed = ", ".join(
        f"{WORDS[rule]} "
        f"{np.mean([mine[rule]['same_method'] for mine in means.values()]):.0%}"
        for rule in rules
        if rule != "all"
    )
    return (
        "Features are selected on each half and tested on the other half by 1-NN. "
        f"Figures are means over {REPEATS} repeats; the old rule was run with the old "
        "code. The Jaccard index compares the selections of the two halves. "
        f"How often both halves chose the same method: {agreed}.\n\n"
        + table(head, lines)
    )
