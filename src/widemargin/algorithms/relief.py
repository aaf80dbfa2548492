"""Relief and ReliefF.

References
----------
K. Kira, L. Rendell, *A practical approach to feature selection*, ICML 1992.
I. Kononenko, *Estimating attributes: analysis and extensions of RELIEF*, ECML 1994.
R. Gilad-Bachrach, A. Navot, N. Tishby, *Margin based feature selection: theory and
algorithms*, ICML 2004 (Relief as an ascent of the margin).
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from widemargin.base import About, MarginSelector
from widemargin.engine import each_class, edge_sums, hits_and_misses, nearest
from widemargin.engine.relations import HIT, MISS
from widemargin.notices import warn
from widemargin.table import (
    Floats,
    Ints,
    Table,
    warn_single_members,
    warn_small_classes,
)
from widemargin.threads import Workers


class _ReliefBase(MarginSelector):
    """What Relief and ReliefF share: which samples are visited."""

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "n_samples": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "categorical_features": [None],
        "random_state": ["random_state"],
    }

    n_samples: int | None
    random_state: Any

    def _visited(self, table: Table) -> Ints | None:
        """Rows to visit, in table order; None for all."""
        n, wanted = len(table.X), self.n_samples
        warn_single_members(
            table, type(self).__name__, "it contributes its misses only"
        )
        if wanted is None:
            return None
        if wanted > n:
            warn(
                f"{type(self).__name__}: n_samples={wanted} but X has {n} rows; "
                "each row is visited once."
            )
            return None
        drawn = check_random_state(self.random_state).permutation(n)[:wanted]
        return np.sort(table.positions(drawn))


class Relief(_ReliefBase):
    """Relief: how much farther the nearest miss is than the nearest hit.

    For each visited sample x, with its nearest hit (same class) and its nearest miss
    (any other class) by Euclidean distance in the scaled space,

        w_f += |x_f − miss_f| − |x_f − hit_f|,

    averaged over the visited samples. Equally near neighbours share the sample's
    weight, so scores do not depend on the order of the rows.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features to keep, or which share of them. None keeps half, or those
        above ``threshold`` if that is given.
    n_samples : int or None
        Number of samples to visit, drawn without replacement; None visits all.
    squared : bool
        Use squared differences in the update, as Gilad-Bachrach et al. print it.
    threshold : float, "chebyshev" or None
        Keep the features that score above it. "chebyshev" is Kira and Rendell's
        1/√(alpha·T) for T visited samples, which keeps a given irrelevant feature
        with a probability of at most ``alpha``.
    alpha : float
        See ``threshold``.
    scale : "minmax", "standard" or None
        How features are made commensurable: by their range, their standard deviation,
        or not at all.
    categorical_features : None
        Nominal features are not supported yet.
    n_jobs : int or None
        Threads; None uses all cores.
    random_state : int, RandomState or None
        Draws the samples if ``n_samples`` is given.
    verbose : int
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Higher is better.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether a feature is kept.
    threshold_ : float or None
        The threshold in force.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin import Relief
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> relief = Relief(n_features_to_select=2).fit(X, y)
    >>> relief.get_feature_names_out()
    array(['petal length (cm)', 'petal width (cm)'], dtype=object)
    """

    _about = About(
        "Kira & Rendell 1992", "n² d", gives="ranking, or a subset with a threshold"
    )

    _parameter_constraints = {
        **_ReliefBase._parameter_constraints,
        "squared": ["boolean"],
        "threshold": [None, numbers.Real, StrOptions({"chebyshev"})],
        "alpha": [Interval(numbers.Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_samples: int | None = None,
        squared: bool = False,
        threshold: float | str | None = None,
        alpha: float = 0.05,
        scale: str | None = "minmax",
        categorical_features: None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_samples = n_samples
        self.squared = squared
        self.threshold = threshold
        self.alpha = alpha
        self.scale = scale
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _score(self, table: Table, workers: Workers) -> Floats:
        visited = self._visited(table)
        T = len(table.X) if visited is None else len(visited)
        w = np.zeros(table.X.shape[1])
        sign = np.empty(2)
        sign[HIT], sign[MISS] = -1, 1
        for block in nearest(
            table,
            1,
            hits_and_misses(len(table.classes)),
            queries=visited,
            share_ties=True,
            workers=workers,
        ):
            edges = block.edges(np.tile(sign, (len(block.queries), 1)))
            w += edge_sums(table, edges, power=1 + self.squared, workers=workers)
        tau = self.threshold
        if tau == "chebyshev":
            tau = 1 / np.sqrt(self.alpha * T)
        self.threshold_ = None if tau is None else float(tau)
        return w / T

    def _natural_support(self) -> NDArray[np.bool_] | None:
        return None if self.threshold_ is None else self.scores_ > self.threshold_


class ReliefF(_ReliefBase):
    """ReliefF: Relief with k neighbours of every class.

    For each visited sample x, its k nearest hits count against a feature and its k
    nearest misses of each other class C, weighted P(C) / (1 − P(class of x)), for it:

        w_f += Σ_C P(C)/(1 − P(y)) · mean |x_f − miss_f| − mean |x_f − hit_f|,

    averaged over the visited samples. Neighbours tied at the k-th distance share the
    remaining weight equally, so scores do not depend on the order of the rows. A class
    with fewer than k other members gives what it has.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features to keep, or which share of them; None keeps half.
    n_neighbors : int or "log"
        k; "log" is the natural logarithm of the number of samples, rounded.
    metric : "euclidean" or "manhattan"
        Distance in the scaled space. Most Relief software uses "manhattan".
    n_samples : int or None
        Number of samples to visit, drawn without replacement; None visits all.
    scale : "minmax", "standard" or None
        How features are made commensurable: by their range, their standard deviation,
        or not at all.
    categorical_features : None
        Nominal features are not supported yet.
    n_jobs : int or None
        Threads; None uses all cores.
    random_state : int, RandomState or None
        Draws the samples if ``n_samples`` is given.
    verbose : int
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Higher is better.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether a feature is kept.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin import ReliefF
    >>> X, y = load_iris(return_X_y=True)
    >>> ReliefF(metric="manhattan").fit(X, y).scores_.round(4)
    array([0.1399, 0.1226, 0.359 , 0.3754])
    """

    _about = About("Kononenko 1994", "n² d")

    _parameter_constraints = {
        **_ReliefBase._parameter_constraints,
        "n_neighbors": [
            Interval(numbers.Integral, 1, None, closed="left"),
            StrOptions({"log"}),
        ],
        "metric": [StrOptions({"euclidean", "manhattan"})],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_neighbors: int | str = 10,
        metric: str = "euclidean",
        n_samples: int | None = None,
        scale: str | None = "minmax",
        categorical_features: None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.n_samples = n_samples
        self.scale = scale
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _score(self, table: Table, workers: Workers) -> Floats:
        visited = self._visited(table)
        n = len(table.X)
        T = n if visited is None else len(visited)
        k = self.n_neighbors
        k = max(1, round(np.log(n))) if k == "log" else int(k)
        warn_small_classes(table, "ReliefF", k)
        P = table.counts / n
        # Row y holds what a neighbour of each class counts for a sample of class y.
        coefficient = P / (1 - P[:, None])
        np.fill_diagonal(coefficient, -1.0)
        w = np.zeros(table.X.shape[1])
        for block in nearest(
            table,
            k,
            each_class(len(P)),
            metric=self.metric,
            queries=visited,
            share_ties=True,
            workers=workers,
        ):
            edges = block.edges(coefficient[table.y[block.queries]])
            w += edge_sums(table, edges, workers=workers)
        return w / T
