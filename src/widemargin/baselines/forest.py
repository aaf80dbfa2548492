"""Feature importances of a random forest.

Reference
---------
L. Breiman, *Random forests*, Machine Learning 45, 2001.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from widemargin._sklearn import StrOptions, one_at_a_time
from widemargin.base import COUNT, SHARE, MarginSelector
from widemargin.data.protocol import Floats
from widemargin.data.table import Table
from widemargin.threads import Workers


@dataclass(kw_only=True, eq=False, repr=False)
class ForestImportance(MarginSelector):
    """Forest importance: impurity importances of scikit-learn's random forest.

    The best-known baseline: the decrease in impurity (Gini for classes, variance for a
    numeric target) at the nodes that split on the feature, averaged over the trees.
    Importances sum to 1, so they compare a feature with the others of the table and do
    not say how good it is. They favour features with many distinct values.

    Features must be numeric, without missing values; encode nominal features first. The
    forest is that of `sklearn.ensemble.RandomForestClassifier`, or
    `RandomForestRegressor`.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    task : {"classification", "regression"}, default="classification"
        Whether y holds classes or numbers.
    n_estimators : int, default=100
        Number of trees.
    max_features : "sqrt", "log2", int, float or None, default="sqrt"
        Features considered at each split, as in scikit-learn; None considers all, which
        is scikit-learn's default for a numeric target.
    min_samples_leaf : int, default=1
        Minimum number of rows in a leaf.
    redundancy : float, "auto" or None, default=None
        Similarity at which a feature is skipped as a near copy of a better one: |r|, or
        the symmetrical uncertainty if there are nominal or missing values. "auto"
        chooses among None, 0.9 and 0.7 by ten-fold cross-validation.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        No effect on the scores, apart from rounding. Used only to scale features for
        1-NN, where that evaluates selections.
    feature_groups : dict, array-like, "prefix" or None, default=None
        Columns that stay or go together: a mapping from names of groups to their
        columns (names or indices), a label for each column (None or NaN for a column on
        its own), or "prefix", by which names that agree up to the last underscore are a
        group (after ``transformer__``, if a ColumnTransformer wrote it). A group counts
        as one feature.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Random seed.
    verbose : int, default=0
        Not used.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Impurity importances; 0 for constant features.
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
    >>> from widemargin.baselines import ForestImportance
    >>> X, y = load_iris(return_X_y=True)
    >>> ForestImportance(2, random_state=0).fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    task: Literal["classification", "regression"] = "classification"
    n_estimators: int = 100
    max_features: int | float | Literal["sqrt", "log2"] | None = "sqrt"
    min_samples_leaf: int = 1
    random_state: Any = None

    _score_of_group = "total"
    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "n_estimators": [COUNT],
        "max_features": [None, StrOptions({"sqrt", "log2"}), COUNT, SHARE],
        "min_samples_leaf": [COUNT],
    }

    def _score(self, table: Table, workers: Workers) -> Floats:
        # It takes half a second to import.
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        forest, y = RandomForestClassifier, table.y.astype(np.float64)
        if table.target is not None:
            forest, y = RandomForestRegressor, table.target / np.ptp(table.target)
        grown = forest(
            self.n_estimators,
            max_features=self.max_features,
            min_samples_leaf=self.min_samples_leaf,
            n_jobs=workers.n_threads,
            random_state=self.random_state,
        )
        # Trees see single precision: within [0, 1] that tells more values apart.
        X = table.unit_range().astype(np.float32)
        with one_at_a_time, warnings.catch_warnings():
            importances = grown.fit(
                X, y, table.weights
            ).feature_importances_  # by threads, both
        return np.asarray(importances, np.float64)
