"""`AutoSelector`: the recommended features, as a scikit-learn transformer."""

from __future__ import annotations

import numbers
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from widemargin._sklearn import Interval, StrOptions, _fit_context
from widemargin.base import (
    GROUPS,
    N_JOBS,
    TableSelector,
    all_or_nothing,
    refuse_booleans,
    refuse_keywords,
)
from widemargin.data.build import refuse_other_than_numbers
from widemargin.data.dataset import Dataset
from widemargin.data.kinds import CODED, nominal_columns
from widemargin.data.outcomes import TASKS
from widemargin.data.protocol import Ints
from widemargin.data.read import beyond_covariates, read_dataset, with_class_weight
from widemargin.data.refuse import refuse_columns
from widemargin.engine import drawn_rows, on_dask
from widemargin.evaluation._answer import (
    FLAGSHIP,
    MAX_SAMPLES,
    REDUNDANCY,
    Setup,
    set_up,
)
from widemargin.evaluation._judges import name_of
from widemargin.evaluation._profile import describe
from widemargin.evaluation._selectors import resolve_selectors, task_of
from widemargin.evaluation._signal import Signal
from widemargin.evaluation._verdicts import features_frame
from widemargin.judging.recommend import Recommendation
from widemargin.notices import muted, warn

if TYPE_CHECKING:
    import pandas as pd

NAME = "AutoSelector"


