"""What to keep: the method, how near copies are treated, and how many features.

Each configuration (a method, a similarity from which features are skipped or none, a
size) is judged in the same folds of a repeated cross-validation, with the ranking
inside them. The rule:

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
of that is the score reported. Large tables save these fits (`Curves.inner`): there,
the other folds of the repeat choose. Their training rows include those of the fold, so
that some optimism is left: two rows that are each other's nearest neighbours, in
different folds, are right or wrong together.

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

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation._folds import Curves, Tried
from widemargin.judging.sweep import THRESHOLDS

SIMILARITIES = tuple(t for t in THRESHOLDS if t is not None)
LEVEL = 0.05  # of the test whether fewer features score better than all
TIE = 1e-9  # scores and stabilities this close are equal


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

        That of the folds of one repeat: repeats are of the same rows, and do not tell
        how other rows would fare. It is at least that of a share of the rows, if the
        score is between 0 and 1 as shares are, and there are classes.
        """
        spread = np.zeros(len(self.configurations))
        repeats = np.unique(self.repeat)
        for r in repeats:
            mine = self.scores[self.repeat == r]
            if len(mine) > 1:
                spread += mine.var(axis=0, ddof=1) / len(mine)
        if not self.share:
            return np.sqrt(spread / len(repeats))
        p = np.clip(self.scores.mean(axis=0), 0.0, 1.0)
        n = self.tested.sum() / len(repeats)
        return np.sqrt(np.maximum(spread / len(repeats), p * (1 - p) / n))

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
        q, chosen = self._choice()
        judged = float(self.scores[:, q].mean())
        stability = float(self.stability[q])
        honest = (self if first is None else first)._honest()
        return Recommendation(
            chosen,
            min(judged, honest),
            float(self.errors[q]),
            judged,
            stability if np.isfinite(stability) else np.nan,
            paired_p_value(
                self.scores[:, q] - self.score_all, self.tested, self.trained
            ),
        )

    def _choice(self) -> tuple[int, Configuration]:
        """Number of the recommended configuration, and what it is.

        With all features it makes no difference who ranked them; so that is who would
        be recommended without these.
        """
        every = np.arange(len(self.scores))
        some = self._close_pick(every, self.errors)
        q = self._pick(every, self.errors)
        chosen = self.configurations[q]
        if chosen.n_features == self.n_features_in:
            chosen = chosen._replace(method=self.configurations[some].method)
        return q, chosen

    def best_of(self, method: str) -> Recommendation:
        """The same among the configurations of one method."""
        return self.part(method).recommend()

    def part(self, method: str) -> Evidence:
        """The configurations of one method alone."""
        everything, d = self.configurations, self.n_features_in
        mine = [
            q
            for q, c in enumerate(everything)
            if c.method == method or c.n_features == d
        ]
        return replace(
            self._some(mine),
            configurations=[everything[q]._replace(method=method) for q in mine],
            orders={(method, None): [np.arange(d)] * len(self.repeat), **self.orders},
        )

    def with_redundancy(self, threshold: float) -> Evidence:
        """The configurations with one similarity alone, and all features."""
        d = self.n_features_in
        fits = [
            c.redundancy == threshold or c.n_features == d for c in self.configurations
        ]
        return self._some(np.flatnonzero(fits).tolist())

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
        reach = means - means[best] + self._allowed(best, self.errors) + luck
        methods = [c.method for c in self.configurations]
        furthest: dict[str, float] = {}
        for method, value in zip(methods, reach.tolist(), strict=True):
            furthest[method] = max(value, furthest.get(method, -np.inf))
        leads = methods[best]
        return {m for m, value in furthest.items() if value < -TIE and m != leads}

    def _allowed(self, best: int, errors: Floats) -> float:
        """By how much a score may be lower than the best and count as good as it."""
        return float(errors[best]) if np.ptp(self.sizes) else 0.0

    def _pick(self, folds: Ints, errors: Floats) -> int:
        """The number of the configuration that the rule recommends by some folds."""
        q = self._close_pick(folds, errors)
        (everything,) = np.nonzero(self.sizes == self.n_features_in)
        if len(everything) and self._all_score_higher(folds, q):
            return int(everything[0])
        return q

    def _close_pick(self, folds: Ints, errors: Floats) -> int:
        """The same before it is compared with all features."""
        scores = self.scores[folds].mean(axis=0)
        best = int(np.argmax(scores))
        close = scores >= scores[best] - self._allowed(best, errors) - TIE
        steadiest = self.stability[close].max()
        if np.isfinite(steadiest):
            close &= self.stability >= steadiest - TIE
        close &= self.sizes == self.sizes[close].min()
        return int(np.argmax(np.where(close, scores, -np.inf)))

    def _all_score_higher(self, folds: Ints, q: int) -> bool:
        """Whether they do by more than a standard error of the paired difference."""
        more = self.score_all[folds] - self.scores[folds, q]
        repeat = self.repeat[folds]
        parts = [more[repeat == r] for r in np.unique(repeat)]
        if min(map(len, parts)) < 2:
            return False
        variance = np.mean([part.var(ddof=1) / len(part) for part in parts])
        return bool(more.mean() > np.sqrt(variance) + TIE)

    def _honest(self) -> float:
        """Mean score of the folds with what is recommended without their rows.

        Where that was not tried, it is what the other folds of their repeat recommend,
        whose training rows include them. Infinite if there are no others.
        """
        if self.nested:
            picks = [e._pick(np.arange(len(e.scores)), e.errors) for e in self.nested]
            return float(np.mean([self.scores[v, q] for v, q in enumerate(picks)]))
        honest = []
        for v, r in enumerate(self.repeat):
            others = np.flatnonzero(self.repeat == r)
            others = others[others != v]
            m = len(others)
            if not m:
                return np.inf
            wider = np.sqrt((m + 1) / m)  # fewer rows tell less
            honest.append(self.scores[v, self._pick(others, self.errors * wider)])
        return float(np.mean(honest))


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


