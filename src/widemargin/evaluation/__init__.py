"""How good a selection is: validation tools.

Names are imported when they are first used. Modules with an underscore are called after
their function, which the import of a module of the same name would displace.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from widemargin.evaluation._compare import compare
    from widemargin.evaluation._comparison_result import Comparison
    from widemargin.evaluation._curves import SelectionCurve
    from widemargin.evaluation._defaults import default_selectors
    from widemargin.evaluation._profile import Profile, profile
    from widemargin.evaluation._ranking_tree import RankingTree, rank_loss
    from widemargin.evaluation._redundancy import Redundancy, redundancy
    from widemargin.evaluation._resampling import Resampling, resample
    from widemargin.evaluation._selection_curve import selection_curve
    from widemargin.evaluation._signal import Signal, signal
    from widemargin.evaluation._significance import Significance, significance
    from widemargin.evaluation._stability import (
        Agreement,
        Stability,
        agreement,
        stability,
    )

_HOME = {
    "Agreement": "widemargin.evaluation._stability",
    "Comparison": "widemargin.evaluation._comparison_result",
    "Profile": "widemargin.evaluation._profile",
    "RankingTree": "widemargin.evaluation._ranking_tree",
    "Redundancy": "widemargin.evaluation._redundancy",
    "Resampling": "widemargin.evaluation._resampling",
    "SelectionCurve": "widemargin.evaluation._curves",
    "Signal": "widemargin.evaluation._signal",
    "Significance": "widemargin.evaluation._significance",
    "Stability": "widemargin.evaluation._stability",
    "agreement": "widemargin.evaluation._stability",
    "compare": "widemargin.evaluation._compare",
    "default_selectors": "widemargin.evaluation._defaults",
    "profile": "widemargin.evaluation._profile",
    "rank_loss": "widemargin.evaluation._ranking_tree",
    "redundancy": "widemargin.evaluation._redundancy",
    "resample": "widemargin.evaluation._resampling",
    "selection_curve": "widemargin.evaluation._selection_curve",
    "signal": "widemargin.evaluation._signal",
    "significance": "widemargin.evaluation._significance",
    "stability": "widemargin.evaluation._stability",
}

__all__ = [
    "Agreement",
    "Comparison",
    "Profile",
    "RankingTree",
    "Redundancy",
    "Resampling",
    "SelectionCurve",
    "Signal",
    "Significance",
    "Stability",
    "agreement",
    "compare",
    "default_selectors",
    "profile",
    "rank_loss",
    "redundancy",
    "resample",
    "selection_curve",
    "signal",
    "significance",
    "stability",
]


if not TYPE_CHECKING:  # type checkers would take any name for one of ours

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            return getattr(import_module(_HOME[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
