"""Scores of features, best first, as bars or as a curve."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from widemargin.plotting._curve import (
    LONGEST,
    Array,
    Display,
    kept_title,
    no_frame,
    plain_numbers,
    shortened,
)
from widemargin.selection import names_of

KEPT, LEFT_OUT = "#0072B2", "#ADADAD"

MOST_BARS = 60  # features with a bar each; more are a curve
NAMED = 20  # the best of them, which are named beside it
ROOM = 7.5  # points of height that a bar with a readable name needs


@dataclass
class RankingDisplay(Display):
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
        ax.set_title(kept_title(self.method, self.support, "blue"), loc="left")
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
        no_frame(ax)

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
        plain_numbers(ax.xaxis)
        ax.grid(color="0.9")
        ax.set(xlabel="rank", ylabel="score")
        no_frame(ax)


def _names(selector: Any, feature_names: Any) -> Array:
    names = names_of(selector, feature_names)
    d = len(selector.scores_)
    if len(names) != d:
        raise ValueError(f"{d} features need {d} feature_names, got {len(names)}.")
    return np.array(names, dtype=object)


def _shaped(values: Any, shape: tuple[int, ...]) -> Array:
    values = np.asarray(values, dtype=np.float64)
    if values.shape != shape:
        raise ValueError(f"interval must have shape {shape}, got {values.shape}.")
    return values


def _short_names(names: Array, order: Array, longest: int) -> list[str]:
    """Short names of features, with the column number where they would be the same."""
    short = [shortened(names[f], longest) for f in order]
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
