"""RReliefF: ReliefF for a numeric target.

References
----------
M. Robnik-Šikonja, I. Kononenko, *An adaptation of Relief for attribute estimation in
regression*, ICML 1997.
M. Robnik-Šikonja, I. Kononenko, *Theoretical and empirical analysis of ReliefF and
RReliefF*, Machine Learning 53, 2003.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from widemargin._sklearn import StrOptions
from widemargin.base import SampledSelector
from widemargin.base.sampled import weight_of
from widemargin.base.sampling import Quotients, query_parts
from widemargin.base.scores import score_of
from widemargin.data.outcomes import Differences
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import Table
from widemargin.engine import (
    Edges,
    anyone,
    edge_sums,
    group_sums,
)
from widemargin.engine.neighbors import ReliefRule
from widemargin.threads import Workers, spans

PRODUCT_CELLS = 2**22  # of differences under permuted targets, at a time


@dataclass(kw_only=True, eq=False, repr=False)
class RReliefF(SampledSelector):
    """RReliefF: ReliefF for a numeric target.

    The k nearest rows j of every visited sample i have weights p(i, j), which sum to 1.
    With diff(y) = |y_i − y_j| / range(y) and diff(f) = |x_if − x_jf| in the scaled
    space,

        N_C  = Σ diff(y) p,   N_f = Σ diff(f) p,   N_fC = Σ diff(y) diff(f) p,

        w_f = N_fC / N_C − (N_f − N_fC) / (m − N_C),

    where m is the number of visited samples. The score says how much more a feature
    differs between near rows with different targets than between near rows with
    equal targets. Of several targets, or of 0 and 1 for each label, diff(y) is the
    Euclidean distance of two rows of y, columns over their ranges, over the largest
    such distance. Of survival times it is the expected difference of the places of
    two rows among all, from 0 to 1 (Kaplan and Meier): the place of a row that is
    censored is uniform over those that are left. Tied rows share the weights of
    their ranks, so scores do not depend on the order of the rows.

    Nominal features and missing values are supported. Two values of a nominal feature
    differ by 0 or 1, whatever the scale. If a value is missing, the expected difference
    over all values of the feature is used.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    n_neighbors : int, default=10
        Number of neighbours k; the authors use up to 70 with rank weights.
    weights : {"rank", "uniform", "distance"}, default="rank"
        Weight of the r-th nearest neighbour, before normalisation to a sum of 1:
        exp(−(r/sigma)²), as published; 1; or 1/distance (neighbours at distance 0 then
        share all the weight).
    sigma : float, default=20.0
        Decay of the rank weights; see ``weights``.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance in the scaled space.
    n_samples : int, "auto" or None, default=None
        Number of samples to visit, drawn without replacement; None visits all. "auto"
        visits samples in random order until simultaneous confidence intervals settle
        which features are selected, or are as narrow as ``tol``.
    tol : float or None, default=None
        Half-width of the intervals at which ``n_samples="auto"`` stops. None is 0.0025
        times the largest possible difference in a feature, which is 0.0025 for features
        scaled by their range.
    confidence : float, default=0.95
        Simultaneous coverage of the intervals, valid at every stopping time.
    task : {"regression", "multilabel", "survival"}, default="regression"
        What y holds: numbers, in one column or several ("regression"); 0 and 1, a
        column for each label ("multilabel"); event (bool) and time, a structured array
        as in scikit-survival or a DataFrame with these two columns ("survival").
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
        "f1_macro" for sets of labels; "concordance_index" for survival times.
    optimism_ : float or None
        Estimated selection bias of the score at the chosen size: how much lower it is
        if the size for each fold is chosen by the other folds.
    redundancy_ : float or None
        The similarity used; None if features are not compared.
    redundant_with_ : array of shape (n_features,) or None
        With ``redundancy``, the kept feature of which a skipped one is a near copy; −1
        for features that are not skipped. Skipped features rank last.
    n_samples_ : int
        Number of samples visited.
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

    n_neighbors: int = 10
    weights: Literal["rank", "uniform", "distance"] = "rank"
    sigma: float = 20.0
    metric: Literal["manhattan", "euclidean"] = "manhattan"
    task: Literal["regression", "multilabel", "survival"] = "regression"

    _several_targets = True
    _parameter_constraints = {
        **SampledSelector._parameter_constraints,
        "task": [StrOptions({"regression", "multilabel", "survival"})],
    }
    _instead_on_dask = None
    _splits_by_class = False
    _weighs_each = True

    def _differences(self, table: AnyTable) -> Differences:
        assert table.target is not None
        return Differences(table.target, self.task)

    def _rule(self, table: AnyTable) -> ReliefRule:
        k = self._k(table.n_rows)
        return ReliefRule(k, anyone(1), np.ones((1, 1)), self.metric)

    def _mean(self, table: AnyTable, rows: Ints | None, workers: Workers) -> Floats:
        """The estimates of all features (Figure 4 of the paper)."""
        differences, d = self._differences(table), table.n_features
        N_C, N_A, N_AC, m = 0.0, np.zeros(d), np.zeros(d), 0.0
        for _, edges in self._edges(table, rows, workers):
            heads, tails, p = edges
            dy = differences(heads, tails) * p
            m += weight_of(table, np.unique(heads))
            N_C += float(dy.sum())
            N_A += edge_sums(table, edges, workers=workers)
            N_AC += edge_sums(table, Edges(heads, tails, dy), workers=workers)
        return score_of(N_C, N_A, N_AC, m)

    def _permuted_neighbors(self, n: int, n_classes: int) -> int | None:
        return None if self.n_samples == "auto" else min(n, self._k(n))

    def _permuted_scores(
        self, table: Table, targets: NDArray[Any], features: Ints, workers: Workers
    ) -> Floats:
        # Neighbours and p(i, j) do not depend on the target, nor does N_A.
        B, d, X = len(targets), len(features), table.X[:, features]
        y = targets / np.ptp(targets, axis=1, keepdims=True)
        N_C, N_A, N_AC, m = np.zeros(B), np.zeros(d), np.zeros((B, d)), 0
        rows = clone(self)._drawn(table)  # refits are of clones, and draw the same
        for _, (heads, tails, p) in self._edges(table, rows, workers):
            m += len(np.unique(heads))
            for part in spans(len(heads), max(1, PRODUCT_CELLS // max(B, d))):
                i, j = heads[part], tails[part]
                diff = np.abs(X[i] - X[j])
                dy = np.abs(y[:, i] - y[:, j]) * p[part]
                N_C += dy.sum(axis=1)
                N_A += p[part] @ diff
                N_AC += dy @ diff
        return np.array(
            [score_of(c, N_A, both, m) for c, both in zip(N_C, N_AC, strict=True)]
        )

    def _evidence(self, table: AnyTable) -> Quotients:
        if table.weights is not None:
            raise ValueError(
                'RReliefF: n_samples="auto" has intervals for rows of equal weight '
                "only. With sample_weight, give a number of samples, or None for all."
            )
        return Quotients(table.ranges)

    def _contributions(
        self, table: AnyTable, rows: Ints, workers: Workers, **options: Any
    ) -> Iterator[Floats]:
        differences = self._differences(table)
        for block, edges in self._edges(table, rows, workers, **options):
            heads, tails, p = edges
            dy = differences(heads, tails) * p
            both = Edges(heads, tails, dy)
            for _, offsets in query_parts(table, block):
                a = group_sums(table, edges, offsets, workers=workers)
                b = group_sums(table, both, offsets, workers=workers)
                # Every sample has neighbours, so that no group is empty.
                c = np.add.reduceat(dy[: offsets[-1]], offsets[:-1])
                yield np.column_stack([a, b, c])
