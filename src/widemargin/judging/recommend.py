"""The one answer: which features to keep, and what they are worth.

`AutoSelector`, `compare` and the command all ask here, so that they agree.

*In each fold*, a method ranks the features by the training rows; features that are near
copies of better ones are skipped. How many to keep, the method itself tells by the
training rows if it can (`KernelRFE` by its leave-one-out error). Otherwise it is the
smallest number whose score in the other folds is within one standard error of the best.
The fold is then scored with these features: its rows had no part in choosing them.

*Of several methods*, those within one standard error of the best are equally good, and
the one that keeps the fewest features is chosen. If there are several, each fold is
scored with the method that the other folds choose.

*The features to keep* are the best ones of a consensus: a feature's score is the mean
of one over its rank, in the folds and by all rows, which a few rows more or less change
little. Near copies are skipped again, and the number is chosen as above, by all rows or
by all folds.

References
----------
C. Nadeau, Y. Bengio, *Inference for the generalization error*, Machine Learning 52,
2003 (the corrected resampled t-test).
K. Sechidis, K. Papangelou, S. Nogueira, J. Weatherall, G. Brown, *On the stability of
feature selection in the presence of feature correlations*, ECML PKDD 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from widemargin.data.dataset import Dataset
from widemargin.data.protocol import Floats, Ints
from widemargin.judging.scores import FoldScores
from widemargin.judging.trials import Results, own_size

LEVEL = 0.05  # of the test whether fewer features score better than all


class Outcome(NamedTuple):
    """What one method, or the rule that chooses among several, comes to in V folds."""

    scores: Floats  # (V,) each with features that were chosen without its rows
    sizes: Ints  # (V,) how many they are
    supports: NDArray[np.bool_]  # (V, d) which
    n_features: int  # to keep in the end, unless all rows can tell


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The features to keep, best first, and what is known about the choice.

    Attributes
    ----------
    method : str
        Label of the chosen method.
    selector : selector
        The method, fitted to all rows.
    columns : array of int
        The features to keep, best first.
    consensus : array of shape (n_features,)
        Mean of one over the rank in the folds and by all rows.
    ranking : array of shape (n_features,)
        By the consensus, 1 for the best feature; skipped features rank last.
    redundant_with : array of shape (n_features,)
        The better feature of which one is a near copy; −1 for the others.
    fold_scores : array of shape (n_folds,)
        Score of each fold with features that were chosen without its rows.
    score, stderr : float
        Their mean, and its standard error.
    score_all : float
        Mean score with all features.
    p_value : float
        That the choice scores no better than all features (corrected resampled t-test).
    supports : array of bool of shape (n_folds, n_features)
        What was chosen for each fold.
    """

    method: str
    selector: Any
    columns: Ints
    consensus: Floats
    ranking: Ints
    redundant_with: Ints
    fold_scores: Floats
    score: float
    stderr: float
    score_all: float
    p_value: float
    supports: NDArray[np.bool_]

    @property
    def n_features(self) -> int:
        """How many features to keep."""
        return len(self.columns)

    @property
    def better_than_all(self) -> bool:
        """Whether a paired test over the folds supports that."""
        return self.p_value < LEVEL

    @property
    def groups(self) -> Ints:
        """The feature that stands for each one: itself, or that which it is like."""
        own = np.arange(len(self.redundant_with))
        return np.where(self.redundant_with < 0, own, self.redundant_with)

    @cached_property
    def stability(self) -> float:
        """Agreement of the folds on what to keep, near copies counting as one feature.

        Nogueira's index with a similarity of 1 within groups of near copies, and of 0
        between them (Sechidis et al. 2019): 1 if all folds choose the same groups, 0 on
        average for random choices; NaN if each fold chooses all features.
        """
        return group_stability(self.supports, self.groups)

    @property
    def frequency(self) -> Floats:
        """Share of the folds that choose a feature or a near copy of it."""
        chosen = np.zeros(self.supports.shape, np.bool_)
        for support, row in zip(self.supports, chosen, strict=True):
            row[self.groups[support]] = True
        return chosen[:, self.groups].mean(axis=0)


