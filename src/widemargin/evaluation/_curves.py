"""How good a classifier or regressor is with the k best features, for many k."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state

from widemargin.data.dataset import Dataset, Names, read_dataset
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation import _html
from widemargin.evaluation._folds import CALLER, Curves
from widemargin.evaluation._frames import data_frame
from widemargin.evaluation._neighbor import judge
from widemargin.evaluation._recommend import Evidence, evidence_of
from widemargin.evaluation._refits import seeded
from widemargin.evaluation._scoring import as_scorer, name_of, scoring_for
from widemargin.evaluation._selectors import is_regression, resolve_selectors
from widemargin.evaluation._splits import group_codes, split
from widemargin.notices import warn

if TYPE_CHECKING:
    import pandas as pd


class Line(NamedTuple):
    """One method's curve: mean score over the folds, and its standard error."""

    sizes: Ints
    mean: Floats
    stderr: Floats

    def shortest(self, level: float) -> int | None:
        """Place of the smallest size that scores at least ``level``."""
        good = np.flatnonzero(self.mean >= level)
        return int(good[0]) if len(good) else None


def fold_error(scores: Floats, repeat: Ints) -> Floats:
    """Standard errors of mean scores over folds, (V, …) → (…).

    Those of the folds of one repeat: repeats test the same rows again, and do not tell
    how other rows would fare. If no repeat has two folds, as with random splits, all
    folds count as one repeat, which makes the errors too small.
    """
    parts = [scores[repeat == r] for r in np.unique(repeat)]
    if all(len(part) < 2 for part in parts):
        parts = [scores]
    spreads = [part.var(axis=0, ddof=1) / len(part) for part in parts if len(part) > 1]
    return np.sqrt(np.mean(spreads, axis=0)) if spreads else np.zeros(scores.shape[1:])


