"""Write docs/study.md and its pictures from what is stored.

python benchmarks/study/page.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from truth.formats import table
from truth.store import Store

from study import analysis
from study.analysis import CLASSIFIERS, Ranks
from study.run import KS, RESULTS
from study.tables import SIZES
from study.ways import OTHERS, WAYS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PICTURES = DOCS / "pictures"
SHOWN = 10  # features for which mean ranks are drawn
NAMES = {"1-NN": "1-NN", "logistic": "logistic regression", "boosting": "boosting"}

INTRODUCTION = """\
# Which method wins where

{n_tables} public tables ({names}), {splits}. On two thirds of the rows every method
ranks the features, with its defaults; the best k are handed to a classifier, which is
judged on the other third. Tables are the units: splits are averaged first. Large tables
take part with some of their rows (`benchmarks/study/tables.py`). With few tables and
few splits, most mean ranks cannot be told apart: read the critical differences first.

Written by `python benchmarks/study/page.py` from the results in
`benchmarks/study/results`, measured by

    python benchmarks/study/run.py --data DIR

which goes on where it was stopped.
"""


def stored() -> list[dict[str, Any]]:
    """All results."""
    return [row for name in SIZES for row in Store(name, RESULTS).rows()]


def compared(rows: list[dict[str, Any]]) -> list[str]:
    """The methods that have results on most of the tables."""
    tables = {way: {row["table"] for row in rows if row["way"] == way} for way in WAYS}
    most = max(map(len, tables.values()))
    return [way for way, of in tables.items() if 2 * len(of) > most]


def page(rows: list[dict[str, Any]]) -> str:
    """The page in Markdown."""
    ways = compared(rows)
    whole = analysis.complete(rows, ways)
    tables = [name for name in SIZES if any(row["table"] == name for row in whole)]
    counts = [len({r["split"] for r in whole if r["table"] == t}) for t in tables]
    splits = f"{min(counts)} to {max(counts)} random splits of each"
    if min(counts) == max(counts):
        splits = f"{counts[0]} random split{'s' * (counts[0] > 1)} of each"
    parts = [
        INTRODUCTION.format(
            n_tables=len(tables), names=", ".join(tables), splits=splits
        ),
        "## Mean ranks\n",
        _ranks_section(whole, ways),
        "## What it costs, and how steady it is\n",
        _cost_table(whole, ways),
        "## Table by table\n",
        _by_table(whole, ways, tables),
    ]
    if "AutoSelector" in ways:
        parts += ["## `AutoSelector` against each other way\n", _duels(whole, ways)]
    return "\n".join(parts)


def _ranks_section(rows: list[dict[str, Any]], ways: list[str]) -> str:
    text = []
    for classifier in CLASSIFIERS:
        found = analysis.ranks(rows, ways, classifier, SHOWN)
        best = [found.ways[i] for i in np.argsort(found.mean)[:3]]
        text.append(
            f"### {NAMES[classifier]}\n\n"
            f"![Mean ranks, {NAMES[classifier]}](pictures/{_picture(classifier)})\n\n"
            f"Over {found.n_tables} tables; best: {', '.join(best)}. Friedman's test "
            f"that all are alike: p = {found.p:.2g}. Mean ranks that differ by less "
            f"than {found.critical:.1f} cannot be told apart (Nemenyi, 5 %).\n"
        )
    head = ["method"]
    head += [f"{NAMES[c]}, k = {k}" for c in CLASSIFIERS for k in KS]
    found = [analysis.ranks(rows, ways, c, k) for c in CLASSIFIERS for k in KS]
    order = np.argsort(np.mean([r.mean for r in found], axis=0))
    lines = [
        [ways[w], *(f"{r.mean[w]:.1f} ({100 * r.accuracy[w]:.1f})" for r in found)]
        for w in order
    ]
    return "\n".join(text) + (
        "\nMean rank (mean accuracy in per cent), best first by the mean of all "
        "columns:\n\n" + table(head, lines)
    )


def _cost_table(rows: list[dict[str, Any]], ways: list[str]) -> str:
    lines = []
    for way in ways:
        steady = analysis.stability(rows, way, SHOWN)
        lines.append(
            [
                way,
                f"{analysis.mean_over_tables(rows, way, 'seconds'):.2f}",
                "–" if np.isnan(steady) else f"{steady:.2f}",
                f"{analysis.mean_over_tables(rows, way, 'similarity'):.2f}",
            ]
        )
    return (
        "Processor seconds of the ranking (mean over tables); agreement of the best "
        f"{SHOWN} between splits beyond chance (1: the same features); mean of the "
        "largest |r| of a chosen feature with another chosen one.\n\n"
        + table(["method", "seconds", "stability", "similarity"], lines)
    )


def _duels(rows: list[dict[str, Any]], ways: list[str]) -> str:
    lines = []
    for other in ways:
        if other == "AutoSelector" or other not in {*OTHERS, "ReliefF", "MRMR", "LMBA"}:
            continue
        cells = [other]
        for classifier in CLASSIFIERS:
            won, lost, mean = analysis.wins(
                rows, "AutoSelector", other, classifier, SHOWN
            )
            cells.append(f"{won} : {lost}, {100 * mean:+.1f}")
        lines.append(cells)
    return (
        f"Tables won : lost with {SHOWN} features, and the mean difference in "
        "points.\n\n" + table(["against", *NAMES.values()], lines)
    )


def _by_table(rows: list[dict[str, Any]], ways: list[str], tables: list[str]) -> str:
    lines = []
    for name in tables:
        mine = [row for row in rows if row["table"] == name]
        d = mine[0]["n_features"]
        k = SHOWN if str(SHOWN) in mine[0] else max(k for k in KS if str(k) in mine[0])
        cells = [f"{name} (d = {d}, k = {k})"]
        for classifier in CLASSIFIERS:
            (values,) = analysis.accuracies(mine, ways, classifier, k)
            best = int(np.argmax(values))
            cells.append(f"{ways[best]} {100 * values[best]:.1f}")
        lines.append(cells)
    return "The best way, and its accuracy in per cent.\n\n" + table(
        ["table", *NAMES.values()], lines
    )


def draw(found: Ranks, title: str, path: Path) -> None:
    """Mean ranks as bars, and what cannot be told apart from the best."""
    order = np.argsort(-found.mean)
    colors = ["#8a8f98" if found.ways[w] in OTHERS else "#2f6f9f" for w in order]
    figure, axes = plt.subplots(figsize=(7, 0.24 * len(order) + 1), dpi=110)
    axes.barh(range(len(order)), found.mean[order], color=colors)
    axes.set_yticks(range(len(order)), [found.ways[w] for w in order], fontsize=8)
    axes.axvline(found.mean.min() + found.critical, color="#b03a2e", lw=1, ls="--")
    axes.set_xlabel("mean rank, 1 is best; left of the dashed line: not told apart")
    axes.set_title(title, fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)


def _picture(classifier: str) -> str:
    return f"study-{classifier.lower()}.png"


def main() -> None:
    """Write the page, and draw its pictures."""
    rows = stored()
    (DOCS / "study.md").write_text(page(rows), encoding="utf-8")
    ways = compared(rows)
    for classifier in CLASSIFIERS:
        found = analysis.ranks(rows, ways, classifier, SHOWN)
        title = f"{NAMES[classifier]}, best {SHOWN} features"
        draw(found, title, PICTURES / _picture(classifier))


if __name__ == "__main__":
    main()
