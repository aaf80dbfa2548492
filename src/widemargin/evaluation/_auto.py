"""`AutoSelector`: the recommended features, as a scikit-learn transformer."""

from __future__ import annotations

import numbers
import warnings
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from widemargin._sklearn import Interval, StrOptions, _fit_context
from widemargin.base import (
    N_JOBS,
    MarginSelector,
    TableSelector,
    all_or_nothing,
    refuse_booleans,
    refuse_keywords,
)
from widemargin.data.build import refuse_other_than_numbers
from widemargin.data.dataset import Dataset, read_dataset
from widemargin.data.kinds import CODED, nominal_columns
from widemargin.data.protocol import Ints
from widemargin.data.refuse import refuse_columns
from widemargin.engine import on_dask
from widemargin.evaluation._defaults import choose
from widemargin.evaluation._profile import describe
from widemargin.evaluation._scoring import (
    default_scoring,
    has_order,
    name_of,
    scoring_for,
)
from widemargin.evaluation._selection_curve import plan_for, sizes_up_to
from widemargin.evaluation._selectors import is_regression, preset, resolve_selectors
from widemargin.evaluation._signal import signal_test
from widemargin.evaluation._verdicts import Known, directions_of, features_frame
from widemargin.judging.splits import REPEATS, group_codes, some_of_each
from widemargin.judging.sweep import THRESHOLDS
from widemargin.judging.trials import Results, carry_out
from widemargin.notices import muted, warn

if TYPE_CHECKING:
    import pandas as pd

NAME = "AutoSelector"


