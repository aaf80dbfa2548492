"""What all pictures share, and the score against the number of features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from widemargin.judging.scores import measure

LONGEST = 30  # characters of a name
LINES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
DASHES = ["-", "--", "-.", ":"]
MARKERS = "osD^vP*"
RING = {"marker": "o", "markerfacecolor": "none"}


Array = NDArray[Any]


@dataclass
class Display:
    """What all Displays share: where they were drawn."""

    ax_: Any = field(init=False, repr=False, default=None)
    figure_: Any = field(init=False, repr=False, default=None)

    def _into(
        self, ax: Any, size: tuple[float, float], layout: str = "constrained"
    ) -> Any:
        """The axes to draw into: the caller's, or new ones of a fitting size."""
        if ax is None:
            _, ax = import_pyplot().subplots(figsize=size, layout=layout)
        self.ax_, self.figure_ = ax, ax.figure
        return ax

    def _name_cells(
        self, rows: Iterable[Any], columns: Iterable[Any], rotation: float = 40
    ) -> None:
        """Name the rows and columns of a matrix, which has no other lines."""
        for names, axis in (rows, self.ax_.yaxis), (columns, self.ax_.xaxis):
            short = [shortened(name) for name in names]
            axis.set_ticks(np.arange(len(short)), short)
        for tick in self.ax_.get_xticklabels():
            tick.set(rotation=rotation, ha="right", rotation_mode="anchor")
        self.ax_.tick_params(length=0)
        self.ax_.spines[:].set_visible(False)

    def _write(self, i: int, j: int, text: str, color: Any, size: float) -> None:
        """Write into a cell of this color, in black or white.

        In what contrasts more, by WCAG's relative luminance.
        """
        rgb = np.asarray(color[:3])
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        ink = "black" if linear @ [0.2126, 0.7152, 0.0722] > 0.179 else "white"
        self.ax_.text(j, i, text, ha="center", va="center", color=ink, fontsize=size)


def import_pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "Pictures need matplotlib, which is not installed: "
            'pip install "widemargin[plot]"'
        ) from error
    return pyplot


def shortened(name: Any, longest: int = LONGEST) -> str:
    """Cut out the middle of a long name: beginnings and ends tell names apart."""
    name = str(name)
    if len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f"{name[: longest - 1 - half]}…{name[-half:]}"


def kept_title(method: str | None, support: Array, how: str) -> str:
    """Whose ranking it is, and how to tell which features are kept."""
    kept = f"{support.sum()} of {support.size} kept ({how})"
    return kept if method is None else f"{method}: {kept}"


def plain_numbers(axis: Any) -> None:
    """1, 10, 100 instead of powers of ten."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def no_frame(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)


@dataclass
class SelectionCurveDisplay(Display):
    """Score of a classifier against the number of features, for several methods.

    Shows means over the folds with bands of one standard error, and a ring at the best
    size of each method. The axis is logarithmic if sizes span more than two decades.

    Parameters
    ----------
    lines : dict of label → (sizes, mean, stderr)
        A curve for each method.
    scoring : str, default="score"
        Name of the scorer. Of one that is called ``neg_…`` the loss itself is drawn,
        and the axis says that lower is better.
    chance : float, default=None
        The score of guessing, drawn as a line.

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure
    """

    lines: dict[str, Any]
    scoring: str = "score"
    chance: float | None = None

    @classmethod
    def from_curve(
        cls, curve: Any, *, chance: float | None = None, ax: Any = None
    ) -> Self:
        """Draw the means over the folds of a selection curve.

        Parameters
        ----------
        curve : SelectionCurve
            What `widemargin.evaluation.selection_curve` returned.
        chance : float, default=None
            The score of guessing, to compare with.
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : SelectionCurveDisplay
            Drawn already.
        """
        lines = {str(label): line for label, line in curve.lines.items()}
        return cls(lines, str(curve.scoring), chance).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes, or a new figure.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : SelectionCurveDisplay
            The display itself.
        """
        ax = self._into(ax, (7.2, 4.6))
        read = measure(self.scoring)
        for i, (label, line) in enumerate(self.lines.items()):
            sizes, mean, stderr = map(np.asarray, line)
            best = int(np.argmax(mean))
            self._line(ax, i, label, (sizes, read.sign * mean, stderr), best)
        ring = RING | {"markersize": 9, "linestyle": "none", "color": "0.4"}
        ax.plot([], [], label="best of a method", **ring)
        if self.chance is not None:
            height = read.sign * self.chance
            label = f"guessing ({height:.2f})"
            ax.axhline(height, color="0.4", linestyle=(0, (2, 2)), label=label)
        sizes = np.concatenate([np.asarray(line[0]) for line in self.lines.values()])
        if sizes.max() > 100 * sizes.min():
            ax.set_xscale("log")
            plain_numbers(ax.xaxis)
        else:
            ax.xaxis.get_major_locator().set_params(integer=True)
        ax.grid(color="0.9")
        ax.set(xlabel="number of features", ylabel=read.axis)
        ax.legend(
            loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, borderaxespad=0
        )
        no_frame(ax)
        return self

    def _line(
        self, ax: Any, i: int, label: str, line: tuple[Array, ...], best: int
    ) -> None:
        sizes, mean, stderr = line
        color = LINES[i % len(LINES)]
        ax.plot(
            sizes,
            mean,
            color=color,
            linestyle=DASHES[i // len(LINES) % len(DASHES)],
            marker=MARKERS[i % len(MARKERS)] if len(sizes) <= 30 else None,
            markersize=4,
            label=shortened(label),
        )
        band = {"color": color, "alpha": 0.12, "linewidth": 0}
        ax.fill_between(sizes, mean - stderr, mean + stderr, **band)
        ring = RING | {"markersize": 11, "markeredgewidth": 1.5}
        ax.plot(sizes[best], mean[best], markeredgecolor=color, **ring)
