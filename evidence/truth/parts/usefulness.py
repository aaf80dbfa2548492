"""Public sets: which ways to pick k features serve three classifiers best."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import grouped, mean_of
from evidence.framework.verdicts import Verdict, promise
from evidence.truth.rankers import RANKERS, YARDSTICKS
from evidence.truth.tables import SIZES, SMALL, parts, public

TITLE = "`AutoSelector` against common alternatives"
KS = (10, 20)
REPEATS = 3
CLASSIFIERS = {"knn": "1-NN", "logistic": "logistic regression", "boosting": "boosting"}


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    for seed in range(1 if quick else REPEATS):
        for name in SMALL if quick else SIZES:
            for ranker in RANKERS:
                yield {"table": name, "seed": seed, "ranker": ranker}


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    found = public(case["table"], data)
    train, test = parts(found, case["seed"], 1 / 3)
    X, y, Z, t = found.X[train], found.y[train], found.X[test], found.y[test]
    groups = None if found.groups is None else found.groups[train]
    pick, result = RANKERS[case["ranker"]], {}
    for k in KS:
        start = time.process_time()
        features = pick(X, y, k, groups)
        seconds = time.process_time() - start
        result[str(k)] = {
            "seconds": seconds,
            **{
                name: float(model.fit(X[:, features], y).score(Z[:, features], t))
                for name, model in _models().items()
            },
        }
    return result


def _models() -> dict[str, Any]:
    return {
        "knn": make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
        "boosting": HistGradientBoostingClassifier(
            max_iter=40, max_leaf_nodes=8, min_samples_leaf=3, random_state=0
        ),
    }


def mean_ranks(
    rows: list[dict[str, Any]], rankers: list[str]
) -> dict[str, dict[str, float]]:
    """Mean rank, accuracy and time of each ranker, over tables and sizes.

    Splits of a table are averaged first. Splits that not all of them were run on are
    left out.
    """
    chosen = [
        row
        for some in grouped(rows, "table", "seed").values()
        if {row["ranker"] for row in some} >= {*rankers}
        for row in some
        if row["ranker"] in rankers
    ]
    found = {
        ranker: {name: [] for name in (*CLASSIFIERS, "seconds", *_mean_names())}
        for ranker in rankers
    }
    for some in grouped(chosen, "table").values():
        mine = grouped(some, "ranker")
        for k in map(str, KS):
            for name in (*CLASSIFIERS, "seconds"):
                means = {
                    ranker: mean_of([row[k] for row in mine[ranker,]], name)
                    for ranker in rankers
                }
                places = rankdata([-value for value in means.values()])
                for ranker, place in zip(rankers, places, strict=True):
                    if name == "seconds":
                        found[ranker][name].append(means[ranker])
                    else:
                        found[ranker][name].append(place)
                        found[ranker][f"mean_{name}"].append(means[ranker])
    return {
        ranker: {name: float(np.mean(values)) for name, values in lists.items()}
        for ranker, lists in found.items()
        if lists["knn"]
    }


def _mean_names() -> list[str]:
    return [f"mean_{name}" for name in CLASSIFIERS]


def verdicts(rows: list[dict[str, Any]]) -> list[Verdict]:
    if not any(row["ranker"] == "AutoSelector" for row in rows):
        return []
    ranks = mean_ranks(rows, ["AutoSelector", *YARDSTICKS])
    mine = ranks.pop("AutoSelector")
    won = [
        name
        for name in CLASSIFIERS
        if all(mine[name] < other[name] for other in ranks.values())
    ]
    share = mine["seconds"] / ranks["forest"]["seconds"]
    return [
        promise(
            "`AutoSelector` has the best mean rank for at least two of three "
            "classifiers",
            f"for {len(won)}: {', '.join(CLASSIFIERS[name] for name in won) or 'none'}",
            len(won) >= 2,
        ),
        promise(
            "`AutoSelector` takes at most a third of the forest's time",
            f"{share:.1f} times as long",
            share <= 1 / 3,
        ),
    ]


def tables(rows: list[dict[str, Any]]) -> str:
    there = {row["ranker"] for row in rows}
    head = ["", *(f"{c}, rank" for c in CLASSIFIERS.values())]
    head += [f"{c}, accuracy" for c in CLASSIFIERS.values()] + ["processor seconds"]
    text = []
    yardsticks = [*YARDSTICKS]
    for rivals in ([r for r in RANKERS if r in there], ["AutoSelector", *yardsticks]):
        if not {*rivals} <= there:
            continue
        ranks = mean_ranks(rows, rivals)
        lines = [
            [
                ranker,
                *(f"{found[name]:.2f}" for name in CLASSIFIERS),
                *(f"{found[name]:.3f}" for name in _mean_names()),
                f"{found['seconds']:.2f}",
            ]
            for ranker, found in ranks.items()
        ]
        text.append(table(head, lines))
    names = [*dict.fromkeys(row["table"] for row in rows)]
    return (
        f"Mean ranks (1 is best) over {len(names)} public data sets "
        f"({', '.join(names)}; subsamples of the large ones), with up to {REPEATS} "
        "splits into two thirds and one third, and "
        f"k = {' and '.join(map(str, KS))}. The second table compares only "
        "`AutoSelector` with the common alternatives.\n\n"
        "`AutoSelector` fits every method in at least five folds, the forest among "
        "them, so it cannot take less time than one forest; the forests are about four "
        "fifths of its time. To be as fast as a third of a forest, the choice would "
        "have to do without the forest and without cross-validation. Where time "
        "matters, name faster methods: "
        '`AutoSelector(["ReliefF", "LMBA", "FisherScore"])`.\n\n' + "\n".join(text)
    )
