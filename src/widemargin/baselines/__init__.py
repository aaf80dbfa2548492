"""What margins are compared with: the usual filters, with the same interface."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from widemargin.catalogue import homes

if TYPE_CHECKING:
    from widemargin.baselines.fisher import FisherScore as FisherScore
    from widemargin.baselines.fisher import TraceRatio as TraceRatio
    from widemargin.baselines.forest import ForestImportance as ForestImportance
    from widemargin.baselines.information import FCBF as FCBF
    from widemargin.baselines.information import InformationGain as InformationGain
    from widemargin.baselines.laplacian import LaplacianScore as LaplacianScore
    from widemargin.baselines.mrmr import MRMR as MRMR
    from widemargin.baselines.similarity import FeatureSimilarity as FeatureSimilarity
    from widemargin.baselines.univariate import FRegression as FRegression
    from widemargin.baselines.univariate import MutualInformation as MutualInformation
    from widemargin.baselines.univariate import PearsonScore as PearsonScore

_HOME = homes("widemargin.baselines")

__all__ = [*_HOME]


if not TYPE_CHECKING:  # type checkers would take any name for one of ours

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            return getattr(import_module(_HOME[name]), name)
        raise AttributeError(f"module 'widemargin.baselines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
