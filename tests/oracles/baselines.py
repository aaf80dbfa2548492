"""The filters that the papers compare with, one formula at a time.

Every function takes raw data and returns one number per feature in the scale of its
source, or the features in the order they are taken. Rounding decides nothing: values
that differ by less than TIE are the same, and among the same the first column wins.
"""

import itertools
import math
from collections import Counter

import numpy as np

from .neighbours import TIE, distance, scaled


def fisher(X, y, *, scale="minmax"):
    """S_b and S_w of each feature; the Fisher score is their ratio."""
    X, y = scaled(X, scale), np.asarray(y)
    S_b, S_w = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for f in range(X.shape[1]):
        x = X[:, f]
        for k in np.unique(y):
            mine = x[y == k]
            S_b[f] += len(mine) * (mine.mean() - x.mean()) ** 2
            S_w[f] += len(mine) * mine.var()
    return S_b, S_w


def best_subset_ratio(X, y, m, *, scale="minmax"):
    """Nie et al. (2008): the largest sum of S_b over sum of S_w of any m features."""
    S_b, S_w = fisher(X, y, scale=scale)
    best = 0.0
    for F in map(list, itertools.combinations(range(X.shape[1]), m)):
        if S_w[F].sum() > 1e-20:
            best = max(best, S_b[F].sum() / S_w[F].sum())
        elif S_b[F].sum() > 0:
            return math.inf
    return best


def pearson(X, y):
    """Largest |r| of a feature with the indicator of a class."""
    X, y = np.asarray(X, float), np.asarray(y)
    scores = np.zeros(X.shape[1])
    for f in range(X.shape[1]):
        x = X[:, f]
        if x.min() == x.max():
            continue
        for k in np.unique(y):
            scores[f] = max(scores[f], abs(np.corrcoef(x, y == k)[0, 1]))
    return scores


def laplacian(X, y=None, *, k=5, delta=None, scale="minmax", row_weights=1.0):
    """He et al. (2005), eq. 1 to 3, by dense matrices; NaN for 0/0.

    An edge counts as often as the weights of its ends multiplied.
    """
    X = scaled(X, scale)
    n = len(X)
    distances = np.array([[distance(a, b, "euclidean") for b in X] for a in X])
    if delta is None:
        delta = auto_delta(distances)
    S = np.zeros((n, n))
    for i in range(n):
        for j in nearest_rows(distances, i, k) if y is None else range(n):
            if j == i or (y is not None and y[i] != y[j]):
                continue
            S[i, j] = S[j, i] = math.exp(-(distances[i, j] ** 2) / delta)
    v = np.broadcast_to(row_weights, n)
    S *= np.outer(v, v)
    D = np.diag(S.sum(axis=1))
    L = D - S
    scores = np.full(X.shape[1], np.nan)
    one = np.ones(n)
    for r in range(X.shape[1]):
        f = X[:, r]
        if f.min() == f.max() or not D.any():
            continue
        f = f - (f @ D @ one) / (one @ D @ one) * one
        if f @ D @ f > 1e-20 * (one @ D @ one):
            scores[r] = (f @ L @ f) / (f @ D @ f)
    return scores


def auto_delta(distances):
    """Mean distance to the (floor(ln m) + 1)-th nearest sample; 1 if that is 0."""
    n = len(distances)
    place = math.floor(math.log(n)) + 1
    total = 0.0
    for i in range(n):
        others = sorted(distances[i, j] for j in range(n) if j != i)
        total += others[place - 1]
    return total / n or 1.0


def nearest_rows(distances, i, k):
    """The k nearest rows; of those tied with the k-th the lowest."""
    others = [j for j in range(len(distances)) if j != i]
    k = min(k, len(others))
    d_k = sorted(distances[i, j] for j in others)[k - 1]
    sure = [j for j in others if distances[i, j] < d_k * (1 - TIE)]
    tied = [j for j in others if abs(distances[i, j] - d_k) <= TIE * d_k]
    return sure + tied[: k - len(sure)]


def discretised(X, y, bins, n_bins=5):
    """Codes of each feature; a value within TIE of the range of a limit is on it."""
    X = scaled(X, "minmax")
    columns = []
    for x in X.T:
        if bins == "three":
            limits = [x.mean() - x.std(), x.mean() + x.std()]
            code = [sum(v > limit + TIE for limit in limits) for v in x]
        elif bins == "equal-width":
            limits = [i / n_bins for i in range(1, n_bins)]
            code = [sum(v >= limit - TIE for limit in limits) for v in x]
        elif bins == "quantile":
            limits = [np.quantile(x, i / n_bins) for i in range(1, n_bins)]
            code = [sum(v >= limit - TIE for limit in limits) for v in x]
        elif bins == "mdl":
            limits = mdl_limits(x, list(y))
            code = [sum(v > limit for limit in limits) for v in x]
        else:
            code = list(x)
        columns.append([float(c) for c in code])
    return columns


