"""Relations: which rows count as neighbours of which, by class.

A relation is a matrix of slots: ``slots[a, b]`` is the list that a row of class b
enters for a query of class a; −1 keeps it out. The slots of one query are searched
together, each for its own k nearest rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from widemargin.data.protocol import Ints

HIT, MISS = 0, 1
HIGHER, LOWER = 1, 2


def hits_and_misses(n_classes: int) -> Ints:
    """Slot 0: same class. Slot 1: all other classes together."""
    return np.where(np.eye(n_classes, dtype=bool), HIT, MISS).astype(np.int64)


def hits_higher_and_lower(n_classes: int) -> Ints:
    """Slot 0: same class. Slots 1 and 2: all classes above, and all below, together."""
    c = np.arange(n_classes)
    return np.array([HIT, HIGHER, LOWER])[np.sign(c - c[:, None])]


def each_class(n_classes: int) -> Ints:
    """One slot per class."""
    return np.tile(np.arange(n_classes, dtype=np.int64), (n_classes, 1))


def misses_only(n_classes: int) -> Ints:
    """One slot for all other classes together."""
    return np.where(np.eye(n_classes, dtype=bool), -1, 0).astype(np.int64)


def anyone(n_classes: int) -> Ints:
    """One slot for all rows, whatever their class."""
    return np.zeros((n_classes, n_classes), np.int64)


def slot_members(slots: Ints, counts: Ints, *, outside: bool = False) -> Ints:
    """(C, S): how many rows each slot has for a query of each class.

    ``counts`` are the rows of each class. The query is one of them, and not its own
    neighbour, unless it is from ``outside``.
    """
    members = np.zeros((len(counts), int(slots.max()) + 1), np.int64)
    for a, row in enumerate(slots):
        others = counts - (0 if outside else np.arange(len(counts)) == a)
        np.add.at(members[a], row[row >= 0], others[row >= 0])
    return np.maximum(members, 0)


def class_coefficients(P: NDArray[np.float64]) -> NDArray[np.float64]:
    """What neighbours of each class count for a query of each class, in ReliefF.

    Hits count −1 together, misses of class C count P(C) / (1 − P(y)), given the
    probabilities P of the classes: entry [y, C].
    """
    coefficients = P / (1 - P[:, None])
    np.fill_diagonal(coefficients, -1.0)
    return coefficients
