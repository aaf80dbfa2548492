"""fast-select's Relief classes on this package's engine: change the import only.

Parameters are those of fast-select 0.3. Scores are those of this package, in double
precision: see ``docs/coming-from/skrebate.md`` for where and why they differ. There is
no GPU: the backends "auto" and "cpu" are the same.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from widemargin._sklearn import _safe_indexing
from widemargin.compat._wrapping import Wrapper, as_table, discrete, kept_in_rounds
from widemargin.data.protocol import Ints
from widemargin.selectors import multisurf, relieff, surf, turf

__all__ = ["SURF", "MultiSURF", "ReliefF", "TuRF"]


class _Fast(Wrapper):
    """Base class: how many features to keep, and which are nominal."""

    n_features_to_select: int | float
    discrete_limit: int
    backend: str

    def fit(self, X: Any, y: Any) -> Self:
        """Score the features.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers or categories; missing values are allowed.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted selector.
        """
        self._check_backend()
        X = as_table(X)
        self.is_discrete_ = discrete(X, self.discrete_limit)
        n_selected = _number(self.n_features_to_select, X.shape[1])
        selector = self._selector()
        self._fit_selector(selector, X, y, n_selected, self.is_discrete_)
        self.classes_ = np.unique(np.asarray(y))
        self._take(selector.scores_, -selector.scores_)
        self.top_features_ = self.top_features_[:n_selected]
        return self

    def _selector(self) -> Any:
        raise NotImplementedError

    def _check_backend(self) -> None:
        if self.backend == "gpu":
            raise RuntimeError(
                f"{type(self).__name__} has no backend='gpu' here. Use 'cpu' or 'auto'."
            )
        if self.backend not in ("auto", "cpu"):
            raise ValueError(
                f"{type(self).__name__} needs a backend of 'auto' or 'cpu', got "
                f"{self.backend!r}."
            )
        self.effective_backend_ = "cpu"


@dataclass(eq=False, repr=False)
class ReliefF(_Fast):
    """ReliefF of fast-select, by `widemargin.ReliefF`.

    Parameters
    ----------
    n_features_to_select : int or float, default=0.2
        How many features to keep, or which share of them.
    discrete_limit : int, default=10
        A feature with at most as many different values is nominal.
    n_neighbors : int, default=3
        Neighbours of each class.
    backend : {"auto", "cpu"}, default="auto"
        There is no "gpu".
    verbose : bool, default=False
        Show progress.
    n_jobs : int, default=-1
        Threads; −1 uses all cores.

    Attributes
    ----------
    feature_importances_ : array of shape (n_features,)
        Higher is better.
    top_features_ : array of shape (n_features_to_select,)
        The features kept, best first.
    is_discrete_ : array of shape (n_features,)
        Which features are nominal.
    selector_ : selector
        The selector of this package that did the work.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.compat.fast_select import ReliefF
    >>> X, y = load_iris(return_X_y=True)
    >>> ReliefF(n_features_to_select=2, n_neighbors=10).fit(X, y).top_features_
    array([3, 2])
    """

    n_features_to_select: int | float = 0.2
    discrete_limit: int = 10
    n_neighbors: int = 3
    backend: str = "auto"
    verbose: bool = False
    n_jobs: int = -1

    def _selector(self) -> Any:
        return relieff.ReliefF(n_neighbors=self.n_neighbors)


@dataclass(eq=False, repr=False)
class SURF(_Fast):
    """SURF of fast-select, by `widemargin.SURF` or `widemargin.SURFStar`.

    Parameters
    ----------
    n_features_to_select : int or float, default=0.2
        How many features to keep, or which share of them.
    backend : {"auto", "cpu"}, default="auto"
        There is no "gpu".
    use_star : bool, default=False
        Whether far rows count, too.
    discrete_limit : int, default=10
        A feature with at most as many different values is nominal.
    n_jobs : int, default=-1
        Threads; −1 uses all cores.
    verbose : bool, default=False
        Show progress.

    Attributes
    ----------
    feature_importances_ : array of shape (n_features,)
        Higher is better.
    top_features_ : array of shape (n_features_to_select,)
        The features kept, best first.
    is_discrete_ : array of shape (n_features,)
        Which features are nominal.
    selector_ : selector
        The selector of this package that did the work.
    """

    n_features_to_select: int | float = 0.2
    backend: str = "auto"
    use_star: bool = False
    discrete_limit: int = 10
    n_jobs: int = -1
    verbose: bool = False

    _classes: ClassVar[Any] = (surf.SURF, surf.SURFStar)

    def _selector(self) -> Any:
        return self._classes[bool(self.use_star)]()


class MultiSURF(SURF):
    """MultiSURF of fast-select, by `widemargin.MultiSURF` or `MultiSURFStar`.

    Parameters and attributes are those of `SURF`; ``evaluated_features_`` are the
    columns that `fit` has looked at.
    """

    _classes = (multisurf.MultiSURF, multisurf.MultiSURFStar)

    def fit(self, X: Any, y: Any, feat_idx: Any = None) -> Self:
        """Score the features.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers or categories; missing values are allowed.
        y : array-like of shape (n_samples,)
            Class labels.
        feat_idx : array of int or None, default=None
            Columns to look at; the others score 0 and are not kept.

        Returns
        -------
        self : object
            The fitted selector.
        """
        X = as_table(X)
        if feat_idx is None:
            self.evaluated_features_ = np.arange(X.shape[1])
            return super().fit(X, y)
        columns: Ints = np.asarray(feat_idx, np.int64)
        self.evaluated_features_ = columns
        super().fit(_safe_indexing(X, columns, axis=1), y)
        scores, kinds = np.zeros(X.shape[1]), discrete(X, self.discrete_limit)
        scores[columns] = self.feature_importances_
        self.feature_importances_, self.is_discrete_ = scores, kinds
        self.top_features_ = columns[self.top_features_]
        self.n_features_in_ = X.shape[1]
        return self

    def fit_transform(self, X: Any, y: Any = None, feat_idx: Any = None) -> Any:
        """Fit to X and y, and reduce X.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers or categories; missing values are allowed.
        y : array-like of shape (n_samples,)
            Class labels.
        feat_idx : array of int or None, default=None
            As in `fit`.

        Returns
        -------
        X_reduced : array or frame of shape (n_samples, n_features_to_select)
            The selected columns.
        """
        return self.fit(X, y, feat_idx).transform(X)


@dataclass(eq=False, repr=False)
class TuRF(Wrapper):
    """TuRF of fast-select, by `widemargin.TuRF`.

    Parameters
    ----------
    estimator : selector
        Ranks the features that are left. It is not changed.
    n_features_to_select : int, default=10
        How many features to keep.
    pct_remove : float, default=0.1
        Share of the features left that is dropped in a round.
    n_iterations : int or None, default=None
        Rounds, at most, after which more features than asked for may be left; None
        goes on to ``n_features_to_select``.
    verbose : bool, default=False
        Show progress.

    Attributes
    ----------
    feature_importances_ : array of shape (n_features,)
        Scores among all features, as in the first round.
    top_features_ : array of shape (n_features_to_select,)
        The features kept, by column.
    """

    estimator: Any
    n_features_to_select: int = 10
    pct_remove: float = 0.1
    n_iterations: int | None = None
    verbose: bool = False

    def fit(self, X: Any, y: Any) -> Self:
        """Score the features in rounds.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers or categories; missing values are allowed.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted selector.
        """
        inner = kept_in_rounds(self.estimator)
        whole = clone(inner).fit(X, y)
        scores = np.asarray(whole.feature_importances_, np.float64)
        self._take(scores, -scores)
        self.selector_ = turf.TuRF(
            inner,
            self._left(self.n_features_in_),
            drop=self.pct_remove,
            verbose=int(self.verbose),
        ).fit(X, y)
        self.top_features_ = np.flatnonzero(self.selector_.support_)
        return self

    def _left(self, d: int) -> int:
        """How many of d features are left after all rounds."""
        wanted, rounds = int(self.n_features_to_select), self.n_iterations
        while d > wanted and (rounds is None or rounds > 0):
            d = max(wanted, d - max(1, int(d * self.pct_remove)))
            rounds = None if rounds is None else rounds - 1
        return d


def _number(wanted: int | float, d: int) -> int:
    """How many of d features are wanted."""
    if isinstance(wanted, bool) or not isinstance(wanted, numbers.Real):
        raise TypeError(
            f"n_features_to_select must be an int or a float, got {wanted!r}."
        )
    whole = isinstance(wanted, numbers.Integral)
    if not 0 < wanted <= (d if whole else 1):
        raise ValueError(
            f"n_features_to_select must be from 1 to {d}, the number of features, or a "
            f"share above 0 and up to 1, got {wanted!r}."
        )
    return int(wanted) if whole else max(1, int(wanted * d))


def __dir__() -> list[str]:
    return sorted(__all__)
