"""Prototypes: the natural clusters of a class, by a linkage that is cut at its knee.

References
----------
W. W. Y. Ng, J. Wang, D. S. Yeung, *IPCM separability ratio for supervised feature
selection*, SMC 2009, equation 4.
S. Salvador, P. Chan, *Determining the number of clusters/segments in hierarchical
clustering/segmentation algorithms*, ICTAI 2004 (the L-method).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.cluster import hierarchy
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.threads import Workers, spans


def class_distances(X: Floats, workers: Workers) -> Floats:
    """Distances of all rows of a class."""
    D, rows = np.empty((len(X), len(X))), np.arange(len(X))
    workers.run(
        lambda part: kernels.distances_to_all(
            kernels.EUCLIDEAN, X, rows[part], rows, D[part]
        ),
        spans(len(X), 32),
    )
    return D


def linkage_bytes(m: int, linkage: str) -> int:
    """Memory that `class_distances` and `agglomerate` take for m rows."""
    # SciPy works on a copy of the upper triangle, which is a copy already.
    return 8 * m * m if linkage == "summed" else 16 * m * m


def agglomerate(D: Floats, linkage: str) -> tuple[Ints, Floats]:
    """Merges in the order of the greedy algorithm, and their heights.

    Merge t of m rows makes cluster m + t, as in SciPy; "summed" names the clusters that
    it joins by one of their rows instead. The upper triangle of D is used up.
    """
    m = len(D)
    if m < 2:
        return np.empty((0, 2), np.int64), np.empty(0)
    if linkage != "summed":
        Z = hierarchy.linkage(squareform(D, checks=False), linkage)
        return Z[:, :2].astype(np.int64), Z[:, 2]
    merges, heights = np.empty((m - 1, 2), np.int64), np.empty(m - 1)
    kernels.summed_linkage(D, merges, heights)
    order = np.argsort(heights, kind="stable")
    merges, heights = merges[order], heights[order]
    # Heights that tie are the same step of the stair; on it, lowest rows come first.
    step = np.cumsum(heights > np.r_[0.0, heights[:-1]] * (1 + kernels.TIE))
    return merges[np.lexsort((merges[:, 1], merges[:, 0], step))], heights


def knee(heights: Floats) -> int:
    """Number of clusters at the knee of the ascending merge heights, by the L-method.

    The curve has the height y of the next merge above each number of clusters
    x = 2 … b. It is split after x = c into two parts that a line is fitted to, so that
    their RMSE, weighted by their number of points, is least; of equal ones the
    smallest c is taken. Without a knee, there is one cluster.
    """
    y, b = heights[::-1], len(heights) + 1
    if b < 5 or y[0] - y[-1] <= kernels.TIE * y[0]:
        return 1
    c = np.arange(3, b - 1)
    left, right = line_errors(y)[c - 2], line_errors(heights)[b - c - 1]
    rmse = (np.sqrt((c - 1) * left) + np.sqrt((b - c) * right)) / (b - 1)
    return int(c[np.argmax(rmse <= rmse.min() + kernels.TIE * (y[0] - y[-1]))])


def line_errors(y: Floats) -> Floats:
    """Squared error of the best line through the first 1, 2, … of equidistant points.

    A new point at a distance e from the line through the k points before it adds
    e²/(1 + h) to the error, where h is its leverage, so that nothing cancels.
    """
    k = np.arange(2.0, len(y))
    t = (k + 1) / 2  # from the middle of the k points to the new one
    sums, moments = np.cumsum(y)[1:-1], np.cumsum(np.arange(len(y)) * y)[1:-1]
    squares = k * (k * k - 1) / 12
    slope = (moments - (k - 1) / 2 * sums) / squares
    e = y[2:] - sums / k - slope * t
    h = 1 / k + t * t / squares
    return np.concatenate([np.zeros(min(2, len(y))), np.cumsum(e * e / (1 + h))])


def cut(merges: Ints, n_clusters: int) -> Ints:
    """Cluster of each row when that many are left, numbered by lowest row."""
    m = len(merges) + 1
    made = m - n_clusters
    edges = merges[:made].ravel(), np.repeat(np.arange(m, m + made), 2)
    tree = coo_array((np.ones(2 * made), edges), shape=(m + made, m + made))
    return connected_components(tree, directed=False)[1][:m].astype(np.int64)


def without_small(labels: Ints, least: int) -> Ints:
    """The same clusters, numbered anew, and −1 for those of fewer members."""
    large = np.bincount(labels) >= least
    return np.where(large[labels], (np.cumsum(large) - 1)[labels], -1)


def pairs_within(labels: Ints, most: int) -> Iterator[tuple[Ints, Ints]]:
    """Rows i > j of one prototype, looking at up to ``most`` pairs at a time."""
    m = len(labels)
    for part in spans(m, max(1, most // m)):
        mine = labels[part, None]
        same = (mine == labels) & (mine >= 0)
        i, j = np.nonzero(np.tril(same, part.start - 1))
        yield i + part.start, j
