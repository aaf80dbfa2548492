"""skrebate's classes on this package's engine: change the import, and nothing else.

Parameters are those of skrebate 0.8, and ``discrete_threshold`` of 0.6 and 0.7, which
stands for both of its thresholds. Scores are those of this package: see
``docs/coming-from/skrebate.md`` for where and why they differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from widemargin.compat._rebate import SURF, MultiSURF, MultiSURFstar, ReliefF, SURFstar
from widemargin.compat._wrapping import Wrapper, kept_in_rounds
from widemargin.data.protocol import Floats, Ints
from widemargin.selectors import turf

__all__ = ["SURF", "TURF", "MultiSURF", "MultiSURFstar", "ReliefF", "SURFstar", "TuRF"]


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
        _take_ranking(self, self.selector_)
        return self

    def _n_selected(self) -> int:
        if self.relief_object.n_features_to_select > self.n_features_in_:
            raise ValueError(
                f"n_features_to_select={self.relief_object.n_features_to_select} is "
                f"larger than the number of features, {self.n_features_in_}."
            )
        return int(self.relief_object.n_features_to_select)


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
        _take_ranking(self, self.selector_)
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


def _take_ranking(wrapper: Any, fitted: turf.TuRF) -> None:
    scores: Floats = fitted.scores_
    order: Ints = np.argsort(fitted.ranking_)
    wrapper.feature_importances_ = scores
    wrapper.top_features_ = order
    wrapper.n_features_in_ = len(scores)


def __dir__() -> list[str]:
    return sorted(__all__)
