"""docs/study.md, its picture, and the table in docs/which-method.md."""

from __future__ import annotations

from pathlib import Path

from evidence.framework.pages import DOCS, Pages
from evidence.framework.store import Stores
from evidence.study import figures, pictures
from evidence.study.analysis import Results, Rows
from evidence.study.cases import ASKED, TABLES, file
from evidence.study.figures import FOREST, OURS, p_value, signed
from evidence.study.judge import CLASSIFIERS
from evidence.study.words import PAGE, VARIANTS

BEGIN, END = "<!-- made by evidence/study/page.py -->\n", "<!-- until here -->\n"


def stored(results: Path) -> Rows:
    """All results."""
    stores = Stores(results)
    return [row for name in TABLES for row in stores[file({"table": name})].rows()]


def pages(results: Path) -> Pages:
    """The page, its picture, and the page with a table of its results."""
    rows = stored(results)
    fresh, design, *_ = figures.split_results(rows)
    which = Path("which-method.md")
    before, rest = (DOCS / which).read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    gains = {
        "fresh tables": fresh.differences(OURS, FOREST),
        "design tables": design.differences(OURS, FOREST),
    }
    return {
        Path("study.md"): page(rows),
        which: f"{before}{BEGIN}\n{figures.summary(fresh, design)}\n{END}{after}",
        Path("pictures", "study-gained.png"): pictures.gained(gains),
    }


def page(rows: Rows) -> str:
    """The page in Markdown."""
    fresh, design, numeric, known = figures.split_results(rows)
    kinds = figures.kinds(fresh)
    parts = {k: fresh.on(names) for k, names in kinds.items()}
    numbers = {
        f"{name}_{judge or 'mean'}".replace("-", ""): _duel(results, FOREST, judge)
        for name, results, judges in (
            ("fresh", fresh, CLASSIFIERS),
            ("design", design, CLASSIFIERS),
            ("numeric", numeric, ()),
            ("known", known, ()),
            *((kind, part, ()) for kind, part in parts.items()),
        )
        for judge in (*judges, None)
    }
    return PAGE.format(
        **numbers,
        variants=VARIANTS,
        **_conclusion(fresh, design, numeric),
        **{f"n_{kind}": len(names) for kind, names in kinds.items()},
        **{f"names_{kind}": ", ".join(names) for kind, names in kinds.items()},
        against_forest=figures.against_forest(fresh, design),
        against_others=figures.against_others(fresh, parts),
        numeric=figures.numeric(numeric),
        everything=figures.everything(fresh, design),
        chance=", ".join(figures.no_better_than_chance(fresh, design)) or "none",
        interactions=figures.interactions(Results(rows)),
        sources=figures.sources(Results(rows)),
    )


def _duel(results: Results, other: str, judge: str | None = None) -> str:
    """KernelRFE against another method, as it is written in text."""
    d = results.duel(OURS, other, judge)
    p = p_value(d.p)
    p = p if p.startswith("<") else f"= {p}"
    return f"{signed(d.mean)} ({d.won}:{d.lost}, p {p})"


def _conclusion(fresh: Results, design: Results, numeric: Results) -> dict[str, str]:
    """Further numbers of the first paragraphs."""
    level = figures.not_behind(fresh)
    madelon = design.on(["madelon"])
    gains = numeric.differences(OURS, FOREST)
    largest = max(gains, key=lambda name: gains[name])
    rest = [gain for name, gain in gains.items() if name != largest]
    earlier = fresh.duel("MultiSURF, redundancy auto", FOREST)
    times = {way: fresh.mean(way, "seconds") for way in (OURS, FOREST, "RFE, forest")}
    return {
        "n_behind": str(len(figures.COMPARED) - 1 - len(level)),
        "n_others": str(len(figures.COMPARED) - 1),
        "level": ", ".join(f"{w} ({signed(fresh.duel(OURS, w).mean)})" for w in level),
        "madelon": signed(madelon.duel(OURS, FOREST, "1-NN").mean),
        "madelon_rfe": signed(madelon.duel("RFE", FOREST, "1-NN").mean),
        "earlier": f"{signed(earlier.mean)}, p = {p_value(earlier.p)}",
        "largest": f"{largest}, {signed(gains[largest])}",
        "without_largest": signed(sum(rest) / len(rest)),
        "seconds": figures.seconds(times[OURS]),
        "seconds_forest": figures.seconds(times[FOREST]),
        "seconds_rfe_forest": figures.seconds(times["RFE, forest"]),
        "stability": f"{fresh.stability(OURS, ASKED):.2f}",
        "stability_forest": f"{fresh.stability(FOREST, ASKED):.2f}",
    }
