"""Trees for ordered classes."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit, tiny


class TreeLimits(NamedTuple):
    """When to stop splitting the nodes of a ranking tree."""

    depth: int  # nodes at this depth are leaves
    split: int  # fewest rows of a node that is split
    leaf: int  # fewest rows of a node
    least: float  # least decrease, as a share of the root's impurity, or information
    informed: bool  # whether splits are judged by rank mutual information


class TreeNodes(NamedTuple):
    """Nodes of a ranking tree, level by level; children come after their parent."""

    left: np.ndarray  # child with values up to the threshold, −1 in a leaf
    right: np.ndarray
    feature: np.ndarray  # −1 in a leaf
    threshold: np.ndarray  # NaN in a leaf
    first: np.ndarray  # the node's rows are at first … last−1 of each feature's order
    last: np.ndarray
    depth: np.ndarray
    impurity: np.ndarray  # Σ_{i<j} (j − i) N_i N_j


@inner
def _count_classes(rows, y, first, last, counts):
    """N_c of the rows at first … last−1."""
    for c in range(counts.size):
        counts[c] = 0
    for p in range(first, last):
        counts[y[rows[p]]] += 1


@inner
def _ranking_impurity(counts, size):
    """Σ_{i<j} (j − i) N_i N_j.

    A pair of classes i < j lies on two sides of j − i of the cuts between neighbouring
    classes, so this is the sum over the cuts of (rows below) · (rows above).
    """
    impurity, below = 0, 0
    for c in range(counts.size - 1):
        below += counts[c]
        impurity += below * (size - below)
    return impurity


@tiny
def _impurity_decrease(totals, counts, n_left, n_right):
    """What is no longer compared if ``counts`` go left: a whole number, as a float.

    Per cut between classes, left below · right above + right below · left above.
    """
    decrease, left, both = 0, 0, 0
    for c in range(totals.size - 1):
        left += counts[c]
        both += totals[c]
        right = both - left
        decrease += left * (n_right - right) + right * (n_left - left)
    return float(decrease)


@inner
def _rank_information(totals, counts, n_left, n_right):
    """Rank mutual information of the side and the class if ``counts`` go left.

    Σ log(n · |right of class ≥ c| / (|right| · |class ≥ c|)) / n over the rows of the
    right side, c the class of each. All rows are no less than one of the left side, so
    that its term is 0.
    """
    n, information, right, both = n_left + n_right, 0.0, 0, 0
    for c in range(totals.size - 1, -1, -1):
        here = totals[c] - counts[c]
        right += here
        both += totals[c]
        if here > 0:
            information += here * np.log(n * right / (n_right * both))
    return information / n


@inner
def _best_ranking_split(XT, y, order, first, last, limits, totals, counts):
    """Gain, feature and place of the best split of a node; 0 if there is none.

    Of the rows in the order of that feature, those before the place go left. The first
    of equal splits wins.
    """
    best, feature, place = 0.0, -1, -1
    smallest, informed = limits.leaf, limits.informed
    for f in range(XT.shape[0]):
        value = XT[f, order[f, first]]
        if value == XT[f, order[f, last - 1]]:
            continue
        for c in range(counts.size):
            counts[c] = 0
        for p in range(first + 1, last):
            counts[y[order[f, p - 1]]] += 1
            following = XT[f, order[f, p]]
            if following == value:
                continue
            value = following
            n_left, n_right = p - first, last - p
            if n_left < smallest or n_right < smallest:
                continue
            if informed:
                gain = _rank_information(totals, counts, n_left, n_right)
            else:
                gain = _impurity_decrease(totals, counts, n_left, n_right)
            if gain > best + 1e-12:
                best, feature, place = gain, f, p
    return best, feature, place


@inner
def _midpoint(low, high):
    """A number t with low ≤ t < high, half-way where numbers are dense enough."""
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


@inner
def _partition(order, feature, first, place, last, goes_left, right):
    """Part a node's rows, in the order of every feature, into those of its children."""
    for p in range(first, last):
        goes_left[order[feature, p]] = p < place
    for f in range(order.shape[0]):
        if f == feature:
            continue
        n_left, n_right = first, 0
        for p in range(first, last):
            row = order[f, p]
            is_left = goes_left[row]
            # Written to both sides, kept on one: no branch to mispredict.
            order[f, n_left] = row
            right[n_right] = row
            n_left += is_left
            n_right += 1 - is_left
        for p in range(n_right):
            order[f, n_left + p] = right[p]


@jit
def grow_ranking_tree(XT, y, order, n_classes, limits, nodes):
    """Grow a tree level by level; the number of its nodes.

    ``XT`` has a row per feature, and ``order[f]`` the numbers of the samples sorted by
    feature f; it is parted as the nodes are.
    """
    left, right, feature, threshold, first, last, depth, impurity = nodes
    totals, counts = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    goes_left, rest = np.empty(y.size, np.int64), np.empty_like(order[0])
    first[0], last[0], depth[0] = 0, y.size, 0
    node, used = 0, 1
    while node < used:
        start, stop = first[node], last[node]
        left[node], right[node], feature[node], threshold[node] = -1, -1, -1, np.nan
        _count_classes(order[0], y, start, stop, totals)
        impurity[node] = _ranking_impurity(totals, stop - start)
        if (
            impurity[node] > 0
            and depth[node] < limits.depth
            and stop - start >= max(limits.split, 2 * limits.leaf)
        ):
            gain, f, place = _best_ranking_split(
                XT, y, order, start, stop, limits, totals, counts
            )
            unit = 1 if limits.informed else impurity[0]
            if f >= 0 and gain >= limits.least * unit:
                feature[node] = f
                low, high = XT[f, order[f, place - 1]], XT[f, order[f, place]]
                threshold[node] = _midpoint(low, high)
                _partition(order, f, start, place, stop, goes_left, rest)
                left[node], right[node] = used, used + 1
                first[used], last[used] = start, place
                first[used + 1], last[used + 1] = place, stop
                depth[used] = depth[used + 1] = depth[node] + 1
                used += 2
        node += 1
    return used


@jit
def tree_counts(rows, y, first, last, counts):
    """counts[node, c] = N_c of each node whose rows are at first … last−1."""
    for node in range(counts.shape[0]):
        _count_classes(rows, y, first[node], last[node], counts[node])


@jit
def tree_leaves(X, left, right, feature, threshold, leaves):
    """The leaf that each row of X ends in."""
    for i in range(X.shape[0]):
        node = 0
        while left[node] >= 0:
            goes_left = X[i, feature[node]] <= threshold[node]
            node = left[node] if goes_left else right[node]
        leaves[i] = node
