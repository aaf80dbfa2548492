"""Significance: power and false discoveries by default, and p-values on noise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
from scipy.stats import false_discovery_control

import widemargin
from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import grouped, how_many, mean_of
from evidence.framework.verdicts import Verdict, promise
from evidence.truth.designs import (
    ADDED,
    EACH,
    FEATURES,
    KINDS,
    NUMBERS,
    REAL,
    RELEVANT,
    ROWS,
    STRONG,
    WEAK,
    all_kinds,
    strong,
    weak,
    with_random,
)
from widemargin import baselines, evaluation
from widemargin.data.read import read_dataset
from widemargin.evaluation._null_scores import source_of
from widemargin.evaluation._permutation_test import PermutationTest
from widemargin.evaluation._selectors import Call

TITLE = "Significance of single features"
GROUPS = ("what", "design", "method", "rows", "added")
PLAIN = 2000  # permutations of every feature, what the default is held against
RELATIVE = ("Simba", "LMBA", "MRMR", "OSimba", "FCBF", "IRelief")
WIDE = 200  # features, and how far five of them are shifted
WIDE_SHIFT = 1.2
METHODS = (
    *("Relief", "ReliefF", "Simba", "GFlip", "LMBA", "IPCMSR", "IPICSR", "OReliefF"),
    *("OSimba", "FRLL", "FisherScore", "TraceRatio", "PearsonScore", "LaplacianScore"),
    *("InformationGain", "MRMR", "FCBF", "SURF", "SURFStar", "MultiSURF"),
    *("MultiSURFStar", "IRelief"),
)
QUICK = ("Relief", "ReliefF", "FisherScore", "PearsonScore", "InformationGain", "FCBF")
REFITS = 99  # permutations on noise for the other methods, pooled
WITH_STRONG = {"ReliefF": (200, 1000), "Relief": (200, 1000), "Simba": (200,)}  # rows


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    """Power of the default, of plain permutations, real tables, and noise."""
    for seed in range(0 if quick else 40):
        for name in REAL:
            for added in ADDED if name == "japan_credit_crx" else ["other kinds"]:
                case = {"what": "real", "design": name, "method": "ReliefF"}
                yield {**case, "added": added, "seed": seed}
    for method, sizes in WITH_STRONG.items():
        for n in sizes[:1] if quick else sizes:
            for seed in range(1 if quick else 100):
                for design in STRONG:
                    case = {"what": "strong", "design": design, "method": method}
                    yield {**case, "rows": n, "seed": seed}
        if quick:
            break
    for seed in range(3 if quick else 200):
        for design in WEAK[:1] if quick else WEAK:
            yield {"what": "power", "design": design, "seed": seed}
            if seed < 40:
                yield {"what": "plain", "design": design, "seed": seed}
    for seed in range(1 if quick else 20):
        for method in RELATIVE[:1] if quick else RELATIVE:
            yield {"what": "relative", "method": method, "seed": seed}
            if method != "FCBF" and seed < 10 and not quick:
                yield {"what": "relative, wide", "method": method, "seed": seed}
    for seed in range(2 if quick else 40):
        for method in ("ReliefF", "FisherScore", "MRMR") if quick else METHODS:
            yield {"what": "noise", "method": method, "seed": seed}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    """One table."""
    if case["what"] == "noise":
        X, y = all_kinds(case["seed"])
        number = None if case["method"] in QUICK else REFITS
        found = _test(case["method"], X, y, case["seed"], n_permutations=number)
        low = found.p_values <= 0.05
        return {"low": low.reshape(len(KINDS), -1).sum(axis=1).tolist()}
    if case["what"].startswith("relative"):
        wide = case["what"] == "relative, wide"
        rng = np.random.default_rng(case["seed"])
        y = rng.integers(0, 2, ROWS)
        X = rng.standard_normal((ROWS, WIDE if wide else FEATURES))
        X[:, :RELEVANT] += (WIDE_SHIFT if wide else 1.8) * y[:, None]
        return _counts(_test(case["method"], X, y, case["seed"]).q_values, RELEVANT)
    if case["what"] == "strong":
        return _beside_strong(case)
    if case["what"] == "real":
        X, y = with_random(case["design"], case["added"], data, case["seed"])
        found, new = _test("ReliefF", X, y, case["seed"]), ADDED[case["added"]]
        sure = found.significant()
        return {
            "low": (found.p_values[-new:] <= 0.05).tolist(),
            "fdp": float(sure[-new:].sum() / max(1, sure.sum())),
        }
    X, y, relevant = weak(case["design"], case["seed"])
    if case["what"] == "power":
        return _counts(_test("ReliefF", X, y, case["seed"]).q_values, relevant)
    return _counts(_plain(X, y, case["seed"]), relevant)


def _beside_strong(case: dict[str, Any]) -> dict[str, Any]:
    """False discoveries, also as they would be without confirmation."""
    by_labels, confirm = [], PermutationTest._confirmed

    def recorded(test: PermutationTest, p: np.ndarray) -> np.ndarray:
        by_labels.append(p)
        return confirm(test, p)

    X, y = strong(case["design"], case["rows"], case["seed"])
    with mock.patch.object(PermutationTest, "_confirmed", recorded):
        found = _test(case["method"], X, y, case["seed"])
    plain = _counts(false_discovery_control(by_labels[0]), RELEVANT)
    low = found.p_values[RELEVANT:] <= 0.05
    return {
        **_counts(found.q_values, RELEVANT),
        "fdp_labels": plain["fdp"],
        "low": float(low[:NUMBERS].mean()),
        "low_others": float(low[NUMBERS:].mean()),
    }


def _test(method: str, X: np.ndarray, y: np.ndarray, seed: int, **options: Any) -> Any:
    made = getattr(baselines, method, None) or getattr(widemargin, method)
    options |= {"random_state": seed, "n_jobs": 1}
    return evaluation.significance(made(), X, y, **options)


def _plain(X: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """q-values by so many permutations of every feature."""
    source = source_of(widemargin.ReliefF(), read_dataset(X, y, "truth"))
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
            promise(
                f"default power for ReliefF at least .8 of that of {PLAIN} "
                "permutations",
                f"at least {ratios[least]:.2f} ({least[0]})",
                ratios[least] >= 0.8,
            )
        )
    if power:
        worst = max(power, key=lambda name: mean_of(power[name], "fdp"))
        rate = mean_of(power[worst], "fdp")
        told.append(
            promise(
                "false discovery rate at most .07",
                f"at most {rate:.3f} ({worst[0]})",
                rate <= 0.07,
            )
        )
    beside = grouped(by.get(("strong",), []), "design", "method", "rows")
    if beside:
        worst = max(beside, key=lambda name: mean_of(beside[name], "fdp"))
        rate = mean_of(beside[worst], "fdp")
        told.append(
            promise(
                "false discovery rate at most .07 in the presence of strong features",
                f"at most {rate:.3f} ({worst[1]}, {worst[0]}, {worst[2]} rows)",
                rate <= 0.07,
            )
        )
    told += _real_verdicts(by.get(("real",), []))
    noise = grouped(by.get(("noise",), []), "method")
    if noise:
        shares = {name[0]: float(_low(some).mean()) for name, some in noise.items()}
        low, high = min(shares.values()), max(shares.values())
        told.append(
            promise(
                "on noise, p ≤ .05 in 3 % to 7 % of features, for every method",
                f"{low:.3f} to {high:.3f}",
                low >= 0.03 and high <= 0.07,
            )
        )
    relative = grouped(by.get(("relative",), []), "method")
    if relative:
        least = min(relative, key=lambda name: mean_of(relative[name], "power"))
        share = mean_of(relative[least], "power")
        told.append(
            promise(
                "methods with relative scores find 4 of 5 features shifted by 1.8 sd",
                f"at least {5 * share:.1f} of 5 on average ({least[0]})",
                share >= 0.8,
            )
        )
    return told


def _real_verdicts(rows: list[dict[str, Any]]) -> list[Verdict]:
    """What is promised of random columns beside those of real tables."""
    told = []
    for key, some in grouped(rows, "design", "added").items():
        share, rate = float(np.mean([row["low"] for row in some])), mean_of(some, "fdp")
        name = f"four random columns ({key[1]}) added to {key[0]}"
        within = f"{share:.3f} of {4 * len(some)}; false discovery rate {rate:.3f}"
        text = f"{name}: p ≤ .05 in 3 % to 7 %, at most .07 of what is reported"
        told.append(promise(text, within, 0.03 <= share <= 0.07 and rate <= 0.07))
    return told


def _beside(rows: list[dict[str, Any]]) -> str:
    """What happens to irrelevant features beside strong ones."""
    names = ("power", "fdp", "fdp_labels", "low", "low_others")
    lines = [
        [*key, how_many(some), *(f"{mean_of(some, name):.3f}" for name in names)]
        for key, some in grouped(rows, "design", "method", "rows").items()
    ]
    head = ["relevant", "method", "rows", "tables", "power", "false discovery rate"]
    head += [
        "the same, permuting labels only",
        "p ≤ .05, 30 normal",
        "p ≤ .05, 15 others",
    ]
    return (
        "Five strong features (class means 4 sd apart, or nominal features with 2 to "
        "6 levels, most of which occur in one class only) and 45 irrelevant ones: 30 "
        "normally distributed, and 15 more of the kind of the strong ones. "
        "Default calls.\n\n" + table(head, lines) + "\n"
    )


def _real(rows: list[dict[str, Any]]) -> str:
    """Random columns in real tables."""
    lines = []
    for key, some in grouped(rows, "design", "added").items():
        each = np.mean([row["low"] for row in some], axis=0)
        shares = [f"{each.mean():.3f}", ", ".join(f"{x:.3f}" for x in each)]
        lines.append([*key, how_many(some), *shares, f"{mean_of(some, 'fdp'):.3f}"])
    head = ["table", "random columns", "tables", "p ≤ .05", "the same, each column"]
    return (
        "Public tables (up to 690 rows) with four random columns: fair coins, or an "
        "unfair coin (15 %), three levels, a normal and an exponential variable. "
        "ReliefF, default calls. All other columns count as relevant.\n\n"
        + table([*head, "false discovery rate"], lines)
        + "\n"
    )


def _of_method(rows: list[dict[str, Any]]) -> str:
    """Power and false discoveries of methods."""
    lines = [
        [
            name,
            how_many(some),
            f"{mean_of(some, 'power'):.2f}",
            f"{mean_of(some, 'fdp'):.3f}",
        ]
        for (name,), some in grouped(rows, "method").items()
    ]
    return table(["method", "tables", "power", "false discovery rate"], lines) + "\n"


def tables(rows: list[dict[str, Any]]) -> str:
    """The section."""
    by = grouped(rows, "what")
    plain = grouped(by.get(("plain",), []), "design")
    text = (
        f"ReliefF, {ROWS} rows, {RELEVANT} of {FEATURES} features relevant (shifted by "
        "0.6 standard deviations; two for xor), q < .05. *Power* is that of the "
        f"default call, *power, plain* that of {PLAIN} permutations of the labels.\n\n"
    )
    lines = [
        [
            name,
            how_many(some),
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
    text += _beside(by.get(("strong",), []))
    text += _real(by.get(("real",), []))
    text += "Methods with relative scores, 5 of 100 features shifted by 1.8 sd.\n\n"
    text += _of_method(by.get(("relative",), []))
    text += f"The same, 5 of {WIDE} features shifted by {WIDE_SHIFT} sd.\n\n"
    text += _of_method(by.get(("relative, wide",), []))
    text += (
        "Fraction of p ≤ .05 if nothing is relevant: of all features, and of each of "
        f"{len(KINDS)} kinds ({', '.join(KINDS)}).\n\n"
    )
    lines = [
        [
            name,
            how_many(some),
            f"{_low(some).mean():.3f}",
            f"{min(_low(some)):.3f} to {max(_low(some)):.3f}",
        ]
        for (name,), some in grouped(by.get(("noise",), []), "method").items()
    ]
    return text + table(["method", "tables", "all", "by kind"], lines)
