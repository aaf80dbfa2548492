"""What every estimator of the package has: links, versions, checks, rollback.

Links lead from scikit-learn's HTML view of an estimator to its documentation; pickles
name the version that wrote them; parameters are checked, and a failed fit is undone.
"""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags, check_array, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin._sklearn import (
    Interval,
    InvalidParameterError,
    StrOptions,
    _check_feature_names_in,
    _get_output_config,
    _SelectorBase,
)
from widemargin._version import __version__
from widemargin.data.frames import (
    PRESERVED,
    data_frame,
    for_output,
    is_frame,
    is_sparse,
)
from widemargin.data.protocol import Floats, Ints
from widemargin.data.refuse import unwrapped
from widemargin.engine import on_dask
from widemargin.notices import warn

if TYPE_CHECKING:
    import pandas as pd

VARIABLE = "WIDEMARGIN_DOCS_URL"
PACKAGES = ("baselines", "evaluation")  # with public classes of their own
KEY = "_widemargin_version"  # in pickles
# Attributes whose last axis are the features.
PER_FEATURE = ("scores_", "scores_by_class_", "ranking_", "support_")
# What parameters may be.
AUTO = StrOptions({"auto"})
COUNT = Interval(numbers.Integral, 1, None, closed="left")
POSITIVE = Interval(numbers.Real, 0, None, closed="neither")
FRACTION = Interval(numbers.Real, 0, 1, closed="neither")
SHARE = Interval(numbers.Real, 0, 1, closed="right")  # all of them, too
GROUPS = [None, dict, "array-like", StrOptions({"prefix"})]  # of columns
N_JOBS = [None, Interval(numbers.Integral, None, -1, closed="right"), COUNT]

Fit = TypeVar("Fit", bound=Callable[..., Any])


class Documented:
    """Lets scikit-learn link an estimator to its page, wherever the site is.

    The address of the site is in the environment variable ``WIDEMARGIN_DOCS_URL``;
    without it there is no link. scikit-learn asks for the root module, and links
    nothing that belongs to another.
    """

    @property
    def _doc_link_module(self) -> str:
        parts = type(self).__module__.split(".")
        known = os.environ.get(VARIABLE) and "compat" not in parts
        return "widemargin" if known else ""

    @property
    def _doc_link_template(self) -> str:
        root, *rest = type(self).__module__.split(".")
        package = ".".join([root, *(p for p in rest[:1] if p in PACKAGES)])
        if type(self).__name__ == "AutoSelector":
            package = root
        site = os.environ.get(VARIABLE, "").rstrip("/")
        return f"{site}/api/generated/{package}.{{estimator_name}}.html"


class Versioned:
    """Warn if an object was pickled by another version of the package.

    Comes before scikit-learn's ``BaseEstimator`` among the bases of a class.
    """

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), KEY: __version__}  # type: ignore[dict-item]

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        written_by = state.pop(KEY, None)
        if written_by != __version__:
            name = type(self).__name__
            by = f"widemargin {written_by}" if written_by else "an earlier widemargin"
            warn(
                f"This {name} was pickled by {by}, and is read by {__version__}: "
                "attributes may have changed. Fit it again, or keep selections as JSON "
                "(widemargin.Selection), which every version reads."
            )
        super().__setstate__(state)  # type: ignore[misc]


