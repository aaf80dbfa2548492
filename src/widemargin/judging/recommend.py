"""What to keep: the method, how near copies are treated, and how many features.

Each configuration (a method, a similarity from which features are skipped or none, a
size) is scored in the same folds of a repeated cross-validation, with the ranking
inside them. The rule (1 to 3 are `widemargin.judging.choice.choose`):

1. all configurations whose mean score is within one standard error of the best are as
   good as each other;
2. of these, the one whose selections in the folds agree most (Nogueira's index) is
   recommended;
3. of several, the one with the fewest features, then with the higher score;
4. if all features together score higher than that by more than one standard error of
   the paired difference, selection does not help, and all are recommended.

The standard error in 1 is mostly that of rows that are hard for all configurations
alike. It says which of many small sets may be called equal, but would also hide that
all of them are worse than no selection; the difference in the same folds does not.

If the number of features is given, there is nothing to save by a lower score: the
highest decides, then the stability.

The score of what was recommended is too high, since it was chosen for it. So the choice
itself is cross-validated: for each fold of the first repeat the rule is applied to
folds of the rows outside it, and the fold is scored with what they recommend. The mean
of that is the score reported. Large tables save these fits (`Plan.without_each`):
there, the other folds of the repeat choose. Their training rows include those of the
fold, so that some optimism is left: two rows that are each other's nearest neighbours,
in different folds, are right or wrong together.

`AutoSelector` spares the later repeats those methods that are clearly behind in the
first (`Evidence.clearly_behind`).

References
----------
C. Nadeau, Y. Bengio, *Inference for the generalization error*, Machine Learning 52,
2003 (the corrected resampled t-test).
S. Nogueira, K. Sechidis, G. Brown, *On the stability of feature selection algorithms*,
Journal of Machine Learning Research 18, 2018.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from widemargin.data.protocol import Floats, Ints
from widemargin.judging.choice import (
    TIE,
    allowance,
    choose,
    fold_variance,
    scores_without,
)

LEVEL = 0.05  # of the test whether fewer features score better than all


class Configuration(NamedTuple):
    """One way to select features."""

    method: str
    redundancy: float | None  # similarity from which features are skipped
    n_features: int


class Recommendation(NamedTuple):
    """What the rule recommends, and what is known about it."""

    configuration: Configuration
    score: float  # corrected for having been chosen
    stderr: float
    judged: float  # mean over the folds, not corrected
    stability: float  # of the selections in the folds; NaN for all features
    p_value: float  # that it scores no better than all features do

    @property
    def better_than_all(self) -> bool:
        """Whether a paired test over the folds supports that."""
        return self.p_value < LEVEL


@dataclass(frozen=True, eq=False)
class Evidence:
    """Scores of all configurations in all folds, and what they select there."""

    configurations: list[Configuration]  # Q of them
    scores: Floats  # (V, Q)
    stability: Floats  # (Q,) of the selections; −∞ for all features
    score_all: Floats  # (V,) with all features
    repeat: Ints  # (V,) number of the repeat that a fold belongs to
    tested: Ints  # (V,) rows
    trained: Ints  # (V,)
    orders: dict[tuple[str, float | None], list[Ints]]  # columns, best first, by fold
    n_features_in: int
    share: bool = True  # whether scores between 0 and 1 are shares of the rows
    # The same without the rows of each fold of the first repeat; none for large tables.
    nested: tuple[Evidence, ...] = ()

    @cached_property
    def sizes(self) -> Ints:
        """Numbers of features."""
        return np.array([c.n_features for c in self.configurations])

    @cached_property
    def errors(self) -> Floats:
        """Standard errors of the mean scores.

        Those of the folds of one repeat. They are at least those of a share of the
        rows, if the score is between 0 and 1 as shares are, and there are classes.
        """
        variance = fold_variance(self.scores, self.repeat)
        if self.share:
            p = np.clip(self.scores.mean(axis=0), 0.0, 1.0)
            n = self.tested.sum() / len(np.unique(self.repeat))
            variance = np.maximum(variance, p * (1 - p) / n)
        return np.sqrt(variance)

    def selected(self, configuration: Configuration) -> NDArray[np.bool_]:
        """What a configuration selects in each fold, (V, d)."""
        method, redundancy, k = configuration
        if k == self.n_features_in:
            return np.ones((len(self.repeat), k), np.bool_)
        Z = np.zeros((len(self.repeat), self.n_features_in), np.bool_)
        for v, order in enumerate(self.orders[method, redundancy]):
            Z[v, order[:k]] = True
        return Z

    def recommend(self, first: Evidence | None = None) -> Recommendation:
        """Apply the rule, and correct the score for it.

        ``first`` is the evidence of the first repeat of the folds, if methods were
        dropped after it: all rows had a part in that, so that only the folds in which
        all methods compete can tell what the choice is worth.
        """
        q = self._pick()
        chosen = self.configurations[q]
        if chosen.n_features == self.n_features_in:
            # With all features it makes no difference who ranked them. The label is
            # then the best method's below full size.
            best = self.configurations[self._choose(self.scores, self.errors)]
            chosen = chosen._replace(method=best.method)
        uncorrected = float(self.scores[:, q].mean())
        stability = float(self.stability[q])
        return Recommendation(
            chosen,
            min(uncorrected, (first or self)._honest()),
            float(self.errors[q]),
            uncorrected,
            stability if np.isfinite(stability) else np.nan,
            paired_p_value(
                self.scores[:, q] - self.score_all, self.tested, self.trained
            ),
        )

    def part(self, method: str) -> Evidence:
        """The configurations of one method alone."""
        everything, d = self.configurations, self.n_features_in
        own = [
            q
            for q, c in enumerate(everything)
            if c.method == method or c.n_features == d
        ]
        return replace(
            self._some(own),
            configurations=[everything[q]._replace(method=method) for q in own],
            orders={(method, None): [np.arange(d)] * len(self.repeat), **self.orders},
        )

    def _some(self, which: list[int]) -> Evidence:
        return replace(
            self,
            configurations=[self.configurations[q] for q in which],
            scores=self.scores[:, which],
            stability=self.stability[which],
            nested=tuple(without._some(which) for without in self.nested),
        )

    def clearly_behind(self) -> set[str]:
        """Methods that further repeats of the folds would hardly recommend.

        No configuration of theirs is as good as the best by the rule, nor would it be
        if it scored higher by a standard error of its paired difference to the best.
        A method that is dropped although it is the better one is so by little.
        """
        V, means = len(self.scores), self.scores.mean(axis=0)
        if V < 2:
            return set()
        best = int(np.argmax(means))
        differences = self.scores - self.scores[:, [best]]
        luck = differences.std(axis=0, ddof=1) / np.sqrt(V)
        allowed = allowance(means, self.errors, self.sizes)
        reach = means - means[best] + allowed + luck
        methods = [c.method for c in self.configurations]
        in_reach = {m for m, r in zip(methods, reach, strict=True) if r >= -TIE}
        return set(methods) - in_reach - {methods[best]}

    def _pick(self, folds: Ints | None = None, wider: float = 1.0) -> int:
        """Number of the recommended configuration, by all folds or some of them.

        ``wider`` is a factor for the standard errors.
        """
        some = np.arange(len(self.scores)) if folds is None else folds
        q = self._choose(self.scores[some], self.errors * wider)
        (everything,) = np.nonzero(self.sizes == self.n_features_in)
        if len(everything) and self._all_score_higher(some, q):
            return int(everything[0])
        return q

    def _choose(self, scores: Floats, errors: Floats) -> int:
        """The same before it is compared with all features."""
        return choose(scores.mean(axis=0), errors, self.sizes, self.stability)

    def _all_score_higher(self, folds: Ints, q: int) -> bool:
        """Whether they do by more than a standard error of the paired difference."""
        more, repeat = self.score_all[folds] - self.scores[folds, q], self.repeat[folds]
        if np.unique(repeat, return_counts=True)[1].min() < 2:
            return False
        return bool(more.mean() > np.sqrt(fold_variance(more, repeat)) + TIE)

    def _honest(self) -> float:
        """Mean score of the folds with what is recommended without their rows.

        Where there is no evidence without them, it is what the other folds of their
        repeat recommend, whose training rows include them. Infinite if there are none.
        """
        if self.nested:
            own = self.scores[: len(self.nested)]
            return float(np.mean(scores_without(own, lambda v: self.nested[v]._pick())))
        others = [
            np.flatnonzero((self.repeat == r) & (np.arange(len(self.repeat)) != v))
            for v, r in enumerate(self.repeat)
        ]
        if min(map(len, others)) == 0:
            return np.inf

        def pick(v: int) -> int:
            m = len(others[v])
            return self._pick(others[v], np.sqrt((m + 1) / m))  # fewer rows tell less

        return float(np.mean(scores_without(self.scores, pick)))


def paired_p_value(differences: Floats, tested: Ints, trained: Ints) -> float:
    """The corrected resampled t-test: p-value that the mean difference is not above 0.

    Folds share most of their training rows; the variance is corrected for that by the
    ratio of test to training rows.
    """
    J = len(differences)
    mean = float(differences.mean())
    if J < 2:
        return 1.0
    variance = float(differences.var(ddof=1)) * (
        1 / J + float(np.mean(tested / trained))
    )
    if variance <= 0:
        return 0.0 if mean > 0 else 1.0
    return float(student.sf(mean / np.sqrt(variance), J - 1))


def stabilities(orders: Sequence[Ints], sizes: Ints, d: int) -> Floats:
    """Nogueira's index of the best k features of several rankings, for each k < d."""
    M = len(orders)
    counts, done = np.zeros(d), 0
    found = np.zeros(len(sizes))
    for s, k in enumerate(sizes):
        for order in orders:
            counts[order[done:k]] += 1
        done = int(k)
        p, share = counts / M, k / d
        if M > 1:
            spread = M / (M - 1) * float(np.mean(p * (1 - p)))
            found[s] = 1 - spread / (share * (1 - share))
    return found
