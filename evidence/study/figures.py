"""The tables of docs/study.md and docs/which-method.md."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evidence.framework.pages import table
from evidence.study.analysis import Duel, Results, holm
from evidence.study.cases import ASKED
from evidence.study.collect import CLASSES, LICENCES, NUMBERS
from evidence.study.judge import CLASSIFIERS
from evidence.study.tables import FRESH, KNOWN, MADE, SIZES, WIDE
from evidence.study.ways import COSTLY, MAIN, NUMERIC_WAYS, REST

OURS, FOREST, RANDOM = "KernelRFE", "forest importance", "random"
COMPARED = tuple(way for way in (*MAIN, *COSTLY) if way != RANDOM)
NUMERIC_COMPARED = tuple(way for way in NUMERIC_WAYS if way != RANDOM)
NAMES = {"logistic": "logistic regression"}


def signed(value: float) -> str:
    """Percentage points with their sign; none if they round to zero."""
    points = round(100 * value, 1)
    return f"{points:+.1f}" if points else "0.0"


def p_value(p: float) -> str:
    """A p-value as it is written in text."""
    return "< .0001" if p < 0.0001 else f"{p:.2g}".replace("0.", ".", 1)


def seconds(value: float) -> str:
    """Two digits are enough."""
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def kinds(results: Results) -> dict[str, list[str]]:
    """Fresh tables by kind: wide, narrow, mixed."""
    found: dict[str, list[str]] = {"wide": [], "narrow": [], "mixed": []}
    for row in results.rows:
        if row["table"] in FRESH and row["way"] == FOREST and row["split"] == 0:
            found[row["kind"]].append(row["table"])
    return found


def _cell(duel: Duel, p: float | None = None) -> str:
    """Points, tables won and lost; bold if p, or the duel's own, is below 5 %."""
    mark = "**" if (duel.p if p is None else p) < 0.05 else ""
    return f"{mark}{signed(duel.mean)}{mark} ({duel.won}:{duel.lost})"


def against_forest(fresh: Results, design: Results) -> str:
    """Each method against forest importances: by judge, the mean, the design tables."""
    others = [way for way in COMPARED if way != FOREST]
    columns = _against(fresh, others, (*CLASSIFIERS, None))
    columns.append([p_value(fresh.duel(way, FOREST).p) for way in others])
    columns += _against(design, others, (None,))
    head = ["method", *(NAMES.get(j, j) for j in CLASSIFIERS), "mean", "p"]
    return _sorted_table([*head, "design tables"], others, columns, fresh)


def numeric(results: Results) -> str:
    """The same for numeric targets, and the lead of KernelRFE."""
    others = [way for way in NUMERIC_COMPARED if way != FOREST]
    columns = _against(results, others, (None,))
    columns.append([p_value(results.duel(way, FOREST).p) for way in others])
    rivals = [way for way in others if way != OURS]
    duels = [results.duel(OURS, way) for way in (FOREST, *rivals)]
    leads = dict(
        zip((FOREST, *rivals), zip(duels, _holm(duels), strict=True), strict=True)
    )
    columns.append([_cell(*leads[way]) if way in leads else "" for way in others])
    head = ["method", "above a forest", "p", "KernelRFE − it"]
    return _sorted_table(head, others, columns, results)


def _against(
    results: Results, ways: Sequence[str], judges: Sequence[str | None]
) -> list[list[str]]:
    """A column for each judge: differences from forest importances."""
    columns = []
    for judge in judges:
        duels = [results.duel(way, FOREST, judge) for way in ways]
        columns.append([_cell(d, p) for d, p in zip(duels, _holm(duels), strict=True)])
    return columns


def _holm(duels: Sequence[Duel]) -> Sequence[float]:
    return holm([d.p for d in duels])


def _sorted_table(
    head: Sequence[str],
    ways: Sequence[str],
    columns: Sequence[Sequence[str]],
    by: Results,
) -> str:
    """Columns beside the names of methods, the best first."""
    order = np.argsort([-by.duel(way, FOREST).mean for way in ways])
    lines = [*zip(ways, *columns, strict=True)]
    return table(head, [lines[i] for i in order])


def against_others(results: Results, parts: dict[str, Results]) -> str:
    """KernelRFE against each other method; parts of the tables without correction."""
    found = results.ways()
    others = [way for way in COMPARED if way != OURS and way in found]
    duels = [results.duel(OURS, way) for way in others]
    corrected = holm([d.p for d in duels])
    lines = []
    for i in np.argsort([d.mean for d in duels]):
        cells = [_cell(part.duel(OURS, others[i])) for part in parts.values()]
        line = [others[i], _cell(duels[i], corrected[i]), p_value(corrected[i])]
        lines.append([*line, *cells])
    return table(["KernelRFE against", "fresh tables", "p (Holm)", *parts], lines)


