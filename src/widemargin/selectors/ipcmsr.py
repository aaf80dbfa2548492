"""IPCMSR and IPICSR: spread within prototypes against separation of classes.

References
----------
W. W. Y. Ng, J. Wang, D. S. Yeung, *IPCM separability ratio for supervised feature
selection*, SMC 2009.
D. S. Yeung, J. Wang, W. W. Y. Ng, *IPIC separability ratio for semi-supervised feature
selection*, ICMLC 2009.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from widemargin.base.prototypes import SeparabilityRatio
from widemargin.data.protocol import Floats
from widemargin.data.table import Table
from widemargin.engine import end_sums, heat, misses_only, nearest
from widemargin.engine.sums import square_sums, weighed
from widemargin.kernels.records import Edges
from widemargin.notices import warn
from widemargin.threads import Workers


@dataclass(kw_only=True, eq=False, repr=False)
class IPCMSR(SeparabilityRatio):
    """IPCMSR: variation across the class margin against that within prototypes.

    A class may consist of several clusters, so its samples are first clustered into
    *prototypes*. A good feature varies little within a prototype and a lot across the
    margin, where samples of different classes are each other's nearest:

        score_f = Σ_margin S(x, z) (x_f − z_f)² / Σ_prototypes S(x, z) (x_f − z_f)²,

    the reciprocal of the paper's ratio. The numerator runs over the pairs of different
    classes that are mutually among the k nearest samples of other classes, the
    denominator over the pairs within a prototype, and S(x, z) = exp(−‖x − z‖²/δ).

    In our study it was not significantly better than a random ranking.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    n_neighbors : int, default=5
        Number of neighbours k. Of samples tied at the k-th place, those that come first
        in X are used.
    linkage : {"summed", "average", "ward", "complete"}, default="summed"
        Distance between two clusters P and Q. "summed" is the paper's Σ ‖x − x'‖ / (n_P
        + n_Q); of tied pairs, the one with the lowest row numbers is merged.
    delta : float or "auto", default="auto"
        δ, positive. "auto" is the mean distance to the (⌊ln n⌋ + 1)-th nearest of the
        n samples, or 1 where that is 0.
    min_prototype_size : int, default=3
        Prototypes with fewer samples are dropped as outliers. Their samples still count
        in the margin.
    prototypes : array of int, clusterer or None, default=None
        Prototype of each row of X, but for rows of weight 0, or any scikit-learn
        clusterer, which is fitted to the scaled rows of each class. Negative labels
        are outliers, as of DBSCAN; rows of different classes are never in one
        prototype. None: see ``linkage``, which is not used otherwise.
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
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Higher is better. Features that are constant within all prototypes but differ
        across the margin come first, with finite scores.
    scores_by_class_ : array of shape (n_classes, n_features)
        What each class contributes to the scores, by the rows of that class: which
        features tell it from the others. The sum over classes is ``scores_``. Rows are
        in the order of ``classes_``. Not set for a numeric target. A pair of rows of
        different classes counts half for each of them; the numerator is split, the
        denominator is not.
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
    prototypes_ : array of shape (n_samples,)
        Prototype of each sample, numbered by class and then by first row; −1 if it was
        dropped.
    delta_ : float
        The δ used.
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Notes
    -----
    The number of prototypes of a class is the knee of the curve of merge height against
    number of clusters, found by the L-method without iterative refinement. A class is a
    single prototype if it has fewer than 5 samples, so that the curve is too short for
    two lines, or if all merges have the same height.

    The distances within a class are held in memory, one class at a time: 8 m² bytes for
    the m samples of the largest class, and twice that with a ``linkage`` other than
    "summed". If that exceeds the available memory, an error is raised before the work
    begins (``WIDEMARGIN_MEMORY`` sets another limit).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin import IPCMSR
    >>> X, y = load_iris(return_X_y=True)
    >>> IPCMSR().fit(X, y).ranking_
    array([3, 4, 1, 2])
    """

    n_neighbors: int = 5

    _instead_on_dask = "FRLL"

    def _between(self, table: Table, workers: Workers) -> Floats:
        n, k = len(table.X), self.n_neighbors
        fewest = n - table.counts.max()
        if k > fewest:
            c = table.classes.tolist()[table.counts.argmax()]
            warn(
                f"IPCMSR: n_neighbors={k}, but only {fewest} samples are not of class "
                f"{c!r}; all of them are used."
            )
        found = []
        slots = misses_only(len(table.classes))
        for block in nearest(table, k, slots, distances=True, workers=workers):
            assert block.distances is not None
            x = np.repeat(block.queries, block.counts[:, 0])
            found.append((x, block.rows, block.distances))
        x, z, distance = (np.concatenate(part) for part in zip(*found, strict=True))
        margin = (x < z) & np.isin(x * n + z, z * n + x)
        x, z, w = x[margin], z[margin], table.row_weights
        edges = Edges(x, z, heat(distance[margin], self.delta_) * w[x] * w[z])
        return end_sums(table, edges, power=2, workers=workers)


class IPICSR(SeparabilityRatio):
    """IPICSR: variation between classes against that within prototypes.

    The predecessor of `IPCMSR`. A good feature varies little within the prototypes of a
    class and a lot between any two samples of different classes:

        score_f = Σ_classes (x_f − z_f)² / Σ_prototypes S(x, z) (x_f − z_f)²,

    with all pairs of different classes in the numerator, all pairs within a prototype
    in the denominator, and S(x, z) = exp(−‖x − z‖²/δ). The sum over classes is our
    reading: the paper of IPCMSR names this method without its formula.

    In our study it was not significantly better than a random ranking.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    linkage : {"summed", "average", "ward", "complete"}, default="summed"
        Distance between two clusters P and Q. "summed" is the paper's Σ ‖x − x'‖ / (n_P
        + n_Q); of tied pairs, the one with the lowest row numbers is merged.
    delta : float or "auto", default="auto"
        δ, positive. "auto" is the mean distance to the (⌊ln n⌋ + 1)-th nearest of the
        n samples, or 1 where that is 0.
    min_prototype_size : int, default=3
        Prototypes with fewer samples are dropped as outliers. Their samples still count
        in the separation of classes.
    prototypes : array of int, clusterer or None, default=None
        Prototype of each row of X, but for rows of weight 0, or any scikit-learn
        clusterer, which is fitted to the scaled rows of each class. Negative labels
        are outliers, as of DBSCAN; rows of different classes are never in one
        prototype. None: see ``linkage``, which is not used otherwise.
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
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Higher is better. Features that are constant within all prototypes but differ
        between classes come first, with finite scores.
    scores_by_class_ : array of shape (n_classes, n_features)
        What each class contributes to the scores, by the rows of that class: which
        features tell it from the others. The sum over classes is ``scores_``. Rows are
        in the order of ``classes_``. Not set for a numeric target. A pair of rows of
        different classes counts half for each of them; the numerator is split, the
        denominator is not.
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
    prototypes_ : array of shape (n_samples,)
        Prototype of each sample, numbered by class and then by first row; −1 if it was
        dropped.
    delta_ : float
        The δ used.
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    See Also
    --------
    IPCMSR : Its notes say how prototypes are found.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin import IPICSR
    >>> X, y = load_iris(return_X_y=True)
    >>> IPICSR().fit(X, y).ranking_
    array([3, 4, 1, 2])
    """

    _instead_on_dask = "FRLL"

    def _between(self, table: Table, workers: Workers) -> Floats:
        # For classes a and b, Σ (x − z)² = n_a n_b (μ_a − μ_b)² + n_b V_a + n_a V_b,
        # where V is the sum of squares about the mean: no term can cancel another.
        n, sizes, starts = len(table.X), table.sizes[:, None], table.starts
        mu, w = np.empty((len(sizes), table.X.shape[1])), table.weights
        V = np.empty_like(mu)

        def measure(c: int) -> None:
            # From the smallest value, a constant feature is exactly 0.
            Z = table.X[starts[c] : starts[c + 1]] - table.low
            mine = None if w is None else w[starts[c] : starts[c + 1]]
            mu[c] = weighed(Z, mine).sum(axis=0) / sizes[c]
            Z -= mu[c]
            V[c] = square_sums(Z, mine)

        workers.run(measure, range(len(sizes)))
        centre = np.sum(sizes * mu, axis=0) / n
        apart = sizes * (mu - centre) ** 2
        spread = n * apart.sum(axis=0)
        total = spread + np.sum((n - sizes) * V, axis=0)
        # Σ n_b (μ_a − μ_b)² = n (μ_a − μ)² + Σ n_b (μ_b − μ)²; half of each pair.
        by_class = n * apart + sizes * apart.sum(axis=0)
        by_class += (n - sizes) * V + sizes * (V.sum(axis=0) - V)
        return np.vstack([total, by_class / 2])
