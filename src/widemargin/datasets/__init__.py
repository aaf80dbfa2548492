"""Data sets: synthetic ones whose relevant features are known, and public ones."""

import builtins

from widemargin.datasets.epistasis import make_epistasis, penetrance
from widemargin.datasets.loading import list, load
from widemargin.datasets.noise import append_noise
from widemargin.datasets.synthetic import (
    make_gaussian_relevant,
    make_ordinal,
    make_quadrants,
    make_xor,
)

__all__ = [
    "append_noise",
    "list",
    "load",
    "make_epistasis",
    "make_gaussian_relevant",
    "make_ordinal",
    "make_quadrants",
    "make_xor",
    "penetrance",
]


def __dir__() -> builtins.list[str]:
    return sorted(__all__)
