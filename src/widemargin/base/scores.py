"""Scores from weights, and from what varies between and within classes."""

from __future__ import annotations

import numpy as np

from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.kernels.records import TIE


def squared_share(table: AnyTable, w: Floats) -> Floats:
    """w² / max(w²), the score of a weight; 0 for a constant feature."""
    squares = np.where(table.constant, 0.0, w**2)
    return squares / max(squares.max(), np.finfo(float).tiny)


def separation_ratio(between: Floats, within: Floats) -> Floats:
    """Finite between/within for each feature, also where nothing varies within.

    With within = 0 < between a feature is perfect: it scores above all others, the
    more the larger its between is. Where both are 0 a feature says nothing: it scores
    just below 0, so that it ranks behind those that fail to separate.
    """
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        scores = between / within
    # Beyond this border a quotient of rounding errors may become infinite.
    perfect = (between > 0) & ~(scores < 1e300)
    scores[(between == 0) & (within == 0)] = -np.finfo(np.float64).tiny
    if perfect.any():
        best = scores[~perfect].max(initial=0.0) or 1.0
        top = between[perfect]
        scores[perfect] = best * (1 + top / top.max())
    return scores


def shared_out(scores: Floats, parts: Floats) -> Floats:
    """Scores shared out to the classes in proportion to their parts, (C, d).

    Equally where all parts are 0.
    """
    total = parts.sum(axis=0)
    share = np.full(parts.shape, 1 / len(parts))
    np.divide(parts, total, out=share, where=total > 0)
    return scores * share


def class_shares(by_class: Floats) -> Floats:
    """Scores by class as shares of the best of each class; 0 for negative ones."""
    positive = np.maximum(by_class, 0.0)
    best = positive.max(axis=1, keepdims=True)
    return positive / np.where(best > 0, best, 1.0)


def leading_features(shares: Floats, ranking: Ints, top: int) -> Ints:
    """Features that count most for some class, in the order of their ranks."""
    order = np.lexsort([ranking, -shares.max(axis=0)])[:top]
    return order[np.argsort(ranking[order])]


def score_of(N_C: float, N_A: Floats, N_AC: Floats, m: float) -> Floats:
    """W = N_AC / N_C − (N_A − N_AC) / (m − N_C); a term over 0 says nothing."""
    W = np.zeros(len(N_A))
    if N_C > 0:
        W += N_AC / N_C
    if m - N_C > TIE * m:
        W -= (N_A - N_AC) / (m - N_C)
    return W
