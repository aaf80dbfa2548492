"""Data sets whose relevant features are known."""

from widemargin.datasets.synthetic import (
    make_gaussian_relevant,
    make_ordinal,
    make_quadrants,
    make_xor,
)

__all__ = ["make_gaussian_relevant", "make_ordinal", "make_quadrants", "make_xor"]


def __dir__() -> list[str]:
    return sorted(__all__)
