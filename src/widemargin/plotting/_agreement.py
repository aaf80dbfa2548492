"""How much the rankings of several methods agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from widemargin.plotting._drawing import Array, Display, shortened


@dataclass
class AgreementDisplay(Display):
    """Agreement between methods, as a heat map.

    Parameters
    ----------
    values : array of shape (n_methods, n_methods)
        How much each method agrees with each.
    labels : sequence of str
        Names of the methods.
    kind : {"correlation", "overlap"}, default="correlation"
        What the values are.

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure
    """

    values: Array
    labels: Sequence[str]
    kind: str = "correlation"

    @classmethod
    def from_agreement(
        cls, agreement: Any, *, kind: str = "correlation", ax: Any = None
    ) -> Self:
        """Draw one of the tables of an agreement.

        Parameters
        ----------
        agreement : Agreement
            What `widemargin.evaluation.agreement` returned.
        kind : {"correlation", "overlap"}, default="correlation"
            Rank correlation of all features, or overlap of the kept ones.
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : AgreementDisplay
            Drawn already.
        """
        if kind not in ("correlation", "overlap"):
            raise ValueError(
                f"AgreementDisplay needs kind='correlation' or 'overlap', got {kind!r}."
            )
        values = np.asarray(getattr(agreement, kind))
        return cls(values, list(agreement.labels), kind).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes, or a new figure.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : AgreementDisplay
            The display itself.
        """
        m = len(self.labels)
        side = max(2.4, 0.62 * m)
        ax = self._into(ax, (side + 2.2, side + 1.2), "compressed")
        signed = self.kind == "correlation"
        image = ax.imshow(
            self.values,
            cmap="PuOr_r" if signed else "Purples",
            vmin=-1 if signed else 0,
            vmax=1,
        )
        names = [shortened(label) for label in self.labels]
        ax.set_xticks(np.arange(m), names, rotation=40, ha="right")
        ax.set_yticks(np.arange(m), names)
        for tick in ax.get_xticklabels():
            tick.set_rotation_mode("anchor")
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        label = "rank correlation" if signed else "overlap of kept features"
        self.figure_.colorbar(image, ax=ax, label=label, shrink=0.8)
        self._numbers(ax, image)
        return self

    def _numbers(self, ax: Any, image: Any) -> None:
        """Write the values into their cells, as large as these allow."""
        self.figure_.draw_without_rendering()  # only then do cells have a size
        cell = ax.get_window_extent().width / len(self.labels)
        # Four digits are about 2.4 times as wide as high.
        size = min(10.0, cell * 72 / self.figure_.dpi / 3.2)
        for (i, j), value in np.ndenumerate(self.values):
            text = "–" if np.isnan(value) else f"{value:.2f}"
            color = _readable_on(image.to_rgba(value))
            ax.text(j, i, text, ha="center", va="center", color=color, fontsize=size)


def _readable_on(color: Sequence[float]) -> str:
    """Black or white, whichever contrasts more (WCAG's relative luminance)."""
    rgb = np.asarray(color[:3])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return "black" if linear @ [0.2126, 0.7152, 0.0722] > 0.179 else "white"
