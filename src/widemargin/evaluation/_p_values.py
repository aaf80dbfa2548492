"""p-values from scores under permuted labels, and from scores of permuted copies.

Three facts make the former valid if labels have nothing to do with X; then the labels
and their permutations are B + 1 exchangeable draws.

1. *Plain.* A feature whose score is reached c times in B permutations has
   p = (1 + c) / (1 + B), and P(p ≤ t) ≤ t.
2. *Stages.* A feature may stop at the end of a stage if its score was reached h times
   by then. Stopping after B_1 permutations gives p ≥ (1 + h) / (1 + B_1). So p ≤ t for
   a t below that needs the next stage, where it is at most as likely as for a feature
   that never stops: P(p ≤ t) ≤ t still, for every t and any number of stages (Besag
   and Clifford's sequential test, with looks at the ends of stages only).
3. *Pooled.* Take the (B + 1) × d table of scores, observed ones included, and
   standardise each column by its own quantiles. All rows are alike, so of the top share
   t of all cells, a share t is expected among the observed: over a group of features
   with pooled standardised scores, P(p ≤ t) is at most t on average. Features are
   grouped by the shape of their upper tail, so that the average is over features that
   are alike. A score that was reached h times or more needs no pooling and has its
   plain p-value.

*Copies.* If a feature has nothing to do with the labels and the other features, its
score and that of a permuted copy of it in the same fit have one distribution. The mean
and spread of some dozen copies' scores give the p-value of one more draw from a normal
distribution (Student's t). Scores of some methods are skewed, and then copies
themselves have low p-values too often. So Student's p-value is replaced by the share of
copies, of all tested features, that have a p-value as low; and where fewer than ten
have, by that power of it which makes the tenth lowest equal to its share. Where nearly
all rows have one value, copies may all have the same score, but for one; such features
are calibrated among themselves, so that they spoil no others.

References
----------
J. Besag, P. Clifford, *Sequential Monte Carlo p-values*, Biometrika 78, 1991.
B. Phipson, G. Smyth, *Permutation p-values should never be zero*, Statistical
Applications in Genetics and Molecular Biology 9, 2010.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from widemargin.data.protocol import Floats, Ints

LEVEL = 0.05  # customary for q-values
TIE = 1e-10  # scores this close, relative to the largest, are equal
ENOUGH = 20  # times that a score is reached, from which its p-value is accurate
SMALLEST = 1e-300  # whose inverse is finite
FEWEST_COPIES = 5  # from which mean and spread are estimated, after an interrupt
LOWEST = 10  # p-values of copies
RARE = 10  # rows that are not of the most frequent value
ENOUGH_COPIES = 2000  # for a calibration of its own
ALIKE = 2  # features in a group, as a multiple of what the smallest p-value needs


def needed(d: int) -> int:
    """Permutations with which a single one of d features can have q < 0.05."""
    return int(np.floor(d / LEVEL))


def slack(scores: Floats) -> float:
    """How much equal scores may differ by rounding."""
    largest = np.max(np.abs(scores), where=np.isfinite(scores), initial=0.0)
    return TIE * float(largest)


class Counts:
    """How often each feature's score was reached; features stop after enough of it."""

    def __init__(self, scores: Floats, first: int) -> None:
        self.scores = scores
        self.slack = slack(scores)
        self.reached = np.zeros(len(scores), np.int64)
        self.drawn = np.zeros(len(scores), np.int64)
        self.going = np.arange(len(scores))  # features that have not stopped
        self.stage = first  # permutations at the end of this stage
        self.done = 0

    def add(self, null: Floats) -> None:
        """Count scores under some permutations of the features that are going.

        They must not go beyond the end of the stage.
        """
        scores = self.scores[self.going]
        self.reached[self.going] += (null >= scores - self.slack).sum(axis=0)
        self.drawn[self.going] += len(null)
        self.done += len(null)
        if self.done >= self.stage:
            self.going = self.going[self.reached[self.going] < ENOUGH]
            self.stage *= 2

    @property
    def p_values(self) -> Floats:
        """Plain p-values, each from the permutations that the feature took part in."""
        p: Floats = (1 + self.reached) / (1 + self.drawn)
        return p


