"""Scores against the number of features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from widemargin.data.frames import data_frame
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation import _html
from widemargin.judging.scores import fold_variance

if TYPE_CHECKING:
    import pandas as pd


class Line(NamedTuple):
    """One method's curve: mean score over the folds, and its standard error."""

    sizes: Ints
    mean: Floats
    stderr: Floats


_COLUMNS = [
    "best_n_features",
    "best_score",
    "best_stderr",
    "score_all",
    "area",
    "fit_time",
]


@dataclass(frozen=True)
class Baseline:
    """A feature set of the caller's own, in the same folds as the curves."""

    LABEL: ClassVar[str] = "baseline"  # of its row in tables

    features: Ints  # columns, ascending
    score: float
    stderr: float


@dataclass(frozen=True, repr=False)
class SelectionCurve:
    """Cross-validated scores of a classifier against the number of features.

    Made by `selection_curve`.

    Attributes
    ----------
    frame : DataFrame
        One row for each method, fold and size, with columns method, fold, n_features,
        score and fit_time, the seconds that the selector took in this fold.
    methods : tuple of str
        Labels of the selectors, in the order they were given.
    baseline : array of shape (n_folds,)
        Score of each fold with all features; NaN where a fold was not finished.
    n_features_in : int
        Number of features.
    scoring : str
        Name of the score.
    complete : bool
        False if the computation was interrupted: the frame then has the finished
        folds only.
    reference : array of int or None
        Columns given as ``baseline``; None if there are none.
    reference_scores : array of shape (n_folds,) or None
        Score of each fold with exactly these columns.
    repeat : array of shape (n_folds,) or None
        Repeat that each fold belongs to; None for one repeat. Folds of one repeat test
        different rows, so standard errors are those of one repeat.
    """

    frame: pd.DataFrame
    methods: tuple[str, ...]
    baseline: Floats
    n_features_in: int
    scoring: str
    complete: bool
    reference: Ints | None = None
    reference_scores: Floats | None = None
    repeat: Ints | None = None

    def __repr__(self) -> str:
        sizes = self.frame["n_features"].nunique()
        state = "" if self.complete else ", interrupted"
        return (
            f"SelectionCurve({', '.join(self.methods)}: {sizes} sizes, "
            f"{len(self.baseline)} folds, {self.scoring}{state})"
        )

    @cached_property
    def lines(self) -> dict[str, Line]:
        """Mean and standard error by method; those without a finished fold left out."""
        lines = {}
        for label in self.methods:
            rows = self.frame[self.frame["method"] == label]
            if len(rows):
                scores = self._by_fold(rows)
                values = scores.to_numpy(np.float64)
                lines[label] = Line(
                    scores.columns.to_numpy(),
                    scores.mean().to_numpy(np.float64),
                    self._error_of(values, scores.index.to_numpy()),
                )
        return lines

    def _error_of(self, scores: Floats, folds: Ints) -> Floats:
        """Standard error of the mean of scores of some folds.

        A fold without a score, such as an AUC of rows of one class, does not count.
        """
        there = ~np.isnan(scores.reshape(len(folds), -1)).any(axis=1)
        repeat = np.zeros(len(self.baseline), np.int64)
        if self.repeat is not None:
            repeat = self.repeat
        return np.sqrt(fold_variance(scores[there], repeat[folds[there]]))

    @staticmethod
    def _by_fold(frame: pd.DataFrame) -> pd.DataFrame:
        """Scores of one method, a row for each fold and a column for each size."""
        return frame.pivot(index="fold", columns="n_features", values="score")

    def _repr_html_(self) -> str:
        return _html.selection_curve(self)

    def summary(self) -> pd.DataFrame:
        """One row per method: where its curve is highest, and how high.

        Returns
        -------
        summary : DataFrame
            Indexed by method, with columns best_n_features (the smallest size of the
            best mean score), best_score, best_stderr (standard error of that mean
            over the folds), score_all (mean score with all features), area (mean
            height of the curve: its area over its width) and fit_time (mean seconds
            of one fit of the selector).
        """
        columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        for method in self.methods:
            for name, value in zip(_COLUMNS, self._summarize(method), strict=True):
                columns[name].append(value)
        summary = data_frame({"method": self.methods, **columns}).set_index("method")
        # A method without a finished fold has no best size.
        return summary.astype({"best_n_features": "Int64"})

    def _summarize(self, method: str) -> list[Any]:
        rows = self.frame[self.frame["method"] == method]
        if not len(rows):
            return [np.nan] * len(_COLUMNS)
        scores = self._by_fold(rows)
        sizes, mean, errors = self.lines[method]
        best = int(np.argmax(mean))
        width = sizes[-1] - sizes[0]
        area = np.trapezoid(mean, sizes) / width if width else mean[0]
        return [
            int(sizes[best]),
            mean[best],
            errors[best] if len(scores) > 1 else np.nan,
            self.baseline[scores.index].mean(),
            area,
            rows.groupby("fold")["fit_time"].first().mean(),
        ]

    def _reference_score(self) -> Baseline | None:
        """Score of the columns given as ``baseline``; None if there is none."""
        if self.reference is None:
            return None
        scores = np.asarray(self.reference_scores, np.float64)
        folds = np.flatnonzero(~np.isnan(scores))
        if not len(folds):
            return None
        error = self._error_of(scores[folds], folds)
        return Baseline(self.reference, float(scores[folds].mean()), float(error))

    def plot(self, ax: Any = None) -> Any:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : SelectionCurveDisplay
            With ``ax_`` and ``figure_``.
        """
        from widemargin.plotting import SelectionCurveDisplay

        return SelectionCurveDisplay.from_curve(self, ax=ax)
