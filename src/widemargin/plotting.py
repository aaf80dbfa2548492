"""Pictures of rankings, curves and agreement, in the manner of scikit-learn's Displays.

``from_estimator`` (or ``from_curve``, ``from_agreement``) makes a Display of a result,
draws it and returns it; ``plot`` draws it again, as often as wanted. ``ax_`` and
``figure_`` are the last drawing. Matplotlib is imported when something is drawn.

Colours are those of Okabe and Ito, which people with any kind of colour vision can
tell apart; where they carry meaning, shape or text says the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from widemargin.measures import measure

__all__ = [
    "AgreementDisplay",
    "FeatureMapDisplay",
    "RankingDisplay",
    "SelectionCurveDisplay",
]

KEPT, LEFT_OUT, ACCENT = "#0072B2", "#ADADAD", "#D55E00"
LINES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
DASHES = ["-", "--", "-.", ":"]
MARKERS = "osD^vP*"

MOST_BARS = 60  # features with a bar each; more are a curve
NAMED = 20  # the best of them, which are named beside it
LONGEST = 30  # characters of a name
ROOM = 7.5  # points of height that a bar with a readable name needs

Array = NDArray[Any]


@dataclass
class _Display:
    """What all Displays share: where they were drawn."""

    ax_: Any = field(init=False, repr=False, default=None)
    figure_: Any = field(init=False, repr=False, default=None)

    def _into(
        self, ax: Any, size: tuple[float, float], layout: str = "constrained"
    ) -> Any:
        """The axes to draw into: the caller's, or new ones of a fitting size."""
        if ax is None:
            _, ax = _pyplot().subplots(figsize=size, layout=layout)
        self.ax_, self.figure_ = ax, ax.figure
        return ax


