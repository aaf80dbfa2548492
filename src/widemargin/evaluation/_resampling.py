"""How a selector fares on subsamples: selection frequency and rank intervals.

Reference
---------
N. Meinshausen, P. Bühlmann, *Stability selection*, Journal of the Royal Statistical
Society B 72, 2010 (subsamples of half the rows).
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from widemargin.data.dataset import Dataset, Names
from widemargin.data.frames import data_frame
from widemargin.data.protocol import Floats, Ints
from widemargin.data.read import read_dataset
from widemargin.evaluation import _html
from widemargin.evaluation._selectors import (
    Call,
    count_of,
    grouped_as,
    refit,
    scores_of,
    seeded,
    stoppable,
    task_for,
)
from widemargin.evaluation._stability import Stability, Supports, stability
from widemargin.judging.folds import group_codes, some_of_each

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Resampling:
    """Selections and rankings on many subsamples; returned by `resample`.

    Attributes
    ----------
    frequency : array of shape (n_features,)
        Fraction of subsamples in which each feature was selected.
    ranks : array of shape (n, n_features)
        Ranking in each subsample, 1 for the best.
    rank_low, rank_high : array of shape (n_features,)
        The interval that holds the central 90 % of a feature's ranks.
    scores : array of shape (n, n_features)
        Scores in each subsample.
    supports : array of shape (n, n_features)
        What was selected in each subsample.
    stability : Stability
        Nogueira's index of the selections, without an interval: the subsamples share
        rows, so they do not show how it would vary between independent tables.
    names : array of str of shape (n_features,)
    """

    frequency: Floats
    ranks: Ints
    rank_low: Ints
    rank_high: Ints
    scores: Floats
    supports: Supports
    stability: Stability
    names: Names

    @property
    def frame(self) -> pd.DataFrame:
        """One row per feature: frequency, rank_median, rank_low and rank_high."""
        return data_frame(
            {
                "feature": self.names,
                "frequency": self.frequency,
                "rank_median": np.median(self.ranks, axis=0),
                "rank_low": self.rank_low,
                "rank_high": self.rank_high,
            }
        )

    def _repr_html_(self) -> str:
        return _html.resampling(self)

    def __repr__(self) -> str:
        n, d = self.ranks.shape
        always = int(np.sum(self.frequency == 1))
        return (
            f"Resampling({n} subsamples, {d} features, {always} always selected, "
            f"stability {self.stability.value:.3f})"
        )


def resample(
    selector: Any,
    X: Any,
    y: Any = None,
    *,
    n: int = 50,
    fraction: float = 0.5,
    stratified: bool = True,
    groups: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Resampling:
    """Fit a selector on many subsamples, to see how stable its selection is.

    Parameters
    ----------
    selector : selector or str
        It is not changed. What it selects in each subsample is what counts, so set its
        ``n_features_to_select``. Or the name of a method, for its defaults.
    X : array-like or frame of shape (n_samples, n_features)
        What the selector takes.
    y : array-like of shape (n_samples,), optional
        Selectors that need no labels can do without.
    n : int
        Number of subsamples.
    fraction : float
        Share of the rows in each, drawn without replacement.
    stratified : bool
        Draw that share of every class, but at least two of its rows (or the one there
        is). Numbers in y have no classes.
    groups : array-like of shape (n_samples,), default=None
        Draw whole groups of rows: that share of the groups, stratified by the most
        frequent class of each.
    random_state : int, RandomState or None
        Draws the subsamples, and is the random state of a selector that has none of
        its own. All fits share that.
    n_jobs : int or None
        Fits at a time; None uses all cores.
    verbose : int
        Show progress if positive.

    Returns
    -------
    resampling : Resampling
        How often each feature was selected, and between which ranks it was.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin import ReliefF
    >>> from widemargin.evaluation import resample
    >>> X, y = load_iris(return_X_y=True)
    >>> result = resample(ReliefF(2), X, y, random_state=0)
    >>> result
    Resampling(50 subsamples, 4 features, 2 always selected, stability 1.000)
    >>> result.frequency
    array([0., 0., 1., 1.])
    """
    count_of("resample", "n", n, 2)
    if not isinstance(fraction, numbers.Real) or not 0 < float(fraction) < 1:
        raise ValueError(
            f"resample needs a fraction between 0 and 1, got {fraction!r}: the rows of "
            "each subsample are drawn without replacement."
        )
    task = task_for(selector, y, "resample")
    data = read_dataset(X, y, "resample", labels=y is not None, task=task)
    random = check_random_state(random_state)
    selector = seeded(selector, random, task=task)
    data = grouped_as(data, [selector], "resample")
    strata = np.zeros(data.shape[0], np.int64)
    if stratified and data.has_labels:
        strata = data.codes
    samples = _samples(
        strata, group_codes(groups, len(strata), "resample"), n, float(fraction), random
    )
    shape = len(samples), data.shape[1]
    scores, ranks = np.empty(shape), np.empty(shape, np.int64)
    supports = np.empty(shape, bool)

    def drawn(t: int) -> Dataset:
        return data.take(samples[t])

    def keep(t: int, fitted: Any) -> None:
        scores[t] = scores_of(fitted, "resample")
        ranks[t] = _ranking(fitted, scores[t])
        supports[t] = fitted.get_support()

    with stoppable("resample"):
        call = Call("resample", "subsamples", n_jobs, verbose)
        refit(selector, drawn, keep, len(samples), call)
    return Resampling(
        frequency=supports.mean(axis=0),
        ranks=ranks,
        # Ranks that occurred, so that the interval is of whole numbers.
        rank_low=np.quantile(ranks, 0.05, axis=0, method="lower").astype(np.int64),
        rank_high=np.quantile(ranks, 0.95, axis=0, method="higher").astype(np.int64),
        scores=scores,
        supports=supports,
        stability=stability(supports, confidence=None),
        names=data.names,
    )


def _samples(
    strata: Ints,
    groups: Ints | None,
    n: int,
    fraction: float,
    random: np.random.RandomState,
) -> list[Ints]:
    """Row numbers of ``n`` subsamples, of rows or of whole groups."""
    if groups is None:
        return [some_of_each(strata, fraction, random) for _ in range(n)]
    counts = np.zeros((groups.max() + 1, strata.max() + 1), np.int64)
    np.add.at(counts, (groups, strata), 1)
    by_group = counts.argmax(axis=1)
    drawn = (some_of_each(by_group, fraction, random) for _ in range(n))
    return [np.flatnonzero(np.isin(groups, some)) for some in drawn]


def _ranking(fitted: Any, scores: Floats) -> Ints:
    """The selector's own ranking, or that of its scores."""
    ranking = getattr(fitted, "ranking_", None)
    if ranking is not None:
        return np.asarray(ranking)
    places = np.empty(len(scores), np.int64)
    places[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return places
