"""What the neighbours of a sample count, by their rank or their distance.

Robnik-Šikonja and Kononenko (2003), eq. 13 and 14: the influences of the k nearest rows
fall with their rank or their distance, and sum to 1.
"""

from __future__ import annotations

import numpy as np

from widemargin.data.protocol import Floats, Ints
from widemargin.engine.neighbors import Neighbors
from widemargin.kernels import TIE

WEIGHTS = {"uniform", "rank", "distance"}


def influences(block: Neighbors, k: int, weights: str, sigma: float) -> Floats:
    """Weight of each neighbour among those of its query and slot, which sum to 1.

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
    weight = _of_place(place, D, group, weights, sigma)
    weight[place >= k] = 0.0  # tied with the k-th: they share what the others have
    weight /= np.bincount(group, weight)[group]
    tied = _tie_groups(D, group)
    shared = np.bincount(tied, weight) / np.bincount(tied)
    p = np.empty(len(D))
    p[order] = shared[tied]
    return p


def _of_place(
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