@dataclass(eq=False, repr=False)
class AutoSelector(TableSelector):
    """Choose the features to keep, and say how sure that is.

    `KernelRFE` ranks the features in each of five folds and on all rows; near copies
    are skipped, and as many of the consensus of these rankings are kept as make the
    leave-one-out error of kernel ridge regression lowest. The score is that of folds
    whose rows had no part in any of this. Which features are *relevant* is tested for
    all of them, kept or not (`widemargin.evaluation.relevance`). `compare` and the
    command give the same answer for the same table and seed.

    With ``methods``, several methods compete: of those within one standard error of
    the best, the one with the fewest features is chosen.

    Parameters
    ----------
    methods : selector, name, list or dict of these, or None, default=None
        Methods to choose from. None is `KernelRFE`. Methods that cannot tell how many
        features to keep are scored with many numbers of them, and the smallest number
        within one standard error of the best is chosen.
    estimator : classifier, regressor, str or None, default=None
        Estimator that evaluates the features, as in
        `widemargin.evaluation.selection_curve`. None is 1-NN for classes and 5-NN for a
        numeric target.
    scoring : str, callable or None, default=None
        Score to report and to choose by, as in scikit-learn. None is accuracy, or
        balanced accuracy if the largest class has more than four times as many rows as
        the smallest; "neg_rank_loss" for three or more ordered classes; "r2" for a
        numeric target, the mean of several; "f1_macro" for sets of labels;
        "concordance_index" for survival times.
    cv : int, "time", splitter, iterable of (train, test) or None, default=None
        Number of stratified folds. With ``groups`` in `fit`, groups are kept together.
        None uses five folds, or fewer if no class has five rows.
    n_features_to_select : int, float or None, default=None
        Number of features to keep, or fraction of them. None chooses the number, too.
    redundancy : float or None, default=0.9
        Similarity at which a feature is skipped as a near copy of a better one: |r|, or
        the symmetrical uncertainty if there are nominal or missing values. None keeps
        near copies.
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
    task : str or None, default=None
        What y holds, as for `KernelRFE`. None decides by the methods, or, if they do
        not settle it, by y: decimals, and numbers that hardly repeat, mean regression.
    max_samples : int or None, default=2000
        Maximum number of rows to cross-validate and to test; larger tables are sampled
        at random. One of the rankings uses all rows. None uses all rows.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class by label, by which those of its rows are multiplied;
        "balanced" makes all classes weigh the same. None leaves rows as they are.
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
        Nested cross-validated score: the mean over the folds, each scored with features
        that were chosen without its rows.
    score_stderr_ : float
        Its standard error.
    score_all_ : float
        Cross-validated score with all features.
    better_than_all_ : bool
        Whether the choice scores significantly higher than all features
        (corrected resampled t-test at 5 %).
    stability_ : float
        Agreement of the choices for the folds, near copies counting as one feature: 1
        if all are the same, 0 on average for random ones (Sechidis et al. 2019); NaN if
        all features are kept.
    redundancy_ : float or None
        The similarity from which features were skipped.
    selector_ : selector
        The chosen method, fitted on all rows.
    relevance_ : Significance or None
        The test of relevance; None with ``groups``, whose rows are not independent.
    signal_ : bool or None
        Whether the features carry any information about y, by
        `widemargin.evaluation.signal` at the 5 % level. If not, `fit` warns and no
        feature is called relevant; some are kept, since a pipeline needs a column.
        None, with a warning, if there are too few groups to tell.
    features_ : DataFrame
        One row per feature, with a verdict and its reason.
    positive_ : label or None
        Of two classes, the one to which ``direction`` and ``auc`` in ``features_``
        refer: the rarer one, see `widemargin.evaluation.Profile`.
    recommendation_ : Recommendation
        Details of the choice.
    without_leaks_ : array of str or None
        Names of the features that are chosen if those that may be copies of the target
        are left out; None if there are none of these. `fit` warns of them.
    scores_ : array of shape (n_features,)
        Mean of one over a feature's rank, in the folds and on all rows.
    ranking_ : array of shape (n_features,)
        1 for the best feature. Skipped features rank last.
    redundant_with_ : array of shape (n_features,)
        The better feature of which a skipped one is a near copy; −1 for others.
    support_ : array of shape (n_features,)
        Whether each feature is kept.
    n_features_ : int
        Number of features kept.
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from widemargin import AutoSelector
    >>> from widemargin.datasets import make_xor
    >>> X, y = make_xor(300, random_state=0)
    >>> auto = AutoSelector(random_state=0).fit(X, y)
    >>> auto.get_support(indices=True)
    array([0, 1, 2])
    >>> auto.features_["verdict"].value_counts().to_dict()
    {'not relevant': 7, 'kept': 3}
    """

    methods: Any = None
    _: KW_ONLY
    estimator: Any = None
    scoring: Any = None
    cv: Any = None
    n_features_to_select: int | float | None = None
    redundancy: float | None = REDUNDANCY
    categorical_features: Any = None
    feature_groups: Any = None
    task: Literal["classification", "regression", "multilabel", "survival"] | None = (
        None
    )
    max_samples: int | None = MAX_SAMPLES
    class_weight: Any = None
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0

    _mixed = _sparse = True
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
        "redundancy": [None, Interval(numbers.Real, 0, 1, closed="right")],
        "categorical_features": ["array-like", None],
        "feature_groups": GROUPS,
        "task": [None, StrOptions({*TASKS})],
        "max_samples": [None, Interval(numbers.Integral, 2, None, closed="left")],
        "class_weight": [None, dict, StrOptions({"balanced"})],
        "n_jobs": N_JOBS,
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    @_fit_context(prefer_skip_nested_validation=False)
    @all_or_nothing
    def fit(
        self,
        X: Any,
        y: Any,
        groups: Any = None,
        sample_weight: Any = None,
        covariates: Any = None,
        **unknown: Any,
    ) -> Self:
        """Choose, and rank the features of X.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            As the methods take it. It is not changed.
        y : array-like of shape (n_samples,)
            Class labels, or numbers to predict.
        groups : array-like of shape (n_samples,), default=None
            Rows of one group are never in both the training and the test part of a
            fold. Requested by default in scikit-learn's metadata routing.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts, in the methods and in their scores; rows of weight
            0 are left out. Tests do not weigh rows.
        covariates : array-like or frame of shape (n_samples, ...), default=None
            What the features are to tell something beyond, such as batch or age; see
            the guide to covariates.
        **unknown : dict
            Nothing else is taken.

        Returns
        -------
        self : object
            The fitted selector.
        """
        refuse_keywords(NAME, unknown)
        if on_dask(X):
            X, y, sample_weight, groups, covariates = drawn_rows(
                NAME, X, y, self.random_state, sample_weight, groups, covariates
            )
        data = read_dataset(
            X,
            y,
            NAME,
            estimator=self,
            mixed=True,
            nominal=self._nominal_by_type,
            task=task_of(self.methods, y, self.task, NAME),
            sparse=get_tags(self).input_tags.sparse,
            sample_weight=sample_weight,
        )
        data = with_class_weight(data, self.class_weight, NAME)
        refuse_other_than_numbers(data.X, NAME, may_miss=True)
        data.warn_of_columns(NAME, self.categorical_features)
        data = data.grouped(self.feature_groups, NAME)
        self._feature_of = data.feature_of
        self.groups_ = None if data.blocks is None else data.names
        self._answer(data, groups, covariates)
        self._by_column()
        self.selector_._by_column()
        return self

    def _nominal_by_type(self, X: Any, kinds: Ints) -> Ints:
        """Columns with codes for all methods, after a check that some can take X."""
        nominal = nominal_columns(X, self.categorical_features, NAME, kinds)
        refuse_columns(X, kinds, NAME, nominal)
        return np.flatnonzero(np.isin(kinds, CODED))

    def _validate_params(self) -> None:
        super()._validate_params()
        refuse_booleans(self)

    def _answer(self, data: Dataset, groups: Any, covariates: Any) -> None:
        """Choose, test, and keep what comes out."""
        with muted():
            about = describe(data, self.categorical_features)
        data = beyond_covariates(data, covariates, NAME)
        usual = self.methods is None
        setup = set_up(
            NAME,
            data,
            about,
            FLAGSHIP if usual else self.methods,
            self.get_params(deep=False),
            groups,
            usual=usual,
            sizes=data.shape[1] if usual else None,
        )
        results = setup.cross_validate()
        if results.interrupted:
            raise KeyboardInterrupt(f"{NAME}: interrupted; there is no result.")
        self._keep(setup.recommend(results, setup.candidates, setup.fitted))
        with muted():
            self.relevance_ = setup.test_relevance()
            found = setup.test_signal(only_whether=True)
        self._take_signal(found)
        self._take_leaks(setup)
        self.scoring_, self.positive_ = name_of(setup.score, data.task), about.positive
        self._names, self._constants = data.names, about.constants
        self._direction = setup.directions

    def _keep(self, found: Recommendation) -> None:
        """Take over what the folds recommend."""
        self.recommendation_, self.method_ = found, found.method
        self.selector_ = found.selector
        self.redundancy_ = self.redundancy
        self.score_, self.score_stderr_ = found.score, found.stderr
        self.score_all_, self.better_than_all_ = found.score_all, found.better_than_all
        self.stability_ = found.stability
        self.scores_, self.ranking_ = found.consensus, found.ranking
        self.redundant_with_ = found.redundant_with
        self.support_ = np.isin(np.arange(len(found.ranking)), found.columns)
        self.n_features_ = found.n_features

    def _take_signal(self, found: Signal) -> None:
        self.signal_ = found.found if found.conclusive else None
        if self.signal_ is None:
            warn(f"{NAME}: {found.sentence}")
        elif not self.signal_:
            warn(
                f"{NAME}: no signal was found (p = {found.p_value:.2g}). Features are "
                "kept, since a pipeline needs some, but they are no better than others."
            )

    def _take_leaks(self, setup: Setup) -> None:
        """Warn of leaks, and say what is chosen without copies of the target."""
        self.without_leaks_ = self._found_without_leaks = None
        said, without = list(setup.profile.leaks), setup.recommend_without_leaks()
        if without is not None:
            found, self.without_leaks_ = without
            leaks = setup.profile.target_copies
            self._found_without_leaks = found
            self._leaks = setup.data.names[leaks].tolist()
            d = setup.data.shape[1] - len(leaks)
            names = ", ".join(repr(str(f)) for f in self.without_leaks_)
            said.append(
                f"Without copies of the target, {found.n_features} of {d} features "
                f"{'is' if found.n_features == 1 else 'are'} chosen ({names}), and the "
                f"score is {found.score:.3f} instead of {self.score_:.3f}."
            )
        if said:
            warn(f"{NAME}: {' '.join(said)}")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.methods is not None:
            methods = resolve_selectors(self.methods).values()
            for tag in ("allow_nan", "categorical", "string", "sparse"):
                taken = all(getattr(get_tags(m).input_tags, tag) for m in methods)
                setattr(tags.input_tags, tag, taken)
        return tags

    @property
    def features_(self) -> pd.DataFrame:
        """One row per feature, best first, as `Comparison.features` without works_with.

        What is kept is so even without signal, since a pipeline needs a column.
        """
        check_is_fitted(self)
        return features_frame(
            self._names,
            self.recommendation_,
            self.relevance_,
            self.signal_,
            self._direction,
            self._constants,
            self.recommendation_.columns,
        )
