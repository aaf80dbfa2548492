"""Section 4.3: LMBA and Simba with wrong labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import MinMaxScaler

from evidence.data import Sets
from evidence.framework.results import Results
from evidence.framework.store import Case, Result
from evidence.framework.verdicts import Verdict, judged
from evidence.papers.frame import Claim, Experiment, Table
from evidence.papers.lmba.methods import OURS, SIMBA, rankers
from evidence.papers.splits import (
    RANDOM,
    SHORT,
    Paired,
    compare_rankings,
    mean_sd,
    of_method,
)

SETS = {"wdbc": "WDBC", "pima": "DIAB"}
WRONG = (0, 10, 30)  # percent of the labels of the training rows
REPEATS, N_FOLDS, NEIGHBORS = 8, 5, 3

Array = NDArray[Any]


def by_votes(
    X: Array, y: Array, train: Array, test: Array, order: Array, sizes: Array
) -> Array:
    """Accuracy of k-NN for each size; y is 0 or 1, and k is odd."""
    Z = MinMaxScaler().fit(X[train]).transform(X)
    distance = np.zeros((len(test), len(train)))
    found = []
    for k, f in enumerate(order[: sizes[-1]], 1):
        distance += (Z[test, f][:, None] - Z[train, f]) ** 2
        if k in sizes:
            nearest = np.argsort(distance, axis=1, kind="stable")[:, :NEIGHBORS]
            votes = y[train][nearest].mean(axis=1) > 0.5
            found.append(np.mean(votes == y[test]))
    return np.array(found)


class Noise(Experiment):
    """Accuracy of k-NN with features chosen by noisy labels."""

    key = "noise"
    covers = ("Section 4.3",)
    title = "Wrong labels"
    how = (
        "WDBC and DIAB with 0, 10 and 30 % of the labels of the training rows wrong; "
        f"the test rows keep theirs. {NEIGHBORS}-NN, since the paper speaks of k-NN "
        f"with k > 1; {N_FOLDS} stratified folds, {REPEATS} times; the mean over all "
        "numbers of features. Control: a random ranking."
    )

    def cases(self, quick: bool) -> Sequence[Case]:
        """Set, share of wrong labels, repeat."""
        seeds = range(1 if quick else REPEATS)
        return [
            {"data": name, "wrong": wrong, "seed": seed}
            for name in ([*SETS][1:] if quick else SETS)
            for wrong in WRONG
            for seed in seeds
        ]

    def measure(self, case: Case, data: Sets) -> Result:
        """The mean of the curves over the folds."""
        bunch, seed = data(case["data"]), case["seed"]
        X = np.nan_to_num(np.asarray(bunch.data, float))
        y = np.unique(bunch.target, return_inverse=True)[1]
        folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
        known = {name: rankers()[name] for name in (OURS, SIMBA)}
        found: dict[str, Any] = {name: [] for name in (*known, RANDOM)}
        for fold, (train, test) in enumerate(folds.split(X, y)):
            noisy, number = y.copy(), N_FOLDS * seed + fold
            random = np.random.default_rng(number)
            count = round(case["wrong"] / 100 * len(train))
            rows = random.choice(train, count, replace=False)
            noisy[rows] = 1 - noisy[rows]
            one = compare_rankings(
                X, noisy, known, (train, test), number, judge=by_votes, inner=0
            )
            for name, mine in one.items():
                found[name].append(mine["mean"])
        return {name: {"mean": np.mean(values)} for name, values in found.items()}

    def claims(self) -> Sequence[Claim]:
        """What section 4.3 says."""
        higher = (
            "with 10 and with 30 % its mean is higher, on average and in more repeats"
        )
        return [
            Claim(
                "Section 4.3",
                f"{label}: with k-NN and much noise, LMBA surely gets much higher "
                "performance than Simba.",
                "no experiment",
                _higher(name),
                higher,
                "it is higher by more than two standard errors, with 10 and with 30 %",
            )
            for name, label in SETS.items()
        ]

    def tables(self, results: Results) -> Sequence[Table]:
        """Levels and differences."""
        rows = []
        for name, label in SETS.items():
            for wrong in WRONG:
                if not results.has(data=name, wrong=wrong):
                    continue
                part = results.where(data=name, wrong=wrong)
                levels = [mean_sd(of_method(part, m)) for m in (OURS, SIMBA, RANDOM)]
                paired = Paired.of(of_method(part, OURS), of_method(part, SIMBA))
                rows.append([label, f"{wrong} %", *levels, paired.short])
        header = ["data", "wrong labels", OURS, SIMBA, RANDOM, "LMBA − Simba"]
        note = f"Mean accuracy (%) over all numbers of features; differences: {SHORT}."
        return [Table(f"{NEIGHBORS}-NN with wrong labels", header, rows, note)]


def _higher(name: str) -> Callable[[Results], Verdict]:
    def judge(results: Results) -> Verdict:
        pairs = {}
        for wrong in WRONG:
            part = results.where(data=name, wrong=wrong)
            pairs[wrong] = Paired.of(of_method(part, OURS), of_method(part, SIMBA))
        ours = "LMBA against Simba: " + "; ".join(
            f"{wrong} % wrong {pair}" for wrong, pair in pairs.items()
        )
        noisy = [pairs[wrong] for wrong in WRONG[1:]]
        better = all(p.better for p in noisy)
        return judged(better, ours, honest=all(p.clear for p in noisy))

    return judge
