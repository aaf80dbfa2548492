"""Cheap statistics that labels with nothing in them leave at the level of chance.

Labels are rows of a matrix: indicators of classes, shares of classes, or one column of
numbers. All statistics are computed for the labels as they are and for permutations of
them at once, from the same features, which are never permuted: whatever is done to the
features alone (scaling, filling gaps, counting categories) leaves the test valid.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from widemargin.data.dataset import Columns
from widemargin.data.protocol import Floats, Ints
from widemargin.settings import current
from widemargin.threads import Workers, single_threaded_blas, spans

LEVELS = 20  # values of a nominal feature that count on their own; the rest are one
TOP = 10  # features that may be relevant together
NEAREST = 5  # rows whose labels are compared with a row's own
NEIGHBORS = 20  # rows among which features should differ where labels do
LABELLINGS = 64  # at a time


class Features(NamedTuple):
    """A table as standardised numbers: a nominal feature has a column per value."""

    Z: Floats  # (n, columns), of mean 0 and sum of squares 1, or constant 0
    owner: Ints  # (columns,) the feature of each column, ascending
    degrees: Ints  # (features,) columns that are free of each other


def standardised(columns: Columns) -> Features:
    """Numbers with gaps at their mean, and nominal features as indicators."""
    n, d = columns.numbers.shape
    numeric = np.setdiff1d(np.arange(d), list(columns.nominal))
    parts = [_units(columns.numbers[:, numeric])]
    degrees, sizes = [1] * len(numeric), [1] * len(numeric)
    for codes in columns.nominal.values():
        part = indicators(codes)
        # In these units the sum over the columns is χ²/n.
        part = part / np.sqrt(part.mean(axis=0))
        parts.append((part - part.mean(axis=0)) / np.sqrt(n))
        degrees.append(max(1, part.shape[1] - 1))
        sizes.append(part.shape[1])
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return Features(np.hstack(parts), owner, np.array(degrees))


def indicators(codes: Ints) -> Floats:
    """A column for each frequent value; codes are by frequency, −1 for missing."""
    codes = np.minimum(codes, LEVELS)
    return (codes[:, None] == np.unique(codes)).astype(np.float64)


def _units(X: Floats) -> Floats:
    """Columns of mean 0 and sum of squares 1; 0 if constant."""
    gaps = np.isnan(X)
    largest = np.max(np.abs(X), axis=0, where=~gaps, initial=0.0)
    Z = np.where(gaps, 0.0, X) / np.where(largest > 0, largest, 1.0)
    there = np.maximum((~gaps).sum(axis=0), 1)
    Z = np.where(gaps, 0.0, Z - Z.sum(axis=0) / there)
    size = np.linalg.norm(Z, axis=0)
    varies = size > 1e-12 * np.sqrt(len(X))
    return np.where(varies, Z / np.where(varies, size, 1.0), 0.0)


def standardised_labels(Y: Floats, numeric: bool = False) -> Floats:
    """Labels in units in which all classes count the same, (n, K).

    The squared products of a feature with the columns then add up to the fraction of
    its variance between classes, or that y explains; shares of classes are in units in
    which groups of one class each have those of rows.
    """
    if numeric or Y.shape[1] == 1:
        return _units(Y)
    share = Y.mean(axis=0)
    inertia = (Y.var(axis=0) / share).sum()
    unit = (len(share) - 1) / inertia if inertia > 0 else 1.0
    scaled: Floats = Y * np.sqrt(unit / (len(Y) * share))
    return scaled


def single_features(features: Features, Y: Floats, orders: Ints) -> Floats:
    """What single features tell under labels Y[order]: (3, labellings).

    The strongest one, the ten strongest together, and all of them together. A feature's
    share of variance between classes (or of the variance of y) is put on the scale of a
    normal variable by its degrees of freedom, so that kinds of features can be
    compared.
    """
    B, n = orders.shape
    d = len(features.degrees)
    starts = np.searchsorted(features.owner, np.arange(d + 1))
    strongest, total = np.full(B, -np.inf), np.zeros(B)
    top = np.full((B, TOP), -np.inf)
    size = max(1, current().product_cells // (B * Y.shape[1]))
    begin = 0
    while begin < d:
        end = int(np.searchsorted(starts, starts[begin] + size, "right")) - 1
        end = min(d, max(begin + 1, end))
        Z = features.Z[:, starts[begin] : starts[end]]
        explained = sum((y[orders] @ Z) ** 2 for y in Y.T)
        each = np.add.reduceat(explained, starts[begin:end] - starts[begin], axis=1)
        freedom = features.degrees[begin:end] * max(1, Y.shape[1] - 1)
        scores = _as_normal(n * each, freedom)
        strongest = np.maximum(strongest, scores.max(axis=1))
        total += (n * each / np.sqrt(2 * freedom)).sum(axis=1)
        top = np.partition(np.hstack([top, scores]), -TOP, axis=1)[:, -TOP:]
        begin = end
    several = np.where(np.isfinite(top), top, 0.0).sum(axis=1)
    return np.array([strongest, several, total])


def _as_normal(x: Floats, freedom: Ints) -> Floats:
    """χ² of so many degrees of freedom as a normal variable (Wilson and Hilferty)."""
    scale = 2 / (9 * freedom)
    z: Floats = (np.cbrt(x / freedom) - (1 - scale)) / np.sqrt(scale)
    return z


def nearest_rows(features: Features) -> Ints:
    """The nearest other rows of each, nearest first; all features count the same."""
    Z, found = features.Z / np.sqrt(features.degrees[features.owner]), []
    k = min(NEIGHBORS, len(Z) - 1)
    for part in spans(len(Z), 256):
        D = cdist(Z[part], Z, "sqeuclidean")
        D[np.arange(len(D)), np.arange(part.start, part.stop)] = np.inf
        near = np.argpartition(D, k - 1, axis=1)[:, :k]
        order = np.argsort(np.take_along_axis(D, near, axis=1), axis=1, kind="stable")
        found.append(np.take_along_axis(near, order, axis=1))
    return np.concatenate(found)


def neighbors_agree(near: Ints, Y: Floats, orders: Ints) -> Floats:
    """How alike labels of the nearest rows are: (labellings,).

    Of classes, the mean share of near rows that are of a row's own class, as a mean
    over classes of those over their rows, times the number of classes; of numbers, the
    covariance of y with its mean over near rows.
    """
    alike, near = Y @ Y.T, near[:, :NEAREST]
    return np.array(
        [alike[order[:, None], order[near]].mean(axis=1).sum() for order in orders]
    )


def interactions(
    Z: Floats, near: Ints, Y: Floats, orders: Ints, workers: Workers
) -> Floats:
    """What ReliefF finds, which sees features that tell something only together.

    Among the nearest rows of each row, a feature should differ where labels do:
    Σ |z_i − z_j| (a_ij − ā_i) over near pairs of rows, with a_ij the squared distance
    of their labels and ā_i its mean (ReliefF for any target). Returns (2, labellings):
    the largest such score in units of its own spread over all labellings, and the
    largest ten. In wide tables, of a part of the columns.
    """
    B, (n, k) = len(orders), near.shape
    Z = Z[:, Z.any(axis=0)]
    if not Z.shape[1]:
        return np.zeros((2, B))
    Z = Z[:, _some_columns(Z, B)]
    apart, scores = cdist(Y, Y, "sqeuclidean"), np.empty((B, Z.shape[1]))
    tiles = spans(Z.shape[1], max(1, current().product_cells // (n * k)))

    def add(part: slice) -> None:
        some = orders[part]
        weights = apart[some[:, :, None], some[:, near]]
        weights -= weights.mean(axis=2, keepdims=True)
        for tile in tiles:
            differences = np.abs(Z[:, None, tile] - Z[near, tile])
            scores[part, tile] = np.tensordot(weights, differences, 2)

    with single_threaded_blas():  # the cores are busy with labellings
        workers.run(add, spans(B, LABELLINGS))
    spread = scores.std(axis=0)
    z = (scores - scores.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    top = np.partition(z, -min(TOP, scores.shape[1]), axis=1)[:, -TOP:]
    return np.array([z.max(axis=1), top.sum(axis=1)])


def _some_columns(Z: Floats, labellings: int) -> Ints:
    """Columns, evenly spread, for which sums over pairs of rows are affordable."""
    effort = current().effort
    work = effort.signal_sums // (len(Z) * NEIGHBORS)
    most = max(effort.min_signal_rows, work // labellings)
    return np.unique(np.linspace(0, Z.shape[1] - 1, most).astype(np.int64))


def rows_for_pairs(n: int, columns: int, labellings: int) -> int:
    """How many rows to take for the statistics that compare all of them."""
    effort = current().effort
    each = max(1, labellings) * NEIGHBORS * max(1, columns)
    limits = effort.min_signal_rows, effort.max_signal_rows
    return min(n, int(np.clip(effort.signal_sums // each, *limits)))
