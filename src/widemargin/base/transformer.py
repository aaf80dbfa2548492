"""`TableSelector`: what fitted selectors do with tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags, check_array, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin._sklearn import (
    _check_feature_names_in,
    _get_output_config,
    _SelectorBase,
)
from widemargin.base.estimator import Documented, Versioned
from widemargin.data.frames import PRESERVED, data_frame, for_output, is_frame
from widemargin.data.protocol import Floats, Ints
from widemargin.data.refuse import unwrapped
from widemargin.engine import on_dask

if TYPE_CHECKING:
    import pandas as pd


class TableSelector(Versioned, Documented, _SelectorBase):
    """What a fitted selector does with tables, whichever way it selects."""

    # Whether it takes nominal features and missing values.
    _mixed = False

    # Parameters of some methods.
    categorical_features: Any
    n_neighbors: Any

    scores_: Floats
    ranking_: Ints
    support_: NDArray[np.bool_]
    n_features_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    prefix_scores_: Floats | None
    optimism_: float | None
    scoring_: str | None
    redundancy_: float | None
    redundant_with_: Ints | None

    @property
    def feature_importances_(self) -> Floats:
        """The scores, under the name that scikit-learn's meta-selectors look for."""
        check_is_fitted(self)
        return self.scores_

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            With the columns that `fit` has seen.

        Returns
        -------
        X_r : array or frame of shape (n_samples, n_selected_features)
            The selected columns in their order, a frame if `set_output` asks for one,
            a Dask collection if X is one.
        """
        check_is_fitted(self)  # first: names of features can only be compared then
        X = unwrapped(X, type(self).__name__, missing=self._allows_missing())
        if on_dask(X):
            kept = self.get_support(indices=True)
            if not hasattr(X, "columns"):
                return X[:, kept]
            return X[list(getattr(self, "feature_names_in_", X.columns)[kept])]
        config = _get_output_config("transform", estimator=self)["dense"]
        if config == "default" or not is_frame(X) or hasattr(X, "iloc"):
            return super().transform(X)
        # As scikit-learn does for pandas: columns keep their types.
        validate_data(self, X, reset=False, skip_check_array=True)
        return for_output(X[:, self.get_support(indices=True).tolist()], config)

    def to_frame(self) -> pd.DataFrame:
        """The features with their scores, best first.

        Returns
        -------
        frame : DataFrame
            One row per feature: ``feature``, ``score``, ``rank`` (1 for the best) and
            ``selected``; with ``redundancy``, also ``redundant_with``, the feature of
            which it is a near copy, None for others.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from widemargin import ReliefF
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> ReliefF(2).fit(X, y).to_frame().round(3)
                     feature  score  rank  selected
        0   petal width (cm)  0.362     1      True
        1  petal length (cm)  0.353     2      True
        2  sepal length (cm)  0.147     3     False
        3   sepal width (cm)  0.145     4     False
        """
        check_is_fitted(self)
        order, names = np.argsort(self.ranking_), _check_feature_names_in(self)
        columns = {
            "feature": names[order],
            "score": self.scores_[order],
            "rank": self.ranking_[order],
            "selected": self.support_[order],
        }
        copies = getattr(self, "redundant_with_", None)
        if copies is not None:
            columns["redundant_with"] = np.where(copies < 0, None, names[copies])[order]
        return data_frame(columns)

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Put zeros where `transform` has removed features.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_selected_features)
            As `transform` returns it.

        Returns
        -------
        X_original : array of shape (n_samples, n_features)
            The selected columns in their places, zeros elsewhere.
        """
        if not self._allows_missing():
            return super().inverse_transform(X)
        support = self.get_support()
        X = check_array(X, dtype=None, ensure_all_finite=False)
        if X.shape[1] != support.sum():
            raise ValueError(
                f"{type(self).__name__}.inverse_transform needs the {support.sum()} "
                f"selected features, but X has {X.shape[1]} columns. Pass what "
                "transform returns."
            )
        whole = np.zeros((len(X), len(support)), X.dtype)
        whole[:, support] = X
        return whole

    def _allows_missing(self) -> bool:
        return get_tags(self).input_tags.allow_nan

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = list(PRESERVED)
        tags.input_tags.allow_nan = self._mixed
        tags.input_tags.categorical = tags.input_tags.string = self._mixed
        return tags
