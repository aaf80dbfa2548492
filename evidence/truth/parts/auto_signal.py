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
RULES = ("auto", "loop_1se", "loop_same")


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    seeds = {"wide 100 × 1000": 4, "xor 500 × 50": 1} if quick else SEEDS
    for name, count in seeds.items():
        for seed in range(count):
            for method in METHODS[:1] if quick else METHODS:
                yield {"table": name, "method": method, "seed": seed}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    split = _split(case["table"], case["seed"], data)
    ranker = selector(case["method"])
    return {
        "auto": auto(ranker, split),
        "loop_1se": plain_loop(ranker, split)["1-SE"],
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
        # On the same folds, it is not left to chance which of the two has the luckier.
        paired = all("loop_same" in mean for mean in mine)
        lead, error = _lead(some, "loop_same" if paired else "loop_1se")
        found.append(
            promise(
                f"{name}: test accuracy at least that of a simple loop",
                f"{lead:+.3f} ± {error:.3f}",
                lead >= -0.005,
            )
        )
        bias = [m["auto"]["claim"] - m["auto"]["test"] for m in mine]
        average = sum(bias) / len(bias)
        found.append(
            promise(
                f"{name}: claimed accuracy within .05 of the test accuracy, on average",
                f"{average:+.3f}",
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
            *key,
            seeds[key],
            f"{mean['auto']['kept']:.1f}",
            f"{mean['auto']['claim']:.3f}",
            f"{mean['auto']['test']:.3f}",
            f"{mean['loop_1se']['test']:.3f}",
        ]
        for key, mean in sorted(_means(rows).items())
    ]
    head = ["table", "method", "seeds", "kept", "claimed", "test", "test, loop"]
    return (
        "`wide` is `make_classification` with 10 informative features and no redundant "
        "ones. xor has three relevant features. Madelon is used as published and in "
        "random halves. Test accuracy is that of 1-NN on "
        f"{TEST_ROWS} held-out rows (Madelon: its other part). The loop ranks inside "
        "ten folds, evaluates each size by 1-NN and takes the smallest within one "
        "standard error; its figures are means over three random assignments of rows "
        "to folds where these were measured. On xor the promise is judged by a loop on "
        'the folds of `"auto"`.\n\n' + table(head, lines)
    )