def recommend(
    results: Results,
    labels: Sequence[str],
    fit: Callable[[str], Any],
    n_features: int | None = None,
) -> Recommendation:
    """Choose the method and the features by all folds.

    Parameters
    ----------
    results : Results
        Of all folds.
    labels : list of str
        The methods to choose from.
    fit : function of a label
        Returns the method, fitted to all rows.
    n_features : int, default=None
        How many to keep; None chooses the number, too.
    """
    plan, score_all = results.plan, _scores_of_all(results)
    outcomes = [_outcome(results, label, n_features) for label in labels]
    tried = plan.fold_scores(np.column_stack([o.scores for o in outcomes]))
    chosen = _best(tried, outcomes, tried.every)
    outcome = outcomes[chosen]
    if len(outcomes) > 1:
        by_others = [
            outcomes[_best(tried, outcomes, tried.others(v))] for v in tried.every
        ]
        outcome = outcome._replace(
            scores=np.array([o.scores[v] for v, o in enumerate(by_others)]),
            supports=np.array([o.supports[v] for v, o in enumerate(by_others)]),
        )
    method = labels[chosen]
    fitted = fit(method)
    ranks = [trial.ranking for trial in results.of(method)]
    consensus = np.mean(1 / np.array([*ranks, fitted.ranking_]), axis=0)
    order = np.lexsort((fitted.ranking_, -consensus))
    order, instead = plan.without_copies(order)
    count = int(np.count_nonzero(instead < 0))
    size = n_features or min(_size(fitted, plan.data, order[:count], outcome), count)
    ranking = np.empty(len(order), np.int64)
    ranking[order] = np.arange(1, len(order) + 1)
    return Recommendation(
        method,
        fitted,
        order[:size],
        consensus,
        ranking,
        instead,
        outcome.scores,
        float(outcome.scores.mean()),
        float(plan.fold_scores(outcome.scores[:, None]).errors(tried.every)[0]),
        float(score_all.mean()),
        paired_p_value(outcome.scores - score_all, plan.folds),
        outcome.supports,
    )


def _scores_of_all(results: Results) -> Floats:
    """Score of each fold with all features."""
    return np.array([trial.scores[0] for trial in results.of(None)])


def _outcome(results: Results, label: str, n_features: int | None) -> Outcome:
    """What a method comes to, each fold with a size chosen without its rows."""
    trials, plan = results.of(label), results.plan
    d, V = plan.data.shape[1], len(trials)
    if n_features is None and all(trial.size is not None for trial in trials):
        sizes = np.array([trial.size for trial in trials], np.int64)
        scores, final = np.array([trial.score for trial in trials]), int(sizes[-1])
    else:
        tried = np.append(plan.sizes, [d] * plan.with_all).astype(np.int64)
        table = np.array([trial.scores for trial in trials])
        if plan.with_all:
            table = np.column_stack([table, _scores_of_all(results)])
        most = np.full(V, d)
        if n_features is None:  # near copies come in only if they are asked for
            for v, trial in enumerate(trials):
                if trial.most is not None:
                    most[v], table[v, tried > trial.most] = trial.most, trial.score_most
        folds = plan.fold_scores(table)
        picks = folds.picks_without_own(tried)
        sizes, scores = np.minimum(tried[picks], most), table[folds.every, picks]
        final = int(tried[folds.pick(tried)])
    supports = np.zeros((V, d), np.bool_)
    for support, trial, size in zip(supports, trials, sizes, strict=True):
        support[trial.order[:size]] = True
    return Outcome(scores, sizes, supports, final)


def _best(tried: FoldScores, outcomes: list[Outcome], folds: Ints) -> int:
    """The method that keeps the fewest features of those that are as good as any."""
    sizes = np.array([np.median(outcome.sizes[folds]) for outcome in outcomes])
    return tried.pick(sizes, folds)


def _size(fitted: Any, data: Dataset, order: Ints, outcome: Outcome) -> int:
    """How many of an order to keep: as the method can tell by all rows, or the folds.

    A method that finds its own subset keeps as many of the order.
    """
    best: int | None = fitted._best_size(data, order)
    if best is not None:
        return best
    natural = own_size(fitted)
    if natural is None:
        return outcome.n_features
    return max(1, int(np.count_nonzero(fitted.ranking_[order] <= natural)))


def paired_p_value(differences: Floats, folds: Sequence[tuple[Ints, Ints]]) -> float:
    """The corrected resampled t-test: p-value that the mean difference is not above 0.

    Folds share most of their training rows; the variance is corrected for that by the
    ratio of test to training rows.
    """
    J = len(differences)
    mean = float(differences.mean())
    if J < 2:
        return 1.0
    ratio = np.mean([len(test) / len(train) for train, test in folds])
    variance = float(differences.var(ddof=1)) * (1 / J + float(ratio))
    if variance <= 0:
        return 0.0 if mean > 0 else 1.0
    return float(student.sf(mean / np.sqrt(variance), J - 1))


def group_stability(supports: NDArray[np.bool_], groups: Ints) -> float:
    """Stability of M selections of d features, the members of a group being alike.

    1 − tr(C S) / tr(C Σ₀), where C is 1 within groups and 0 between them, S is the
    covariance of the selections and Σ₀ that of random selections of the same sizes.
    """
    M, d = supports.shape
    sizes = supports.sum(axis=1)
    share = sizes.mean() / d
    if M < 2 or not 0 < share < 1:
        return np.nan
    members = np.unique(groups, return_inverse=True)[1]
    counts = np.array([np.bincount(members, support) for support in supports])
    spread = counts.var(axis=0, ddof=1).sum()
    pairs = float((np.bincount(members) ** 2).sum() - d)  # within groups
    together = (np.mean(sizes**2) - sizes.mean()) / (d * (d - 1)) if d > 1 else 0.0
    return float(1 - spread / (d * share * (1 - share) + pairs * (together - share**2)))
