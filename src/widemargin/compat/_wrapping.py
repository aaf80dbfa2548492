"""Base classes of the wrappers for both packages."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from widemargin._sklearn import _safe_indexing
from widemargin.data.frames import PRESERVED, as_frame, is_frame
from widemargin.data.protocol import Floats, Ints

LABEL_TYPES = ("binary", "multiclass", "continuous")  # of skrebate


class Wrapper(TransformerMixin, BaseEstimator):
    """Features by their place in a ranking, best first, as both packages give them.

    A subclass fits ``selector_``, one of this package, and calls `_take`.
    """

    n_jobs: int
    verbose: bool
    selector_: Any
    feature_importances_: Floats
    top_features_: Ints

    def _fit_selector(
        self, selector: Any, X: Any, y: Any, n_features: int, nominal: NDArray[np.bool_]
    ) -> None:
        """Fit a selector of this package as both packages do, and keep it."""
        selector.set_params(
            n_features_to_select=n_features,
            metric="manhattan",
            categorical_features=nominal,
            n_jobs=self.n_jobs,
            verbose=int(self.verbose),
        )
        self.selector_ = selector.fit(X, y)

    def _take(self, scores: Floats, worst: Floats | Ints) -> None:
        """Keep scores, and the order of the features by what is least for the best."""
        self.feature_importances_ = scores
        self.top_features_ = np.argsort(worst, kind="stable")
        self.n_features_in_ = len(scores)

    def _n_selected(self) -> int:
        """How many features `transform` keeps."""
        return len(self.top_features_)

    def transform(self, X: Any) -> Any:
        """Reduce X to the best features.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            With the columns that `fit` has seen.

        Returns
        -------
        X_reduced : array or frame of shape (n_samples, n_features_to_select)
            The best feature comes first.
        """
        check_is_fitted(self, "top_features_")
        X = as_table(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} was fitted "
                f"with {self.n_features_in_}."
            )
        return _safe_indexing(X, self.top_features_[: self._n_selected()], axis=1)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = tags.input_tags.allow_nan = True
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = list(PRESERVED)
        return tags


class RebateWrapper(Wrapper):
    """Wrappers for skrebate: which features are nominal, and whether y is a number."""

    n_features_to_select: int
    categorical_features: Any
    categorical_threshold: int
    multiclass_threshold: int
    discrete_threshold: int | None
    rank_absolute: bool
    label_type: str | None

    def fit(self, X: Any, y: Any, weights: Any = None) -> Self:
        """Score the features.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers or categories; missing values are allowed.
        y : array-like of shape (n_samples,)
            Classes, or numbers: see ``label_type``.
        weights : None, default=None
            Weights of the features in the distance are not taken: `widemargin.IRelief`
            finds its own.

        Returns
        -------
        self : object
            The fitted selector.
        """
        if weights is not None:
            raise ValueError(
                f"{type(self).__name__} does not support feature weights. "
                "widemargin.IRelief learns weights iteratively."
            )
        nominal = self._nominal(X)
        selector = self._selector(len(y), self._numeric(y))
        wanted = min(self.n_features_to_select, len(nominal))
        self._fit_selector(selector, X, y, wanted, nominal)
        scores = selector.scores_
        self._take(scores, -np.abs(scores) if self.rank_absolute else -scores)
        return self

    def _selector(self, n: int, numeric: bool) -> Any:
        """The selector of this package for n rows."""
        raise NotImplementedError

    def _nominal(self, X: Any) -> Any:
        """Mask of the features that differ by 0 or 1."""
        few = discrete(X, self._threshold(self.categorical_threshold))
        if self.categorical_features is None:
            return few
        nominal = np.zeros(len(few), np.bool_)
        nominal[np.asarray(self.categorical_features)] = True
        return nominal

    def _numeric(self, y: Any) -> bool:
        """Whether y is a number to predict."""
        if self.label_type is not None:
            if self.label_type not in LABEL_TYPES:
                raise ValueError(
                    f"{type(self).__name__} needs a label_type of {LABEL_TYPES}, got "
                    f"{self.label_type!r}."
                )
            return self.label_type == "continuous"
        limit = self._threshold(self.multiclass_threshold)
        return len(set(np.asarray(y).tolist())) > max(limit, 2)

    def _threshold(self, own: int) -> int:
        """One of the two thresholds, or what stands for both."""
        return own if self.discrete_threshold is None else self.discrete_threshold

    def _n_selected(self) -> int:
        return no_more_than(self.n_features_in_, self.n_features_to_select)


def no_more_than(d: int, wanted: int) -> int:
    """Refuse more features than there are, as skrebate does."""
    if wanted > d:
        raise ValueError(
            f"n_features_to_select={wanted} is larger than the number of features, {d}."
        )
    return wanted


def kept_in_rounds(selector: Any) -> Any:
    """A copy that takes the number of features of any round."""
    inner = clone(selector)
    if "n_features_to_select" in inner.get_params(deep=False):
        inner.set_params(n_features_to_select=1)
    return inner


def as_table(X: Any) -> Any:
    """X as a frame or an array."""
    X = as_frame(X, "widemargin.compat")
    return X if is_frame(X) else np.asarray(X)


def discrete(X: Any, limit: int) -> NDArray[np.bool_]:
    """Which columns have at most so many different values, missing ones aside."""
    X = as_table(X)
    columns = (X[name] for name in X.columns) if is_frame(X) else X.T
    return np.array([_n_different(np.asarray(column)) <= limit for column in columns])


def _n_different(values: NDArray[Any]) -> int:
    if values.dtype.kind in "biuf":  # a tenth of the time of a set
        return len(np.unique(values[values == values]))
    return len({v for v in values.tolist() if v is not None and v == v})
