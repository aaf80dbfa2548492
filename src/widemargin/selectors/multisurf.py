"""MultiSURF and MultiSURF*: neighbours within a radius of each sample's own.

References
----------
D. Granizo-Mackenzie, J. Moore, *Multiple threshold spatially uniform ReliefF for the
genetic analysis of complex human diseases*, EvoBIO 2013 (MultiSURF*).
R. Urbanowicz, R. Olson, P. Schmitt, M. Meeker, J. Moore, *Benchmarking relief-based
feature selection methods for bioinformatics data mining*, Journal of Biomedical
Informatics 85, 2018 (MultiSURF).
"""

from __future__ import annotations

from widemargin.base.radius import RadiusSelector


class MultiSURF(RadiusSelector):
    """MultiSURF: Relief with a separate radius for each sample.

    Rows are near a sample if their distance is below T − D, where T is the mean
    distance from that sample to all others and the dead band D is half the standard
    deviation of these distances. As in ReliefF, near hits count against a feature, and
    near misses of each other class C, weighted by P(C) / (1 − P(class of the sample)),
    count in its favour:

        w_f += Σ_C P(C)/(1 − P(y)) · mean |x_f − miss_f| − mean |x_f − hit_f|,

    averaged over all samples. There is no number of neighbours to choose, and scores do
    not depend on the order of the rows. A sample without near hits, or without near
    misses of a class, contributes only the terms it has.

    Nominal features and missing values are supported. Two values of a nominal feature
    differ by 0 or 1, whatever the scale. If one value is missing, the expected
    difference over the values of the feature in that row's class is used; if both are,
    the expectation over both classes.

    With ``task="regression"``, y is numeric, and a neighbour is a hit to the degree
    that y agrees. The scores are those of `RReliefF`, N_AC / N_C − (N_A − N_AC) / (m −
    N_C), with equal weights for all near rows instead of the k nearest. (skrebate
    treats a neighbour as a hit if its y is within one standard deviation, and otherwise
    as a miss.)

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    task : {"classification", "regression", "multilabel"}, default="classification"
        What y holds: classes; numbers, in one column or several ("regression"); 0 and
        1, a column for each label ("multilabel").
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance in the scaled space.
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
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
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

    _own_radius = True


class MultiSURFStar(RadiusSelector):
    """MultiSURF*: MultiSURF in which far rows also count, with reversed signs.

    Rows are near a sample if their distance is below T − D, where T is the mean
    distance from that sample to all others and the dead band D is half the standard
    deviation of these distances. As in ReliefF, near hits count against a feature, and
    near misses of each other class C, weighted by P(C) / (1 − P(class of the sample)),
    count in its favour:

        w_f += Σ_C P(C)/(1 − P(y)) · mean |x_f − miss_f| − mean |x_f − hit_f|,

    averaged over all samples. There is no number of neighbours to choose, and scores do
    not depend on the order of the rows. A sample without near hits, or without near
    misses of a class, contributes only the terms it has.

    Far rows, whose distance is above T + D, count with reversed signs: far hits in
    favour of a feature, far misses against it. This helps to find interactions, but
    features with marginal effects end up last in the ranking, because far misses differ
    most in them.

    Nominal features and missing values are supported. Two values of a nominal feature
    differ by 0 or 1, whatever the scale. If one value is missing, the expected
    difference over the values of the feature in that row's class is used; if both are,
    the expectation over both classes.

    With ``task="regression"``, y is numeric, and a neighbour is a hit to the degree
    that y agrees. The scores are those of `RReliefF`, N_AC / N_C − (N_A − N_AC) / (m −
    N_C), with equal weights for all near rows instead of the k nearest, minus the same
    expression for the far rows. (skrebate treats a neighbour as a hit if its y is
    within one standard deviation, and otherwise as a miss.) Several targets, or labels,
    are compared by the distance of the rows of y, as in `RReliefF`.

    In our study, on tables without pure interactions, it was not significantly better
    than a random ranking.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    task : {"classification", "regression", "multilabel"}, default="classification"
        What y holds: classes; numbers, in one column or several ("regression"); 0 and
        1, a column for each label ("multilabel").
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance in the scaled space.
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
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
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

    _own_radius = True
    _far = True
