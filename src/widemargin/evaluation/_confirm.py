"""Confirm features by permuting their own columns.

Permuted labels take the signal out of the whole table. But where some features tell
the classes apart, they also decide which rows are near, and methods of nearest
neighbours then give *irrelevant* features scores that are higher, or vary more, than
under permuted labels. So a feature that is significant by permuted labels is tested
once more: its own column is permuted, labels and other columns stay as they are, and
the selector is fitted again. If the feature has nothing to do with the labels and the
other features, its score on the data and those with its column permuted are draws
from one distribution. Both p-values are then valid, and so is the larger of the two.

Some dozen scores of a feature tell their mean and spread; the p-value is that of one
more draw from a normal distribution with that mean and spread (Student's t). If there
are too many features for the refits that are affordable, several are permuted
together, by one order of the rows, so that they stay correlated with each other.
Groups are made so that each holds a small share of what the scores add up to: the
others, which stay, keep telling the classes apart.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import false_discovery_control
from scipy.stats import t as student

from widemargin.evaluation._encoded import Encoded
from widemargin.evaluation._null_scores import statistic_of
from widemargin.evaluation._p_values import LEVEL, slack
from widemargin.evaluation._refits import Call, refit
from widemargin.table import Floats, Ints

FIRST = 15  # permutations of each column
MOST = 60  # of columns of significant features that these leave in doubt
FEWEST = 5  # from which mean and spread are known at all, after an interrupt
LEAST_GROUPS = 5
HOPELESS = 0.1  # p-values that more permutations would hardly bring below LEVEL


class Confirmation(NamedTuple):
    """What permuted columns say."""

    p_values: Floats  # of all features: the larger of the two
    features: int  # how many were tested by their own columns
    fewest: int  # permutations of a column
    most: int
    complete: bool

    @property
    def how(self) -> str:
        """What was done, as a sentence to add to another; empty for nothing."""
        if not self.features:
            return ""
        what = "1 feature" if self.features == 1 else f"{self.features} features"
        times = f"{self.fewest} to {self.most}"
        if self.fewest == self.most:
            times = f"{self.most}"
        return (
            f" Then the columns of the {what} with p ≤ {LEVEL} were permuted on their "
            f"own, {times} times each; the larger p-value counts."
        )


def confirm(
    selector: Any,
    data: Encoded,
    observed: Floats,
    p: Floats,
    most_refits: int,
    random: np.random.RandomState,
    call: Call,
) -> Confirmation:
    """Test features by permuting their own columns.

    All with p ≤ 0.05 are tested, if any of them is significant by permuted labels.

    Parameters
    ----------
    selector : selector
        Not fitted.
    data : Encoded
    observed : array of shape (n_features,)
        What is tested, on the data as they are.
    p : array of shape (n_features,)
        p-values by permuted labels.
    most_refits : int
        How many are affordable, roughly.
    random : RandomState
        Draws the orders of the rows.
    call : Call
    """
    significant = false_discovery_control(p, method="bh") < LEVEL
    if not significant.any():
        return Confirmation(p, 0, 0, 0, True)
    features = np.flatnonzero(p <= LEVEL)
    groups = groups_of(features, observed, most_refits // (2 * FIRST))
    columns = _Columns(selector, data, features, random, call)
    complete = columns.permute(groups, FIRST)
    mine, score, tie = p[features], observed[features], slack(observed)
    own = one_more_draw(score, columns.scores, tie)
    if complete:
        doubtful = features[(own > mine) & (own < HOPELESS) & significant[features]]
        groups = [g for g in groups if np.isin(g, doubtful).any()]
        if groups:
            left = most_refits - columns.refits
            more = int(np.clip(left // len(groups), FIRST, MOST - FIRST))
            complete = columns.permute(groups, more)
            own = one_more_draw(score, columns.scores, tie)
    both = p.copy()
    both[features] = np.maximum(mine, own)
    counts = (~np.isnan(columns.scores)).sum(axis=0)
    return Confirmation(
        both, len(features), int(counts.min()), int(counts.max()), complete
    )


def one_more_draw(scores: Floats, draws: Floats, tie: float) -> Floats:
    """p-values of scores as draws from the distributions of others, (T, d).

    Draws that are NaN are missing; with too few of them, p is 1.
    """
    p = np.ones(len(scores))
    for f, score in enumerate(scores):
        mine = draws[~np.isnan(draws[:, f]), f]
        T = len(mine)
        if T < FEWEST:
            continue
        above, spread = score - mine.mean(), mine.std(ddof=1) * np.sqrt(1 + 1 / T)
        if spread <= tie:
            p[f] = 0.0 if above > tie else 1.0
        else:
            p[f] = student.sf(above / spread, T - 1)
    return p


def groups_of(features: Ints, observed: Floats, most: int) -> list[Ints]:
    """Features to permute together: about ``most`` groups with scores of equal sums.

    Scores count from that of the median feature. Each group but those of a single
    feature has at most one share of the sum, so there are at most twice as many.
    """
    excess = np.maximum(observed - np.median(observed), 0.0)[features]
    share = excess.sum() / max(most, LEAST_GROUPS)
    groups: list[list[int]] = []
    room = 0.0
    for i in np.argsort(-excess, kind="stable").tolist():
        if not groups or excess[i] > room:
            groups.append([])
            room = share
        groups[-1].append(int(features[i]))
        room -= float(excess[i])
    return [np.sort(np.array(g, np.int64)) for g in groups]


class _Columns:
    """Scores of features with their own columns permuted."""

    def __init__(
        self,
        selector: Any,
        data: Encoded,
        features: Ints,
        random: np.random.RandomState,
        call: Call,
    ) -> None:
        self.selector, self.data, self.features = selector, data, features
        self.random, self.call = random, call
        self.scores = np.empty((0, len(features)))  # NaN where there is none
        self.refits = 0

    def permute(self, groups: list[Ints], times: int) -> bool:
        """Add scores of the features of some groups; whether it was finished."""
        n, total = self.data.shape[0], times * len(groups)
        orders = [self.random.permutation(n) for _ in range(total)]
        places = [np.searchsorted(self.features, g) for g in groups]
        scores = np.full((times, len(self.features)), np.nan)

        def permuted(t: int) -> Encoded:
            return self.data.shuffled(groups[t % len(groups)], orders[t])

        def keep(t: int, fitted: Any) -> None:
            g = t % len(groups)
            scores[t // len(groups), places[g]] = statistic_of(fitted)[groups[g]]

        try:
            refit(self.selector, permuted, keep, total, self.call)
        except KeyboardInterrupt:
            return False
        finally:
            self.scores = np.vstack([self.scores, scores])
            self.refits += total
        return True
