"""Is n_features_to_select="auto" true? What it claims, against what is.

Random labels: the accuracy that "auto" claims at the size it chose, minus one half.
Real signal: the claim, and the accuracy of 1-NN on rows that were never seen, next to
those of a plain loop that ranks inside ten folds, with the best size and with the
one-standard-error rule.

    python benchmarks/truth_auto.py [--seeds 20] [--small] [--madelon madelon.npz]
                                    [--json results.json]

The file for Madelon holds arrays X and y, and split, 0 for training rows. It is run as
it was published and on random halves.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from widemargin import ReliefF, Simba
from widemargin.baselines import FisherScore
from widemargin.datasets import make_xor

METHODS = {
    "ReliefF": ReliefF(),
    "Simba": Simba(random_state=0, n_starts=1),
    "FisherScore": FisherScore(),
}
NOISE = ((100, 50), (200, 2000), (60, 10_000))
TEST_ROWS = 2000
Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def test_accuracy(features: np.ndarray, split: Split) -> float:
    """1-NN with these features, fitted to the training rows, on the test rows."""
    X, y, Z, t = split
    model = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1))
    return float(model.fit(X[:, features], y).score(Z[:, features], t))


def auto(selector: Any, split: Split, **options: Any) -> dict[str, float]:
    """What "auto" claims, and what is."""
    fitted = clone(selector).set_params(n_features_to_select="auto", **options)
    start = time.perf_counter()
    fitted.fit(*split[:2])
    return {
        "kept": fitted.n_features_,
        "claim": float(fitted.prefix_scores_[fitted.n_features_ - 1]),
        "test": test_accuracy(fitted.get_support(indices=True), split),
        "seconds": time.perf_counter() - start,
    }


def plain_loop(selector: Any, split: Split) -> dict[str, dict[str, float]]:
    """Rank inside ten folds and judge each size by 1-NN, in plain code."""
    X, y = split[:2]
    folds = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
    right = np.array([_fold(selector, X, y, *fold) for fold in folds])
    scores = right.mean(axis=0)
    error = right.std(axis=0, ddof=1) / np.sqrt(len(folds))
    best = int(np.argmax(scores))
    order = np.argsort(clone(selector).fit(X, y).ranking_)
    shortest = int(np.argmax(scores >= scores[best] - error[best]))
    return {
        rule: {
            "kept": k + 1,
            "claim": float(scores[k]),
            "test": test_accuracy(order[: k + 1], split),
        }
        for rule, k in (("best", best), ("1-SE", shortest))
    }


def _fold(
    selector: Any, X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """Accuracy in one fold with the best 1, 2, 3, … features."""
    fitted = clone(selector).fit(X[train], y[train])
    scaler = MinMaxScaler().fit(X[train])
    A, B = scaler.transform(X[test]), scaler.transform(X[train])
    D = np.zeros((len(test), len(train)))
    scores = []
    for f in np.argsort(fitted.ranking_):
        D += np.subtract.outer(A[:, f], B[:, f]) ** 2
        scores.append(np.mean(y[train][D.argmin(axis=1)] == y[test]))
    return np.array(scores)


def noise(shapes: Any, seeds: int) -> Iterator[dict[str, Any]]:
    """Random labels."""
    for n, d in shapes:
        for name, selector in METHODS.items():
            claims, kept = [], []
            for seed in range(seeds):
                rng = np.random.default_rng(seed)
                X, y = rng.standard_normal((n, d)), rng.integers(0, 2, n)
                fitted = clone(selector).set_params(n_features_to_select="auto")
                fitted.fit(X, y)
                claims.append(float(fitted.prefix_scores_[fitted.n_features_ - 1]))
                kept.append(fitted.n_features_)
            bias = float(np.mean(claims) - 0.5)
            row = {"table": f"noise {n}×{d}", "method": name, "bias": bias}
            yield {**row, "kept": float(np.median(kept)), "claims": claims}


def wide(n: int, d: int) -> Callable[[int], Split]:
    """Ten informative features of many."""

    def make(seed: int) -> Split:
        X, y = make_classification(
            n + TEST_ROWS, d, n_informative=10, n_redundant=0, random_state=seed
        )
        return X[:n], y[:n], X[n:], y[n:]

    return make


def xor(seed: int) -> Split:
    """Three features of fifty, none of which says anything by itself."""
    X, y = make_xor(500 + TEST_ROWS, n_features=50, random_state=seed)
    return X[:500], y[:500], X[500:], y[500:]


def madelon(path: Path) -> Callable[[int], Split]:
    """As published, then random halves."""

    def make(seed: int) -> Split:
        with np.load(path) as file:
            X, y, split = file["X"].astype(float), file["y"], file["split"]
        if seed == 0:
            return X[split == 0], y[split == 0], X[split == 1], y[split == 1]
        half = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
        return half[0], half[2], half[1], half[3]

    return make


def signal(
    tables: dict[str, Callable[[int], Split]], seeds: int, loop: bool
) -> Iterator[dict[str, Any]]:
    """Claims and test accuracies, side by side."""
    for table, make in tables.items():
        for name, selector in METHODS.items():
            found: dict[str, list[dict[str, float]]] = {}
            for seed in range(seeds):
                split = make(seed)
                found.setdefault("auto", []).append(auto(selector, split))
                thin = auto(selector, split, redundancy="auto")
                found.setdefault("auto, redundancy=auto", []).append(thin)
                if loop:
                    for rule, row in plain_loop(selector, split).items():
                        found.setdefault(f"loop, {rule}", []).append(row)
            for rule, rows in found.items():
                mean = {k: float(np.mean([r[k] for r in rows])) for k in rows[0]}
                yield {"table": table, "method": name, "rule": rule, **mean}


def main() -> None:
    """Print a line per result, and store all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--signal-seeds", type=int, default=5)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", choices=["noise", "signal"])
    parser.add_argument("--madelon", type=Path)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    tables: dict[str, Callable[[int], Split]] = {
        "wide 100×1000": wide(100, 1000),
        "xor 500×50": xor,
    }
    if not args.small:
        tables["wide 250×5000"] = wide(250, 5000)
    if args.madelon:
        tables["Madelon"] = madelon(args.madelon)
    rows: list[dict[str, Any]] = []
    if args.only != "signal":
        for row in noise(NOISE[:1] if args.small else NOISE, args.seeds):
            rows.append(row)
            print(
                f"{row['table']:16} {row['method']:12} claim − truth {row['bias']:+.3f}"
                f"  kept {row['kept']:g}",
                flush=True,
            )
    if args.only != "noise":
        for row in signal(tables, args.signal_seeds, loop=True):
            rows.append(row)
            print(
                f"{row['table']:16} {row['method']:12} {row['rule']:22} kept "
                f"{row['kept']:6.1f}  claim {row['claim']:.3f}  test {row['test']:.3f}",
                flush=True,
            )
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
