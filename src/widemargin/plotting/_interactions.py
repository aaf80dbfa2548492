"""Which features work together, as a matrix; and how two of them do, as a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from widemargin.plotting._curve import Array, Display, shortened

MOST = 20  # features of a matrix
FEWEST = 2


@dataclass
class InteractionsDisplay(Display):
    """Which features work together, as a matrix of features by features.

    Parameters
    ----------
    values : array of shape (n_features, n_features)
        −log10 of the q-values of the pairs; NaN where there is none.
    labels : sequence of str
        Names of the features.
    level : float, default=0.05
        Pairs with a q-value below it are marked with a dot.

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure
    """

    values: Array
    labels: Sequence[str]
    level: float = 0.05

    @classmethod
    def from_interactions(
        cls, interactions: Any, *, most: int = MOST, ax: Any = None
    ) -> Self:
        """Draw the features of the strongest pairs.

        Parameters
        ----------
        interactions : Interactions
            What `widemargin.evaluation.interactions` returned.
        most : int, default=20
            Number of features to show at most.
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : InteractionsDisplay
            Drawn already.
        """
        pairs = interactions.pairs
        if not len(pairs):
            raise ValueError("InteractionsDisplay needs at least one pair, got none.")
        shown = list(dict.fromkeys(pairs.ravel().tolist()))[: max(FEWEST, most)]
        place = {f: i for i, f in enumerate(shown)}
        values = np.full((len(shown),) * 2, np.nan)
        q = np.maximum(interactions.q_values, 1e-300)
        for (a, b), height in zip(pairs.tolist(), -np.log10(q), strict=True):
            if a in place and b in place:
                values[[place[a], place[b]], [place[b], place[a]]] = height
        names = [str(interactions.names[f]) for f in shown]
        return cls(values, names, interactions.level).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes, or a new figure.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : InteractionsDisplay
            The display itself.
        """
        m = len(self.labels)
        side = max(2.4, 0.3 * m)
        ax = self._into(ax, (side + 2.6, side + 1.2), "compressed")
        edge = -np.log10(self.level)
        image = ax.imshow(self.values, cmap="Purples", vmin=0, vmax=max(10.0, 2 * edge))
        for i, j in np.argwhere(self.values > edge):
            self._write(i, j, "●", image.to_rgba(self.values[i, j]), 7)
        self._name_cells(self.labels, self.labels)
        label = f"−log10 q  (● q < {self.level:g})"
        self.figure_.colorbar(image, ax=ax, label=label, shrink=0.8, extend="max")
        return self


@dataclass
class PairDisplay(Display):
    """How two features work together: the mean target over the values of both.

    Parameters
    ----------
    picture : PairPicture
        What `Interactions.picture` returned.
    title : str, default=None
        The same in words.

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from widemargin.datasets import make_xor
    >>> from widemargin.evaluation import interactions
    >>> from widemargin.plotting import PairDisplay
    >>> X, y = make_xor(300, 5, n_relevant=2, random_state=0)
    >>> display = PairDisplay.from_interactions(interactions(X, y))
    >>> display.picture.a, display.picture.b
    ('x0', 'x1')
    """

    picture: Any
    title: str | None = None

    @classmethod
    def from_interactions(
        cls, interactions: Any, place: int = 0, *, ax: Any = None
    ) -> Self:
        """Draw one of the pairs.

        Parameters
        ----------
        interactions : Interactions
            What `widemargin.evaluation.interactions` returned.
        place : int, default=0
            Which pair, counted from the strongest.
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : PairDisplay
            Drawn already.
        """
        return cls(interactions.picture(place), interactions.sentence(place)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes, or a new figure.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : PairDisplay
            The display itself.
        """
        found = self.picture
        ax = self._into(ax, (5.2, 3.8), "compressed")
        share = found.what.startswith("share")
        image = ax.imshow(
            found.mean,
            cmap="PuOr_r",
            origin="lower",
            aspect="auto",
            vmin=0 if share else None,
            vmax=1 if share else None,
        )
        for (i, j), value in np.ndenumerate(found.mean):
            if not np.isnan(value):
                text = f"{100 * value:.0f} %" if share else f"{value:.3g}"
                self._write(i, j, text, image.to_rgba(value), 8)
        self._name_cells(found.rows, found.columns, rotation=25)
        ax.set(xlabel=shortened(found.b), ylabel=shortened(found.a), facecolor="0.85")
        if self.title:
            ax.set_title(self.title, fontsize=9, wrap=True)
        self.figure_.colorbar(image, ax=ax, label=found.what)
        return self
