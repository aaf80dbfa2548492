"""Write the pages of the documentation from stored results.

python -m widemargin.papers RESULTS DOCS
"""

from __future__ import annotations

import sys
from pathlib import Path

from widemargin import papers
from widemargin.papers import markdown
from widemargin.papers.drawing import standalone
from widemargin.papers.running import stored
from widemargin.papers.summary import summarize


def write(results: Path, docs: Path) -> None:
    """Write a page per paper, its figures and the index."""
    docs.mkdir(parents=True, exist_ok=True)
    summaries = []
    for key in papers.available():
        paper = papers.find(key)
        outcomes = [stored(paper, e, results, quick=False) for e in paper.experiments]
        summary = summarize(paper, outcomes, quick=False)
        for part in summary["experiments"]:
            for figure in part["figures"]:
                path = docs / f"{key}-{figure.key}.svg"
                path.write_text(standalone(figure), encoding="utf-8")
        (docs / f"{key}.md").write_text(markdown.page(summary), encoding="utf-8")
        summaries.append(summary)
    (docs / "index.md").write_text(markdown.index(summaries), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m widemargin.papers RESULTS DOCS")
    write(Path(sys.argv[1]), Path(sys.argv[2]))
