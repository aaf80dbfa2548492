"""Real signal: what "auto" claims and what it is worth, next to a plain loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import grouped, mean_of
from evidence.framework.verdicts import Verdict, promise
from evidence.truth.judging import Split, auto, plain_loop, same_folds
from evidence.truth.methods import selector
from widemargin.datasets import make_xor

TITLE = 'Signal: `n_features_to_select="auto"` against a simple loop'
METHODS = ("ReliefF", "Simba", "FisherScore")
TEST_ROWS = 2000
SEEDS = {"xor 500 × 50": 60, "wide 100 × 1000": 20, "Madelon": 3, "wide 250 × 5000": 8}
RULES = {
    "auto": '`"auto"`',
    "auto_thinned": '`"auto"`, `redundancy="auto"`',
    "loop_best": "loop, best size",
    "loop_1se": "loop, one standard error",
    "loop_binomial": "loop, one standard error, at least binomial",
    "loop_same": 'the same, on the folds of `"auto"`',
}


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    seeds = {"wide 100 × 1000": 4, "xor 500 × 50": 1} if quick else SEEDS
    for name, count in seeds.items():
        for seed in range(count):
            for method in METHODS[:1] if quick else METHODS:
                yield {"table": name, "method": method, "seed": seed}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    split = _split(case["table"], case["seed"], data)
    ranker = selector(case["method"])
    loop = plain_loop(ranker, split)
    return {
        "auto": auto(ranker, split),
        "auto_thinned": auto(ranker, split, redundancy="auto"),
        "loop_best": loop["best"],
        "loop_1se": loop["1-SE"],
        "loop_binomial": loop["1-SE, binomial"],
        "loop_same": same_folds(ranker, split),
    }


def _split(name: str, seed: int, data: Sets) -> Split:
    if name.startswith("wide"):
        n, d = map(int, name.split()[1::2])
        X, y = make_classification(
            n + TEST_ROWS, d, n_informative=10, n_redundant=0, random_state=seed
        )
        return X[:n], y[:n], X[n:], y[n:]
    if name.startswith("xor"):
        X, y = make_xor(500 + TEST_ROWS, n_features=50, random_state=seed)
        return X[:500], y[:500], X[500:], y[500:]
    madelon = data("madelon")
    X, y, split = madelon.data.astype(float), madelon.target, madelon.split
    if seed == 0:  # as it was published
        return X[split == 0], y[split == 0], X[split == 1], y[split == 1]
    X, Z, y, t = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    return X, y, Z, t


def verdicts(rows: list[dict[str, Any]]) -> list[Verdict]:
    means = _means(rows)
    found = []
    for name in dict.fromkeys(key[0] for key in means):
        mine = [mean for key, mean in means.items() if key[0] == name]
        some = [row for row in rows if row["table"] == name]
        average, error = _lead(some, "loop_1se")
        others = [
            f"{words} {_lead(some, rule)[0]:+.3f}"
            for rule, words in (
                ("loop_best", "with the best size"),
                ("loop_binomial", "with at least the binomial standard error"),
                ("loop_same", "the same on the same folds"),
            )
            if all(rule in mean for mean in mine)
        ]
        # On the same folds, it is not left to chance which of the two has the luckier.
        paired = all("loop_same" in mean for mean in mine)
        lead = _lead(some, "loop_same")[0] if paired else average
        found.append(
            promise(
                f"{name}: test accuracy at least that of a simple loop with the "
                "one-standard-error rule, on average over methods",
                f"{average:+.3f} ± {error:.3f} (loop {', '.join(others)})",
                lead >= -0.005,
            )
        )
        bias = [m["auto"]["claim"] - m["auto"]["test"] for m in mine]
        average = sum(bias) / len(bias)
        found.append(
            promise(
                f"{name}: claimed accuracy within .05 of the test accuracy, on average",
                f"{average:+.3f} (by method {', '.join(f'{b:+.3f}' for b in bias)})",
                abs(average) <= 0.05,
            )
        )
    return found


def _lead(rows: list[dict[str, Any]], rule: str) -> tuple[float, float]:
    """How much better "auto" tests, on average over methods; its standard error."""
    means, variances = [], []
    for some in grouped(rows, "method").values():
        lead = [r["auto"]["test"] - r[rule]["test"] for r in some if rule in r]
        means.append(np.mean(lead))
        variances.append(np.var(lead, ddof=1) / len(lead) if len(lead) > 1 else np.nan)
    return float(np.mean(means)), float(np.sqrt(np.sum(variances)) / len(means))


def _means(rows: list[dict[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Means over seeds, by table, method and rule, of what was measured of it."""
    return {
        key: {
            rule: {
                name: mean_of([row[rule] for row in some if rule in row], name)
                for name in ("kept", "claim", "test")
            }
            for rule in RULES
            if any(rule in row for row in some)
        }
        for key, some in grouped(rows, "table", "method").items()
    }


def tables(rows: list[dict[str, Any]]) -> str:
    seeds = {key: len(some) for key, some in grouped(rows, "table", "method").items()}
    lines = [
        [
            *(key if rule == "auto" else ("", "")),
            seeds[key] if rule == "auto" else "",
            words,
            f"{mean[rule]['kept']:.1f}",
            f"{mean[rule]['claim']:.3f}",
            f"{mean[rule]['test']:.3f}",
        ]
        for key, mean in sorted(_means(rows).items())
        for rule, words in RULES.items()
        if rule in mean
    ]
    head = ["table", "method", "seeds", "rule", "kept", "claimed", "test"]
    text = (
        "`wide` is `make_classification` with 10 informative features and no redundant "
        "ones. xor has three relevant features. Madelon is used as published and in "
        "random halves. Test accuracy is that of 1-NN on "
        f"{TEST_ROWS} held-out rows (Madelon: its other part). The loop is a "
        "straightforward implementation: it ranks inside ten folds and evaluates each "
        "size by 1-NN, without a correction for optimism. Its figures are means over "
        "three random assignments of rows to folds where these were measured. Standard "
        "errors are over the tables. On xor they are large, because a set that lacks "
        "one of the three features is worthless, and whether it is chosen depends on "
        'which rows share a fold. `"auto"` uses the same rule, with a standard error '
        "of at least the binomial one."
    )
    if any("loop_same" in row for row in rows):
        text += (
            ' So the loop was also run on the same folds as `"auto"`. There the two '
            "can differ only for ReliefF, whose folds share one neighbour search, on "
            "features scaled by all rows."
        )
    return text + "\n\n" + table(head, lines)
