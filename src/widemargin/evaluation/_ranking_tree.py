"""A decision tree for ordered classes.

Reference: Q. Hu, W. Pan, Y. Song, D. Yu, *Large-margin feature selection for monotonic
classification*, Knowledge-Based Systems 2012, section 4.2.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin._sklearn import Interval, RealNotInt, StrOptions, _fit_context
from widemargin.base import all_or_nothing
from widemargin.data.build import refuse_other_than_numbers
from widemargin.data.labels import category_order
from widemargin.data.protocol import Floats, Ints
from widemargin.data.read import read_dataset
from widemargin.kernels.tree import (
    TreeLimits,
    TreeNodes,
    grow_ranking_tree,
    tree_counts,
    tree_leaves,
)
from widemargin.notices import warn


@dataclass(frozen=True)
class Tree:
    """Nodes of a fitted `RankingTree`, one array element each.

    Node 0 is the root; nodes are numbered level by level.

    Attributes
    ----------
    children_left, children_right : array of int
        Nodes below; -1 in a leaf. A row goes left if its value is at most the
        threshold.
    feature : array of int
        Column that the node splits; -1 in a leaf.
    threshold : array of float
        NaN in a leaf.
    depth : array of int
        0 for the root.
    impurity : array of int
        Σ_{i<j} (j − i) N_i N_j of the node.
    n_node_samples : array of int
    value : array of int of shape (n_nodes, n_classes)
        N_c, training samples of each class.
    """

    children_left: Ints
    children_right: Ints
    feature: Ints
    threshold: Floats
    depth: Ints
    impurity: Ints
    n_node_samples: Ints
    value: Ints

    @property
    def node_count(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.feature)


@dataclass(eq=False, repr=False)
class RankingTree(ClassifierMixin, BaseEstimator):
    """Decision tree for ordered classes.

    Each node is split where that most reduces the ranking impurity Σ_{i<j} (j − i) N_i
    N_j, the number of pairs of samples that the node leaves unordered, weighted by the
    distance between their classes. Of equally good splits, that of the first feature is
    used, then the lowest threshold. The counts are integers, so rounding has no effect,
    and the tree does not depend on the order of the rows.

    Classes are ordered by their sorted labels; a pandas ordered categorical and a
    polars Enum keep their own order. The ranks i, j are the positions among the classes
    that occur in y.

    Parameters
    ----------
    criterion : {"impurity", "information"}, default="impurity"
        "information" splits a node where the side of a row has the highest rank mutual
        information with the class (the tree REMT, whose leaves predict the median),
        among rows in the node. Only features that rise with the class have any: turn
        the others round. A node where none has more than 0 is a leaf.
    max_depth : int or None, default=None
        Nodes at this depth (the root's is 0) are not split.
    min_samples_split : int or float, default=2
        Fewest samples of a node that is split; a float is a share of all samples,
        rounded up.
    min_samples_leaf : int or float, default=1
        Fewest samples of a leaf, or their share, rounded up.
    min_impurity_decrease : float, default=0.0
        A node is split if that removes at least this share of the ranking impurity of
        the whole training set; with "information", if the rank mutual information is at
        least this (the paper uses 0.01).
    prediction : {"majority", "median"}, default="majority"
        What a leaf predicts. Its most frequent class makes the fewest errors, and is
        that of the highest probability; its median class has the least rank loss. Of
        two such classes the lower is taken. The papers do not say which they use.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Labels, in their order.
    tree_ : Tree
        The nodes as arrays: ``children_left``, ``children_right``, ``feature``,
        ``threshold``, ``depth``, ``impurity``, ``n_node_samples``, ``value``.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        If X has column names.

    See Also
    --------
    rank_loss : How far predictions are from the truth, in ranks.

    References
    ----------
    F. Xia, W. Zhang, F. Li, Y. Yang, "Ranking with decision tree", Knowledge and
    Information Systems 17 (2008) 381-395.

    Q. Hu, X. Che, L. Zhang, D. Zhang, M. Guo, D. Yu, "Rank entropy-based decision trees
    for monotonic classification", IEEE Transactions on Knowledge and Data Engineering
    24 (2012) 2052-2064.

    Examples
    --------
    >>> from widemargin.evaluation import RankingTree, rank_loss
    >>> X = [[1, 0], [2, 1], [3, 0], [4, 1], [5, 0], [6, 1]]
    >>> grades = [1, 1, 2, 2, 3, 3]
    >>> tree = RankingTree(max_depth=1).fit(X, grades)
    >>> tree.tree_.threshold[0]
    np.float64(2.5)
    >>> tree.predict([[0, 0], [9, 0]])
    array([1, 2])
    >>> rank_loss(grades, tree.predict(X))
    0.3333333333333333
    """

    _: KW_ONLY
    criterion: Literal["impurity", "information"] = "impurity"
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_impurity_decrease: float = 0.0
    prediction: Literal["majority", "median"] = "majority"

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "criterion": [StrOptions({"impurity", "information"})],
        "max_depth": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "min_samples_split": [
            Interval(numbers.Integral, 2, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
        ],
        "min_samples_leaf": [
            Interval(numbers.Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="neither"),
        ],
        "min_impurity_decrease": [Interval(numbers.Real, 0.0, None, closed="left")],
        "prediction": [StrOptions({"majority", "median"})],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers. It is not changed.
        y : array-like of shape (n_samples,)
            Ordered class labels.

        Returns
        -------
        self : object
            The fitted tree.
        """
        order, name = category_order(y), type(self).__name__
        data = read_dataset(X, y, name, estimator=self, mixed=False)
        refuse_other_than_numbers(data.X, name)
        data.warn_of_columns(name)
        X, y, classes = data.X, data.codes, data.classes
        if order is None:
            _warn_of_text(classes)
        else:
            place = np.argsort([order.index(c) for c in classes.tolist()])
            classes, y = classes[place], np.argsort(place)[y]
        self.classes_ = classes
        self.tree_ = _grow(X, y, len(classes), self._limits(len(y)))
        return self

    def _limits(self, n: int) -> TreeLimits:
        def count(wanted: int | float) -> int:
            whole = isinstance(wanted, numbers.Integral)
            return int(wanted) if whole else math.ceil(wanted * n)

        return TreeLimits(
            depth=n if self.max_depth is None else min(self.max_depth, n),
            split=max(2, count(self.min_samples_split)),
            leaf=max(1, count(self.min_samples_leaf)),
            least=float(self.min_impurity_decrease),
            informed=self.criterion == "information",
        )

    def apply(self, X: Any) -> Ints:
        """Find the leaf that each row ends in.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers.

        Returns
        -------
        leaves : array of shape (n_samples,)
            Indices into the arrays of ``tree_``.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        tree, leaves = self.tree_, np.empty(len(X), np.int64)
        children = tree.children_left, tree.children_right
        tree_leaves(X, *children, tree.feature, tree.threshold, leaves)
        return leaves

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers.

        Returns
        -------
        labels : array of shape (n_samples,)
            The median or the majority of the leaf's classes, as ``prediction`` says.
        """
        leaves, value = self.apply(X), self.tree_.value
        if self.prediction == "majority":
            best = value.argmax(axis=1)
        else:
            best = (2 * value.cumsum(axis=1) >= value.sum(axis=1)[:, None]).argmax(1)
        return self.classes_[best[leaves]]

    def predict_proba(self, X: Any) -> Floats:
        """Give the share of each class in the leaf of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers.

        Returns
        -------
        shares : array of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        leaves, tree = self.apply(X), self.tree_
        return (tree.value / tree.n_node_samples[:, None])[leaves]

    def get_depth(self) -> int:
        """Return the depth of the tree.

        Returns
        -------
        depth : int
            That of the deepest leaf; the root has depth 0.
        """
        check_is_fitted(self)
        return int(self.tree_.depth.max())

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Returns
        -------
        n_leaves : int
            Nodes without children.
        """
        check_is_fitted(self)
        return int(np.sum(self.tree_.feature < 0))

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the decrease of ranking impurity."""
        check_is_fitted(self)
        tree, inner = self.tree_, self.tree_.feature >= 0
        kept = tree.impurity[tree.children_left] + tree.impurity[tree.children_right]
        decrease = (tree.impurity - kept)[inner].astype(np.float64)
        total = np.bincount(tree.feature[inner], decrease, self.n_features_in_)
        return total / (total.sum() or 1.0)


def _grow(X: Floats, y: Ints, n_classes: int, limits: TreeLimits) -> Tree:
    n = len(X)
    XT, codes = np.ascontiguousarray(X.T), y.astype(np.int32)
    order = np.argsort(XT, axis=1).astype(np.int32)
    most = 2 * n - 1  # nodes of a binary tree with a leaf for every sample
    whole = [np.empty(most, np.int64) for _ in TreeNodes._fields]
    nodes = TreeNodes(*whole)._replace(threshold=np.empty(most))
    used = grow_ranking_tree(XT, codes, order, n_classes, limits, nodes)
    nodes = TreeNodes(*(part[:used].copy() for part in nodes))
    value = np.empty((used, n_classes), np.int64)
    tree_counts(order[0], codes, nodes.first, nodes.last, value)
    return Tree(
        children_left=nodes.left,
        children_right=nodes.right,
        feature=nodes.feature,
        threshold=nodes.threshold,
        depth=nodes.depth,
        impurity=nodes.impurity,
        n_node_samples=nodes.last - nodes.first,
        value=value,
    )


def _warn_of_text(classes: NDArray[Any]) -> None:
    # The alphabet rarely has "medium" below "high"; two classes may be swapped.
    labels = classes.tolist()
    if len(labels) > 2 and any(isinstance(label, str) for label in labels):
        shown = " < ".join(map(repr, labels[:5])) + (" < …" if len(labels) > 5 else "")
        warn(
            f"RankingTree: y is text, and its order is assumed to be {shown}. If that "
            "is wrong, pass a pandas ordered categorical, a polars Enum, or numbers."
        )
