"""What the paper says of tables 1 and 2 and figures 1 to 4, and how it is judged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from evidence.framework.results import Results
from evidence.framework.verdicts import Verdict, by_readings
from evidence.papers.frame import Claim
from evidence.papers.ipcmsr.methods import (
    FIGURES,
    METHODS,
    OURS,
    SETS,
    TABLE_1,
    TABLE_2,
    readings,
)
from evidence.papers.splits import RANDOM, Paired, curves_of, of_method

NEAR = 2.0  # points within which a level counts as reproduced
CLEARLY = (
    "by more than two standard errors of the paired differences (which is generous, "
    "since halves share rows)"
)
CHANGED = (
    "2026-11-18: means alone count as reproduced, as the paper reads them; the two "
    "standard errors that were asked for until then are the second verdict. Glass has "
    "four classes, by seven rules, in place of six"
)
GLASS = "of Glass by each rule for its four classes; undecided if rules disagree"


def claims() -> Sequence[Claim]:
    """Tables 1 and 2, and what the figures are said to show."""
    where = "Table 2"
    orders = (
        (
            "IPCMSR has the highest mean accuracy on all four sets.",
            "64.85, 86.67, 81.49, 81.01",
            [(OURS, m) for m in METHODS[:-1]],
            "",
        ),
        (
            "IPICSR is worse than IPCMSR and better than the other methods.",
            "61.95, 86.25, 79.64, 80.83",
            [(OURS, "IPICSR"), *(("IPICSR", m) for m in METHODS[:3])],
            "In print, Fisher is ahead of IPICSR on Ionosphere and Mushroom",
        ),
        (
            "Pearson correlation is the worst method.",
            "60.89, 85.86, 79.10, 79.65",
            [(m, "Pearson") for m in METHODS if m != "Pearson"],
            "With two classes Pearson and Fisher rank alike. In print, too, the means "
            "of the Laplacian score (Ionosphere, Mushroom) and of the Fisher score "
            "(Sonar) are lower",
        ),
    )
    return [
        Claim(
            "Table 1",
            "Samples, features and classes of Glass, Ionosphere, Mushroom, Sonar.",
            "214 × 9, 4; 351 × 34, 2; 476 × 166, 2; 208 × 60, 2",
            _shapes,
            "all numbers are those of the public sets; it is undecided if only classes "
            "of Glass must be joined",
        ),
        *(_highest(where, name) for where, name in FIGURES.items()),
        *(_level(name) for name in SETS),
        *(
            Claim(
                where,
                text,
                published,
                partial(_ordered, pairs=pairs, why=why),
                f"on each set the means are in this order, {GLASS}",
                f"on each set they are, {CLEARLY}",
                CHANGED,
            )
            for text, published, pairs, why in orders
        ),
    ]


def _shapes(results: Results) -> Verdict:
    shapes = {name: results.where(data=name).rows[0]["shape"] for name in TABLE_1}
    ours = "; ".join(f"{n} × {d}, {classes}" for n, d, classes in shapes.values())
    why = (
        "Glass has 6 classes, not 4: some were joined, by a rule that is not given. "
        "Mushroom has the size of Musk version 1; UCI's Mushroom has 8124 samples of "
        "22 features"
    )
    joined = {**shapes, "Glass": [*shapes["Glass"][:2], 4]}
    readings = (
        all(tuple(mine[name]) == TABLE_1[name] for name in TABLE_1)
        for mine in (shapes, joined)
    )
    return by_readings([(same, None) for same in readings], ours, why)


def paired(results: Results, name: str, first: str, second: str, what: str) -> Paired:
    """Differences of two methods over the halves of a set."""
    mine = results.where(data=name)
    return Paired.of(of_method(mine, first, what), of_method(mine, second, what))


def _highest(where: str, name: str) -> Claim:
    def judge(results: Results) -> Verdict:
        found, texts = [], []
        for reading in readings(name):
            mine = results.where(data=reading)
            peaks = {m: 100 * curves_of(mine, m).mean(axis=0).max() for m in METHODS}
            rival = max(METHODS[:-1], key=peaks.__getitem__)
            control = 100 * curves_of(mine, RANDOM).mean(axis=0).max()
            chosen = {m: np.mean(of_method(mine, m, "honest")) for m in METHODS}
            against = max(METHODS[:-1], key=chosen.__getitem__)
            honest = paired(results, reading, OURS, against, "honest")
            found.append((peaks[OURS] > peaks[rival], honest.clear))
            points = f"{peaks[OURS]:.1f}, {rival} {peaks[rival]:.1f}"
            texts.append(
                f"Highest points {points}, random {control:.1f}; with k chosen on the "
                f"training half, against {against} {honest.short}"
            )
        return by_readings(found, f"{_first_of(found, texts)} ({len(mine)} halves)")

    return Claim(
        where,
        f"IPCMSR achieves the highest test accuracy on {name}.",
        "curves only",
        judge,
        "its mean curve has the highest point of all"
        + (f", {GLASS}" if name == "Glass" else ""),
        f"with k chosen on the training half it is better than all others, {CLEARLY}",
        CHANGED,
    )


def _level(name: str) -> Claim:
    published = TABLE_2[name]

    def judge(results: Results) -> Verdict:
        found, texts = [], []
        for reading in readings(name):
            mine = results.where(data=reading)
            ours = [100 * float(np.mean(of_method(mine, m))) for m in METHODS]
            off = max(abs(a - b) for a, b in zip(ours, published, strict=True))
            control = 100 * float(np.mean(of_method(mine, RANDOM)))
            found.append((off <= NEAR, max(ours) - control > NEAR))
            levels = ", ".join(f"{v:.1f}" for v in ours)
            texts.append(f"{levels}; off by {off:.1f}; random {control:.1f}")
        return by_readings(found, _first_of(found, texts))

    return Claim(
        "Table 2",
        f"Levels on {name}: Laplacian, Pearson, Fisher, IPICSR, IPCMSR.",
        ", ".join(f"{v:.2f}" for v in published),
        judge,
        f"all five are within {NEAR:g} points of the published ones"
        + (f", {GLASS}" if name == "Glass" else ""),
        f"a random ranking is more than {NEAR:g} points below the best method, so that "
        "the levels say something of rankings",
        CHANGED,
    )


def _readings(found: Sequence[tuple[bool, bool]]) -> str:
    """How many readings agree, by each verdict."""
    first, second = (sum(column) for column in zip(*found, strict=True))
    return f"Holds by {first} of {len(found)} rules for Glass, survives by {second}"


def _first_of(found: Sequence[tuple[bool, bool]], texts: Sequence[str]) -> str:
    """The numbers of the first reading, and how many agree if there are several."""
    if len(found) == 1:
        return texts[0]
    return f"{_readings(found)}. By the first: {texts[0][0].lower()}{texts[0][1:]}"


def _ordered(results: Results, pairs: Sequence[tuple[str, str]], why: str) -> Verdict:
    """Whether the first of each pair is better on each set, and where not."""
    found, texts = [], []
    for name in SETS:
        of_set = []
        for reading in readings(name):
            differences = {p: paired(results, reading, *p, "mean") for p in pairs}
            lost = [
                f"{first} to {second} {d.short}"
                for (first, second), d in differences.items()
                if d.mean < 0
            ]
            of_set.append(
                (
                    all(d.mean > 0 for d in differences.values()),
                    all(d.clear for d in differences.values()),
                )
            )
            if lost and name != "Glass":
                texts.append(f"{reading}: {', '.join(lost)}")
        found.append(of_set)
    ours = _readings(found[0])
    ours += f". Behind on {'; '.join(texts)}" if texts else ". Ahead on the other sets"
    # Glass has several readings, the other sets have one, which they all need.
    others = [one for (one,) in found[1:]]
    combined = [
        (all(one[0] for one in of_sets), all(one[1] for one in of_sets))
        for of_sets in ([glass, *others] for glass in found[0])
    ]
    return by_readings(combined, ours, why)
