"""Write docs/study.md and its pictures from what is stored.

python benchmarks/study/page.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from truth.formats import table

from study import analysis, pictures
from study.analysis import Ranks, Rows
from study.figures import FOREST, NAMES, figures, gain, seconds, signed, summary
from study.judge import CLASSIFIERS
from study.run import ASKED, store_of
from study.tables import GROUPS, KS, MADE, SIZES
from study.ways import WAYS
from study.words import HOW, LIMITS, TAKE_AWAY

DOCS = Path(__file__).resolve().parents[2] / "docs"
PICTURES = DOCS / "pictures"
# The most used margin methods, all that people use instead, and the rankings that were
# also run with redundancy="auto".
LINE_UP = (
    *("AutoSelector", "ReliefF", "ReliefF, redundancy auto", "MultiSURF"),
    *("MultiSURF, redundancy auto", "Simba", "LMBA", "FRLL", "MRMR", "F-test"),
    *("FisherScore, redundancy auto", "mutual information", FOREST),
    *("forest, redundancy auto", "permutation importance", "L1", "RFE", "Boruta"),
)
BEGIN, END = "<!-- made by benchmarks/study/page.py -->\n", "<!-- until here -->\n"


def stored() -> Rows:
    """All results."""
    return [row for name in (*SIZES, *MADE) for row in store_of(name).rows()]


def page(rows: Rows) -> str:
    """The page in Markdown."""
    ranked = [row for row in rows if row["table"] in SIZES]
    return "\n".join(
        [
            "# The study: which method wins where\n",
            TAKE_AWAY.format(**figures(ranked)),
            _how(ranked),
            "## Mean ranks with critical differences\n",
            _diagrams(ranked),
            "## All methods: accuracy, stability, redundancy, time\n",
            _everything(ranked),
            "## Against forest importances\n",
            _duels(ranked),
            "## Where they win and where they lose\n",
            _by_group(ranked),
            "### Interactions\n",
            _interactions(rows),
            "## Few features or many\n",
            _by_size(ranked),
            "## Table by table\n",
            _by_table(ranked),
            LIMITS,
        ]
    )


def _how(rows: Rows) -> str:
    tables = {row["table"]: row["n_features"] for row in rows}
    cheap, costly = (_splits(rows, way) for way in ("ReliefF", "AutoSelector"))
    return HOW.format(
        n_tables=len(tables),
        tables=", ".join(f"{name} ({d})" for name, d in tables.items()),
        splits=cheap,
        costly=costly,
        n_ways=len(WAYS),
        asked=ASKED,
    )


def _splits(rows: Rows, way: str) -> str:
    """Splits of a table, as a number or as a range."""
    seen: dict[str, int] = {}
    for row in rows:
        seen[row["table"]] = seen.get(row["table"], 0) + (row["way"] == way)
    least, most = min(seen.values()), max(seen.values())
    return f"{least}" if least == most else f"{least} to {most}"


def _diagrams(rows: Rows) -> str:
    text = [
        "Accuracy is averaged over k and over the splits of a table, and the methods "
        "are ranked on each table. Margin methods are blue, all others orange, and "
        "`AutoSelector`, which tries both, green.\n"
    ]
    for classifier in CLASSIFIERS:
        found, name = analysis.ranks(rows, LINE_UP, classifier), NAMES[classifier]
        best = int(np.argmin(found.mean))
        close = int((found.mean <= found.mean[best] + found.critical).sum()) - 1
        text.append(
            f"### {name[0].upper() + name[1:]}\n\n"
            f"![Mean ranks, {name}](pictures/{_picture(classifier)})\n\n"
            f"Best mean rank: {found.ways[best]}, {found.mean[best]:.1f}. {close} of "
            f"the other {len(found.ways) - 1} methods are not significantly different "
            "from it (Nemenyi test, 5 %). Friedman test of no difference at all: "
            f"p = {found.p:.1g}.\n"
        )
    return "\n".join(text)


def _everything(rows: Rows) -> str:
    found = {c: analysis.ranks(rows, [*WAYS], c) for c in CLASSIFIERS}
    overall = np.mean([r.mean for r in found.values()], axis=0)
    lines = []
    for w in np.argsort(overall, kind="stable"):
        way = [*WAYS][w]
        ranked = [r.mean[w] for r in found.values()]
        scored = [100 * r.accuracy[w] for r in found.values()]
        lines.append(
            [
                f"**{way}**" if way in LINE_UP else way,
                *(f"{value:.1f}" for value in (*ranked, *scored)),
                f"{analysis.stability(rows, way, ASKED):.2f}",
                f"{analysis.mean_over_tables(rows, way, 'redundancy'):.2f}",
                seconds(analysis.mean_over_tables(rows, way, "seconds")),
            ]
        )
    head = ["method", *(f"rank {c}" for c in CLASSIFIERS)]
    head += [f"% {c}" for c in CLASSIFIERS]
    critical = found["1-NN"].critical
    return (
        f"All {len(WAYS)} methods, sorted by the mean of the three mean ranks. Those "
        "in the diagrams are in bold. Mean ranks that differ by less than "
        f"{critical:.1f} are not significantly different; with so many methods the "
        "threshold is high. *Stability* is the overlap of the top 10 features of two "
        "splits, corrected for chance (1: identical). *Redundancy* is the largest |r| "
        "of a feature with another of the top 10, averaged over the top 10. *Seconds* "
        "is the processor time of one ranking with one thread, averaged over "
        "tables.\n\n"
        + table([*head, "stability", "redundancy", "seconds"], lines)
        + "\n![Accuracy against time](pictures/study-time.png)\n"
    )


def _duels(rows: Rows) -> str:
    others = [way for way in WAYS if way != FOREST]
    lines = {way: [way] for way in others}
    means = dict.fromkeys(others, 0.0)
    for classifier in CLASSIFIERS:
        duels = [analysis.duel(rows, way, FOREST, classifier) for way in others]
        corrected = analysis.holm([d.p for d in duels])
        for way, d, p in zip(others, duels, corrected, strict=True):
            mark = "**" if p < 0.05 else ""
            lines[way].append(f"{mark}{signed(d.mean)}{mark} ({d.won} : {d.lost})")
            means[way] += d.mean
    order = sorted(others, key=lambda way: -means[way])
    return (
        "Mean difference in accuracy from the impurity importances of a random forest, "
        "in percentage points, and the number of tables won : lost. Significant "
        "differences are in bold (Wilcoxon signed-rank test over tables, Holm "
        f"correction for {len(others)} comparisons, 5 %).\n\n"
        + table(["method", *NAMES.values()], [lines[way] for way in order])
    )


def _by_group(rows: Rows) -> str:
    lines = []
    for way in LINE_UP:
        if way == FOREST:
            continue
        cells = [way]
        for names in GROUPS.values():
            mine = [row for row in rows if row["table"] in names]
            cells.append(signed(gain(mine, way, FOREST)))
        lines.append(cells)
    head = [f"{name} ({len(names)})" for name, names in GROUPS.items()]
    listed = "; ".join(f"*{name}*: {', '.join(of)}" for name, of in GROUPS.items())
    return (
        "Mean difference in accuracy from forest importances, in percentage points, "
        "over the three classifiers and all k. The number of tables is in "
        "parentheses.\n\n" + table(["method", *head], lines) + f"\n{listed}.\n"
    )


def _interactions(rows: Rows) -> str:
    madelon = [row for row in rows if row["table"] == "madelon"]
    ways = [way for way in WAYS if any(row["way"] == way for row in madelon)]
    scores = [analysis.accuracies(madelon, ways, c)[0] for c in ("1-NN", "boosting")]
    lines = []
    for w in np.argsort(-scores[0], kind="stable"):
        cells = [ways[w], *(f"{100 * values[w]:.1f}" for values in scores)]
        for name, (_, _, relevant) in MADE.items():
            found = [
                sum(f < relevant for f in row["order"][:5])
                for row in rows
                if row["table"] == name and row["way"] == ways[w]
            ]
            cells.append(f"{np.mean(found):.1f}" if found else "–")
        lines.append(cells)
    made = "; ".join(
        f"*{name}*: {n} rows, parity of {relevant} of {d} features"
        for name, (n, d, relevant) in MADE.items()
    )
    return (
        "For Madelon, whose clusters lie at the corners of a hypercube, the table "
        "shows accuracy in percent. For simulated tables, in which the class is the "
        "parity of a few features among noise, it shows how many of these features "
        f"are in the top 5 ({made}).\n\n"
        + table(["method", "Madelon, 1-NN", "Madelon, boosting", *MADE], lines)
    )


def _by_size(rows: Rows) -> str:
    found = {
        k: np.mean([analysis.ranks(rows, LINE_UP, c, k).mean for c in CLASSIFIERS], 0)
        for k in KS
    }
    lines = [
        [LINE_UP[w], *(f"{found[k][w]:.1f}" for k in KS)]
        for w in np.argsort(sum(found.values()), kind="stable")
    ]
    n = {k: len({row["table"] for row in rows if str(k) in row}) for k in KS}
    return (
        f"Mean ranks of {len(LINE_UP)} methods, averaged over the three classifiers. "
        "Only tables with more than k features are included.\n\n"
        + table(["method", *(f"k = {k} ({n[k]} tables)" for k in KS)], lines)
    )


def _by_table(rows: Rows) -> str:
    lines = []
    for name in dict.fromkeys(row["table"] for row in rows):
        mine = [row for row in rows if row["table"] == name]
        cells = [f"{name} ({mine[0]['n_features']})"]
        for classifier in CLASSIFIERS:
            (values,) = analysis.accuracies(mine, LINE_UP, classifier)
            best = int(np.argmax(values))
            cells.append(f"{LINE_UP[best]} {100 * values[best]:.1f}")
            cells.append(f"{100 * values[LINE_UP.index(FOREST)]:.1f}")
        lines.append(cells)
    head = [part for name in NAMES.values() for part in (f"{name}: best", "forest")]
    return (
        "The best of the methods in the diagrams, and forest importances. "
        "Accuracy in percent, averaged over k and splits.\n\n"
        + table(["table (features)", *head], lines)
    )


def draw(rows: Rows) -> None:
    """All pictures."""
    for classifier in CLASSIFIERS:
        title = NAMES[classifier]
        found = analysis.ranks(rows, LINE_UP, classifier)
        pictures.critical_differences(found, title, PICTURES / _picture(classifier))
    ways = [*LINE_UP, "FCBF", "TuRF(ReliefF)"]
    all_ranks: list[Ranks] = [analysis.ranks(rows, ways, c) for c in CLASSIFIERS]
    pictures.against_time(
        ways,
        [analysis.mean_over_tables(rows, way, "seconds") for way in ways],
        100 * np.mean([r.accuracy for r in all_ranks], axis=0),
        PICTURES / "study-time.png",
    )


def _picture(classifier: str) -> str:
    return f"study-{classifier.lower()}.png"


def main() -> None:
    """Write the page, and draw its pictures."""
    rows = stored()
    (DOCS / "study.md").write_text(page(rows), encoding="utf-8")
    which = DOCS / "which-method.md"
    before, rest = which.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    text = f"{before}{BEGIN}\n{summary(rows)}\n{END}{after}"
    which.write_text(text, encoding="utf-8")
    draw([row for row in rows if row["table"] in SIZES])


if __name__ == "__main__":
    main()
