"""Scores of single features: Pearson's correlation, the F-test, mutual information.

References
----------
I. Guyon, A. Elisseeff, *An introduction to variable and feature selection*, Journal of
Machine Learning Research 3, 2003, section 2.2 (correlation with the class).
A. Kraskov, H. Stögbauer, P. Grassberger, *Estimating mutual information*, Physical
Review E 69, 2004.
B. Ross, *Mutual information between discrete and continuous data sets*, PLoS ONE 9,
2014.
G. Snedecor, *Calculation and interpretation of analysis of variance and covariance*,
Collegiate Press 1934 (F).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from widemargin._sklearn import one_at_a_time
from widemargin.base import MarginSelector
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.sparse import SparseTable
from widemargin.data.table import Table
from widemargin.engine import class_sums, column_sums, row_sums
from widemargin.engine.sums import square_sums
from widemargin.threads import Workers


class PearsonScore(MarginSelector):
    """Pearson score: absolute correlation of a feature with class membership.

    With two classes this is |r| between the feature and the label. With more, it is the
    largest |r| between the feature and the indicator of one class against the rest.

    In our study it was not significantly better than a random ranking.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    redundancy : float, "auto" or None, default=None
        Similarity at which a feature is skipped as a near copy of a better one: |r|, or
        the symmetrical uncertainty if there are nominal or missing values. "auto"
        chooses among None, 0.9 and 0.7 by ten-fold cross-validation.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        Only "rank", which replaces numbers by their ranks, affects the scores.
    feature_groups : dict, array-like, "prefix" or None, default=None
        Columns that stay or go together: a mapping from names of groups to their
        columns (names or indices), a label for each column (None or NaN for a column on
        its own), or "prefix", by which names that agree up to the last underscore are a
        group (after ``transformer__``, if a ColumnTransformer wrote it). A group counts
        as one feature.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores.
    verbose : int, default=0
        Not used.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Between 0 and 1, higher is better; 0 for constant features.
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
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.baselines import PearsonScore
    >>> X, y = load_iris(return_X_y=True)
    >>> PearsonScore().fit(X, y).scores_.round(4)
    array([0.7174, 0.6033, 0.9228, 0.8873])
    """

    _sparse = True
    _instead_on_dask = None
    _beyond = "strata"
    _separable = True

    def _score(self, table: AnyTable, workers: Workers) -> Floats:
        n, C = table.n_rows, len(table.classes)
        P = table.sizes / n
        if isinstance(table, SparseTable):
            means, within = table.class_means(table.span)
            apart = table.sizes[:, None] * (means - P @ means)
            squares = within + (apart**2 / table.sizes[:, None]).sum(axis=0)
            sums = np.vstack([apart, squares])
        else:
            mean = row_sums(table, column_sums, workers=workers) / n
            function = partial(_products, n_classes=C, mean=mean)
            sums = row_sums(table, function, workers=workers)
        products, norm = np.abs(sums[:C]), np.sqrt(sums[C])
        products /= np.sqrt(n * P * (1 - P))[:, None]
        r = products.max(axis=0) / np.where(table.constant, 1.0, norm)
        return np.where(table.constant, 0.0, np.minimum(r, 1.0))


def _products(
    U: Floats, y: Ints, w: Floats | None = None, *, n_classes: int, mean: Floats
) -> Floats:
    """Products of the centred feature with the indicator of each class; its square."""
    Z = U - mean
    sums = class_sums(Z, y, w, n_classes=n_classes)
    return np.concatenate([sums, square_sums(Z, w)[None]])


class FRegression(MarginSelector):
    """F-statistic of the linear regression of a numeric target on one feature.

    F = r² / (1 − r²) · (n − 2) for Pearson's correlation r of the feature with y, as
    `sklearn.feature_selection.f_regression` computes it. It detects neither nonlinear
    relations without a slope nor interactions.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    redundancy : float, "auto" or None, default=None
        Similarity at which a feature is skipped as a near copy of a better one: |r|, or
        the symmetrical uncertainty if there are nominal or missing values. "auto"
        chooses among None, 0.9 and 0.7 by ten-fold cross-validation.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        Only "rank", which replaces numbers by their ranks, affects the scores.
    feature_groups : dict, array-like, "prefix" or None, default=None
        Columns that stay or go together: a mapping from names of groups to their
        columns (names or indices), a label for each column (None or NaN for a column on
        its own), or "prefix", by which names that agree up to the last underscore are a
        group (after ``transformer__``, if a ColumnTransformer wrote it). A group counts
        as one feature.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores.
    verbose : int, default=0
        Not used.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        F-statistic, higher is better; 0 for constant features, and the largest float
        for features that are a linear function of y.
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
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from widemargin.baselines import FRegression
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> FRegression(2).fit(X, y).get_feature_names_out()
    array(['bmi', 's5'], dtype=object)
    """

    _separable = True
    _task = "regression"

    def _score(self, table: Table, workers: Workers) -> Floats:
        from sklearn.feature_selection import f_regression

        assert table.target is not None
        # y as a share of its range, so that no square overflows.
        y = (table.target - table.target.min()) / np.ptp(table.target)
        U, w, n = table.unit_range(), table.weights, table.n_rows
        with np.errstate(invalid="ignore", divide="ignore"):
            if w is None:
                F, _ = f_regression(U, y)
            else:
                root = np.sqrt(w)
                U, y = (U - w @ U / n) * root[:, None], (y - w @ y / n) * root
                F = f_regression(U, y, center=False)[0] * (n - 2) / (n - 1)
        # Two points are always on a line, which leaves no degree of freedom.
        F = np.where(table.constant, 0.0, F)
        return np.nan_to_num(F, nan=np.finfo(np.float64).max)


@dataclass(kw_only=True, eq=False, repr=False)
class MutualInformation(MarginSelector):
    """Mutual information: how much a feature tells about the class or a numeric target.

    Estimated from distances between nearest rows, without binning, as in
    `sklearn.feature_selection.mutual_info_classif` and `mutual_info_regression`. It
    detects any dependence of y on a single feature, but no interactions. Features are
    treated as continuous unless ``discrete_features`` says otherwise. To break ties
    between equal values, noise of about 10⁻¹⁰ of their size is added, drawn with
    ``random_state``; where many values are equal, scores depend on it and on the order
    of the rows.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    task : {"classification", "regression"}, default="classification"
        Whether y holds classes or numbers.
    n_neighbors : int, default=3
        Number of neighbours for the estimate. More reduce its variance and increase its
        bias.
    discrete_features : array of bool or int, or bool, default=False
        Discrete features, as a mask or column indices; True for all. Their scores are
        computed exactly, without noise.
    redundancy : float, "auto" or None, default=None
        Similarity at which a feature is skipped as a near copy of a better one: |r|, or
        the symmetrical uncertainty if there are nominal or missing values. "auto"
        chooses among None, 0.9 and 0.7 by ten-fold cross-validation.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        Only "rank", which replaces numbers by their ranks, affects the scores, apart
        from the added noise.
    feature_groups : dict, array-like, "prefix" or None, default=None
        Columns that stay or go together: a mapping from names of groups to their
        columns (names or indices), a label for each column (None or NaN for a column on
        its own), or "prefix", by which names that agree up to the last underscore are a
        group (after ``transformer__``, if a ColumnTransformer wrote it). A group counts
        as one feature.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores. Scores are computed with one.
    random_state : int, RandomState or None, default=None
        Random seed of the noise.
    verbose : int, default=0
        Not used.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        In nats, higher is better; 0 for constant features.
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
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    See Also
    --------
    InformationGain : The same with bins, for classes.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from widemargin.baselines import MutualInformation
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = MutualInformation(2, task="regression", random_state=0)
    >>> selector.fit(X, y).get_feature_names_out()
    array(['bmi', 's5'], dtype=object)
    """

    task: Literal["classification", "regression"] = "classification"
    n_neighbors: int = 3
    discrete_features: Any = False
    random_state: Any = None

    _instead_with_weights = "InformationGain or FRegression"
    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "discrete_features": ["boolean", "array-like"],
    }

    def _score(self, table: Table, workers: Workers) -> Floats:
        from sklearn.feature_selection import (
            mutual_info_classif,
            mutual_info_regression,
        )

        estimate, y = mutual_info_classif, table.y.astype(np.float64)
        if table.target is not None:
            estimate, y = mutual_info_regression, table.target / np.ptp(table.target)
        elif (table.counts < 2).all():  # a row alone in its class has no neighbours
            return np.zeros(table.n_features)
        X, discrete = table.unit_range(), np.zeros(table.n_features, np.bool_)
        discrete[np.asarray(self.discrete_features)] = True
        for f in np.flatnonzero(discrete):
            X[:, f] = np.unique(X[:, f], return_inverse=True)[1]
        with one_at_a_time, warnings.catch_warnings():
            scores = estimate(
                X,
                y,
                discrete_features=discrete,
                n_neighbors=min(self.n_neighbors, table.n_rows - 1),
                random_state=self.random_state,
            )
        return np.where(table.constant, 0.0, scores)
