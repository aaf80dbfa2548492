"""`compare`: from a table to all that a report says about it.

Its stages take a `Setup`, what is to be done, and add fields of the `Comparison`.
"""

from __future__ import annotations

import warnings
from inspect import isfunction
from typing import Any, Literal

import numpy as np

from widemargin.data.read import beyond_covariates, read_dataset, with_class_weight
from widemargin.engine import drawn_rows, on_dask
from widemargin.evaluation._answer import (
    MAX_SAMPLES,
    RATE,
    REDUNDANCY,
    Setup,
    quiet,
    seed_of,
    set_up,
)
from widemargin.evaluation._comparison_result import Comparison
from widemargin.evaluation._curves import Baseline
from widemargin.evaluation._defaults import BUDGET
from widemargin.evaluation._defaults import choose as choose_methods
from widemargin.evaluation._hard_rows import rank_rows
from widemargin.evaluation._judges import name_of, title_of
from widemargin.evaluation._profile import describe
from widemargin.evaluation._redundancy import redundancy as find_redundant
from widemargin.evaluation._selection_curve import columns_of, curve_of
from widemargin.evaluation._selectors import task_of
from widemargin.evaluation._stability import agreement
from widemargin.notices import warn
from widemargin.plain import plain
from widemargin.progress import announce, progress, tell, titled

LONG_FITS = 5 * 10**9  # differences between cells, from which fits take seconds
N_FIRST = 5  # features of the first ranking to show
LARGE_TABLE = 10**6  # cells, from which trees and near copies do

Parts = dict[str, Any]  # fields of the `Comparison` that have come out so far
NOT_KEPT = ("X", "y", "verbose")  # arguments that are no settings


