"""Nominal features and missing values in Relief, Simba and their kin.

Kononenko (1994), sect. 2.2: the diff of a feature for two rows is 0 or 1 if it is
nominal and |x - z| in the scaled space if it is numeric. Where a value is missing, diff
is its expectation over the values that the feature has in the class of that row. All
else follows: distances are built from diffs, and so are the updates.

A table is a list of rows of Python values, None for a missing one; ``nominal`` is a
list of booleans, one per feature.
"""

import numpy as np

from .margin import sigmoid
from .neighbours import TIE, hits_and_misses, shared_neighbour_weights

UP, DOWN = 1, -1


def prepared(X, y, nominal, scale):
    """Rows in common units; nominal values and missing ones stay as they are."""
    X, y = [list(row) for row in X], list(y)
    for f in range(len(X[0])):
        observed = [row[f] for row in X if row[f] is not None]
        if nominal[f] or not observed or scale is None:
            continue
        low, high = min(observed), max(observed)
        shift, span = low, high - low
        if low == high:
            span = 1.0
        elif scale == "standard":
            shift, span = np.mean(observed), np.std(observed)
        for row in X:
            if row[f] is not None:
                row[f] = (row[f] - shift) / span
    return X, y


def distribution(X, y, f, label):
    """Observed values of f in a class; if it has none there, those of all classes."""
    own = [row[f] for row, c in zip(X, y, strict=True) if c == label]
    own = [v for v in own if v is not None]
    return own or [row[f] for row in X if row[f] is not None]


def expectation(us, vs, pairwise):
    """Mean of pairwise(u, v) over all pairs; 0 for a feature without any value."""
    values = [pairwise(u, v) for u in us for v in vs]
    return sum(values) / len(values) if values else 0.0


class Differences:
    """diff(f, x_i, x_j) of every pair of rows."""

    def __init__(self, X, y, nominal, scale="minmax"):
        self.X, self.y = prepared(X, y, nominal, scale)
        self.nominal = nominal
        self.n, self.d = len(self.X), len(self.X[0])
        self.known = {}
        of_class = {
            (f, c): distribution(self.X, self.y, f, c)
            for f in range(self.d)
            for c in set(self.y)
        }
        # What a cell may be: its value, or any value of its class.
        self.values = [
            [of_class[f, c] if v is None else [v] for f, v in enumerate(row)]
            for row, c in zip(self.X, self.y, strict=True)
        ]

    def one(self, f, i, j):
        us, vs = self.values[i][f], self.values[j][f]
        if self.nominal[f]:
            return expectation(us, vs, lambda u, v: float(u != v))
        return expectation(us, vs, lambda u, v: abs(u - v))

    def diff(self, i, j):
        pair = (min(i, j), max(i, j))
        if pair not in self.known:
            self.known[pair] = np.array([self.one(f, *pair) for f in range(self.d)])
        return self.known[pair]

    def signed(self, i, j):
        """Expectation of x_j - x_i, for numeric features."""
        pairs = zip(self.values[i], self.values[j], strict=True)
        return np.array([expectation(u, v, lambda a, b: b - a) for u, v in pairs])

    def distance(self, i, j, metric="euclidean"):
        diff = self.diff(i, j)
        return np.sqrt(np.sum(diff**2)) if metric == "euclidean" else np.sum(diff)

    def weighted(self, i, j, w):
        return np.sqrt(np.sum(w**2 * self.diff(i, j) ** 2))

    def first_nearest(self, i, candidates, w):
        distances = {j: self.weighted(i, j, w) for j in candidates}
        smallest = min(distances.values())
        return min(j for j, d in distances.items() if d - smallest <= TIE * smallest)


def mean_over_nearest(D, i, candidates, k, diff, metric="euclidean"):
    """Mean of diff(i, j) over the k nearest candidates, 0 if there are none."""
    total = np.zeros(D.d)
    if not candidates:
        return total
    weights = shared_neighbour_weights(
        [D.distance(i, j, metric) for j in candidates], k
    )
    for j, weight in zip(candidates, weights, strict=True):
        if weight:
            total += weight * diff(i, j)
    return total / min(k, len(candidates))


def relief(X, y, nominal, *, squared=False, scale="minmax", samples=None):
    D = Differences(X, y, nominal, scale)
    visited = range(D.n) if samples is None else samples

    def diff(i, j):
        return D.diff(i, j) ** (2 if squared else 1)

    w = np.zeros(D.d)
    for i in visited:
        hits, misses = hits_and_misses(D.y, i)
        w += mean_over_nearest(D, i, misses, 1, diff)
        w -= mean_over_nearest(D, i, hits, 1, diff)
    return w / len(visited)


def relieff(X, y, nominal, k, *, metric="euclidean", scale="minmax", samples=None):
    D = Differences(X, y, nominal, scale)
    visited = range(D.n) if samples is None else samples
    P = {C: D.y.count(C) / D.n for C in dict.fromkeys(D.y)}
    w = np.zeros(D.d)
    for i in visited:
        hits, misses = hits_and_misses(D.y, i)
        w -= mean_over_nearest(D, i, hits, k, D.diff, metric)
        for C in [C for C in P if D.y[i] != C]:
            of_C = [j for j in misses if D.y[j] == C]
            prior = P[C] / (1 - P[D.y[i]])
            w += prior * mean_over_nearest(D, i, of_C, k, D.diff, metric)
    return w / len(visited)