def not_behind(results: Results) -> list[str]:
    """Methods that KernelRFE is not significantly ahead of, after correction."""
    others = [way for way in COMPARED if way != OURS]
    duels = [results.duel(OURS, way) for way in others]
    corrected = holm([d.p for d in duels])
    found = zip(others, duels, corrected, strict=True)
    return [way for way, d, p in found if d.mean <= 0 or p >= 0.05]


def above_chance(results: Results) -> dict[str, tuple[Duel, float]]:
    """Each method against the random ranking: the duel, and its corrected p."""
    found = results.ways()
    ways = [way for way in (*COMPARED, *REST) if way in found]
    duels = [results.duel(way, RANDOM) for way in ways]
    corrected = holm([d.p for d in duels])
    return {w: (d, float(p)) for w, d, p in zip(ways, duels, corrected, strict=True)}


def is_chance(duel: Duel, p: float) -> bool:
    """Whether a method is not significantly above the random ranking."""
    return duel.mean <= 0 or p >= 0.05


def no_better_than_chance(fresh: Results, design: Results) -> list[str]:
    """Methods that are not above chance on the fresh, nor on the design tables."""
    first, second = above_chance(fresh), above_chance(design)
    return [
        way
        for way in first
        if way in second and is_chance(*first[way]) and is_chance(*second[way])
    ]


def everything(fresh: Results, design: Results) -> str:
    """All methods: lead over a random ranking, stability, redundancy, time."""
    found, fitted = above_chance(fresh), above_chance(design)
    lines = []
    for way in sorted(found, key=lambda way: -found[way][0].mean):
        stable = fresh.stability(way, ASKED)
        leads = [
            f"{signed(d.mean)}{' ✗' if is_chance(d, p) else ''}"
            for d, p in (found[way], fitted[way])
        ]
        lines.append(
            [
                way,
                *leads,
                "–" if np.isnan(stable) else f"{stable:.2f}",
                seconds(fresh.mean(way, "seconds")),
            ]
        )
    head = ["method", "fresh tables", "design tables"]
    return table([*head, "stability", "seconds"], lines)


def interactions(results: Results) -> str:
    """Madelon, and parity of few features among noise."""
    madelon = results.on(["madelon"])
    lines = []
    for way in (*MAIN, *COSTLY):
        gain = madelon.duel(way, FOREST, "1-NN").mean
        cells = [way, signed(gain)]
        for name, (_, _, relevant) in MADE.items():
            counts = [
                sum(f < relevant for f in row["order"][:5])
                for row in results.rows
                if row["table"] == name and row["way"] == way
            ]
            cells.append(f"{np.mean(counts):.1f}" if counts else "–")
        lines.append((gain, cells))
    head = ["method", "Madelon", *MADE]
    return table(head, [cells for _, cells in sorted(lines, key=lambda x: -x[0])])


def sources(results: Results) -> str:
    """Where the fresh tables come from."""
    there = {row["table"] for row in results.rows}
    lines = []
    for package, licence in LICENCES.items():
        names = [n for n, s in (CLASSES | NUMBERS).items() if s.package == package]
        listed = ", ".join(name for name in names if name in there)
        lines.append([package.replace("==", " "), licence, listed])
    return table(["source", "licence", "tables"], lines)


def summary(fresh: Results, design: Results) -> str:
    """The table of docs/which-method.md: fresh tables by kind, design tables, time."""
    parts = {kind: fresh.on(names) for kind, names in kinds(fresh).items()}
    lines = []
    for way in COMPARED:
        if way == FOREST:
            continue
        gains = [r.duel(way, FOREST).mean for r in (fresh, *parts.values(), design)]
        lines.append([way, *gains, fresh.mean(way, "seconds")])
    lines.sort(key=lambda line: -line[1])
    shown = [[way, *map(signed, of), seconds(time)] for way, *of, time in lines]
    head = ["selection by", "fresh tables", f"wide (≥ {WIDE} features)", "narrow"]
    return table([*head, "mixed", "design tables", "seconds"], shown)


def split_results(rows: list) -> tuple[Results, Results, Results, Results]:
    """Fresh tables, design tables, fresh numeric targets, known numeric targets."""
    everything = Results(rows)
    return (
        everything.on(FRESH),
        everything.on(SIZES),
        everything.on(NUMBERS),
        everything.on(KNOWN),
    )
