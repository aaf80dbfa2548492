"""Which pairs of features tell more together than they tell apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import false_discovery_control
from sklearn.utils import check_random_state

from widemargin.data.dataset import Dataset, Names, read_dataset
from widemargin.data.frames import data_frame
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation import _html
from widemargin.evaluation._additive import (
    Additive,
    Basis,
    bases,
    fit_additive,
    log_tail,
)
from widemargin.evaluation._pair_pictures import PairPicture, Two, picture, sentence
from widemargin.evaluation._pair_test import combined, pair_test
from widemargin.evaluation._selection_curve import columns_of
from widemargin.evaluation._selectors import stoppable, task_of
from widemargin.judging.folds import group_codes
from widemargin.progress import Advance, progress
from widemargin.threads import Workers, single_threaded_blas, spans, thread_count

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05
TESTED = 1500  # pairs that are tested in full; of more, those that a screen puts first
ADDITIVE = 50  # features with the strongest effects of their own, in the additive fit
MAX_ROWS = 10_000
LEAST_ROWS = 10  # of a class that is told from another
FEW_CLASSES = 3  # up to as many, every two are told apart; else each from the largest
BLOCK = 256  # columns screened at a time
PIECE = 16  # pairs tested at a time


@dataclass(frozen=True, eq=False, repr=False)
class Interactions:
    """Pairs of features that work together; returned by `interactions`.

    Attributes
    ----------
    pairs : array of shape (n_pairs, 2)
        Columns of the pairs that were tested, the smallest p-value first.
    p_values : array of shape (n_pairs,)
        Probability of a result at least as extreme if the effects of the features are
        additive.
    q_values : array of shape (n_pairs,)
        p-values with Benjamini-Hochberg correction for all ``n_possible`` pairs of the
        table.
    log_p_values : array of shape (n_pairs,)
        Natural logarithms, also of p-values too small for a float.
    alone : array of shape (n_features,)
        p-value of the effect of each feature on its own.
    names : array of str of shape (n_features,)
    n_possible : int
        Number of pairs of the table.
    level : float
        Pairs with a q-value below it are found.
    """

    pairs: Ints
    p_values: Floats
    q_values: Floats
    log_p_values: Floats
    alone: Floats
    names: Names
    n_possible: int
    level: float = LEVEL
    _told: list[tuple[Ints, Floats, str]] = field(default_factory=list)
    _between: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    _data: Dataset | None = None

    @property
    def found(self) -> Ints:
        """The pairs with a q-value below ``level``."""
        return self.pairs[self.q_values < self.level]

    @cached_property
    def partners(self) -> dict[int, list[int]]:
        """For each feature of a found pair, its partners, the strongest first."""
        known: dict[int, list[int]] = {}
        for a, b in self.found.tolist():
            known.setdefault(a, []).append(b)
            known.setdefault(b, []).append(a)
        return known

    def sentence(self, place: int = 0) -> str:
        """Say in words how a pair works together.

        Parameters
        ----------
        place : int, default=0
            Which pair, counted from the strongest.

        Returns
        -------
        sentence : str
            When the target is high, or the class frequent.
        """
        return sentence(self._two(place))

    def picture(self, place: int = 0) -> PairPicture:
        """Give the mean target, or the share of a class, over the values of a pair.

        Parameters
        ----------
        place : int, default=0
            Which pair, counted from the strongest.

        Returns
        -------
        picture : PairPicture
            Names, labels of rows and columns, values, and numbers of rows.
        """
        return picture(self._two(place))

    def _two(self, place: int) -> Two:
        assert self._data is not None
        rows, y, what = self._told[self._between[place]]
        data = self._data
        a, b = (
            (str(self.names[f]), data.X[rows, f], data.categories.get(f))
            for f in self.pairs[place].tolist()
        )
        return Two(a, b, y, what)

    def to_frame(self) -> pd.DataFrame:
        """Put the tested pairs into a table, the strongest first.

        Returns
        -------
        table : DataFrame
            Columns: feature_a, feature_b, p_value, q_value, together (the sentence in
            words, empty for pairs that are not found).
        """
        names = self.names[self.pairs]
        n_found = len(self.found)
        return data_frame(
            {
                "feature_a": names[:, 0],
                "feature_b": names[:, 1],
                "p_value": self.p_values,
                "q_value": self.q_values,
                "together": [
                    self.sentence(i) if i < n_found else ""
                    for i in range(len(self.pairs))
                ],
            }
        )

    def _repr_html_(self) -> str:
        return _html.interactions(self)

    def __repr__(self) -> str:
        n = len(self.found)
        first = f": {' with '.join(self.names[self.pairs[0]])}" if n else ""
        more = ", …" if n > 1 else ""
        return (
            f"Interactions({n} of {self.n_possible} pairs at q < {self.level:g}"
            f"{first}{more})"
        )


class Told(NamedTuple):
    """Rows, and what is told about them: numbers, or one class from another."""

    rows: Ints
    y: Floats
    bases: list[Basis]
    groups: Ints | None


def interactions(
    X: Any,
    y: Any,
    *,
    candidates: Any = None,
    level: float = LEVEL,
    groups: Any = None,
    task: str | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Interactions:
    """Find pairs of features that tell more together than they tell apart.

    The null hypothesis is that effects are additive: on the mean of a numeric target,
    or on the log-odds of one class against another. Main effects, however strong, and
    correlated features are no interactions. A smooth additive model of the features
    with effects of their own is fitted; a score test then says whether its residuals
    depend on products of two features.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        Numbers, nominal features, missing values. Numbers count by their ranks.
    y : array-like of shape (n_samples,)
        Class labels, or numbers. Of three classes, every two are compared; of more,
        each with the largest.
    candidates : array-like of str or int, default=None
        Names or places of the features whose pairs are tested. None takes all: with
        more than 1500 pairs, a fast screen of all of them says which are tested in
        full. Whatever is tested, q-values count all pairs of the table, since
        candidates are often chosen by the same labels; ``p_values`` are not corrected.
    level : float, default=0.05
        False discovery rate among the pairs that are found.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are not independent: scores are summed over each group before
        their spread is estimated. Use it with 30 groups or more.
    task : {"classification", "regression"} or None, default=None
        Whether y holds classes or numbers; None goes by y: decimals, and numbers that
        hardly repeat, are measurements.
    random_state : int, RandomState or None, default=None
        Random seed of the sample that is drawn of more than 10 000 rows. Nothing else
        is random.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores.
    verbose : int, default=0
        Show progress if positive.

    Returns
    -------
    interactions : Interactions
        The pairs, with p- and q-values.

    See Also
    --------
    relevance : Which features are relevant, alone or together.

    Notes
    -----
    On the scale of log-odds, a noiseless AND of two conditions is additive: each
    condition adds to the odds, and no test can tell it from two strong effects. AND
    with exceptions is an interaction. If the target is skewed, its logarithm may be
    additive where the target is not.

    Three features of which no two tell anything, as in a parity of three, have no pair
    to be found.

    Examples
    --------
    >>> from widemargin.datasets import make_xor
    >>> from widemargin.evaluation import interactions
    >>> X, y = make_xor(400, 20, n_relevant=2, random_state=0)
    >>> found = interactions(X, y)
    >>> found
    Interactions(1 of 190 pairs at q < 0.05: x0 with x1)
    """
    if not isinstance(level, float | int) or not 0 < level < 1:
        raise ValueError(f"interactions needs a level between 0 and 1, got {level!r}.")
    task = task_of(None, y, task, "interactions", several=False)
    data = read_dataset(X, y, "interactions", task=task)
    chosen = None
    if candidates is not None:
        chosen = columns_of(candidates, data.names, "interactions", "candidates")
        if len(chosen) < 2:
            raise ValueError(
                f"interactions needs at least 2 candidates, got {len(chosen)}."
            )
    return interactions_in(
        data,
        group_codes(groups, data.shape[0], "interactions"),
        candidates=chosen,
        level=float(level),
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )


def interactions_in(
    data: Dataset,
    groups: Ints | None,
    *,
    candidates: Ints | None = None,
    level: float = LEVEL,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Interactions:
    """Do the work of `interactions` on a table that was read already."""
    n, d = data.shape
    if n > MAX_ROWS:
        random = check_random_state(random_state)
        rows = np.sort(random.choice(n, MAX_ROWS, replace=False))
        data, groups = data.take(rows), None if groups is None else groups[rows]
    told, what = _told(data, groups)
    features = np.arange(d) if candidates is None else candidates
    with (
        stoppable("interactions"),
        Workers(thread_count(n_jobs)) as workers,
        single_threaded_blas(),
    ):
        alone = np.array([_alone(t) for t in told]).reshape(len(told), d)
        fits = [_fit(t, alone[i], data.numeric) for i, t in enumerate(told)]
        pairs = _screened(told, fits, features, workers)
        steps = len(fits) * len(spans(len(pairs), PIECE))
        with progress("interactions", steps, verbose) as advance:
            logs = np.array(
                [
                    _tested(t, f, pairs, workers, advance)
                    for t, f in zip(told, fits, strict=True)
                ]
            ).reshape(len(fits), len(pairs))
    log_p = _over(logs)
    order = np.lexsort([pairs[:, 1], pairs[:, 0], log_p])
    p, n_possible = np.exp(log_p[order]), d * (d - 1) // 2
    every = np.ones(n_possible)
    every[: len(p)] = p
    return Interactions(
        pairs=pairs[order],
        p_values=p,
        q_values=false_discovery_control(every)[: len(p)] if len(p) else p,
        log_p_values=log_p[order],
        alone=np.exp(_over(alone)),
        names=data.names,
        n_possible=n_possible,
        level=level,
        _told=[
            (t.rows, t.y if data.target is None else data.target, w)
            for t, w in zip(told, what, strict=True)
        ],
        _between=logs.argmin(axis=0)[order]
        if len(logs)
        else np.zeros(len(p), np.int64),
        _data=data,
    )


def _told(data: Dataset, groups: Ints | None) -> tuple[list[Told], list[str]]:
    """What the features may tell: a number, or which of two classes."""
    columns = data.apart()
    if data.target is not None:
        spread = float(data.target.std()) or 1.0
        y = (data.target - data.target.mean()) / spread
        rows = np.arange(len(y))
        return [Told(rows, y, bases(columns), groups)], ["the target"]
    codes, classes = data.present_classes
    counts = np.bincount(codes, minlength=len(classes))
    largest = int(counts.argmax())
    told, what = [], []
    for low, high in combinations(range(len(classes)), 2):
        if len(classes) > FEW_CLASSES and largest not in (low, high):
            continue
        if min(counts[low], counts[high]) < LEAST_ROWS:
            continue
        rows = np.flatnonzero((codes == low) | (codes == high))
        some = columns._replace(
            numbers=columns.numbers[rows],
            nominal={f: c[rows] for f, c in columns.nominal.items()},
        )
        y = (codes[rows] == high).astype(np.float64)
        told.append(
            Told(rows, y, bases(some), None if groups is None else groups[rows])
        )
        against = f" (against {classes[low]})" if len(classes) > 2 else ""
        what.append(f"class {classes[high]}{against}")
    return told, what


def _alone(told: Told) -> Floats:
    """Log p-values of the features, each on its own."""
    y = told.y - told.y.mean()
    logs = np.zeros(len(told.bases))
    for f, basis in enumerate(told.bases):
        M = basis.main
        if M.shape[1]:
            logs[f] = log_tail(((M.T @ y) ** 2 / (M.T**2 @ y**2)).sum(), M.shape[1])
    return logs


def _fit(told: Told, alone: Floats, numeric: bool) -> Additive:
    used = np.sort(np.argsort(alone, kind="stable")[:ADDITIVE])
    share, r = 1.0, told.y - told.y.mean()
    if told.groups is not None:
        share = float((r**2).sum() / (np.bincount(told.groups, r) ** 2).sum())
    return fit_additive(told.bases, used, told.y, not numeric, min(share, 1.0))


def _screened(
    told: list[Told], fits: list[Additive], features: Ints, workers: Workers
) -> Ints:
    """The pairs to test: all, or those with the largest products of residuals."""
    i, j = np.triu_indices(len(features), 1)
    if len(i) <= TESTED or not told:
        return np.column_stack([features[i], features[j]])
    best = np.zeros((len(features),) * 2)
    for one, fit in zip(told, fits, strict=True):
        _screen([one.bases[f] for f in features], fit.residual, best, workers)
    order = np.argsort(best[i, j], kind="stable")[:TESTED]
    return np.column_stack([features[i[order]], features[j[order]]])


def _screen(bases: list[Basis], r: Floats, best: Floats, workers: Workers) -> None:
    """Lower ``best`` to the log p-values of all pairs, were residuals independent."""
    kept = np.array([f for f, basis in enumerate(bases) if len(basis.degree)])
    P = np.hstack([bases[f].product for f in kept])
    sizes = np.array([len(bases[f].degree) for f in kept])
    first = np.append(0, np.cumsum(sizes))
    weighted = P.T * r

    def block(part: slice) -> None:
        own = slice(first[part.start], first[part.stop])
        z2 = (weighted[own] @ P) ** 2 / np.maximum(weighted[own] ** 2 @ P**2, 1e-12)
        starts = first[part] - own.start
        sums = np.add.reduceat(np.add.reduceat(z2, starts), first[:-1], axis=1)
        logs = log_tail(sums, np.multiply.outer(sizes[part], sizes))
        best[np.ix_(kept[part], kept)] = np.minimum(
            best[np.ix_(kept[part], kept)], logs
        )

    workers.run(block, spans(len(kept), BLOCK))


def _tested(
    told: Told, fit: Additive, pairs: Ints, workers: Workers, advance: Advance
) -> Floats:
    """Log p-values of the pairs."""
    logs, centred = (
        np.zeros(len(pairs)),
        {f: e - e.mean() for f, e in fit.effects.items()},
    )

    def test(part: slice) -> None:
        for k in range(part.start, part.stop):
            a, b = pairs[k].tolist()
            both = centred[a] * centred[b] if a in centred and b in centred else None
            logs[k] = pair_test(told.bases[a], told.bases[b], fit, both, told.groups)
        advance()

    workers.run(test, spans(len(pairs), PIECE))
    return logs


def _over(logs: Floats) -> Floats:
    """Log p-values over all that is told; 0 if that is nothing."""
    if not len(logs):
        return np.zeros(logs.shape[1])
    return np.array([combined(column) for column in logs.T])