def automatic_beta(D):
    """1 / mean of 2 theta at w = 1 where that mean is positive, else 1."""
    ones, margins = np.ones(D.d), []
    for i in range(D.n):
        hits, misses = hits_and_misses(D.y, i)
        if hits:
            near = min(D.weighted(i, j, ones) for j in hits)
            margins.append(min(D.weighted(i, j, ones) for j in misses) - near)
    return 1 / np.mean(margins) if margins and np.mean(margins) > 0 else 1.0


def simba(X, y, nominal, orders, *, scale="minmax", utility="linear", batch_size=1):
    """Raw w after one pass per visiting order, from w = 1."""
    D = Differences(X, y, nominal, scale)
    beta = automatic_beta(D)
    w = np.ones(D.d)
    for order in orders:
        for start in range(0, len(order), batch_size):
            deltas = []
            for i in order[start : start + batch_size]:
                hits, misses = hits_and_misses(D.y, i)
                if hits:
                    hit = D.first_nearest(i, hits, w)
                    miss = D.first_nearest(i, misses, w)
                    deltas.append(simba_step(D, i, hit, miss, w, utility, beta))
            if deltas:
                w = w + sum(deltas) / len(deltas)
    return w


def simba_step(D, i, hit, miss, w, utility, beta):
    far, near = D.weighted(i, miss, w), D.weighted(i, hit, w)
    delta = np.zeros(D.d)
    if far > 0:
        delta += D.diff(i, miss) ** 2 / far * w / 2
    if near > 0:
        delta -= D.diff(i, hit) ** 2 / near * w / 2
    if utility == "linear":
        return delta
    u = sigmoid(beta * (far - near) / 2)
    return beta * u * (1 - u) * delta


def evaluation(X, y, nominal, w, *, scale="minmax"):
    """e(w): the sum of the margins of the samples that have one."""
    D = Differences(X, y, nominal, scale)
    e = 0.0
    for i in range(D.n):
        hits, misses = hits_and_misses(D.y, i)
        if hits:
            far = min(D.weighted(i, j, w) for j in misses)
            e += (far - min(D.weighted(i, j, w) for j in hits)) / 2
    return e


def oriented(X, directions):
    """Numeric features turned round where less is better."""
    if directions is None:
        return X
    return [
        [v if v is None else s * v for v, s in zip(row, directions, strict=True)]
        for row in X
    ]


def automatic_directions(X, y):
    """Sign of the rank correlation with y over the rows that have the value."""
    signs = []
    for f in range(len(X[0])):
        rows = [(row[f], c) for row, c in zip(X, y, strict=True) if row[f] is not None]
        concordance = 0
        for v, c in rows:
            rank = sum((v > u) - (v < u) for u, _ in rows)
            concordance += rank * sum((c > b) - (c < b) for _, b in rows)
        signs.append(-1 if concordance < 0 else 1)
    return signs


def o_misses(D, i, side):
    return [j for j in range(D.n) if side * (D.y[j] - D.y[i]) > 0]


def o_hits(D, i, side, which):
    same = [j for j in range(D.n) if D.y[j] == D.y[i] and j != i]
    if which == "nearest":
        return same
    return [j for j in same if np.all(side * D.signed(i, j) >= -1e-13)]


def o_relieff(X, y, nominal, k=1, *, difference="signed", which="nearest", **options):
    D = Differences(oriented(X, options.get("directions")), y, nominal)
    visited = options.get("samples", range(D.n))
    w = np.zeros(D.d)
    for i in visited:
        for side in (UP, DOWN):
            misses = o_misses(D, i, side)
            if not misses:
                continue

            def signed(i, j, side=side):
                return side * D.signed(i, j)

            # A dominating hit is on the side of its margin, so its difference is too.
            of_hit = signed if (difference, which) == ("signed", "nearest") else D.diff
            of_miss = D.diff if difference == "absolute" else signed
            w -= mean_over_nearest(D, i, o_hits(D, i, side, which), k, of_hit)
            w += mean_over_nearest(D, i, misses, k, of_miss)
    return w / len(visited)


def o_simba(X, y, nominal, order, *, difference="directed", which="nearest"):
    """Raw w after one pass, from w = 1."""
    D = Differences(X, y, nominal)
    w = np.ones(D.d)
    for i in order:
        if D.y.count(D.y[i]) == 1:
            continue
        delta = np.zeros(D.d)
        for side in (UP, DOWN):
            misses = o_misses(D, i, side)
            if not misses:
                continue
            miss = D.first_nearest(i, misses, w)
            towards = D.diff(i, miss)
            if difference == "directed":
                towards = np.maximum(side * D.signed(i, miss), 0)
            far = np.sqrt(np.sum((w * towards) ** 2))
            if far > 0:
                delta += towards**2 / far * w / 2
            hits = o_hits(D, i, side, which)
            if hits:
                hit = D.first_nearest(i, hits, w)
                near = D.weighted(i, hit, w)
                if near > 0:
                    delta -= D.diff(i, hit) ** 2 / near * w / 2
        w = w + delta
    return w