@dataclass(frozen=True, repr=False)
class SelectionCurve:
    """Cross-validated scores of a classifier against the number of features.

    Made by `selection_curve`.

    Attributes
    ----------
    frame : DataFrame
        One row for each method, fold and size, with columns method, fold, n_features,
        score and fit_time, the seconds that the selector took in this fold.
    methods : tuple of str
        Labels of the selectors, in the order they were given.
    baseline : array of shape (n_folds,)
        Score of each fold with all features; NaN where a fold was not finished.
    n_features_in : int
        Number of features.
    scoring : str
        Name of the score.
    complete : bool
        False if the computation was interrupted: the frame then has the finished
        folds only.
    reference : array of int or None
        Columns given as ``baseline``; None if there are none.
    reference_scores : array of shape (n_folds,) or None
        Score of each fold with exactly these columns.
    evidence : Evidence or None
        Basis of a recommendation; None if interrupted, or with ``refit_sizes``.
    repeat : array of shape (n_folds,) or None
        Repeat that each fold belongs to; None for one repeat. Folds of one repeat test
        different rows, so standard errors are those of one repeat.
    """

    frame: pd.DataFrame
    methods: tuple[str, ...]
    baseline: Floats
    n_features_in: int
    scoring: str
    complete: bool
    reference: Ints | None = None
    reference_scores: Floats | None = None
    evidence: Evidence | None = None
    repeat: Ints | None = None

    def __repr__(self) -> str:
        sizes = self.frame["n_features"].nunique()
        state = "" if self.complete else ", interrupted"
        return (
            f"SelectionCurve({', '.join(self.methods)}: {sizes} sizes, "
            f"{len(self.baseline)} folds, {self.scoring}{state})"
        )

    @cached_property
    def lines(self) -> dict[str, Line]:
        """Mean and standard error by method; those without a finished fold left out."""
        lines = {}
        for label in self.methods:
            mine = self.frame[self.frame["method"] == label]
            if len(mine):
                scores = self._by_fold(mine)
                lines[label] = Line(
                    scores.columns.to_numpy(),
                    scores.mean().to_numpy(np.float64),
                    self._error_of(
                        scores.to_numpy(np.float64), scores.index.to_numpy()
                    ),
                )
        return lines

    def _error_of(self, scores: Floats, folds: Ints) -> Floats:
        """Standard error of the mean of scores of some folds.

        A fold without a score, such as an AUC of rows of one class, does not count.
        """
        there = ~np.isnan(scores.reshape(len(folds), -1)).any(axis=1)
        repeat = np.zeros(len(self.baseline), np.int64)
        if self.repeat is not None:
            repeat = self.repeat
        return fold_error(scores[there], repeat[folds[there]])

    @staticmethod
    def _by_fold(frame: pd.DataFrame) -> pd.DataFrame:
        """Scores of one method, a row for each fold and a column for each size."""
        return frame.pivot(index="fold", columns="n_features", values="score")

    def _repr_html_(self) -> str:
        return _html.selection_curve(self)

    def summary(self) -> pd.DataFrame:
        """One row per method: where its curve is highest, and how high.

        Returns
        -------
        summary : DataFrame
            Indexed by method, with columns best_n_features (the smallest size of the
            best mean score), best_score, best_stderr (standard error of that mean
            over the folds), score_all (mean score with all features), area (mean
            height of the curve: its area over its width) and fit_time (mean seconds
            of one fit of the selector).
        """
        rows = [self._summarize(method) for method in self.methods]
        columns = dict(zip(_COLUMNS, zip(*rows, strict=True), strict=True))
        summary = data_frame({"method": self.methods, **columns}).set_index("method")
        # A method without a finished fold has no best size.
        return summary.astype({"best_n_features": "Int64"})

    def _summarize(self, method: str) -> list[Any]:
        mine = self.frame[self.frame["method"] == method]
        if not len(mine):
            return [np.nan] * len(_COLUMNS)
        scores = self._by_fold(mine)
        sizes, mean, errors = self.lines[method]
        best = int(np.argmax(mean))
        width = sizes[-1] - sizes[0]
        area = np.trapezoid(mean, sizes) / width if width else mean[0]
        return [
            int(sizes[best]),
            mean[best],
            errors[best] if len(scores) > 1 else np.nan,
            self.baseline[scores.index].mean(),
            area,
            mine.groupby("fold")["fit_time"].first().mean(),
        ]

    def plot(self, ax: Any = None) -> Any:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw into; None makes a new figure.

        Returns
        -------
        display : SelectionCurveDisplay
            With ``ax_`` and ``figure_``.
        """
        from widemargin.plotting import SelectionCurveDisplay

        return SelectionCurveDisplay.from_curve(self, ax=ax)


_COLUMNS = [
    "best_n_features",
    "best_score",
    "best_stderr",
    "score_all",
    "area",
    "fit_time",
]

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
    X : array-like or frame of shape (n_samples, n_features)
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
    task : {"classification", "regression"} or None, default=None
        Whether y holds classes or numbers. None goes by the selectors; if these can do
        both, by y: decimals, and numbers that hardly repeat, are measurements.
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
    numeric = is_regression(selectors, y, task, CALLER)
    data = read_dataset(X, y, CALLER, numeric=numeric)
    return curve_of(
        try_out(
            selectors,
            data,
            estimator,
            cv=cv,
            n_features=n_features,
            refit_sizes=refit_sizes,
            scoring=scoring,
            groups=groups,
            baseline=baseline,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        ),
        name_of(scoring_for(scoring, len(data.classes)), numeric=numeric),
    )


def try_out(
    selectors: Any,
    data: Dataset,
    estimator: Any,
    *,
    cv: Any,
    n_features: Any = None,
    refit_sizes: bool = False,
    scoring: Any = None,
    groups: Any = None,
    baseline: Any = None,
    thresholds: tuple[float, ...] = (),
    repeats: int = 1,
    nested: bool = False,
    drop: Callable[[Curves, Ints], Collection[str]] | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
    caller: str = CALLER,
) -> Curves:
    """Do the work of `selection_curve`, with and without near copies.

    ``thresholds`` are similarities from which features are skipped; a number of folds
    is made ``repeats`` times. ``nested`` also does it without the rows of each fold, if
    they are few. Ctrl-C leaves what is finished, if any, and ``interrupted`` set.
    ``drop`` is given the curves and the folds of the first repeat, and
    says which selectors to leave out of the others.
    """
    random = check_random_state(random_state)
    resolved = resolve_selectors(selectors, numeric=data.numeric)
    methods = {label: seeded(s, random) for label, s in resolved.items()}
    codes, classes = data.codes, data.classes
    _refuse_mixed_labels(classes, caller)
    target = data.labels_given if data.numeric else None
    d = data.shape[1]
    sizes = _sizes(n_features, d, caller)
    reference = None if baseline is None else columns_of(baseline, data.names, caller)
    groups = group_codes(groups, len(codes), caller)
    table = data.numbers(methods.values())
    folds = split(cv, codes, groups, random, caller, table, repeats, target)
    classifier = judge(estimator, data.frame, table, caller, numeric=data.numeric)
    scoring = scoring_for(scoring, len(classes))
    scorer = check_scoring(
        classifier.make(np.arange(d)), as_scorer(scoring, data.y_given)
    )
    curves = Curves(
        methods,
        data,
        data.labels_given,
        classifier,
        scorer,
        folds,
        sizes[sizes < d],
        reference,
        thresholds,
        table,
        bool(sizes[-1] == d),
        scoring in (None, "accuracy") and not data.numeric,
        refit_sizes,
        drop,
    )
    if nested:
        curves.leave_out_each()
    try:
        # scikit-learn changes the filters of warnings in each thread; here they are
        # put back as they were.
        with warnings.catch_warnings():
            curves.run(n_jobs, verbose)
            _run_inner(curves, n_jobs)
    except KeyboardInterrupt:
        _say_what_is_left(curves, caller)
        return replace(curves, interrupted=True)
    return curves


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


def _run_inner(curves: Curves, n_jobs: int | None) -> None:
    """Do the work without the rows of each fold, if as few rows as are left will do.

    A classifier with many neighbours, say, refuses fewer rows by a ValueError; then
    none of this work is kept. Other errors are not expected here and are raised.
    """
    try:
        for inner in curves.inner:
            inner.run(n_jobs, 0)
    except ValueError:
        curves.inner.clear()


def _say_what_is_left(curves: Curves, caller: str) -> None:
    if not curves.finished():
        raise KeyboardInterrupt(
            f"{caller}: interrupted before any fold was finished; there is no result."
        ) from None
    every = [curves, *curves.inner]
    done = sum(len(each.finished()) for each in every)
    total = sum(len(each.selectors) * len(each.folds) for each in every)
    warn(
        f"{caller}: interrupted; {done} of {total} fits, one per selector and fold, "
        "are finished and kept."
    )


def curve_of(curves: Curves, scoring: str) -> SelectionCurve:
    """Put the scores of all finished folds together."""
    finished, d = curves.finished(), curves.data.shape[1]
    sizes = np.append(curves.sizes, d) if curves.with_all else curves.sizes
    baseline = np.full(len(curves.folds), np.nan)
    reference = np.full(len(curves.folds), np.nan)
    for fold in range(len(baseline)):
        if (None, fold) in curves.scores:
            baseline[fold], *rest = curves.scores[None, fold]
            reference[fold] = rest[0] if rest else np.nan
    scores = [
        # With all features it makes no difference who ranked them.
        np.append(curves.scores[label, fold], baseline[fold])[: len(sizes)]
        for label, fold in finished
    ]
    frame = data_frame(
        {
            "method": np.repeat([label for label, _ in finished], len(sizes)),
            "fold": np.repeat([fold for _, fold in finished], len(sizes)),
            "n_features": np.tile(sizes, len(finished)),
            "score": np.concatenate(scores),
            "fit_time": np.repeat(
                [curves.times[piece] for piece in finished], len(sizes)
            ),
        }
    )
    given = curves.reference
    return SelectionCurve(
        frame,
        tuple(curves.selectors),
        baseline,
        d,
        scoring,
        not curves.interrupted,
        given,
        None if given is None else reference,
        None if curves.refit_sizes else evidence_of(curves),
        curves.repeat,
    )


def sizes_up_to(d: int) -> Ints:
    """All small numbers of features, and larger ones in growing steps."""
    few = np.arange(1, min(d, ALL_UP_TO) + 1)
    more = np.geomspace(few[-1], d, STEPS).round().astype(np.int64)
    return np.union1d(few, more)


def _sizes(n_features: Any, d: int, caller: str) -> Ints:
    """Numbers of features to try, ascending."""
    if n_features is None:
        return sizes_up_to(d)
    sizes = np.atleast_1d(np.asarray(n_features))
    whole = sizes.ndim == 1 and sizes.size > 0 and sizes.dtype.kind in "iu"
    if not whole or sizes.min() < 1 or sizes.max() > d:
        raise ValueError(
            f"{caller} needs n_features to be integers from 1 to {d}, the number of "
            f"features, got {n_features!r}."
        )
    return np.unique(sizes).astype(np.int64)


def columns_of(wanted: Any, known: Names, caller: str) -> Ints:
    """Places of columns given by name or place, ascending."""
    names = known.tolist()
    given = np.atleast_1d(np.asarray(wanted, dtype=object)).tolist()
    if not given:
        raise ValueError(f"{caller} needs at least one feature in baseline, got none.")
    places = []
    for item in given:
        whole = isinstance(item, int | np.integer) and not isinstance(item, bool)
        if not whole and str(item) not in names:
            raise ValueError(
                f"{caller}: baseline names {item!r}, which is not a column of X."
            )
        place = int(item) if whole else names.index(str(item))
        if not 0 <= place < len(names):
            raise ValueError(
                f"{caller}: baseline has column {place}, but X has columns 0 to "
                f"{len(names) - 1}."
            )
        places.append(place)
    return np.unique(places).astype(np.int64)
