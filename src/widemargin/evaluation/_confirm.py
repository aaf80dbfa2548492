"""Confirm features by permuted copies of them, beside all columns as they are.

Permuted labels take the signal out of the whole table. But where some features tell
the classes apart, they also decide which rows are near, and methods of nearest
neighbours then give *irrelevant* features scores that are higher, or vary more, than
under permuted labels. So features with low p-values are tested once more: copies of
them, with their rows permuted, are added to the table, and the selector is fitted
again. Labels and columns stay as they are, and with them the neighbours. (Permuting
columns in place, several at a time, would take their signal out of the neighbours.)

If a feature has nothing to do with the labels and the other features, nothing tells it
from its copy in such a fit: both scores have one distribution. Some dozen scores of
copies tell its mean and spread; the p-value is that of one more draw from a normal
distribution with that mean and spread (Student's t). Scores of some methods are skewed,
and then copies themselves have low p-values too often. So Student's p-value is replaced
by the share of copies, of all tested features, that have a p-value as low; and where
fewer than ten have, by that power of it which gives the tenth lowest its due.

p-values by permuted labels and by permuted copies are both valid, and so is the larger.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import false_discovery_control
from scipy.stats import t as student

from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation._encoded import Encoded
from widemargin.evaluation._null_scores import statistic_of
from widemargin.evaluation._p_values import LEVEL, slack
from widemargin.evaluation._probes import for_probes
from widemargin.evaluation._refits import Call, refit

# Copies of a feature by the end of each stage, and the p-value up to which it gets
# there: with higher ones, more copies would hardly bring it below LEVEL. To the last
# stage get only features that are significant by their labels and not by the copies.
STAGES = ((10, 1.0), (30, 0.2), (100, 0.1))
FEWEST = 5  # copies from which mean and spread are known at all, after an interrupt
LEAST_GROUPS = 5
TOP = 10  # lowest p-values of copies


class Confirmation(NamedTuple):
    """What permuted copies say."""

    p_values: Floats  # of all features: the larger of the two
    features: int  # how many were tested by copies
    fewest: int  # copies of a feature
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
            f" Then the {what} with p ≤ {LEVEL} were compared with permuted copies of "
            f"themselves, {times} each, added to the table; the larger p-value counts."
        )


def confirm(
    selector: Any,
    data: Encoded,
    p: Floats,
    most_refits: int,
    random: np.random.RandomState,
    call: Call,
) -> Confirmation:
    """Test features by permuted copies of them.

    All with p ≤ 0.05 are tested, if any of them is significant by permuted labels.

    Parameters
    ----------
    selector : selector
        Not fitted.
    data : Encoded
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
    mine, own, complete = p[features], np.zeros(len(features)), True
    most_groups = max(LEAST_GROUPS, most_refits // STAGES[1][0])
    at_once = -(-len(features) // most_groups)
    copies = _Copies(selector, data, random, call)
    done, last = 0, STAGES[-1][0]
    for times, hopeless in STAGES:
        going = own <= hopeless
        if times == last:
            going &= (own > mine) & significant[features]
        if complete and going.any():
            complete = copies.add(features[going], at_once, times - done)
            own = p_values(copies.own[:, features], copies.scores[:, features])
        done = times
    both = p.copy()
    both[features] = np.maximum(mine, own)
    counts = (~np.isnan(copies.scores[:, features])).sum(axis=0)
    return Confirmation(
        both, len(features), int(counts.min()), int(counts.max()), complete
    )


def p_values(own: Floats, copies: Floats) -> Floats:
    """p-values of features by their scores beside their copies, and those of these.

    Both are (T, d), and NaN where there is none; with too few copies, p is 1.
    """
    tie = slack(copies)
    p, of_copies = np.ones(own.shape[1]), [np.empty(0)]
    for f in range(own.shape[1]):
        there = ~np.isnan(copies[:, f])
        T, scores = int(there.sum()), copies[there, f]
        if T < FEWEST:
            continue
        above, spread = own[there, f].mean() - scores.mean(), scores.std(ddof=1)
        if spread <= tie:
            p[f] = 0.0 if above > tie else 1.0
            continue
        p[f] = student.sf(above / (spread * np.sqrt(1 + 1 / T)), T - 1)
        # Each copy against the others: the studentised deleted residual.
        r = (scores - scores.mean()) / (spread * np.sqrt((T - 1) / T))
        rest = np.maximum(T - 1 - r * r, np.finfo(np.float64).tiny)
        of_copies.append(student.sf(r * np.sqrt((T - 2) / rest), T - 2))
    return _calibrated(p, np.sort(np.concatenate(of_copies)))


def _calibrated(p: Floats, of_copies: Floats) -> Floats:
    """Shares of the copies, whose p-values are sorted, with p-values as low.

    Below the lowest ten, a power of p, never lower than p. Few copies change nothing.
    """
    N, tiny = len(of_copies), np.finfo(np.float64).tiny
    if N < 10 * TOP:
        return p
    reached = np.searchsorted(of_copies, p, side="right")
    lowest = TOP / (1 + N)
    power = np.log(lowest) / np.log(np.clip(of_copies[TOP - 1], tiny, lowest))
    share: Floats = np.where(
        reached < TOP, np.minimum(p**power, lowest), (1 + reached) / (1 + N)
    )
    return share


class _Copies:
    """Scores of features and of permuted copies of them in the same fits."""

    def __init__(
        self, selector: Any, data: Encoded, random: np.random.RandomState, call: Call
    ) -> None:
        self.selector, self.data, self.random, self.call = selector, data, random, call
        self.own = np.empty((0, data.shape[1]))  # NaN where there is none
        self.scores = self.own

    def add(self, features: Ints, at_once: int, times: int) -> bool:
        """Add scores with ``times`` copies of each feature; whether it was finished."""
        own, scores = np.full((2, times, self.data.shape[1]), np.nan)
        try:
            for group in np.array_split(features, -(-len(features) // at_once)):
                self._fit(group, own, scores)
        except KeyboardInterrupt:
            return False
        finally:
            self.own = np.vstack([self.own, own])
            self.scores = np.vstack([self.scores, scores])
        return True

    def _fit(self, group: Ints, own: Floats, scores: Floats) -> None:
        """Fill the columns of a group, one fit for each row."""
        n, d = self.data.shape
        orders = [self.random.permutation(n) for _ in own]

        def more(t: int) -> Encoded:
            return self.data.with_probes(group, orders[t])

        def keep(t: int, fitted: Any) -> None:
            found = statistic_of(fitted)
            own[t, group], scores[t, group] = found[group], found[d:]

        refit(for_probes(self.selector, group), more, keep, len(own), self.call)
