"""Laplacian score: how well a feature respects a graph of similar samples.

References
----------
X. He, D. Cai, P. Niyogi, *Laplacian score for feature selection*, NIPS 2005.
W. Ng, J. Wang, D. Yeung, *IPCM separability ratio for supervised feature selection*,
2009 (the supervised graph and the width of the heat kernel).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import Tags

from widemargin.base import MarginSelector
from widemargin.data.protocol import Floats
from widemargin.data.table import Table
from widemargin.engine import edge_sums, heat, heat_width, neighbor_pairs
from widemargin.kernels.records import Edges
from widemargin.notices import warn
from widemargin.threads import Workers, single_threaded_blas, spans

WORST = 2.0  # the largest that the score of the paper can be
NONE = 1e-20  # less than this, relatively, is rounding


@dataclass(kw_only=True, eq=False, repr=False)
class LaplacianScore(MarginSelector):
    """Laplacian score: variation along the edges of a graph, relative to the variance.

    Joined samples i and j have S_ij = exp(−‖x_i − x_j‖² / δ). With D the diagonal
    matrix of the row sums of S, L = D − S, and f̃ the feature minus its D-weighted
    mean, the paper's score, smaller for better features, is

        L_f = f̃ᵀ L f̃ / f̃ᵀ D f̃.

    ``scores_`` is −L_f. The supervised graph joins all samples of the same class; the
    unsupervised graph joins each sample to its k nearest. No sample is joined to
    itself.

    In our study it was not significantly better than a random ranking.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    supervised : bool or None, default=None
        Whether to build the graph from the classes. None does so if ``fit`` is given y.
    n_neighbors : int, default=5
        k of the unsupervised graph, in which two samples are joined if either is among
        the k nearest of the other.
    delta : float or "auto", default="auto"
        Width of the heat kernel. "auto" is the mean distance of a sample to its (⌊ln n⌋
        + 1)-th nearest neighbour, or 1 where that is 0.
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
        Not used.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        −L_f, from −2 to 0, higher is better. A feature that does not vary among the
        samples with neighbours scores −2.
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
    delta_ : float
        δ.
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.baselines import LaplacianScore
    >>> X, y = load_iris(return_X_y=True)
    >>> LaplacianScore().fit(X, y).scores_.round(3)
    array([-0.228, -0.402, -0.034, -0.049])
    >>> LaplacianScore().fit(X).scores_.round(3)
    array([-0.041, -0.087, -0.014, -0.017])
    """

    supervised: bool | None = None
    n_neighbors: int = 5
    delta: float | Literal["auto"] = "auto"

    _instead_on_dask = "FRLL"

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "supervised": ["boolean", None],
    }

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, **unknown: Any
    ) -> Self:
        """Score and rank the features of X.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers. It is not changed.
        y : array-like of shape (n_samples,), optional
            Class labels, for the supervised score.
        sample_weight : array-like of shape (n_samples,), default=None
            Refused.
        **unknown : dict
            Nothing else is taken.

        Returns
        -------
        self : object
            The fitted selector.
        """
        return super().fit(X, y, sample_weight, **unknown)

    def _uses_labels(self, y: Any) -> bool:
        return y is not None if self.supervised is None else bool(self.supervised)

    def _score(self, table: Table, workers: Workers) -> Floats:
        self.delta_ = heat_width(self.delta, table, workers)
        # Without labels, all samples are of one class, and validation wants two.
        graph = self._class_graph if len(table.classes) > 1 else self._neighbor_graph
        numerator, D = graph(table, workers)
        denominator = _weighted_scatter(table.X - table.low, D)
        nothing = NONE * D.sum() * (table.high - table.low) ** 2
        return 0.0 - _ratio(numerator, denominator, nothing)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        auto = "auto" in (self.n_features_to_select, self.redundancy)
        tags.target_tags.required = bool(self.supervised) or auto
        return tags

    def _class_graph(self, table: Table, workers: Workers) -> tuple[Floats, Floats]:
        """fᵀLf and D of the graph that joins all samples of one class."""
        n, d = table.X.shape
        D, w = np.empty(n), table.row_weights
        blocks = [
            (int(start), slice(start + part.start, start + part.stop), int(stop))
            for start, stop in zip(table.starts[:-1], table.starts[1:], strict=True)
            for part in spans(int(stop - start), 256)
        ]
        sums = np.empty((len(blocks), d))

        def add(b: int) -> None:
            start, rows, stop = blocks[b]
            squares = cdist(table.X[rows], table.X[start:stop], "sqeuclidean")
            S = np.exp(-squares / self.delta_)
            S[np.arange(len(S)), np.arange(rows.start, rows.stop) - start] = 0.0
            S *= w[rows, None]
            S *= w[start:stop]
            D[rows] = S.sum(axis=1)
            # fᵀLf does not change if a class is moved; about its mean, nothing cancels.
            Z = table.X[start:stop] - table.X[start:stop].mean(axis=0)
            mine = Z[rows.start - start : rows.stop - start]
            sums[b] = D[rows] @ mine**2 - np.einsum("if,if->f", mine, S @ Z)

        with single_threaded_blas():
            workers.run(add, range(len(blocks)))
        return np.maximum(sums.sum(axis=0), 0.0), D

    def _neighbor_graph(self, table: Table, workers: Workers) -> tuple[Floats, Floats]:
        """fᵀLf and D of the graph that joins samples to their nearest ones."""
        n, k = len(table.X), self.n_neighbors
        if k >= n:
            warn(
                f"LaplacianScore: n_neighbors={k}, but X has {n} rows; each row is "
                "joined to all others."
            )
        slots = np.zeros((1, 1), np.int64)
        heads, tails, lengths = neighbor_pairs(
            table, k, slots, distances=True, workers=workers
        )
        w, D = table.row_weights, np.zeros(n)
        S = heat(lengths, self.delta_) * w[heads] * w[tails]
        D += np.bincount(heads, S, minlength=n)
        D += np.bincount(tails, S, minlength=n)
        joined = Edges(heads, tails, S)
        return edge_sums(table, joined, power=2, workers=workers), D


def _weighted_scatter(X: Floats, D: Floats) -> Floats:
    """f̃ᵀDf̃ of each feature."""
    total = D.sum()
    mean = D @ X / total if total > 0 else np.zeros(X.shape[1])
    scatter = np.zeros(X.shape[1])
    for part in spans(len(X), 256):
        scatter += D[part] @ (X[part] - mean) ** 2
    return scatter


def _ratio(numerator: Floats, denominator: Floats, nothing: Floats) -> Floats:
    """L_f, as bad as can be where the graph says nothing about the feature."""
    there = denominator > nothing
    L = np.divide(numerator, denominator, out=np.full(len(there), WORST), where=there)
    return np.where(L < NONE, 0.0, np.minimum(L, WORST))
