"""Pearson's correlation with the class.

Reference
---------
I. Guyon, A. Elisseeff, *An introduction to variable and feature selection*, Journal of
Machine Learning Research 3, 2003, section 2.2.
"""

from __future__ import annotations

import numpy as np

from widemargin.base import About, MarginSelector
from widemargin.table import Floats, Table
from widemargin.threads import Workers


class PearsonScore(MarginSelector):
    """Absolute correlation of a feature with membership in a class.

    With two classes this is |r| between the feature and the label. With more, it is the
    largest |r| between the feature and the indicator of one class against the rest.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features to keep, or which share of them; None keeps half.
    scale : "minmax", "standard" or None
        Makes no difference here.
    n_jobs : int or None
        Threads; None uses all cores.
    verbose : int
        Not used.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Between 0 and 1, higher is better; 0 for constant features.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether a feature is kept.
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

    _about = About("Guyon & Elisseeff 2003", "n d C for C classes")

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        scale: str | None = "minmax",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.scale = scale
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _score(self, table: Table, workers: Workers) -> Floats:
        Z = table.unit_range()
        Z -= Z.mean(axis=0)
        norm = np.sqrt(np.einsum("if,if->f", Z, Z))
        P = table.counts / len(Z)
        # Σ of the centred feature over a class is its product with the indicator.
        products = np.abs(np.add.reduceat(Z, table.starts[:-1], axis=0))
        products /= np.sqrt(len(Z) * P * (1 - P))[:, None]
        r = products.max(axis=0) / np.where(table.constant, 1.0, norm)
        return np.where(table.constant, 0.0, np.minimum(r, 1.0))