class TableSelector(Versioned, Documented, _SelectorBase):
    """What a fitted selector does with tables, whichever way it selects."""

    # Whether it takes nominal features and missing values.
    _mixed = False

    # Whether it can be fitted to sparse X.
    _sparse = False

    # Parameters of some methods.
    categorical_features: Any
    n_features_to_select: Any
    n_neighbors: Any
    sigma: float
    weights: Any

    scores_: Floats
    scores_by_class_: Floats
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
    groups_: NDArray[Any] | None
    # (columns,) the feature of each column, where some are groups.
    _feature_of: Ints | None = None

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
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            With the columns that `fit` has seen.

        Returns
        -------
        X_r : array or frame of shape (n_samples, n_selected_features)
            The selected columns in their order, a frame if `set_output` asks for one,
            a Dask collection or sparse if X is.
        """
        check_is_fitted(self)  # first: names of features can only be compared then
        missing = self._allows_missing()
        X = unwrapped(X, type(self).__name__, missing=missing, sparse=True)
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
        groups, names = getattr(self, "groups_", None), _check_feature_names_in(self)
        order = np.argsort(self.ranking_, kind="stable")
        if groups is not None:  # one of the columns of each
            whole = len(groups) == len(order)  # from a fit that knows groups only
            names = groups if whole else groups[self._feature_of]
            order = np.unique(self.ranking_, return_index=True)[1]
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
        if not self._allows_missing() or is_sparse(X):
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

    def _by_column(self) -> Self:
        """Give each column what its feature has, after a fit to a caller's table."""
        of = self._feature_of
        if of is not None and len(self.scores_) < len(of):
            for name in (*PER_FEATURE, "gradient_"):
                if hasattr(self, name):
                    setattr(self, name, getattr(self, name)[..., of])
            if self.redundant_with_ is not None:
                first = np.append(np.unique(of, return_index=True)[1], -1)
                self.redundant_with_ = first[self.redundant_with_[of]]
        return self

    def _by_feature(self) -> Self:
        """A copy that has, as a fit to a grouped dataset has, one entry per feature."""
        twin, of = copy(self), self._feature_of
        if of is not None and len(self.scores_) == len(of):
            first = np.unique(of, return_index=True)[1]
            for name in PER_FEATURE:
                if hasattr(self, name):
                    setattr(twin, name, getattr(self, name)[..., first])
        return twin

    def _forget(self, *attributes: str) -> None:
        """Remove what only another fit may have found."""
        for name in attributes:
            self.__dict__.pop(name, None)

    @property
    def _n_scored(self) -> int:
        """How many features there are, groups of columns counting as one."""
        groups = getattr(self, "groups_", None)
        return self.n_features_in_ if groups is None else len(groups)

    def _wanted(self) -> int:
        """How many features the caller asks for; may be more than there are.

        With "auto", that is all: any number of them may turn out to be the best.
        """
        d, wanted = self._n_scored, self.n_features_to_select
        if wanted is None:
            return max(1, d // 2)
        if isinstance(wanted, str):
            return d
        if isinstance(wanted, numbers.Integral):
            return int(wanted)
        return max(1, int(wanted * d))

    def _allows_missing(self) -> bool:
        return get_tags(self).input_tags.allow_nan

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = list(PRESERVED)
        tags.input_tags.allow_nan, tags.input_tags.sparse = self._mixed, self._sparse
        tags.input_tags.categorical = tags.input_tags.string = self._mixed
        return tags


def all_or_nothing(fit: Fit) -> Fit:
    """Let a fit that fails, or is interrupted, leave the estimator as it was."""

    @wraps(fit)
    def whole_fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = vars(self).copy()
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            self.__dict__ = before  # a single step, which Ctrl-C cannot divide
            raise

    return cast(Fit, whole_fit)


def refuse_booleans(estimator: Any) -> None:
    """Refuse True where a number is wanted, though Python counts it as 1."""
    for name, value in estimator.get_params(deep=False).items():
        allowed = estimator._parameter_constraints.get(name, ["boolean"])
        flag = any(isinstance(c, str) and c in ("boolean", "verbose") for c in allowed)
        if isinstance(value, bool) and not flag:
            raise InvalidParameterError(
                f"The {name!r} parameter of {type(estimator).__name__} must not be a "
                f"boolean. Got {value} instead."
            )


def refuse_keywords(name: str, unknown: dict[str, Any]) -> None:
    """Refuse what scikit-learn's `fit` may take besides X and y."""
    if unknown:
        (first, *_) = unknown
        raise TypeError(f"{name}.fit() got an unexpected keyword argument {first!r}.")
