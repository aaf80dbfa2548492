"""What the wrappers for both packages have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from widemargin._sklearn import _safe_indexing
from widemargin.data.frames import PRESERVED, as_frame, is_frame
from widemargin.data.protocol import Floats, Ints


class Wrapper(TransformerMixin, BaseEstimator):
    """Features by their place in a ranking, best first, as both packages give them.

    A subclass fits ``selector_``, one of this package, and calls `_take`.
    """

    selector_: Any
    feature_importances_: Floats
    top_features_: Ints

    def _take(self, scores: Floats, *, absolute: bool = False) -> None:
        """Keep scores, and the order of the features by them."""
        self.feature_importances_ = scores
        size = np.abs(scores) if absolute else scores
        self.top_features_ = np.argsort(-size, kind="stable")
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


def n_values(X: Any) -> Ints:
    """Number of different values of each column, missing ones aside."""
    X = as_table(X)
    if is_frame(X):
        columns = (X[name] for name in X.columns)
        return np.array([_n_different(np.asarray(column)) for column in columns])
    if X.dtype.kind not in "biuf":
        return np.array([_n_different(column) for column in X.T])
    ordered = np.sort(X, axis=0)
    there = ordered == ordered  # NaN, which comes last, differs from itself
    new = (ordered[1:] != ordered[:-1]) & there[1:]
    return there[:1].sum(axis=0) + new.sum(axis=0)


def _n_different(values: NDArray[Any]) -> int:
    return len({v for v in values.tolist() if v is not None and v == v})


def discrete(X: Any, limit: int) -> NDArray[np.bool_]:
    """Which columns have at most so many different values."""
    return n_values(X) <= limit
