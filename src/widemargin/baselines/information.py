"""Filters by information about the class: information gain, and FCBF on top of it.

References
----------
J. R. Quinlan, *Induction of decision trees*, Machine Learning 1, 1986.
U. Fayyad, K. Irani, *Multi-interval discretization of continuous-valued attributes for
classification learning*, IJCAI 1993 (bins "mdl").
L. Yu, H. Liu, *Efficient feature selection via analysis of relevance and redundancy*,
Journal of Machine Learning Research 5, 2004 (FCBF).
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from widemargin._sklearn import Interval
from widemargin.base import MarginSelector
from widemargin.data.protocol import AnyTable, Floats
from widemargin.data.table import Table
from widemargin.discrete import BIN_CONSTRAINTS, counted_relevance, in_bins
from widemargin.threads import Workers

TIE = 1e-10  # uncertainties this close are equal


@dataclass(kw_only=True, eq=False, repr=False)
class InformationGain(MarginSelector):
    """Information gain: mutual information of a binned feature with the class.

    The mutual information I(f; y) = H(y) − H(y | f), in nats, of the class and the
    binned feature.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    bins : {"three", "equal-width", "quantile", "mdl"} or None, default="three"
        "three" cuts at μ ± σ. "mdl" cuts where Fayyad and Irani's minimum description
        length principle accepts a cut, which may be nowhere. None uses the values as
        they are, at most 256 distinct ones. Dask collections support only "three" and
        "equal-width".
    n_bins : int, default=5
        Number of bins for "equal-width" and "quantile"; a value on an edge belongs to
        the upper bin.
    redundancy : float, "auto" or None, default=None
        Similarity at which a feature is skipped as a near copy of a better one: |r|, or
        the symmetrical uncertainty if there are nominal or missing values. "auto"
        chooses among None, 0.9 and 0.7 by ten-fold cross-validation.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        Only "rank", which replaces numbers by their ranks, affects the scores, because
        bins scale with the feature.
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
        I(f; y), higher is better.
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
    >>> from widemargin.baselines import InformationGain
    >>> X, y = load_iris(return_X_y=True)
    >>> InformationGain(bins="mdl").fit(X, y).scores_.round(3)
    array([0.452, 0.267, 0.94 , 0.955])
    """

    bins: Literal["three", "equal-width", "quantile", "mdl"] | None = "three"
    n_bins: int = 5

    _sparse = True
    _instead_on_dask = None
    _beyond = "strata"
    _separable = True

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        **BIN_CONSTRAINTS,
    }

    def _score(self, table: AnyTable, workers: Workers) -> Floats:
        name = type(self).__name__
        if isinstance(table, Table):
            return in_bins(table, self.bins, self.n_bins, workers, name).relevance()
        return counted_relevance(table, self.bins, self.n_bins, workers, name)


@dataclass(kw_only=True, eq=False, repr=False)
class FCBF(MarginSelector):
    """FCBF: relevant features that no better one makes redundant.

    Relevance is the symmetrical uncertainty with the class,

        SU(f, y) = 2 I(f; y) / (H(f) + H(y)).

    Of the features above a threshold, the most relevant one, p, is kept, and every q
    with SU(p, q) ≥ SU(q, y) is removed, because p is an approximate Markov blanket of
    q. This is repeated with the most relevant remaining feature. The kept features are
    the selection.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        None or "auto" keeps the subset that the method finds. A number keeps the
        best-ranked features instead.
    threshold : float, default=0.0
        A feature is relevant if its symmetrical uncertainty is above this.
    bins : {"three", "equal-width", "quantile", "mdl"} or None, default="three"
        "three" cuts at μ ± σ. "mdl" cuts where Fayyad and Irani's minimum description
        length principle accepts a cut, which may be nowhere. None uses the values as
        they are, at most 256 distinct ones.
    n_bins : int, default=5
        Number of bins for "equal-width" and "quantile"; a value on an edge belongs to
        the upper bin.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        Only "rank", which replaces numbers by their ranks, affects the scores, because
        bins scale with the feature.
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
        SU(f, y) of the kept features. For all others SU(f, y) − 1, so that they rank
        below: first the redundant ones, then the irrelevant ones.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether each feature is kept.
    n_features_ : int
        Number of features kept.
    relevance_ : array of shape (n_features,)
        SU(f, y), between 0 and 1.
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from widemargin.baselines import FCBF
    >>> X, y = load_wine(return_X_y=True)
    >>> FCBF().fit(X, y).get_support(indices=True)
    array([ 0,  1,  2,  3,  4,  6,  9, 10, 11, 12])
    """

    threshold: float = 0.0
    bins: Literal["three", "equal-width", "quantile", "mdl"] | None = "three"
    n_bins: int = 5
    redundancy: float | Literal["auto"] | None = field(default=None, init=False)

    _sparse = True
    _instead_on_dask = "InformationGain"
    _separable = True
    _gives_subset = True

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        **BIN_CONSTRAINTS,
        "threshold": [Interval(numbers.Real, 0, 1, closed="left")],
    }

    def _score(self, table: Table, workers: Workers) -> Floats:
        data = in_bins(table, self.bins, self.n_bins, workers, type(self).__name__)
        SU = self.relevance_ = data.relevance_uncertainty()
        left = np.argsort(-SU, kind="stable")
        left = left[SU[left] > self.threshold]
        self._kept = np.zeros(len(SU), bool)
        while len(left):
            p = int(left[SU[left] >= SU[left[0]] - TIE].min())
            self._kept[p] = True
            left = left[left != p]
            left = left[data.redundancy_uncertainty(p, left) < SU[left] - TIE]
        return np.where(self._kept, SU, SU - 1)

    @property
    def _statistic(self) -> Floats:
        """The relevance; whether a feature is kept depends on the others."""
        return self.relevance_

    def _natural_support(self) -> NDArray[np.bool_] | None:
        return self._kept
