"""The rule of `widemargin.judging.recommend`, without any of its shortcuts.

Folds are given as dicts with what a method found by the training rows: ``ranking`` (1
for the best), ``similar`` (a matrix of similarities), ``size`` (of its own, or None),
and a function ``score`` of the columns to keep.
"""

import math


def without_copies(order, similar, threshold):
    """Features that are no near copies of better ones, and of what the others are."""
    kept, copy_of = [], {}
    for f in order:
        better = [g for g in kept if similar[g][f] >= threshold]
        if better:
            copy_of[f] = max(better, key=lambda g: similar[g][f])
        else:
            kept.append(f)
    return kept, copy_of


def best_first(ranking):
    """Columns in the order of their ranks."""
    return sorted(range(len(ranking)), key=lambda f: ranking[f])


def fold_choices(fold, threshold):
    """What a method of its own size keeps in a fold."""
    order = best_first(fold["ranking"])
    kept, _ = without_copies(order, fold["similar"], threshold)
    return [f for f in order[: fold["size"]] if f in kept]


def nested(folds, sizes, threshold, n_rows):
    """What is chosen for each fold: its own size, or the one that the others choose."""
    if all(fold["size"] is not None for fold in folds):
        return [fold_choices(fold, threshold) for fold in folds]
    prefixes = []
    for fold in folds:
        kept, _ = without_copies(
            best_first(fold["ranking"]), fold["similar"], threshold
        )
        prefixes.append([kept[:k] for k in sizes])
    scores = [
        [fold["score"](columns) for columns in row]
        for fold, row in zip(folds, prefixes, strict=True)
    ]
    chosen = []
    for v in range(len(folds)):
        others = [u for u in range(len(folds)) if u != v]
        rows = [n_rows[u] for u in others]
        chosen.append(prefixes[v][smallest([scores[u] for u in others], sizes, rows)])
    return chosen


def smallest(scores, sizes, n_rows):
    """Place of the smallest size within one standard error of the best mean."""
    V = len(scores)
    means = [sum(row[i] for row in scores) / V for i in range(len(sizes))]
    best = max(range(len(sizes)), key=lambda i: means[i])
    error = standard_error([row[best] for row in scores], n_rows)
    close = [i for i in range(len(sizes)) if means[i] >= means[best] - error - 1e-9]
    return min(close, key=lambda i: sizes[i])


def standard_error(scores, n_rows):
    """Of a mean share: that over the folds, and at least that of so many rows."""
    V, mean = len(scores), sum(scores) / len(scores)
    over_folds = sum((s - mean) ** 2 for s in scores) / (V - 1) / V
    return math.sqrt(max(over_folds, mean * (1 - mean) / sum(n_rows)))


def consensus(rankings):
    """Mean of one over the rank of each feature."""
    return [
        sum(1 / ranking[f] for ranking in rankings) / len(rankings)
        for f in range(len(rankings[0]))
    ]


def group_stability(selections, groups):
    """1 - tr(C S) / tr(C Σ₀), Sechidis et al. 2019, equation 7.

    S is the unbiased sample covariance of the selections (rows of 0 and 1), Σ₀ that of
    random ones of the same sizes, and C is 1 for features of one group, 0 for others.
    """
    M, d = len(selections), len(groups)
    sizes = [sum(row) for row in selections]
    mean = [sum(row[f] for row in selections) / M for f in range(d)]
    share = sum(sizes) / M / d
    both = sum(k * k - k for k in sizes) / M / (d * (d - 1))
    traces = [0.0, 0.0]
    for f in range(d):
        for g in range(d):
            if groups[f] != groups[g]:
                continue
            products = [(r[f] - mean[f]) * (r[g] - mean[g]) for r in selections]
            traces[0] += sum(products) / (M - 1)
            traces[1] += share * (1 - share) if f == g else both - share * share
    return 1 - traces[0] / traces[1]
