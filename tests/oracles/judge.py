"""1-NN with the tie rule, cross-fitting and greedy thinning, in plain Python."""

import math
import statistics
from collections import Counter

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

TIE = 1e-10  # distances this close, relatively, are equal


def nearest_class(squares, labels):
    """The class of the nearest rows, given squared distances to the training rows.

    Of equally near rows it is that of the majority, then the more frequent one in the
    training rows, then the lower one.
    """
    border = math.sqrt(min(squares)) * (1 + TIE)
    votes = Counter(
        label
        for square, label in zip(squares, labels, strict=True)
        if math.sqrt(square) <= border
    )
    if len(votes) == 1:
        return next(iter(votes))
    prior = Counter(labels)
    return min(votes, key=lambda label: (-votes[label], -prior[label], label))


def ranks_among(known):
    """A function that gives a value its rank: how many are below, and half the ties."""

    def place(v):
        return sum(u < v for u in known) + sum(u == v for u in known) / 2

    return place


def scaled_by(train, rows, nominal, scale):
    """Training rows and other rows as 1-NN sees them; None is a missing value.

    A missing number is the median of the training rows, a missing category one more.
    """
    columns = []
    for f in range(len(train[0])):
        known = [row[f] for row in train if row[f] is not None]
        if nominal[f]:
            columns.append(lambda v: v)
            continue
        fill = statistics.median(known) if known else 0.0
        filled = np.array([fill if row[f] is None else row[f] for row in train], float)
        shift, span = 0.0, 1.0
        if scale == "rank":
            place = ranks_among(known)
            ranks = [place(v) for v in known]
            fill, low = statistics.median(ranks or [0.0]), min(ranks, default=0.0)
            span = max(ranks, default=0.0) - low or math.inf
            columns.append(
                lambda v, place=place, fill=fill, low=low, span=span: (
                    ((fill if v is None else place(v)) - low) / span
                )
            )
            continue
        if scale == "minmax":
            shift, span = filled.min(), filled.max() - filled.min()
        elif scale == "standard":
            shift, span = filled.mean(), filled.std()
        if scale is not None and filled.min() == filled.max():
            span = math.inf
        columns.append(
            lambda v, fill=fill, shift=shift, span=span: (
                ((fill if v is None else v) - shift) / span
            )
        )
    return [
        [[scale_(v) for scale_, v in zip(columns, row, strict=True)] for row in table]
        for table in (train, rows)
    ]


def growing_squares(rows, near, order, nominal):
    """Squared Euclidean distances on the best 1, 2, … features, one by one.

    Rows by training rows; categories differ by 0 or 1.
    """
    squares = [[0.0] * len(near) for _ in rows]
    for f in order:
        for x, sums in zip(rows, squares, strict=True):
            for j, z in enumerate(near):
                sums[j] += float(x[f] != z[f]) if nominal[f] else (x[f] - z[f]) ** 2
        yield squares


def class_weights(y):
    """What a row of each class counts: 1, or, in unbalanced classes, n / (K n_c).

    Unbalanced are classes of which the largest has more than four times the rows of the
    smallest. K is the number of classes of more than one row; the others count nothing.
    """
    counts = Counter(y)
    if max(counts.values()) <= 4 * min(counts.values()):
        return dict.fromkeys(counts, 1.0)
    several = [label for label in counts if counts[label] > 1]
    return {
        label: len(y) / (len(several) * counts[label]) if label in several else 0.0
        for label in counts
    }


def fold_hits(X, y, fold, order, scale="minmax", nominal=None):
    """Weights of the rows that 1-NN gets right with the best 1, 2, … features."""
    nominal = nominal or [False] * len(X[0])
    train, test = fold
    near, rows = scaled_by([X[i] for i in train], [X[i] for i in test], nominal, scale)
    labels, weights = [y[i] for i in train], class_weights(y)
    hits = []
    for squares in growing_squares(rows, near, order, nominal):
        found = [nearest_class(sums, labels) for sums in squares]
        right = [i for a, i in zip(found, test, strict=True) if a == y[i]]
        hits.append(sum(weights[y[i]] for i in right))
    return hits


