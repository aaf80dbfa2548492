"""The ranking tree, grown by trying every split, and the rank loss.

Xia, Zhang, Li, Yang, *Ranking with decision tree* (2008), as used by Hu, Pan, Song, Yu
(2012), section 4.2; the rank loss is that of their eq. 13.
"""

import itertools
import math
from dataclasses import dataclass


@dataclass
class Node:
    counts: list
    feature: int = -1
    threshold: float = math.nan
    left: "Node | None" = None
    right: "Node | None" = None


def ranking_impurity(counts):
    """Sum over pairs of classes i < j of (j - i) N_i N_j."""
    impurity = 0
    for i in range(len(counts)):
        for j in range(i + 1, len(counts)):
            impurity += (j - i) * counts[i] * counts[j]
    return impurity


def rank_information(x, y):
    """RMI of a column and the class, by the sets of rows that are no less.

    -1/n sum_i log(|[x_i]_B| |[x_i]_C| / (n |[x_i]_B and [x_i]_C|)), Hu et al. 2012.
    """
    n, total = len(y), 0.0
    for i in range(n):
        in_feature = {j for j in range(n) if x[j] >= x[i]}
        in_class = {j for j in range(n) if y[j] >= y[i]}
        both = len(in_feature & in_class)
        total -= math.log(len(in_feature) * len(in_class) / (n * both))
    return total / n


def grow(
    X,
    y,
    n_classes,
    *,
    criterion="impurity",
    max_depth=math.inf,
    min_samples_split=2,
    min_samples_leaf=1,
    min_impurity_decrease=0.0,
):
    """The tree of rows X whose classes y are 0, 1, ... n_classes - 1.

    The threshold of a split is half-way between two neighbouring values. Of equally
    good splits the one of the lowest feature is taken, then that of the lowest
    threshold. ``min_impurity_decrease`` is a share of the impurity of all rows. With
    the criterion "information" the gain is that of the column that says which side a
    row is on, and is to be at least ``min_impurity_decrease``.
    """
    rows = [(list(map(float, x)), int(c)) for x, c in zip(X, y, strict=True)]
    least = min_impurity_decrease
    if criterion == "impurity":
        least *= ranking_impurity(class_counts(rows, n_classes))

    def gain(counts, left, right, sides, classes):
        if criterion == "information":
            return rank_information(sides, classes)
        return (
            ranking_impurity(counts)
            - ranking_impurity(class_counts(left, n_classes))
            - ranking_impurity(class_counts(right, n_classes))
        )

    def subtree(rows, depth):
        counts = class_counts(rows, n_classes)
        node = Node(counts)
        if depth >= max_depth or len(rows) < min_samples_split:
            return node
        if ranking_impurity(counts) == 0:
            return node
        best = None
        for f in range(len(rows[0][0])):
            values = sorted({x[f] for x, _ in rows})
            for low, high in itertools.pairwise(values):
                threshold = (low + high) / 2
                left = [row for row in rows if row[0][f] <= threshold]
                right = [row for row in rows if row[0][f] > threshold]
                if min(len(left), len(right)) < min_samples_leaf:
                    continue
                sides = [x[f] > threshold for x, _ in rows]
                found = gain(counts, left, right, sides, [c for _, c in rows])
                if found > (0 if best is None else best[0]) + 1e-12:
                    best = found, f, threshold, left, right
        if best is not None and best[0] >= least:
            _, node.feature, node.threshold, left, right = best
            node.left, node.right = subtree(left, depth + 1), subtree(right, depth + 1)
        return node

    return subtree(rows, 0)


def class_counts(rows, n_classes):
    counts = [0] * n_classes
    for _, c in rows:
        counts[c] += 1
    return counts


def leaf_of(node, x):
    while node.left is not None:
        node = node.left if x[node.feature] <= node.threshold else node.right
    return node


def predict(node, X, prediction="majority"):
    """Most frequent class of the leaf, or its median class; the lower of two."""
    predicted = []
    for x in X:
        counts = leaf_of(node, x).counts
        if prediction == "majority":
            predicted.append(counts.index(max(counts)))
        else:
            members = [c for c, count in enumerate(counts) for _ in range(count)]
            predicted.append(members[(len(members) - 1) // 2])
    return predicted


def rank_loss(y, k, p=1):
    """Mean of |y_t - k_t|^p over T samples, for classes that are numbers.

    What is right costs nothing, also where p is 0.
    """
    return sum(abs(a - b) ** p for a, b in zip(y, k, strict=True) if a != b) / len(y)
