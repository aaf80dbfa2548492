"""Which pairs of features tell more together than they tell apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import false_discovery_control
from sklearn.utils import check_random_state

from widemargin.data.dataset import Dataset, Names
from widemargin.data.frames import data_frame
from widemargin.data.protocol import Floats, Ints
from widemargin.data.read import read_dataset
from widemargin.evaluation import _html
from widemargin.evaluation._pair_pictures import PairPicture, Two, picture, sentence
from widemargin.evaluation._pair_search import (
    PIECE,
    alone_of,
    fitted,
    log_weights,
    over,
    screened,
    tested_pairs,
    told_by,
)
from widemargin.evaluation._selection_curve import columns_of
from widemargin.evaluation._selectors import stoppable, task_of
from widemargin.judging.folds import group_codes
from widemargin.progress import progress
from widemargin.threads import Workers, single_threaded_blas, spans, thread_count

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05
TESTED = 1500  # pairs that are tested in full; of more, those that a screen puts first
MAX_ROWS = 10_000
OWN_EFFECT = 0.05  # by d: p-value up to which one weighs in the correction of pairs
ALONE = 0.01  # p-value up to which a feature has an effect of its own
SEVERAL = "several others"
FEWEST, N_NAMED = 3, 5  # features of a headline: without partners, and named


@dataclass(frozen=True, eq=False, repr=False)
class Interactions:
    """Pairs of features that work together; returned by `interactions`.

    Attributes
    ----------
    pairs : array of shape (n_pairs, 2)
        Columns of the pairs that were tested, by q-value, then by p-value.
    p_values : array of shape (n_pairs,)
        Probability of a result at least as extreme if the effects of the features are
        additive.
    q_values : array of shape (n_pairs,)
        p-values with Benjamini-Hochberg correction for all ``n_possible`` pairs of the
        table. Pairs of two features with effects of their own have half of the weight.
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

    def works_with(self, relevant: Iterable[int] = ()) -> dict[int, str]:
        """Say with what features work: with their partners, or with several others.

        Parameters
        ----------
        relevant : iterable of int, default=()
            Columns of relevant features. One without an effect of its own and without
            a partner works with several others.

        Returns
        -------
        words : dict of int → str
            By column; features that need no others are left out.
        """
        words = {
            f: ", ".join(str(self.names[g]) for g in partners)
            for f, partners in self.partners.items()
        }
        for f in map(int, relevant):
            if f not in words and self.alone[f] > ALONE:
                words[f] = SEVERAL
        return words

    def _headline(self, words: dict[int, str]) -> str:
        """Name what tells nothing alone: a pair, or, by `works_with`, several."""
        for place, (a, b) in enumerate(self.found.tolist()):
            if max(self.alone[[a, b]]) > ALONE:
                lead = f"{self.names[a]} and {self.names[b]} work together"
                return f"{lead}: {sentence(self._two(place), cuts=False)}"
        lonely = [str(self.names[f]) for f, what in words.items() if what == SEVERAL]
        if len(lonely) < FEWEST:
            return ""
        shown = ", ".join(lonely[:N_NAMED])
        shown += f" and {len(lonely) - N_NAMED} more" if len(lonely) > N_NAMED else ""
        return f"{shown} tell something together only, not one by one."

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
        Numbers, nominal features, missing values.
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
    compare : Tests pairs, too.

    Notes
    -----
    On the scale of log-odds, a noiseless AND of two conditions is additive: each
    condition adds to the odds, and no test can tell it from two strong effects. AND
    with exceptions is an interaction. If the target is skewed, its logarithm may be
    additive where the target is not.

    Three features of which no two tell anything, as in a parity of three, have no pair
    to be found. `compare` says of a relevant feature without an effect of its own and
    without a partner that it works with several others.

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
    tested: int = TESTED,
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
    told = told_by(data, groups)
    features = np.arange(d) if candidates is None else candidates
    with (
        stoppable("interactions"),
        Workers(thread_count(n_jobs)) as workers,
        single_threaded_blas(),
    ):
        alone = np.array([alone_of(t) for t in told]).reshape(len(told), d)
        fits = [fitted(t, alone[i], data.numeric) for i, t in enumerate(told)]
        effective = over(alone) <= np.log(OWN_EFFECT / d)
        pairs = screened(told, fits, features, effective, tested, workers)
        steps = len(fits) * len(spans(len(pairs), PIECE))
        with progress("interactions", steps, verbose) as advance:
            logs = np.array(
                [
                    tested_pairs(t, f, pairs, workers, advance)
                    for t, f in zip(told, fits, strict=True)
                ]
            ).reshape(len(fits), len(pairs))
    log_p = over(logs)
    n_possible = d * (d - 1) // 2
    every = np.ones(max(n_possible, 1))
    every[: len(pairs)] = np.exp(np.minimum(log_p - log_weights(pairs, effective), 0.0))
    q = false_discovery_control(every)[: len(pairs)]
    order = np.lexsort([pairs[:, 1], pairs[:, 0], log_p, q])
    return Interactions(
        pairs=pairs[order],
        p_values=np.exp(log_p[order]),
        q_values=q[order],
        log_p_values=log_p[order],
        alone=np.exp(over(alone)),
        names=data.names,
        n_possible=n_possible,
        level=level,
        _told=[
            (t.rows, t.y if data.target is None else data.target, t.what) for t in told
        ],
        _between=logs.argmin(axis=0)[order]
        if len(logs)
        else np.zeros(len(pairs), np.int64),
        _data=data,
    )
