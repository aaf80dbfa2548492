"""What results in a notebook are made of: tables, a matrix, and curves.

Names and labels are text of unknown origin and are escaped. Nothing is loaded. Colours
are the notebook's own, or read well on light and dark, since a notebook's theme does
not always follow the browser's preference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin.data.protocol import Floats
from widemargin.judging.scores import Measure

if TYPE_CHECKING:
    from widemargin.evaluation._curves import Line

COLOURS = (
    "#1b9aa0", "#d9722e", "#8b7fe0", "#b08d2a",
    "#d05f9c", "#7f8c95", "#4d95d1", "#86a832",
)  # fmt: skip
DASHES = ("", "6 3", "2 3", "8 3 2 3", "4 2 1 2", "10 4", "1 2", "4 4")
WIDTH, HEIGHT = 460, 190
LEFT, RIGHT, TOP, BOTTOM = 48, 12, 12, 34
STYLE = """<style>
.widemargin-result{max-width:56em;line-height:1.4}
.widemargin-result p{margin:.2em 0 .5em}
.widemargin-result .pair{display:flex;flex-wrap:wrap;gap:0 3em}
.widemargin-result table{border-collapse:collapse;margin:.3em 0;font-size:.92em;
font-variant-numeric:tabular-nums}
.widemargin-result caption{text-align:left;caption-side:top;opacity:.75;padding:.2em 0}
.widemargin-result th,.widemargin-result td{padding:.2em .8em .2em 0;text-align:left;
background:none;border:0;border-bottom:1px solid rgba(128,128,128,.35);
font-weight:400;overflow-wrap:anywhere}
.widemargin-result th[scope=row]{max-width:24em;white-space:normal}
.widemargin-result thead th{opacity:.75}
.widemargin-result .n{text-align:right;white-space:nowrap}
.widemargin-result .yes th{font-weight:700}
.widemargin-result .more{opacity:.75}
.widemargin-result svg{max-width:100%;height:auto;overflow:visible}
.widemargin-result text{fill:currentColor;font-size:11px;opacity:.8}
</style>"""


def text(value: Any) -> str:
    """Text that is safe in HTML and in UTF-8, kept apart from its surroundings."""
    plain = str(value).encode("utf-8", "replace").decode("utf-8")
    return f"<bdi>{escape(plain, quote=True)}</bdi>"


def page(parts: Iterable[str]) -> str:
    return f'<div class="widemargin-result">{STYLE}{"".join(parts)}</div>'


def table(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Sequence[Any]],
    more: str = "",
    n_words: int = 0,
) -> str:
    """Rows of: whether in bold, a name, numbers, and at the end ``n_words`` texts."""
    last = len(head) - n_words
    classes = [" class=n" if 0 < i < last else "" for i in range(len(head))]
    cells = [
        f'<th scope="col"{kind}>{text(title)}</th>'
        for title, kind in zip(head, classes, strict=True)
    ]
    body = []
    for bold, name, *values in rows:
        line = "".join(
            f"<td{kind}>{text(value)}</td>"
            for value, kind in zip(values, classes[1:], strict=True)
        )
        mark = " class=yes" if bold else ""
        body.append(f'<tr{mark}><th scope="row">{text(name)}</th>{line}</tr>')
    after = f'<p class="more">{more}</p>' if more else ""
    return _framed(caption, "".join(cells), body) + after


def _framed(caption: str, head: str, body: list[str]) -> str:
    return (
        f"<table><caption>{text(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def matrix(caption: str, labels: Sequence[str], values: Any) -> str:
    head = "".join(f'<th scope="col" class="n">{text(label)}</th>' for label in labels)
    body = []
    for i, label in enumerate(labels):
        cells = [f'<th scope="row">{text(label)}</th>']
        for j, value in enumerate(np.asarray(values)[i]):
            known = not np.isnan(value)
            # Half as strong as could be, so that text reads on it in any theme.
            tone = "27,154,160" if not known or value >= 0 else "217,114,46"
            strength = 0.0 if i == j or not known else min(1.0, abs(value)) / 2
            shown = "·" if i == j else f"{value:.2f}" if known else "–"
            style = f"background:rgba({tone},{strength:.2f})"
            cells.append(f'<td class="n" style="{style}">{shown}</td>')
        body.append(f"<tr>{''.join(cells)}</tr>")
    return _framed(caption, f"<td></td>{head}", body)


def curves(lines: dict[str, Line], read: Measure, chance: float | None = None) -> str:
    """Mean scores against the number of features, as a small drawing."""
    sizes = np.concatenate([line.sizes for line in lines.values()]).astype(float)
    guess = [] if chance is None else [read.sign * chance]
    values = [read.sign * line.mean for line in lines.values()]
    x, y, drawn = _axes(sizes, np.concatenate([*values, guess]), read)
    legend = []
    for at in map(y, guess):
        drawn.append(
            f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="currentColor" '
            'stroke-dasharray="2 3" opacity=".6"/>'
        )
        drawn.append(_label(WIDTH - RIGHT, at - 4, "guessing", "end"))
    for i, (label, line) in enumerate(lines.items()):
        stroke = (
            f'fill="none" stroke="{COLOURS[i % 8]}" stroke-width="2" '
            f'stroke-dasharray="{DASHES[i % 8]}"'
        )
        points = zip(x(line.sizes), y(values[i]), strict=True)
        path = " ".join(f"{across:.1f},{down:.1f}" for across, down in points)
        drawn.append(f'<polyline points="{path}" {stroke}/>')
        legend.append(
            '<span style="white-space:nowrap;margin-right:1.2em"><svg width="26" '
            f'height="8" aria-hidden="true"><path d="M0 4H26" {stroke}/></svg> '
            f"{text(label)}</span>"
        )
    alternative = escape(f"{read.axis} against the number of features", quote=True)
    return (
        f'<p class="more">{text(read.axis)}</p><svg viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" role="img" aria-label="{alternative}">'
        f"{''.join(drawn)}</svg><p>{''.join(legend)}</p>"
    )


def _axes(
    sizes: Floats, values: Floats, read: Measure
) -> tuple[Callable[[Any], Any], Callable[[Any], Any], list[str]]:
    """Where sizes and scores lie in the drawing, and labels at the ends of the axes."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    first, last = sizes.min(), sizes.max()
    logarithmic = last > 100 * first
    place = np.log10 if logarithmic else np.asarray
    across = (WIDTH - LEFT - RIGHT) / ((place(last) - place(first)) or 1.0)
    down = (HEIGHT - BOTTOM - TOP) / ((high - low) or 1.0)

    def x(n: Any) -> Any:
        return LEFT + (place(n) - place(first)) * across

    def y(value: Any) -> Any:
        return TOP + (high - value) * down

    plain, below = read._replace(sign=1), HEIGHT - BOTTOM + 16
    named = "number of features" + (", logarithmic" if logarithmic else "")
    labels = [
        _label(LEFT - 6, y(v) + 4, score(v, plain, 0), "end") for v in {low, high}
    ]
    labels.append(_label(x(first), below, f"{first:.0f}", "middle"))
    labels.append(_label((LEFT + WIDTH) / 2, below, named, "middle"))
    labels.append(_label(x(last), below, f"{last:.0f}", "middle"))
    return x, y, labels


def _label(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def score(value: Any, read: Measure, places: int = 1) -> str:
    if value is None or np.isnan(value):
        return "–"
    if read.share:
        return f"{100 * read.sign * value:.{places}f} %"
    return f"{read.sign * value:.3g}"
