"""Public tables of a size that thirty methods can be run on.

``SIZES`` are the design tables: methods of the package were tuned on them. ``FRESH``
are tables that nobody here had used before the protocol was written. ``NUMERIC`` have a
numeric target, ``KNOWN`` of which are part of the package's own data sets.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from evidence.data import Sets
from evidence.framework.running import Missing
from evidence.study.collect import CLASSES, NUMBERS
from evidence.truth.tables import parts, public
from widemargin.datasets import make_xor

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
FRESH = tuple(CLASSES)
MOST_ROWS, MOST_CLASSES = 600, 15  # of a fresh table
MOST_FEATURES = 2500  # taken at random of a wider table
RARE = 6  # rows of a class from which on it can be in all folds of a split
WIDE = 60  # features from which on a table is called wide

KNOWN = ("diabetes", "boston_housing", "auto_mpg", "cpu_performance")
NUMERIC = (*KNOWN, *NUMBERS)

# Parity of the first features among noise: rows, features, features that matter. These
# are shown by themselves and have no part in the comparisons.
MADE = {"xor of 2": (300, 30, 2), "xor of 3": (600, 30, 3)}


class Table(NamedTuple):
    """Features, target, groups of rows, and which features are nominal."""

    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray | None = None
    nominal: tuple[int, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of table by which the protocol groups them."""
        if self.X.shape[1] >= WIDE:
            return "wide"
        return "mixed" if self.nominal else "narrow"


@cache
def table(name: str, data: Sets) -> Table:
    """A table by name, without classes that have too few rows."""
    if name in MADE:
        n, d, relevant = MADE[name]
        return Table(*make_xor(n, d, relevant, random_state=0))
    found = _design(name, data) if name in SIZES else _other(name, data)
    if name not in NUMERIC:
        _, codes, counts = np.unique(found.y, return_inverse=True, return_counts=True)
        found = _rows(found, np.flatnonzero(counts[codes] >= RARE))
    d = found.X.shape[1]
    if d > MOST_FEATURES:
        chosen = np.random.default_rng(0).choice(d, MOST_FEATURES, replace=False)
        return found._replace(X=found.X[:, np.sort(chosen)])
    return found


def split_rows(name: str, found: Table, seed: int, test_size: float) -> tuple:
    """Training and test rows."""
    if name not in NUMERIC:
        return parts(found, seed, test_size)
    rows = np.arange(len(found.y))
    train, test = train_test_split(rows, test_size=test_size, random_state=seed)
    return np.sort(train), np.sort(test)


def _design(name: str, data: Sets) -> Table:
    return Table(*public(name, data, SIZES))


def _other(name: str, data: Sets) -> Table:
    """A fresh table, or one with a numeric target, cut to some rows and classes."""
    found = _known(name, data) if name in KNOWN else _collected(name)
    rows = np.arange(len(found.y))
    if name in FRESH:
        rows = rows[np.isin(found.y, np.unique(found.y)[:MOST_CLASSES])]
    if len(rows) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))
    return _rows(found, rows)


def _collected(name: str) -> Table:
    path = Path(os.environ.get("WIDEMARGIN_FRESH", ""), f"{name}.npz")
    if not path.is_file():
        raise Missing(f"{path} is not there; see evidence/study/collect.py")
    stored = np.load(path)
    return Table(
        stored["X"].astype(float), stored["y"], None, tuple(stored["nominal"].tolist())
    )


def _known(name: str, data: Sets) -> Table:
    """A table of the package's with a numeric target; medians for missing cells."""
    found = data(name, as_frame=True, raw=True)
    X, nominal = found.data, []
    for i, column in enumerate(X):
        if X[column].dtype.kind in "OSU" or str(X[column].dtype) in ("category", "str"):
            X = X.assign(**{column: np.unique(X[column], return_inverse=True)[1]})
            nominal.append(i)
    values = X.astype(float).fillna(X.median()).to_numpy()
    return Table(values, np.asarray(found.target, float), None, tuple(nominal))


def _rows(found: Table, rows: np.ndarray) -> Table:
    groups = None if found.groups is None else found.groups[rows]
    return Table(found.X[rows], found.y[rows], groups, found.nominal)
