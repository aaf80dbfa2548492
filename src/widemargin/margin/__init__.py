"""The margins, the evaluation functions built on them, and the error bound.

Reference: R. Gilad-Bachrach, A. Navot, N. Tishby, *Margin based feature selection:
theory and algorithms*, ICML 2004, definitions 1 to 3 and theorem 1.
"""

from widemargin.margin._bound import GeneralizationBound, generalization_bound
from widemargin.margin._margins import (
    evaluation,
    hypothesis_margins,
    sample_margins,
)
from widemargin.margin.loss import lmba_loss

__all__ = [
    "GeneralizationBound",
    "evaluation",
    "generalization_bound",
    "hypothesis_margins",
    "lmba_loss",
    "sample_margins",
]


def __dir__() -> list[str]:
    return sorted(__all__)
