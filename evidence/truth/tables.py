"""Public data sets as numbers, of a size that many methods can be run on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evidence.data import Sets

# At most so many rows and classes of each, by a seed of its own.
SIZES = {
    "wdbc": (569, 2),
    "digits": (900, 10),
    "ionosphere": (351, 2),
    "sonar": (208, 2),
    "musk1": (476, 2),
    "german_numeric": (1000, 2),
    "mfeat": (900, 10),
    "yale_32x32": (165, 15),
    "yaleb_32x32": (640, 10),
    "pie_32x32_10p": (600, 10),
    "warpPIE10P": (210, 10),
    "orl_32x32": (150, 15),
    "madelon": (1500, 2),
    "arcene": (200, 2),
    "mnist": (900, 10),
}
SMALL = ("wdbc", "digits")  # those that need no data folder


class Public(NamedTuple):
    """A data set."""

    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray | None


def public(name: str, data: Sets, sizes: dict[str, tuple[int, int]] = SIZES) -> Public:
    """A data set by name, made smaller if it is large."""
    found = data(name, raw=True)
    X, y, groups = found.data.astype(np.float64), np.asarray(found.target), found.groups
    n, n_classes = sizes[name]
    rng = np.random.default_rng(0)
    classes = np.unique(y)[:n_classes]
    rows = np.flatnonzero(np.isin(y, classes))
    if len(rows) > n:
        rows = np.sort(rng.choice(rows, n, replace=False))
    return Public(X[rows], y[rows], None if groups is None else groups[rows])


def parts(table: Public, seed: int, test_size: float) -> tuple[np.ndarray, np.ndarray]:
    """Training and test rows: each class evenly, and rows of a group together."""
    from sklearn.model_selection import GroupShuffleSplit, train_test_split

    rows = np.arange(len(table.y))
    if table.groups is None:
        train, test = train_test_split(
            rows, test_size=test_size, stratify=table.y, random_state=seed
        )
        return np.sort(train), np.sort(test)
    splitter = GroupShuffleSplit(1, test_size=test_size, random_state=seed)
    (pair,) = splitter.split(table.X, table.y, table.groups)
    return pair
