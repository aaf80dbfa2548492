"""The pairs that may work together: which to test, and the tests."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.dataset import Dataset
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation._additive import (
    Additive,
    Basis,
    bases,
    fit_additive,
    log_tail,
)
from widemargin.evaluation._pair_test import combined, pair_test
from widemargin.progress import Advance
from widemargin.threads import Workers, spans

ADDITIVE = 50  # features with the strongest effects of their own, in the additive fit
LEAST_ROWS = 10  # of a class that is told from another
FEW_CLASSES = 3  # up to as many, every two are told apart; else each from the largest
BLOCK = 256  # columns screened at a time
PIECE = 16  # pairs tested at a time


class Told(NamedTuple):
    """Rows, and what is told about them: numbers, or one class from another."""

    rows: Ints
    y: Floats
    what: str  # "the target", or "class 1"
    bases: list[Basis]
    groups: Ints | None


def told_by(data: Dataset, groups: Ints | None) -> list[Told]:
    """What the features may tell: a number, or which of two classes."""
    columns = data.apart()
    if data.target is not None:
        spread = float(data.target.std()) or 1.0
        y = (data.target - data.target.mean()) / spread
        return [Told(np.arange(len(y)), y, "the target", bases(columns), groups)]
    codes, classes = data.present_classes
    counts = np.bincount(codes, minlength=len(classes))
    largest = int(counts.argmax())
    told = []
    for low, high in combinations(range(len(classes)), 2):
        if len(classes) > FEW_CLASSES and largest not in (low, high):
            continue
        if min(counts[low], counts[high]) < LEAST_ROWS:
            continue
        rows = np.flatnonzero((codes == low) | (codes == high))
        some = columns._replace(
            numbers=columns.numbers[rows],
            nominal={f: c[rows] for f, c in columns.nominal.items()},
        )
        y = (codes[rows] == high).astype(np.float64)
        against = f" (against {classes[low]})" if len(classes) > 2 else ""
        grouped = None if groups is None else groups[rows]
        what = f"class {classes[high]}{against}"
        told.append(Told(rows, y, what, bases(some), grouped))
    return told


def alone_of(told: Told) -> Floats:
    """Log p-values of the features, each on its own."""
    y = told.y - told.y.mean()
    logs = np.zeros(len(told.bases))
    for f, basis in enumerate(told.bases):
        M = basis.main
        if M.shape[1]:
            logs[f] = log_tail(((M.T @ y) ** 2 / (M.T**2 @ y**2)).sum(), M.shape[1])
    return logs


def fitted(told: Told, alone: Floats, numeric: bool) -> Additive:
    used = np.sort(np.argsort(alone, kind="stable")[:ADDITIVE])
    share, r = 1.0, told.y - told.y.mean()
    if told.groups is not None:
        between = float((np.bincount(told.groups, r) ** 2).sum())
        share = float((r**2).sum()) / max(between, float((r**2).sum()))
    return fit_additive(told.bases, used, told.y, not numeric, share)


def screened(
    told: list[Told],
    fits: list[Additive],
    features: Ints,
    effective: NDArray[np.bool_],
    tested: int,
    workers: Workers,
) -> Ints:
    """The pairs to test: all, or those with the largest products of residuals."""
    i, j = np.triu_indices(len(features), 1)
    pairs = np.column_stack([features[i], features[j]])
    if len(i) <= tested or not told:
        return pairs
    best = np.zeros((len(features),) * 2)
    for one, fit in zip(told, fits, strict=True):
        _screen([one.bases[f] for f in features], fit.residual, best, workers)
    weighted = best[i, j] - log_weights(pairs, effective)
    return pairs[np.argsort(weighted, kind="stable")[:tested]]


def log_weights(pairs: Ints, effective: NDArray[np.bool_]) -> Floats:
    """Logarithms of the weights of pairs in the correction for testing them all.

    Features that have effects of their own, as in AND, are few and so are their pairs,
    yet they work together more often than others. If there are such pairs, they have
    half of the weight, and all others the other half (Genovese, Roeder and Wasserman,
    *False discovery control with p-value weighting*, Biometrika 93, 2006).
    """
    d, k = len(effective), int(effective.sum())
    every, few = d * (d - 1) // 2, k * (k - 1) // 2
    if not 0 < few < every:
        return np.zeros(len(pairs))
    sizes = np.where(effective[pairs].all(axis=1), few, every - few)
    weights: Floats = np.log(every / 2 / sizes)
    return weights


def _screen(bases: list[Basis], r: Floats, best: Floats, workers: Workers) -> None:
    """Lower ``best`` to the log p-values of all pairs, were residuals independent."""
    kept = np.array([f for f, basis in enumerate(bases) if len(basis.degree)])
    P = np.hstack([bases[f].product for f in kept])
    sizes = np.array([len(bases[f].degree) for f in kept])
    first = np.append(0, np.cumsum(sizes))
    weighted = P.T * r

    def block(part: slice) -> None:
        own = slice(first[part.start], first[part.stop])
        z2 = (weighted[own] @ P) ** 2 / np.maximum(weighted[own] ** 2 @ P**2, 1e-12)
        starts = first[part] - own.start
        sums = np.add.reduceat(np.add.reduceat(z2, starts), first[:-1], axis=1)
        logs = log_tail(sums, np.multiply.outer(sizes[part], sizes))
        best[np.ix_(kept[part], kept)] = np.minimum(
            best[np.ix_(kept[part], kept)], logs
        )

    workers.run(block, spans(len(kept), BLOCK))


def tested_pairs(
    told: Told, fit: Additive, pairs: Ints, workers: Workers, advance: Advance
) -> Floats:
    """Log p-values of the pairs."""
    logs = np.zeros(len(pairs))
    centred = {f: e - e.mean() for f, e in fit.effects.items()}

    def test(part: slice) -> None:
        for k in range(part.start, part.stop):
            a, b = pairs[k].tolist()
            both = centred[a] * centred[b] if a in centred and b in centred else None
            logs[k] = pair_test(told.bases[a], told.bases[b], fit, both, told.groups)
        advance()

    workers.run(test, spans(len(pairs), PIECE))
    return logs


def over(logs: Floats) -> Floats:
    """Log p-values over all that is told; 0 if that is nothing."""
    if not len(logs):
        return np.zeros(logs.shape[1])
    return np.array([combined(column) for column in logs.T])
