"""Feature selection, by a wide margin.

Public names are imported when they are first used: `import widemargin` is light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from widemargin._version import __version__

if TYPE_CHECKING:
    from widemargin import baselines, datasets, margin
    from widemargin.algorithms.gflip import GFlip
    from widemargin.algorithms.relief import Relief, ReliefF
    from widemargin.algorithms.simba import Simba

_HOME = {
    "Relief": "widemargin.algorithms.relief",
    "ReliefF": "widemargin.algorithms.relief",
    "Simba": "widemargin.algorithms.simba",
    "GFlip": "widemargin.algorithms.gflip",
}
_MODULES = ("baselines", "datasets", "margin")

__all__ = [
    "GFlip",
    "Relief",
    "ReliefF",
    "Simba",
    "__version__",
    "baselines",
    "datasets",
    "margin",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _MODULES:
        return import_module(f"widemargin.{name}")
    raise AttributeError(f"module 'widemargin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
