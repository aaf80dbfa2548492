"""Pictures of rankings, curves and agreement, in the manner of scikit-learn's Displays.

``from_estimator`` (or ``from_curve``, ``from_agreement``, ``from_interactions``) makes
a Display of a result, draws it and returns it; ``plot`` draws it again, as often as
wanted. ``ax_`` and ``figure_`` are the last drawing. Matplotlib is imported when
something is drawn.

Colours are those of Okabe and Ito, which people with any kind of colour vision can
tell apart; where they carry meaning, shape or text says the same.
"""

from widemargin.plotting._curve import SelectionCurveDisplay
from widemargin.plotting._heatmaps import AgreementDisplay, FeatureMapDisplay
from widemargin.plotting._interactions import InteractionsDisplay, PairDisplay
from widemargin.plotting._margins import ClassScoresDisplay, HardRowsDisplay
from widemargin.plotting._ranking import RankingDisplay

__all__ = [
    "AgreementDisplay",
    "ClassScoresDisplay",
    "FeatureMapDisplay",
    "HardRowsDisplay",
    "InteractionsDisplay",
    "PairDisplay",
    "RankingDisplay",
    "SelectionCurveDisplay",
]


def __dir__() -> list[str]:
    return sorted(__all__)
