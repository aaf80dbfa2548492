"""Small measurements that pages quote in a sentence, kept in ``asides.json``.

    python -m evidence.asides                 all of them, some minutes each
    python -m evidence.asides imbalance times some

imbalance   a category of noise among numbers of noise: tables in which it ranks first
irrelevant  KernelRFE among a thousand irrelevant features: their share of the top ten
times       processor seconds of KernelRFE and of a forest of 100 trees, one thread
shuffled    O-ReliefF: AUC of a table's own features against 50 added columns of uniform
            noise when the labels are shuffled; .5 is right
coverage    ``n_samples="auto"``: runs in which all intervals hold when it stops
wide        10 000 columns to 100: processor seconds in one thread, how many of 20
            relevant ones are kept, accuracy of logistic regression on 1000 new rows
pairs       processor seconds of `interactions` in 1000 rows and 50 columns, one thread
epistasis   tables in which two interacting markers of a thousand rank first

`figures.toml` says which page quotes what; `python -m evidence.stale` compares.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from evidence.data import load
from evidence.truth.epistasis import METHODS, worst_place
from widemargin import KernelRFE, MultiSURF, OReliefF, Relief, ReliefF
from widemargin.baselines import ForestImportance
from widemargin.datasets import append_noise, make_epistasis
from widemargin.evaluation import interactions

KEPT = Path(__file__).with_name("asides.json")
Figures = dict[str, list[float]]


def imbalance() -> Figures:
    """240 rows, a category of four levels and four numbers, all of them noise."""
    found: Figures = defaultdict(list)
    for share in (0.5, 0.33, 0.22, 0.1):
        for seed in range(20):
            random = np.random.default_rng([seed, round(100 * share)])
            X = pd.DataFrame(random.standard_normal((240, 4))).add_prefix("x")
            X["level"] = random.choice(list("abcd"), 240)
            y = np.arange(240) < round(share * 240)
            for method in (ReliefF(), MultiSURF()):
                first = method.fit(X, y).ranking_[-1] == 1
                found[f"{type(method).__name__} {share}"].append(float(first))
    return {name: [sum(each)] for name, each in found.items()}


def irrelevant() -> Figures:
    """200 rows, 10 relevant features of 1000, shifted by .7 standard deviations."""
    found: Figures = defaultdict(list)
    for seed in range(10):
        random = np.random.default_rng(seed)
        y = np.arange(200) % 2
        X = random.standard_normal((200, 1000))
        X[:, :10] += 0.7 * y[:, None]
        methods = {f"alpha={a}": KernelRFE(alpha=a) for a in (1, 2, 3, 10)}
        methods["forest"] = ForestImportance(random_state=seed)
        for name, method in methods.items():
            top = method.fit(X, y).ranking_.argsort()[:10]
            found[name].append(float(np.mean(top >= 10)))
    return found


def times() -> Figures:
    """Normal features, of which three tell the class; the second of two fits."""
    found: Figures = {}
    for n, d in ((600, 10), (600, 1000), (2000, 500), (5000, 700), (60, 20_000)):
        random = np.random.default_rng(0)
        X, y = random.standard_normal((n, d)), np.arange(n) % 2
        X[:, :3] += y[:, None]
        for method in (
            KernelRFE(n_jobs=1, random_state=0),
            ForestImportance(random_state=0, n_jobs=1),
        ):
            with threadpool_limits(1):
                clone(method).fit(X[:300], y[:300])
                start = time.process_time()
                clone(method).fit(X, y)
            name = f"{type(method).__name__} {n} x {d}"
            found[name] = [time.process_time() - start]
    return found


def shuffled() -> Figures:
    """k = ln n and chosen directions; means of five draws."""
    found: Figures = defaultdict(list)
    for name in ("german_numeric", "wine_quality_red", "SWD"):
        data = load(name)
        X, y = np.asarray(data.data, float), np.asarray(data.target)
        own = np.arange(X.shape[1] + 50) < X.shape[1]
        for seed in range(5):
            wide = append_noise(X, 50, kind="uniform", random_state=seed)
            labels = np.random.default_rng(seed).permutation(y)
            for difference in ("signed", "directed"):
                scores = (
                    OReliefF(
                        n_neighbors="log", directions="auto", difference=difference
                    )
                    .fit(wide, labels)
                    .scores_
                )
                found[f"{name} {difference}"].append(roc_auc_score(own, scores))
    return found


def coverage() -> Figures:
    """800 rows, six features, three kept, ``tol=0.05``, 300 random orders."""
    random, n = np.random.default_rng(0), 800
    three, rare = np.arange(n) % 3, np.arange(n) < n * 0.02
    designs = {
        "three classes": (random.standard_normal((n, 6)) + three[:, None] / 2, three),
        "flags": (random.random((n, 6)) < np.linspace(0.003, 0.02, 6), three % 2),
        "log-normal": (random.lognormal(0, 2, (n, 6)), three % 2),
        "a rare class": (random.standard_normal((n, 6)) + rare[:, None], rare),
    }
    found: Figures = {}
    for name, (X, y) in designs.items():
        for method in (Relief(3), ReliefF(3), OReliefF(3)):
            exact, held = clone(method).fit(X, y).scores_, 0
            method.set_params(n_samples="auto", tol=0.05)
            for seed in range(300):
                fit = clone(method).set_params(random_state=seed).fit(X, y)
                low, high = fit.scores_interval_.T
                held += bool(((low <= exact) & (exact <= high)).all())
            found[f"{type(method).__name__}, {name}"] = [held / 300]
    return found


def wide() -> Figures:
    """20 columns shifted by .5 standard deviations; the second of two fits is timed."""
    found: Figures = defaultdict(list)
    for rows, seed in product((300, 600), range(5)):
        random = np.random.default_rng(seed)
        y = np.arange(1600) % 2
        X = random.standard_normal((1600, 10_000))
        X[:, :20] += 0.5 * y[:, None]
        methods = {
            "all": None,
            "KernelRFE": KernelRFE(100, n_jobs=1, random_state=seed),
            "SelectKBest": SelectKBest(k=100),
        }
        for name, method in methods.items():
            kept = np.arange(10_000)
            if method is not None:
                with threadpool_limits(1):
                    clone(method).fit(X[:300, :200], y[:300])
                    start = time.process_time()
                    kept = method.fit(X[:rows], y[:rows]).get_support(indices=True)
                    seconds = time.process_time() - start
                found[f"{name} {rows} seconds"].append(seconds)
                found[f"{name} {rows} relevant"].append(float((kept < 20).sum()))
            model = LogisticRegression(max_iter=1000).fit(X[:rows, kept], y[:rows])
            right = model.score(X[600:, kept], y[600:])
            found[f"{name} {rows} accuracy"].append(right)
    return found


def pairs() -> Figures:
    """Normal features, two of which work together; the second of two calls."""
    found: Figures = defaultdict(list)
    for seed in range(3):
        random = np.random.default_rng(seed)
        X = random.standard_normal((1000, 50))
        number = X[:, 0] * X[:, 1] + X[:, 2] + random.standard_normal(1000)
        for name, y in (("classes", number > 0), ("number", number)):
            interactions(X[:200, :5], y[:200], n_jobs=1)
            start = time.process_time()
            interactions(X, y, n_jobs=1)
            found[name].append(time.process_time() - start)
    return found


def epistasis() -> Figures:
    """1600 rows, 1000 markers, heritability .2; nominal genotypes, or numbers."""
    found: Figures = defaultdict(list)
    for seed in range(10):
        X, y = make_epistasis(1600, 1000, heritability=0.2, random_state=seed)
        for kind in ("nominal", "numbers"):
            for name in ("ReliefF, k = 10", "ReliefF, k = 100", "MultiSURF", "SURF*"):
                method = clone(METHODS[name])
                if kind == "nominal":
                    method.set_params(categorical_features=np.arange(1000))
                found[f"{name}, {kind}"].append(
                    float(worst_place(method, X, y, 2) == 2)
                )
    return {name: [sum(each)] for name, each in found.items()}


PARTS = {
    part.__name__: part
    for part in (
        imbalance,
        irrelevant,
        times,
        shuffled,
        coverage,
        wide,
        pairs,
        epistasis,
    )
}


def main(names: list[str]) -> None:
    for name in names or PARTS:
        measured = PARTS[name]()
        kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        kept[name] = {
            key: [round(float(value), 5) for value in values]
            for key, values in measured.items()
        }
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")
        for key, values in measured.items():
            print(f"{name}: {key}: {np.mean(values):.3g}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
