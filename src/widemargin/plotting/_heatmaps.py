"""Heat maps: agreement between methods, and scores of the pixels of an image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from widemargin.plotting._curve import Array, Display, kept_title

ACCENT = "#D55E00"


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
        self._name_cells(self.labels, self.labels)
        label = "rank correlation" if signed else "overlap of kept features"
        self.figure_.colorbar(image, ax=ax, label=label, shrink=0.8)
        self.figure_.draw_without_rendering()  # only then do cells have a size
        cell = ax.get_window_extent().width / m
        # Four digits are about 2.4 times as wide as high.
        size = min(10.0, cell * 72 / self.figure_.dpi / 3.2)
        for (i, j), value in np.ndenumerate(self.values):
            text = "–" if np.isnan(value) else f"{value:.2f}"
            self._write(i, j, text, image.to_rgba(value), size)
        return self


@dataclass
class FeatureMapDisplay(Display):
    """Scores of pixels as an image, with the kept ones outlined.

    If the kept pixels are so scattered that outlines would hide the image, the other
    pixels are shown in grey.

    Parameters
    ----------
    scores : array of shape (height, width)
        Of the pixels; higher is better.
    support : array of bool of shape (height, width)
        Which pixels are kept.
    background : array of shape (height, width), default=None
        A picture, such as the mean of all images, to show where the kept pixels are:
        they are coloured by their scores, the rest is grey.
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
    >>> from sklearn.datasets import load_digits
    >>> from widemargin.baselines import FisherScore
    >>> from widemargin.plotting import FeatureMapDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> digits = FisherScore(20).fit(X, y)
    >>> display = FeatureMapDisplay.from_estimator(digits, (8, 8), top=10)
    >>> int(display.support.sum())
    10
    """

    scores: Array
    support: Array
    background: Array | None = None
    method: str | None = None

    @classmethod
    def from_estimator(
        cls,
        selector: Any,
        image_shape: tuple[int, int],
        *,
        top: int | None = None,
        background: Any = None,
        order: Literal["C", "F"] = "C",
        ax: Any = None,
    ) -> Self:
        """Draw the scores of a selector that was fitted to flattened images.

        Parameters
        ----------
        selector : fitted selector
            With ``scores_`` and ``ranking_``.
        image_shape : (height, width)
            Of the images whose pixels the features are.
        top : int, default=None
            Mark that many of the best features instead of the kept ones.
        background : array-like of n_features or image_shape, optional
            A picture to draw the kept pixels on, such as ``X.mean(axis=0)``.
        order : {"C", "F"}, default="C"
            Whether images were flattened row by row, or column by column as MATLAB
            does.
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : FeatureMapDisplay
            Drawn already.
        """
        check_is_fitted(selector)
        support = selector.get_support() if top is None else selector.ranking_ <= top

        def image(values: Any) -> Array:
            return _image(values, image_shape, order)

        return cls(
            scores=image(selector.scores_),
            support=image(support),
            background=None if background is None else image(background),
            method=type(selector).__name__,
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes, or a new figure.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : FeatureMapDisplay
            The display itself.
        """
        height, width = self.scores.shape
        scale = 4.2 / max(height, width)
        size = max(2.0, scale * width) + 1.6, scale * height + 0.8
        ax = self._into(ax, size, "compressed")
        shown, border = self.scores, self._border()
        scattered = len(border) > 4 * (height + width)
        if self.background is not None:
            ax.imshow(self.background, cmap="gray", interpolation="nearest")
        if self.background is not None or scattered:
            shown = np.ma.masked_where(~self.support, self.scores)
        image = ax.imshow(shown, cmap="viridis", interpolation="nearest")
        if not scattered:
            _draw_lines(ax, border)
        ax.set(xticks=[], yticks=[], facecolor="0.85")
        ax.spines[:].set_visible(False)
        how = "in colour" if shown is not self.scores else "outlined"
        ax.set_title(kept_title(self.method, self.support, how))
        self.figure_.colorbar(image, ax=ax, label="score")
        return self

    def _border(self) -> Array:
        """Lines between kept and other pixels, each (x, y) to (x, y)."""
        kept = np.pad(self.support, 1)
        y, x = np.nonzero(kept[:, 1:] != kept[:, :-1])
        upright = np.stack([x - 0.5, y - 1.5, x - 0.5, y - 0.5], axis=1)
        y, x = np.nonzero(kept[1:] != kept[:-1])
        level = np.stack([x - 1.5, y - 0.5, x - 0.5, y - 0.5], axis=1)
        return np.concatenate([upright, level]).reshape(-1, 2, 2)


def _image(values: Any, shape: tuple[int, int], order: Literal["C", "F"]) -> Array:
    values = np.asarray(values)
    if len(shape) != 2 or values.size != shape[0] * shape[1]:
        raise ValueError(
            f"image_shape must be (height, width) with height × width = {values.size} "
            f"features, got {shape}."
        )
    if values.shape == tuple(shape):
        return values
    return np.reshape(values, shape, order=order)


def _draw_lines(ax: Any, segments: Array) -> None:
    from matplotlib.collections import LineCollection

    lines = LineCollection(list(segments), colors=ACCENT, linewidths=2, clip_on=False)
    ax.add_collection(lines, autolim=False)
