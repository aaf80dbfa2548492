"""SURF, SURF*, MultiSURF and MultiSURF*: neighbours within a radius.

References
----------
C. Greene, N. Penrod, J. Kiralis, J. Moore, *Spatially uniform ReliefF (SURF) for
computationally-efficient filtering of gene-gene interactions*, BioData Mining 2, 2009.
C. Greene, D. Himmelstein, J. Kiralis, J. Moore, *The informative extremes: using both
nearest and farthest individuals can improve Relief algorithms in the domain of human
genetics*, EvoBIO 2010 (SURF*).
D. Granizo-Mackenzie, J. Moore, *Multiple threshold spatially uniform ReliefF for the
genetic analysis of complex human diseases*, EvoBIO 2013 (MultiSURF*).
R. Urbanowicz, R. Olson, P. Schmitt, M. Meeker, J. Moore, *Benchmarking relief-based
feature selection methods for bioinformatics data mining*, Journal of Biomedical
Informatics 85, 2018 (MultiSURF).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin._sklearn import StrOptions
from widemargin.base import About, MarginSelector
from widemargin.engine import edge_sums
from widemargin.engine.pairs import Block, blocks_of_pairs, listed
from widemargin.kernels import TIE
from widemargin.numeric import ReliefSums
from widemargin.table import Floats, Table, warn_single_members
from widemargin.threads import Workers


class RadiusSelector(MarginSelector):
    """Base class of the methods that take all rows within a radius for neighbours."""

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "task": [StrOptions({"classification", "regression"})],
        "metric": [StrOptions({"euclidean", "manhattan"})],
        "categorical_features": ["array-like", None],
    }
    _mixed = True
    _own_radius = False  # a radius for each sample, or one for all
    _far = False  # whether far rows count, too

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        task: str = "classification",
        metric: str = "manhattan",
        redundancy: float | str | None = None,
        scale: str | None = "minmax",
        categorical_features: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.task = task
        self.metric = metric
        self.redundancy = redundancy
        self.scale = scale
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _numeric_target(self) -> bool:
        return self.task == "regression"

    def _score(self, table: Table, workers: Workers) -> Floats:
        if self._numeric_target:
            return self._score_target(table, workers)
        name = type(self).__name__
        warn_single_members(table, name, "its sample counts misses only")
        P = table.counts / len(table.X)
        # A mean over hits counts −1, one over misses of class C counts P(C)/(1 − P(y)).
        counts_for = P / (1 - P[:, None])
        np.fill_diagonal(counts_for, -1.0)
        w = np.zeros(table.X.shape[1])
        T = self._radius(table, workers)
        with blocks_of_pairs(table, self.metric, workers, name) as blocks:
            for block in blocks:
                near, far = _near_and_far(block, T)
                means = counts_for[table.y[block.queries]]
                C = _per_class(table, near, means)
                if self._far:
                    C -= _per_class(table, far, means)
                w += edge_sums(table, listed(block.queries, C), workers=workers)
        return w / len(table.X)

    def _score_target(self, table: Table, workers: Workers) -> Floats:
        """RReliefF's estimate from near rows, less that from far ones."""
        near_sums, far_sums = ReliefSums(table), ReliefSums(table)
        name, T = type(self).__name__, self._radius(table, workers)
        with blocks_of_pairs(table, self.metric, workers, name) as blocks:
            for block in blocks:
                near, far = _near_and_far(block, T)
                near_sums.add(listed(block.queries, _shares(near)), workers)
                if self._far:
                    far_sums.add(listed(block.queries, _shares(far)), workers)
        return near_sums.scores() - (far_sums.scores() if self._far else 0.0)

    def _radius(self, table: Table, workers: Workers) -> float | None:
        """T, the mean distance of all pairs; None if each row has its own radius."""
        if self._own_radius:
            return None
        n, title = len(table.X), f"{type(self).__name__} (radius)"
        total = 0.0
        with blocks_of_pairs(table, self.metric, workers, title) as blocks:
            for block in blocks:
                total += float(block.distances.sum(axis=1).sum())
        return total / (n * (n - 1))


