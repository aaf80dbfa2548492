"""Neighbours: which rows are eligible, which were found, and what they count.

A *relation* is a matrix of slots: ``slots[a, b]`` is the list that a row of class b
enters for a query of class a; −1 keeps it out. The slots of one query are searched
together, each for its own k nearest rows.

Influences: M. Robnik-Šikonja, I. Kononenko, *Theoretical and empirical analysis of
ReliefF and RReliefF*, 2003, eq. 13 and 14.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from widemargin.data.protocol import Floats, Ints
from widemargin.kernels.records import TIE, Edges

HIT, MISS = 0, 1
HIGHER, LOWER = 1, 2

WEIGHTS = {"uniform", "rank", "distance"}


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
    """One slot for all rows of any class."""
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


def class_coefficients(P: Floats) -> Floats:
    """What neighbours of each class count for a query of each class, in ReliefF.

    Hits count −1 together, misses of class C count P(C) / (1 − P(y)), given the
    probabilities P of the classes: entry [y, C].
    """
    coefficients = P / (1 - P[:, None])
    np.fill_diagonal(coefficients, -1.0)
    return coefficients


class ReliefRule(NamedTuple):
    """What the neighbours of a method of the Relief family are and count."""

    k: int
    slots: Ints  # (C, C) the relation
    coefficients: Floats  # (C, S) for a query of each class and each slot
    metric: str = "euclidean"


@dataclass(frozen=True)
class Neighbors:
    """Nearest rows of a block of queries: group q·S + s is slot s of query q."""

    queries: Ints  # (m,) rows of the table
    n_slots: int
    offsets: Ints  # (m·S + 1,) group g is entries offsets[g] … offsets[g+1]−1
    rows: Ints  # the neighbours, ascending in each group
    share: Floats  # 1, or less where rows tied at the k-th place share it
    distances: Floats | None

    @property
    def counts(self) -> Ints:
        """(m, S) entries of each group."""
        return np.diff(self.offsets).reshape(-1, self.n_slots)

    def single_distances(self) -> Floats:
        """(m, S) distances where at most one neighbour was asked for; NaN for none."""
        assert self.distances is not None
        table = np.full(self.counts.shape, np.nan)
        table[self.counts > 0] = self.distances
        return table

    def edges(self, coefficients: Floats, w: Floats | None = None) -> Edges:
        """Edges from queries to neighbours; a group's edges sum to its coefficient.

        With weights of all rows, neighbours share it in proportion to theirs.

        Parameters
        ----------
        coefficients : array of shape (m, S)
        w : array of shape (n,), default=None
        """
        counts = np.diff(self.offsets)
        if w is None:
            # Shares of a group sum to a whole number, the k or fewer that are wanted.
            sums = np.concatenate([[0.0], np.cumsum(self.share)])
            total = np.maximum(np.rint(np.diff(sums[self.offsets])), 1.0)
            weight = self.share * np.repeat(coefficients.ravel() / total, counts)
        else:
            weight = shares(self.share * w[self.rows], counts)
            weight *= np.repeat((coefficients * w[self.queries, None]).ravel(), counts)
        heads = np.repeat(np.repeat(self.queries, self.n_slots), counts)
        return Edges(heads, self.rows, weight)


def shares(weight: Floats, counts: Ints) -> Floats:
    """Weights as shares of the sum over their group, of ``counts`` entries each."""
    group = np.repeat(np.arange(len(counts)), counts)
    return weight / np.bincount(group, weight)[group]


def influences(block: Neighbors, k: int, weights: str, sigma: float) -> Floats:
    """Weight of each neighbour; those of one query and slot sum to 1.

    The r-th nearest counts exp(−(r/sigma)²) by "rank", 1 if "uniform", and 1/distance
    by "distance", where rows at distance 0 take all the weight. Rows that are equally
    near share the weight of the places that they take together.

    Parameters
    ----------
    block : Neighbors
        With distances, and with all rows that tie for the k-th place.
    k : int
        Places that count.
    weights : {"uniform", "rank", "distance"}
    sigma : float

    Returns
    -------
    weights : array of shape (n_entries,)
        In the order of ``block.rows``.
    """
    assert block.distances is not None
    counts = np.diff(block.offsets)
    group = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((block.distances, group))
    D = block.distances[order]
    place = np.arange(len(D)) - np.repeat(block.offsets[:-1], counts)
    weight = _weight_of_place(place, D, group, weights, sigma)
    weight[place >= k] = 0.0  # tied with the k-th: they share what the others have
    weight /= np.bincount(group, weight)[group]
    tied = _tie_groups(D, group)
    shared = np.bincount(tied, weight) / np.bincount(tied)
    p = np.empty(len(D))
    p[order] = shared[tied]
    return p


def _weight_of_place(
    place: Ints, D: Floats, group: Ints, weights: str, sigma: float
) -> Floats:
    """What neighbours count by their place in a group, not made to sum to 1."""
    if weights == "rank":
        # Relative to the nearest, which cancels: a small sigma leaves that one.
        return np.exp((1 - (place + 1.0) ** 2) / sigma**2)
    if weights == "uniform":
        return np.ones(len(D))
    same = np.bincount(group, D == 0)[group] > 0
    with np.errstate(divide="ignore"):
        return np.where(same, (D == 0).astype(float), 1 / D)


def _tie_groups(D: Floats, group: Ints) -> Ints:
    """Numbers of runs of equal distances; D ascends in each group."""
    begins = np.ones(len(D), np.bool_)
    begins[1:] = (group[1:] != group[:-1]) | (D[1:] > D[:-1] * (1 + TIE))
    return np.cumsum(begins) - 1
