"""Results as a notebook shows them: a caption, the most important rows, a curve.

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
from widemargin.judging.scores import Measure, measure

if TYPE_CHECKING:
    from widemargin.evaluation._comparison_result import Comparison
    from widemargin.evaluation._curves import Line, SelectionCurve
    from widemargin.evaluation._hard_rows import HardRows
    from widemargin.evaluation._interactions import Interactions
    from widemargin.evaluation._redundancy import Redundancy
    from widemargin.evaluation._resampling import Resampling
    from widemargin.evaluation._significance import Significance
    from widemargin.evaluation._stability import Agreement

ROWS = 10  # features or groups that are shown
MEMBERS = 5  # features of a group that are named

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


def comparison(found: Comparison) -> str:
    """The answer, a row per method, and the curves."""
    parts = [f"<p><strong>{text(found.answer)}</strong></p>"]
    if not found.complete:
        parts.append(
            "<p>The comparison was interrupted; this is what it had found.</p>"
        )
    read = measure(found.curve.scoring if found.curve else None)
    signal, rows = found.signal is not False, []
    for row in found.summary().itertuples():
        best = row.method == found.best and signal
        nothing = not signal and row.method in found.selectors
        cells = [
            "none" if nothing else _whole(row.n_features),
            score(row.score, read),
            score(row.stderr, read._replace(sign=1)),
            score(row.score_all, read),
            _fixed(row.stability),
            "" if np.isnan(row.fit_time) else f"{row.fit_time:.2f} s",
        ]
        rows.append([best, row.method, *cells])
    mark = "in bold: recommended"
    if not signal:
        mark = "no signal was found, and nothing is recommended"
    head = ["Method", "Features", _title(read), "± s.e.", "With all"]
    head += ["Stability", "Fit"]
    n, d = found.profile.n_samples, found.profile.n_features
    parts.append(table(f"{n} rows, {d} features; {mark}", head, rows))
    if signal and found.recommendation is not None:
        parts.append(_verdicts(found))
    if found.lines:
        parts.append(curves(found.lines, read, found.chance))
    return page(parts)


def _verdicts(found: Comparison) -> str:
    """What to make of the best features."""
    frame = found.features
    rows = [
        [
            row.rank <= (found.n_features or 0),
            row.feature,
            "–" if np.isnan(row.q_value) else _probability(row.q_value),
            f"{row.frequency:.0%}",
            row.verdict,
            row.why,
        ]
        for row in frame.head(ROWS).itertuples()
    ]
    more = _more(len(frame), "features", ".features")
    caption = "Best first; in bold: kept"
    if found.relevance is not None:
        caption += f"; {len(found.relevant)} of {len(frame)} are relevant"
    head = ["Feature", "q", "In folds", "Verdict", "Why"]
    return table(caption, head, rows, more, n_words=2)


def selection_curve(curve: SelectionCurve) -> str:
    """Where each curve is best, and the curves."""
    read = measure(curve.scoring)
    summary = curve.summary()
    rows = [
        [
            False,
            label,
            _whole(row["best_n_features"]),
            score(row["best_score"], read),
            score(row["best_stderr"], read._replace(sign=1)),
            score(row["score_all"], read),
        ]
        for label, row in summary.iterrows()
    ]
    state = "" if curve.complete else ", interrupted"
    caption = f"Best point of each curve, {len(curve.baseline)} folds{state}"
    head = ["Method", "Features", _title(read), "± s.e.", "With all"]
    drawing = curves(curve.lines, read) if curve.lines else ""
    return page([table(caption, head, rows), drawing])


def significance(found: Significance) -> str:
    """The features with the smallest q-values."""
    sure = found.significant()
    order = np.lexsort([-found.scores, found.p_values, found.q_values])
    rows = [
        [
            bool(sure[f]),
            found.names[f],
            f"{found.scores[f]:.4g}",
            _probability(found.p_values[f]),
            _probability(found.q_values[f]),
        ]
        for f in order[:ROWS]
    ]
    caption = (
        f"{int(sure.sum())} of {len(sure)} features at q < 0.05 (in bold), "
        f"{found.effort}"
    )
    head = ["Feature", "Score", "p", "q"]
    return page([table(caption, head, rows, _more(len(order), "features"))])


def resampling(found: Resampling) -> str:
    """The features that are chosen most often."""
    median = np.median(found.ranks, axis=0)
    order = np.lexsort([median, -found.frequency])
    rows = [
        [
            bool(found.frequency[f] == 1),
            found.names[f],
            f"{found.frequency[f]:.0%}",
            f"{median[f]:g}",
            f"{found.rank_low[f]:g}–{found.rank_high[f]:g}",
        ]
        for f in order[:ROWS]
    ]
    caption = (
        f"{len(found.ranks)} subsamples, stability {found.stability.value:.2f}; "
        "in bold: always chosen"
    )
    head = ["Feature", "Chosen", "Median rank", "Ranks (90 %)"]
    return page([table(caption, head, rows, _more(len(order), "features"))])


def redundancy(found: Redundancy) -> str:
    """The groups of the best representatives."""
    rows = []
    for group in found.groups[:ROWS]:
        others = ", ".join(str(found.names[f]) for f in group[1 : MEMBERS + 1])
        if len(group) > MEMBERS + 1:
            others += f" and {len(group) - MEMBERS - 1} more"
        least = found.similarities[group[1:]].min()
        size = f"{len(group)}"
        rows.append([False, found.names[group[0]], size, f"{least:.2f}", others])
    spare, n = int(np.sum(~found.kept)), len(found.groups)
    caption = (
        f"{n} group{'s' * (n != 1)}; {spare} of {len(found.names)} features are "
        f"redundant at {found.measure} ≥ {found.threshold:g}"
    )
    head = ["Keep", "Group of", "Least similarity", "Instead of"]
    more = _more(len(found.groups), "groups")
    return page([table(caption, head, rows, more, n_words=1)])


def interactions(found: Interactions) -> str:
    """The strongest pairs, and how the features of each work together."""
    rows, n = [], len(found.found)
    for i, (a, b) in enumerate(found.pairs[:ROWS].tolist()):
        p, q = _probability(found.p_values[i]), _probability(found.q_values[i])
        words = found.sentence(i) if i < n else ""
        rows.append([i < n, f"{found.names[a]} × {found.names[b]}", p, q, words])
    caption = (
        f"{n} of {found.n_possible} pairs work together at q < {found.level:g}, in bold"
    )
    head = ["Pair", "p", "q", "Together"]
    more = _more(len(found.pairs), "pairs", ".to_frame()")
    return page([table(caption, head, rows, more, n_words=1)])


def hard_rows(found: HardRows) -> str:
    """The hardest rows, with the classes that their neighbours suggest."""
    frame = found.to_frame(min(ROWS, found.n_rows))
    rows = [
        [bool(r.suspect), r.row, f"{r.margin:.2f}", r.label, r.suggested]
        for r in frame.itertuples()
    ]
    caption = f"{found.sentence} In bold: probably mislabelled"
    left = found.n_rows - len(frame)
    more = f"{left} more in <code>.to_frame()</code>" if left else ""
    head = ["Row", "Margin", "Label", "Suggested"]
    return page([table(caption, head, rows, more, n_words=2)])


def agreement(found: Agreement) -> str:
    """Rank correlation and overlap of every pair of methods."""
    kept = "the selected features" if found.k is None else f"the best {found.k}"
    tables = [
        matrix("Rank correlation", found.labels, found.correlation),
        matrix(f"Overlap of {kept}", found.labels, found.overlap),
    ]
    return page([f'<div class="pair">{"".join(tables)}</div>'])


def _title(read: Measure) -> str:
    return f"{read.name}{' ↓' if read.is_loss else ''}".capitalize()


def _whole(value: Any) -> str:
    return f"{value:.0f}" if value == value and value is not None else "–"


def _fixed(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.2f}"


def _probability(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _more(total: int, noun: str, where: str = ".frame") -> str:
    return f"{total - ROWS} more {noun} in <code>{where}</code>" if total > ROWS else ""


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
