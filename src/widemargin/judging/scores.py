"""Scores: how they are read, how sure they are, and what to choose by them.

A scorer of scikit-learn is always higher for better, so a loss comes out negative and
is called ``neg_…``. People read the loss itself. Tables, axes and sentences therefore
show ``sign`` times what the scorer returns, under ``name``: see `measure`.

Three questions about the choice of a configuration have one answer each, for
``n_features_to_select="auto"`` as for `AutoSelector`, curves and comparisons:

- `choose` is the one-standard-error rule;
- `fold_variance` is the squared standard error of a mean over folds;
- `FoldScores.picks_without_own` chooses for each fold by the other ones: the mean of
  the scores with what they choose is not too high for having been chosen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.outcomes import concordance_index, macro_f1
from widemargin.data.protocol import Floats, Ints

TIE = 1e-9  # scores this close are equal
LOPSIDED = 4  # times the smallest class, beyond which classes count alike, not rows
# What nearest neighbours are scored by if y holds no classes.
TARGET_SCORES = {
    "regression": "r2",
    "multilabel": "f1_macro",
    "survival": "concordance_index",
}
MEASURES = {"multilabel": macro_f1, "survival": concordance_index}  # of our own
# Scores that read best in per cent.
SHARES = ("accuracy", "balanced_accuracy")
SPOKEN = {
    "roc_auc": "ROC AUC",
    "roc_auc_ovr": "ROC AUC (one-vs-rest)",
    "roc_auc_ovo": "ROC AUC (one-vs-one)",
    "f1": "F1",
    "r2": "R²",
    "f1_macro": "macro F1",
    "matthews_corrcoef": "Matthews correlation",
}


class Measure(NamedTuple):
    """What to call a score and how to show it; see `measure`."""

    name: str  # without underscores and without "neg"
    sign: int  # −1 for a loss, of which the scorer returns the negative
    share: bool  # whether it reads best in per cent

    @property
    def is_loss(self) -> bool:
        """Whether lower is better in what is shown."""
        return self.sign < 0

    @property
    def axis(self) -> str:
        """Name for an axis, which says so if lower is better."""
        return f"{self.name} (lower is better)" if self.is_loss else self.name


def lopsided(class_counts: Iterable[int]) -> bool:
    """Whether accuracy says little: the largest class has over 4 times the smallest."""
    counts = list(class_counts)
    return max(counts) > LOPSIDED * min(counts)


def measure(scoring: str | None) -> Measure:
    """How the scores of a scorer of this name are read.

    Examples
    --------
    >>> from widemargin.judging.scores import measure
    >>> measure("neg_rank_loss").axis
    'rank loss (lower is better)'
    >>> measure("balanced_accuracy")
    Measure(name='balanced accuracy', sign=1, share=True)
    """
    scoring = scoring or "accuracy"
    positive = scoring.removeprefix("neg_")
    return Measure(
        SPOKEN.get(positive, positive.replace("_", " ")),
        1 if positive == scoring else -1,
        scoring in SHARES,
    )


def choose(
    scores: Floats,
    errors: Floats,
    sizes: Ints,
) -> int:
    """Apply the one-standard-error rule to Q configurations.

    All that score within one standard error of the best count as equally good. Of
    these, the smallest is chosen, then the one with the higher score, then the earlier.
    If all have the same size there is nothing to save by a lower score, and the best is
    chosen.

    Parameters
    ----------
    scores : array of shape (Q,)
    errors : array of shape (Q,)
        Standard errors of the scores.
    sizes : array of shape (Q,)
        Numbers of features.
    """
    best = np.argmax(scores >= scores.max() - TIE)
    allowed = float(errors[best]) if np.ptp(sizes) else 0.0
    close = scores >= scores.max() - allowed - TIE
    close &= sizes == sizes[close].min()
    return int(np.argmax(close & (scores >= scores[close].max() - TIE)))


def fold_variance(scores: Floats, repeat: Ints) -> Floats:
    """Squared standard errors of mean scores over folds, (V, …) → (…).

    Those of the folds of one repeat: repeats test the same rows again, and do not tell
    how other rows would fare. If no repeat has two folds, as with random splits, all
    folds count as one repeat, which makes the errors too small. 0 for a single fold.
    """
    if len(np.unique(repeat)) == len(repeat):
        repeat = np.zeros(len(repeat), np.int64)
    parts = [scores[repeat == r] for r in np.unique(repeat)]
    spreads = [part.var(axis=0, ddof=1) / len(part) for part in parts if len(part) > 1]
    return np.mean(spreads, axis=0) if spreads else np.zeros(scores.shape[1:])


@dataclass(frozen=True, eq=False)
class FoldScores:
    """Scores of Q configurations in V folds."""

    scores: Floats  # (V, Q)
    tested: Ints | Floats  # (V,) test rows, or what they are worth
    repeat: Ints  # (V,) the repeat that each fold belongs to
    shares: bool  # whether these are shares of the test rows, or like them

    def errors(self, folds: Ints) -> Floats:
        """Standard errors of mean scores over some folds, (Q,).

        They are at least those of a share of the rows, if scores are like shares.
        """
        scores, repeat = self.scores[folds], self.repeat[folds]
        variance = fold_variance(scores, repeat)
        if self.shares:
            p = np.clip(scores.mean(axis=0), 0.0, 1.0)
            rows = self.tested[folds].sum() / len(np.unique(repeat))
            variance = np.maximum(variance, p * (1 - p) / rows)
        return np.sqrt(variance)

    @property
    def every(self) -> Ints:
        """All folds."""
        return np.arange(len(self.scores))

    def others(self, v: int) -> Ints:
        """All folds but one; that one, if there are no others."""
        return np.delete(self.every, v) if len(self.scores) > 1 else self.every

    def pick(self, sizes: Ints, folds: Ints | None = None) -> int:
        """The configuration that some folds choose, or all; see `choose`."""
        some = self.every if folds is None else folds
        return choose(self.scores[some].mean(axis=0), self.errors(some), sizes)

    def picks_without_own(self, sizes: Ints) -> Ints:
        """The configuration that the other folds choose for each fold, (V,)."""
        return np.array([self.pick(sizes, self.others(v)) for v in self.every])


def repeats_of(tests: list[NDArray[np.integer]], n: int) -> Ints:
    """Number of the repeat of each fold: the first that has tested none of its rows."""
    used: list[NDArray[np.bool_]] = []
    numbers = []
    for test in tests:
        r = next((r for r, rows in enumerate(used) if not rows[test].any()), len(used))
        if r == len(used):
            used.append(np.zeros(n, np.bool_))
        used[r][test] = True
        numbers.append(r)
    return np.array(numbers)


def error_text(scoring: str, stderr: float) -> str:
    """A standard error, in the units of the score."""
    return f"{100 * stderr:.1f}" if measure(scoring).share else f"{stderr:.2g}"


def texts_apart(scoring: str, *values: float) -> list[str]:
    """Scores, or losses, with as many digits as it takes to tell them apart."""
    _, sign, percent = measure(scoring)
    for digits in (0, 1, 2) if percent else (2, 3, 4):
        texts = [
            f"{100 * v:.{digits}f} %" if percent else f"{sign * v:.{digits}f}"
            for v in values
        ]
        if len(set(texts)) == len(set(values)):
            break
    return texts
