"""Simba: gradient ascent of the margin over feature weights.

Reference
---------
R. Gilad-Bachrach, A. Navot, N. Tishby, *Margin based feature selection: theory and
algorithms*, ICML 2004, algorithm 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from widemargin._sklearn import StrOptions
from widemargin.base.ascent import AscentSelector
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import warn_single_members
from widemargin.engine import edge_sums, hits_and_misses, nearest
from widemargin.engine.neighbors import HIT, MISS
from widemargin.kernels._jit import jit
from widemargin.kernels.ascent import add_hit_and_miss, move, nearest_from, slope, weigh
from widemargin.kernels.records import Screen, Utility, VisitRoom
from widemargin.margin.utility import UTILITIES, evaluate, resolve_beta
from widemargin.threads import Workers


@dataclass(kw_only=True, eq=False, repr=False)
class Simba(AscentSelector):
    """Simba: gradient ascent to the feature weights with the largest margin.

    Weights start at 1. Each visited sample x moves them along the gradient of its own
    margin, with its nearest hit and miss found under the current weights:

        Δ_f = ½ ((x − miss)_f² / ‖x − miss‖_w − (x − hit)_f² / ‖x − hit‖_w) w_f.

    Unlike Relief, it uses the current weights to find neighbours, and so gives little
    weight to a feature for information that another one already provides. One pass
    visits every sample once in random order. Several orders are tried, and the result
    with the highest e(w) is kept.

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
    max_iter : int, default=1
        Number of passes over the samples.
    n_starts : int, default=5
        Number of random orders to try.
    batch_size : int, default=1
        Number of samples that share one w; their steps are averaged. Must be above 1 on
        a Dask collection.
    utility : {"linear", "sigmoid"}, default="linear"
        Utility of a margin θ: θ itself, or 1/(1 + exp(−βθ)), which gives less weight to
        margins that are already large or hopelessly negative.
    beta : float or "auto", default="auto"
        Slope of the sigmoid. "auto" is 1 / mean(2θ) at equal weights, or 1 if that mean
        is not positive.
    order : array of int or None, default=None
        Rows to visit in each pass, instead of a random order. Implies a single start.
    history : "step" or None, default=None
        "step" records e(w) and w after each batch, not only after each pass. Each e(w)
        costs as much as a pass.
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
        Number of threads; None uses all cores. Starts run in parallel.
    random_state : int, RandomState or None, default=None
        Random seed of the orders.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        w² / max(w²); 0 for a constant feature.
    weights_ : array of shape (n_features,)
        w of the best start. The signs are not meaningful.
    margin_ : float
        e(w) of the best start, at max w² = 1.
    history_ : array of shape (n_starts, max_iter) or (n_starts, n_steps)
        e(w) of each start after each pass, or after each batch with ``history="step"``.
    weights_history_ : array of shape (n_starts, n_steps, n_features)
        With ``history="step"``: w after each batch.
    n_iter_ : int
        Number of passes.
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
    >>> from widemargin import Simba
    >>> from widemargin.datasets import make_xor
    >>> X, y = make_xor(random_state=0)
    >>> simba = Simba(n_features_to_select=3, random_state=0).fit(X, y)
    >>> simba.get_support(indices=True)
    array([0, 1, 2])
    """

    utility: Literal["linear", "sigmoid"] = "linear"
    beta: float | Literal["auto"] = "auto"
    history: Literal["step"] | None = None
    categorical_features: Any = None

    _instead_on_dask = None

    _mixed = True

    _parameter_constraints = {
        **AscentSelector._parameter_constraints,
        "utility": [StrOptions({"linear", "sigmoid"})],
    }

    @property
    def _statistic(self) -> Floats:
        """Logarithms of the squared weights, which grow by factors and are skewed."""
        return np.log1p(super()._statistic)

    def _score(self, table: AnyTable, workers: Workers) -> Floats:
        warn_single_members(table, "Simba", "it has no margin and is not visited")
        beta = resolve_beta(self.beta, self.utility, table, workers)
        utility = Utility(UTILITIES[self.utility], beta)

        def step(w: Floats, rows: Ints) -> tuple[Floats, int]:
            return batch_step(table, w, rows, utility, workers)

        def e(w: Floats) -> float:
            return evaluate(table, w, self.utility, beta, workers)

        loop = visit_rows, (utility, table.row_weights)
        return self._ascend(table, loop, step, e, workers)


@jit
def coefficients(r: Floats, utility: Utility, c: Floats) -> None:
    """What (x − hit)_f² and (x − miss)_f² count in the paper's step (2b).

        Δ_f / w_f = ½ u'(θ) ((x − miss)_f² / ‖x − miss‖_w − (x − hit)_f² / ‖x − hit‖_w),

    with θ = ½ (‖x − miss‖_w − ‖x − hit‖_w). r[q] holds the distances of the q-th row
    to its hit and miss, c[q] is to hold the coefficients. A row without a hit, whose
    distance is NaN, makes no step, and a distance of 0 no term.
    """
    for q in range(len(r)):
        near, far = r[q, HIT], r[q, MISS]
        half = 0.5 * slope(utility, 0.5 * (far - near))
        c[q, HIT] = -half / near if near > 0 else 0.0
        c[q, MISS] = half / far if far > 0 and not np.isnan(near) else 0.0


@jit
def visit_rows(
    table: Any,
    screen: Screen,
    w: Floats,
    visits: Ints,
    seeds: Ints,
    batch: int,
    kind: tuple[Utility, Floats],
    room: VisitRoom,
) -> None:
    """Step 2 for rows in memory: visit rows in turn and move w after each batch.

    ``table`` has the rows, where their classes lie, and who wins ties. ``seeds`` holds
    each row's last hit and miss, where the search begins. ``kind`` is the utility, and
    what each row counts. w and seeds are updated.
    """
    X, rank, (utility, weights) = table[0], table[2], kind
    labels, starts = table[1].labels, table[1].starts
    found, delta, r, c = room.found, room.delta, room.r, room.c
    for first in range(0, visits.size, batch):
        under, count = weigh(w, screen, room.squares, room.weights), 0
        for t in range(first, min(first + batch, visits.size)):
            x = visits[t]
            lo, hi = starts[labels[x]], starts[labels[x] + 1]
            if hi - lo == 1:
                continue
            for side in (HIT, MISS):
                rows = (lo, hi, hi, hi) if side == HIT else (0, rank.size, lo, hi)
                seeds[x, side], r[0, side] = nearest_from(
                    table, x, seeds[x, side], rows, under, found
                )
            coefficients(r, utility, c)
            ends, here = (seeds[x, HIT], seeds[x, MISS]), weights[x]
            add_hit_and_miss(X, x, ends, (here * c[0, HIT], here * c[0, MISS]), delta)
            count += 1
        if count:
            move(w, delta, count)


def batch_step(
    table: AnyTable, w: Floats, rows: Ints, utility: Utility, workers: Workers
) -> tuple[Floats, int]:
    """Σ Δ_f / w_f over rows that share one w, wherever they are, and how many moved."""
    delta, count = np.zeros(len(w)), 0
    slots = hits_and_misses(len(table.classes))
    for block in nearest(
        table.reweighted(w), 1, slots, queries=rows, distances=True, workers=workers
    ):
        r = block.single_distances()
        c = np.empty_like(r)
        coefficients(r, utility, c)
        c *= table.row_weights[block.queries, None]
        delta += edge_sums(table, block.edges(c), power=2, workers=workers)
        count += int(np.count_nonzero(~np.isnan(r[:, HIT])))
    return delta, count
