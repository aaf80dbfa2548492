"""The numbers of the first paragraphs of docs/study.md, and of docs/which-method.md."""

from __future__ import annotations

import numpy as np
from truth.formats import table

from study import analysis
from study.analysis import Rows
from study.judge import CLASSIFIERS
from study.tables import GROUPS, SIZES
from study.ways import WAYS

NAMES = {"1-NN": "1-NN", "logistic": "logistic regression", "boosting": "boosting"}
FOREST = "forest importance"
SUMMARY = (
    *("MultiSURF, redundancy auto", "AutoSelector", "RFE", "MRMR"),
    *("forest, redundancy auto", "ReliefF, redundancy auto", "L1", "MultiSURF"),
    *("ReliefF", "F-test"),
)


def figures(rows: Rows) -> dict[str, str]:
    """The numbers of the first paragraphs."""
    best, names = "MultiSURF, redundancy auto", (*GROUPS,)
    parts = {g: [r for r in rows if r["table"] in of] for g, of in GROUPS.items()}
    narrow, wide, madelon = (parts[names[i]] for i in (0, 2, 3))
    times = [analysis.mean_over_tables(rows, w, "seconds") for w in (best, FOREST)]
    found = [analysis.ranks(rows, [*WAYS], c).accuracy for c in CLASSIFIERS]
    mean = dict(zip(WAYS, np.mean(found, axis=0), strict=True))
    poor = [w for w in WAYS if w != "random" and mean[w] < mean["random"] + 0.01]
    return {
        "nn": _points(analysis.duel(rows, best, FOREST, "1-NN").mean),
        "lr": _points(analysis.duel(rows, best, FOREST, "logistic").mean),
        "gb": _points(analysis.duel(rows, best, FOREST, "boosting").mean),
        "time": f"{100 * times[0] / times[1]:.0f} %",
        "madelon": _points(gain(madelon, best, FOREST)),
        "madelon_rfe": _ahead(gain(madelon, "RFE", FOREST)),
        "madelon_mrmr": _ahead(gain(madelon, "MRMR", FOREST)),
        "madelon_l1": _ahead(gain(madelon, "L1", FOREST)),
        "above": "; ".join(_above(rows)) or "none of them",
        "multisurf": _points(-gain(rows, "MultiSURF", FOREST)),
        "relieff": _points(-gain(rows, "ReliefF", FOREST)),
        "simba": _points(-gain(rows, "Simba", FOREST)),
        "thinned": _points(gain(rows, best, "MultiSURF")),
        "thinned_relieff": _points(gain(rows, "ReliefF, redundancy auto", "ReliefF")),
        "thinned_forest": _points(gain(rows, "forest, redundancy auto", FOREST)),
        "narrow": _points(max(gain(narrow, way, FOREST) for way in WAYS)),
        "n_narrow": str(len(GROUPS[names[0]])),
        "wide": _points(gain(wide, best, FOREST)),
        "wide_rfe": _points(gain(wide, "RFE", FOREST)),
        "wide_mrmr": _points(gain(wide, "MRMR", FOREST)),
        "random": ", ".join(poor),
    }


def _points(value: float) -> str:
    return f"{100 * value:.1f}"


def signed(value: float) -> str:
    """Points with their sign; none if they round to zero."""
    points = round(100 * value, 1)
    return f"{points:+.1f}" if points else "0.0"


def _ahead(value: float) -> str:
    word = "ahead" if value > 0 else "behind"
    return f"{abs(100 * value):.1f} {word}"


def _above(rows: Rows) -> list[str]:
    """Methods that a test tells from the forest, by classifier."""
    others, found = [way for way in WAYS if way != FOREST], []
    for classifier in CLASSIFIERS:
        duels = [analysis.duel(rows, way, FOREST, classifier) for way in others]
        corrected = analysis.holm([d.p for d in duels])
        better = [
            way
            for way, d, p in zip(others, duels, corrected, strict=True)
            if p < 0.05 and d.mean > 0
        ]
        if better:
            found.append(f"with {NAMES[classifier]} {', '.join(better)}")
    return found


def summary(rows: Rows) -> str:
    """The table of docs/which-method.md."""
    rows = [row for row in rows if row["table"] in SIZES]
    parts = [[r for r in rows if r["table"] in of] for of in GROUPS.values()]
    lines = []
    for way in SUMMARY:
        gains = [analysis.differences(rows, way, FOREST, c).mean() for c in CLASSIFIERS]
        gains += [gain(parts[i], way, FOREST) for i in (0, 2, 3)]
        time = seconds(analysis.mean_over_tables(rows, way, "seconds"))
        lines.append([way, *map(signed, gains), time])
    head = ["selection by", *NAMES.values(), *(f"{[*GROUPS][i]}" for i in (0, 2, 3))]
    return table([*head, "seconds"], lines)


def gain(rows: Rows, way: str, other: str) -> float:
    """Mean difference in accuracy over tables, classifiers and k."""
    return float(
        np.mean([analysis.duel(rows, way, other, c).mean for c in CLASSIFIERS])
    )


def seconds(value: float) -> str:
    """Two digits are enough."""
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"
