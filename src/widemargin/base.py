"""`MarginSelector`: validate, score, rank, select, the same way for every method."""

from __future__ import annotations

import numbers
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, _fit_context
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from widemargin.notices import warn
from widemargin.table import Floats, Table, build, validate
from widemargin.threads import Workers, thread_count


class MarginSelector(SelectorMixin, BaseEstimator):
    """Base class of all selectors.

    A method implements ``_score(table, workers)``, which returns one number per
    feature, higher for better ones. It may override ``_natural_support`` if it has a
    subset of its own.
    """

    _parameter_constraints: dict[str, Any] = {
        "n_features_to_select": [
            None,
            Interval(numbers.Integral, 1, None, closed="left"),
            Interval(numbers.Real, 0, 1, closed="neither"),
        ],
        "scale": [StrOptions({"minmax", "standard"}), None],
        "n_jobs": [None, numbers.Integral],
        "verbose": ["verbose"],
    }

    n_features_to_select: int | float | None
    scale: str | None
    n_jobs: int | None
    verbose: int

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Score and rank the features of X.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers. It is not changed.
        y : array-like of shape (n_samples,)
            Class labels: numbers, strings, booleans or categories.

        Returns
        -------
        self
        """
        X, y, classes = validate(self, X, y, labels=self._uses_labels(y))
        with Workers(thread_count(self.n_jobs)) as workers:
            table = build(X, y, classes, scale=self.scale, workers=workers)
            self.scores_ = self._score(table, workers)
        self.ranking_ = self._rank(table)
        self.support_ = self._select()
        return self

    def _score(self, table: Table, workers: Workers) -> Floats:
        raise NotImplementedError

    def _uses_labels(self, y: Any) -> bool:
        """Whether y counts; an unsupervised method ignores it, or does without."""
        return True

    def _natural_support(self) -> NDArray[np.bool_] | None:
        """The subset that the method itself arrives at, if any."""
        return None

    def _rank(self, table: Table) -> NDArray[np.int64]:
        """1 for the best; equal scores by column order, constant features last."""
        natural = self._natural_support()
        outside = np.zeros(len(self.scores_)) if natural is None else ~natural
        order = np.lexsort((-self.scores_, outside, table.constant))
        ranking = np.empty(len(order), np.int64)
        ranking[order] = np.arange(1, len(order) + 1)
        return ranking

    def _select(self) -> NDArray[np.bool_]:
        natural = self._natural_support()
        if self.n_features_to_select is None and natural is not None:
            return natural
        d, count = self.n_features_in_, self._wanted()
        if count > d:
            warn(
                f"{type(self).__name__}: n_features_to_select={count} but X has "
                f"{d} features; all are kept."
            )
        return self.ranking_ <= count

    def _wanted(self) -> int:
        """How many features the caller asks for; may be more than there are."""
        d, wanted = self.n_features_in_, self.n_features_to_select
        if wanted is None:
            return max(1, d // 2)
        if isinstance(wanted, numbers.Integral):
            return int(wanted)
        return max(1, int(wanted * d))

    @property
    def feature_importances_(self) -> Floats:
        """The scores, under the name that scikit-learn's meta-selectors look for."""
        check_is_fitted(self)
        return self.scores_

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = False
        return tags
