"""Figures as SVG in the style of the report: small, sharp, light and dark.

A figure is a few panels side by side. Colours are the report's variables, so that a
figure in a page follows its theme; `standalone` gives them their values for a file of
its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evidence.papers.axes import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Axes,
    ends,
    log_ticks,
    text,
    ticks,
)

LEGEND_LINE, LETTER = 18, 7.2  # height of a line of the legend, width of a letter
N_COLOURS = 8
DASHES = ("", "7 4", "2 3", "9 3 2 3")

LIGHT = {
    "--paper": "#fdfdfb",
    "--ink": "#1d2327",
    "--quiet": "#5a636a",
    "--line": "#dddfda",
}
DARK = {
    "--paper": "#14181a",
    "--ink": "#e6e9e8",
    "--quiet": "#a3adb2",
    "--line": "#343c40",
}
SERIES = (
    *("#0b6b72", "#b8480a", "#5a50b0", "#94701a"),
    *("#a63a78", "#4b565e", "#3c7fb8", "#6b8a1e"),
)
SERIES_DARK = (
    *("#64c8cc", "#f0a072", "#aea6f5", "#dcbc62"),
    *("#e993c3", "#bcc5ca", "#86bdec", "#b3d06a"),
)


@dataclass(frozen=True)
class Series:
    """Points of a panel, joined by a line or not.

    Parameters
    ----------
    label : str
    x, y : sequence or array of float
    spread : sequence of float, optional
        Standard deviations, drawn as a band.
    points : bool, default=False
        Whether to draw points in place of a line.
    control : bool, default=False
        Whether it is what others are held against: grey and dotted.
    """

    label: str
    x: Any
    y: Any
    spread: Any = None
    points: bool = False
    control: bool = False


@dataclass(frozen=True)
class Lines:
    """A panel with axes.

    Parameters
    ----------
    series : sequence of Series
    x_label, y_label, title : str
    log_x : bool, default=False
    diagonal : bool, default=False
        Whether to draw the line x = y and to give both axes the same ends.
    """

    series: Sequence[Series]
    x_label: str = ""
    y_label: str = ""
    title: str = ""
    log_x: bool = False
    diagonal: bool = False


@dataclass(frozen=True)
class Bars:
    """A panel with a bar for each label, and standard deviations as whiskers."""

    labels: Sequence[str]
    values: Sequence[float]
    spread: Sequence[float] | None = None
    x_label: str = ""
    y_label: str = ""
    title: str = ""


@dataclass(frozen=True)
class Pixels:
    """A panel with an image, dark where a value is high."""

    values: Any  # (height, width), from 0 to 1
    title: str = ""


Panel = Lines | Bars | Pixels


@dataclass(frozen=True)
class Figure:
    """Panels side by side, with one caption."""

    key: str  # names its file: "figure-1"
    caption: str
    panels: Sequence[Panel]


def draw(figure: Figure) -> str:
    """The figure as an SVG element that takes its colours from the page."""
    n = len(figure.panels)
    columns = 2 if n == 4 else min(n, 3)
    rows = -(-n // columns)
    height = HEIGHT + max(_legend_height(panel) for panel in figure.panels)
    parts = []
    for i, panel in enumerate(figure.panels):
        at = (i % columns) * WIDTH, (i // columns) * height
        parts.append(f'<g transform="translate({at[0]} {at[1]})">{_panel(panel)}</g>')
    size = columns * WIDTH, rows * height
    label = escape(figure.caption, quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" '
        f'role="img" aria-label="{label}" width="{size[0]}" height="{size[1]}" '
        'style="max-width:100%;height:auto" '
        f'font-family="sans-serif" font-size="12">{"".join(parts)}</svg>'
    )


def standalone(figure: Figure) -> str:
    """The figure as a file of its own, light or dark as the reader's browser is."""
    style = (
        f"<style>:root{{{_variables(LIGHT, SERIES)}}}"
        f"@media(prefers-color-scheme:dark){{:root{{{_variables(DARK, SERIES_DARK)}}}}}"
        "svg{background:var(--paper)}</style>"
    )
    drawn = draw(figure)
    place = drawn.index(">") + 1
    return f"{drawn[:place]}{style}{drawn[place:]}\n"


def _variables(named: dict[str, str], series: Sequence[str]) -> str:
    colours = {f"--s{i}": value for i, value in enumerate(series)}
    return ";".join(f"{name}:{value}" for name, value in {**named, **colours}.items())


def _panel(panel: Panel) -> str:
    if isinstance(panel, Pixels):
        return _pixels(panel)
    return _bars(panel) if isinstance(panel, Bars) else _lines(panel)


