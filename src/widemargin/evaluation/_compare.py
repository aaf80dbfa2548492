"""`compare`: from a table to all that a report says about it."""

from __future__ import annotations

import numbers
from dataclasses import replace
from inspect import isfunction
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import TimeSeriesSplit, check_cv
from sklearn.utils import check_random_state

from widemargin.data.dataset import Dataset, read_dataset
from widemargin.data.protocol import Ints
from widemargin.evaluation import _stages as stages
from widemargin.evaluation._comparison_result import Comparison
from widemargin.evaluation._curves import Baseline
from widemargin.evaluation._defaults import choose as choose_methods
from widemargin.evaluation._judges import title_of
from widemargin.evaluation._profile import Profile, describe
from widemargin.evaluation._scoring import default_scoring, has_order, scoring_for
from widemargin.evaluation._selection_curve import columns_of
from widemargin.evaluation._selectors import is_regression, preset, resolve_selectors
from widemargin.judging.splits import group_codes
from widemargin.plain import plain


def compare(
    X: Any,
    y: Any,
    selectors: Any = None,
    *,
    estimator: Any = None,
    scoring: Any = None,
    cv: Any = 5,
    groups: Any = None,
    baseline: Any = None,
    n_features: Any = None,
    n_permutations: int | None = None,
    n_resamples: int = 50,
    redundancy_threshold: float | None = 0.9,
    categorical_features: Any = None,
    max_samples: int | None = 10_000,
    budget: float | None = 40.0,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    image_shape: tuple[int, int] | None = None,
    image_order: Literal["C", "F"] = "C",
    task: str | None = None,
    positive: Any = None,
) -> Comparison:
    """Rank the features of a table by several methods, and evaluate the rankings.

    All methods are fitted on all rows and evaluated by a cross-validated selection
    curve. The stability on subsamples and the significance of the scores follow,
    starting with the recommended method, and then groups of redundant features. Ctrl-C
    during one of the later stages ends that stage and keeps what is finished.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        Numbers, nominal features, missing values.
    y : array-like of shape (n_samples,)
        Class labels, or numbers to predict; see ``task``.
    selectors : selector, name, list or dict of these, or function, optional
        Default: a handful that suits the table, see `default_selectors`. A function is
        given the `Profile` of the table and returns one of the others.
    estimator : classifier, regressor or str, default="1-nn" or "5-nn"
        What the features are tried with: a classifier, or a name that
        `selection_curve` knows, such as "logistic" or "forest". For a numeric target, a
        regressor, by default the mean of the five nearest rows.
    scoring : str or callable, optional
        As in scikit-learn, "roc_auc" of three or more classes being "roc_auc_ovr".
        Default: accuracy, or balanced accuracy if the largest class has more than four
        times the rows of the smallest. For three or more ordered classes
        "neg_rank_loss", minus the `rank_loss`. Classes are ordered if the type of y
        says so, or if a method for ordered classes is among the selectors. For a
        numeric target "r2"; "neg_mean_absolute_error" is in the units of y.
    cv : int, "time", splitter or iterable, default=5
        Folds, as for `selection_curve`; no more than the largest class has rows, or
        than there are groups.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are never in both the training and the test part of a fold,
        and subsamples are of whole groups. Significance, whose permutations assume
        independent rows, is left out.
    baseline : array-like of str or int, default=None
        Names or places of the columns in use today, scored in the same folds.
    n_features : int or array-like of int, optional
        Sizes to try, as for `selection_curve`.
    n_permutations : int, default=None
        For the significance; 0 leaves it out. None takes as many as `significance`
        does by itself, or as the budget allows.
    n_resamples : int, default=50
        Subsamples for the stability; 0 leaves it out.
    redundancy_threshold : float or None, default=0.9
        Correlation from which features count as redundant (symmetrical uncertainty on
        a table with nominal columns or missing values); None leaves it out.
    categorical_features : array-like of bool, int or str, optional
        Nominal columns besides those that the types of a frame declare, for the
        selectors that take nominal features and do not say themselves.
    max_samples : int or None, default=10_000
        Rows that serve for all but the fits; of more, a sample. None takes all.
    budget : float or None, default=40.0
        Time limit in seconds for each of stability and significance of the recommended
        method; other methods follow if they will be done within a quarter of it. What
        they will take is estimated from the fit times before, and from what the first
        methods took; methods that do not fit in are left out. None for no limit.
    random_state : int, RandomState or None, default=None
        Random seed; None draws one, recorded in ``settings``.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores.
    verbose : int, default=0
        Show progress if positive.
    image_shape : (height, width), default=None
        Shape of the images whose pixels the features are, for pictures.
    image_order : {"C", "F"}, default="C"
        Whether the images were flattened row by row ("C") or column by column ("F"),
        as MATLAB does.
    task : {"classification", "regression"} or None, default=None
        Whether y holds classes or numbers. None goes by the selectors; without any, or
        if these can do both, by y: decimals, and numbers that hardly repeat, are
        measurements.
    positive : label, default=None
        Of two classes, the one to which the directions of the features and their AUCs
        refer. None takes the rarer one; the later one if both are equally frequent or
        the type of y orders them.

    Returns
    -------
    comparison : Comparison
        The recommendation, with all that led to it; `widemargin.report` makes a page of
        it.

    Examples
    --------
    >>> from widemargin.datasets import make_xor
    >>> from widemargin.evaluation import compare
    >>> X, y = make_xor(300, random_state=0)
    >>> result = compare(X, y, ["ReliefF", "FisherScore"], random_state=0)
    >>> result
    Comparison(ReliefF, FisherScore on 300 × 10)
    >>> result.answer
    '3 of 10 features, as ReliefF ranks them, carry the signal; ...'
    """
    given = None if isfunction(selectors) else selectors
    numeric = is_regression(given, y, task, "compare")
    task = "regression" if numeric else "classification"
    data = read_dataset(X, y, "compare", numeric=numeric)
    X = data.table
    about = describe(data, categorical_features)
    if positive is not None:
        about = replace(about, positive=_checked(positive, about))
    _check_shape(image_shape, image_order, about.n_features)
    seed = _seed(random_state)
    reference = (
        None if baseline is None else columns_of(baseline, data.names, "compare")
    )
    if selectors is None:
        selectors = choose_methods(about, seed, categorical_features)
    elif isfunction(selectors):
        selectors = selectors(about)
    resolved = resolve_selectors(selectors, numeric=numeric)
    methods = {k: preset(s, seed, categorical_features) for k, s in resolved.items()}
    if Baseline.LABEL in methods and baseline is not None:
        raise ValueError(
            f"compare uses the label {Baseline.LABEL!r} for the baseline; give that "
            "selector another label."
        )
    ordered = has_order(about, methods)
    if scoring is None:
        scoring = default_scoring(about, ordered)
    scoring = scoring_for(scoring, about.n_classes)
    arguments = {
        "estimator": estimator,
        "scoring": scoring,
        "cv": cv,
        "groups": None if groups is None else "groups",  # one per row, as X and y
        "baseline": baseline,
        "n_features": n_features,
        "n_permutations": n_permutations,
        "n_resamples": n_resamples,
        "redundancy_threshold": redundancy_threshold,
        "categorical_features": categorical_features,
        "max_samples": max_samples,
        "budget": budget,
        "random_state": seed,
        "n_jobs": n_jobs,
        "image_shape": image_shape,
        "image_order": image_order,
        "task": task,
        "positive": positive,
    }
    settings: dict[str, Any] = {"selectors": {k: plain(s) for k, s in methods.items()}}
    settings |= {name: plain(value) for name, value in arguments.items()}
    codes = group_codes(groups, about.n_samples, "compare")
    folds, notes = _folds(cv, data, codes)
    setup = stages.Setup(
        data,
        about,
        methods,
        seed,
        n_jobs,
        verbose,
        codes,
        estimator,
        scoring,
        folds,
        n_features,
        reference,
        n_permutations,
        n_resamples,
        redundancy_threshold,
        # Folds that the caller numbered are of all rows.
        max_samples if _draws(cv) else None,
        budget,
    )
    parts = stages.Parts(setup, notes=[*about.leaks])
    stages.fit_all(setup, parts)
    parts.notes += notes
    complete = stages.go_through(setup, parts)
    return Comparison(
        X=X,
        y=y,
        feature_names=data.names,
        profile=about,
        selectors=parts.fitted,
        times=parts.times,
        **parts.answers,
        classifier=title_of(estimator, numeric),
        settings=settings,
        notes=parts.notes,
        complete=complete,
        image_shape=image_shape,
        image_order=image_order,
        ordered=ordered,
    )


