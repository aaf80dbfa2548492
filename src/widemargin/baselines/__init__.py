"""What margins are compared with: the usual filters, with the same interface."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from widemargin.baselines.correlation import PearsonScore
    from widemargin.baselines.fcbf import FCBF
    from widemargin.baselines.fisher import FisherScore, TraceRatio
    from widemargin.baselines.forest import ForestImportance
    from widemargin.baselines.information import InformationGain
    from widemargin.baselines.laplacian import LaplacianScore
    from widemargin.baselines.mrmr import MRMR
    from widemargin.baselines.similarity import FeatureSimilarity
    from widemargin.baselines.univariate import FRegression, MutualInformation

_HOME = {
    "FisherScore": "widemargin.baselines.fisher",
    "TraceRatio": "widemargin.baselines.fisher",
    "PearsonScore": "widemargin.baselines.correlation",
    "LaplacianScore": "widemargin.baselines.laplacian",
    "InformationGain": "widemargin.baselines.information",
    "MRMR": "widemargin.baselines.mrmr",
    "FCBF": "widemargin.baselines.fcbf",
    "FeatureSimilarity": "widemargin.baselines.similarity",
    "ForestImportance": "widemargin.baselines.forest",
    "FRegression": "widemargin.baselines.univariate",
    "MutualInformation": "widemargin.baselines.univariate",
}

__all__ = [
    "FCBF",
    "MRMR",
    "FRegression",
    "FeatureSimilarity",
    "FisherScore",
    "ForestImportance",
    "InformationGain",
    "LaplacianScore",
    "MutualInformation",
    "PearsonScore",
    "TraceRatio",
]


if not TYPE_CHECKING:  # type checkers would take any name for one of ours

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            return getattr(import_module(_HOME[name]), name)
        raise AttributeError(f"module 'widemargin.baselines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
