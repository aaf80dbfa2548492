"""FRLL: fast feature ranking by two neighbourhood graphs.

Reference
---------
F. Pan, J. Wang, G. Song, B. Niu, Q. Gu, *Fast feature ranking and its application to
face recognition*, 2013: FRLL-Q and FRLL-D.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from widemargin._sklearn import StrOptions
from widemargin.base import MarginSelector, separation_ratio
from widemargin.base.estimator import POSITIVE
from widemargin.base.scores import shared_out
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import Table, warn_single_members, warn_small_classes
from widemargin.engine import Edges, anyone, end_sums, hits_and_misses, neighbor_pairs
from widemargin.engine.pairs import blocks_of_pairs, mean_distance
from widemargin.kernels.records import TIE
from widemargin.threads import Workers


@dataclass(kw_only=True, eq=False, repr=False)
class FRLL(MarginSelector):
    """FRLL: nearby samples should agree within a class and differ between classes.

    The graph G_w joins samples of the same class, and G_b samples of different classes,
    if either is among the other's k nearest, or if they are within a radius. With unit
    edge weights,

        J_w = Σ (x_i,f − x_j,f)² over the edges of G_w,   J_b likewise of G_b,

    and a feature is scored by J_b / J_w (FRLL-Q) or J_b − J_w (FRLL-D). The sums run
    over at most 2·n·k edges; no Laplacian is built.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    n_neighbors : int, default=5
        k.
    criterion : {"quotient", "difference"}, default="quotient"
        FRLL-Q or FRLL-D.
    neighbors : {"class", "global"}, default="class"
        Whether the k nearest samples are found separately in the same class and in all
        other classes, or among all samples at once.
    radius : float or None, default=None
        Join all samples that are no farther from each other than this, by scaled
        features, instead of the nearest. ``n_neighbors`` and ``neighbors`` then have no
        effect, and the time is that of all pairs.
    redundancy : float, "auto" or None, default=None
        Similarity at which a feature is skipped as a near copy of a better one: |r|, or
        the symmetrical uncertainty if there are nominal or missing values. "auto"
        chooses among None, 0.9 and 0.7 by ten-fold cross-validation.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        Scaling of the features: by range, by largest absolute value, by standard
        deviation, by rank (average ranks, scaled by their range, so that extremely
        skewed features count like others), or none.
    feature_groups : dict, array-like, "prefix" or None, default=None
        Columns that stay or go together: a mapping from names of groups to their
        columns (names or indices), a label for each column (None or NaN for a column on
        its own), or "prefix", by which names that agree up to the last underscore are a
        group (after ``transformer__``, if a ColumnTransformer wrote it). A group counts
        as one feature.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Higher is better. A feature that is constant on G_w but not on G_b is perfect:
        its quotient, which would be infinite, is above all finite ones and ordered by
        J_b. One that is constant on both graphs scores below all others.
    scores_by_class_ : array of shape (n_classes, n_features)
        What each class contributes to the scores, by the rows of that class: which
        features tell it from the others. The sum over classes is ``scores_``. Rows are
        in the order of ``classes_``. Not set for a numeric target. An edge of G_b
        counts half for the class of each of its ends. With "quotient", J_b is split and
        J_w is not.
    classes_ : array of shape (n_classes,)
        Labels of the classes.
    within_, between_ : array of shape (n_features,)
        J_w and J_b.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether each feature is kept.
    n_features_ : int
        Number of features kept.
    prefix_scores_ : array of shape (n_features,) or None
        With ``n_features_to_select="auto"``: cross-validated accuracy of 1-NN (R² of
        5-NN for a numeric target) with the top 1, 2, 3, … features, ranked on the
        training rows of each fold. ``optimism_`` is subtracted.
    scoring_ : str or None
        Name of that score: "accuracy"; "balanced_accuracy" if the largest class has
        more than four times as many rows as the smallest; "r2" for a numeric target.
    optimism_ : float or None
        Estimated selection bias of the score at the chosen size: how much lower it is
        if the size for each fold is chosen by the other folds.
    redundancy_ : float or None
        The similarity used; None if features are not compared.
    redundant_with_ : array of shape (n_features,) or None
        With ``redundancy``, the kept feature of which a skipped one is a near copy; −1
        for features that are not skipped. Skipped features rank last.
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin import FRLL
    >>> X, y = load_iris(return_X_y=True)
    >>> FRLL().fit(X, y).ranking_
    array([4, 3, 1, 2])
    """

    n_neighbors: int = 5
    criterion: Literal["quotient", "difference"] = "quotient"
    neighbors: Literal["class", "global"] = "class"
    radius: float | None = None

    _sparse = True
    _instead_on_dask = None
    _score_of_group = "differences"

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "criterion": [StrOptions({"quotient", "difference"})],
        "neighbors": [StrOptions({"class", "global"})],
        "radius": [None, POSITIVE],
    }

    def _score(self, table: AnyTable, workers: Workers) -> Floats:
        warn_single_members(table, "FRLL", "it has no edge within its class")
        if self.neighbors == "class" and self.radius is None:
            warn_small_classes(table, "FRLL", self.n_neighbors)
        w, shape = table.row_weights, (1 + len(table.classes), table.n_features)
        within, between = np.zeros(shape), np.zeros(shape)
        for heads, tails in self._joined(table, workers):
            same = table.y[heads] == table.y[tails]
            for sums, part in (within, same), (between, ~same):
                i, j = heads[part], tails[part]
                edges = Edges(i, j, w[i] * w[j])
                sums += end_sums(table, edges, power=2, workers=workers)
        J_w, J_b = self.within_, self.between_ = within[0], between[0]
        if self.criterion == "quotient":
            scores = separation_ratio(J_b, J_w)
            self._keep_by_class(table, shared_out(scores, between[1:]))
            return scores
        scores = J_b - J_w
        nothing = (J_w == 0) & (J_b == 0)
        if not nothing.all():
            scores[nothing] = scores[~nothing].min() - 1
        by_class = between[1:] - within[1:]
        by_class[:, nothing] = scores[nothing] / len(by_class)
        self._keep_by_class(table, by_class)
        return scores

    def _joined(self, table: AnyTable, workers: Workers) -> Iterator[tuple[Ints, Ints]]:
        """Edges of both graphs, each once."""
        if self.radius is not None:
            yield from pairs_within(table, self.radius, workers)
            return
        relation = hits_and_misses if self.neighbors == "class" else anyone
        slots = relation(len(table.classes))
        heads, tails, _ = neighbor_pairs(
            table, self.n_neighbors, slots, workers=workers
        )
        yield heads, tails


def pairs_within(
    table: AnyTable, radius: float, workers: Workers
) -> Iterator[tuple[Ints, Ints]]:
    """Pairs of rows no farther from each other, each once, some rows at a time."""
    if not isinstance(table, Table):
        raise ValueError(
            "FRLL on a Dask collection needs radius=None: a radius takes the distances "
            "of all pairs of rows. Use n_neighbors."
        )
    limit, count = radius * (1 + TIE), 0
    with blocks_of_pairs(table, "euclidean", workers, "FRLL") as blocks:
        for queries, distances in blocks:
            later = queries[:, None] < np.arange(table.n_rows)
            places, tails = np.nonzero(later & (distances <= limit))
            count += len(tails)
            yield queries[places], np.ascontiguousarray(tails)
    if not count:
        mean = mean_distance(table, "euclidean", workers, "FRLL")
        raise ValueError(
            f"FRLL found no two rows within radius={radius}. The mean distance of two "
            f"rows, scaled, is {mean:.3g}."
        )