def _lines(panel: Lines) -> str:
    xs = np.concatenate([np.asarray(s.x, float) for s in panel.series])
    ys = np.concatenate([_reach(s) for s in panel.series])
    x, y = ends(xs, panel.log_x), ends(ys)
    if panel.diagonal:
        x = y = min(x[0], y[0]), max(x[1], y[1])
    axes = Axes(x, y, panel.log_x)
    parts = [
        axes.frame(
            (panel.title, panel.x_label, panel.y_label),
            log_ticks(*x) if panel.log_x else ticks(*x),
        )
    ]
    if panel.diagonal:
        corners = [f"{axes.at_x(v)} {axes.at_y(v)}" for v in x]
        parts.append(f'<path d="M{"L".join(corners)}" stroke="var(--quiet)"/>')
    legend = iter(_legend_places([s.label for s in panel.series]))
    colour = 0
    for place, series in enumerate(panel.series):
        paint = "var(--quiet)" if series.control else f"var(--s{colour % N_COLOURS})"
        dash = "2 3" if series.control else DASHES[colour // 2 % len(DASHES)]
        colour += not series.control
        parts.append(_series(axes, series, paint, dash, place))
        if series.label:
            parts.append(_legend(next(legend), series, paint, dash, place))
    return "".join(parts)


def _reach(series: Series) -> NDArray[Any]:
    y = np.asarray(series.y, float)
    if series.spread is None:
        return y
    spread = np.asarray(series.spread, float)
    return np.concatenate([y - spread, y + spread])


def _series(axes: Axes, series: Series, paint: str, dash: str, place: int) -> str:
    points = [
        (axes.at_x(x), axes.at_y(y)) for x, y in zip(series.x, series.y, strict=True)
    ]
    if series.points:
        return "".join(_mark(x, y, paint, place) for x, y in points)
    parts = []
    if series.spread is not None:
        spread = np.asarray(series.spread, float)
        y = np.asarray(series.y, float)
        up = [*zip(series.x, y + spread, strict=True)]
        down = [*zip(series.x, y - spread, strict=True)]
        band = "L".join(f"{axes.at_x(a)} {axes.at_y(b)}" for a, b in up + down[::-1])
        parts.append(f'<path d="M{band}Z" fill="{paint}" opacity="0.13"/>')
    line = "L".join(f"{x} {y}" for x, y in points)
    parts.append(
        f'<path d="M{line}" fill="none" stroke="{paint}" stroke-width="1.8" '
        f'stroke-dasharray="{dash}"/>'
    )
    return "".join(parts)


def _mark(x: float, y: float, paint: str, shape: int) -> str:
    """A disc, a cross, a ring … so that colour is not all that tells series apart."""
    if shape % 3 == 1:
        cross = f"M{x - 3.5} {y - 3.5}l7 7m0 -7l-7 7"
        return f'<path d="{cross}" stroke="{paint}" stroke-width="1.6" fill="none"/>'
    fill = paint if shape % 3 == 0 else "none"
    return (
        f'<circle cx="{x}" cy="{y}" r="3.4" fill="{fill}" stroke="{paint}" '
        'stroke-width="1.4"/>'
    )


def _legend_height(panel: Panel) -> int:
    """Room for the legend below the axes."""
    if not isinstance(panel, Lines):
        return 0
    places = _legend_places([s.label for s in panel.series])
    return LEGEND_LINE * (1 + max((line for _, line in places), default=-1))


def _legend_places(labels: Sequence[str]) -> list[tuple[float, int]]:
    """Where each entry begins, and on which line, as in a running text."""
    x, line, places = float(LEFT), 0, []
    for label in labels:
        if not label:
            continue
        width = 44 + LETTER * len(label)
        if x > LEFT and x + width > WIDTH:
            x, line = float(LEFT), line + 1
        places.append((x, line))
        x += width
    return places


def _legend(
    at: tuple[float, int], series: Series, paint: str, dash: str, shape: int
) -> str:
    """An entry of the legend."""
    x, y = at[0], HEIGHT + 10 + LEGEND_LINE * at[1]
    sample = (
        _mark(x + 12, y - 4, paint, shape)
        if series.points
        else f'<path d="M{x} {y - 4}h24" stroke="{paint}" stroke-width="1.8" '
        f'stroke-dasharray="{dash}"/>'
    )
    return sample + text(x + 30, y, series.label, "start")


def _bars(panel: Bars) -> str:
    values = np.asarray(panel.values, float)
    spread = np.zeros(len(values)) if panel.spread is None else np.asarray(panel.spread)
    low, high = ends(np.concatenate([[0.0], values - spread, values + spread]))
    axes = Axes((0.5, len(values) + 0.5), (low, high))
    parts = [axes.frame((panel.title, panel.x_label, panel.y_label), ())]
    width = 0.7 * (WIDTH - LEFT - RIGHT) / len(values)
    for i, (value, sd) in enumerate(zip(values, spread, strict=True)):
        x, y, zero = axes.at_x(i + 1), axes.at_y(value), axes.at_y(0.0)
        top, height = min(y, zero), abs(zero - y)
        parts.append(
            f'<rect x="{x - width / 2:.1f}" y="{top}" width="{width:.1f}" '
            f'height="{height:.1f}" fill="var(--s0)"/>'
        )
        if sd:
            low, high = axes.at_y(value - sd), axes.at_y(value + sd)
            parts.append(f'<path d="M{x} {low}V{high}" stroke="var(--ink)"/>')
        parts.append(text(x, HEIGHT - BOTTOM + 16, panel.labels[i], quiet=True))
    return "".join(parts)


def _pixels(panel: Pixels) -> str:
    values = np.asarray(panel.values, float)
    height, width = values.shape
    room = min((HEIGHT - TOP - 10) / height, (WIDTH - 40) / width)
    left = (WIDTH - width * room) / 2
    box = (
        f'x="{left:.1f}" y="{TOP}" width="{width * room:.1f}" '
        f'height="{height * room:.1f}"'
    )
    parts = [text(left, 16, panel.title, "start", bold=True)]
    parts.append(f'<rect {box} fill="none" stroke="var(--quiet)"/>')
    for r, c in zip(*np.nonzero(values), strict=True):
        parts.append(
            f'<rect x="{left + c * room:.1f}" y="{TOP + r * room:.1f}" '
            f'width="{room:.1f}" height="{room:.1f}" fill="var(--s0)" '
            f'opacity="{values[r, c]:.2f}"/>'
        )
    return "".join(parts)