@dataclass
class RankingDisplay(_Display):
    """Scores of features, best first.

    Up to 60 features have a bar each. More than that, or more than fit into the given
    axes, are drawn as a curve over the ranks, with the best 20 labelled.

    Parameters
    ----------
    scores : array of shape (n_features,)
        Higher is better.
    ranking : array of shape (n_features,)
        1 for the best.
    support : array of bool of shape (n_features,)
        Which features are kept.
    feature_names : array of str of shape (n_features,)
        In the order of the scores.
    interval : array of shape (n_features, 2), optional
        Ends of an interval of each score.
    top : int, optional
        Show only the best ones.
    method : str, optional
        Where the scores come from.

    Attributes
    ----------
    ax_ : matplotlib axes
        The bars, or the curve.
    top_ax_ : matplotlib axes or None
        The named bars beside a curve.
    figure_ : matplotlib figure

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from widemargin import ReliefF
    >>> from widemargin.plotting import RankingDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = RankingDisplay.from_estimator(ReliefF().fit(X, y))
    >>> [label.get_text() for label in display.ax_.get_yticklabels()][:2]
    ['petal width (cm)', 'petal length (cm)']
    """

    scores: Array
    ranking: Array
    support: Array
    feature_names: Array
    interval: Array | None = None
    top: int | None = None
    method: str | None = None
    top_ax_: Any = field(init=False, repr=False, default=None)

    @classmethod
    def from_estimator(
        cls,
        selector: Any,
        *,
        top: int | None = None,
        interval: Any = None,
        ax: Any = None,
        feature_names: Any = None,
    ) -> Self:
        """Draw the ranking of a fitted selector.

        Parameters
        ----------
        selector : fitted selector
            With ``scores_`` and ``ranking_``.
        top : int, optional
            Show only the best ones, each with its bar.
        interval : array-like of shape (n_features, 2), optional
            Ends of an interval of each score; default ``scores_interval_``, if the
            selector has it.
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.
        feature_names : array-like of str, default=None
            None takes ``feature_names_in_`` or, without it, the names x0, x1 and so on.

        Returns
        -------
        display : RankingDisplay
            Drawn already.
        """
        check_is_fitted(selector)
        names = _names(selector, feature_names)
        if interval is None:
            interval = getattr(selector, "scores_interval_", None)
        return cls(
            scores=selector.scores_,
            ranking=selector.ranking_,
            support=selector.get_support(),
            feature_names=names,
            interval=None if interval is None else _shaped(interval, (len(names), 2)),
            top=top,
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
        display : RankingDisplay
            The display itself.
        """
        order = np.argsort(self.ranking, kind="stable")
        self.top_ax_ = None
        if self.top is not None or len(order) <= _most_bars(ax):
            order = order[: self.top]
            ax = self._into(ax, (6.4, max(1.6, 0.9 + 0.19 * len(order))))
            self._bars(ax, order)
        else:
            ax, self.top_ax_ = self._curve_and_top(ax)
            self._curve(ax, order)
            if self.top_ax_ is not None:
                engine = self.figure_.get_layout_engine()
                self._bars(self.top_ax_, order[:NAMED], 22 if engine else 14)
                self.top_ax_.set_title(f"the first {NAMED}", loc="left")
        # A legend would sooner or later hide a bar.
        ax.set_title(_title(self.method, self.support, "blue"), loc="left")
        return self

    def _bars(self, ax: Any, order: Array, longest: int = LONGEST) -> None:
        places = np.arange(len(order))
        colors = np.where(self.support[order], KEPT, LEFT_OUT)
        ax.barh(places, self.scores[order], color=colors, height=0.75)
        if self.interval is not None:
            ax.errorbar(
                self.scores[order],
                places,
                xerr=self._errors(order),
                fmt="none",
                ecolor="0.25",
                elinewidth=1,
                capsize=2,
            )
        names = _short_names(self.feature_names, order, longest)
        ax.set_yticks(places, names, fontsize=_fitting(ax, len(order)))
        ax.set_ylim(len(order) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.axvline(0, color="0.25", linewidth=0.8)
        ax.grid(axis="x", color="0.9")
        ax.set_axisbelow(True)
        ax.set_xlabel("score")
        _no_frame(ax)

    def _errors(self, order: Array) -> Array:
        """Lengths of the error bars to both sides, as matplotlib wants them."""
        assert self.interval is not None
        low, high = self.interval[order].T
        scores = self.scores[order]
        return np.maximum([scores - low, high - scores], 0.0)

    def _curve_and_top(self, ax: Any) -> tuple[Any, Any]:
        """Axes for the curve and, if there is room to divide, for the named ones."""
        ax = self._into(ax, (9.6, 4.8))
        if (place := ax.get_subplotspec()) is None:
            return ax, None
        # A layout engine finds the room for names by itself.
        room = None if self.figure_.get_layout_engine() else 0.7
        parts = place.subgridspec(1, 2, width_ratios=[5, 3], wspace=room)
        ax.set_subplotspec(parts[0])
        return ax, self.figure_.add_subplot(parts[1])

    def _curve(self, ax: Any, order: Array) -> None:
        ranks, scores = np.arange(1, len(order) + 1), self.scores[order]
        if self.interval is not None:
            low, high = self.interval[order].T
            ax.fill_between(ranks, low, high, color="0.85", linewidth=0)
        kept = self.support[order]
        ax.plot(ranks, scores, color=LEFT_OUT, linewidth=2.5)
        ax.plot(ranks[kept], scores[kept], color=KEPT, linewidth=2.5)
        ax.axvspan(0.8, kept.sum() + 0.5, color=KEPT, alpha=0.1, linewidth=0)
        ax.axhline(0, color="0.25", linewidth=0.8)
        ax.set_xscale("log")
        ax.set_xlim(0.8, len(order) * 1.2)
        _plain_numbers(ax.xaxis)
        ax.grid(color="0.9")
        ax.set(xlabel="rank", ylabel="score")
        _no_frame(ax)


class _Line(NamedTuple):
    """One method's curve."""

    sizes: Array
    mean: Array
    stderr: Array


@dataclass
class SelectionCurveDisplay(_Display):
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
        lines = {str(label): _Line(*line) for label, line in curve.lines.items()}
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
            self._line(ax, i, label, _Line(sizes, read.sign * mean, stderr))
        ring = {"marker": "o", "markersize": 9, "markerfacecolor": "none"}
        ax.plot([], [], color="0.4", linestyle="none", **ring, label="best of a method")
        if self.chance is not None:
            height = read.sign * self.chance
            label = f"guessing ({height:.2f})"
            ax.axhline(height, color="0.4", linestyle=(0, (2, 2)), label=label)
        sizes = np.concatenate([np.asarray(line[0]) for line in self.lines.values()])
        if sizes.max() > 100 * sizes.min():
            ax.set_xscale("log")
            _plain_numbers(ax.xaxis)
        else:
            ax.xaxis.get_major_locator().set_params(integer=True)
        ax.grid(color="0.9")
        ax.set(xlabel="number of features", ylabel=read.axis)
        ax.legend(
            loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, borderaxespad=0
        )
        _no_frame(ax)
        return self

    def _line(self, ax: Any, i: int, label: str, line: _Line) -> None:
        color = LINES[i % len(LINES)]
        marker = MARKERS[i % len(MARKERS)] if len(line.sizes) <= 30 else None
        ax.plot(
            line.sizes,
            line.mean,
            color=color,
            linestyle=DASHES[i // len(LINES) % len(DASHES)],
            marker=marker,
            markersize=4,
            label=_short(label),
        )
        ax.fill_between(
            line.sizes,
            line.mean - line.stderr,
            line.mean + line.stderr,
            color=color,
            alpha=0.12,
            linewidth=0,
        )
        best = int(np.argmax(measure(self.scoring).sign * line.mean))
        ax.plot(
            line.sizes[best],
            line.mean[best],
            marker="o",
            markersize=11,
            markerfacecolor="none",
            markeredgecolor=color,
            markeredgewidth=1.5,
        )


@dataclass
class AgreementDisplay(_Display):
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
        names = [_short(label) for label in self.labels]
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


@dataclass
class FeatureMapDisplay(_Display):
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
        ax.set_title(_title(self.method, self.support, how))
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


def __dir__() -> list[str]:
    return sorted(__all__)


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "Pictures need matplotlib, which is not installed: "
            'pip install "widemargin[plot]"'
        ) from error
    return pyplot


def _names(selector: Any, feature_names: Any) -> Array:
    d = len(selector.scores_)
    if feature_names is None:
        feature_names = getattr(selector, "feature_names_in_", None)
    if feature_names is None:
        feature_names = [f"x{f}" for f in range(d)]
    names = np.array([str(name) for name in feature_names], dtype=object)
    if len(names) != d:
        raise ValueError(f"{d} features need {d} feature_names, got {len(names)}.")
    return names


def _shaped(values: Any, shape: tuple[int, ...]) -> Array:
    values = np.asarray(values, dtype=np.float64)
    if values.shape != shape:
        raise ValueError(f"interval must have shape {shape}, got {values.shape}.")
    return values


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


def _short(name: Any, longest: int = LONGEST) -> str:
    """Cut out the middle of a long name: beginnings and ends tell names apart."""
    name = str(name)
    if len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f"{name[: longest - 1 - half]}…{name[-half:]}"


def _short_names(names: Array, order: Array, longest: int) -> list[str]:
    """Short names of features, with the column number where they would be the same."""
    short = [_short(names[f], longest) for f in order]
    count = Counter(short)
    return [
        f"{str(names[f])[: longest - 8]}… #{f}" if count[name] > 1 else name
        for name, f in zip(short, order, strict=True)
    ]


def _fitting(ax: Any, n: int) -> float:
    """Font size in points at which n lines fit the height of the axes."""
    return float(np.clip(0.8 * _height(ax) / n, 4.0, 9.0))


def _most_bars(ax: Any) -> int:
    """How many bars a new figure, or the caller's axes, can hold."""
    return MOST_BARS if ax is None else int(_height(ax) / ROOM)


def _height(ax: Any) -> float:
    """Of axes, in points."""
    return float(ax.get_window_extent().height * 72 / ax.figure.dpi)


def _readable_on(color: Sequence[float]) -> str:
    """Black or white, whichever contrasts more (WCAG's relative luminance)."""
    rgb = np.asarray(color[:3])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return "black" if linear @ [0.2126, 0.7152, 0.0722] > 0.179 else "white"


def _draw_lines(ax: Any, segments: Array) -> None:
    from matplotlib.collections import LineCollection

    lines = LineCollection(list(segments), colors=ACCENT, linewidths=2, clip_on=False)
    ax.add_collection(lines, autolim=False)


def _title(method: str | None, support: Array, how: str) -> str:
    """Whose ranking it is, and how to tell which features are kept."""
    kept = f"{support.sum()} of {support.size} kept ({how})"
    return kept if method is None else f"{method}: {kept}"


def _plain_numbers(axis: Any) -> None:
    """1, 10, 100 instead of powers of ten."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _no_frame(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)
