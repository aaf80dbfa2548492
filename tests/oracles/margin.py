"""The hypothesis margin and the evaluation function.

Gilad-Bachrach, Navot, Tishby (2004), Definitions 1 and 2.
"""

import math

import numpy as np

from .neighbours import TIE, hits_and_misses, weighted_distance, weighted_distances


def hypothesis_margins(X, y, weights=None):
    """theta(x) of eq. 1 for every sample x, with respect to the sample without x.

    NaN where the class of x has no other member.
    """
    theta = []
    for hit, miss in nearest_distances(X, y, weights):
        theta.append((miss - hit) / 2)
    return np.array(theta)


def sample_margins(X, y, weights=None, rounds=500):
    """Section 2.1: how far each sample can move before 1-NN labels it otherwise.

    Negative where it is wrong without moving. The nearest point that a row q of the
    other side owns is that of an intersection of half-spaces, found by Dykstra's
    alternating projections.
    """
    w = np.ones(np.shape(X)[1]) if weights is None else np.array(weights, dtype=float)
    X, y, margins = np.array(X, dtype=float) * w, list(y), []
    for i, (hit, miss) in enumerate(nearest_distances(X, y)):
        if math.isnan(hit):
            margins.append(math.nan)
            continue
        hits, misses = hits_and_misses(y, i)
        near, far = (hits, misses) if hit <= miss else (misses, hits)
        moves = [dykstra(X[i], X[q], X[near], rounds) for q in far]
        margins.append(min(moves) * (1 if hit <= miss else -1))
    return np.array(margins)


def dykstra(x, q, others, rounds):
    """Distance of x from the points that are no farther from q than from the others."""
    z, corrections = x.copy(), np.zeros_like(others)
    for _ in range(rounds):
        for t, p in enumerate(others):
            a, b = q - p, (q @ q - p @ p) / 2  # a z >= b
            start = z + corrections[t]
            short = max(b - a @ start, 0.0)
            z = start + (short / (a @ a) * a if short > 0 and a @ a > 0 else 0.0)
            corrections[t] = start - z
    return math.sqrt(np.sum((z - x) ** 2))


def evaluation(X, y, weights=None, utility="linear", beta="auto", row_weights=1.0):
    """e(w) of eq. 2 with the utility u: the sum of u(theta(x)) over the samples.

    Samples without a margin are left out. e(w) of w = 0 is 0 for every utility. Each
    sample counts as much as its weight.
    """
    if weights is not None and not np.any(weights):
        return 0.0
    if beta == "auto":
        beta = automatic_beta(X, y, row_weights)
    e, v = 0.0, np.broadcast_to(row_weights, len(y))
    for i, (hit, miss) in enumerate(nearest_distances(X, y, weights)):
        if math.isnan(hit):
            continue
        theta = (miss - hit) / 2
        if utility == "linear":
            e += v[i] * theta
        elif utility == "sigmoid":
            e += v[i] * sigmoid(beta * theta)
        elif utility == "zero-one":
            # A difference that rounding can produce is no margin.
            if miss - hit > TIE * max(miss, hit):
                e += v[i]
        else:
            raise ValueError(f"unknown utility {utility!r}")
    return float(e)


def automatic_beta(X, y, row_weights=1.0):
    """1 / mean of 2 theta at w = 1 where that mean is positive, else 1."""
    theta = hypothesis_margins(X, y)
    there = ~np.isnan(theta)
    v = np.broadcast_to(row_weights, len(y))[there]
    mean = np.average(theta[there], weights=v) if there.any() else 0.0
    return 1 / (2 * mean) if mean > 0 else 1.0


def sigmoid(z):
    """1 / (1 + exp(-z)), in the form that cannot overflow."""
    if z >= 0:
        return 1 / (1 + math.exp(-z))
    return math.exp(z) / (1 + math.exp(z))


def nearest_distances(X, y, weights=None):
    """(||x - nearhit||_w, ||x - nearmiss||_w) of every sample, both found under w."""
    X, y = np.array(X, dtype=float), list(y)
    w = np.ones(X.shape[1]) if weights is None else np.array(weights, dtype=float)
    pairs = []
    for i in range(len(y)):
        hits, misses = hits_and_misses(y, i)
        distances = weighted_distances(X, i, w)
        # A class with one member: NaN, and so is the margin.
        pairs.append((min(distances[hits], default=math.nan), min(distances[misses])))
    return pairs


def gamma_error(X, y, features, gamma):
    """Definition 3: share of samples misclassified or with a margin below gamma.

    Leave-one-out. A sample that is alone in its class is bound to be misclassified. A
    margin that differs from gamma by rounding only is not below it.
    """
    X = np.array(X, dtype=float)[:, features]
    bad = 0
    for hit, miss in nearest_distances(X, y):
        wrong = math.isnan(hit) or miss < hit
        bad += wrong or (miss - hit) / 2 < gamma * (1 - TIE)
    return bad / len(y)


def enclosing_radius(X):
    """R: of the ball about the middle of the ranges that holds every row."""
    X = np.array(X, dtype=float)
    middle = [(min(column) + max(column)) / 2 for column in X.T]
    return max(weighted_distance(x, middle, np.ones(len(x))) for x in X)


def bound_excess(m, N, size, R, gamma, delta):
    """The root in eq. 4 of Theorem 1 for |F| = size, as printed."""
    d = (64 * R / gamma) ** size
    capacity = d * math.log(34 * math.e * m / d) * math.log2(578 * m)
    confidence = math.log(8 / (gamma * delta)) + (size + 1) * math.log(N)
    return math.sqrt(2 / m * (capacity + confidence))
