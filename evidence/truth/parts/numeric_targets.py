"""Numeric targets: the same promises as for classes, each on a smaller scale."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import Rows, grouped, mean_of
from evidence.framework.verdicts import Verdict, promise
from widemargin import AutoSelector, MultiSURF, RReliefF
from widemargin.baselines import FRegression
from widemargin.evaluation import signal, significance

TITLE = "Numeric targets"
NOISE: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "lognormal": lambda rng, n: np.exp(1.5 * rng.standard_normal(n)),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "few values": lambda rng, n: rng.poisson(2, n) + 0.5,
}
METHODS = {
    "RReliefF": RReliefF(),
    "MultiSURF": MultiSURF(task="regression"),
}
RANKINGS = {"RReliefF": RReliefF, "FRegression": FRegression}
RELEVANT = 5
NEW_ROWS = 2000


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    """Signal, significance, "auto" and AutoSelector, on noise and on known designs."""
    for seed in range(3 if quick else 60):
        for target in NOISE:
            yield {"what": "signal", "target": target, "seed": seed}
    for seed in range(2 if quick else 20):
        for method in METHODS:
            for target in tuple(NOISE)[:1] if quick else tuple(NOISE)[:3]:
                case = {"what": "p-values", "method": method, "target": target}
                yield {**case, "seed": seed}
    for seed in range(2 if quick else 100):
        yield {"what": "found", "method": "RReliefF", "seed": seed}
    for seed in range(2 if quick else 20):
        for method in RANKINGS:
            for design in ("noise", "wide noise", "interaction"):
                case = {"what": "auto", "method": method, "design": design}
                yield {**case, "seed": seed}
    for seed in range(1 if quick else 10):
        for rows in (120,) if quick else (120, 400):
            yield {"what": "AutoSelector", "rows": rows, "seed": seed}


def _several_kinds(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Skewed, rare, whole and normal numbers in turn."""
    X = rng.standard_normal((n, d))
    X[:, ::4] = np.exp(X[:, ::4])
    X[:, 1::4] = rng.random(X[:, 1::4].shape) < 0.1
    X[:, 2::4] = rng.integers(0, 4, X[:, 2::4].shape)
    return X


