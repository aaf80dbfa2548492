"""Rankings compared over repeated splits, with a random ranking as control.

A *ranker* is a function of ``(X, y, seed)`` that returns the features, best first:
``ranked(Simba, n_starts=10)`` makes one of a selector. `compare_rankings` gives every
ranker the same training rows and the same test rows, so that differences are paired.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from evidence.framework.results import Results
from widemargin.judging.nearest import NearestNeighbor

RANDOM = "random"

Array = NDArray[Any]
Ranker = Any  # (X, y, seed) → features, best first; or a `Sized`
# X, y, training rows, test rows, features best first, sizes → accuracy for each size
Judge = Callable[[Array, Array, Array, Array, Array, Array], Array]


def ranked(make: Callable[..., Any], **parameters: Any) -> Ranker:
    """A ranker that fits a selector with these parameters."""

    def rank(X: Array, y: Array, seed: int) -> Array:
        selector = make(**parameters)
        if "random_state" in selector.get_params():
            selector.set_params(random_state=seed)
        return np.argsort(selector.fit(X, y).ranking_, kind="stable")

    return rank


class Sized(ABC):
    """A ranker with a ranking for each size: its sets are not nested."""

    @abstractmethod
    def orders(self, X: Array, y: Array, seed: int, sizes: Array) -> list[Array]:
        """For each size k, features of which the first k are the set of that size."""


class Fitted(Sized):
    """What a ranker makes of some rows, for several judges of the same split."""

    def __init__(
        self, rank: Ranker, X: Array, y: Array, seed: int, sizes: Array
    ) -> None:
        if isinstance(rank, Sized):
            self.known = rank.orders(X, y, seed, sizes)
        else:
            self.known = [rank(X, y, seed)] * len(sizes)

    def orders(self, X: Array, y: Array, seed: int, sizes: Array) -> list[Array]:
        """The same again."""
        return self.known


def at_random(X: Array, y: Array, seed: int) -> Array:
    """The control: features in random order."""
    return np.random.default_rng(seed + 7919).permutation(X.shape[1])


def nearest_neighbor(scale: str | None = "minmax") -> Judge:
    """1-NN, for all sizes in one sweep; rows scaled by the training rows.

    Equally near rows vote, then the more frequent class wins, so that the order of the
    rows plays no part.
    """

    def judge(
        X: Array, y: Array, train: Array, test: Array, order: Array, sizes: Array
    ) -> Array:
        codes = np.unique(y, return_inverse=True)[1].astype(np.int64)
        X = np.asarray(X, np.float64)
        order = np.asarray(order, np.int64)[: sizes[-1]]
        nearest = NearestNeighbor(scale=scale).fit(X[train], codes[train])
        predicted = nearest.predicted(X[test], order, np.asarray(sizes))
        return np.mean(predicted == codes[test], axis=1)

    return judge


def classifier(estimator: Any) -> Judge:
    """A classifier of scikit-learn, fitted anew for each size."""

    def judge(
        X: Array, y: Array, train: Array, test: Array, order: Array, sizes: Array
    ) -> Array:
        found = []
        for k in sizes:
            columns = order[:k]
            fitted = clone(estimator).fit(X[train][:, columns], y[train])
            found.append(np.mean(fitted.predict(X[test][:, columns]) == y[test]))
        return np.array(found)

    return judge


def compare_rankings(
    X: Array,
    y: Array,
    rankers: Mapping[str, Ranker],
    split: tuple[Array, Array],
    seed: int,
    *,
    judge: Judge | None = None,
    sizes: Sequence[int] | None = None,
    keep: Sequence[int] | None = None,
    inner: int = 3,
    first: int = 20,
) -> dict[str, Any]:
    """Rank on the training rows, judge every top-k on the test rows.

    Parameters
    ----------
    X, y : arrays
    rankers : dict of str to ranker
        A random ranking is added to them.
    split : (training rows, test rows)
    seed : int
    judge : callable, optional
        `nearest_neighbor` on scaled rows by default, or made by `classifier`.
    sizes : sequence of int, optional
        Sizes to judge, ascending; all by default.
    keep : sequence of int, optional
        Those of the sizes whose accuracy is kept in ``curve``; all by default. Mean and
        best are of all sizes.
    inner : int, default=3
        Folds of the training rows in which the honest k is chosen, with the ranking
        inside them; 1 takes one split, a third of the rows held out; 0 chooses none.
    first : int, default=20
        Features to keep in ``order``.

    Returns
    -------
    result : dict
        ``result[name]`` has ``curve``, accuracy by size; ``mean`` over the sizes;
        ``best_k`` and ``best``, chosen on the test rows, as papers do; ``honest_k`` and
        ``honest``, the accuracy on the test rows of the k that the training rows choose
        (the smallest with the highest accuracy); ``order``, the first features.
    """
    judge = judge or nearest_neighbor()
    train = split[0]
    grid = np.arange(1, X.shape[1] + 1) if sizes is None else np.asarray(sizes)
    kept = np.isin(grid, grid if keep is None else keep)
    found = {}
    for name, rank in {**rankers, RANDOM: at_random}.items():
        order, curve = _judged(X, y, rank, split, seed, judge, grid)
        best = int(np.argmax(curve))
        found[name] = {
            "curve": curve[kept],
            "mean": float(curve.mean()),
            "best_k": int(grid[best]),
            "best": float(curve[best]),
            "order": order[:first],
        }
        if inner:
            k = _honest(X, y, rank, train, seed, judge, grid, inner)
            found[name] |= {"honest_k": int(grid[k]), "honest": float(curve[k])}
    return found


def _honest(
    X: Array,
    y: Array,
    rank: Ranker,
    train: Array,
    seed: int,
    judge: Judge,
    grid: Array,
    inner: int,
) -> int:
    """Place of the size that folds of the training rows like best."""
    total = np.zeros(len(grid))
    for part, held in _inner_folds(y[train], inner, seed):
        inside = train[part], train[held]
        total += _judged(X, y, rank, inside, seed, judge, grid)[1]
    return int(np.argmax(total))


def _judged(
    X: Array,
    y: Array,
    rank: Ranker,
    split: tuple[Array, Array],
    seed: int,
    judge: Judge,
    grid: Array,
) -> tuple[Array, Array]:
    """Features, best first, and the accuracy for each size."""
    train, test = split
    if not isinstance(rank, Sized):
        order = rank(X[train], y[train], seed)
        return order, judge(X, y, train, test, order, grid)
    orders = rank.orders(X[train], y[train], seed, grid)
    curve = [
        judge(X, y, train, test, order, np.array([k]))[0]
        for order, k in zip(orders, grid, strict=True)
    ]
    return orders[0], np.array(curve)


def _inner_folds(y: Array, inner: int, seed: int) -> list[tuple[Array, Array]]:
    blank = np.zeros(len(y))
    if inner == 1:
        one = StratifiedShuffleSplit(1, test_size=1 / 3, random_state=seed)
        return list(one.split(blank, y))
    folds = StratifiedKFold(inner, shuffle=True, random_state=seed)
    return list(folds.split(blank, y))


@dataclass(frozen=True)
class Paired:
    """Differences of two methods over the same splits.

    Attributes
    ----------
    mean, sd : float
        Of the differences, first minus second.
    wins, losses, ties : int
    """

    mean: float
    sd: float
    wins: int
    losses: int
    ties: int

    @classmethod
    def of(cls, first: Any, second: Any) -> Paired:
        """Compare two methods, split by split."""
        d = np.asarray(first, float) - np.asarray(second, float)
        sd = float(d.std(ddof=1)) if len(d) > 1 else 0.0
        wins, losses = int(np.sum(d > 0)), int(np.sum(d < 0))
        return cls(float(d.mean()), sd, wins, losses, len(d) - wins - losses)

    @property
    def n(self) -> int:
        """Splits."""
        return self.wins + self.losses + self.ties

    @property
    def better(self) -> bool:
        """Whether the first is better: on average, and in more splits than not."""
        return self.mean > 0 and self.wins > self.losses

    @property
    def clear(self) -> bool:
        """Whether the first is better by more than two standard errors.

        Splits share rows, so that this is generous.
        """
        return self.mean > 0 and self.mean > 2 * self.sd / self.n**0.5

    @property
    def short(self) -> str:
        """For a table: points, and splits won and lost."""
        return f"{self._points}\N{NO-BREAK SPACE}({self.wins}:{self.losses})"

    def __str__(self) -> str:
        return f"{self._points} points, {self.wins} won {self.losses} lost"

    @property
    def _points(self) -> str:
        return f"{signed(100 * self.mean)} ± {100 * self.sd:.1f}"


SHORT = "points ± sd (won:lost)"  # what `Paired.short` shows, for a note


def signed(points: float) -> str:
    """One digit with its sign; a difference that rounds to 0 is +0.0."""
    return f"{round(points, 1) + 0.0:+.1f}"


def mean_sd(values: Any, digits: int = 1, scale: float = 100.0) -> str:
    """Mean ± standard deviation, as percent unless scaled otherwise."""
    v = scale * np.asarray(values, float)
    sd = v.std(ddof=1) if len(v) > 1 else 0.0
    return f"{v.mean():.{digits}f} ± {sd:.{digits}f}"


def of_method(results: Results, name: str, what: str = "mean") -> list[float]:
    """One number of a method in each row of `compare_rankings`."""
    return [row[name][what] for row in results if name in row]


def curves_of(results: Results, name: str) -> Array:
    """The curves of a method, one row per split."""
    return np.array([row[name]["curve"] for row in results if name in row])
