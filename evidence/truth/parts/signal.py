"""Signal: how often noise is called signal, and weak signals are found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.feature_selection import f_classif

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import grouped, mean_of
from evidence.framework.verdicts import Verdict, promise
from widemargin.evaluation import signal

TITLE = "The test for signal"
SHAPES = ((100, 50), (200, 2000), (60, 10_000))
WEAK = {"one feature": (1, 0.7), "five features": (5, 0.4), "all features": (100, 0.1)}
REAL = ("german_20attr", "german_numeric")
# Sizes of groups, and how labels come about.
GROUPED = {
    "30 groups of 6, one label each": ([6] * 30, "of the group"),
    "30 groups of 6, one label changed": ([6] * 30, "one changed"),
    "30 groups of 6, several labels": ([6] * 30, "by shares"),
    "groups of 1 to 20, independent rows": (range(1, 21), "of the row"),
    "groups of 1 to 20, a number": (range(1, 21), "a number"),
}


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    """Noise of several shapes, weak designs, interactions, and credit data."""
    for seed in range(10 if quick else 200):
        for n, d in SHAPES[:1] if quick else SHAPES:
            yield {"what": "noise", "rows": n, "features": d, "seed": seed}
    for seed in range(2 if quick else 200):
        for design in (*WEAK, "xor"):
            yield {"what": "weak", "design": design, "seed": seed}
    for seed in range(2 if quick else 300):
        for design in GROUPED:
            yield {"what": "groups", "design": design, "seed": seed}
            if seed < 100:
                yield {"what": "signal in groups", "design": design, "seed": seed}
    if not quick:
        for name in REAL:
            yield {"what": "real", "design": name, "seed": 0}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    """One table: the p-value, and the F-test's by Bonferroni."""
    seed = case["seed"]
    if "groups" in case["what"]:
        X, y, groups = _grouped(case)
        options = {"groups": groups, "n_permutations": 99, "n_jobs": 1}
        return {"p": signal(X, y, random_state=seed, **options).p_value}
    X, y = _table(case, data)
    result = {"p": signal(X, y, random_state=seed, n_jobs=1).p_value}
    if case["what"] == "weak":
        smallest = float(np.nanmin(f_classif(X, y)[1]))
        result["f_test"] = min(1.0, smallest * X.shape[1])
    return result


def _grouped(case: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Features that differ between groups; if there is signal, one goes with them."""
    rng = np.random.default_rng(case["seed"])
    sizes, how = GROUPED[case["design"]]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    X, count = rng.standard_normal((len(groups), 8)), len(sizes)
    y = rng.integers(0, 2, len(groups)) * 1.0
    if how != "of the row":
        X += 2 * rng.standard_normal((count, 8))[groups]
        y = (rng.permutation(count) % 2)[groups] * 1.0
    if how == "one changed":
        y[rng.integers(len(y))] += 1
        y %= 2
    if how == "by shares":
        y = (rng.random(len(y)) < rng.beta(0.5, 0.5, count)[groups]) * 1.0
    if how == "a number":
        y = rng.standard_normal(count)[groups] + rng.standard_normal(len(y))
    if case["what"] == "signal in groups":
        X[:, 0] += (0.7 if how == "of the row" else 2) * y
    return X, y if how == "a number" else y.astype(int), groups


def _table(case: dict[str, Any], data: Sets) -> tuple[Any, Any]:
    rng = np.random.default_rng(case["seed"])
    if case["what"] == "real":
        found = data(case["design"], as_frame=True)
        return found.data, found.target.to_numpy()
    if case["what"] == "noise":
        n, d = case["rows"], case["features"]
        X = rng.standard_normal((n, d))
        X[:, ::4] = rng.random(X[:, ::4].shape) < 0.1
        X[:, 1::4] = rng.standard_t(2, X[:, 1::4].shape)
        return X, (rng.permutation(n) < n * (0.5 if case["seed"] % 2 else 0.2)) * 1
    if case["design"] == "xor":
        X = rng.random((500, 50))
        return X, ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)) * 1
    count, shift = WEAK[case["design"]]
    X, y = rng.standard_normal((200, 100)), rng.integers(0, 2, 200)
    X[:, :count] += shift * y[:, None]
    return X, y


def _found(rows: list[dict[str, Any]], name: str = "p") -> float:
    return float(np.mean([row[name] <= 0.05 for row in rows]))


def verdicts(rows: list[dict[str, Any]]) -> list[Verdict]:
    """The level, the power, and two tables that are known to hold a signal."""
    by, told = grouped(rows, "what"), []
    if noise := by.get(("noise",)):
        share = _found(noise)
        bound = 0.05 + 2 * np.sqrt(0.05 * 0.95 / len(noise))
        text = "finds signal in at most 5 % of tables of noise"
        measured = (
            f"{share:.3f} of {len(noise)} (5 % plus two standard errors: {bound:.3f})"
        )
        told.append(promise(text, measured, bool(share <= bound)))
    for (name,), some in grouped(by.get(("groups",), []), "design").items():
        share, bound = _found(some), 0.05 + 2 * np.sqrt(0.05 * 0.95 / len(some))
        text = f"{name}: finds signal in at most 5 % of tables without"
        measured = f"{share:.3f} of {len(some)} (bound {bound:.3f})"
        told.append(promise(text, measured, bool(share <= bound)))
    for (name,), some in grouped(by.get(("weak",), []), "design").items():
        mine, other = _found(some), _found(some, "f_test")
        text = f"{name}: power at least that of the F-test with Bonferroni correction"
        told.append(promise(text, f"{mine:.2f} against {other:.2f}", mine >= other))
    if real := by.get(("real",)):
        measured = ", ".join(f"p = {row['p']:.3f}" for row in real)
        text = "finds the signal in german credit, in both codings"
        told.append(promise(text, measured, _found(real) == 1))
    return told


def tables(rows: list[dict[str, Any]]) -> str:
    """The section."""
    by = grouped(rows, "what")
    lines = [
        [f"{n} × {d}", len(some), f"{_found(some):.3f}"]
        for (n, d), some in grouped(by.get(("noise",), []), "rows", "features").items()
    ]
    text = (
        "Features of several kinds, random labels; half of the tables are unbalanced."
    )
    text += "\n\n" + table(["noise", "tables", "signal found"], lines) + "\n"
    lines = [
        [name, len(some), f"{_found(some):.2f}", f"{_found(some, 'f_test'):.2f}"]
        for (name,), some in grouped(by.get(("weak",), []), "design").items()
    ]
    head = [
        "design",
        "tables",
        "power",
        "power of the F-test with Bonferroni correction",
    ]
    text += table(head, lines) + "\n"
    text += (
        "For one shifted feature the F-test is the test to use. `signal` asks for more "
        "than that, and allows for having asked.\n\n"
    )
    strong = grouped(by.get(("signal in groups",), []), "design")
    lines = [
        [name, len(some), f"{_found(some):.3f}", f"{_found(strong[name,]):.2f}"]
        for (name,), some in grouped(by.get(("groups",), []), "design").items()
    ]
    text += (
        "Rows in groups: but for the independent rows, features differ between groups "
        "by twice what they do within; 99 permutations. The power is that for one "
        "feature that is shifted with y.\n\n"
    )
    head = ["groups", "tables", "signal found in noise", "power"]
    text += table(head, lines) + "\n"
    lines = [[r["design"], f"{mean_of([r], 'p'):.3f}"] for r in by.get(("real",), [])]
    return text + table(["credit data", "p"], lines)
