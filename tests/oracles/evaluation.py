"""Significance, stability, agreement and redundancy by their definitions, in loops."""

import math
from itertools import combinations

import numpy as np
from scipy.stats import t


def permutation_p_values(score, X, y, permutations):
    """Phipson and Smyth (2010): (1 + how often chance does as well) / (1 + B)."""
    observed = score(X, y)
    reached = np.ones(len(observed))
    for order in permutations:
        permuted = score(X, [y[i] for i in order])
        for f in range(len(observed)):
            if permuted[f] >= observed[f] or math.isclose(
                permuted[f], observed[f], abs_tol=1e-10 * max(abs(observed))
            ):
                reached[f] += 1
    return reached / (1 + len(permutations))


def probe_p_values(score, X, y, permutations):
    """Share of all probes that score as high as the feature does beside them."""
    d = X.shape[1]
    reached, probes = np.ones(d), 1
    for order in permutations:
        both = score(np.hstack([X, X[order]]), y)
        for f in range(d):
            for g in range(d):
                reached[f] += both[d + g] >= both[f] - 1e-10 * max(abs(both))
        probes += d
    return reached / probes


def benjamini_hochberg(p):
    """Benjamini and Hochberg (1995): the smallest level at which each is rejected."""
    m, order = len(p), np.argsort(p)
    q = np.empty(m)
    for place, f in enumerate(order):
        q[f] = min(p[order[later]] * m / (later + 1) for later in range(place, m))
    return np.minimum(q, 1)


def nogueira(Z):
    """Nogueira, Sechidis and Brown (2018): 1 − mean variance / variance by chance."""
    M, d = len(Z), len(Z[0])
    variances, k = [], sum(map(sum, Z)) / M
    for f in range(d):
        p = sum(z[f] for z in Z) / M
        variances.append(M / (M - 1) * p * (1 - p))
    return 1 - (sum(variances) / d) / (k / d * (1 - k / d))


def nogueira_variance(Z):
    """The variance formula as the authors print it, one set at a time."""
    Z = np.asarray(Z, float)
    M, d = Z.shape
    p = Z.mean(axis=0)
    k_bar, index = p.sum(), nogueira(Z.tolist())
    phi = []
    for z in Z:
        k = z.sum()
        inner = np.mean(z * p) - k * k_bar / d**2
        inner += index / 2 * (2 * k_bar * k / d**2 - k / d - k_bar / d + 1)
        phi.append(inner / (k_bar / d * (1 - k_bar / d)))
    mean = sum(phi) / M
    return 4 / M**2 * sum((value - mean) ** 2 for value in phi)


def stability_interval(Z, tail=0.025):
    """Student's t above, the logarithm of 1 − Φ below, a binomial bound at Φ = 1."""
    M, index = len(Z), nogueira(Z)
    if index > 1 - 1e-12:
        share = sum(Z[0]) / len(Z[0])
        differ = 1 - tail ** (1 / M)
        return max(0.0, 1 - 2 * differ / (1 - share)), 1.0
    half = t.ppf(1 - tail, M - 1) * math.sqrt(nogueira_variance(Z) * M / (M - 1))
    exponent = min(half / (1 - index), 700)
    low = min(index, 1 - (1 - index) * math.exp(exponent))
    return max(0.0, low), min(1.0, index + half)


def jackknife_variance(Z):
    """The same by leaving out one set at a time, which knows nothing of the formula."""
    M = len(Z)
    values = [nogueira([z for j, z in enumerate(Z) if j != i]) for i in range(M)]
    return (M - 1) / M * sum((v - sum(values) / M) ** 2 for v in values)


def kuncheva(Z):
    """Kuncheva's index: equal to Nogueira's where all sets are of one size."""
    d, k = len(Z[0]), sum(Z[0])
    values = []
    for a, b in combinations(Z, 2):
        r = sum(x and z for x, z in zip(a, b, strict=True))
        values.append((r * d - k * k) / (k * (d - k)))
    return sum(values) / len(values)


def absolute_correlation(a, b):
    """|r| over the rows in which both have a value; 0 if fewer than 3 or constant."""
    rows = [i for i in range(len(a)) if not (math.isnan(a[i]) or math.isnan(b[i]))]
    if len(rows) < 3:
        return 0.0
    a, b = a[rows] - a[rows].mean(), b[rows] - b[rows].mean()
    length = math.sqrt((a @ a) * (b @ b))
    return abs(a @ b) / length if length > 1e-12 else 0.0


def entropy(values):
    counts = {}
    for v in values:
        counts[v] = counts.get(v, 0) + 1
    return -sum(c / len(values) * math.log(c / len(values)) for c in counts.values())


def symmetrical_uncertainty(a, b):
    """Yu and Liu (2004): 2 I(a; b) / (H(a) + H(b))."""
    H = entropy(a), entropy(b)
    if sum(H) < 1e-12:
        return 0.0
    return 2 * (sum(H) - entropy(list(zip(a, b, strict=True)))) / sum(H)


def leaders(order, similarity, threshold):
    """Groups around representatives: best first, to the most similar one so far."""
    groups = {}
    for f in order:
        best = max(
            groups, key=lambda g: (similarity(g, f), -order.index(g)), default=-1
        )
        if best >= 0 and similarity(best, f) >= threshold - 1e-10:
            groups[best].append(f)
        else:
            groups[f] = [f]
    return [group for group in groups.values() if len(group) > 1]


def weighted_smallest_p(statistics, weights):
    """Westfall and Young's smallest p-value; the first column is the data."""
    columns = len(statistics[0])
    smallest = []
    for b in range(columns):
        each = []
        for row, weight in zip(statistics, weights, strict=True):
            reached = sum(value >= row[b] for value in row)
            each.append(reached / columns / weight)
        smallest.append(min(each))
    return sum(s <= smallest[0] * (1 + 1e-9) for s in smallest) / columns
