"""How good a selection is: validation tools.

Names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from widemargin.evaluation.losses import rank_loss
    from widemargin.evaluation.ranking_tree import RankingTree

_HOME = {
    "RankingTree": "widemargin.evaluation.ranking_tree",
    "rank_loss": "widemargin.evaluation.losses",
}

__all__ = ["RankingTree", "rank_loss"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
