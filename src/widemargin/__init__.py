"""Feature selection, by a wide margin.

Public names are imported when they are first used: `import widemargin` is light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from widemargin._version import __version__

if TYPE_CHECKING:
    from widemargin import baselines, compat, datasets, evaluation, margin, plotting
    from widemargin.catalogue import methods
    from widemargin.evaluation._auto import AutoSelector
    from widemargin.reporting import report
    from widemargin.selection import Selection
    from widemargin.selectors.frll import FRLL
    from widemargin.selectors.gflip import GFlip
    from widemargin.selectors.irelief import IRelief
    from widemargin.selectors.kernel_rfe import KernelRFE
    from widemargin.selectors.lmba import LMBA
    from widemargin.selectors.ordinal import OReliefF, OSimba
    from widemargin.selectors.relief import Relief, ReliefF
    from widemargin.selectors.rrelieff import RReliefF
    from widemargin.selectors.separability import IPCMSR, IPICSR
    from widemargin.selectors.simba import Simba
    from widemargin.selectors.surf import SURF, MultiSURF, MultiSURFStar, SURFStar
    from widemargin.selectors.turf import TuRF
    from widemargin.warming import warm

_HOME = {
    "methods": "widemargin.catalogue",
    "KernelRFE": "widemargin.selectors.kernel_rfe",
    "Relief": "widemargin.selectors.relief.relief",
    "ReliefF": "widemargin.selectors.relief.relieff",
    "Simba": "widemargin.selectors.simba",
    "GFlip": "widemargin.selectors.gflip",
    "LMBA": "widemargin.selectors.lmba",
    "FRLL": "widemargin.selectors.frll",
    "IPCMSR": "widemargin.selectors.separability.ratios",
    "IPICSR": "widemargin.selectors.separability.ratios",
    "OReliefF": "widemargin.selectors.ordinal.orelieff",
    "OSimba": "widemargin.selectors.ordinal.osimba",
    "RReliefF": "widemargin.selectors.rrelieff",
    "SURF": "widemargin.selectors.surf.selectors",
    "SURFStar": "widemargin.selectors.surf.selectors",
    "MultiSURF": "widemargin.selectors.surf.selectors",
    "MultiSURFStar": "widemargin.selectors.surf.selectors",
    "IRelief": "widemargin.selectors.irelief",
    "TuRF": "widemargin.selectors.turf",
    "Selection": "widemargin.selection",
    "AutoSelector": "widemargin.evaluation._auto",
    "report": "widemargin.reporting",
    "warm": "widemargin.warming",
}
_MODULES = (
    "baselines",
    "compat",
    "datasets",
    "evaluation",
    "margin",
    "plotting",
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
