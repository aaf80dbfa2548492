"""The test behind `significance`: permuted labels, then permuted copies of features.

Permuting labels removes the signal from the whole table. But where some features
separate the classes, they also decide which rows are near, and nearest-neighbour
methods then give *irrelevant* features scores that are higher, or vary more, than under
permuted labels. So features with low p-values are tested once more: copies of them,
with their rows permuted, are added to the table, and the selector is fitted again.
Labels and columns stay as they are, and with them the neighbours. (Permuting columns in
place, several at a time, would remove their signal from the neighbours.)

p-values by permuted labels and by permuted copies are both valid, and so is the larger.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import false_discovery_control

from widemargin.data.dataset import Dataset
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation._null_scores import (
    AtOnce,
    Plan,
    Refits,
    for_probes,
    source_of,
    statistic_of,
)
from widemargin.evaluation._p_values import (
    LEVEL,
    Counts,
    copy_p_values,
    pooled_p_values,
)
from widemargin.evaluation._selectors import Call, refit
from widemargin.notices import warn
from widemargin.progress import Advance, progress

# Copies of a feature by the end of each stage, and the p-value up to which it gets
# there: with higher ones, more copies would hardly bring it below LEVEL. To the last
# stage get only features that are significant by their labels and not by the copies.
STAGES = ((10, 1.0), (30, 0.2), (100, 0.1))
LEAST_GROUPS = 5


class PermutationTest:
    """Tests all features; ``done``, ``complete`` and ``how`` say what was finished."""

    def __init__(
        self,
        selector: Any,
        data: Dataset,
        way: Plan,
        random: np.random.RandomState,
        call: Call,
    ) -> None:
        self.selector, self.data, self.way = selector, data, way
        self.random, self.call = random, call._replace(verbose=0)
        self.verbose = call.verbose
        self.done, self.complete, self.how = 0, True, ""

    def run(self) -> tuple[Floats, Floats]:
        """Scores and p-values."""
        source, way = source_of(self.selector, self.data), self.way
        test = self._pooled if way.method == "pooled" else self._in_stages
        with progress("significance", way.n_permutations, self.verbose) as advance:
            p = test(source, advance)
        self.how = self._labels()
        if not self.complete:
            self._warn_of_interrupt()
        p = np.where(np.isnan(source.scores), 1.0, p)
        if way.refits and self.complete:
            p = self._confirmed(p)
        return source.scores, p

    def _in_stages(self, source: AtOnce | Refits, advance: Advance) -> Floats:
        counts = Counts(source.observed, self.way.first)
        total = self.way.n_permutations
        while counts.done < total and len(counts.going) and self.complete:
            size = min(counts.stage, total) - counts.done
            counts.add(self._null(source, counts.going, size, advance))
        self.done = counts.done
        if self.complete:
            advance(total - counts.done)
        return counts.p_values

    def _pooled(self, source: AtOnce | Refits, advance: Advance) -> Floats:
        every = np.arange(len(source.observed))
        parts = [np.empty((0, len(every)))]
        while self.done < self.way.n_permutations and self.complete:
            left = self.way.n_permutations - self.done
            parts.append(self._null(source, every, left, advance))
            self.done += len(parts[-1])
        return pooled_p_values(source.observed, np.concatenate(parts))

    def _null(
        self, source: AtOnce | Refits, features: Ints, most: int, advance: Advance
    ) -> Floats:
        """Scores under the next permutations, as many as are finished."""
        size = min(most, source.batch(features))
        orders = [self.random.permutation(self.data.shape[0]) for _ in range(size)]
        null, there = np.empty((size, len(features))), np.zeros(size, bool)

        def keep(b: int, scores: Floats) -> None:
            null[b] = scores
            there[b] = True
            advance()

        try:
            source.draw(orders, features, self.call, keep)
        except KeyboardInterrupt:
            self.complete = False
            return null[there]
        return null

    def _warn_of_interrupt(self) -> None:
        if not self.done:
            raise KeyboardInterrupt(
                "significance: interrupted before any of the permutations was "
                "finished; there is no result."
            )
        warn(
            f"significance: interrupted; the p-values are from {self.done} of "
            f"{self.way.n_permutations} permutations"
            f"{' and not confirmed' if self.way.refits else ''}."
        )

    def _labels(self) -> str:
        """What was done with the labels, in a sentence."""
        done, first = self.done, min(self.way.first, self.done)
        if self.way.method == "pooled":
            return (
                f"{done} permutations of the labels; standardised scores are pooled "
                "over features whose scores under permutation have similar tails."
            )
        if first < done:
            return (
                f"{done} permutations of the labels for features that may be "
                f"significant, at least {first} for all."
            )
        return f"{done} permutations of the labels."

    def _confirmed(self, p: Floats) -> Floats:
        """Test features by permuted copies; return the larger of both p-values.

        All with p ≤ 0.05 are tested, if any of them is significant by permuted labels.
        """
        significant = false_discovery_control(p, method="bh") < LEVEL
        if not significant.any():
            return p
        features = np.flatnonzero(p <= LEVEL)
        by_labels, by_copies = p[features], np.zeros(len(features))
        most_groups = max(LEAST_GROUPS, self.way.refits // STAGES[1][0])
        at_once = -(-len(features) // most_groups)
        scores, done = np.empty((2, 0, len(p))), 0
        for times, hopeless in STAGES:
            going = by_copies <= hopeless
            if times == STAGES[-1][0]:
                going &= (by_copies > by_labels) & significant[features]
            if self.complete and going.any():
                more = self._beside_copies(features[going], at_once, times - done)
                scores = np.concatenate([scores, more], axis=1)
                by_copies = copy_p_values(*scores[:, :, features])
            done = times
        counts = (~np.isnan(scores[1][:, features])).sum(axis=0)
        self.how += _copies_in_words(len(features), counts.min(), counts.max())
        if not self.complete:
            warn(
                "significance: interrupted while features were confirmed; those that "
                "were not have p = 1, others were confirmed by fewer copies."
            )
        both = p.copy()
        both[features] = np.maximum(by_labels, by_copies)
        return both

    def _beside_copies(self, features: Ints, at_once: int, times: int) -> Floats:
        """Scores of features and of permuted copies of them in the same fits.

        (2, times, d), NaN where there is none.
        """
        scores = np.full((2, times, self.data.shape[1]), np.nan)
        try:
            for group in np.array_split(features, -(-len(features) // at_once)):
                self._fit_group(group, scores)
        except KeyboardInterrupt:
            self.complete = False
        return scores

    def _fit_group(self, group: Ints, scores: Floats) -> None:
        """Fill the columns of a group, one fit for each row."""
        _, times, d = scores.shape
        orders = [self.random.permutation(self.data.shape[0]) for _ in range(times)]

        def more(t: int) -> Dataset:
            return self.data.with_probes(group, orders[t])

        def keep(t: int, fitted: Any) -> None:
            found = statistic_of(fitted)
            scores[0, t, group], scores[1, t, group] = found[group], found[d:]

        call = self.call._replace(unit="fits with permuted copies")
        refit(for_probes(self.selector, group), more, keep, times, call)


def _copies_in_words(features: int, fewest: int, most: int) -> str:
    """A sentence to add to another."""
    what = "1 feature" if features == 1 else f"{features} features"
    times = f"{most}" if fewest == most else f"{fewest} to {most}"
    return (
        f" Then the {what} with p ≤ {LEVEL} were compared with permuted copies of "
        f"themselves, {times} each, added to the table; the larger p-value counts."
    )
