"""Columns that name groups of rows: whose they are, a patient's or a molecule's.

Rows of one patient are alike, and all have the patient's class. So such a column
predicts the class of further rows of a patient, but tells nothing about new patients.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from widemargin.data.protocol import Ints

FEWEST_GROUPS = 10  # values that occur in several rows
BY_CHANCE = 1e-6  # that all rows of each value have one class, at most


def names_groups(codes: Ints, y: Ints) -> bool:
    """Whether the values of a column, as codes, seem to name groups of rows.

    Many of them occur in several rows, and all rows of a value have the same class, as
    they would hardly have if values and classes had nothing to do with each other.
    Codes of missing values are negative.
    """
    there = codes >= 0
    codes, y = codes[there], y[there]
    if not len(codes):
        return False
    sizes = np.bincount(codes)
    if np.count_nonzero(sizes > 1) < FEWEST_GROUPS:
        return False
    n_classes = int(y.max()) + 1
    if len(np.unique(codes * n_classes + y)) > np.count_nonzero(sizes):
        return False
    return _log_chance(sizes[sizes > 1], np.bincount(y) / len(y)) < np.log(BY_CHANCE)


def _log_chance(sizes: Ints, shares: NDArray[np.float64]) -> float:
    """Logarithm of how likely groups of these sizes are to have one class each."""
    same = (shares[None, :] ** sizes[:, None]).sum(axis=1)
    with np.errstate(divide="ignore"):  # groups so large that it is 0
        return float(np.log(same).sum())
