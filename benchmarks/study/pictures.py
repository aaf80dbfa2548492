"""Critical-difference diagrams, and accuracy against time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.transforms import Bbox

from study.analysis import Ranks, cliques
from study.ways import MARGINS

MARGIN, OTHER, AUTO, LINE = "#1f6aa5", "#c2571a", "#157347", "#5b6470"


def color(way: str) -> str:
    """Margin methods blue, others orange, AutoSelector green: it tries both kinds."""
    if way == "AutoSelector":
        return AUTO
    return MARGIN if way in MARGINS else OTHER


def critical_differences(found: Ranks, title: str, path: Path) -> None:
    """Mean ranks, best first; bars join what cannot be told apart.

    Drawn from top to bottom, not along a line: a dozen names stay legible on a phone.
    """
    order, runs = np.argsort(found.mean, kind="stable"), cliques(found)
    figure, axes = plt.subplots(figsize=(5.4, 0.27 * len(order) + 1.15), dpi=150)
    places, mean = np.arange(len(order)), found.mean[order]
    axes.hlines(places, 1, mean, color="#d9dde2", lw=1, zorder=1)
    axes.scatter(mean, places, c=[color(found.ways[w]) for w in order], s=34, zorder=2)
    for m, y in zip(mean, places, strict=True):
        axes.annotate(f"{m:.1f}", (m, y), (6, 0), textcoords="offset points", **_SMALL)
    right = mean.max() + 1.6
    for i, (first, last) in enumerate(runs):
        x = right + 0.45 * i
        axes.plot([x, x], [first - 0.25, last + 0.25], color=LINE, lw=2.6)
    axes.set_yticks(places, [found.ways[w] for w in order], fontsize=9)
    for label, w in zip(axes.get_yticklabels(), order, strict=True):
        label.set_color(color(found.ways[w]))
    axes.set_xlim(1, right + 0.45 * len(runs))
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.set_xlabel(
        f"mean rank of {len(order)} over {found.n_tables} tables, 1 is best\n"
        f"bars join what differs by less than {found.critical:.1f}",
        fontsize=8.5,
    )
    last = int(np.ceil(mean.max()))
    axes.set_xticks(range(2, last + 1, 2))
    axes.tick_params(axis="x", labelsize=8)
    axes.spines["bottom"].set_bounds(1, last)
    axes.set_title(title, fontsize=10, loc="left")
    _finish(figure, axes, path)


def against_time(
    ways: Sequence[str],
    seconds: Sequence[float],
    accuracy: Sequence[float],
    path: Path,
) -> None:
    """Mean accuracy over processor time."""
    figure, axes = plt.subplots(figsize=(6.4, 4.4), dpi=150)
    axes.scatter(seconds, accuracy, c=[color(way) for way in ways], s=26)
    axes.set_xscale("log")
    axes.set_xlim(min(seconds) / 2, max(seconds) * 4)
    axes.margins(y=0.08)
    dots = axes.transData.transform(np.column_stack([seconds, accuracy]))
    taken = [Bbox.from_bounds(x - 6, y - 6, 12, 12) for x, y in dots]
    for i in np.argsort(-np.asarray(accuracy)):
        _name(axes, ways[i], (seconds[i], accuracy[i]), taken)
    axes.set_xlabel("processor seconds of a ranking, mean over tables", fontsize=8.5)
    axes.set_ylabel("mean accuracy in per cent", fontsize=8.5)
    axes.tick_params(labelsize=8)
    _finish(figure, axes, path)


# Where a name may stand: points right of and above its dot, and how it is aligned.
_PLACES = ((8, 0, "left"), (-8, 0, "right"), (0, 9, "center"), (0, -9, "center"))


def _name(
    axes: plt.Axes, name: str, at: tuple[float, float], taken: list[Bbox]
) -> None:
    """Write a name beside its dot, in the first place where there is room."""
    for dx, dy, aligned in _PLACES:
        text = axes.annotate(
            name, at, (dx, dy), textcoords="offset points", ha=aligned, **_SMALL
        )
        box = text.get_window_extent()
        if not any(box.overlaps(other) for other in taken):
            break
        text.remove()
    else:
        dx, dy, aligned = _PLACES[0]
        text = axes.annotate(
            name, at, (dx, dy), textcoords="offset points", ha=aligned, **_SMALL
        )
    taken.append(text.get_window_extent())


_SMALL = {"fontsize": 7.5, "color": "#333", "va": "center"}


def _finish(figure: plt.Figure, axes: plt.Axes, path: Path) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
