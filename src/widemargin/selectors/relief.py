"""Relief.

References
----------
K. Kira, L. Rendell, *A practical approach to feature selection*, ICML 1992.
R. Gilad-Bachrach, A. Navot, N. Tishby, *Margin based feature selection: theory and
algorithms*, ICML 2004 (Relief as an ascent of the margin).
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from widemargin._sklearn import StrOptions
from widemargin.base import SHARE, SampledSelector
from widemargin.base.sampled import weight_of
from widemargin.base.sampling import Estimate
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import visiting_order, warn_single_members
from widemargin.engine import hits_and_misses
from widemargin.engine.neighbors import HIT, MISS, ReliefRule
from widemargin.threads import Workers


@dataclass(kw_only=True, eq=False, repr=False)
class Relief(SampledSelector):
    """Relief: how much farther the nearest miss is than the nearest hit.

    For each visited sample x, with its nearest hit (same class) and its nearest miss
    (any other class) by Euclidean distance in the scaled space,

        w_f += |x_f − miss_f| − |x_f − hit_f|,

    averaged over the visited samples. Tied neighbours share the weight equally, so
    scores do not depend on the order of the rows.

    Nominal features and missing values are supported. Two values of a nominal feature
    differ by 0 or 1, whatever the scale. If one value is missing, the expected
    difference over the values of the feature in that row's class is used; if both are,
    the expectation over both classes.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds. All folds share one neighbour search, on features
        scaled by all rows, which involves no labels. With few folds, nominal or missing
        values, or ``n_samples``, each fold is fitted separately. With a ``threshold``,
        None and "auto" keep the features above it.
    n_samples : int, "auto" or None, default=None
        Number of samples to visit, drawn without replacement; None visits all. "auto"
        visits samples in random order until simultaneous confidence intervals settle
        which features are selected, or are as narrow as ``tol``.
    order : array of int or None, default=None
        Rows to visit, in this order and with repetitions, instead of ``n_samples``.
    history : "step" or None, default=None
        "step" stores the weights after each visited row in ``weights_history_``, which
        takes one number per visit and feature.
    tol : float or None, default=None
        Half-width of the intervals at which ``n_samples="auto"`` stops. None is 0.0025
        times the largest possible difference in a feature, which is 0.0025 for features
        scaled by their range.
    confidence : float, default=0.95
        Simultaneous coverage of the intervals, valid at every stopping time.
    squared : bool, default=False
        Use squared differences in the update, as printed by Gilad-Bachrach et al.
    threshold : float, "chebyshev" or None, default=None
        Keep the features with scores above it. "chebyshev" is Kira and Rendell's
        1/√(alpha·T) for T visited samples, which keeps a given irrelevant feature with
        a probability of at most ``alpha``. With ``n_samples="auto"``, T counts all
        samples.
    alpha : float, default=0.05
        See ``threshold``.
    redundancy : float, "auto" or None, default=None
        Similarity at which a feature is skipped as a near copy of a better one: |r|, or
        the symmetrical uncertainty if there are nominal or missing values. "auto"
        chooses among None, 0.9 and 0.7 by ten-fold cross-validation.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        Scaling of the features: by range, by largest absolute value, by standard
        deviation, by rank (average ranks, scaled by their range, so that extremely
        skewed features count like others), or none.
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
        Number of threads; None uses all cores.
    random_state : int, RandomState or None, default=None
        Random seed of the samples to visit, if ``n_samples`` is given.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Higher is better.
    scores_by_class_ : array of shape (n_classes, n_features)
        What each class contributes to the scores, by the rows of that class: which
        features tell it from the others. The sum over classes is ``scores_``. Rows are
        in the order of ``classes_``. Not set for a numeric target.
    classes_ : array of shape (n_classes,)
        Labels of the classes.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether each feature is kept.
    n_features_ : int
        Number of features kept.
    prefix_scores_ : array of shape (n_features,) or None
        With ``n_features_to_select="auto"``: cross-validated accuracy of 1-NN (R² of
        5-NN for a numeric target) with the top 1, 2, 3, … features, ranked on the
        training rows of each fold. ``optimism_`` is subtracted.
    scoring_ : str or None
        Name of that score: "accuracy"; "balanced_accuracy" if the largest class has
        more than four times as many rows as the smallest; "r2" for a numeric target.
    optimism_ : float or None
        Estimated selection bias of the score at the chosen size: how much lower it is
        if the size for each fold is chosen by the other folds.
    redundancy_ : float or None
        The similarity used; None if features are not compared.
    redundant_with_ : array of shape (n_features,) or None
        With ``redundancy``, the kept feature of which a skipped one is a near copy; −1
        for features that are not skipped. Skipped features rank last.
    threshold_ : float or None
        The threshold used.
    n_samples_ : int
        Number of samples visited.
    weights_history_ : array of shape (n_visits, n_features)
        With ``history="step"``: the mean of the contributions so far, after each visit;
        ``scores_`` is the last.
    scores_interval_ : array of shape (n_features, 2)
        With ``n_samples="auto"``: simultaneous confidence intervals (lower and upper
        ends) for the scores that visiting all samples would give. See
        `widemargin.base.sampling` for the derivation.
    converged_ : bool
        With ``n_samples="auto"``: whether the intervals settled which features are
        selected, or all samples were visited. False if ``tol`` was reached first.
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
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

    order: Any = None
    history: Literal["step"] | None = None
    squared: bool = False
    threshold: float | Literal["chebyshev"] | None = None
    alpha: float = 0.05

    _sparse = True
    _instead_on_dask = None

    _parameter_constraints = {
        **SampledSelector._parameter_constraints,
        "squared": ["boolean"],
        "threshold": [None, numbers.Real, StrOptions({"chebyshev"})],
        "alpha": [SHARE],
    }

    @property
    def _power(self) -> int:
        return 1 + self.squared

    def _score(self, table: AnyTable, workers: Workers) -> Floats:
        visits, tau = self._visits(table), self.threshold
        if tau == "chebyshev":
            n = table.n_rows
            T = n if isinstance(self.n_samples, str) else min(n, self.n_samples or n)
            tau = 1 / np.sqrt(self.alpha * (T if visits is None else len(visits)))
        self.threshold_ = None if tau is None else float(tau)
        self.__dict__.pop("weights_history_", None)
        if visits is None:
            return super()._score(table, workers)
        return self._step_by_step(table, visits, workers)

    def _visits(self, table: AnyTable) -> Ints | None:
        """Rows of the table to visit one by one; None where the order is of no use."""
        if self.order is None and self.history is None:
            return None
        named = self.order is not None and self.n_samples is not None
        if named or isinstance(self.n_samples, str):
            raise ValueError(
                f"Relief: n_samples={self.n_samples!r} cannot be combined with "
                f"{'order' if self.order is not None else 'history'}; the rows to "
                "visit must be known in advance. Leave n_samples out."
            )
        if self.order is not None:
            visits = visiting_order(table, self.order, "Relief")
            if not len(visits):
                raise ValueError(
                    "Relief: order names no row to visit. Name at least one, or leave "
                    "it out."
                )
            return visits
        return self._random_order(table)[: self.n_samples]

    def _step_by_step(self, table: AnyTable, visits: Ints, workers: Workers) -> Floats:
        warn_single_members(table, "Relief", "it contributes its misses only")
        total, steps = np.zeros(table.n_features), []
        contributions = self._contributions(table, visits, workers)
        by_class = np.zeros((len(table.classes), table.n_features))
        for part in self._tallied(table, visits, contributions, by_class):
            if self.history == "step":
                steps.append(total + np.cumsum(part, axis=0))
            total += part.sum(axis=0)
        self.n_samples_ = len(visits)
        if steps:
            seen = np.cumsum(table.row_weights[visits])
            self.weights_history_ = np.concatenate(steps) / seen[:, None]
        weight = weight_of(table, visits)
        self._keep_by_class(table, by_class / weight)
        return total / weight

    def _permuted_neighbors(self, n: int, n_classes: int) -> int | None:
        if self.order is not None or self.n_samples == "auto":
            return None
        return min(n, n_classes)

    def _rule(self, table: AnyTable) -> ReliefRule:
        C = len(table.classes)
        coefficients = np.empty((C, 2))
        coefficients[:, HIT], coefficients[:, MISS] = -1, 1
        return ReliefRule(1, hits_and_misses(C), coefficients)

    def _settled(self, table: AnyTable, known: Estimate) -> bool | None:
        if self.threshold_ is not None and self.n_features_to_select is None:
            return known.clear_of(self.threshold_)
        return super()._settled(table, known)

    def _natural_support(self) -> NDArray[np.bool_] | None:
        return None if self.threshold_ is None else self.scores_ > self.threshold_
