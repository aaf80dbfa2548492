"""Feature importances of a random forest.

Reference
---------
L. Breiman, *Random forests*, Machine Learning 45, 2001.
"""

from __future__ import annotations

import numbers
import warnings
from _thread import RLock
from typing import Any, Literal

import numpy as np

from widemargin._sklearn import Interval, StrOptions
from widemargin.base import About, MarginSelector
from widemargin.table import Floats, Table
from widemargin.threads import Workers

# scikit-learn sets Python's warning filters anew for each tree. They belong to the
# process: forests that grow side by side would leave it without any.
_one_at_a_time = RLock()


class ForestImportance(MarginSelector):
    """Forest importance: impurity importances of scikit-learn's random forest.

    The yardstick that most people know: how much a feature lowers the impurity (Gini's
    for classes, the variance for a numeric target) at the nodes that split by it, in
    the mean over the trees. The importances of a forest sum to 1, so that they say how
    a feature compares with the others of the table, not how good it is. Features with
    many different values are favoured.

    Features have to be numbers, and none may be missing: encode nominal features
    first. The forest is that of `sklearn.ensemble.RandomForestClassifier`, or
    `RandomForestRegressor`.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        How many features to keep, or which share of them; None keeps half. "auto"
        keeps the smallest top-k whose 1-NN accuracy (R² with 5-NN for a numeric target)
        is within one standard error of the best, cross-validated in ten folds with the
        ranking inside them.
    task : {"classification", "regression"}, default="classification"
        Whether y holds classes or numbers.
    n_estimators : int, default=100
        Trees.
    max_features : "sqrt", "log2", int, float or None, default="sqrt"
        Features that are tried at each node, as scikit-learn has it; None tries all,
        which is scikit-learn's default for a numeric target.
    min_samples_leaf : int, default=1
        Rows of a leaf.
    redundancy : float, "auto" or None, default=None
        Similarity from which a feature is skipped because a better one is kept: |r|, or
        the symmetrical uncertainty if the table has nominal or missing values. "auto"
        lets the folds of ``n_features_to_select="auto"`` choose among none, 0.9 and
        0.7. Scores stay as they are.
    scale : {"minmax", "standard"} or None, default="minmax"
        No effect on the scores, rounding aside: trees do not depend on it. It is how
        features are scaled for 1-NN, if that has to choose.
    n_jobs : int or None, default=None
        Threads; None uses all cores. The result does not depend on their number.
    random_state : int, RandomState or None, default=None
        Random seed.
    verbose : int, default=0
        Not used.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Importances; 0 for a constant feature.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether a feature is kept.
    n_features_ : int
        How many features are kept.
    prefix_scores_ : array of shape (n_features,) or None
        With ``n_features_to_select="auto"``, cross-validated accuracy of 1-NN, or R² of
        5-NN, with the best 1, 2, 3, … features, ranked by the training rows of each
        fold; all lowered by ``optimism_``.
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

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.baselines import ForestImportance
    >>> X, y = load_iris(return_X_y=True)
    >>> ForestImportance(2, random_state=0).fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    _about = About(
        "Breiman 2001", "n log n √d per tree", needs="classes, or a numeric target"
    )

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "task": [StrOptions({"classification", "regression"})],
        "n_estimators": [Interval(numbers.Integral, 1, None, closed="left")],
        "max_features": [
            None,
            StrOptions({"sqrt", "log2"}),
            Interval(numbers.Integral, 1, None, closed="left"),
            Interval(numbers.Real, 0, 1, closed="right"),
        ],
        "min_samples_leaf": [Interval(numbers.Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select: int | float | Literal["auto"] | None = None,
        *,
        task: Literal["classification", "regression"] = "classification",
        n_estimators: int = 100,
        max_features: int | float | Literal["sqrt", "log2"] | None = "sqrt",
        min_samples_leaf: int = 1,
        redundancy: float | Literal["auto"] | None = None,
        scale: Literal["minmax", "standard"] | None = "minmax",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.task = task
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.min_samples_leaf = min_samples_leaf
        self.redundancy = redundancy
        self.scale = scale
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def _numeric_target(self) -> bool:
        return self.task == "regression"

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
        with _one_at_a_time, warnings.catch_warnings():
            importances = grown.fit(X, y).feature_importances_  # by threads, both
        return np.asarray(importances, np.float64)
