"""Results as a notebook shows them: a caption, the most important rows, a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin.evaluation._html_parts import curves, matrix, page, score, table, text
from widemargin.judging.scores import Measure, measure

if TYPE_CHECKING:
    from widemargin.evaluation._comparison_result import Comparison
    from widemargin.evaluation._curves import SelectionCurve
    from widemargin.evaluation._hard_rows import HardRows
    from widemargin.evaluation._interactions import Interactions
    from widemargin.evaluation._redundancy import Redundancy
    from widemargin.evaluation._resampling import Resampling
    from widemargin.evaluation._significance import Significance
    from widemargin.evaluation._stability import Agreement

ROWS = 10  # features or groups that are shown
MEMBERS = 5  # features of a group that are named


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
    left = len(frame) - ROWS
    more = f"{left} more features in <code>.features</code>" if left > 0 else ""
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
    more = _more(len(order), "features")
    return page([table(caption, ["Feature", "Score", "p", "q"], rows, more)])


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
    return page(
        [
            table(
                caption,
                head,
                rows,
                _more(len(found.pairs), "pairs", ".to_frame()"),
                n_words=1,
            )
        ]
    )


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
