"""How a score is read: its name, which way is better, whether it is a share.

A scorer of scikit-learn is always higher for better, so a loss comes out negative and
is called ``neg_…``. People read the loss itself. Tables, axes and sentences therefore
show ``sign`` times what the scorer returns, under ``name``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

LOPSIDED = 4  # times the smallest class, beyond which classes count alike, not rows
# Scores that read best in per cent.
SHARES = ("accuracy", "balanced_accuracy")
SPOKEN = {
    "roc_auc": "ROC AUC",
    "roc_auc_ovr": "ROC AUC (one-vs-rest)",
    "roc_auc_ovo": "ROC AUC (one-vs-one)",
    "f1": "F1",
    "r2": "R²",
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
    >>> from widemargin.judging.measures import measure
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
