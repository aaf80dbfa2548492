"""MRMR: minimal redundancy, maximal relevance.

References
----------
C. Ding, H. Peng, *Minimum redundancy feature selection from microarray gene expression
data*, Journal of Bioinformatics and Computational Biology 3, 2005.
H. Peng, F. Long, C. Ding, *Feature selection based on mutual information: criteria of
max-dependency, max-relevance, and min-redundancy*, IEEE Transactions on Pattern
Analysis and Machine Intelligence 27, 2005.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from widemargin._sklearn import StrOptions
from widemargin.base import MarginSelector
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.discrete import BIN_CONSTRAINTS, Coded, in_bins
from widemargin.progress import progress
from widemargin.threads import Workers

TIE = 1e-10  # criteria this close are equal; a redundancy below it is none


@dataclass(kw_only=True, eq=False, repr=False)
class MRMR(MarginSelector):
    """MRMR: features with much information about the class, little about each other.

    Features are binned. The first feature selected has the largest mutual information
    I(f; y) with the class; each further one has the largest

        "mid":  I(f; y) − mean I(f; s)     over the features s already taken,
        "miq":  I(f; y) / mean I(f; s),

    where a redundancy below 1e-10 is replaced by 1e-10. Ties go to the first column. A
    step compares all features only with the last one selected, so selecting k features
    costs Θ(knd).

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to select, or fraction of them; None selects half. "auto"
        ranks all of them and keeps the smallest top-k whose 1-NN accuracy is within one
        standard error of the best, in ten-fold cross-validation with the search inside
        the folds.
    criterion : {"mid", "miq"}, default="mid"
        Difference or quotient of relevance and redundancy.
    bins : {"three", "equal-width", "quantile", "mdl"} or None, default="three"
        "three" cuts at μ ± σ. "mdl" cuts where Fayyad and Irani's minimum description
        length principle accepts a cut, which may be nowhere. None uses the values as
        they are, at most 256 distinct ones.
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
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        1 for the feature selected first, and 1/n_features less for each following one.
        Features that were not selected follow by the criterion after the last step;
        constant features score 0.
    ranking_ : array of shape (n_features,)
        1 for the feature selected first.
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
    relevance_ : array of shape (n_features,)
        I(f; y) in nats.
    criterion_ : array of shape (n_features,)
        Value of the criterion when the feature was selected, or after the last step.
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.baselines import MRMR
    >>> X, y = load_iris(return_X_y=True)
    >>> MRMR(n_features_to_select=2, criterion="miq").fit(X, y).ranking_
    array([4, 3, 1, 2])
    """

    criterion: Literal["mid", "miq"] = "mid"
    bins: Literal["three", "equal-width", "quantile", "mdl"] | None = "three"
    n_bins: int = 5

    _sparse = True
    _instead_on_dask = "InformationGain"
    _most_taken = 100

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        **BIN_CONSTRAINTS,
        "criterion": [StrOptions({"mid", "miq"})],
    }

    def _score(self, table: Table, workers: Workers) -> Floats:
        data = in_bins(table, self.bins, self.n_bins, workers, type(self).__name__)
        self.relevance_ = data.relevance()
        self.criterion_ = np.where(table.constant, 0.0, self.relevance_)
        taken, left = self._search(data, np.flatnonzero(~table.constant))
        order = np.concatenate([taken, left])
        d = len(self.relevance_)
        scores = np.zeros(d)
        scores[order] = 1 - np.arange(len(order)) / d
        return scores

    @property
    def _statistic(self) -> Floats:
        """The criterion, not the place that it gives a feature."""
        return self.criterion_

    def _search(self, data: Coded, left: Ints) -> tuple[Ints, Ints]:
        """Features in the order they are taken, and the others, best first."""
        steps = len(left) if self.groups_ is not None else self._wanted()
        steps = min(steps, len(left))
        taken: list[int] = []
        redundancy = np.zeros(len(left))
        J = self.relevance_[left]
        with progress("MRMR", steps, self.verbose) as advance:
            for _ in range(steps):
                worst = J.max() - TIE * max(1.0, abs(J.max()))
                best = int(np.argmax(worst <= J))
                f = int(left[best])
                taken.append(f)
                self.criterion_[f] = J[best]
                left, redundancy = np.delete(left, best), np.delete(redundancy, best)
                redundancy += data.redundancy(f, left)
                J = self._value(self.relevance_[left], redundancy / len(taken))
                advance()
        self.criterion_[left] = J
        return np.array(taken, np.int64), left[np.argsort(-J, kind="stable")]

    def _value(self, relevance: Floats, redundancy: Floats) -> Floats:
        if self.criterion == "mid":
            return relevance - redundancy
        return relevance / np.maximum(redundancy, TIE)
