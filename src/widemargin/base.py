"""`MarginSelector`: validate, score, rank, select, the same way for every method."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, _fit_context
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from widemargin.notices import warn
from widemargin.progress import progress
from widemargin.table import Floats, Ints, Table, build, validate, visiting_order
from widemargin.threads import Workers, thread_count


class About(NamedTuple):
    """What a reader chooses a method by; see `widemargin.methods`."""

    paper: str
    cost: str  # for n samples and d features
    needs: str = "classes"
    gives: str = "ranking"


SMALL = 10**7  # differences between rows, below which threads cost more than they save


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

    # Whether the method makes use of an order of the classes.
    _ordered_classes = False

    _about: About

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
            Class labels: numbers, strings, booleans or categories. Methods for ordered
            classes take numbers or ordered categories.

        Returns
        -------
        self
        """
        X, y, classes = validate(
            self,
            X,
            y,
            labels=self._uses_labels(y),
            ordered=self._ordered_classes,
        )
        small = X.shape[0] ** 2 * X.shape[1] < SMALL
        n_threads = 1 if small else thread_count(self.n_jobs)
        with Workers(n_threads, self.verbose) as workers:
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


class AscentSelector(MarginSelector):
    """Base class of the selectors that ascend a margin from several random orders.

    A method calls ``_ascend`` with what it does in one pass and with its e(w).
    """

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "max_iter": [Interval(numbers.Integral, 1, None, closed="left")],
        "n_starts": [Interval(numbers.Integral, 1, None, closed="left")],
        "batch_size": [Interval(numbers.Integral, 1, None, closed="left")],
        "order": ["array-like", None],
        "random_state": ["random_state"],
    }

    max_iter: int
    n_starts: int
    batch_size: int
    order: Any
    random_state: Any

    def _ascend(
        self,
        table: Table,
        seeds: Ints,
        visit: Callable[[Floats, Ints, Ints], None],
        e: Callable[[Floats], float],
        workers: Workers,
    ) -> Floats:
        """Scores of the start that reaches the highest e(w), all starts side by side.

        ``visit(w, visits, seeds)`` makes one pass, moving w; seeds, the neighbours
        where its search begins, are its own to change.
        """
        d, name = table.X.shape[1], type(self).__name__
        orders = self._orders(table)
        paths = np.empty((len(orders), self.max_iter, d))
        with progress(name, paths[..., 0].size, self.verbose) as advance:

            def climb(start: int) -> None:
                w, mine = np.ones(d), seeds.copy()
                for t, visits in enumerate(orders[start]):
                    visit(w, visits, mine)
                    paths[start, t] = w
                    advance()

            workers.run(climb, range(len(orders)))

        largest = np.abs(paths).max(axis=2, keepdims=True)
        normal = paths / np.where(largest > 0, largest, 1.0)
        self.history_ = np.array([[e(w) for w in path] for path in normal])
        best = int(np.argmax(self.history_[:, -1]))
        self.weights_ = paths[best, -1]
        self.margin_ = float(self.history_[best, -1])
        self.n_iter_ = self.max_iter
        return squared_share(table, self.weights_)

    def _orders(self, table: Table) -> list[list[Ints]]:
        """Rows of the table to visit, for each start and pass."""
        if self.order is not None:
            visits = visiting_order(table, self.order, type(self).__name__)
            return [[visits] * self.max_iter]
        n, random = len(table.X), check_random_state(self.random_state)
        return [
            [table.positions(random.permutation(n)) for _ in range(self.max_iter)]
            for _ in range(self.n_starts)
        ]


def squared_share(table: Table, w: Floats) -> Floats:
    """w² / max(w²), the score of a weight; 0 for a constant feature."""
    squares = np.where(table.constant, 0.0, w**2)
    return squares / max(squares.max(), np.finfo(float).tiny)


def separation_ratio(between: Floats, within: Floats) -> Floats:
    """Finite between/within for each feature, also where nothing varies within.

    With within = 0 < between a feature is perfect: it scores above all others, the
    more the larger its between is. Where both are 0 a feature says nothing: it scores
    just below 0, so that it ranks behind those that fail to separate.
    """
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        scores = between / within
    # Beyond this border a quotient of rounding errors may become infinite.
    perfect = (between > 0) & ~(scores < 1e300)
    scores[(between == 0) & (within == 0)] = -np.finfo(np.float64).tiny
    if perfect.any():
        best = scores[~perfect].max(initial=0.0) or 1.0
        top = between[perfect]
        scores[perfect] = best * (1 + top / top.max())
    return scores
