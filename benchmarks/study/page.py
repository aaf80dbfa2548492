"""Write docs/study.md and its picture from what is stored.

python benchmarks/study/page.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from study import figures, pictures
from study.analysis import Rows
from study.figures import FOREST, OURS, p_value, signed
from study.judge import CLASSIFIERS, REGRESSORS
from study.run import TABLES, store_of
from study.words import PAGE

DOCS = Path(__file__).resolve().parents[2] / "docs"
PICTURE = DOCS / "pictures" / "study-gained.png"
BEGIN, END = "<!-- made by benchmarks/study/page.py -->\n", "<!-- until here -->\n"


def stored() -> Rows:
    """All results."""
    return [row for name in TABLES for row in store_of(name).rows()]


def page(rows: Rows) -> str:
    """The page in Markdown."""
    fresh, design, numeric, known = figures.split_results(rows)
    kinds = figures.kinds(fresh)
    parts = {k: fresh.on(names) for k, names in kinds.items()}
    numbers = {
        f"{name}_{judge or 'mean'}": f"{signed(d.mean)} ({d.won} : {d.lost}, "
        f"p {_equals(p_value(d.p))})"
        for name, results, judges in (
            ("fresh", fresh, CLASSIFIERS),
            ("design", design, CLASSIFIERS),
            ("numeric", numeric, REGRESSORS),
            ("known", known, REGRESSORS),
            *((kind, part, ()) for kind, part in parts.items()),
        )
        for judge in (*judges, None)
        for d in [results.duel(OURS, FOREST, judge)]
    }
    return PAGE.format(
        **{name.replace("-", ""): text for name, text in numbers.items()},
        **{f"n_{kind}": len(names) for kind, names in kinds.items()},
        **{f"names_{kind}": ", ".join(names) for kind, names in kinds.items()},
        against_forest=figures.against_forest(fresh, figures.COMPARED, CLASSIFIERS),
        against_forest_design=figures.against_forest(
            design, figures.COMPARED, CLASSIFIERS
        ),
        against_others=figures.against_others(
            fresh, {**parts, "design tables": design}
        ),
        numeric_against_forest=figures.against_forest(
            numeric, figures.NUMERIC_COMPARED, REGRESSORS
        ),
        numeric_against_others=figures.against_others_numeric(numeric),
        everything=figures.everything(fresh, design),
        chance=", ".join(figures.no_better_than_chance(fresh, design)) or "none",
        interactions=figures.interactions(figures.Results(rows)),
        sources=figures.sources(figures.Results(rows)),
    )


def _equals(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"


def main() -> None:
    """Write the page, and draw its picture."""
    rows = stored()
    fresh, design, *_ = figures.split_results(rows)
    (DOCS / "study.md").write_text(page(rows), encoding="utf-8")
    which = DOCS / "which-method.md"
    before, rest = which.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    text = f"{before}{BEGIN}\n{figures.summary(fresh, design)}\n{END}{after}"
    which.write_text(text, encoding="utf-8")
    pictures.gained(
        {
            "fresh tables": fresh.differences(OURS, FOREST),
            "design tables": design.differences(OURS, FOREST),
        },
        PICTURE,
    )


if __name__ == "__main__":
    main()
