"""What the paper says of figures 4 to 7 and section 5.2, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evidence.framework.results import NoResults, Results
from evidence.framework.verdicts import Verdict, judged, with_stand_ins
from evidence.papers.frame import Claim, never
from evidence.papers.splits import (
    RANDOM,
    Paired,
    curves_of,
    of_method,
)

SIZES = (5, 10, 20, 30, 50, 70, 100, 150, 200, 300, 400, 500, 700, 850, 1024)
# The paper's 100, 500 and 1000 of 5100 pixels, as shares of 1024.
SHARES = (20, 100, 200)
SETS = {"yaleb_32x32": "YaleB", "pie_32x32_10p": "PIE"}
OTHERS = ("Relief", "Infogain")
STAND_IN = "YaleB and PIE stand in for AR"
STAND_INS_CHANGED = (
    "2026-11-18: until then a claim counted as refuted where the stand-ins spoke "
    "against it, which they cannot do"
)
FEW = 50  # pixels at which Simba should be better, at most
WON_AT = (20, 50, 100, 150, 200)

Array = NDArray[Any]


def claims() -> Sequence[Claim]:
    """What figures 4 to 7 are said to show."""
    found = [
        Claim(
            "Figure 4",
            "Excerpts of the AR faces.",
            "",
            never("Pictures of a data set that is not public; it claims nothing."),
        )
    ]
    for other in OTHERS:
        found += [
            Claim(
                "Figure 5",
                f"Simba beats {other}, above all with few features.",
                "curves only",
                _beats(other),
                "in each task Simba is clearly better (by more than two standard "
                "errors of the paired differences) at more sizes than it is "
                f"clearly worse, and at one of at most {FEW} pixels",
                changed=STAND_INS_CHANGED,
            ),
            Claim(
                "Figure 6",
                "With fewer than 1000 of 5100 features Simba beats "
                f"{other} in more than 90 % of the splits.",
                "> 90 % of 20 splits",
                _wins(other),
                "in each task Simba wins more than 90 % of the splits with "
                f"{_listed(WON_AT)} pixels; 1000 of 5100 are {SHARES[-1]} of 1024",
                changed=STAND_INS_CHANGED,
            ),
        ]
    return [
        *found,
        Claim(
            "Section 5.2",
            "A fifth of the features, chosen by Simba, beats all features.",
            "92.8 % against 91.5 %",
            _beats_all,
            f"in each task the mean accuracy with {SHARES[-1]} of 1024 pixels is "
            "higher, and more splits are won than lost",
            "it is higher by more than two standard errors of the paired differences",
            STAND_INS_CHANGED,
        ),
        Claim(
            "Figure 7",
            "Relief chooses pixels in a left-right symmetric fashion, Simba mostly "
            "on one side.",
            "maps only",
            _sides,
            f"in each task, of the best {SHARES[1]} pixels, Relief's have their "
            "mirror image chosen more often than Simba's, and Simba's have a "
            "larger share on one side",
            changed=STAND_INS_CHANGED,
        ),
        Claim(
            "Figure 7",
            "Relief's pixels are highly correlated with each other, more than Simba's.",
            "maps only",
            _correlated,
            f"in each task the mean |r| of two of the best {SHARES[1]} pixels is "
            "higher for Relief",
            changed=STAND_INS_CHANGED,
        ),
    ]


def parts(results: Results) -> list[tuple[str, Results]]:
    """The readings there are, with their names."""
    found = [
        (f"{label}, {task}", results.where(data=name, task=task))
        for name, label in SETS.items()
        for task in ("person", "group")
        if results.has(data=name, task=task)
    ]
    if not found:
        raise NoResults("data yaleb_32x32")
    return found


def at(results: Results, name: str, k: int) -> Array:
    """Accuracy of each split with the best k pixels."""
    return curves_of(results, name)[:, SIZES.index(k)]


def _beats(other: str) -> Callable[[Results], Verdict]:
    def judge(results: Results) -> Verdict:
        texts, holds = [], []
        for label, part in parts(results):
            won: list[int] = []
            lost: list[int] = []
            for k in SIZES[1:-1]:
                paired = Paired.of(at(part, "Simba", k), at(part, other, k))
                if paired.clear and paired.better:
                    won.append(k)
                elif Paired.of(at(part, other, k), at(part, "Simba", k)).clear:
                    lost.append(k)
            holds.append(len(won) > len(lost) and bool(won) and min(won) <= FEW)
            better, worse = _spans(won), _spans(lost)
            texts.append(f"{label}: {better}; {worse} ({len(part)} splits)")
        ours = f"Pixels with which it is clearly better; worse. {'. '.join(texts)}"
        return with_stand_ins(judged(all(holds), ours), STAND_IN)

    return judge


def _wins(other: str) -> Callable[[Results], Verdict]:
    def judge(results: Results) -> Verdict:
        texts, holds = [], []
        for label, part in parts(results):
            cells = []
            for k in WON_AT:
                p = Paired.of(at(part, "Simba", k), at(part, other, k))
                holds.append(p.wins > 0.9 * p.n)
                cells.append(f"{p.wins}:{p.losses}")
            texts.append(f"{label} {', '.join(cells)}")
        ours = f"Splits won:lost with {_listed(WON_AT)} pixels: {'; '.join(texts)}"
        return with_stand_ins(judged(all(holds), ours), STAND_IN)

    return judge


def _beats_all(results: Results) -> Verdict:
    texts, holds, clear = [], [], []
    for label, part in parts(results):
        k = SHARES[-1]
        p = Paired.of(at(part, "Simba", k), at(part, "Simba", 1024))
        r = Paired.of(at(part, RANDOM, k), at(part, RANDOM, 1024))
        holds.append(p.better)
        clear.append(p.clear)
        texts.append(f"{label}: {p.short}, {r.short}")
    what = "Points above all pixels, and of a random fifth"
    found = judged(all(holds), f"{what}. {'; '.join(texts)}", honest=all(clear))
    return with_stand_ins(found, STAND_IN)


def _sides(results: Results) -> Verdict:
    texts, holds = [], []
    for label, part in parts(results):
        m = {
            n: np.mean(of_method(part, n, "mirrored"))
            for n in ("Simba", "Relief", RANDOM)
        }
        s = {n: np.mean(of_method(part, n, "one_side")) for n in m}
        holds.append(m["Relief"] > m["Simba"] and s["Simba"] > s["Relief"])
        shares = ", ".join(f"{n} {100 * m[n]:.0f} %/{100 * s[n]:.0f} %" for n in m)
        texts.append(f"{label}: {shares}")
    what = "Share whose mirror image is chosen, too/share on one side"
    ours = f"{what}. {'; '.join(texts)}"
    return with_stand_ins(judged(all(holds), ours), STAND_IN)


def _correlated(results: Results) -> Verdict:
    texts, holds = [], []
    for label, part in parts(results):
        r = {n: of_method(part, n, "correlation") for n in ("Simba", "Relief", RANDOM)}
        holds.append(bool(np.mean(r["Relief"]) > np.mean(r["Simba"])))
        means = ", ".join(f"{n} {np.mean(v):.2f}" for n, v in r.items())
        texts.append(f"{label}: {means}")
    ours = "Mean |r|. " + "; ".join(texts)
    return with_stand_ins(judged(all(holds), ours), STAND_IN)


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes))


def _spans(sizes: Sequence[int]) -> str:
    """Some of the sizes, neighbouring ones together."""
    runs: list[list[int]] = []
    for k in sizes:
        if runs and SIZES.index(k) == SIZES.index(runs[-1][-1]) + 1:
            runs[-1].append(k)
        else:
            runs.append([k])
    texts = [f"{r[0]} to {r[-1]}" if len(r) > 1 else f"{r[0]}" for r in runs]
    return ", ".join(texts) or "none"
