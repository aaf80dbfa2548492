"""Figures 1 to 3: the xor problem, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.algorithms.relief import Relief
from widemargin.algorithms.simba import Simba
from widemargin.datasets import make_xor
from widemargin.margin import evaluation
from widemargin.papers.drawing import Bars, Figure, Lines, Series
from widemargin.papers.frame import (
    Case,
    Claim,
    Data,
    Experiment,
    Finding,
    Result,
    Results,
    Table,
    judged,
)

N_RELEVANT = 3
STEPS = tuple(range(10, 1001, 10))
SCATTER_FROM = 150  # the step from which the paper draws figure 3
NEAR_ONE, NEAR_ZERO = 0.7, 0.1  # what counts as "near 1" and "near 0"

Array = NDArray[Any]


def angle(w: Array) -> float:
    """Angle between a weight vector and the correct one, in radians."""
    right = np.zeros(len(w))
    right[:N_RELEVANT] = 1 / np.sqrt(N_RELEVANT)
    size = np.linalg.norm(w)
    if not size:
        return float(np.pi / 2)
    return float(np.arccos(np.clip(w @ right / size, -1.0, 1.0)))


def unit(w: Array) -> Array:
    """Weights with the largest at 1."""
    return w / w.max() if w.max() > 0 else w


class Xor(Experiment):
    """The class is the parity of three of ten features."""

    key = "xor"
    covers = ("Figure 1", "Figure 2", "Figure 3")
    title = "The xor problem"
    how = (
        "1000 points, 10 features uniform on [-1, 1], the class is the parity of the "
        "signs of the first three. Simba (one start, features not scaled) and Relief "
        "with the paper's squared update visit the same rows in the same random order. "
        "After every tenth of 1000 steps we note e(w), with w scaled to max w² = 1 and "
        "Relief's negative weights taken as 0, and the angle between w and the correct "
        "vector. As the paper normalises w to w² / max w² at the end, figure 2 shows "
        "squared weights of Simba. The control is a vector of random weights."
    )

    def cases(self, quick: bool) -> Sequence[Case]:
        """One draw of the problem for each seed."""
        return [{"seed": seed, "quick": quick} for seed in range(2 if quick else 10)]

    def run(self, case: Case, data: Data) -> Result:
        """Follow both methods step by step."""
        n = 200 if case["quick"] else 1000
        X, y = make_xor(n, random_state=case["seed"])
        random = np.random.default_rng(case["seed"])
        order = random.permutation(n)
        steps = [t for t in STEPS if t <= n]
        at = np.array(steps) - 1
        simba = Simba(order=order, history="step", scale=None).fit(X, y)
        relief = Relief(order=order, history="step", squared=True, scale=None)
        path = {
            "Simba": np.abs(simba.weights_history_[0, at]),
            "Relief": np.maximum(relief.fit(X, y).weights_history_[at], 0.0),
            "random": random.uniform(size=(len(at), X.shape[1])),
        }
        found: Result = {"steps": steps, "right": _e(X, y, _right())}
        for name, weights in path.items():
            e = (
                simba.history_[0, at]
                if name == "Simba"
                else [_e(X, y, unit(w)) for w in weights]
            )
            power = 2 if name == "Simba" else 1
            found[name] = {
                "e": e,
                "angle": [angle(w) for w in weights],
                "at_100": unit(weights[at.searchsorted(99)] ** power),
                "at_500": unit(weights[at.searchsorted(min(499, at[-1]))] ** power),
            }
        late = at >= min(SCATTER_FROM, n // 2) - 1
        angles = np.array(found["Simba"]["angle"])[late]
        found["correlation"] = np.corrcoef(simba.history_[0, at][late], angles)[0, 1]
        return found

    def claims(self) -> Sequence[Claim]:
        """What figures 1 to 3 are said to show."""
        return [
            Claim(
                "Figure 1",
                "Simba reaches the margin of the correct weights; the angle to them "
                "falls.",
                "curve only",
                _reaches,
            ),
            Claim(
                "Figure 1",
                "Simba outperforms Relief: its margin is higher and its angle smaller.",
                "curves only",
                _outperforms,
            ),
            Claim(
                "Figure 2",
                "After 500 steps Simba's weights are near 1 on the three relevant "
                "features and near 0 on the others.",
                "bars only",
                _near,
            ),
            Claim(
                "Figure 2",
                "Simba outperforms Relief significantly: its weights after 500 steps "
                "are nearer to the correct ones.",
                "bars only",
                _nearer,
            ),
            Claim(
                "Figure 3",
                "Margin and angle are linearly related, in steps 150 to 1000.",
                "scatter plot only",
                _linear,
            ),
        ]

    def tables(self, results: Results) -> Sequence[Table]:
        """The weights of figure 2 as numbers."""
        rows = []
        for name in ("Simba", "Relief", "random"):
            for what, step in (("at_100", 100), ("at_500", 500)):
                w = np.array([row[name][what] for row in results])
                rows.append(
                    [
                        name,
                        step,
                        _spread(w[:, :N_RELEVANT]),
                        _spread(w[:, N_RELEVANT:]),
                        _spread(w[:, N_RELEVANT:].max(axis=1)),
                    ]
                )
        header = ["method", "steps", "relevant", "others", "largest of the others"]
        note = f"Mean ± standard deviation over {len(results)} draws; largest weight 1."
        return [Table("Weights", header, rows, note)]

    def figures(self, results: Results) -> Sequence[Figure]:
        """Figures 1 to 3, the curves and bars averaged over the draws."""
        first = results.rows[0]
        names = ("Simba", "Relief", "random")
        steps = first["steps"]
        margin = [_series(results, name, "e", steps) for name in names]
        right = float(np.mean(results.values("right")))
        margin.append(Series("correct weights", steps, [right] * len(steps)))
        angles = [_series(results, name, "angle", steps) for name in names]
        bars = [
            Bars(
                [str(f) for f in range(1, 11)],
                np.mean([row[name][what] for row in results], axis=0),
                np.std([row[name][what] for row in results], axis=0),
                "feature",
                "weight",
                f"{name}, {step} steps",
            )
            for name in ("Simba", "Relief")
            for what, step in (("at_100", 100), ("at_500", 500))
        ]
        late = np.array(steps) >= min(SCATTER_FROM, steps[-1] // 2)
        e, a = (np.array(first["Simba"][what])[late] for what in ("e", "angle"))
        scatter = Lines(
            [Series("", e, a, points=True)], "margin e(w)", "angle (radians)"
        )
        n = len(results)
        return [
            Figure(
                "figure-1",
                f"Figure 1: margin and angle by step, mean ± standard deviation of {n} "
                "draws.",
                [
                    Lines(margin, "step", "e(w)", "Margin"),
                    Lines(angles, "step", "radians", "Angle to the correct weights"),
                ],
            ),
            Figure("figure-2", f"Figure 2: weights, mean of {n} draws.", bars),
            Figure(
                "figure-3",
                "Figure 3: angle against margin, Simba, steps 150 to 1000, first draw.",
                [scatter],
            ),
        ]


def _right() -> Array:
    w = np.zeros(10)
    w[:N_RELEVANT] = 1.0
    return w


def _e(X: Array, y: Array, w: Array) -> float:
    return float(evaluation(X, y, w)) if w.any() else 0.0


def _series(results: Results, name: str, what: str, steps: Sequence[int]) -> Series:
    curves = np.array([row[name][what] for row in results])
    return Series(
        name, steps, curves.mean(axis=0), curves.std(axis=0), control=name == "random"
    )


def _spread(values: Array) -> str:
    return f"{np.mean(values):.2f} ± {np.std(values):.2f}"


def _last(results: Results, name: str, what: str) -> Array:
    return np.array([row[name][what][-1] for row in results])


def _reaches(results: Results) -> Finding:
    share = _last(results, "Simba", "e") / np.array(results.values("right"))
    angles = _last(results, "Simba", "angle")
    begin = np.array([row["Simba"]["angle"][0] for row in results])
    ours = (
        f"e(w) at the end is {_spread(share)} of that of the correct weights, the "
        f"angle falls from {_spread(begin)} to {_spread(angles)} ({len(results)} draws)"
    )
    return judged(bool((share > 0.95).all() and (angles < begin).all()), ours)


def _outperforms(results: Results) -> Finding:
    e = _last(results, "Simba", "e"), _last(results, "Relief", "e")
    a = _last(results, "Simba", "angle"), _last(results, "Relief", "angle")
    better = int(np.sum((e[0] > e[1]) & (a[0] < a[1])))
    ours = (
        f"both in {better} of {len(results)} draws: e {e[0].mean():.1f} against "
        f"{e[1].mean():.1f}, angle {a[0].mean():.2f} against {a[1].mean():.2f} "
        f"(random weights {_last(results, 'random', 'angle').mean():.2f})"
    )
    return judged(better > 0.9 * len(results), ours)


def _near(results: Results) -> Finding:
    w = np.array([row["Simba"]["at_500"] for row in results])
    relevant, others = w[:, :N_RELEVANT], w[:, N_RELEVANT:]
    good = (relevant.mean(axis=1) > NEAR_ONE) & (others.mean(axis=1) < NEAR_ZERO)
    ours = f"relevant {_spread(relevant)}, others {_spread(others)} ({len(w)} draws)"
    why = (
        f"Near means a mean above {NEAR_ONE} and below {NEAR_ZERO}, which is so in "
        f"{int(good.sum())} of {len(w)} draws."
    )
    return judged(bool(good.mean() > 0.9), ours, why)


def _nearer(results: Results) -> Finding:
    gaps = {
        name: np.array(
            [
                np.linalg.norm(np.array(row[name]["at_500"]) - _right())
                for row in results
            ]
        )
        for name in ("Simba", "Relief", "random")
    }
    wins = int(np.sum(gaps["Simba"] < gaps["Relief"]))
    distances = ", ".join(f"{name} {_spread(gap)}" for name, gap in gaps.items())
    relief = np.array([row["Relief"]["at_500"] for row in results])
    ours = f"distance {distances}; Simba nearer in {wins} of {len(relief)} draws"
    why = (
        "Relief finds the features, too: relevant "
        f"{_spread(relief[:, :N_RELEVANT])}, others {_spread(relief[:, N_RELEVANT:])}."
    )
    return judged(wins > 0.9 * len(relief), ours, why)


def _linear(results: Results) -> Finding:
    r = np.array(results.values("correlation"))
    ours = f"correlation {_spread(r)}, {r.min():.2f} to {r.max():.2f} ({len(r)} draws)"
    why = "We ask for a mean below −0.9; the paper shows one draw."
    return judged(bool(r.mean() < -0.9), ours, why)
