"""skrebate's selectors that rank all features at once; see `skrebate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from widemargin.compat._wrapping import Wrapper, discrete
from widemargin.selectors import multisurf, relieff, rrelieff, surf

LABEL_TYPES = ("binary", "multiclass", "continuous")


class _Rebate(Wrapper):
    """Base class: which features are nominal, and whether y is a number."""

    n_features_to_select: int
    categorical_features: Any
    categorical_threshold: int
    multiclass_threshold: int
    discrete_threshold: int | None
    verbose: bool
    n_jobs: int
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
        common = {
            "metric": "manhattan",
            "categorical_features": nominal,
            "n_jobs": self.n_jobs,
            "verbose": int(self.verbose),
        }
        selector = self._selector(len(y), self._numeric(y), common)
        selector.n_features_to_select = min(self.n_features_to_select, len(nominal))
        self.selector_ = selector.fit(X, y)
        self._take(selector.scores_, absolute=self.rank_absolute)
        return self

    def _selector(self, n: int, numeric: bool, common: dict[str, Any]) -> Any:
        """The selector of this package for n rows."""
        raise NotImplementedError

    def _nominal(self, X: Any) -> Any:
        """Mask of the features that differ by 0 or 1."""
        limit = self.categorical_threshold
        if self.discrete_threshold is not None:
            limit = self.discrete_threshold
        few = discrete(X, limit)
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
        limit = self.multiclass_threshold
        if self.discrete_threshold is not None:
            limit = self.discrete_threshold
        return len(set(np.asarray(y).tolist())) > max(limit, 2)

    def _n_selected(self) -> int:
        if self.n_features_to_select > self.n_features_in_:
            raise ValueError(
                f"n_features_to_select={self.n_features_to_select} is larger than the "
                f"number of features, {self.n_features_in_}."
            )
        return self.n_features_to_select


@dataclass(eq=False, repr=False)
class ReliefF(_Rebate):
    """ReliefF of skrebate, by `widemargin.ReliefF` and `widemargin.RReliefF`.

    Parameters
    ----------
    n_features_to_select : int, default=10
        How many features `transform` keeps.
    n_neighbors : int or float, default=100
        Neighbours of each class; a float is the share of the rows that are neighbours,
        half of them hits and half misses.
    categorical_features : list of int or None, default=None
        Columns that are nominal; None leaves it to ``categorical_threshold``.
    categorical_threshold : int, default=10
        A feature with at most as many different values is nominal.
    multiclass_threshold : int, default=10
        More different labels than that are numbers to predict.
    verbose : bool, default=False
        Show progress.
    n_jobs : int, default=1
        Threads; −1 uses all cores.
    weight_final_scores : bool, default=False
        Not in use: `fit` takes no weights.
    rank_absolute : bool, default=False
        Rank by the absolute value of the scores.
    label_type : {"binary", "multiclass", "continuous"} or None, default=None
        What y holds; None leaves it to ``multiclass_threshold``.
    discrete_threshold : int or None, default=None
        Stands for both thresholds, as in skrebate 0.6.

    Attributes
    ----------
    feature_importances_ : array of shape (n_features,)
        Higher is better.
    top_features_ : array of shape (n_features,)
        All columns, best first.
    selector_ : selector
        The selector of this package that did the work.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.compat.skrebate import ReliefF
    >>> X, y = load_iris(return_X_y=True)
    >>> ReliefF(n_features_to_select=2, n_neighbors=0.1).fit(X, y).top_features_
    array([3, 2, 0, 1])
    """

    n_features_to_select: int = 10
    n_neighbors: int | float = 100
    categorical_features: Any = None
    categorical_threshold: int = 10
    multiclass_threshold: int = 10
    verbose: bool = False
    n_jobs: int = 1
    weight_final_scores: bool = False
    rank_absolute: bool = False
    label_type: str | None = None
    discrete_threshold: int | None = None

    def _selector(self, n: int, numeric: bool, common: dict[str, Any]) -> Any:
        k = self.n_neighbors
        if isinstance(k, float):
            k = max(1, int(k * n * 0.5))
        if numeric:
            return rrelieff.RReliefF(n_neighbors=k, weights="uniform", **common)
        return relieff.ReliefF(n_neighbors=k, **common)


@dataclass(eq=False, repr=False)
class SURF(_Rebate):
    """SURF of skrebate, by `widemargin.SURF`.

    Parameters
    ----------
    n_features_to_select : int, default=10
        How many features `transform` keeps.
    categorical_features : list of int or None, default=None
        Columns that are nominal; None leaves it to ``categorical_threshold``.
    categorical_threshold : int, default=10
        A feature with at most as many different values is nominal.
    multiclass_threshold : int, default=10
        More different labels than that are numbers to predict.
    verbose : bool, default=False
        Show progress.
    n_jobs : int, default=1
        Threads; −1 uses all cores.
    weight_final_scores : bool, default=False
        Not in use: `fit` takes no weights.
    rank_absolute : bool, default=False
        Rank by the absolute value of the scores.
    label_type : {"binary", "multiclass", "continuous"} or None, default=None
        What y holds; None leaves it to ``multiclass_threshold``.
    discrete_threshold : int or None, default=None
        Stands for both thresholds, as in skrebate 0.6.

    Attributes
    ----------
    feature_importances_ : array of shape (n_features,)
        Higher is better.
    top_features_ : array of shape (n_features,)
        All columns, best first.
    selector_ : selector
        The selector of this package that did the work.
    """

    n_features_to_select: int = 10
    categorical_features: Any = None
    categorical_threshold: int = 10
    multiclass_threshold: int = 10
    verbose: bool = False
    n_jobs: int = 1
    weight_final_scores: bool = False
    rank_absolute: bool = False
    label_type: str | None = None
    discrete_threshold: int | None = None

    _class: ClassVar[Any] = surf.SURF

    def _selector(self, n: int, numeric: bool, common: dict[str, Any]) -> Any:
        task = "regression" if numeric else "classification"
        return self._class(task=task, **common)


class SURFstar(SURF):
    """SURFstar of skrebate, by `widemargin.SURFStar`.

    Parameters and attributes are those of `SURF`.
    """

    _class = surf.SURFStar


class MultiSURF(SURF):
    """MultiSURF of skrebate, by `widemargin.MultiSURF`.

    Parameters and attributes are those of `SURF`.
    """

    _class = multisurf.MultiSURF


class MultiSURFstar(SURF):
    """MultiSURFstar of skrebate, by `widemargin.MultiSURFStar`.

    Parameters and attributes are those of `SURF`.
    """

    _class = multisurf.MultiSURFStar
