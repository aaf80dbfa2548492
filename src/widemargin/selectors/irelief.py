"""I-Relief: Relief with neighbours as probabilities, iterated.

Reference
---------
Y. Sun, *Iterative RELIEF for feature weighting: algorithms, theories, and
applications*, IEEE Transactions on Pattern Analysis and Machine Intelligence 29, 2007.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin._sklearn import Interval
from widemargin.base import MarginSelector
from widemargin.data.protocol import Floats
from widemargin.data.table import Table, warn_single_members
from widemargin.engine import edge_sums
from widemargin.engine.pairs import Block, blocks_of_pairs, listed
from widemargin.notices import warn
from widemargin.progress import progress
from widemargin.threads import Workers


@dataclass(kw_only=True, eq=False, repr=False)
class IRelief(MarginSelector):
    """I-Relief: every row is a neighbour with some probability, under learned weights.

    Which rows are nearest depends on the weights to be found. So the nearest hit and
    the nearest miss of a sample x are treated as random: row z is the nearest one with
    a probability proportional to exp(−‖x − z‖_w / sigma), ‖x − z‖_w = Σ_f w_f |x_f −
    z_f|. With P(x) the share of the misses in the sum of these kernels, the probability
    that x is an outlier, one step is

        ν_f = mean over x of (1 − P(x)) · (E|x_f − miss_f| − E|x_f − hit_f|),
        w ← ν⁺ / ‖ν⁺‖₂,

    from w_f = 1/d until ‖w − w_old‖ < tol. Misses are the rows of all other classes.

    Nominal features and missing values are supported. Two values of a nominal feature
    differ by 0 or 1, whatever the scale. If one value is missing, the expected
    difference over the values of the feature in that row's class is used; if both are,
    the expectation over both classes.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    sigma : float, default=1.0
        Kernel width, in units of the scaled features. A small value uses only close
        neighbours; a large one weights all rows almost equally.
    max_iter : int, default=100
        Maximum number of steps.
    tol : float, default=1e-4
        Convergence threshold for the Euclidean norm of the change in w.
    redundancy : float, "auto" or None, default=None
        Similarity at which a feature is skipped as a near copy of a better one: |r|, or
        the symmetrical uncertainty if there are nominal or missing values. "auto"
        chooses among None, 0.9 and 0.7 by ten-fold cross-validation.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        Scaling of the features: by range, by largest absolute value, by standard
        deviation, by rank (average ranks, scaled by their range, so that extremely
        skewed features count like others), or none.
    categorical_features : array of bool, int or str, or None, default=None
        Nominal features, as a mask, column indices or names, in addition to the text,
        boolean and unordered categorical columns of a DataFrame. An ordered category is
        treated as a number, its position in the order.
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
        The weights w, from 0 to 1. Higher is better.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether each feature is kept.
    n_features_ : int
        Number of features kept.
    n_iter_ : int
        Number of steps.
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
    >>> from widemargin import IRelief
    >>> X, y = load_iris(return_X_y=True)
    >>> IRelief().fit(X, y).scores_.round(2)
    array([0.26, 0.13, 0.66, 0.7 ])
    """

    sigma: float = 1.0
    max_iter: int = 100
    tol: float = 1e-4
    categorical_features: Any = None

    _mixed = True
    _score_of_group = "differences"
    _metric_of_group = "manhattan"
    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "tol": [Interval(numbers.Real, 0, None, closed="left")],
    }

    def _score(self, table: Table, workers: Workers) -> Floats:
        name = type(self).__name__
        warn_single_members(table, name, "its sample is left out")
        quiet = workers.silent()
        w = np.full(table.n_features, 1 / self._n_scored)
        self.n_iter_ = self.max_iter
        with progress(name, self.max_iter, self.verbose) as advance:
            for t in range(self.max_iter):
                self._margins = self._step(table, w, quiet)
                margins = self._of_features(self._margins, np.maximum)
                old, w = w, self._margins / (np.linalg.norm(margins) or 1.0)
                advance()
                moved = self._of_features(w - old, np.maximum)
                if np.linalg.norm(moved) < self.tol or not w.any():
                    self.n_iter_ = t + 1
                    break
        if not w.any():
            warn(
                f"{name}: all weights fell to 0, so the ranking is not meaningful: no "
                "feature differs more between classes than within them. Try another "
                "sigma."
            )
        return w

    @property
    def _statistic(self) -> Floats:
        """ν⁺, the mean margins, before they are divided by their norm."""
        return self._margins

    def _step(self, table: Table, w: Floats, workers: Workers) -> Floats:
        """ν⁺ for the neighbours under w."""
        nu = np.zeros(len(w))
        weighted = table.reweighted(w)
        with blocks_of_pairs(weighted, "manhattan", workers, "IRelief") as blocks:
            for block in blocks:
                C = self._coefficients(table, block)
                nu += edge_sums(table, listed(block.queries, C), workers=workers)
        return np.maximum(nu / len(table.X), 0.0)

    def _coefficients(self, table: Table, block: Block) -> Floats:
        """What each row counts for a query: (1 − P) · (P(miss) − P(hit)), (m, n)."""
        others = block.others
        nearest = np.where(others, block.distances, np.inf).min(axis=1, keepdims=True)
        kernel = np.exp((nearest - block.distances) / self.sigma) * others
        kernel *= table.row_weights
        hit = table.y[block.queries, None] == table.y
        to_hits = np.where(hit, kernel, 0.0).sum(axis=1, keepdims=True)
        to_misses = np.where(hit, 0.0, kernel).sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            inside = to_hits / (to_hits + to_misses)
            C = np.where(hit, -kernel / to_hits, kernel / to_misses) * inside
        C *= table.row_weights[block.queries, None]
        # Where hits are out of reach of the kernel the sample is an outlier for sure,
        # and where misses are, no miss has a probability.
        return np.where((to_hits > 0) & (to_misses > 0), C, 0.0)