def _interaction(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Four of 30 features matter, two of them only together."""
    X = rng.standard_normal((n, 30))
    noise = 0.7 * rng.standard_normal(n)
    return X, X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] + noise


def _held_out(features: np.ndarray, n: int, X: np.ndarray, y: np.ndarray) -> float:
    """R² of 5-NN with some features, fitted to the first n rows, on the others."""
    judge = make_pipeline(MinMaxScaler(), KNeighborsRegressor(5))
    return float(judge.fit(X[:n, features], y[:n]).score(X[n:, features], y[n:]))


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    """One table."""
    seed, what = case["seed"], case["what"]
    rng = np.random.default_rng(seed)
    if what == "signal":
        X, y = _several_kinds(rng, 100, 50), NOISE[case["target"]](rng, 100)
        found = signal(X, y, task="regression", random_state=seed, n_jobs=1)
        return {"p": found.p_value}
    if what == "p-values":
        X, y = _several_kinds(rng, 150, 40), NOISE[case["target"]](rng, 150)
        p = significance(METHODS[case["method"]], X, y, random_state=seed).p_values
        return {"share": float(np.mean(p <= 0.05))}
    if what == "found":
        X = rng.standard_normal((200, 100))
        y = 0.5 * X[:, :RELEVANT].sum(axis=1) + rng.standard_normal(200)
        q = significance(METHODS[case["method"]], X, y, random_state=seed).q_values
        reported = np.flatnonzero(q <= 0.05)
        true = int(np.count_nonzero(reported < RELEVANT))
        false = (len(reported) - true) / max(1, len(reported))
        return {"power": true / RELEVANT, "false": false}
    if what == "auto":
        return _auto(case, rng)
    n = case["rows"]
    X, y = _interaction(rng, n + NEW_ROWS)
    fitted = AutoSelector(task="regression", random_state=seed).fit(X[:n], y[:n])
    kept = fitted.get_support(indices=True)
    test = _held_out(kept, n, X, y)
    return {"claim": fitted.score_, "test": test, "kept": len(kept)}


def _auto(case: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """What "auto" claims, and what is."""
    if case["design"] == "interaction":
        n, (X, y) = 200, _interaction(rng, 200 + NEW_ROWS)
    else:
        n, d = (100, 50) if case["design"] == "noise" else (200, 1000)
        X, y = rng.standard_normal((n + NEW_ROWS, d)), rng.standard_normal(n + NEW_ROWS)
    selector = RANKINGS[case["method"]](n_features_to_select="auto")
    kept = selector.fit(X[:n], y[:n]).get_support(indices=True)
    claim = float(selector.prefix_scores_[len(kept) - 1])
    return {"claim": claim, "test": _held_out(kept, n, X, y), "kept": len(kept)}


def _optimism(rows: Rows) -> float:
    return mean_of(rows, "claim") - mean_of(rows, "test")


def verdicts(rows: Rows) -> list[Verdict]:
    """Level of the tests, false discoveries, and what is claimed against what is."""
    by, told = grouped(rows, "what"), []
    if noise := by.get(("signal",)):
        share = float(np.mean([row["p"] <= 0.05 for row in noise]))
        bound = 0.05 + 2 * np.sqrt(0.05 * 0.95 / len(noise))
        measured = f"{share:.3f} of {len(noise)} (bound {bound:.3f})"
        text = "numeric target: `signal` finds signal in at most 5 % of tables of noise"
        told.append(promise(text, measured, bool(share <= bound)))
    if null := by.get(("p-values",)):
        shares = [mean_of(some, "share") for some in grouped(null, "method").values()]
        measured = f"{min(shares):.3f} to {max(shares):.3f}"
        text = "numeric target: 3 to 7 % of p-values of irrelevant features are ≤ .05"
        told.append(promise(text, measured, 0.03 <= min(shares) <= max(shares) <= 0.07))
    if found := by.get(("found",)):
        false, power = mean_of(found, "false"), mean_of(found, "power")
        measured = f"FDR {false:.3f}, power {power:.2f}"
        text = "numeric target: the false discovery rate of RReliefF is at most .07"
        told.append(promise(text, measured, false <= 0.07))
    groups = grouped(by.get(("auto",), []), "design", "method")
    if gaps := [_optimism(some) for some in groups.values()]:
        measured = f"{min(gaps):+.3f} to {max(gaps):+.3f}"
        text = 'numeric target: the R² that "auto" claims is within .08 of the truth'
        told.append(promise(text, measured, max(map(abs, gaps)) <= 0.08))
    if some := by.get(("AutoSelector",)):
        gaps = [_optimism(of_size) for of_size in grouped(some, "rows").values()]
        measured = f"{min(gaps):+.3f} to {max(gaps):+.3f}"
        text = "numeric target: the R² of `AutoSelector` is within .05 of the truth"
        told.append(promise(text, measured, max(map(abs, gaps)) <= 0.05))
    return told


def tables(rows: Rows) -> str:
    """The section."""
    by = grouped(rows, "what")
    text = (
        "Noise: features of several kinds (skewed, rare, whole and normal numbers) and "
        "a target that is independent of them.\n\n"
    )
    null, lines = grouped(by.get(("p-values",), []), "method", "target"), []
    for (target,), some in grouped(by.get(("signal",), []), "target").items():
        found = np.mean([row["p"] <= 0.05 for row in some])
        measured = [null.get((method, target), []) for method in METHODS]
        shares = [f"{mean_of(r, 'share'):.3f}" if r else "–" for r in measured]
        lines.append([target, f"{found:.3f} of {len(some)}", *shares])
    head = ["target", "signal found", *(f"p ≤ .05, {method}" for method in METHODS)]
    text += table(head, lines)
    text += (
        "\nClaimed and held-out R² of 5-NN (0 is predicting the mean; the mean of five "
        "random values does worse). *interaction* has y = x₁ + x₂ x₃ + ½ x₄ + noise "
        "and 30 features, 200 rows; *noise* 100 × 50, *wide noise* 200 × 1000.\n\n"
    )
    lines = [
        [f'"auto", {method}', design, *_claims(some)]
        for (design, method), some in grouped(
            by.get(("auto",), []), "design", "method"
        ).items()
    ]
    lines += [
        ["`AutoSelector`", f"interaction, {n} rows", *_claims(some)]
        for (n,), some in grouped(by.get(("AutoSelector",), []), "rows").items()
    ]
    head = ["answer", "design", "tables", "kept", "claimed", "held out"]
    return text + table(head, lines)


def _claims(rows: Rows) -> list[Any]:
    means = (f"{mean_of(rows, name):.2f}" for name in ("claim", "test"))
    return [len(rows), f"{mean_of(rows, 'kept'):.1f}", *means]