@dataclass(eq=False, repr=False)
class AutoSelector(TableSelector):
    """Choose the method, the number of features, and whether to skip near copies.

    Methods, redundancy thresholds (None, 0.9, 0.7) and sizes are compared by stratified
    five-fold cross-validation, repeated three times, with the ranking inside the folds.
    Candidates that score within one standard error of the best count as equally good;
    of these, the most stable selection is taken, then the smallest. If all features
    together score higher by more than one standard error of the paired difference, all
    are kept. `compare` recommends by the same rule. Here, methods that are clearly
    behind after the first five folds are not run on the other ten.

    Parameters
    ----------
    methods : selector, name, list or dict of these, or None, default=None
        Methods to compare. None uses a handful that suit the table; see
        `widemargin.evaluation.default_selectors`.
    estimator : classifier, regressor, str or None, default=None
        Estimator that evaluates the features, as in
        `widemargin.evaluation.selection_curve`. None is 1-NN for classes and 5-NN for a
        numeric target, which evaluate all sizes at once; any other estimator is fitted
        once per size.
    scoring : str, callable or None, default=None
        Score to optimise, as in scikit-learn. None is accuracy, or balanced accuracy if
        the largest class has more than four times as many rows as the smallest;
        "neg_rank_loss" for three or more ordered classes; "r2" for a numeric target.
    cv : int, "time", splitter, iterable of (train, test) or None, default=None
        Number of stratified folds, repeated three times. With ``groups`` in `fit`,
        groups are kept together. None uses five folds, or fewer if no class has five
        rows.
    n_features_to_select : int, float or None, default=None
        Number of features to keep, or fraction of them; the method with the highest
        score is then chosen. None chooses the number, too.
    redundancy : float, "auto" or None, default="auto"
        Similarity at which a feature is skipped as a near copy of a better one. "auto"
        tries None, 0.9 and 0.7.
    categorical_features : array of bool, int or str, or None, default=None
        Nominal features, as a mask, column indices or names, in addition to the text,
        boolean and unordered categorical columns of a DataFrame. An ordered category is
        treated as a number, its position in the order.
    task : {"classification", "regression"} or None, default=None
        Whether y holds classes or numbers. None decides by the methods, or, if they do
        not settle it, by y: decimals, and numbers that hardly repeat, mean regression.
    max_samples : int or None, default=2000
        Maximum number of rows to cross-validate; larger tables are sampled at random.
        The final ranking uses all rows. None uses all rows.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores.
    random_state : int, RandomState or None, default=None
        Random seed.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    method_ : str
        The chosen method.
    scoring_ : str
        Name of the score, chosen by the table if ``scoring`` is None.
    score_ : float
        Cross-validated score of the selected features, corrected for selection bias.
        With up to 300 rows, each of five folds is scored with the choice made without
        its rows (nested cross-validation). With more rows, or if the test sets of
        ``cv`` overlap or do not cover all rows, it is the choice of the other folds;
        these train on the rows of the fold, so a little optimism remains.
    score_stderr_ : float
        Its standard error.
    score_all_ : float
        Cross-validated score with all features.
    better_than_all_ : bool
        Whether the selected features score significantly higher than all features
        (corrected resampled t-test at 5 %).
    stability_ : float
        Nogueira's stability index of the selections in the folds; NaN if all features
        are kept.
    redundancy_ : float or None
        The chosen similarity.
    selector_ : selector
        The chosen method, fitted on all rows.
    signal_ : bool or None
        Whether the features carry any information about y, by
        `widemargin.evaluation.signal` at the 5 % level. If not, `fit` warns and
        ``features_`` rejects all features; some are kept, since a pipeline needs a
        column. None, with a warning, if there are too few groups to tell.
    features_ : DataFrame
        One row per feature, with a verdict and its reasons.
    positive_ : label or None
        Of two classes, the one to which ``direction`` and ``auc`` in ``features_``
        refer: the rarer one, see `widemargin.evaluation.Profile`.
    recommendation_ : Recommendation
        Details of the choice.
    scores_, ranking_, support_, redundant_with_
        Those of ``selector_``.
    n_features_ : int
        Number of features kept.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from widemargin import AutoSelector
    >>> from widemargin.datasets import make_xor
    >>> X, y = make_xor(300, random_state=0)
    >>> auto = AutoSelector(["ReliefF", "FisherScore"], random_state=0).fit(X, y)
    >>> auto.method_, auto.get_support(indices=True)
    ('ReliefF', array([0, 1, 2]))
    """

    methods: Any = None
    _: KW_ONLY
    estimator: Any = None
    scoring: Any = None
    cv: Any = None
    n_features_to_select: int | float | None = None
    redundancy: float | Literal["auto"] | None = "auto"
    categorical_features: Any = None
    task: Literal["classification", "regression"] | None = None
    max_samples: int | None = 2000
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0

    _mixed = True
    # In scikit-learn's metadata routing, as the splitters for groups do.
    __metadata_request__fit = {"groups": True}

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "methods": "no_validation",
        "estimator": "no_validation",
        "scoring": "no_validation",
        "cv": "no_validation",
        "n_features_to_select": [
            None,
            Interval(numbers.Integral, 1, None, closed="left"),
            Interval(numbers.Real, 0, 1, closed="neither"),
        ],
        "redundancy": MarginSelector._parameter_constraints["redundancy"],
        "categorical_features": ["array-like", None],
        "task": [None, StrOptions({"classification", "regression"})],
        "max_samples": [None, Interval(numbers.Integral, 2, None, closed="left")],
        "n_jobs": N_JOBS,
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    @_fit_context(prefer_skip_nested_validation=False)
    @all_or_nothing
    def fit(self, X: Any, y: Any, groups: Any = None, **unknown: Any) -> Self:
        """Choose, and rank the features of X.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            As the methods take it. It is not changed.
        y : array-like of shape (n_samples,)
            Class labels, or numbers to predict.
        groups : array-like of shape (n_samples,), default=None
            Rows of one group are never in both the training and the test part of a
            fold. Requested by default in scikit-learn's metadata routing.
        **unknown : dict
            Nothing else is taken: sample_weight, say, is refused with an error.

        Returns
        -------
        self : object
            The fitted selector.
        """
        refuse_keywords(NAME, unknown)
        if on_dask(X):
            raise ValueError(
                f"{NAME} draws rows at random and does not run on Dask collections. "
                "Use it on a sample of the rows, X.sample(...).compute()."
            )
        data = read_dataset(
            X,
            y,
            NAME,
            estimator=self,
            mixed=True,
            nominal=self._nominal_by_type,
            numeric=is_regression(self.methods, y, self.task, NAME),
        )
        refuse_other_than_numbers(data.X, NAME, may_miss=True)
        data.warn_of_columns(NAME, self.categorical_features)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self._recommend(data, group_codes(groups, data.shape[0], NAME), seed)
        return self

    def _nominal_by_type(self, X: Any, kinds: Ints) -> Ints:
        """Columns with codes for all methods, after a check that some can take X."""
        nominal = nominal_columns(X, self.categorical_features, NAME, kinds)
        refuse_columns(X, kinds, NAME, nominal)
        return np.flatnonzero(np.isin(kinds, CODED))

    def _validate_params(self) -> None:
        super()._validate_params()
        refuse_booleans(self)

    def _recommend(self, data: Dataset, groups: Any, seed: int) -> None:
        """Try all configurations, choose one, and fit it to all rows."""
        with muted():
            about = describe(data, self.categorical_features)
        for sentence in about.group_leaks:
            warn(f"{NAME}: {sentence}")
        methods = self._chosen_methods(about, seed)
        scoring, ordered = self.scoring, has_order(about, methods)
        if scoring is None:
            scoring = default_scoring(about, ordered)
        scoring = scoring_for(scoring, about.n_classes)
        self.scoring_ = name_of(scoring)
        part, (n, d) = data, data.shape
        if self.max_samples is not None and n > self.max_samples:
            random = np.random.default_rng(seed)
            rows = some_of_each(data.codes, self.max_samples / n, random)
            part, groups = data.take(rows), None if groups is None else groups[rows]
        # Fits to parts of the rows repeat what the fit to all has to say.
        with muted(), warnings.catch_warnings(action="ignore", category=UserWarning):
            plan = plan_for(
                methods,
                part,
                (self.estimator, scoring),
                self.cv,
                groups,
                seed,
                n_features=self._sizes(d),
                repeats=REPEATS,
                caller=NAME,
                thresholds=self._thresholds(),
                nested=True,
                race=True,
            )
            results = carry_out(plan, self.n_jobs, self.verbose, NAME)
        self._choose(results)
        self._fit_chosen(methods, data)
        with muted():
            found = signal_test(
                part, groups, random_state=seed, n_jobs=self.n_jobs, only_whether=True
            )
        self.signal_ = found.found if found.conclusive else None
        if self.signal_ is None:
            warn(f"{NAME}: {found.sentence}")
        elif not self.signal_:
            warn(
                f"{NAME}: no signal was found (p = {found.p_value:.2g}). Features are "
                "kept, since a pipeline needs some, but they are no better than others."
            )
        self.positive_, self._names = about.positive, data.names
        table = data.numbers(methods.values())
        numbers = table.X.copy()
        numbers[:, table.nominal] = np.nan
        self._direction = directions_of(numbers, data.codes, about, ordered)

    def _choose(self, results: Results) -> None:
        """Keep what the folds recommend."""
        evidence = results.evidence()
        if evidence is None:
            raise KeyboardInterrupt(f"{NAME}: interrupted; there is no result.")
        first = results.first_evidence() if results.dropped else None
        chosen = self.recommendation_ = evidence.recommend(first)
        self.method_, self.redundancy_, _ = chosen.configuration
        self.score_, self.score_stderr_ = chosen.score, chosen.stderr
        self.score_all_ = float(evidence.score_all.mean())
        self.better_than_all_ = chosen.better_than_all
        self.stability_ = chosen.stability
        self._frequency = evidence.selected(chosen.configuration).mean(0)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.methods is not None:
            methods = resolve_selectors(self.methods).values()
            for tag in ("allow_nan", "categorical", "string"):
                taken = all(getattr(get_tags(m).input_tags, tag) for m in methods)
                setattr(tags.input_tags, tag, taken)
        return tags

    @property
    def features_(self) -> pd.DataFrame:
        """One row per feature, best first; the same columns as `Comparison.features`.

        The frequency is the share of the folds that select a feature. There are no
        p-values, so none is *confirmed*: one that 60 % of the folds select is
        *tentative*, all others are *rejected*.
        """
        check_is_fitted(self)
        known = Known(
            self._names,
            self.ranking_,
            self.scores_,
            self._frequency,
            None,
            None,
            self.redundant_with_,
            self.n_features_,
            self.signal_,
        )
        return features_frame(known, self._direction)

    def _chosen_methods(self, about: Any, seed: int) -> dict[str, Any]:
        if self.methods is None:
            return dict(choose(about, seed, self.categorical_features))
        methods = {}
        given = resolve_selectors(self.methods, numeric=about.numeric_target)
        for label, method in given.items():
            chosen = methods[label] = preset(method, seed, self.categorical_features)
            if method.n_features_to_select == "auto":
                chosen.set_params(n_features_to_select=None)
            if "redundancy" in method.get_params():
                chosen.set_params(redundancy=None)
        return methods

    def _thresholds(self) -> tuple[float | None, ...]:
        if self.redundancy == "auto":
            return THRESHOLDS
        return (None if self.redundancy is None else float(self.redundancy),)

    def _sizes(self, d: int) -> Any:
        wanted = self.n_features_to_select
        if wanted is None:
            return sizes_up_to(d)
        whole = isinstance(wanted, numbers.Integral)
        return min(int(wanted) if whole else max(1, int(wanted * d)), d)

    def _fit_chosen(self, methods: dict[str, Any], data: Dataset) -> None:
        method, redundancy, k = self.recommendation_.configuration
        settings: dict[str, Any] = {"n_features_to_select": k}
        if "redundancy" in methods[method].get_params():
            settings["redundancy"] = redundancy
        if methods[method].n_jobs is None:
            settings["n_jobs"] = self.n_jobs
        self.selector_ = data.fit(clone(methods[method]).set_params(**settings))
        self.scores_ = self.selector_.scores_
        self.ranking_ = self.selector_.ranking_
        self.redundant_with_ = self.selector_.redundant_with_
        self.support_ = self.selector_.support_
        self.n_features_ = int(self.support_.sum())
