"""The one answer on public tables: how many features, how good, how sure, how fast."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import Rows
from evidence.framework.verdicts import Verdict, promise
from evidence.study import judge
from evidence.study.tables import FRESH
from evidence.study.tables import table as whole
from evidence.truth.agreement import jaccard, likeness
from widemargin import AutoSelector

TITLE = "The answer of `AutoSelector` on public tables"
TABLES = sorted(FRESH)[1::2][:16]
SPLITS = 2
JUDGES = {"1-NN": "1-NN", "logistic": "logistic regression"}


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    for name in ("xor of 2",) if quick else TABLES:
        yield {"table": name}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    name = case["table"]
    with warnings.catch_warnings(action="ignore"), threadpool_limits(1):
        fits = [_fit(name, seed, data) for seed in range(SPLITS)]
    found = whole(name, data)
    R = likeness(found.X, found.nominal)
    return {
        "features": found.X.shape[1],
        "jaccard": jaccard(*(fit["kept"] for fit in fits), R),
        "fits": fits,
    }


def _fit(name: str, seed: int, data: Sets) -> dict[str, Any]:
    """The answer to the training rows of a split, and its worth on the others."""
    split = judge.split(name, seed, data)
    auto = AutoSelector(
        categorical_features=[*split.nominal] or None, random_state=seed, n_jobs=1
    )
    forest = RandomForestClassifier(random_state=seed)
    if seed == 0:
        auto.fit(split.X[::2], split.y[::2])  # compiles
    seconds = [_seconds(model, split) for model in (auto, forest)]
    kept = auto.get_support(indices=True)
    order = np.argsort(-forest.feature_importances_, kind="stable")
    every = np.arange(split.X.shape[1])
    sets = {"kept": kept, "all": every, "forest": order[: len(kept)]}
    right = {
        f"{who}, {key}": guess == split.labels
        for who, some in sets.items()
        for key, guess in _guesses(split, tuple(sorted(some.tolist()))).items()
    }
    lead = right["kept, 1-NN"].astype(int) - right["all, 1-NN"]
    test, error = _score(auto.scoring_, right["kept, 1-NN"], split.labels)
    return {
        "kept": kept.tolist(),
        "accuracy": {key: float(mine.mean()) for key, mine in right.items()},
        "won": int((lead > 0).sum()),  # test rows, against all features
        "lost": int((lead < 0).sum()),
        "tested": len(lead),
        "scoring": auto.scoring_,
        "claim": auto.score_,
        "claim_error": auto.score_stderr_,
        "test": test,
        "test_error": error,
        "stability": auto.stability_,
        "relevant": int(auto.features_["relevant"].sum()),
        "seconds": seconds[0],
        "ratio": seconds[0] / seconds[1],
    }


def _seconds(model: Any, split: judge.Split) -> float:
    start = time.process_time()
    model.fit(split.X, split.y)
    return time.process_time() - start


def _guesses(split: judge.Split, features: tuple[int, ...]) -> dict[str, np.ndarray]:
    """What two classifiers make of the test rows, as the study judges."""
    X, y, _, nominal, Z, _ = split
    both, owners = judge.indicators(np.vstack([X, Z]), nominal, features)
    A, B = both[: len(X)], both[len(X) :]
    weights = np.where(np.isin(owners, nominal), np.sqrt(0.5), 1.0)
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    return {
        "1-NN": y[judge.nearest(A, B, weights, 1)[:, 0]],
        "logistic": logistic.fit(A, y).predict(B),
    }


def _score(scoring: str, right: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """The score of test rows by the measure of the claim, and its standard error."""
    by_class = {
        "accuracy": [right],
        "balanced_accuracy": [right[labels == label] for label in np.unique(labels)],
    }[scoring]
    means = np.array([mine.mean() for mine in by_class])
    sizes = np.array([len(mine) for mine in by_class])
    error = np.sqrt((means * (1 - means) / sizes).sum()) / len(sizes)
    return float(means.mean()), float(error)


def _lead(row: dict[str, Any]) -> tuple[float, float]:
    """Mean paired difference to all features over all test rows, standard error."""
    won, lost, n = (
        sum(fit[c] for fit in row["fits"]) for c in ("won", "lost", "tested")
    )
    mean = (won - lost) / n
    return mean, float(np.sqrt(max(0.0, (won + lost) / n - mean**2) / n))


def _gain(row: dict[str, Any], judge: str, other: str) -> float:
    """Accuracy above that of another set of features, mean over splits."""
    some = [fit["accuracy"] for fit in row["fits"]]
    return float(np.mean([a[f"kept, {judge}"] - a[f"{other}, {judge}"] for a in some]))


def figures(rows: Rows) -> dict[str, Any]:
    """What the verdicts and the sentences are made of."""
    fits = [fit for row in rows for fit in row["fits"]]
    gaps = np.array([fit["claim"] - fit["test"] for fit in fits])
    own = np.array([fit["claim_error"] for fit in fits])
    both = np.hypot(own, [fit["test_error"] for fit in fits])
    leads = [_lead(row) for row in rows]
    return {
        "tables": len(rows),
        "fits": len(fits),
        "kept": float(np.median([len(fit["kept"]) for fit in fits])),
        "lost": sum(mean < -error for mean, error in leads),
        "to_all": 100 * float(np.mean([mean for mean, _ in leads])),
        "to_forest": {
            key: 100 * float(np.mean([_gain(row, key, "forest") for row in rows]))
            for key in JUDGES
        },
        "jaccard": float(np.mean([row["jaccard"] for row in rows])),
        "gap": float(gaps.mean()),
        "within": float(np.mean(np.abs(gaps) <= 2 * both)),
        "within_own": float(np.mean(np.abs(gaps) <= 2 * own)),
        "ratio": float(np.median([fit["ratio"] for fit in fits])),
        "ratios": [f([fit["ratio"] for fit in fits]) for f in (min, max)],
        "seconds": float(np.median([fit["seconds"] for fit in fits])),
    }


def verdicts(rows: Rows) -> list[Verdict]:
    found = figures(rows)
    n, lost, gain = found["tables"], found["lost"], found["to_forest"]
    low, high = found["ratios"]
    return [
        promise(
            "features kept: median at most 15",
            f"{found['kept']:g} ({found['fits']} fits)",
            found["kept"] <= 15,
        ),
        promise(
            "not below all features by more than one standard error on at least 80 % "
            "of tables (1-NN)",
            f"{n - lost} of {n}; {found['to_all']:+.1f} points on average",
            n - lost >= 0.8 * n,
        ),
        *(
            promise(
                f"better than as many features of a forest, {words}, on average",
                f"{gain[key]:+.1f} points",
                gain[key] > 0,
            )
            for key, words in JUDGES.items()
        ),
        promise(
            "agreement of two splits (Jaccard index, near copies as one) at least .6",
            f"{found['jaccard']:.2f}",
            found["jaccard"] >= 0.6,
        ),
        promise(
            "claimed less tested score within .03, on average",
            f"{found['gap']:+.3f}",
            abs(found["gap"]) <= 0.03,
        ),
        promise(
            "the same within two standard errors in at least 90 % of fits",
            f"{found['within']:.0%} ({found['within_own']:.0%} within two "
            "`score_stderr_`, which leaves out the error of the test)",
            found["within"] >= 0.9,
        ),
        promise(
            "processor time at most 5 times that of a forest of 100 trees (median)",
            f"{found['ratio']:.1f} ({low:.1f} to {high:.1f})",
            found["ratio"] <= 5,
        ),
    ]


def tables(rows: Rows) -> str:
    lines = []
    for row in rows:
        fits, (mean, error) = row["fits"], _lead(row)
        means = {
            c: np.mean([fit[c] for fit in fits]) for c in ("claim", "test", "ratio")
        }
        lines.append(
            [
                row["table"],
                row["features"],
                ", ".join(str(len(fit["kept"])) for fit in fits),
                f"{100 * mean:+.1f} ± {100 * error:.1f}",
                *(f"{100 * _gain(row, key, 'forest'):+.1f}" for key in JUDGES),
                f"{row['jaccard']:.2f}",
                ", ".join(f"{fit['stability']:.2f}" for fit in fits),
                f"{means['claim']:.3f}",
                f"{means['test']:.3f}",
                f"{means['ratio']:.1f}",
            ]
        )
    head = ["table", "features", "kept", "to all, 1-NN"]
    head += [f"to forest, {words}" for words in JUDGES.values()]
    head += ["agreement", "`stability_`", "claimed", "tested", "time / forest"]
    return (
        "Every second fresh table of the [study](study.md), two splits into two thirds "
        "for the answer and one third for the test, as "
        "`evidence/truth/PROTOCOL.md` laid down before the run. Differences are in "
        "points of accuracy on the test rows; ± is one standard error. Of several "
        "splits, the figures are means or stand side by side.\n\n" + table(head, lines)
    )
