"""O-ReliefF and O-Simba: margins towards the better and towards the worse classes.

Hu, Pan, Song, Yu (2012), Algorithms 4 and 5. Labels are numbers, ordered by value.
"""

import numpy as np

from .neighbours import (
    distance,
    first_nearest,
    scaled,
    shared_neighbour_weights,
    weighted_distance,
)

UP, DOWN = 1, -1


def oriented(X, y, scale, directions):
    """Scaled X in which more is better for every feature."""
    X = scaled(X, scale)
    if directions is None:
        return X
    if isinstance(directions, str):
        directions = automatic_directions(X, y)
    return X * np.array(directions, dtype=float)


def automatic_directions(X, y):
    """-1 where Spearman's rank correlation with y is negative, else +1.

    Ranks counted by comparison, in whole numbers: the sign of a sum is then exact.
    """
    X, y = np.array(X, dtype=float), np.array(y)
    n = len(y)

    def ranks(v):
        """Twice the mean rank, centred."""
        return [int(np.sum(v < v[i])) - int(np.sum(v > v[i])) for i in range(n)]

    of_y = ranks(y)
    signs = []
    for f in range(X.shape[1]):
        covariance = sum(a * b for a, b in zip(ranks(X[:, f]), of_y, strict=True))
        signs.append(-1 if covariance < 0 else 1)
    return np.array(signs)


def misses(y, i, side):
    """Rows of all better classes, or of all worse ones."""
    return [j for j in range(len(y)) if side * (y[j] - y[i]) > 0]


def hits(X, y, i, side, which):
    """Other rows of the class of row i; only those that dominate it, if asked to.

    On the way down, those that it dominates.
    """
    same = [j for j in range(len(y)) if y[j] == y[i] and j != i]
    if which == "nearest":
        return same
    return [j for j in same if np.all(side * (X[j] - X[i]) >= 0)]


def o_relieff(
    X,
    y,
    k=1,
    *,
    difference="signed",
    which="nearest",
    directions=None,
    scale="minmax",
    samples=None,
):
    """Algorithm 4; ``difference="absolute"`` is eq. 10 as printed.

    With "signed", differences to hits and misses are those in the direction of the
    margin; with "directed", only those to misses.

    ``samples`` are the rows visited (all by default); w is averaged over them.
    """
    X, y = oriented(X, y, scale, directions), list(y)
    visited = list(range(len(y)) if samples is None else samples)
    w = np.zeros(X.shape[1])
    for i in visited:
        for side in (UP, DOWN):
            if not misses(y, i, side):
                continue

            def signed(t, side=side):
                return side * t

            of_hit = signed if difference == "signed" else np.abs
            of_miss = np.abs if difference == "absolute" else signed
            w -= mean_difference(X, i, hits(X, y, i, side, which), k, of_hit)
            w += mean_difference(X, i, misses(y, i, side), k, of_miss)
    return w / len(visited)


def mean_difference(X, i, candidates, k, diff):
    """Mean of diff(x_j - x_i) over the k nearest candidates; 0 if there are none."""
    total = np.zeros(X.shape[1])
    if not candidates:
        return total
    distances = [distance(X[i], X[j], "euclidean") for j in candidates]
    weights = shared_neighbour_weights(distances, k)
    for j, weight in zip(candidates, weights, strict=True):
        if weight:
            total += weight * diff(X[j] - X[i])
    return total / min(k, len(candidates))


def o_simba(
    X,
    y,
    orders,
    *,
    difference="directed",
    which="nearest",
    directions=None,
    scale="minmax",
    batch_size=1,
    path=None,
):
    """Raw w of Algorithm 5 after one pass per visiting order, from w = 1.

    Each step's w is appended to ``path``, if that is a list.
    """
    X, y = oriented(X, y, scale, directions), list(y)
    w = np.ones(X.shape[1])
    for order in orders:
        for start in range(0, len(order), batch_size):
            deltas = [
                step(X, y, i, w, difference, which)
                for i in order[start : start + batch_size]
                if y.count(y[i]) > 1
            ]
            if deltas:
                w = w + sum(deltas) / len(deltas)
            if path is not None:
                path.append(w)
    return w


def step(X, y, i, w, difference, which):
    """Delta of eq. 12 for row i; its class has another member.

    It is the gradient of what row i adds to e(w): directed, both have the distance to
    the miss on the features on which it is on its side.
    """
    delta = np.zeros(X.shape[1])
    for side in (UP, DOWN):
        if not misses(y, i, side):
            continue
        miss = first_nearest(X, i, misses(y, i, side), w)
        towards = side * (X[miss] - X[i])
        if difference == "directed":
            towards = np.maximum(towards, 0)
        length = np.sqrt(np.sum(w**2 * towards**2))
        if length > 0:
            delta += towards**2 / length * w / 2
        candidates = hits(X, y, i, side, which)
        if candidates:
            hit = first_nearest(X, i, candidates, w)
            length = weighted_distance(X[i], X[hit], w)
            if length > 0:
                delta -= (X[i] - X[hit]) ** 2 / length * w / 2
    return delta


def o_evaluation(X, y, w, *, difference="directed", which="nearest"):
    """e(w) of eq. 11; X is scaled and oriented already.

    Directed, the distance of a miss is that on the features on which it is on its side.
    """
    X, y = np.array(X, dtype=float), list(y)
    e = 0.0
    for i in range(len(y)):
        if y.count(y[i]) == 1:
            continue
        for side in (UP, DOWN):
            if not misses(y, i, side):
                continue
            miss = first_nearest(X, i, misses(y, i, side), w)
            towards = side * (X[miss] - X[i])
            if difference == "directed":
                towards = np.maximum(towards, 0)
            far = np.sqrt(np.sum(w**2 * towards**2))
            candidates = hits(X, y, i, side, which)
            near = [weighted_distance(X[i], X[j], w) for j in candidates]
            e += (far - min(near, default=0.0)) / 2
    return e
