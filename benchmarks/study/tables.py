"""Public tables with classes, of a size that thirty methods can be run on."""

from __future__ import annotations

import numpy as np
from truth.tables import Public, parts, public

__all__ = ["SIZES", "parts", "table"]

# Rows and classes that are taken at most.
SIZES = {
    "wdbc": (569, 2),
    "wine": (178, 3),
    "digits": (600, 10),
    "ionosphere": (351, 2),
    "sonar": (208, 2),
    "musk1": (476, 2),
    "german_numeric": (600, 2),
    "australian": (690, 2),
    "vehicle": (600, 4),
    "glass": (214, 6),
    "pima": (768, 2),
    "wine_quality_red": (600, 6),
    "boston_housing_4cls": (506, 4),
    "SWD": (600, 4),
    "madelon": (1000, 2),
    "mfeat": (500, 10),
    "mnist": (500, 10),
    "yale_32x32": (165, 15),
    "orl_32x32": (150, 15),
    "yaleb_32x32": (400, 10),
    "pie_32x32_10p": (400, 10),
    "warpPIE10P": (210, 10),
    "arcene": (200, 2),
}
RARE = 6  # rows of a class from which on it can be in all folds of a split


def table(name: str, data: str | None) -> Public:
    """A table by name, without classes that have too few rows."""
    found = public(name, data, SIZES)
    _, codes, counts = np.unique(found.y, return_inverse=True, return_counts=True)
    keep = counts[codes] >= RARE
    groups = None if found.groups is None else found.groups[keep]
    return Public(found.X[keep], found.y[keep], groups)
