"""Figures 3 to 5: a monotone feature, one that goes up and down, and 50 others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from evidence.data import Sets
from evidence.framework.results import Results
from evidence.framework.store import Case, Result
from evidence.framework.verdicts import Verdict, judged
from evidence.papers.drawing import Figure, Lines, Series
from evidence.papers.frame import Claim, Experiment, Table, never
from evidence.papers.ordinal.methods import (
    METHODS,
    READINGS,
    RIVALS,
    SIGNED,
    printed,
    selectors,
)
from evidence.papers.splits import RANDOM
from widemargin.datasets import make_ordinal

FIGURES = {"Figure 4": ("O-ReliefF (1)", "O-ReliefF (2)"), "Figure 5": ("O-Simba",)}
SIZES = tuple(range(10, 101, 10))


class Synthetic(Experiment):
    """Which feature comes first."""

    key = "synthetic"
    covers = ("Figure 3", *FIGURES)
    title = "Synthetic data"
    how = (
        "Three classes of 10, 20, … 100 samples, ten draws of each (make_ordinal): "
        "feature 1 rises with the class, feature 2 goes up and then down, 50 are "
        "uniform. How the first two are distributed is only drawn in the paper, as a "
        "scatter plot; ours lie in thirds of the range. Weights are put into [0, 1]. "
        "Directed differences to misses have their sign; Printed is the "
        "paper's formula, with absolute differences and dominating hits, by which a "
        "feature that goes up and down counts as much as one that rises. Weights in "
        "[0, 1] depend on the lowest as well: a feature below all others lifts the "
        "rest. The control is a vector of random weights."
    )

    def cases(self, quick: bool) -> Sequence[Case]:
        """One draw of one size each."""
        sizes, seeds = (SIZES[:2], 2) if quick else (SIZES, 10)
        return [{"per_class": n, "seed": s} for n in sizes for s in range(seeds)]

    def measure(self, case: Case, data: Sets) -> Result:
        """Weights of features 1 and 2, and of the others."""
        X, y = make_ordinal(case["per_class"], random_state=case["seed"])
        found = {
            name: selector.fit(X, y).scores_
            for name, selector in selectors(case["seed"]).items()
        }
        found[RANDOM] = np.random.default_rng(case["seed"]).uniform(size=X.shape[1])
        result = {}
        for name, scores in found.items():
            w = (scores - scores.min()) / np.ptp(scores)
            result[name] = {
                "first": int(np.argmax(w)) + 1,
                "one": w[0],
                "two": w[1],
                "others": w[2:].mean(),
                "largest": w[2:].max(),
            }
        return result

    def claims(self) -> Sequence[Claim]:
        """What figures 3 to 5 are said to show."""
        claims = [
            Claim(
                "Figure 3",
                "Three classes in the plane of features 1 and 2.",
                "scatter plot only",
                never("The numbers behind the plot are not given; we drew our own."),
            )
        ]
        for where, names in FIGURES.items():
            for name in names:
                claims += [
                    Claim(
                        where,
                        f"{name} gives feature 1 the largest weight.",
                        "curves only",
                        _first(name),
                        "it is so in more than nine of ten draws, with directed "
                        "differences",
                    ),
                    Claim(
                        where,
                        f"{name} gives irrelevant features much smaller weights than "
                        f"{RIVALS[name]}.",
                        "curves only",
                        _smaller(name),
                        "their mean weight, on a scale from 0 to 1, is less than half "
                        f"of {RIVALS[name]}'s",
                    ),
                ]
        return claims

    def tables(self, results: Results) -> Sequence[Table]:
        """How often feature 1 is first, and the mean weights."""
        rows = []
        for name in (*METHODS, *READINGS, *SIGNED.values(), RANDOM):
            mine = [row[name] for row in results]
            columns = [np.mean([m[what] for m in mine]) for what in _WEIGHTS]
            first = sum(m["first"] == 1 for m in mine)
            rows.append(
                [name, f"{first} of {len(mine)}", *(f"{v:.2f}" for v in columns)]
            )
        header = [
            "method",
            "feature 1 is first",
            "feature 1",
            "feature 2",
            "mean of the others",
            "largest of the others",
        ]
        return [Table("Mean weights over all sizes and draws", header, rows)]

    def figures(self, results: Results) -> Sequence[Figure]:
        """Figures 4 and 5: weights against the size."""
        found = []
        sizes = sorted({row["per_class"] for row in results})
        labels = {
            "one": "feature 1",
            "two": "feature 2",
            "others": "others, mean",
        }
        for where, names in FIGURES.items():
            panels = []
            for name in [n for o in names for n in (RIVALS[o], o, printed(o))]:
                series = []
                for what, label in labels.items():
                    means = [
                        np.mean([r[name][what] for r in results.where(per_class=n)])
                        for n in sizes
                    ]
                    series.append(Series(label, sizes, means))
                panels.append(Lines(series, "samples per class", "weight", name))
            caption = f"{where}: mean weights in [0, 1]."
            found.append(Figure(where.lower().replace(" ", "-"), caption, panels))
        return found


_WEIGHTS = ("one", "two", "others", "largest")


def _count(results: Results, name: str) -> int:
    return sum(row[name]["first"] == 1 for row in results)


def _first(name: str) -> Callable[[Results], Verdict]:
    def judge(results: Results) -> Verdict:
        n, mine = len(results), _count(results, name)
        rival = RIVALS[name]
        ours = (
            f"Feature 1 is first in {mine} of {n} draws with directed differences, in "
            f"{_count(results, printed(name))} as printed; {rival} "
            f"{_count(results, rival)}, random {_count(results, RANDOM)}"
        )
        if name in SIGNED:
            ours += f"; signed, our default, {_count(results, SIGNED[name])}"
        return judged(mine > 0.9 * n, ours)

    return judge


def _smaller(name: str) -> Callable[[Results], Verdict]:
    def judge(results: Results) -> Verdict:
        def mean(method: str) -> float:
            return float(np.mean([row[method]["others"] for row in results]))

        ours, theirs = mean(name), mean(RIVALS[name])
        text = (
            f"Mean weight {ours:.2f}, {RIVALS[name]} {theirs:.2f}; as printed "
            f"{mean(printed(name)):.2f}, random {mean(RANDOM):.2f}"
        )
        return judged(ours < theirs / 2, text)

    return judge
