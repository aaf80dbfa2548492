"""`selection_curve`: cross-validate the top k features, for many k and selectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from widemargin.data.dataset import Dataset, Names
from widemargin.data.frames import data_frame
from widemargin.data.protocol import Floats, Ints
from widemargin.data.read import read_dataset
from widemargin.evaluation._curves import SelectionCurve
from widemargin.evaluation._judges import judge_for, name_of, scoring_for
from widemargin.evaluation._selectors import (
    grouped_as,
    resolve_selectors,
    seeded,
    task_of,
)
from widemargin.judging.folds import group_codes, renumbered, split
from widemargin.judging.nearest import CALLER
from widemargin.judging.trials import Plan, Results, carry_out

ALL_UP_TO = 10  # sizes tried one by one; beyond, each is a constant factor larger
STEPS = 16  # how many of those


def selection_curve(
    selectors: Any,
    X: Any,
    y: Any,
    estimator: Any = None,
    *,
    cv: Any = 5,
    n_features: Any = None,
    refit_sizes: bool = False,
    scoring: Any = None,
    groups: Any = None,
    baseline: Any = None,
    task: str | None = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
) -> SelectionCurve:
    """Cross-validate a classifier with the top k features, for many k and selectors.

    In each fold, a selector ranks the features once, on the training rows only. The
    classifier is then fitted on the training rows and scored on the test rows with the
    top k features of that ranking. Test rows play no part in the selection; ranking on
    all rows first and cross-validating afterwards would be too optimistic.

    Parameters
    ----------
    selectors : selector, str, list of these, or dict of label → selector or str
        What ranks the features: selectors, or their names. They are not changed.
    X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        Nominal columns and missing values, if all selectors take them.
    y : array-like of shape (n_samples,)
        Class labels, or numbers to predict; see ``task``.
    estimator : classifier, regressor or str, default="1-nn" or "5-nn"
        Any scikit-learn classifier or pipeline, or a name: "1-nn" (or another number),
        "logistic", "svm", "tree", "forest", "boosting", or "module:Class". For a
        numeric target, a regressor; "linear" instead of "logistic", and "5-nn", the
        mean of the five nearest rows, by default. By name,
        categories are one-hot encoded, missing values filled in, and features scaled
        if it matters, all on the training rows. The class of equally near rows is that
        of most of them, then the more frequent one.
    cv : int, "time", splitter or iterable of (train, test), default=5
        Number of folds, stratified by class if there are classes. They depend on
        ``random_state`` and on what the rows hold, not on their order; with ``groups``,
        each group is
        in one fold (`StratifiedGroupKFold`). "time" takes the rows to be in the order
        of time, and tests on later rows than it trains on (`TimeSeriesSplit`).
        scikit-learn's splitters repeat: ``RepeatedStratifiedKFold(n_splits=5,
        n_repeats=10)`` makes 50 folds, ``StratifiedShuffleSplit`` random halves.
        Standard errors are those of one repeat, whose folds test different rows. Random
        halves share rows, which makes their standard errors too small.
    n_features : int or array of int, optional
        Values of k. Default: 1 to 10, then in growing steps up to all.
    refit_sizes : bool, default=False
        Whether to fit each selector anew for each k, with ``n_features_to_select=k``,
        and to take what it selects, instead of the k best of one ranking. For methods
        whose best k features are not the best k - 1 and one more: `TraceRatio`, or
        `FeatureSimilarity` with ``n_neighbors="auto"``.
    scoring : str, callable or None, default=None
        As in scikit-learn, or "neg_rank_loss" for ordered classes; None is the
        estimator's own score, the accuracy or R² ("r2"; what predicting the mean scores
        is about 0). "neg_mean_absolute_error" is in the units of y. "roc_auc" of three
        or more classes is "roc_auc_ovr".
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are never in both the training and the test part of a fold;
        a ``cv`` that would put them there is refused.
    baseline : array-like of str or int, default=None
        Names or places of columns to hold the curves against, such as those in use
        today. Scored in the same folds.
    task : str or None, default=None
        What y holds, as for `KernelRFE`. None goes by the selectors; if these can do
        both, by y: decimals, and numbers that hardly repeat, are measurements.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts, in the selectors, in the estimator if it takes
        weights, and in the score; rows of weight 0 are left out.
    n_jobs : int or None
        Selectors and folds worked on at a time, in threads; None uses all cores. A
        selector with an ``n_jobs`` of its own keeps that.
    random_state : int, RandomState or None
        Shuffles the rows for folds, and seeds the selectors that are random and have
        no random state of their own.
    verbose : int
        Show progress if positive.

    Returns
    -------
    SelectionCurve
        If interrupted by Ctrl-C, of the folds finished by then, with a warning.

    Examples
    --------
    >>> from widemargin.datasets import make_xor
    >>> from widemargin.evaluation import selection_curve
    >>> X, y = make_xor(n_samples=400, random_state=0)
    >>> curve = selection_curve(["ReliefF", "FisherScore"], X, y, random_state=0)
    >>> curve.summary()[["best_n_features", "best_score", "score_all"]].round(2)
                 best_n_features  best_score  score_all
    method
    ReliefF                    3        0.88       0.66
    FisherScore               10        0.66       0.66
    """
    data_frame({})  # to learn that pandas is missing before the work, not after it
    task = task_of(selectors, y, task, CALLER)
    data = read_dataset(
        X, y, CALLER, task=task, sample_weight=sample_weight, sparse=True
    )
    reference = None if baseline is None else columns_of(baseline, data.names, CALLER)
    scoring = scoring_for(scoring, len(data.classes))
    plan = plan_for(
        selectors,
        data,
        (estimator, scoring),
        renumbered(cv, data.given),
        group_codes(groups, data.shape[0], CALLER, data.given),
        random_state,
        n_features=n_features,
        reference=reference,
        refit_sizes=refit_sizes,
    )
    results = carry_out(plan, n_jobs, verbose, CALLER)
    return curve_of(results, name_of(scoring, data.task))


def plan_for(
    selectors: Any,
    data: Dataset,
    judge: tuple[Any, Any],
    cv: Any,
    groups: Ints | None,
    random_state: Any,
    *,
    n_features: Any = None,
    caller: str = CALLER,
    **options: Any,
) -> Plan:
    """Plan the trials of some selectors; ``judge`` is an estimator and a scoring.

    Options are those of a `Plan`.
    """
    random = check_random_state(random_state)
    resolved = resolve_selectors(selectors, task=data.task)
    data = grouped_as(data, resolved.values(), caller)
    d = data.shape[1]
    methods = {label: seeded(s, random) for label, s in resolved.items()}
    _refuse_mixed_labels(data.classes, caller)
    sizes = _sizes(n_features, d, caller)
    table = data.numbers(methods.values())
    folds = split(cv, data, groups, random, caller, table)
    return Plan(
        methods,
        data,
        table,
        judge_for(*judge, data, table, caller),
        folds,
        sizes[sizes < d],
        bool(d in sizes),
        **options,
    )


def _refuse_mixed_labels(classes: NDArray[Any], caller: str) -> None:
    """Refuse labels that classifiers cannot sort; selectors need no order."""
    try:
        sorted(classes.tolist())
    except TypeError:
        shown = ", ".join(repr(c) for c in classes[:5].tolist())
        raise ValueError(
            f"{caller} needs labels of one type, which classifiers sort, but y has "
            f"{shown}. Make them text: [str(v) for v in y]."
        ) from None


def curve_of(results: Results, scoring: str) -> SelectionCurve:
    """Put the scores of all finished folds together."""
    plan, finished, d = results.plan, results.finished(), results.plan.data.shape[1]
    sizes = np.append(plan.sizes, d) if plan.with_all else plan.sizes
    of_all: Floats = np.full((len(plan.folds), 2), np.nan)
    for fold in range(len(plan.folds)):
        if (None, fold) in results.trials:
            scores = results.trials[None, fold].scores
            of_all[fold, : len(scores)] = scores
    times = [results.trials[place].seconds for place in finished]
    frame = data_frame(
        {
            "method": np.repeat([label for label, _ in finished], len(sizes)),
            "fold": np.repeat([fold for _, fold in finished], len(sizes)),
            "n_features": np.tile(sizes, len(finished)),
            "score": np.concatenate(
                # With all features it makes no difference who ranked them.
                [
                    np.append(results.trials[place].scores, of_all[place[1], 0])[
                        : len(sizes)
                    ]
                    for place in finished
                ]
            ),
            "fit_time": np.repeat(times, len(sizes)),
        }
    )
    return SelectionCurve(
        frame,
        tuple(plan.selectors),
        of_all[:, 0],
        d,
        scoring,
        not results.interrupted,
        plan.reference,
        None if plan.reference is None else of_all[:, 1],
        plan.repeat,
    )


def _sizes(n_features: Any, d: int, caller: str) -> Ints:
    """Numbers of features to try, ascending."""
    if n_features is None:
        # All small ones, and larger ones in growing steps.
        few = np.arange(1, min(d, ALL_UP_TO) + 1)
        more = np.geomspace(few[-1], d, STEPS).round().astype(np.int64)
        return np.union1d(few, more)
    sizes = np.atleast_1d(np.asarray(n_features))
    whole = sizes.ndim == 1 and sizes.size > 0 and sizes.dtype.kind in "iu"
    if not whole or sizes.min() < 1 or sizes.max() > d:
        raise ValueError(
            f"{caller} needs n_features to be integers from 1 to {d}, the number of "
            f"features, got {n_features!r}."
        )
    return np.unique(sizes).astype(np.int64)


def columns_of(
    wanted: Any, known: Names, caller: str, argument: str = "baseline"
) -> Ints:
    """Places of columns given by name or place, ascending."""
    names = known.tolist()
    given = np.atleast_1d(np.asarray(wanted, dtype=object)).tolist()
    if not given:
        raise ValueError(
            f"{caller} needs at least one feature in {argument}, got none."
        )
    places = []
    for item in given:
        whole = isinstance(item, int | np.integer) and not isinstance(item, bool)
        if not whole and str(item) not in names:
            raise ValueError(
                f"{caller}: {argument} names {item!r}, which is not a column of X."
            )
        place = int(item) if whole else names.index(str(item))
        if not 0 <= place < len(names):
            raise ValueError(
                f"{caller}: {argument} has column {place}, but X has columns 0 to "
                f"{len(names) - 1}."
            )
        places.append(place)
    return np.unique(places).astype(np.int64)
