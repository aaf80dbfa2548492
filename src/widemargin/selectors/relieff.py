"""ReliefF.

Reference
---------
I. Kononenko, *Estimating attributes: analysis and extensions of RELIEF*, ECML 1994.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from widemargin._sklearn import StrOptions
from widemargin.base import COUNT, SampledSelector
from widemargin.data.kinds import listed
from widemargin.data.protocol import AnyTable, Floats
from widemargin.engine import each_class
from widemargin.engine.neighbors import ReliefRule, class_coefficients


@dataclass(kw_only=True, eq=False, repr=False)
class ReliefF(SampledSelector):
    """ReliefF: Relief with k neighbours of every class.

    For each visited sample x, the k nearest hits count against a feature, and the k
    nearest misses of each other class C, weighted by P(C) / (1 − P(class of x)), count
    in its favour:

        w_f += Σ_C P(C)/(1 − P(y)) · mean |x_f − miss_f| − mean |x_f − hit_f|,

    averaged over the visited samples. Neighbours tied at the k-th distance share the
    remaining weight equally, so scores do not depend on the order of the rows. A class
    with fewer than k other members contributes all of them.

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
        values, or ``n_samples``, each fold is fitted separately.
    n_neighbors : int or "log", default=10
        Number of neighbours k per class; "log" is the natural logarithm of the number
        of samples, rounded. To find interactions among hundreds of features, such as
        genotypes, take 100.
    metric : {"euclidean", "manhattan"}, default="euclidean"
        Distance in the scaled space. Most Relief software uses "manhattan".
    weights : {"uniform", "rank", "distance"}, default="uniform"
        Weight of the r-th nearest of the k neighbours in a class: uniform,
        exp(−(r/sigma)²), or 1/distance (neighbours at distance 0 then share all the
        weight). The weights in a class sum to 1; tied neighbours share the weights of
        their ranks. "rank" is MATLAB's ``sigma`` and CORElearn's ``ReliefFexpRank``,
        "distance" its ``ReliefFdistance``.
    sigma : float, default=20.0
        Decay of the rank weights; see ``weights``. The default is the published value.
    priors : {"empirical", "uniform"}, dict or array, default="empirical"
        Class probabilities P(C): the frequencies in y, equal, or given by label or in
        the order of the sorted labels. They are normalised to a sum of 1.
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

    Notes
    -----
    If the classes differ in size, hits are nearer than misses for most samples, so a
    feature in which neighbours differ scores above 0 even if it is irrelevant.
    `widemargin.evaluation.significance` corrects for this; `MultiSURF` is not affected.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin import ReliefF
    >>> X, y = load_iris(return_X_y=True)
    >>> ReliefF(metric="manhattan").fit(X, y).scores_.round(4)
    array([0.1399, 0.1226, 0.359 , 0.3754])

    How many features are enough:

    >>> from widemargin.datasets import make_xor
    >>> X, y = make_xor(random_state=0)
    >>> relieff = ReliefF(n_features_to_select="auto").fit(X, y)
    >>> relieff.get_support(indices=True)
    array([0, 1, 2])
    >>> relieff.prefix_scores_[:5].round(3)
    array([0.516, 0.517, 0.897, 0.855, 0.817])

    Text is nominal, and None is a missing value:

    >>> import pandas as pd
    >>> X = pd.DataFrame(
    ...     {
    ...         "age": [31, 44, None, 52, 28, 39],
    ...         "purpose": ["car", "tv", "car", "car", "tv", None],
    ...     }
    ... )
    >>> y = ["good", "bad", "good", "good", "bad", "bad"]
    >>> ReliefF(n_features_to_select=1, n_neighbors=1).fit(X, y).get_feature_names_out()
    array(['purpose'], dtype=object)

    Neighbours that count by rank, for classes that are equally frequent where the
    selection will be used:

    >>> X, y = load_iris(return_X_y=True)
    >>> by_rank = ReliefF(n_neighbors=40, weights="rank", priors="uniform")
    >>> by_rank.fit(X, y).scores_.round(2)
    array([0.15, 0.12, 0.36, 0.38])

    Of a large table, some rows tell enough:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 20_000)
    >>> X = rng.standard_normal((20_000, 10))
    >>> X[:, 3:5] += 2 * y[:, None]
    >>> relieff = ReliefF(2, n_samples="auto", random_state=0).fit(X, y)
    >>> relieff.get_support(indices=True), relieff.n_samples_, relieff.converged_
    (array([3, 4]), 1024, True)
    """

    n_neighbors: int | Literal["log"] = 10
    metric: Literal["euclidean", "manhattan"] = "euclidean"
    weights: Literal["uniform", "rank", "distance"] = "uniform"
    sigma: float = 20.0
    priors: Any = "empirical"

    _sparse = True
    _instead_on_dask = None

    _parameter_constraints = {
        **SampledSelector._parameter_constraints,
        "n_neighbors": [COUNT, StrOptions({"log"})],
        "priors": [StrOptions({"empirical", "uniform"}), dict, "array-like"],
    }

    @property
    def _weighs_each(self) -> bool:
        return self.weights != "uniform"

    def _permuted_neighbors(self, n: int, n_classes: int) -> int | None:
        # Neighbours that count the same need not be sorted.
        if self._weighs_each or self.n_samples == "auto":
            return None
        return min(n, self._k(n) * n_classes)

    def _rule(self, table: AnyTable) -> ReliefRule:
        k, P = self._k(table.n_rows), class_priors(self.priors, table)
        return ReliefRule(k, each_class(len(P)), class_coefficients(P), self.metric)


def class_priors(priors: Any, table: AnyTable) -> Floats:
    """Probability of each class, which sum to 1; 0 for a class without rows.

    ``priors`` are "empirical", the share of the class in the table, or "uniform", all
    the same, or given: by label, or in the order of the classes.
    """
    counts, classes = table.counts, table.classes
    if isinstance(priors, str) and priors == "empirical":
        return table.sizes / table.n_rows
    if isinstance(priors, str):  # uniform
        given = np.ones(len(classes))
    elif isinstance(priors, dict):
        given = _by_label(priors, classes)
    else:
        given = np.asarray(priors, np.float64)
        if given.shape != (len(classes),):
            raise ValueError(
                f"ReliefF needs one prior for each of {len(classes)} classes, in the "
                f"order {listed(classes.tolist())}, got priors of shape "
                f"{given.shape}."
            )
    if not np.isfinite(given).all() or (given <= 0).any():
        raise ValueError(
            f"ReliefF needs finite, positive priors, got {priors!r} for the classes "
            f"{listed(classes.tolist())}. Drop the rows of a class that should not "
            "count."
        )
    given = np.where(counts > 0, given, 0.0)
    return given / given.sum()


def _by_label(priors: dict[Any, float], classes: NDArray[Any]) -> NDArray[np.float64]:
    missing = [label for label in classes.tolist() if label not in priors]
    if missing:
        raise ValueError(
            "ReliefF needs a prior for every class of y: priors has none for "
            f"{listed(missing)}. Add the missing ones, or use "
            "priors='empirical'."
        )
    return np.array([priors[label] for label in classes.tolist()], np.float64)
