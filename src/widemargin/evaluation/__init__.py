"""How good a selection is: validation tools.

Names are imported when they are first used. Modules with an underscore are called after
their function, which the import of a module of the same name would displace.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from widemargin.evaluation._compare import compare as compare
    from widemargin.evaluation._comparison_result import Comparison as Comparison
    from widemargin.evaluation._curves import SelectionCurve as SelectionCurve
    from widemargin.evaluation._defaults import default_selectors as default_selectors
    from widemargin.evaluation._hard_rows import HardRows as HardRows
    from widemargin.evaluation._hard_rows import hard_rows as hard_rows
    from widemargin.evaluation._interactions import Interactions as Interactions
    from widemargin.evaluation._interactions import interactions as interactions
    from widemargin.evaluation._judges import concordance_index as concordance_index
    from widemargin.evaluation._profile import Profile as Profile
    from widemargin.evaluation._profile import profile as profile
    from widemargin.evaluation._rank_loss import rank_loss as rank_loss
    from widemargin.evaluation._ranking_tree import RankingTree as RankingTree
    from widemargin.evaluation._redundancy import Redundancy as Redundancy
    from widemargin.evaluation._redundancy import redundancy as redundancy
    from widemargin.evaluation._relevance import relevance as relevance
    from widemargin.evaluation._resampling import Resampling as Resampling
    from widemargin.evaluation._resampling import resample as resample
    from widemargin.evaluation._selection_curve import (
        selection_curve as selection_curve,
    )
    from widemargin.evaluation._signal import Signal as Signal
    from widemargin.evaluation._signal import signal as signal
    from widemargin.evaluation._significance import Significance as Significance
    from widemargin.evaluation._significance import significance as significance
    from widemargin.evaluation._stability import Agreement as Agreement
    from widemargin.evaluation._stability import Stability as Stability
    from widemargin.evaluation._stability import agreement as agreement
    from widemargin.evaluation._stability import stability as stability

_NAMES = {
    "_compare": ("compare",),
    "_comparison_result": ("Comparison",),
    "_curves": ("SelectionCurve",),
    "_defaults": ("default_selectors",),
    "_hard_rows": ("HardRows", "hard_rows"),
    "_interactions": ("Interactions", "interactions"),
    "_judges": ("concordance_index",),
    "_profile": ("Profile", "profile"),
    "_rank_loss": ("rank_loss",),
    "_ranking_tree": ("RankingTree",),
    "_redundancy": ("Redundancy", "redundancy"),
    "_relevance": ("relevance",),
    "_resampling": ("Resampling", "resample"),
    "_selection_curve": ("selection_curve",),
    "_signal": ("Signal", "signal"),
    "_significance": ("Significance", "significance"),
    "_stability": ("Agreement", "Stability", "agreement", "stability"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_HOME)


if not TYPE_CHECKING:  # type checkers would take any name for one of ours

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
