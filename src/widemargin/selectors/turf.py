"""TuRF: tuned Relief, which drops the worst features and ranks the rest again.

Reference
---------
J. Moore, B. White, *Tuning ReliefF for genome-wide genetic analysis*, EvoBIO 2007.
"""

from __future__ import annotations

import numbers
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn import get_config
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import Tags, check_array, get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.validation import validate_data

from widemargin._sklearn import HasMethods, _fit_context, _safe_indexing
from widemargin.base import COUNT, FRACTION, TableSelector, all_or_nothing
from widemargin.data.blocks import columns_of, read_blocks
from widemargin.data.frames import is_frame
from widemargin.data.kinds import given_columns
from widemargin.data.protocol import Floats, Ints
from widemargin.data.refuse import unwrapped
from widemargin.progress import progress


@dataclass(eq=False, repr=False)
class TuRF(MetaEstimatorMixin, TableSelector):
    """TuRF: rank, drop the worst features, rank the rest again.

    Irrelevant features distort the distances by which neighbours are found. Dropping
    some of them gives better neighbours for ranking the others, which matters when
    there are thousands. Dropped features rank below the kept ones: those dropped later
    rank higher, and those dropped together keep the order of the selector.

    Parameters
    ----------
    selector : selector
        Ranks the remaining features: a selector of this package with any parameters,
        including ``redundancy``, or any other estimator that has ``scores_`` or
        ``feature_importances_`` after ``fit(X, y)``. It is not modified.
    n_features_to_select : int, float or None, default=None
        Number of features to keep, or fraction of them; None keeps half. Features are
        dropped until this many are left.
    drop : float or int, default=0.1
        Fraction of the remaining features to drop in each round (at least one), or
        their number.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    selector_ : selector
        The selector fitted on the kept features.
    scores_ : array of shape (n_features,)
        Scores of the kept features in the last round. The others follow below in the
        order of the ranking, in equal steps, because scores from different rounds are
        not comparable.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether each feature is kept.
    n_features_ : int
        Number of features kept.
    n_iter_ : int
        Number of times the features were ranked.
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from widemargin import ReliefF, TuRF
    >>> from widemargin.datasets import make_xor
    >>> X, y = make_xor(300, n_features=40, random_state=0)
    >>> turf = TuRF(ReliefF(), n_features_to_select=3).fit(X, y)
    >>> turf.get_support(indices=True)
    array([0, 1, 2])
    """

    selector: Any
    n_features_to_select: int | float | None = None
    _: KW_ONLY
    drop: float | int = 0.1
    verbose: int = 0

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "selector": [HasMethods(["fit"])],
        "n_features_to_select": [None, COUNT, FRACTION],
        "drop": [FRACTION, COUNT],
        "verbose": ["verbose"],
    }

    @_fit_context(prefer_skip_nested_validation=False)
    @all_or_nothing
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Rank the features of X in rounds.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            As the selector takes it.
        y : array-like of shape (n_samples,), default=None
            Class labels or numbers, as the selector takes them.
        **params : dict
            Passed to the ``fit`` of the selector in every round. With scikit-learn's
            metadata routing, what the selector requests by ``set_fit_request``.

        Returns
        -------
        self : object
            The fitted selector.
        """
        name = type(self).__name__
        X = unwrapped(X, name, missing=True)
        if not is_frame(X):  # what is in it, the selector checks
            X = check_array(X, dtype=None, ensure_all_finite=False, estimator=self)
        validate_data(self, X, skip_check_array=True)
        if get_config()["enable_metadata_routing"]:
            params = process_routing(self, "fit", **params)["selector"]["fit"]
        given = getattr(self.selector, "categorical_features", None)
        nominal, d = given_columns(X, given, name), self.n_features_in_
        groups = getattr(self.selector, "feature_groups", None)
        blocks = read_blocks(groups, getattr(X, "columns", None), d, name)
        self.groups_ = None if blocks is None else blocks.names
        of = self._feature_of = None if blocks is None else blocks.feature
        sizes = self._sizes()
        left, dropped = np.arange(sizes[0]), np.empty(0, np.int64)
        with progress(name, len(sizes), self.verbose) as advance:
            for size in sizes:
                dropped = np.concatenate([left[size:], dropped])
                left = np.sort(left[:size])
                columns = columns_of(of, left)
                part = _safe_indexing(X, columns, axis=1)
                fitted = self._for(columns, nominal).fit(part, y, **params)
                # A group's columns are side by side, and score the same.
                first = np.unique(columns if of is None else of[columns], True)[1]
                left = left[_best_first(fitted, first)]
                advance()
        self.selector_ = fitted
        self.n_iter_ = len(sizes)
        order = np.concatenate([left, dropped])
        self.ranking_ = np.empty(len(order), np.int64)
        self.ranking_[order] = np.arange(1, len(order) + 1)
        self.scores_ = _completed(_scores(fitted)[first], order)
        if of is not None:
            self.ranking_, self.scores_ = self.ranking_[of], self.scores_[of]
        self.support_ = self.ranking_ <= sizes[-1]
        self.n_features_ = sizes[-1]
        return self

    def _for(self, left: Ints, nominal: Ints) -> Any:
        """A new selector for some of the columns, told what they are."""
        fresh = clone(self.selector)
        if self._feature_of is not None:
            fresh.set_params(feature_groups=self._feature_of[left])
        if len(nominal):
            fresh.set_params(categorical_features=np.isin(left, nominal))
        return fresh

    def _sizes(self) -> list[int]:
        """How many features are ranked in each round."""
        d = self._n_scored
        wanted, sizes = min(self._wanted(), d), [d]
        while sizes[-1] > wanted:
            rest = min(sizes[-1] - 1, round(sizes[-1] * (1 - self.drop)))
            if isinstance(self.drop, numbers.Integral):
                rest = sizes[-1] - int(self.drop)
            sizes.append(max(wanted, rest))
        return sizes

    def get_metadata_routing(self) -> MetadataRouter:
        """Say what of the parameters of `fit` goes to the selector.

        Returns
        -------
        routing : MetadataRouter
            Everything that the selector requests in its ``fit``.
        """
        # A Pipeline calls fit_transform, which scikit-learn before 1.9 did not take
        # for a fit.
        mapping = MethodMapping().add(caller="fit", callee="fit")
        mapping.add(caller="fit_transform", callee="fit")
        router = MetadataRouter(owner=type(self).__name__)
        return router.add(method_mapping=mapping, selector=self.selector)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.selector)
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        tags.input_tags.sparse = tags.input_tags.pairwise = False
        return tags


def _scores(fitted: Any) -> Floats:
    scores = getattr(fitted, "scores_", None)
    if scores is None:
        scores = getattr(fitted, "feature_importances_", None)
    if scores is None:
        raise TypeError(
            f"TuRF needs a selector that ranks: {type(fitted).__name__} has neither "
            "scores_ nor feature_importances_ after fit. Use one that does, such as "
            "ReliefF."
        )
    return np.asarray(scores, np.float64)


def _best_first(fitted: Any, columns: Ints) -> Ints:
    """Places of some columns, one of each feature, best first."""
    ranking = getattr(fitted, "ranking_", None)
    worst = -_scores(fitted) if ranking is None else ranking
    return np.argsort(worst[columns], kind="stable")


def _completed(scores: Floats, order: Ints) -> Floats:
    """Scores of the kept features, and those of the others in equal steps below."""
    completed = np.empty(len(order))
    kept = len(scores)
    completed[np.sort(order[:kept])] = scores
    step = (np.ptp(scores) or 1.0) / len(order)
    rest = np.arange(1, len(order) - kept + 1)
    completed[order[kept:]] = scores.min() - step * rest
    return completed
