"""Synthetic data sets: which features are relevant is known."""

from widemargin.datasets.epistasis import make_epistasis, penetrance
from widemargin.datasets.synthetic import (
    append_noise,
    make_gaussian_relevant,
    make_ordinal,
    make_quadrants,
    make_xor,
)

__all__ = [
    "append_noise",
    "make_epistasis",
    "make_gaussian_relevant",
    "make_ordinal",
    "make_quadrants",
    "make_xor",
    "penetrance",
]


def __dir__() -> list[str]:
    return sorted(__all__)
