"""skrebate's classes on this package's engine: change the import, and nothing else.

Parameters are those of skrebate 0.8, and ``discrete_threshold`` of 0.6 and 0.7, which
stands for both of its thresholds. Scores are those of this package: see
``docs/coming-from/skrebate.md`` for where and why they differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from widemargin.compat._wrapping import (
    RebateWrapper,
    Wrapper,
    kept_in_rounds,
    no_more_than,
)
from widemargin.selectors import multisurf, relieff, rrelieff, surf, turf

__all__ = ["SURF", "TURF", "MultiSURF", "MultiSURFstar", "ReliefF", "SURFstar", "TuRF"]


@dataclass(eq=False, repr=False)
class ReliefF(RebateWrapper):
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

    def _selector(self, n: int, numeric: bool) -> Any:
        k = self.n_neighbors
        if isinstance(k, float):
            k = max(1, int(k * n * 0.5))
        if numeric:
            return rrelieff.RReliefF(n_neighbors=k, weights="uniform")
        return relieff.ReliefF(n_neighbors=k)


@dataclass(eq=False, repr=False)
class SURF(RebateWrapper):
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

    def _selector(self, n: int, numeric: bool) -> Any:
        task = "regression" if numeric else "classification"
        return self._class(task=task)


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


@dataclass(eq=False, repr=False)
class TURF(Wrapper):
    """TURF of skrebate 0.7 and later, by `widemargin.TuRF`.

    Parameters
    ----------
    relief_object : selector
        One of the classes of this module.
    pct : float or int, default=0.5
        Share of the features left, or number of features, to drop in a round.
    num_scores_to_return : int, default=100
        Features are dropped until as many are left.

    Attributes
    ----------
    feature_importances_ : array of shape (n_features,)
        Scores of the last round; features dropped earlier follow below, in equal steps.
    top_features_ : array of shape (n_features,)
        All columns, best first.
    """

    relief_object: Any
    pct: float | int = 0.5
    num_scores_to_return: int = 100

    def fit(self, X: Any, y: Any) -> Self:
        """Score the features in rounds.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers or categories; missing values are allowed.
        y : array-like of shape (n_samples,)
            Classes or numbers.

        Returns
        -------
        self : object
            The fitted selector.
        """
        inner = kept_in_rounds(self.relief_object)
        wanted = max(1, int(self.num_scores_to_return))
        self.selector_ = turf.TuRF(inner, wanted, drop=self.pct).fit(X, y)
        self._take(self.selector_.scores_, self.selector_.ranking_)
        return self

    def _n_selected(self) -> int:
        wanted = self.relief_object.n_features_to_select
        return int(no_more_than(self.n_features_in_, wanted))


@dataclass(eq=False, repr=False)
class TuRF(Wrapper):
    """TuRF of skrebate 0.6, by `widemargin.TuRF`.

    Parameters
    ----------
    core_algorithm : {"ReliefF", "SURF", "SURFstar", "MultiSURF", "MultiSURFstar"}
        What ranks the features that are left, in capitals or not.
    n_features_to_select : int, default=10
        How many features `transform` keeps.
    n_neighbors : int or float, default=100
        For "ReliefF".
    pct : float, default=0.5
        Share of the features left that is dropped in a round.
    discrete_threshold : int, default=10
        A feature with at most as many different values is nominal, and so many
        different labels are classes.
    verbose : bool, default=False
        Show progress.
    n_jobs : int, default=1
        Threads; −1 uses all cores.

    Attributes
    ----------
    feature_importances_ : array of shape (n_features,)
        Scores of the last round; features dropped earlier follow below, in equal steps.
    top_features_ : array of shape (n_features,)
        All columns, best first.
    """

    core_algorithm: str
    n_features_to_select: int = 10
    n_neighbors: int | float = 100
    pct: float = 0.5
    discrete_threshold: int = 10
    verbose: bool = False
    n_jobs: int = 1

    def fit(self, X: Any, y: Any, headers: Any = None) -> Self:
        """Score the features in rounds.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers or categories; missing values are allowed.
        y : array-like of shape (n_samples,)
            Classes or numbers.
        headers : list or None, default=None
            Not in use: columns are told apart by their place.

        Returns
        -------
        self : object
            The fitted selector.
        """
        cores = {c.__name__.lower(): c for c in CORES}
        name = str(self.core_algorithm).lower()
        if name not in cores:
            raise ValueError(
                "TuRF needs a core_algorithm of "
                f"{', '.join(c.__name__ for c in CORES)}, got {self.core_algorithm!r}."
            )
        core = cores[name](
            discrete_threshold=self.discrete_threshold, n_jobs=self.n_jobs
        )
        if name == "relieff":
            core.set_params(n_neighbors=self.n_neighbors)
        self.selector_ = turf.TuRF(
            kept_in_rounds(core),
            int(self.n_features_to_select),
            drop=self.pct,
            verbose=int(self.verbose),
        ).fit(X, y)
        self._take(self.selector_.scores_, self.selector_.ranking_)
        return self

    def fit_transform(self, X: Any, y: Any = None, headers: Any = None) -> Any:
        """Fit to X and y, and reduce X.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers or categories; missing values are allowed.
        y : array-like of shape (n_samples,)
            Classes or numbers.
        headers : list or None, default=None
            Not in use.

        Returns
        -------
        X_reduced : array or frame of shape (n_samples, n_features_to_select)
            The selected columns.
        """
        return self.fit(X, y, headers).transform(X)

    def _n_selected(self) -> int:
        return self.n_features_to_select


CORES = (ReliefF, SURF, SURFstar, MultiSURF, MultiSURFstar)


def __dir__() -> list[str]:
    return sorted(__all__)
