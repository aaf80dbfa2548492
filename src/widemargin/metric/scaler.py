"""`MarginScaler`: the weights of a selector as a distance.

Reference: R. Gilad-Bachrach, A. Navot, N. Tishby, *Margin based feature selection:
theory and algorithms*, ICML 2004, sections 3.2 and 6.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    MetaEstimatorMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
    clone,
)
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin._sklearn import StrOptions, _fit_context
from widemargin.base.estimator import Documented, Versioned, all_or_nothing
from widemargin.data.protocol import Floats
from widemargin.notices import warn


@dataclass(eq=False, repr=False)
class MarginScaler(
    OneToOneFeatureMixin,
    MetaEstimatorMixin,
    TransformerMixin,
    Versioned,
    Documented,
    BaseEstimator,
):
    """Scale features by a selector's scores, so that distances are the learned ones.

    Takes the place of the selector in a pipeline: instead of dropping features, it
    multiplies each by a weight, after the selector's own scaling. In the Euclidean
    distance of scaled rows, the squared difference of a feature counts as much as its
    score s, or 0 if that is negative:

        ‖x − z‖² = Σ_f max(s_f, 0) (x_f − z_f)².

    The scores of `Simba`, `OSimba` and `LMBA` are w², so this is their own distance
    ‖x − z‖_w. `FRLL` and the ratios score squared differences. Relief and its kin score
    absolute ones: the distance that belongs to them is Σ_f s_f |x_f − z_f|, with
    ``metric="manhattan"`` here and in the classifier. Scores that only order the
    features, such as those of `KernelRFE` and `TuRF`, make no distance.

    Parameters
    ----------
    selector : estimator
        A selector, or any estimator with ``feature_importances_``.
    metric : {"euclidean", "manhattan"}, default="euclidean"
        The distance that will be taken of scaled rows: features are multiplied by √s
        for the first, by s for the second.
    prefit : bool, default=False
        Whether the selector is fitted already, and not to be fitted to X and y.

    Attributes
    ----------
    weights_ : array of shape (n_features,)
        What scaled features are multiplied by; the largest is 1.
    scale_ : array of shape (n_features,)
        What features are divided by before: range, standard deviation, largest
        absolute value or 1, by the selector's ``scale``; the range if it has none.
    selector_ : estimator
        The fitted selector.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from widemargin import MarginScaler, Simba
    >>> X, y = load_wine(return_X_y=True)
    >>> scaler = MarginScaler(Simba(random_state=0))
    >>> nearest = make_pipeline(scaler, KNeighborsClassifier(1))
    >>> round(float(cross_val_score(nearest, X, y).mean()), 2)
    0.96
    """

    selector: Any
    _: KW_ONLY
    metric: Literal["euclidean", "manhattan"] = "euclidean"
    prefit: bool = False

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "selector": "no_validation",
        "metric": [StrOptions({"euclidean", "manhattan"})],
        "prefit": ["boolean"],
    }

    @_fit_context(prefer_skip_nested_validation=False)
    @all_or_nothing
    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Self:
        """Fit the selector, unless it is, and take its scores for weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers.
        y : array-like of shape (n_samples,)
            What the selector takes.
        **fit_params : dict
            Handed to the selector's `fit`, such as ``sample_weight``.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        values = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if self.prefit:
            check_is_fitted(self.selector)
            self.selector_ = self.selector
        else:
            self.selector_ = clone(self.selector).fit(X, y, **fit_params)
        scale = getattr(self.selector_, "scale", "minmax")
        self.scale_ = spans_of(values, scale)
        self.weights_ = self._weights(values.shape[1])
        return self

    def _weights(self, d: int) -> Floats:
        """√s or s, the largest being 1."""
        scores = np.maximum(np.asarray(self.selector_.feature_importances_, float), 0)
        if scores.shape != (d,):
            raise ValueError(
                f"MarginScaler needs a score for each of {d} features, but "
                f"{type(self.selector_).__name__} was fitted to {len(scores)}."
            )
        if not scores.any():
            warn(
                "MarginScaler: no feature has a positive score, so all have the same "
                "weight."
            )
            return np.ones(d)
        scores /= scores.max()
        return scores if self.metric == "manhattan" else np.sqrt(scores)

    def transform(self, X: Any) -> Any:
        """Scale and weigh the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            With the columns that `fit` has seen.

        Returns
        -------
        X_weighted : array or frame of shape (n_samples, n_features)
            All features, those without a positive score being 0.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return X / self.scale_ * self.weights_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def spans_of(X: Floats, scale: str | None) -> Floats:
    """What the selector divides each feature by; 1 for a constant one."""
    low, high = X.min(axis=0), X.max(axis=0)
    if scale == "rank":
        raise ValueError(
            'MarginScaler: scale="rank" of the selector has no ranks for rows that '
            'fit has not seen. Use another scale, or scale="minmax" behind '
            "scikit-learn's QuantileTransformer."
        )
    if scale is None:
        return np.ones(X.shape[1])
    if scale == "standard":
        span = X.std(axis=0)
    else:
        span = high - low if scale == "minmax" else np.maximum(-low, high)
    return np.where(low == high, 1.0, span)
