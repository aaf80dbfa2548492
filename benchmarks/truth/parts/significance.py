"""Significance: power and false discoveries by default, and p-values on noise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control

import widemargin
from truth import Verdict
from truth.formats import grouped, mean_of, table
from widemargin import baselines, evaluation
from widemargin.evaluation._encoded import read_once
from widemargin.evaluation._null_scores import source_of
from widemargin.evaluation._refits import Call

TITLE = "Significance"
ROWS, FEATURES, RELEVANT = 200, 100, 5
DESIGNS = ("shift", "correlated", "rare flags", "heavy tails", "xor")
PLAIN = 2000  # permutations of every feature, what the default is held against
RELATIVE = ("Simba", "LMBA", "MRMR", "OSimba", "FCBF")
METHODS = (
    *("Relief", "ReliefF", "Simba", "GFlip", "LMBA", "IPCMSR", "IPICSR", "OReliefF"),
    *("OSimba", "FRLL", "FisherScore", "TraceRatio", "PearsonScore", "LaplacianScore"),
    *("InformationGain", "MRMR", "FCBF"),
)
QUICK = ("Relief", "ReliefF", "FisherScore", "PearsonScore", "InformationGain", "FCBF")
REFITS = 99  # permutations on noise for the other methods, pooled
EACH = 10  # features of each kind
KINDS = ("normal", "heavy tails", "binary", "rare flag", "few integers", "correlated")


def cases(small: bool) -> Iterator[dict[str, Any]]:
    """Power of the default, of plain permutations, relative methods, and noise."""
    for seed in range(3 if small else 200):
        for design in DESIGNS[:1] if small else DESIGNS:
            yield {"what": "power", "design": design, "seed": seed}
            if seed < 40:
                yield {"what": "plain", "design": design, "seed": seed}
    for seed in range(1 if small else 20):
        for method in RELATIVE[:1] if small else RELATIVE:
            yield {"what": "relative", "method": method, "seed": seed}
    for seed in range(2 if small else 40):
        for method in ("ReliefF", "FisherScore", "MRMR") if small else METHODS:
            yield {"what": "noise", "method": method, "seed": seed}


def measure(case: dict[str, Any], data: str | None) -> dict[str, Any]:
    """One table."""
    if case["what"] == "noise":
        X, y = all_kinds(case["seed"])
        number = None if case["method"] in QUICK else REFITS
        found = _test(case["method"], X, y, case["seed"], n_permutations=number)
        low = found.p_values <= 0.05
        return {"low": low.reshape(len(KINDS), -1).sum(axis=1).tolist()}
    if case["what"] == "relative":
        rng = np.random.default_rng(case["seed"])
        y = rng.integers(0, 2, ROWS)
        X = rng.standard_normal((ROWS, FEATURES))
        X[:, :RELEVANT] += 1.8 * y[:, None]
        return _counts(_test(case["method"], X, y, case["seed"]).q_values, RELEVANT)
    X, y, relevant = design(case["design"], case["seed"])
    if case["what"] == "power":
        return _counts(_test("ReliefF", X, y, case["seed"]).q_values, relevant)
    return _counts(_plain(X, y, case["seed"]), relevant)


def design(name: str, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """A table with few relevant features, which come first; and how many they are."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, ROWS)
    X = rng.standard_normal((ROWS, FEATURES))
    if name == "xor":
        X = rng.random((ROWS, FEATURES))
        return X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5), 2
    if name == "correlated":
        shared = rng.standard_normal((ROWS, FEATURES // 10))
        X[:, RELEVANT:] = np.sqrt(0.5) * X[:, RELEVANT:]
        X[:, RELEVANT:] += np.sqrt(0.5) * np.repeat(shared, 10, axis=1)[:, RELEVANT:]
    if name == "heavy tails":
        X = rng.standard_t(3, (ROWS, FEATURES)) / np.sqrt(3)
    if name == "rare flags":
        half = FEATURES // 2
        X[:, half:] = rng.random((ROWS, half)) < rng.uniform(0.02, 0.1, half)
    X[:, :RELEVANT] += 0.6 * y[:, None]
    return X, y, RELEVANT


def all_kinds(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Features of every kind that have nothing to do with y."""
    rng, n = np.random.default_rng(seed), 60
    shared = rng.standard_normal((n, 1))
    parts = [
        rng.standard_normal((n, EACH)),
        rng.standard_t(2, (n, EACH)),
        rng.random((n, EACH)) < 0.4,
        rng.random((n, EACH)) < 0.1,
        rng.integers(0, 4, (n, EACH)),
        shared + 0.5 * rng.standard_normal((n, EACH)),
    ]
    return np.hstack(parts).astype(float), (np.arange(n) % 5 < 2).astype(int)


def _test(method: str, X: np.ndarray, y: np.ndarray, seed: int, **options: Any) -> Any:
    made = getattr(baselines, method, None) or getattr(widemargin, method)
    options |= {"random_state": seed, "n_jobs": 1}
    return evaluation.significance(made(), X, y, **options)


def _plain(X: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """q-values by so many permutations of every feature."""
    source = source_of(widemargin.ReliefF(), read_once(X, y, "truth"))
    random = np.random.RandomState(seed)
    reached, every = np.zeros(X.shape[1]), np.arange(X.shape[1])
    for _ in range(PLAIN // 100):
        orders = [random.permutation(len(y)) for _ in range(100)]

        def keep(b: int, scores: np.ndarray) -> None:
            nonlocal reached
            reached += scores >= source.observed

        source.draw(orders, every, Call("truth", "permutations", 1, 0), keep)
    return false_discovery_control((1 + reached) / (1 + PLAIN))


def _counts(q: np.ndarray, relevant: int) -> dict[str, Any]:
    sure = q < 0.05
    hits, wrong = int(sure[:relevant].sum()), int(sure[relevant:].sum())
    return {"power": hits / relevant, "fdp": wrong / max(1, hits + wrong)}


def _low(rows: list[dict[str, Any]]) -> np.ndarray:
    """Share of p ≤ 0.05 of each kind of feature."""
    return np.mean([row["low"] for row in rows], axis=0) / EACH


def verdicts(rows: list[dict[str, Any]]) -> list[Verdict]:
    """What is promised of the default."""
    told, by = [], grouped(rows, "what")
    power = grouped(by.get(("power",), []), "design")
    plain = grouped(by.get(("plain",), []), "design")
    ratios = {
        name: mean_of([r for r in power[name] if r["seed"] < 40], "power")
        / max(mean_of(plain[name], "power"), 1e-9)
        for name in plain
        if name in power and mean_of(plain[name], "power") > 0
    }
    if ratios:
        least = min(ratios, key=lambda name: ratios[name])
        told.append(
            Verdict(
                f"power of ReliefF's default at least .8 of {PLAIN} plain permutations",
                f"at least {ratios[least]:.2f} ({least[0]})",
                ratios[least] >= 0.8,
            )
        )
    if power:
        worst = max(power, key=lambda name: mean_of(power[name], "fdp"))
        rate = mean_of(power[worst], "fdp")
        told.append(
            Verdict(
                "false discovery rate at most .07",
                f"at most {rate:.3f} ({worst[0]})",
                rate <= 0.07,
            )
        )
    noise = grouped(by.get(("noise",), []), "method")
    if noise:
        shares = {name[0]: float(_low(some).mean()) for name, some in noise.items()}
        low, high = min(shares.values()), max(shares.values())
        told.append(
            Verdict(
                "share of p ≤ .05 on noise between .03 and .07 for every method",
                f"{low:.3f} to {high:.3f}",
                low >= 0.03 and high <= 0.07,
            )
        )
    relative = grouped(by.get(("relative",), []), "method")
    if relative:
        least = min(relative, key=lambda name: mean_of(relative[name], "power"))
        share = mean_of(relative[least], "power")
        told.append(
            Verdict(
                "methods with relative scores find 4 of 5 features 1.8 sd apart",
                f"at least {5 * share:.1f} of 5 on average ({least[0]})",
                share >= 0.8,
            )
        )
    return told


def tables(rows: list[dict[str, Any]]) -> str:
    """The section."""
    by = grouped(rows, "what")
    plain = grouped(by.get(("plain",), []), "design")
    text = (
        f"ReliefF, {ROWS} rows, {RELEVANT} of {FEATURES} features relevant (shifted by "
        "0.6 standard deviations; two for xor), q < .05, the default call and "
        f"{PLAIN} permutations of every feature.\n\n"
    )
    lines = [
        [
            name,
            len(some),
            f"{mean_of(some, 'power'):.2f}",
            f"{mean_of(plain[name,], 'power'):.2f} ({len(plain[name,])} tables)"
            if (name,) in plain
            else "",
            f"{mean_of(some, 'fdp'):.3f}",
        ]
        for (name,), some in grouped(by.get(("power",), []), "design").items()
    ]
    head = ["design", "tables", "power", "power, plain", "false discovery rate"]
    text += table(head, lines) + "\n"
    text += "Methods with relative scores, 5 of 100 features 1.8 sd apart.\n\n"
    lines = [
        [
            name,
            len(some),
            f"{mean_of(some, 'power'):.2f}",
            f"{mean_of(some, 'fdp'):.3f}",
        ]
        for (name,), some in grouped(by.get(("relative",), []), "method").items()
    ]
    text += table(["method", "tables", "power", "false discovery rate"], lines) + "\n"
    text += "Share of p ≤ .05 where nothing is relevant, by kind of feature.\n\n"
    lines = [
        [name, len(some), f"{_low(some).mean():.3f}", *(f"{x:.3f}" for x in _low(some))]
        for (name,), some in grouped(by.get(("noise",), []), "method").items()
    ]
    return text + table(["method", "tables", "all", *KINDS], lines)
