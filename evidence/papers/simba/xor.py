"""Figures 1 to 3: the xor problem, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evidence.data import Sets
from evidence.framework.results import Results
from evidence.framework.store import Case, Result
from evidence.framework.verdicts import Verdict, judged
from evidence.papers.drawing import Bars, Figure, Lines, Series
from evidence.papers.frame import Claim, Experiment, Table
from evidence.papers.splits import Paired
from widemargin import Relief, Simba
from widemargin.datasets import make_xor
from widemargin.margin import evaluation

N_RELEVANT = 3
STEPS = tuple(range(10, 1001, 10))
SCATTER_FROM = 150  # the step from which the paper draws figure 3
NEAR_ONE, NEAR_ZERO = 0.7, 0.1  # what counts as "near 1" and "near 0"
NEAR = (
    f"the mean weight of the relevant features is above {NEAR_ONE} and that of the "
    f"others below {NEAR_ZERO}"
)

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
    covers = ("Figure 1", "Figure 2", "Figure 3", "Section 5.1")
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
        return [{"seed": seed, "quick": quick} for seed in range(2 if quick else 40)]

    def measure(self, case: Case, data: Sets) -> Result:
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
        found: Result = {
            "steps": steps,
            "right": _e(X, y, _right()),
            "equal": _e(X, y, np.ones(X.shape[1])),
        }
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
                "on average e(w) ends above 95 % of that of the correct weights and "
                "the angle is smaller at the end than after ten steps",
                "both are so in every draw",
                "2026-11-18: 40 draws in place of 10, in not all of which both are so; "
                "the average, since the paper shows one draw, is judged apart",
            ),
            Claim(
                "Figure 1",
                "Simba outperforms Relief: its margin is higher and its angle smaller.",
                "curves only",
                _outperforms,
                "both are so after 1000 steps in more than nine of ten draws",
            ),
            Claim(
                "Figure 2",
                "After 500 steps Simba's weights are near 1 on the three relevant "
                "features and near 0 on the others.",
                "bars only",
                _near,
                f"in more than nine of ten draws {NEAR}",
            ),
            Claim(
                "Figure 2",
                "Simba outperforms Relief significantly.",
                "bars only",
                _nearer,
                "after 500 steps Simba's weights are nearer to the correct ones in "
                "more than nine of ten draws",
                "the distance is smaller by more than two standard errors",
                "2026-11-18: that Relief's weights are not near the correct ones was "
                "asked before, which the paper does not say",
            ),
            Claim(
                "Figure 3",
                "Margin and angle are linearly related, in steps 150 to 1000.",
                "scatter plot only",
                _linear,
                "the mean correlation is below −0.9 (the paper shows one draw)",
                "it is so in more than nine of ten draws",
                "2026-11-18: 40 draws in place of 10, and one draw, as in the paper, "
                "judged apart from nine of ten; a weaker criterion, used for a time "
                "after the claim had failed, had been withdrawn before",
            ),
            Claim(
                "Section 5.1",
                "Relief increases the margin, too.",
                "",
                _relief_climbs,
                "in every draw e(w) of Relief's weights is higher at the end than "
                "after ten steps, and than that of equal weights",
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


def _reaches(results: Results) -> Verdict:
    share = _last(results, "Simba", "e") / np.array(results.values("right"))
    angles = _last(results, "Simba", "angle")
    begin = np.array([row["Simba"]["angle"][0] for row in results])
    ours = (
        f"At the end e(w) is {_spread(share)} of that of the correct weights; the "
        f"angle falls from {_spread(begin)} to {_spread(angles)} ({len(results)} draws)"
    )
    mean = bool(share.mean() > 0.95 and angles.mean() < begin.mean())
    always = bool((share > 0.95).all() and (angles < begin).all())
    return judged(mean, ours, honest=always)


def _outperforms(results: Results) -> Verdict:
    e = _last(results, "Simba", "e"), _last(results, "Relief", "e")
    a = _last(results, "Simba", "angle"), _last(results, "Relief", "angle")
    better = int(np.sum((e[0] > e[1]) & (a[0] < a[1])))
    ours = (
        f"Both in {better} of {len(results)} draws: e(w) is {e[0].mean():.1f} against "
        f"{e[1].mean():.1f} on average, the angle {a[0].mean():.2f} against "
        f"{a[1].mean():.2f} (random weights: "
        f"{_last(results, 'random', 'angle').mean():.2f})"
    )
    return judged(better > 0.9 * len(results), ours)


def _near(results: Results) -> Verdict:
    near, ours = _near_draws(results, "Simba")
    return judged(near > 0.9 * len(results), ours)


def _nearer(results: Results) -> Verdict:
    near = _near_draws(results, "Relief")[1]
    gaps = {
        name: np.linalg.norm(_at_500(results, name) - _right(), axis=1)
        for name in ("Simba", "Relief", "random")
    }
    closer = Paired.of(gaps["Relief"], gaps["Simba"])
    distances = ", ".join(f"{name} {_spread(gap)}" for name, gap in gaps.items())
    ours = f"Nearer in {closer.wins} of {closer.n} draws (distance: {distances})"
    why = f"Relief finds the relevant features, too: {near[0].lower()}{near[1:]}"
    return judged(closer.wins > 0.9 * closer.n, ours, why, honest=closer.clear)


def _near_draws(results: Results, name: str) -> tuple[int, str]:
    """Draws in which the weights are near the correct ones, and the weights."""
    w = _at_500(results, name)
    relevant, others = w[:, :N_RELEVANT], w[:, N_RELEVANT:]
    good = (relevant.mean(axis=1) > NEAR_ONE) & (others.mean(axis=1) < NEAR_ZERO)
    near = int(good.sum())
    ours = (
        f"Relevant {_spread(relevant)}, others {_spread(others)}; near in {near} of "
        f"{len(w)} draws"
    )
    return near, ours


def _at_500(results: Results, name: str) -> Array:
    return np.array([row[name]["at_500"] for row in results])


def _linear(results: Results) -> Verdict:
    r = np.array(results.values("correlation"))
    strong = int(np.sum(r < -0.9))
    ours = (
        f"Below −0.9 in {strong} of {len(r)} draws, from {r.min():.2f} to "
        f"{r.max():.2f}, {_spread(r)} on average"
    )
    often = strong > 0.9 * len(r)
    return judged(bool(r.mean() < -0.9), ours, honest=often)


def _relief_climbs(results: Results) -> Verdict:
    e, equal = _last(results, "Relief", "e"), np.array(results.values("equal"))
    begin = np.array([row["Relief"]["e"][0] for row in results])
    ours = (
        f"e(w) is {_spread(e)} at the end, {_spread(begin)} after ten steps and "
        f"{_spread(equal)} with equal weights ({len(e)} draws)"
    )
    return judged(bool(((e > begin) & (e > equal)).all()), ours)
