"""What the paper says of table 1 and figure 1, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from evidence.framework.results import Results
from evidence.framework.verdicts import Verdict, judged
from evidence.papers.frame import Claim
from evidence.papers.frll.methods import BASELINES, FRLLS, METHODS, SIZES
from evidence.papers.frll.numbers import curves, honest_machine, honest_of, mean_of
from evidence.papers.splits import RANDOM, Paired, signed

TABLE_1 = {"Yale": (1024, 165, 15), "YaleB": (1024, 150, 10), "PIE": (1024, 150, 10)}
FEW = 20  # "very few features", at most


def claims() -> Sequence[Claim]:
    """What the text says of figure 1."""
    where, curve = "Figure 1", "curves only"
    best = {"Yale": "FRLL-Q", "YaleB": "FRLL-Q", "PIE": "FRLL-D"}
    return [
        Claim(
            "Table 1",
            "Features, samples and classes of Yale, YaleB, PIE.",
            "1024, 165, 15; 1024, 150, 10; 1024, 150, 10",
            _shapes,
            "our samples have these numbers",
        ),
        *(
            Claim(
                where,
                f"1-NN on {name}: the best accuracy is reached with {method}.",
                curve,
                _best(name, method),
                "its mean curve has the highest point of all",
            )
            for name, method in best.items()
        ),
        Claim(
            where,
            "1-NN: overall, FRLL-Q and FRLL-D are more accurate than the others.",
            curve,
            _overall,
            "on each set both have a higher mean of the curve than each other method, "
            "by more than two standard errors of the paired differences",
        ),
        Claim(
            where,
            "1-NN: curves rise and then fall; irrelevant features do harm.",
            curve,
            _rise_and_fall,
            "on each set both curves fall by more than a point from their highest "
            "point to all features; some fall is to be expected, since the highest "
            "point is chosen on the test rows",
        ),
        Claim(
            where,
            "With very few features mRMR is comparable or a little better.",
            curve,
            _few,
            f"with 5 to {FEW} features the better mRMR is on average at most two "
            "points behind the better FRLL, on each set",
        ),
        Claim(
            where,
            "Linear SVM: FRLL stands out on Yale, less so on YaleB and PIE.",
            curve,
            _machine,
            "the better FRLL is better than the best other method on Yale, and by more "
            "than on YaleB and PIE (means of the curves, cost chosen on test folds)",
        ),
    ]


def _shapes(results: Results) -> Verdict:
    seen = {name: results.where(data=name).rows[0]["shape"] for name in TABLE_1}
    same = all(tuple(seen[name]) == TABLE_1[name] for name in TABLE_1)
    text = "; ".join(", ".join(map(str, shape)) for shape in seen.values())
    why = "By construction: that many people and images are drawn"
    return judged(same, text, why)


def _best(name: str, method: str) -> Callable[[Results], Verdict]:
    def judge(results: Results) -> Verdict:
        peaks = {m: 100 * curves(results, name, m).mean(axis=0).max() for m in METHODS}
        best = max(peaks, key=peaks.__getitem__)
        rival = max((m for m in METHODS if m != method), key=peaks.__getitem__)
        control = 100 * curves(results, name, RANDOM).mean(axis=0).max()
        pair = Paired.of(
            honest_of(results, name, method), honest_of(results, name, rival)
        )
        ours = (
            f"Highest points: {method} {peaks[method]:.1f}, {rival} "
            f"{peaks[rival]:.1f}, random {control:.1f}. With an honest k, {method} "
            f"against {rival}: {pair} ({pair.n} folds)"
        )
        return judged(best == method, ours)

    return judge


def _overall(results: Results) -> Verdict:
    lost, control = [], []
    for name in TABLE_1:
        means = {m: mean_of(results, name, m) for m in (*METHODS, RANDOM)}
        pairs = {
            (m, b): Paired.of(means[m], means[b]) for m in FRLLS for b in BASELINES
        }
        lost += [
            f"{name}, {m} against {b} {signed(100 * pair.mean)} "
            f"({pair.wins}:{pair.losses})"
            for (m, b), pair in pairs.items()
            if not pair.clear
        ]
        control.append(f"{name} {Paired.of(means['FRLL-Q'], means[RANDOM])}")
    ours = "; ".join(lost) or "Both are better than each baseline on each set"
    ours = f"Not better (points, folds won:lost): {ours}" if lost else ours
    return judged(not lost, ours, f"FRLL-Q against random: {'; '.join(control)}")


def _rise_and_fall(results: Results) -> Verdict:
    ours, falls = [], []
    for name in TABLE_1:
        for method in FRLLS:
            mine = curves(results, name, method)
            best = int(np.argmax(mine.mean(axis=0)))
            fall = Paired.of(mine[:, best].tolist(), mine[:, -1].tolist())
            falls.append(fall.better and best < len(SIZES) - 1 and fall.mean > 0.01)
            ours.append(f"{name}, {method} {fall}")
    return judged(all(falls), f"Fall of {'; '.join(ours)}")


def _few(results: Results) -> Verdict:
    sizes, ours, good = np.array(SIZES) <= FEW, [], []
    for name in TABLE_1:
        frll = max(
            FRLLS, key=lambda m: float(curves(results, name, m)[:, sizes].mean())
        )
        mrmr = max(
            BASELINES[3:],
            key=lambda m: float(curves(results, name, m)[:, sizes].mean()),
        )
        first = curves(results, name, mrmr)[:, sizes].mean(axis=1)
        second = curves(results, name, frll)[:, sizes].mean(axis=1)
        pair = Paired.of(first.tolist(), second.tolist())
        good.append(pair.mean > -0.02)
        ours.append(f"{name}: {mrmr} against {frll} {pair}")
    return judged(all(good), "; ".join(ours))


def _machine(results: Results) -> Verdict:
    gains, ours = {}, []
    for name in TABLE_1:
        means = {m: float(np.mean(mean_of(results, name, m, "svm"))) for m in METHODS}
        frll = max(FRLLS, key=means.__getitem__)
        rival = max(BASELINES, key=means.__getitem__)
        pair = Paired.of(
            mean_of(results, name, frll, "svm"), mean_of(results, name, rival, "svm")
        )
        fixed = Paired.of(
            honest_machine(results, name, frll),
            honest_machine(results, name, rival),
        )
        gains[name] = pair
        ours.append(f"{name}: {frll} against {rival} {pair}; with cost 1 {fixed}")
    others = max(gains["YaleB"].mean, gains["PIE"].mean)
    good = gains["Yale"].better and gains["Yale"].mean > others
    return judged(good, "; ".join(ours))
