"""KernelRFE: backward elimination by the gradient of the kernel-ridge loss.

References
----------
J. Chen, M. Stern, M. Wainwright, M. Jordan, *Kernel feature selection via conditional
covariance minimization*, NIPS 2017: the loss.
I. Guyon, J. Weston, S. Barnhill, V. Vapnik, *Gene selection for cancer classification
using support vector machines*, Machine Learning 46, 2002: recursive elimination.
S. Dasgupta, Y. Goldberg, M. Kosorok, *Feature elimination in kernel machines in
moderately high dimensions*, Annals of Statistics 47, 2019.
B. Shepherd, C. Li, Q. Liu, *Probability-scale residuals for continuous, discrete, and
censored data*, Canadian Journal of Statistics 44, 2016: survival times.
L. Song, A. Smola, A. Gretton, J. Bedo, K. Borgwardt, *Feature selection via dependence
maximization*, Journal of Machine Learning Research 13, 2012.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from widemargin._sklearn import Interval, StrOptions
from widemargin.base import FRACTION, POSITIVE, MarginSelector
from widemargin.data.covariates import residuals
from widemargin.data.dataset import Dataset
from widemargin.data.outcomes import TASKS, standardised, target_columns
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.weights import of_mean_one
from widemargin.engine.kernel_ridge import (
    Columns,
    KernelRidge,
    loaded,
    standardised_columns,
)
from widemargin.progress import progress
from widemargin.threads import Workers, single_threaded_blas, thread_count

EXACT = 10  # features, up to which each is left out in turn
FINE = 40  # features, up to which steps are half as large


@dataclass(kw_only=True, eq=False, repr=False)
class KernelRFE(MarginSelector):
    """KernelRFE: drop what kernel ridge regression misses least, again and again.

    Each step fits kernel ridge regression to the standardised features S that are left
    and drops those whose weight adds least to the fit:

        D_ij = Σ_f∈S (z_if − z_jf)²,  m its mean over i ≠ j,  t = Σ_f∈S mean z_f²,
        R = exp(−γ D/m),  K = (1 − a) R + (a/t) Z_S Z_Sᵀ,  A = (K + λI)⁻¹ Y,
        W = (1 − a)(2γ/m) (A Aᵀ) ∘ R,
        s_f = z_fᵀ W z_f − Σ_i (Σ_j W_ij) z_if² + (a/t) ‖z_fᵀ A‖².

    s_f is the derivative, by the weight of feature f in D and Z_S, of the loss tr
    Yᵀ(K + λI)⁻¹Y with the sign reversed. In the terms of Relief, the neighbours are
    soft: near pairs of unlike targets reward a difference in f, near pairs of like
    targets punish it, and rows that are fitted badly count most. When ten features are
    left, s_f is the loss without f, computed exactly.

    Y has a column (1[y_i = c] − p_c)/√p_c for each class c, or is the standardised
    numeric target, or several of them. Labels of which a row may have several have
    one such column each. Survival times are replaced by the probability-scale
    residuals of the null model, with no features: where a row is among all survival
    times, from −1 to 1, or is expected to be if it is censored (Shepherd, Li and
    Liu 2016). A table of more than ``max_rows`` rows is represented by a fresh
    stratified draw of so many in each step.

    A nominal feature is a block of indicator columns that stay or go together, scaled
    so that their squared differences have the mean of a standardised column's. Missing
    values are replaced by the mean of the feature.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the top-k with the lowest leave-one-out error in ``loss_path_``. What accuracy
        to expect of it, ``prefix_scores_`` estimate by ten-fold cross-validation.
    task : str, default="classification"
        What y holds: classes ("classification"); numbers, in one column or several
        ("regression"); 0 and 1, a column for each label ("multilabel"); event (bool)
        and time, a structured array as in scikit-survival or a DataFrame with these two
        columns ("survival").
    gamma : float, default=2.0
        Sharpness γ of the neighbourhoods, in units of the mean squared distance.
    linear : float, default=0.1
        Share a of the linear kernel.
    alpha : float, default=1.0
        Ridge penalty λ. Larger values keep less noise and miss more interactions.
    step : float, default=0.2
        Fraction of the remaining features to drop in each step while there are more
        than 40, then half of that; at least one.
    max_rows : int, default=600
        Largest number of rows in a step; time and memory grow with its square.
    redundancy : float, "auto" or None, default=None
        Similarity at which a feature is skipped as a near copy of a better one: |r|, or
        the symmetrical uncertainty if there are nominal or missing values. "auto"
        chooses among None, 0.9 and 0.7 by ten-fold cross-validation.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="standard"
        Scaling of the features: by range, by largest absolute value, by standard
        deviation, by rank (average ranks, scaled by their standard deviation), or none.
        Features with larger differences have more influence on the neighbourhoods. With
        "minmax" or None, two values of a nominal feature differ by 1.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class by label, by which those of its rows are multiplied;
        "balanced" makes all classes weigh the same. None leaves rows as they are.
    categorical_features : array of bool, int or str, or None, default=None
        Nominal features, as a mask, column indices or names, in addition to the text,
        boolean and unordered categorical columns of a DataFrame. An ordered category is
        treated as a number, its position in the order.
    feature_groups : dict, array-like, "prefix" or None, default=None
        Columns that stay or go together: a mapping from names of groups to their
        columns (names or indices), a label for each column (None or NaN for a column on
        its own), or "prefix", by which names that agree up to the last underscore are a
        group (after ``transformer__``, if a ColumnTransformer wrote it). A group counts
        as one feature.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Random seed of the rows drawn, if there are more than ``max_rows``.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Loss added when the feature was dropped, as a fraction of the total variance of
        Y: s_f estimates it, the last ten features have it exactly. Raised where it is
        lower than that of a feature dropped earlier, so that scores agree with the
        ranking.
    ranking_ : array of shape (n_features,)
        1 for the best feature, the last one left; the others in reverse order of
        elimination.
    gradient_ : array of shape (n_features,)
        s_f with all features present, as a fraction of the total variance of Y; 0 for
        constant features.
    loss_path_ : array of shape (n_features,)
        Leave-one-out squared error of the kernel ridge regression with the top 1, 2, 3,
        … features, as a fraction of the variance of Y; NaN for sizes that were skipped.
        The features were chosen on the same rows, so it is too low to be quoted as the
        error of a model.
    support_ : array of shape (n_features,)
        Whether each feature is kept.
    n_features_ : int
        Number of features kept.
    n_iter_ : int
        Number of steps.
    prefix_scores_ : array of shape (n_features,) or None
        With ``n_features_to_select="auto"``: cross-validated accuracy of 1-NN (R² of
        5-NN for a numeric target) with the top 1, 2, 3, … features, ranked on the
        training rows of each fold. ``optimism_`` is subtracted.
    optimism_ : float or None
        Estimated selection bias of the score at the chosen size: how much lower it is
        if the size for each fold is chosen by its training rows.
    redundancy_ : float or None
        The similarity used; None if features are not compared.
    redundant_with_ : array of shape (n_features,) or None
        With ``redundancy``, the kept feature of which a skipped one is a near copy; −1
        for features that are not skipped. Skipped features rank last.
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    See Also
    --------
    ReliefF : Nearest neighbours instead of soft ones, all features at once.
    TuRF : Backward elimination with any other selector.

    Examples
    --------
    The class is the exclusive or of the signs of two features among 100:

    >>> import numpy as np
    >>> from widemargin import KernelRFE
    >>> X = np.random.default_rng(0).standard_normal((300, 100))
    >>> y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    >>> KernelRFE(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([0, 1])
    """

    task: Literal["classification", "regression", "multilabel", "survival"] = (
        "classification"
    )
    gamma: float = 2.0
    linear: float = 0.1
    alpha: float = 1.0
    step: float = 0.2
    max_rows: int = 600
    class_weight: Any = None
    scale: Literal["minmax", "maxabs", "standard", "rank"] | None = "standard"
    categorical_features: Any = None
    random_state: Any = None

    _mixed = True
    _sparse = True
    _instead_on_dask = None
    _several_targets = True
    _score_of_group = "differences"
    _beyond = "target"
    _scale_of_ranks = "standard"
    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "task": [StrOptions({*TASKS})],
        "gamma": [POSITIVE],
        "linear": [Interval(numbers.Real, 0, 1, closed="both")],
        "alpha": [POSITIVE],
        "step": [FRACTION],
        "class_weight": [None, dict, StrOptions({"balanced"})],
        "max_rows": [Interval(numbers.Integral, 2, None, closed="left")],
    }

    def _own_size(self) -> int | None:
        path = self.loss_path_
        return None if np.isnan(path).all() else int(np.nanargmin(path)) + 1

    def _best_size(self, data: Dataset, order: Ints) -> int | None:
        view = self._view(data)
        with Workers(thread_count(self.n_jobs)) as workers, single_threaded_blas():
            table = self._table(view, workers)
            columns = standardised_columns(table, self.scale)
            Y = centred_targets(table, self.task)
            random = check_random_state(self.random_state)
            rows = _drawn(_strata(table, Y), self.max_rows, random)
            Y, w = Y[rows], None if table.weights is None else table.weights[rows]
            sizes = self._sizes(int(np.isin(order, columns.feature).sum()))
            losses = [
                self._step(columns.of(order[:k]), rows, Y, w, workers).leave_one_out
                for k in sizes
            ]
        return sizes[int(np.argmin(losses))] if sizes else None

    def _score(self, table: AnyTable, workers: Workers) -> Floats:
        with single_threaded_blas():
            return self._eliminate(table, workers)

    def _eliminate(self, table: AnyTable, workers: Workers) -> Floats:
        data, Y = (
            standardised_columns(table, self.scale),
            centred_targets(table, self.task),
        )
        d, w = self._n_scored, table.weights
        S = np.unique(data.feature)
        sizes = self._sizes(len(S))
        self.n_iter_ = len(sizes)
        self.gradient_, self.loss_path_ = np.zeros(d), np.full(d, np.nan)
        scores, level = np.zeros(d), -math.inf
        random, strata = check_random_state(self.random_state), _strata(table, Y)
        draws = [_drawn(strata, self.max_rows, random) for _ in sizes]
        held, places = data, list[Ints]()
        with progress(type(self).__name__, len(sizes), self.verbose) as advance:
            for t, (size, rest) in enumerate(pairwise([*sizes, 0])):
                if not places:
                    held, places = loaded(data.of(S), draws[t:])
                rows, (place, *places) = draws[t], places
                here = None if w is None else w[rows]
                step = self._step(held.of(S), place, Y[rows], here, workers)
                self.loss_path_[size - 1] = step.leave_one_out
                exact = size <= EXACT
                if not exact or size == sizes[0]:
                    s, tie = step.gradient()
                if size == sizes[0]:
                    self.gradient_[S] = s
                if exact:
                    s, tie = step.added(S)
                worst, group = _worst_first(s, tie)
                for j in range(size - rest):
                    if not j or group[j] > group[j - 1]:
                        level = max(s[worst[j]], math.nextafter(level, math.inf))
                    scores[S[worst[j]]] = level
                S = np.sort(S[worst[size - rest :]])
                advance()
        constant = np.setdiff1d(np.arange(d), data.feature)
        scores[constant] = min(0.0, scores.min())
        return scores

    def _step(
        self, data: Columns, rows: Ints, Y: Floats, w: Floats | None, workers: Workers
    ) -> KernelRidge:
        w = of_mean_one(w)
        Y = Y - np.average(Y, axis=0, weights=w)
        return KernelRidge(self, data, rows, Y, workers, w)

    def _sizes(self, d: int) -> list[int]:
        """How many features there are in each step."""
        sizes = [d] * (d > 0)
        while sizes and sizes[-1] > 1:
            size = sizes[-1]
            share = self.step if size > FINE else self.step / 2
            sizes.append(size - max(1, int(share * size)))
        return sizes


def centred_targets(table: AnyTable, task: str) -> Floats:
    """(n, q) targets of mean 0."""
    if table.target is not None:
        return standardised(target_columns(table.target, task), table.weights)
    p = table.sizes / len(table.y)
    Y: Floats = ((np.eye(len(p)) - p) / np.sqrt(p))[table.y]
    return Y if table.design is None else residuals(Y, table.design)


def _strata(table: AnyTable, Y: Floats) -> Ints:
    """Rows of like targets together; the same ones, wherever the rows are."""
    by_class = np.argsort(table.y, kind="stable")
    return by_class[np.argsort(Y[by_class, 0], kind="stable")]


def _drawn(strata: Ints, max_rows: int, random: np.random.RandomState) -> Ints:
    """All rows, or one at random from each of ``max_rows`` strata of equal size."""
    n = len(strata)
    if n <= max_rows:
        return np.arange(n)
    edges = np.arange(max_rows + 1) * n // max_rows
    return strata[random.randint(edges[:-1], edges[1:])]


def _worst_first(s: Floats, tie: float) -> tuple[Ints, Ints]:
    """The order of dropping, and numbers of groups of equal scores in that order.

    Of features with equal scores, the first columns stay: rounding decides nothing.
    """
    order = np.argsort(s, kind="stable")
    group = np.cumsum(np.diff(s[order], prepend=-math.inf) > tie, dtype=np.int64)
    return order[np.lexsort((-order, group))], group
