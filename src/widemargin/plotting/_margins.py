"""Which features tell each class from the others, and which rows are hard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from widemargin._sklearn import _check_feature_names_in
from widemargin.base.scores import class_shares, leading_features
from widemargin.plotting._curve import Array, Display, shortened


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
        ax.set_yticks(np.arange(d), [shortened(name) for name in self.features])
        labels = [shortened(label) for label in self.classes]
        ax.set_xticks(np.arange(n_classes), labels, rotation=40, ha="right")
        for tick in ax.get_xticklabels():
            tick.set_rotation_mode("anchor")
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_title("By class" if self.method is None else f"{self.method}, by class")
        label = "share of the class's best feature"
        self.figure_.colorbar(image, ax=ax, label=label, shrink=0.8)
        return self
