"""Feature selection, by a wide margin.

Public names are imported when they are first used: `import widemargin` is light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from widemargin._version import __version__

if TYPE_CHECKING:
    from widemargin import baselines, compat, datasets, evaluation, margin, plotting
    from widemargin.algorithms.frll import FRLL
    from widemargin.algorithms.gflip import GFlip
    from widemargin.algorithms.irelief import IRelief
    from widemargin.algorithms.kernel_rfe import KernelRFE
    from widemargin.algorithms.lmba import LMBA
    from widemargin.algorithms.ordinal import OReliefF, OSimba
    from widemargin.algorithms.relief import Relief, ReliefF
    from widemargin.algorithms.rrelieff import RReliefF
    from widemargin.algorithms.separability import IPCMSR, IPICSR
    from widemargin.algorithms.simba import Simba
    from widemargin.algorithms.surf import SURF, MultiSURF, MultiSURFStar, SURFStar
    from widemargin.algorithms.turf import TuRF
    from widemargin.catalogue import methods
    from widemargin.evaluation._auto import AutoSelector
    from widemargin.report import report
    from widemargin.selection import Selection
    from widemargin.warming import warm

_HOME = {
    "methods": "widemargin.catalogue",
    "KernelRFE": "widemargin.algorithms.kernel_rfe",
    "Relief": "widemargin.algorithms.relief.relief",
    "ReliefF": "widemargin.algorithms.relief.relieff",
    "Simba": "widemargin.algorithms.simba",
    "GFlip": "widemargin.algorithms.gflip",
    "LMBA": "widemargin.algorithms.lmba",
    "FRLL": "widemargin.algorithms.frll",
    "IPCMSR": "widemargin.algorithms.separability.ratios",
    "IPICSR": "widemargin.algorithms.separability.ratios",
    "OReliefF": "widemargin.algorithms.ordinal.orelieff",
    "OSimba": "widemargin.algorithms.ordinal.osimba",
    "RReliefF": "widemargin.algorithms.rrelieff",
    "SURF": "widemargin.algorithms.surf.selectors",
    "SURFStar": "widemargin.algorithms.surf.selectors",
    "MultiSURF": "widemargin.algorithms.surf.selectors",
    "MultiSURFStar": "widemargin.algorithms.surf.selectors",
    "IRelief": "widemargin.algorithms.irelief",
    "TuRF": "widemargin.algorithms.turf",
    "Selection": "widemargin.selection",
    "AutoSelector": "widemargin.evaluation._auto",
    "warm": "widemargin.warming",
}
# `report` can be called: the package passes it on to its function of that name.
_MODULES = (
    "baselines",
    "compat",
    "datasets",
    "evaluation",
    "margin",
    "plotting",
    "report",
)

__all__ = [
    "FRLL",
    "IPCMSR",
    "IPICSR",
    "LMBA",
    "SURF",
    "AutoSelector",
    "GFlip",
    "IRelief",
    "KernelRFE",
    "MultiSURF",
    "MultiSURFStar",
    "OReliefF",
    "OSimba",
    "RReliefF",
    "Relief",
    "ReliefF",
    "SURFStar",
    "Selection",
    "Simba",
    "TuRF",
    "__version__",
    "baselines",
    "compat",
    "datasets",
    "evaluation",
    "margin",
    "methods",
    "plotting",
    "report",
    "warm",
]


if not TYPE_CHECKING:  # type checkers would take any name for one of ours

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            return getattr(import_module(_HOME[name]), name)
        if name in _MODULES:
            return import_module(f"widemargin.{name}")
        raise AttributeError(f"module 'widemargin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
