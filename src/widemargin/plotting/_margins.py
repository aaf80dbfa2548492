"""Which features tell each class from the others, and which rows are hard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from widemargin._sklearn import _check_feature_names_in
from widemargin.base.scores import class_shares, leading_features
from widemargin.plotting._curve import LINES, Array, Display

N_NAMED = 8  # suspects whose row numbers are written


@dataclass
class ClassScoresDisplay(Display):
    """Which features tell each class from the others, as a heat map.

    A column is a class. Its darkest cell is the feature that contributes most to the
    scores by the rows of this class; the others are shares of it.

    Parameters
    ----------
    values : array of shape (n_features, n_classes)
        Scores by class, each class divided by its largest one.
    features : sequence of str
        Names of the features.
    classes : sequence of str
        Labels of the classes.
    method : str, default=None
        Where the scores come from.

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_wine
    >>> from widemargin import ReliefF
    >>> from widemargin.plotting import ClassScoresDisplay
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> display = ClassScoresDisplay.from_estimator(ReliefF().fit(X, y), top=5)
    >>> display.values.shape
    (5, 3)
    """

    values: Array
    features: Sequence[Any]
    classes: Sequence[Any]
    method: str | None = None

    @classmethod
    def from_estimator(cls, selector: Any, *, top: int = 12, ax: Any = None) -> Self:
        """Draw the scores by class of a fitted selector.

        Parameters
        ----------
        selector : fitted selector
            With ``scores_by_class_``, such as `widemargin.ReliefF`.
        top : int, default=12
            Number of features: those that some class needs most, best first.
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : ClassScoresDisplay
            Drawn already.
        """
        check_is_fitted(selector)
        if not hasattr(selector, "scores_by_class_"):
            raise ValueError(
                "ClassScoresDisplay needs a selector with scores_by_class_, such as "
                f"ReliefF fitted to classes, got {type(selector).__name__}."
            )
        shares = class_shares(selector.scores_by_class_)
        names = _check_feature_names_in(selector)
        shown = leading_features(shares, selector.ranking_, top)
        return cls(
            shares[:, shown].T,
            names[shown].tolist(),
            selector.classes_.tolist(),
            type(selector).__name__,
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes, or a new figure.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : ClassScoresDisplay
            The display itself.
        """
        d, n_classes = self.values.shape
        size = 3.6 + 0.5 * n_classes, 1.4 + 0.3 * d
        ax = self._into(ax, size, "compressed")
        image = ax.imshow(self.values, cmap="Purples", vmin=0, vmax=1, aspect="auto")
        self._name_cells(self.features, self.classes)
        ax.set_title("By class" if self.method is None else f"{self.method}, by class")
        label = "share of the class's best feature"
        self.figure_.colorbar(image, ax=ax, label=label, shrink=0.8)
        return self


@dataclass
class HardRowsDisplay(Display):
    """Margins of all rows, with those of probably mislabelled rows marked.

    Behind the margins are those that the expected number of wrong labels would have.

    Parameters
    ----------
    margins : array of shape (n_samples,)
        Ascending.
    rows : array of int of shape (n_samples,)
        Numbers of the rows.
    suspects : array of bool of shape (n_samples,)
        Which rows are probably mislabelled.
    exchanged : array
        Margins with other labels.
    expected : float
        Estimated number of wrong labels.

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure
    """

    margins: Array
    rows: Array
    suspects: Array
    exchanged: Array
    expected: float

    @classmethod
    def from_hard_rows(cls, found: Any, *, ax: Any = None) -> Self:
        """Draw what `widemargin.evaluation.hard_rows` returned.

        Parameters
        ----------
        found : HardRows
            Also `widemargin.evaluation.Comparison.hard_rows`.
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : HardRowsDisplay
            Drawn already.
        """
        known = found.margins, found.rows, found.suspects, found.exchanged
        return cls(*known, found.expected).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes, or a new figure.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : HardRowsDisplay
            The display itself.
        """
        ax = self._into(ax, (6.4, 3.2))
        bins = np.linspace(-1, 1, 41)
        counts, _ = np.histogram(self.margins, bins)
        wrong, _ = np.histogram(self.exchanged, bins)
        wrong = wrong * (self.expected / max(1, len(self.exchanged)))
        ax.stairs(counts, bins, fill=True, color=LINES[0], alpha=0.35, label="all rows")
        label = f"{self.expected:.0f} wrong labels, expected"
        ax.stairs(wrong, bins, color=LINES[1], linewidth=2, label=label)
        at = self.margins[self.suspects]
        ax.plot(at, np.zeros(len(at)), "|", color="black", markersize=14, clip_on=False)
        named = zip(at[:N_NAMED], self.rows[self.suspects][:N_NAMED], strict=True)
        for place, (margin, row) in enumerate(named):
            ax.annotate(
                str(row),
                (margin, 0),
                xytext=(0, 10 + 9 * (place % 3)),
                textcoords="offset points",
                ha="center",
                fontsize=8,
            )
        ax.axvline(0, color="0.6", linewidth=0.8)
        ax.set(xlim=(-1, 1), xlabel="margin", ylabel="rows")
        ax.margins(y=0.3)
        ax.legend(frameon=False, loc="upper left")
        return self
