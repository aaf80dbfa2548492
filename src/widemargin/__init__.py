"""Feature selection, by a wide margin.

Public names are imported when they are first used: `import widemargin` is light.
`methods.toml` says where each method lives.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from widemargin._version import __version__
from widemargin.catalogue import homes

# For type checkers and editors, which do not read `methods.toml`.
if TYPE_CHECKING:
    from widemargin import baselines as baselines
    from widemargin import compat as compat
    from widemargin import datasets as datasets
    from widemargin import evaluation as evaluation
    from widemargin import margin as margin
    from widemargin import plotting as plotting
    from widemargin.catalogue import methods as methods
    from widemargin.evaluation._auto import AutoSelector as AutoSelector
    from widemargin.metric.prototypes import MarginPrototypes as MarginPrototypes
    from widemargin.metric.scaler import MarginScaler as MarginScaler
    from widemargin.reporting import report as report
    from widemargin.selection import Selection as Selection
    from widemargin.selectors.frll import FRLL as FRLL
    from widemargin.selectors.gflip import GFlip as GFlip
    from widemargin.selectors.ipcmsr import IPCMSR as IPCMSR
    from widemargin.selectors.ipcmsr import IPICSR as IPICSR
    from widemargin.selectors.irelief import IRelief as IRelief
    from widemargin.selectors.kernel_rfe import KernelRFE as KernelRFE
    from widemargin.selectors.lmba import LMBA as LMBA
    from widemargin.selectors.multisurf import MultiSURF as MultiSURF
    from widemargin.selectors.multisurf import MultiSURFStar as MultiSURFStar
    from widemargin.selectors.orelieff import OReliefF as OReliefF
    from widemargin.selectors.osimba import OSimba as OSimba
    from widemargin.selectors.relief import Relief as Relief
    from widemargin.selectors.relieff import ReliefF as ReliefF
    from widemargin.selectors.rrelieff import RReliefF as RReliefF
    from widemargin.selectors.simba import Simba as Simba
    from widemargin.selectors.surf import SURF as SURF
    from widemargin.selectors.surf import SURFStar as SURFStar
    from widemargin.selectors.turf import TuRF as TuRF
    from widemargin.warming import warm as warm

_HOME = homes("widemargin") | {
    "AutoSelector": "widemargin.evaluation._auto",
    "MarginPrototypes": "widemargin.metric.prototypes",
    "MarginScaler": "widemargin.metric.scaler",
    "Selection": "widemargin.selection",
    "methods": "widemargin.catalogue",
    "report": "widemargin.reporting",
    "warm": "widemargin.warming",
}
_MODULES = ("baselines", "compat", "datasets", "evaluation", "margin", "plotting")

__all__ = ["__version__", *_HOME, *_MODULES]


if not TYPE_CHECKING:  # type checkers would take any name for one of ours

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            return getattr(import_module(_HOME[name]), name)
        if name in _MODULES:
            return import_module(f"widemargin.{name}")
        raise AttributeError(f"module 'widemargin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
