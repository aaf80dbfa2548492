"""Where values lie in a panel of a figure, and the numbers beside the axes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT = 400, 290  # of a panel, in pixels
LEFT, RIGHT, TOP, BOTTOM = 56, 14, 34, 44
N_TICKS = 5


class Axes:
    """Where values lie in a panel."""

    def __init__(
        self, x: tuple[float, float], y: tuple[float, float], log_x: bool = False
    ) -> None:
        self.log_x = log_x
        self.x = tuple(map(log10, x)) if log_x else x
        self.y = y

    def at_x(self, value: float) -> float:
        """Pixels from the left."""
        value = log10(value) if self.log_x else value
        share = (value - self.x[0]) / ((self.x[1] - self.x[0]) or 1.0)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def at_y(self, value: float) -> float:
        """Pixels from the top."""
        share = (value - self.y[0]) / ((self.y[1] - self.y[0]) or 1.0)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)

    def frame(self, titles: tuple[str, str, str], x_ticks: Sequence[float]) -> str:
        """Lines of the grid, numbers, and titles: of the panel, of x and of y."""
        title, x_label, y_label = titles
        parts = [text(LEFT, 16, title, "start", bold=True)]
        for value in ticks(*self.y):
            y = self.at_y(value)
            parts.append(
                f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="var(--line)"/>'
            )
            parts.append(text(LEFT - 6, y + 4, number(value), "end", quiet=True))
        for value in x_ticks:
            x = self.at_x(value)
            parts.append(text(x, HEIGHT - BOTTOM + 16, number(value), quiet=True))
        middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
        parts.append(text(middle, HEIGHT - 8, x_label, quiet=True))
        height = TOP + (HEIGHT - TOP - BOTTOM) / 2
        parts.append(
            f'<g transform="translate(13 {height}) rotate(-90)">'
            f"{text(0, 0, y_label, quiet=True)}</g>"
        )
        return "".join(parts)


def text(
    x: float,
    y: float,
    words: str,
    anchor: str = "middle",
    *,
    quiet: bool = False,
    bold: bool = False,
) -> str:
    """Words at a place."""
    if not words:
        return ""
    paint = "var(--quiet)" if quiet else "var(--ink)"
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{paint}"{weight}>'
        f"{escape(words)}</text>"
    )


def ends(values: NDArray[Any], log: bool = False) -> tuple[float, float]:
    """The ends of an axis for these values, with some room."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    if low == high:
        return (low / 2, high * 2) if log and low > 0 else (low - 0.5, high + 0.5)
    room = 0.0 if log else 0.03 * (high - low)
    return low - room * (low != 0), high + room


def ticks(low: float, high: float) -> list[float]:
    """Round numbers between two ends, about five of them."""
    raw = (high - low) / N_TICKS
    if raw <= 0:
        return [low]
    unit = 10 ** floor(log10(raw))
    step = next(m * unit for m in (1, 2, 5, 10) if m * unit >= raw * 0.999)
    first = ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, floor(high / step + 1e-9) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks of a logarithmic axis."""
    if high / low < 10:
        return [v for v in ticks(low, high) if v > 0]
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    marks = [m * 10.0**p for p in powers for m in (1, 2, 5)]
    marks = [v for v in marks if low <= v <= high]
    return marks if len(marks) <= 9 else [v for v in marks if log10(v) % 1 == 0]


def number(value: float) -> str:
    """A number at a tick."""
    if value and (abs(value) >= 1e5 or abs(value) < 1e-3):
        return f"{value:.0e}"
    return f"{value:g}"
