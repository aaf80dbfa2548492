"""Fisher score, of single features and of subsets.

References
----------
R. Duda, P. Hart, D. Stork, *Pattern classification*, Wiley 2001 (Fisher score).
F. Nie, S. Xiang, Y. Jia, C. Zhang, S. Yan, *Trace ratio criterion for feature
selection*, AAAI 2008 (score of a subset).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from widemargin.base import MarginSelector
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.sparse import SparseTable
from widemargin.data.table import Table
from widemargin.engine import class_sums, row_sums
from widemargin.engine.sums import square_sums
from widemargin.notices import warn
from widemargin.threads import Workers, single_threaded_blas, spans

# A spread within classes of less than 1e-10 of the feature's range is rounding.
NONE = 1e-20
PRODUCT_FEATURES = 2048  # multiplied with permuted labels at a time


def scatter(table: AnyTable, span: Floats, workers: Workers) -> tuple[Floats, Floats]:
    """Scatter of (x − low) / span between and within the classes, for each feature."""
    counts = table.sizes
    if isinstance(table, SparseTable):
        means, within = table.class_means(span)
        centre = counts @ means / counts.sum()
        return counts @ (means - centre) ** 2, within
    function = partial(class_sums, n_classes=len(counts))
    means = row_sums(table, function, span=span, workers=workers) / counts[:, None]
    centre = counts @ means / counts.sum()
    between = counts @ (means - centre) ** 2
    function = partial(_squares_within, means=means)
    return between, row_sums(table, function, span=span, workers=workers)


def _squares_within(
    U: Floats, y: Ints, w: Floats | None = None, *, means: Floats
) -> Floats:
    return square_sums(U - means[y], w)


class FisherScore(MarginSelector):
    """Fisher score: variance between classes divided by variance within them.

    With n_k samples of class k, of mean μ_k and variance σ_k² in the feature,

        score = Σ_k n_k (μ_k − μ)² / Σ_k n_k σ_k².

    It does not depend on the scale of a feature. A feature that varies between classes
    but not within them is perfect; its denominator is replaced by 1e-20 of that of a
    feature with the same range, which ranks it first and keeps the score finite.

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
    >>> from widemargin.baselines import FisherScore
    >>> X, y = load_iris(return_X_y=True)
    >>> FisherScore().fit(X, y).scores_.round(2)
    array([ 1.62,  0.67, 16.06, 13.06])
    """

    _sparse = True
    _instead_on_dask = None
    _beyond = "strata"
    _separable = True

    def _score(self, table: AnyTable, workers: Workers) -> Floats:
        between, within = scatter(table, table.span, workers)
        return between / np.maximum(within, NONE * table.n_rows)

    def _permuted_neighbors(self, n: int, n_classes: int) -> int | None:
        return 0

    def _permuted_scores(
        self, table: Table, targets: NDArray[Any], features: Ints, workers: Workers
    ) -> Floats:
        """Shares of the variance that classes explain, by products of matrices.

        The scatter T of a feature does not depend on labels, and with class sums S_c of
        its centred values the scatter between classes is B = Σ_c S_c² / n_c. B / T
        rises with the score, B / (T − B), and is exact where that is nearly infinite.
        """
        shares = np.zeros((len(targets), len(features)))
        members = [(targets == c).astype(np.float64) for c in range(len(table.counts))]

        def add(part: slice) -> None:
            V = _units(table, features[part])
            for of_class, n in zip(members, table.counts, strict=True):
                shares[:, part] += (of_class @ V) ** 2 / n

        with single_threaded_blas():  # the cores are busy with parts
            workers.run(add, spans(len(features), PRODUCT_FEATURES))
        return shares


def _units(table: Table, features: Ints) -> Floats:
    """Features less their means, as vectors of length 1; zeros for constants."""
    # Less the lowest value first, so that values far from 0 keep their digits.
    V = table.X[:, features] - table.low[features]
    largest = V.max(axis=0)
    V /= np.where(largest > 0, largest, 1.0)
    V -= V.mean(axis=0)
    constant = table.constant[features]
    V /= np.where(constant, 1.0, np.sqrt(np.einsum("if,if->f", V, V)))
    V[:, constant] = 0.0
    return V


@dataclass(kw_only=True, eq=False, repr=False)
class TraceRatio(MarginSelector):
    """Trace ratio: the subset of features with the best Fisher score as a whole.

    Of all sets F of the wanted size, the one with the largest

        λ = Σ_F S_b / Σ_F S_w,

    where S_b and S_w are the scatter of a feature between and within classes. Starting
    from the best single features, λ is computed and F is replaced by the features with
    the largest S_b − λ S_w, until F is stable. That is the global maximum.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Size of F, or fraction of the features; None uses half. "auto" ranks as None
        does, and keeps the smallest top-k whose 1-NN accuracy is within one standard
        error of the best, in ten-fold cross-validation with the ranking inside the
        folds.
    max_iter : int, default=100
        Maximum number of steps. A few are usually enough.
    redundancy : float, "auto" or None, default=None
        Similarity at which a feature is skipped as a near copy of a better one: |r|, or
        the symmetrical uncertainty if there are nominal or missing values. "auto"
        chooses among None, 0.9 and 0.7 by ten-fold cross-validation.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        Scaling of the features: by range, by largest absolute value, by standard
        deviation, by rank (average ranks, scaled by their range, so that extremely
        skewed features count like others), or none.
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
        S_b − λ S_w at the last λ. Constant features get the lowest score of all, or 0
        if that is lower.
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
    ratio_ : float
        λ of the features kept, with "auto" of the better half; infinite if none of
        them varies within classes, in which case the scores use the largest finite
        ratio of a single feature.
    n_iter_ : int
        Number of steps until F was stable.
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.baselines import TraceRatio
    >>> X, y = load_iris(return_X_y=True)
    >>> ratio = TraceRatio(n_features_to_select=2).fit(X, y)
    >>> ratio.get_support(indices=True), round(ratio.ratio_, 2)
    (array([2, 3]), 14.33)
    """

    max_iter: int = 100

    _instead_on_dask = "FisherScore"

    def _score(self, table: Table, workers: Workers) -> Floats:
        S_b, S_w = scatter(table, np.ones(table.n_features), workers)
        nothing = NONE * table.n_rows * (table.high - table.low) ** 2
        S_w = np.where(S_w <= nothing, 0.0, S_w)
        varying = np.flatnonzero(~table.constant)
        scores = np.zeros(len(S_b))
        if not len(varying):
            self.ratio_, self.n_iter_ = 0.0, 0
            return scores
        lam = self._ratio(S_b[varying], S_w[varying])
        scores[varying] = S_b[varying] - lam * S_w[varying]
        scores[table.constant] = min(0.0, scores[varying].min())
        return scores

    def _wanted(self) -> int:
        if self.n_features_to_select == "auto":
            return max(1, self.n_features_in_ // 2)
        return super()._wanted()

    def _ratio(self, S_b: Floats, S_w: Floats) -> float:
        """λ of the best set; sets ``ratio_`` and ``n_iter_``."""
        m = min(self._wanted(), len(S_b))
        finite = S_w > 0
        single = np.divide(S_b, S_w, out=np.full(len(S_b), np.inf), where=finite)
        F = np.argsort(-single, kind="stable")[:m]
        lam = -1.0
        for step in range(1, self.max_iter + 1):
            self.n_iter_ = step
            if not finite[F].any():
                self.ratio_ = np.inf if S_b[F].any() else 0.0
                return float(np.max(single, initial=0.0, where=finite))
            last, lam = lam, float(S_b[F].sum() / S_w[F].sum())
            # λ grows with every step, unless rounding has the last word.
            if lam <= last * (1 + 1e-12):
                break
            F = np.argsort(-(S_b - lam * S_w), kind="stable")[:m]
        else:
            warn(
                f"TraceRatio did not converge in max_iter={self.max_iter} steps; "
                "increase it.",
                ConvergenceWarning,
            )
        self.ratio_ = lam
        return lam