def _near_and_far(
    block: Block, T: float | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows are near each query, and which are far; None: a radius of its own.

    Distances that differ from a limit by rounding only are neither.
    """
    D, others = block.distances, block.others
    dead: Any = 0.0
    mean: Any = T
    if T is None:
        n_others = D.shape[1] - 1
        mean = D.sum(axis=1, keepdims=True) / n_others
        squares = np.where(others, (D - mean) ** 2, 0.0).sum(axis=1, keepdims=True)
        dead = np.sqrt(squares / n_others) / 2
    near = others & (mean - dead - TIE * mean > D)
    far = others & (mean + dead + TIE * mean < D)
    return near, far


def _per_class(table: Table, rows: NDArray[np.bool_], means: Floats) -> Floats:
    """Coefficients with which the rows of each class count as their mean."""
    counts = np.add.reduceat(rows, table.starts[:-1], axis=1, dtype=np.int64)
    each = means / np.maximum(counts, 1)
    return np.where(rows, np.repeat(each, table.counts, axis=1), 0.0)


def _shares(rows: NDArray[np.bool_]) -> Floats:
    """Equal weights of some rows, which sum to 1 for each query that has any."""
    return rows / np.maximum(rows.sum(axis=1, keepdims=True), 1)


class SURF(RadiusSelector):
    """SURF: Relief with all neighbours nearer than the average.

    Near a sample are all rows whose distance is below T, the mean distance of
    all pairs of rows.
    Near hits count against a feature and near misses of each other class C, weighted
    P(C) / (1 − P(class of the sample)), for it, as in ReliefF:

        w_f += Σ_C P(C)/(1 − P(y)) · mean |x_f − miss_f| − mean |x_f − hit_f|,

    averaged over all samples. There is no number of neighbours to choose, and the order
    of the rows does not count. A sample without near hits, or near misses of a class,
    contributes what it has.

    Nominal features and missing values are taken as they are. Two values of a nominal
    feature differ by 0 or 1, whatever the scale. Where a value is missing, the
    difference is the one to expect from the values of the feature in that row's class,
    and where both are, from those of both classes.

    With ``task="regression"`` y is a number, and a neighbour is a hit to the degree
    that y agrees. The scores are those of `RReliefF`,
    N_AC / N_C − (N_A − N_AC) / (m − N_C), with all near rows of the same weight instead
    of the k nearest. (skrebate takes a neighbour
    for a hit if its y is nearer than a standard deviation, else for a miss.)

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        How many features to keep, or which share of them; None keeps half. "auto"
        keeps the smallest top-k whose 1-NN accuracy (R² with 5-NN for a numeric target)
        is within one standard error of the best, cross-validated in ten folds with the
        ranking inside them.
    task : {"classification", "regression"}, default="classification"
        Whether y holds classes or numbers.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance in the scaled space.
    redundancy : float, "auto" or None, default=None
        Similarity from which a feature is skipped because a better one is kept: |r|, or
        the symmetrical uncertainty if the table has nominal or missing values. "auto"
        lets the folds of ``n_features_to_select="auto"`` choose among none, 0.9 and
        0.7. Scores stay as they are.
    scale : {"minmax", "standard"} or None, default="minmax"
        How features are scaled: by their range, by their standard deviation, or not at
        all.
    categorical_features : array of bool, int or str, or None, default=None
        Nominal features, as a mask, as column numbers or as names, besides those that
        the types of a frame declare: text, booleans and unordered categories. An
        ordered category counts as a number, its place in the order.
    n_jobs : int or None, default=None
        Threads; None uses all cores.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Higher is better.
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

    See Also
    --------
    ReliefF : A fixed number of neighbours of every class.
    MultiSURF : A radius of its own for each sample.

    Examples
    --------
    Genotypes of ten markers, two of which tell the class together, neither by itself:

    >>> import numpy as np
    >>> from widemargin import SURF
    >>> X = np.random.default_rng(0).integers(0, 3, (400, 10))
    >>> y = (X[:, 0] == 1) ^ (X[:, 1] == 1)
    >>> SURF(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([0, 1])
    """

    _about = About(
        "Greene, Penrod, Kiralis & Moore 2009",
        "n² d",
        needs="classes, or a numeric target",
    )


class SURFStar(RadiusSelector):
    """SURF*: SURF in which far rows count, too, the other way round.

    Near a sample are all rows whose distance is below T, the mean distance of
    all pairs of rows.
    Near hits count against a feature and near misses of each other class C, weighted
    P(C) / (1 − P(class of the sample)), for it, as in ReliefF:

        w_f += Σ_C P(C)/(1 − P(y)) · mean |x_f − miss_f| − mean |x_f − hit_f|,

    averaged over all samples. There is no number of neighbours to choose, and the order
    of the rows does not count. A sample without near hits, or near misses of a class,
    contributes what it has.

    Far rows, whose distance is above T, count the other way round: far hits for a
    feature, far misses against it. That serves interactions, but it puts features
    that tell the class by themselves at the end of the ranking: far misses differ in
    them most.

    Nominal features and missing values are taken as they are. Two values of a nominal
    feature differ by 0 or 1, whatever the scale. Where a value is missing, the
    difference is the one to expect from the values of the feature in that row's class,
    and where both are, from those of both classes.

    With ``task="regression"`` y is a number, and a neighbour is a hit to the degree
    that y agrees. The scores are those of `RReliefF`,
    N_AC / N_C − (N_A − N_AC) / (m − N_C), with all near rows of the same weight instead
    of the k nearest, less the same of the far rows. (skrebate takes a neighbour
    for a hit if its y is nearer than a standard deviation, else for a miss.)

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        How many features to keep, or which share of them; None keeps half. "auto"
        keeps the smallest top-k whose 1-NN accuracy (R² with 5-NN for a numeric target)
        is within one standard error of the best, cross-validated in ten folds with the
        ranking inside them.
    task : {"classification", "regression"}, default="classification"
        Whether y holds classes or numbers.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance in the scaled space.
    redundancy : float, "auto" or None, default=None
        Similarity from which a feature is skipped because a better one is kept: |r|, or
        the symmetrical uncertainty if the table has nominal or missing values. "auto"
        lets the folds of ``n_features_to_select="auto"`` choose among none, 0.9 and
        0.7. Scores stay as they are.
    scale : {"minmax", "standard"} or None, default="minmax"
        How features are scaled: by their range, by their standard deviation, or not at
        all.
    categorical_features : array of bool, int or str, or None, default=None
        Nominal features, as a mask, as column numbers or as names, besides those that
        the types of a frame declare: text, booleans and unordered categories. An
        ordered category counts as a number, its place in the order.
    n_jobs : int or None, default=None
        Threads; None uses all cores.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Higher is better.
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

    See Also
    --------
    ReliefF : A fixed number of neighbours of every class.
    SURF : Near rows only.

    Examples
    --------
    Genotypes of ten markers, two of which tell the class together, neither by itself:

    >>> import numpy as np
    >>> from widemargin import SURFStar
    >>> X = np.random.default_rng(0).integers(0, 3, (400, 10))
    >>> y = (X[:, 0] == 1) ^ (X[:, 1] == 1)
    >>> SURFStar(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([0, 1])
    """

    _about = About(
        "Greene, Himmelstein, Kiralis & Moore 2010",
        "n² d",
        needs="classes, or a numeric target",
    )
    _far = True


class MultiSURF(RadiusSelector):
    """MultiSURF: Relief with a radius of its own for each sample.

    Near a sample are all rows whose distance is below T − D. T is the mean of
    the distances from that sample to all others, and the dead band D half of their
    standard deviation.
    Near hits count against a feature and near misses of each other class C, weighted
    P(C) / (1 − P(class of the sample)), for it, as in ReliefF:

        w_f += Σ_C P(C)/(1 − P(y)) · mean |x_f − miss_f| − mean |x_f − hit_f|,

    averaged over all samples. There is no number of neighbours to choose, and the order
    of the rows does not count. A sample without near hits, or near misses of a class,
    contributes what it has.

    Nominal features and missing values are taken as they are. Two values of a nominal
    feature differ by 0 or 1, whatever the scale. Where a value is missing, the
    difference is the one to expect from the values of the feature in that row's class,
    and where both are, from those of both classes.

    With ``task="regression"`` y is a number, and a neighbour is a hit to the degree
    that y agrees. The scores are those of `RReliefF`,
    N_AC / N_C − (N_A − N_AC) / (m − N_C), with all near rows of the same weight instead
    of the k nearest. (skrebate takes a neighbour
    for a hit if its y is nearer than a standard deviation, else for a miss.)

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        How many features to keep, or which share of them; None keeps half. "auto"
        keeps the smallest top-k whose 1-NN accuracy (R² with 5-NN for a numeric target)
        is within one standard error of the best, cross-validated in ten folds with the
        ranking inside them.
    task : {"classification", "regression"}, default="classification"
        Whether y holds classes or numbers.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance in the scaled space.
    redundancy : float, "auto" or None, default=None
        Similarity from which a feature is skipped because a better one is kept: |r|, or
        the symmetrical uncertainty if the table has nominal or missing values. "auto"
        lets the folds of ``n_features_to_select="auto"`` choose among none, 0.9 and
        0.7. Scores stay as they are.
    scale : {"minmax", "standard"} or None, default="minmax"
        How features are scaled: by their range, by their standard deviation, or not at
        all.
    categorical_features : array of bool, int or str, or None, default=None
        Nominal features, as a mask, as column numbers or as names, besides those that
        the types of a frame declare: text, booleans and unordered categories. An
        ordered category counts as a number, its place in the order.
    n_jobs : int or None, default=None
        Threads; None uses all cores.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Higher is better.
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

    See Also
    --------
    ReliefF : A fixed number of neighbours of every class.
    SURF : One radius for all samples.

    Examples
    --------
    Genotypes of ten markers, two of which tell the class together, neither by itself:

    >>> import numpy as np
    >>> from widemargin import MultiSURF
    >>> X = np.random.default_rng(0).integers(0, 3, (400, 10))
    >>> y = (X[:, 0] == 1) ^ (X[:, 1] == 1)
    >>> MultiSURF(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([0, 1])
    """

    _about = About(
        "Urbanowicz, Olson, Schmitt, Meeker & Moore 2018",
        "n² d",
        needs="classes, or a numeric target",
    )
    _own_radius = True


class MultiSURFStar(RadiusSelector):
    """MultiSURF*: MultiSURF in which far rows count, too, the other way round.

    Near a sample are all rows whose distance is below T − D. T is the mean of
    the distances from that sample to all others, and the dead band D half of their
    standard deviation.
    Near hits count against a feature and near misses of each other class C, weighted
    P(C) / (1 − P(class of the sample)), for it, as in ReliefF:

        w_f += Σ_C P(C)/(1 − P(y)) · mean |x_f − miss_f| − mean |x_f − hit_f|,

    averaged over all samples. There is no number of neighbours to choose, and the order
    of the rows does not count. A sample without near hits, or near misses of a class,
    contributes what it has.

    Far rows, whose distance is above T + D, count the other way round: far hits for a
    feature, far misses against it. That serves interactions, but it puts features
    that tell the class by themselves at the end of the ranking: far misses differ in
    them most.

    Nominal features and missing values are taken as they are. Two values of a nominal
    feature differ by 0 or 1, whatever the scale. Where a value is missing, the
    difference is the one to expect from the values of the feature in that row's class,
    and where both are, from those of both classes.

    With ``task="regression"`` y is a number, and a neighbour is a hit to the degree
    that y agrees. The scores are those of `RReliefF`,
    N_AC / N_C − (N_A − N_AC) / (m − N_C), with all near rows of the same weight instead
    of the k nearest, less the same of the far rows. (skrebate takes a neighbour
    for a hit if its y is nearer than a standard deviation, else for a miss.)

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        How many features to keep, or which share of them; None keeps half. "auto"
        keeps the smallest top-k whose 1-NN accuracy (R² with 5-NN for a numeric target)
        is within one standard error of the best, cross-validated in ten folds with the
        ranking inside them.
    task : {"classification", "regression"}, default="classification"
        Whether y holds classes or numbers.
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance in the scaled space.
    redundancy : float, "auto" or None, default=None
        Similarity from which a feature is skipped because a better one is kept: |r|, or
        the symmetrical uncertainty if the table has nominal or missing values. "auto"
        lets the folds of ``n_features_to_select="auto"`` choose among none, 0.9 and
        0.7. Scores stay as they are.
    scale : {"minmax", "standard"} or None, default="minmax"
        How features are scaled: by their range, by their standard deviation, or not at
        all.
    categorical_features : array of bool, int or str, or None, default=None
        Nominal features, as a mask, as column numbers or as names, besides those that
        the types of a frame declare: text, booleans and unordered categories. An
        ordered category counts as a number, its place in the order.
    n_jobs : int or None, default=None
        Threads; None uses all cores.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Higher is better.
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

    See Also
    --------
    ReliefF : A fixed number of neighbours of every class.
    MultiSURF : Near rows only.

    Examples
    --------
    Genotypes of ten markers, two of which tell the class together, neither by itself:

    >>> import numpy as np
    >>> from widemargin import MultiSURFStar
    >>> X = np.random.default_rng(0).integers(0, 3, (400, 10))
    >>> y = (X[:, 0] == 1) ^ (X[:, 1] == 1)
    >>> MultiSURFStar(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([0, 1])
    """

    _about = About(
        "Granizo-Mackenzie & Moore 2013",
        "n² d",
        needs="classes, or a numeric target",
    )
    _own_radius = True
    _far = True