def chosen_size(shares, rows):
    """Fewest features within one standard error of the best mean over the folds.

    ``shares`` are those of the test rows that are right in each fold, ``rows`` how many
    there are. The standard error is the larger of that over the folds and the binomial
    one.
    """
    scores = [statistics.fmean(of_size) for of_size in zip(*shares, strict=True)]
    best = next(k for k, p in enumerate(scores) if p >= max(scores) - 1e-9)
    p = min(scores[best], 1.0)
    error = math.sqrt(p * (1 - p) / sum(rows))
    if len(rows) > 1:
        spread = statistics.stdev(of_fold[best] for of_fold in shares)
        error = max(error, spread / math.sqrt(len(rows)))
    return next(k for k, a in enumerate(scores, 1) if a >= max(scores) - error - 1e-9)


def cross_fitted(hits, tested, rows):
    """Accuracies lowered by the optimism of the choice, and the size that is chosen.

    Each fold is judged at the size that the other folds choose. ``hits`` and ``tested``
    are weights of right rows and of all, by fold.
    """
    shares = [[h / m for h in row] for row, m in zip(hits, tested, strict=True)]
    size, V = chosen_size(shares, rows), len(rows)
    scores = np.mean(shares, axis=0)
    honest = []
    for v in range(V):
        rest = [u for u in range(V) if u != v] or [v]
        k = chosen_size([shares[u] for u in rest], [rows[u] for u in rest])
        honest.append(shares[v][k - 1])
    optimism = max(0.0, scores[size - 1] - statistics.fmean(honest))
    return np.maximum(scores - optimism, 0.0), size


def thinned(order, similarity, threshold, wanted):
    """Visit features best first; skip those similar to one kept before.

    Returns the new order and, for each feature, the kept one that stands for it (−1 for
    none): the most similar, of equally similar ones the best. After ``wanted`` kept
    features, nothing else stands for another.
    """
    kept, instead = [], {}
    standing = []
    for f in order:
        similar = [(similarity(f, g), g) for g in standing]
        best = max((s for s, _ in similar), default=0.0)
        if best >= threshold - TIE:
            instead[f] = next(g for s, g in similar if s >= best - TIE)
            continue
        kept.append(f)
        if len(standing) < wanted:
            standing.append(f)
    skipped = [f for f in order if f in instead]
    return kept + skipped, [instead.get(f, -1) for f in range(len(order))]


class NearestNeighbour(ClassifierMixin, BaseEstimator):
    """The same judge as a scikit-learn classifier of a table of numbers."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.rows_, self.labels_ = np.asarray(X, float), np.asarray(y).tolist()
        return self

    def predict(self, X):
        nominal = [False] * self.rows_.shape[1]
        near, rows = scaled_by(
            self.rows_.tolist(), np.asarray(X, float).tolist(), nominal, "minmax"
        )
        near = np.array(near)
        return np.array(
            [nearest_class(((near - x) ** 2).sum(axis=1), self.labels_) for x in rows]
        )


def mean_of_nearest(squares, targets, k):
    """Mean target of the k nearest rows, given squared distances to them.

    Rows as near as the k-th share the places that the nearer ones leave.
    """
    distances = [math.sqrt(s) for s in squares]
    k = min(k, len(distances))
    border = sorted(distances)[k - 1]
    nearer = [t for t, r in zip(targets, distances, strict=True) if r < border / SLACK]
    tied = [
        t
        for t, r in zip(targets, distances, strict=True)
        if border / SLACK <= r <= border * SLACK
    ]
    return (sum(nearer) + (k - len(nearer)) * sum(tied) / len(tied)) / k


SLACK = 1 + TIE


def fold_predictions(X, y, fold, order, k=5, scale="minmax", nominal=None):
    """What k-NN regression predicts for the test rows with 1, 2, … features."""
    nominal = nominal or [False] * len(X[0])
    train, test = fold
    near, rows = scaled_by([X[i] for i in train], [X[i] for i in test], nominal, scale)
    targets = [y[i] for i in train]
    return [
        [mean_of_nearest(sums, targets, k) for sums in squares]
        for squares in growing_squares(rows, near, order, nominal)
    ]


def r_squared(y, tests, predictions):
    """Mean over the folds of 1 − mean (y − ŷ)² / variance of y in all rows."""
    variance = statistics.pvariance(y)
    return statistics.fmean(
        1
        - statistics.fmean((y[i] - p) ** 2 for i, p in zip(test, found, strict=True))
        / variance
        for test, found in zip(tests, predictions, strict=True)
    )
