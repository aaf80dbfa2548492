"""One page per paper that needs nothing else, in the style of the report."""

from __future__ import annotations

from typing import Any

from evidence.framework.verdicts import FAILS, HOLDS
from evidence.papers.drawing import draw
from evidence.papers.markdown import REPRODUCED, UNIMPLEMENTED, counts, criteria
from widemargin.reporting.html import style

_MARKS = {HOLDS: "holds", FAILS: "fails"}


def render(summary: dict[str, Any]) -> str:
    """Write the page of a `evidence.papers.outcomes.summarize`."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError(
            'A page needs jinja2; install it with: pip install "widemargin[report]"'
        ) from error
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("evidence.papers"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("paper.html").render(
        paper=summary,
        style=Markup(style()),
        draw=lambda figure: Markup(draw(figure)),
        counts=[(kind, n) for kind, n in counts([summary], REPRODUCED).items() if n],
        criteria=criteria,
        mark=lambda verdict: _MARKS.get(verdict, "untested"),
        unimplemented=UNIMPLEMENTED,
    )