def evidence_of(curves: Curves, folds: Ints | None = None) -> Evidence | None:
    """What a selection curve knows about all configurations; None if unfinished.

    ``folds`` are numbers of some of them that are finished; None is all. Methods that
    were dropped after some of the folds have no part in the evidence of all.
    """
    labels = [
        m for m in curves.selectors if folds is not None or m not in curves.dropped
    ]
    if folds is None:
        if curves.interrupted or len(curves.scores) < len(curves.pieces):
            return None
        folds = np.arange(len(curves.folds))
    V, d = len(folds), curves.data.shape[1]
    score_all = np.array([curves.scores[None, int(v)][0] for v in folds])
    configurations, scores, stability = [], [], []
    orders: dict[tuple[str, float | None], list[Ints]] = {}
    for label in labels:
        tried: list[Tried] = [curves.tried[label, int(v)] for v in folds]
        for t, threshold in enumerate([None, *curves.thresholds]):
            if t >= len(tried[0].orders):
                continue
            mine = np.array([piece.scores[t] for piece in tried])
            sizes = curves.sizes[: mine.shape[1]]
            orders[label, threshold] = [piece.orders[t] for piece in tried]
            scores.append(mine)
            stability.append(stabilities(orders[label, threshold], sizes, d))
            configurations += [Configuration(label, threshold, int(k)) for k in sizes]
    if curves.with_all:
        configurations.append(Configuration(labels[0], None, d))
        scores.append(score_all[:, None])
        stability.append(np.array([-np.inf]))
        orders.setdefault((labels[0], None), [np.arange(d)] * V)
    parts = [curves.folds[int(v)] for v in folds]
    without = [evidence_of(inner) for inner in curves.inner]
    compete = len(labels) == len(curves.selectors)
    nested = tuple(e for e in without if compete and e is not None)
    return Evidence(
        configurations,
        np.hstack(scores),
        np.concatenate(stability),
        score_all,
        curves.repeat[folds],
        np.array([len(test) for _, test in parts]),
        np.array([len(train) for train, _ in parts]),
        orders,
        d,
        not curves.data.numeric,
        nested if len(nested) == len(curves.inner) else (),
    )


def stabilities(orders: list[Ints], sizes: Ints, d: int) -> Floats:
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
