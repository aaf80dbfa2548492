"""Public tables with classes, of a size that thirty methods can be run on."""

from __future__ import annotations

from functools import cache

import numpy as np
from truth.tables import Public, parts, public

from widemargin.datasets import make_xor

__all__ = ["GROUPS", "KS", "MADE", "SIZES", "parts", "table"]

KS = (5, 10, 20)  # numbers of features that are judged

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
MOST_FEATURES = 2500  # taken at random of a wider table
RARE = 6  # rows of a class from which on it can be in all folds of a split

# Parity of the first features among noise: rows, features, features that matter. These
# are shown by themselves and have no part in the mean ranks.
MADE = {"xor of 2": (300, 30, 2), "xor of 3": (600, 30, 3)}

GROUPS = {
    "up to 34 features": (
        *("wdbc", "wine", "ionosphere", "german_numeric", "australian", "vehicle"),
        *("glass", "pima", "wine_quality_red", "boston_housing_4cls", "SWD"),
    ),
    "digits, sonar, molecules": ("digits", "sonar", "musk1", "mfeat", "mnist"),
    "over 1000 features": (
        *("yale_32x32", "orl_32x32", "yaleb_32x32", "pie_32x32_10p", "warpPIE10P"),
        "arcene",
    ),
    "Madelon": ("madelon",),
}


@cache
def table(name: str, data: str | None) -> Public:
    """A table by name, without classes that have too few rows."""
    if name in MADE:
        n, d, relevant = MADE[name]
        return Public(*make_xor(n, d, relevant, random_state=0), None)
    found = public(name, data, SIZES)
    _, codes, counts = np.unique(found.y, return_inverse=True, return_counts=True)
    keep = counts[codes] >= RARE
    X, d = found.X[keep], found.X.shape[1]
    if d > MOST_FEATURES:
        chosen = np.random.default_rng(0).choice(d, MOST_FEATURES, replace=False)
        X = X[:, np.sort(chosen)]
    groups = None if found.groups is None else found.groups[keep]
    return Public(X, found.y[keep], groups)
