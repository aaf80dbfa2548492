"""Pearson's correlation with the class.

Reference
---------
I. Guyon, A. Elisseeff, *An introduction to variable and feature selection*, Journal of
Machine Learning Research 3, 2003, section 2.2.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from widemargin.base import MarginSelector
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.engine import class_sums, column_sums, row_sums
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
    scale : {"minmax", "standard", "rank"} or None, default="minmax"
        Only "rank", which replaces numbers by their ranks, affects the scores.
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

    _instead_on_dask = None
    _separable = True

    def _score(self, table: AnyTable, workers: Workers) -> Floats:
        n, C = table.n_rows, len(table.classes)
        mean = row_sums(table, column_sums, workers=workers) / n
        function = partial(_products, n_classes=C, mean=mean)
        sums = row_sums(table, function, workers=workers)
        products, norm = np.abs(sums[:C]), np.sqrt(sums[C])
        P = table.counts / n
        products /= np.sqrt(n * P * (1 - P))[:, None]
        r = products.max(axis=0) / np.where(table.constant, 1.0, norm)
        return np.where(table.constant, 0.0, np.minimum(r, 1.0))


def _products(U: Floats, y: Ints, n_classes: int, mean: Floats) -> Floats:
    """Products of the centred feature with the indicator of each class; its square."""
    Z = U - mean
    squares = np.einsum("if,if->f", Z, Z)
    return np.concatenate([class_sums(Z, y, n_classes), squares[None]])