def compare(
    X: Any,
    y: Any,
    methods: Any = None,
    *,
    estimator: Any = None,
    scoring: Any = None,
    cv: Any = None,
    groups: Any = None,
    baseline: Any = None,
    n_features: Any = None,
    n_features_to_select: int | float | None = None,
    redundancy: float | None = REDUNDANCY,
    categorical_features: Any = None,
    feature_groups: Any = None,
    covariates: Any = None,
    max_samples: int | None = MAX_SAMPLES,
    budget: float = BUDGET,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    image_shape: tuple[int, int] | None = None,
    image_order: Literal["C", "F"] = "C",
    task: str | None = None,
    positive: Any = None,
    sample_weight: Any = None,
    class_weight: Any = None,
) -> Comparison:
    """Choose the features to keep, and compare the choice with other methods.

    The choice is that of `AutoSelector` for the same table and seed. All methods are
    fitted on all rows and evaluated by a cross-validated selection curve, without near
    copies. Which features are relevant is tested by `relevance`, whatever the method,
    and groups of redundant features follow. Ctrl-C during one of the later stages ends
    that stage and keeps what is finished.

    Parameters
    ----------
    X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        Numbers, nominal features, missing values.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Class labels, numbers to predict, sets of labels or survival times; see
        ``task``.
    methods : selector, name, list or dict of these, or function, optional
        Methods to choose from. Default: `KernelRFE`, beside a handful of others that
        are shown for comparison and not chosen, see `default_selectors`. A function is
        given the `Profile` of the table and returns what is to be shown.
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
    cv : int, "time", splitter, iterable or None, default=None
        Folds, as for `selection_curve`. None makes five, or as many as the largest
        class has rows, or as there are groups.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are never in both the training and the test part of a fold.
        The test of relevance, which assumes independent rows, is left out.
    baseline : array-like of str or int, default=None
        Names or places of the columns in use today, scored in the same folds.
    n_features : int or array-like of int, optional
        Sizes that the curves show, as for `selection_curve`.
    n_features_to_select : int, float or None, default=None
        Number of features to keep, or fraction of them. None chooses the number, too.
    redundancy : float or None, default=0.9
        Similarity from which a feature is a near copy of a better one, and skipped:
        |r|, or the symmetrical uncertainty if there are nominal or missing values.
        None keeps near copies.
    categorical_features : array-like of bool, int or str, optional
        Nominal columns besides those that the types of a frame declare, for the
        selectors that take nominal features and do not say themselves.
    feature_groups : dict, array-like, "prefix" or None, default=None
        Columns that stay or go together, as for the selectors: each group is one
        feature of the comparison, with one row in its tables.
    covariates : array-like or frame of shape (n_samples, ...), default=None
        What the features are to tell something beyond, such as batch or age; see the
        guide to covariates.
    max_samples : int or None, default=2000
        Rows that serve for all but the fits; of more, a sample. None takes all.
    budget : float, default=40.0
        What to spend, in seconds of a core that does ``settings["rate"]`` operations in
        each; the work is counted, not timed, so that a busy machine gives the same
        result. Methods for comparison that would cost more are left out, and features
        are compared with fewer permuted copies, at least 10.
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
    task : str or None, default=None
        What y holds, as for `KernelRFE`. None goes by the selectors; without any, or if
        these can do both, by y: decimals, and numbers that hardly repeat, are
        measurements.
    positive : label, default=None
        Of two classes, the one to which the directions of the features and their AUCs
        refer. None takes the rarer one; the later one if both are equally frequent or
        the type of y orders them.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts, in the methods, in the estimator if it takes weights,
        and in the scores; rows of weight 0 are left out. Tests do not weigh rows.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class by label, or the same total for all; see `AutoSelector`.

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
    settings = dict(locals())
    if not budget > 0:
        raise ValueError(f"compare needs a budget of more than 0, got {budget!r}.")
    if redundancy is not None and not 0 < redundancy <= 1:
        raise ValueError(
            "compare needs redundancy to be None or more than 0 and at most 1, got "
            f"{redundancy!r}."
        )
    given = None if isfunction(methods) else methods
    seed, reference = seed_of(random_state), None
    if on_dask(X):
        X, y, sample_weight, groups, covariates = drawn_rows(
            "compare", X, y, seed, sample_weight, groups, covariates
        )
    task = task_of(given, y, task, "compare")
    data = read_dataset(
        X, y, "compare", task=task, sample_weight=sample_weight, sparse=True
    ).grouped(feature_groups, "compare")
    about = describe(data, categorical_features, positive)
    _check_shape(image_shape, image_order, about.n_features)
    by_row = {"groups": groups, "sample_weight": data.weights, "covariates": covariates}
    raw, data = data, beyond_covariates(data, covariates, "compare")
    data = with_class_weight(data, class_weight, "compare")
    if baseline is not None:
        reference = columns_of(baseline, data.names, "compare")
    if methods is None:
        methods = choose_methods(about, seed, categorical_features, budget / BUDGET)
    elif isfunction(methods):
        methods = methods(about)
    if given is None and data.covariates is not None and not data.numeric:
        methods = {label: m for label, m in methods.items() if m._beyond}
    settings |= {"random_state": seed, "task": task}
    own = {"usual": given is None, "sizes": n_features, "reference": reference}
    setup = set_up("compare", data, about, methods, settings, groups, **own)
    if Baseline.LABEL in setup.methods and baseline is not None:
        raise ValueError(
            f"compare uses the label {Baseline.LABEL!r} for the baseline; give that "
            "selector another label."
        )
    settings |= {"methods": setup.methods, "scoring": setup.score, "rate": RATE}
    settings |= {name: None if v is None else name for name, v in by_row.items()}
    parts = go_through(setup)
    return Comparison(
        data=raw,
        feature_names=data.names,
        profile=about,
        settings={k: plain(v) for k, v in settings.items() if k not in NOT_KEPT},
        classifier=title_of(estimator, data.numeric),
        directions=setup.directions,
        candidates=setup.candidates,
        image_shape=image_shape,
        image_order=image_order,
        ordered=setup.ordered,
        **parts,
    )


def _check_shape(image_shape: Any, image_order: Any, d: int) -> None:
    if image_order not in ("C", "F"):
        raise ValueError(
            'compare needs image_order="C" (row by row) or "F" (column by column), '
            f"got {image_order!r}."
        )
    if image_shape is not None and (
        len(image_shape) != 2 or image_shape[0] * image_shape[1] != d
    ):
        raise ValueError(
            f"compare needs image_shape=(height, width) with height × width = {d}, the "
            f"number of features, got {tuple(image_shape)}."
        )


def go_through(setup: Setup) -> Parts:
    """Do one stage after the other; Ctrl-C leaves what the finished ones found."""
    notes = [*setup.profile.leaks]
    parts: Parts = {"selectors": {}, "times": {}, "notes": notes, "complete": True}
    fit_all(setup, parts)
    for place, stage in enumerate(STAGES.values()):
        try:
            stage(setup, parts)
        except KeyboardInterrupt:
            left = ", ".join(list(STAGES)[place:])
            message = f"compare was interrupted; not finished: {left}."
            notes.append(message)
            warn(message)
            parts["complete"] = False
            break
    return parts


def fit_all(setup: Setup, parts: Parts) -> None:
    """Fit every method to all rows."""
    n, d = setup.data.shape
    if n * n * d > LONG_FITS or n * d > LARGE_TABLE:
        size = f"{len(setup.methods)} methods on {n} rows and {d} features"
        announce(f"Fitting {size}", None, setup.verbose)
    said = list[str]()
    with progress("fits", len(setup.methods), setup.verbose) as advance:
        for label in setup.methods:
            with warnings.catch_warnings(record=True, action="always") as caught:
                parts["selectors"][label] = setup.fitted(label)
            said += [str(w.message) for w in caught if w.category is UserWarning]
            advance()
            if label == setup.candidates[0]:  # on a terminal, while all else is to come
                best = np.argsort(parts["selectors"][label].ranking_, kind="stable")
                names = ", ".join(map(str, setup.data.names[best[:N_FIRST]]))
                tell(f"First ranking, by {label}: {names} …", setup.verbose)
    for message in dict.fromkeys(said):
        parts["notes"].append(message)
        warn(message)


def choose(setup: Setup, parts: Parts) -> None:
    """Score the rankings in folds, and choose the features to keep."""
    data, n = setup.sample, setup.data.shape[0]
    if data.shape[0] < n:
        parts["notes"].append(
            f"Scores and tests are from a random {data.shape[0]} of the {n} rows."
        )
    with titled("cross-validation"):
        results = setup.cross_validate()
    if data.row_weights is not None:
        parts["notes"].append(
            "Rows are weighed in rankings and scores. Tests, and similarities of "
            "features, take all rows to count the same."
        )
    parts["curve"] = curve_of(results, name_of(setup.score, data.task))
    if results.interrupted:
        raise KeyboardInterrupt
    parts["times"] = {
        label: float(np.median([trial.seconds for trial in results.of(label)]))
        for label in setup.methods
    }
    with quiet():
        plan, fitted = results.plan, parts["selectors"].__getitem__
        parts["chance"] = setup.score_by_chance(plan)
        parts["alone"] = {
            label: setup.recommend(results, [label], fitted) for label in setup.methods
        }
        first, *others = setup.candidates
        found = parts["alone"][first]
        if others:
            found = setup.recommend(results, setup.candidates, fitted)
        parts["recommendation"] = found
        if not data.numeric:
            parts["hard_rows"] = rank_rows(plan.table, plan.folds, found.supports)


def test_signal(setup: Setup, parts: Parts) -> None:
    """Test whether there is anything in the table at all."""
    with titled("signal test"):
        found = parts["signal_test"] = setup.test_signal()
    if not found.conclusive:
        parts["notes"].append(found.sentence)


def test_relevance(setup: Setup, parts: Parts) -> None:
    """Test which features are relevant."""
    with titled("test of relevance"):
        parts["relevance"] = setup.test_relevance()
    if parts["relevance"] is None:
        parts["notes"].append(
            "Relevance was not tested: permuted copies assume independent rows, which "
            "rows of one group are not."
        )


def test_pairs(setup: Setup, parts: Parts) -> None:
    """Test which pairs, of the features that are ranked first, work together."""
    if not parts["signal_test"].found:
        return
    if reason := setup.no_pairs:
        parts["notes"].append(f"Pairs were not tested: {reason}.")
        return
    with titled("test of pairs"):
        parts["interactions"] = setup.test_pairs(parts["recommendation"].ranking)


def choose_without_leaks(setup: Setup, parts: Parts) -> None:
    """See what is chosen without features that may be copies of the target."""
    with titled("the choice without suspected leaks"):
        without = setup.recommend_without_leaks()
    if without is not None:
        parts["without_leaks"], parts["names_without_leaks"] = without


def agree(setup: Setup, parts: Parts) -> None:
    """Say how far the methods agree on the best features."""
    if len(setup.methods) > 1:
        k = parts["recommendation"].n_features
        parts["agreement"] = agreement(parts["selectors"], k=k)


def group(setup: Setup, parts: Parts) -> None:
    """Find groups of redundant features, of which one would suffice."""
    if setup.redundancy is None:
        return
    parts["redundancy"] = find_redundant(
        setup.sample,
        threshold=setup.redundancy,
        measure="correlation" if setup.profile.plain else "uncertainty",
        scores=parts["recommendation"].consensus,
        n_jobs=setup.n_jobs,
        verbose=setup.verbose,
    )


STAGES = {
    "curve": choose,
    "signal": test_signal,
    "relevance": test_relevance,
    "interactions": test_pairs,
    "leaks": choose_without_leaks,
    "agreement": agree,
    "redundancy": group,
}
