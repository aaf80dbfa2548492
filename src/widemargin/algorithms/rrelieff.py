"""RReliefF: ReliefF for a numeric target.

References
----------
M. Robnik-Šikonja, I. Kononenko, *An adaptation of Relief for attribute estimation in
regression*, ICML 1997.
M. Robnik-Šikonja, I. Kononenko, *Theoretical and empirical analysis of ReliefF and
RReliefF*, Machine Learning 53, 2003.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np

from widemargin._sklearn import Interval, StrOptions
from widemargin.base import About, MarginSelector
from widemargin.engine import Edges, anyone, influences, nearest
from widemargin.engine.influence import WEIGHTS
from widemargin.numeric import ReliefSums
from widemargin.table import Floats, Table
from widemargin.threads import Workers


class RReliefF(MarginSelector):
    """RReliefF: near samples with other targets should differ in the feature.

    The k nearest rows j of every sample i count p(i, j), which sum to 1. With
    diff(y) = |y_i − y_j| / range(y) and diff(f) = |x_if − x_jf| in the scaled space,

        N_C  = Σ diff(y) p,   N_f = Σ diff(f) p,   N_fC = Σ diff(y) diff(f) p,

        w_f = N_fC / N_C − (N_f − N_fC) / (m − N_C),

    where m is the number of samples: how much more a feature differs between near rows
    of different targets than between near rows of equal ones. Rows that are equally
    near share the weight of the places they take together, so scores do not depend on
    the order of the rows.

    Nominal features and missing values are taken as they are. Two values of a nominal
    feature differ by 0 or 1, whatever the scale. Where a value is missing, the
    difference is the one to expect from all values of the feature.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        How many features to keep, or which share of them; None keeps half. "auto"
        keeps the smallest top-k whose R² with 5-NN is within one standard error of the
        best, cross-validated in ten folds with the ranking inside them.
    n_neighbors : int, default=10
        k; the authors use up to 70 with weights by rank.
    weights : {"rank", "uniform", "distance"}, default="rank"
        What the r-th nearest row counts, before the weights are made to sum to 1:
        exp(−(r/sigma)²) as published, 1, or 1/distance (rows at distance 0 then take
        all the weight).
    sigma : float, default=20.0
        How fast weights by rank fall; see ``weights``.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance in the scaled space.
    redundancy : float, "auto" or None, default=None
        Similarity from which a feature is skipped because a better one is kept: |r|, or
        the symmetrical uncertainty if the table has nominal or missing values. "auto"
        lets the folds of ``n_features_to_select="auto"`` choose among none, 0.9 and
        0.7. Scores stay as they are.
    scale : {"minmax", "standard"} or None, default="minmax"
        How features are scaled: by their range, by their standard deviation, or not at
        all.
    categorical_features : array of bool, int or str, or None, default=None
        Nominal features, as a mask, as column numbers or as names, besides those that
        the types of a frame declare: text, booleans and unordered categories. An
        ordered category counts as a number, its place in the order.
    n_jobs : int or None, default=None
        Threads; None uses all cores.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Higher is better.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether a feature is kept.
    n_features_ : int
        How many features are kept.
    prefix_scores_ : array of shape (n_features,) or None
        With ``n_features_to_select="auto"``, cross-validated R² of 5-NN with the best
        1, 2, 3, … features, ranked by the training rows of each fold; all lowered by
        ``optimism_``. Predicting the mean of all rows scores 0.
    optimism_ : float or None
        What the score at the chosen size owes to being chosen: how much lower it is
        if the size for each fold is chosen by the other folds.
    redundancy_ : float or None
        The similarity in force; None if none was asked for, or chosen.
    redundant_with_ : array of shape (n_features,) or None
        With ``redundancy``, the kept feature that stands for a skipped one; −1 for
        features that are not skipped. Skipped features rank last.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    See Also
    --------
    MultiSURF : A radius instead of k; with ``task="regression"`` for numeric targets.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from widemargin import RReliefF
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> RReliefF(n_features_to_select=2).fit(X, y).get_feature_names_out()
    array(['bmi', 's5'], dtype=object)
    """

    _mixed = True
    _about = About("Robnik-Šikonja & Kononenko 1997", "n² d", needs="a numeric target")
    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "n_neighbors": [Interval(numbers.Integral, 1, None, closed="left")],
        "weights": [StrOptions(WEIGHTS)],
        "sigma": [Interval(numbers.Real, 0, None, closed="neither")],
        "metric": [StrOptions({"euclidean", "manhattan"})],
        "categorical_features": ["array-like", None],
    }

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        n_neighbors: int = 10,
        weights: str = "rank",
        sigma: float = 20.0,
        metric: str = "manhattan",
        redundancy: float | str | None = None,
        scale: str | None = "minmax",
        categorical_features: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.sigma = sigma
        self.metric = metric
        self.redundancy = redundancy
        self.scale = scale
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _numeric_target(self) -> bool:
        return True

    def _score(self, table: Table, workers: Workers) -> Floats:
        sums = ReliefSums(table)
        for edges in self._neighborhoods(table, workers):
            sums.add(edges, workers)
        return sums.scores()

    def _neighborhoods(self, table: Table, workers: Workers) -> Iterator[Edges]:
        """The neighbours of all samples, some at a time, and p(i, j)."""
        for block in nearest(
            table,
            self.n_neighbors,
            anyone(1),
            metric=self.metric,
            share_ties=True,
            distances=True,
            workers=workers,
        ):
            heads = np.repeat(block.queries, np.diff(block.offsets))
            p = influences(block, self.n_neighbors, self.weights, self.sigma)
            yield Edges(heads, block.rows, p)
