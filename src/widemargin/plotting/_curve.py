"""Score of an estimator against the number of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from widemargin.judging.scores import measure
from widemargin.plotting._drawing import (
    Array,
    Display,
    no_frame,
    plain_numbers,
    shortened,
)

LINES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
DASHES = ["-", "--", "-.", ":"]
MARKERS = "osD^vP*"
RING = {"marker": "o", "markerfacecolor": "none"}


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
