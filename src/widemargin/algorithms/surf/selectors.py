"""The four methods: whose radius it is, and whether far rows count."""

from __future__ import annotations

from widemargin.algorithms.surf.radius import RadiusSelector
from widemargin.base import About


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