def entropy(values):
    """H in nats of a list of anything."""
    n = len(values)
    return sum(-c / n * math.log(c / n) for c in Counter(values).values())


def information(a, b):
    """I(a; b) = H(a) + H(b) - H(a, b)."""
    return entropy(a) + entropy(b) - entropy(list(zip(a, b, strict=True)))


def uncertainty(a, b):
    """SU(a, b) = 2 I(a; b) / (H(a) + H(b)), Yu and Liu (2004), eq. 4."""
    total = entropy(a) + entropy(b)
    return 2 * information(a, b) / total if total > 0 else 0.0


def mdl_limits(x, y):
    """Fayyad and Irani (1993): cut while the gain exceeds its cost in bits."""
    values = sorted(set(x))
    m = len(x)
    best, chosen = -math.inf, None
    for below, above in itertools.pairwise(values):
        if above - below <= TIE:
            continue
        left = [c for v, c in zip(x, y, strict=True) if v <= below]
        right = [c for v, c in zip(x, y, strict=True) if v > below]
        gain = (
            entropy(y) - (len(left) * entropy(left) + len(right) * entropy(right)) / m
        )
        if gain > best + TIE:
            best, chosen = gain, (below, above, left, right)
    if chosen is None:
        return []
    below, above, left, right = chosen
    k, k1, k2 = len(set(y)), len(set(left)), len(set(right))
    bits = 1 / math.log(2)
    delta = math.log2(3**k - 2) - bits * (
        k * entropy(y) - k1 * entropy(left) - k2 * entropy(right)
    )
    if best * bits <= (math.log2(m - 1) + delta) / m + TIE * bits:
        return []
    parts = [[(v, c) for v, c in zip(x, y, strict=True) if v <= below]]
    parts.append([(v, c) for v, c in zip(x, y, strict=True) if v > below])
    limits = [(below + above) / 2]
    for part in parts:
        limits += mdl_limits([v for v, _ in part], [c for _, c in part])
    return sorted(limits)


def first_best(values):
    """The first of the largest."""
    top = max(values.values())
    return min(f for f, v in values.items() if v >= top - TIE * max(1.0, abs(top)))


def mrmr(columns, y, candidates, m, criterion):
    """Peng et al. (2005), eq. 6: m features as they are taken, and their MID or MIQ."""
    y, left = list(y), list(candidates)
    taken, values = [], []
    while left and len(taken) < m:
        J = {}
        for f in left:
            J[f] = information(columns[f], y)
            if taken:
                W = sum(information(columns[f], columns[s]) for s in taken) / len(taken)
                J[f] = J[f] - W if criterion == "mid" else J[f] / max(W, TIE)
        f = first_best(J)
        taken.append(f)
        values.append(J[f])
        left.remove(f)
    return taken, values


def fcbf(columns, y, threshold=0.0):
    """Yu and Liu (2004), Algorithm FCBF: the predominant features, best first."""
    y = list(y)
    SU = {f: uncertainty(c, y) for f, c in enumerate(columns)}
    left = {f: s for f, s in SU.items() if s > threshold + 1e-13}
    kept = []
    while left:
        p = first_best(left)
        kept.append(p)
        del left[p]
        for q in list(left):
            if uncertainty(columns[p], columns[q]) >= SU[q] - TIE:
                del left[q]
    return kept


def compression_index(a, b):
    """Mitra et al. (2002), section 3.1: the smaller eigenvalue of the covariance."""
    return max(0.0, np.linalg.eigvalsh(np.cov(a, b, bias=True))[0])


def feature_similarity(X, k, *, scale="minmax"):
    """Mitra et al. (2002), section 3.2: the features that are retained, and epsilon.

    Epsilon is set in the first iteration, and k goes down to 1. Constant features,
    which would be similar to everything, take no part.
    """
    X = scaled(X, scale)
    R = [f for f in range(X.shape[1]) if X[:, f].min() < X[:, f].max()]
    if not R:
        return [], 0.0
    tie = TIE * max(X[:, f].var() for f in R)
    D = {(f, g): compression_index(X[:, f], X[:, g]) for f in R for g in R if f != g}
    epsilon = None
    while True:
        k = min(k, len(R) - 1)
        if k < 1:
            return R, epsilon or 0.0
        r = {f: sorted(D[f, g] for g in R if g != f)[k - 1] for f in R}
        lowest = min(r.values())
        if epsilon is not None and lowest > epsilon + tie:
            k -= 1
            continue
        chosen = min(f for f in R if r[f] <= lowest + tie)
        if epsilon is None:
            epsilon = r[chosen]
        others = [g for g in R if g != chosen]
        near = [g for g in others if D[chosen, g] < r[chosen] - tie]
        tied = [g for g in others if abs(D[chosen, g] - r[chosen]) <= tie]
        discarded = near + tied[: k - len(near)]
        R = [f for f in R if f not in discarded]
