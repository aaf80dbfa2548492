"""Targets that are no classes, by their definitions: one pair of rows at a time."""

import numpy as np


def differences(Y):
    """Distances of target rows, columns over their ranges, over the largest one."""
    Y = np.asarray(Y, float)
    n, q = Y.shape
    apart = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for c in range(q):
                span = Y[:, c].max() - Y[:, c].min()
                apart[i, j] += ((Y[i, c] - Y[j, c]) / span) ** 2 if span else 0.0
    apart = np.sqrt(apart)
    return apart / apart.max()


def survivors(event, time, t, *, with_t):
    """Kaplan and Meier's S(t), or S(t-) without the events at t itself."""
    S = 1.0
    for u in sorted(set(time)):
        if u < t or (with_t and u == t):
            died = sum(e and v == u for e, v in zip(event, time, strict=True))
            S *= 1 - died / sum(v >= u for v in time)
    return S


def residuals(event, time):
    """Probability-scale residuals of the null model (Shepherd, Li, Liu 2016, eq. 4).

    F(t-) - (1 - F(t)) for an event, F(t) for a row that is censored.
    """
    found = []
    for e, t in zip(event, time, strict=True):
        S, before = (survivors(event, time, t, with_t=w) for w in (True, False))
        found.append((1 - before) - S if e else 1 - S)
    return np.array(found)


def expected_differences(event, time, points=800):
    """E|U - V| of the places of two rows, of many equally likely values of each."""
    middles = (np.arange(points) + 0.5) / points
    values = []
    for e, r in zip(event, residuals(event, time), strict=True):
        values.append(np.array([(1 + r) / 2]) if e else r + (1 - r) * middles)
    return np.array([[np.abs(u[:, None] - v).mean() for v in values] for u in values])


def concordance(event, time, risk):
    """Harrell's index, pair by pair."""
    pairs = right = 0.0
    for i in range(len(time)):
        for j in range(len(time)):
            later = time[j] > time[i] or (time[j] == time[i] and not event[j])
            if event[i] and later:
                pairs += 1
                right += 1.0 if risk[i] > risk[j] else 0.5 * (risk[i] == risk[j])
    return right / pairs


def macro_f1(Y, P):
    """Mean F1 of the labels that somebody has or is said to have."""
    scores = []
    for y, p in zip(Y.T, P.T, strict=True):
        if y.any() or p.any():
            scores.append(2 * sum(y * p) / (sum(y) + sum(p)))
    return np.mean(scores)