def _draws(cv: Any) -> bool:
    """Whether folds can be made of whatever rows are there."""
    return isinstance(cv, numbers.Integral | str | TimeSeriesSplit)


def _folds(cv: Any, data: Dataset, groups: Ints | None) -> tuple[Any, list[str]]:
    """Folds, no more than rows of the largest class, or than groups; what to note."""
    notes, largest = [], int(np.bincount(data.codes).max())
    if isinstance(cv, int) and cv > largest >= 2:
        more = "there are no" if data.numeric else "no class has"
        notes.append(f"{largest} folds instead of {cv}: {more} more rows.")
        cv = largest
    n_groups = cv if groups is None else len(np.unique(groups))
    if isinstance(cv, int) and cv > n_groups:
        notes.append(f"{n_groups} folds instead of {cv}: there are no more groups.")
        cv = n_groups
    # A generator of splits can be used up once only.
    return (cv if _draws(cv) else check_cv(cv, data.codes)), notes


def _seed(random_state: Any) -> int:
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def _checked(positive: Any, about: Profile) -> Any:
    """The one of two classes that the caller names."""
    classes = list(about.class_counts)
    if len(classes) == 2 and positive in classes:
        return classes[classes.index(positive)]
    got = f"got {positive!r}"
    if len(classes) != 2:
        n_classes = "no classes" if about.numeric_target else f"{len(classes)} classes"
        got = f"and y has {n_classes}"
    raise ValueError(f"compare needs positive to be one of two classes of y, {got}.")


def _check_shape(image_shape: Any, image_order: Any, d: int) -> None:
    if image_order not in ("C", "F"):
        raise ValueError(
            'compare needs image_order="C" (row by row) or "F" (column by column), '
            f"got {image_order!r}."
        )
    if image_shape is None:
        return
    if len(image_shape) != 2 or image_shape[0] * image_shape[1] != d:
        raise ValueError(
            f"compare needs image_shape=(height, width) with height × width = {d}, the "
            f"number of features, got {tuple(image_shape)}."
        )