def pooled_p_values(scores: Floats, null: Floats) -> Floats:
    """p-values by pooling standardised null scores, (B, d), of similar features."""
    B = len(null)
    reached = (null >= scores - slack(scores)).sum(axis=0)
    p: Floats = (1 + reached) / (1 + B)
    enough = min(ENOUGH, max(1, int(LEVEL * (1 + B))))
    standard, shape = _standardised(np.vstack([scores, null]))
    for group in _groups(shape, B):
        some = group[reached[group] < enough]
        if len(some):
            pool = np.sort(standard[:, group], axis=None)
            border = standard[0, some] - slack(pool)
            higher = len(pool) - np.searchsorted(pool, border)
            p[some] = np.minimum(higher / len(pool), enough / (1 + B))
    return p


def _standardised(every: Floats) -> tuple[Floats, Floats]:
    """Scores in units of their upper spread, and the shape of their upper tails.

    A column half of which has one value, or nearly, has shape NaN.
    """
    largest = np.finfo(np.float64).max / 8  # as far as differences stay finite
    every = np.clip(every, -largest, largest)
    middle, high, top = np.quantile(every, (0.5, 0.9, 0.98), axis=0)
    spread = high - middle
    flat = spread <= TIE * np.max(np.abs(every), axis=0)
    unit = np.where(flat, 1.0, spread)
    return (every - middle) / unit, np.where(flat, np.nan, (top - middle) / unit)


def _groups(shape: Floats, B: int) -> list[Ints]:
    """Features that are pooled together: neighbours in the order of their shapes."""
    order = np.argsort(shape, kind="stable")[: np.count_nonzero(~np.isnan(shape))]
    if not len(order):
        return []
    size = ALIKE * needed(len(shape)) / (1 + B)
    return np.array_split(order, max(1, int(len(order) / max(size, 1.0))))


def copy_p_values(own: Floats, copies: Floats, apart: Ints | None = None) -> Floats:
    """p-values of features by their scores and those of their copies in the same fits.

    Both are (T, d), and NaN where there is none; with too few copies, p is 1. If it is
    given how many rows are ``apart`` from the most frequent value, features where few
    are have a calibration of their own, and copies without any spread prove little.
    """
    tie = slack(copies)
    there = ~np.isnan(copies)
    T = there.sum(axis=0)
    enough = np.maximum(T, FEWEST_COPIES)  # what has fewer is not used
    mean, of_own = (np.where(there, a, 0.0).sum(axis=0) / enough for a in (copies, own))
    residuals = np.where(there, copies - mean, 0.0)
    spread = np.sqrt((residuals**2).sum(axis=0) / (enough - 1))
    above, unit = of_own - mean, np.where(spread > tie, spread, 1.0)
    p = stdtr(enough - 1, -above / (unit * np.sqrt(1 + 1 / enough)))
    # Copies that all have one score may be those of a feature that is rarely near.
    least = 0.0 if apart is None else 1 / (1 + T)
    p = np.where(spread > tie, p, np.where(above > tie, least, 1.0))
    # Each copy against the others: the studentised deleted residual.
    r = residuals / (unit * np.sqrt((enough - 1) / enough))
    rest = np.maximum(enough - 1 - r * r, SMALLEST)
    of_copies = stdtr(enough - 2, -r * np.sqrt((enough - 2) / rest))
    used = there & (T >= FEWEST_COPIES) & (spread > tie)
    for some in _as_rare(np.full(len(p), RARE) if apart is None else apart, used):
        p[some] = _calibrated(p[some], np.sort(of_copies[:, some][used[:, some]]))
    return np.where(T >= FEWEST_COPIES, p, 1.0)


def _as_rare(apart: Ints, used: NDArray[np.bool_]) -> list[Ints]:
    """Features of rare values, and the others, if both have enough copies; or all."""
    groups = [np.flatnonzero(apart < RARE), np.flatnonzero(apart >= RARE)]
    if all(used[:, some].sum() >= ENOUGH_COPIES for some in groups):
        return groups
    return [np.arange(len(apart))]


def _calibrated(p: Floats, of_copies: Floats) -> Floats:
    """Shares of the copies, with sorted p-values, that have p-values as low.

    Below the lowest ten, a power of p, never lower than p. Few copies change nothing.
    """
    N, tiny = len(of_copies), np.finfo(np.float64).tiny
    if N < 10 * LOWEST:
        return p
    reached = np.searchsorted(of_copies, p, side="right")
    lowest = LOWEST / (1 + N)
    power = np.log(lowest) / np.log(np.clip(of_copies[LOWEST - 1], tiny, lowest))
    share: Floats = np.where(
        reached < LOWEST, np.minimum(p**power, lowest), (1 + reached) / (1 + N)
    )
    return share
