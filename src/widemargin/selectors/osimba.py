"""O-Simba: algorithm 5 of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from widemargin.base.ascent import AscentSelector
from widemargin.base.ordinal import (
    CONSTRAINTS,
    ForOrderedClasses,
    dominating_hit_distances,
    resolve_directions,
)
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import Table, warn_single_members
from widemargin.engine import (
    Edges,
    hits_higher_and_lower,
    nearest,
    pair_lengths,
    sided_sums,
)
from widemargin.engine.neighbors import HIGHER, HIT, LOWER, MISS
from widemargin.kernels._jit import jit
from widemargin.kernels.ascent import (
    add_sided,
    move,
    nearest_dominating,
    nearest_from,
    weigh,
)
from widemargin.kernels.distances import numbers_of, sided_distance
from widemargin.kernels.records import Screen, VisitRoom
from widemargin.margin.utility import neighbors_at
from widemargin.threads import Workers


@dataclass(kw_only=True, eq=False, repr=False)
class OSimba(ForOrderedClasses, AscentSelector):
    """O-Simba: Simba for ordered classes and features that increase with them.

    Weights start at 1. Each visited sample x moves them along the gradient of its
    upward margin, to the nearest miss in all higher classes, and of its downward
    margin, to the nearest miss in all lower classes. Neighbours are found under the
    current weights:

        Δ_f = ½ Σ_± ((x − miss^±)_f² / ‖x − miss^±‖_w − (x − hit)_f² / ‖x − hit‖_w) w_f.

    In x − miss, only features count on which the miss lies on the expected side of x:
    above it for a higher class, below it for a lower class. The lowest class has no
    downward margin, and the highest has no upward margin. One pass visits every sample
    once in random order. Several orders are tried, and the result with the highest e(w)
    is kept: the sum of all upward and downward margins ½ (‖x − miss‖_w − ‖x − hit‖_w),
    of which Δ is the gradient.

    Labels are numbers, ordered by value, or an ordered categorical.

    Missing values are supported: expected differences, signed or absolute, over the
    values of the feature in that row's class are used. A nominal feature has no
    direction, so it requires ``difference="absolute"`` and ``hits="nearest"``; its
    values differ by 0 or 1.

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
    difference : {"directed", "absolute"}, default="directed"
        With "absolute", all features count for a miss. That is the formula printed in
        the paper, which also rewards features that are not monotone.
    hits : {"nearest", "dominating"}, default="nearest"
        Which sample of its class is the hit of x: the nearest, or, as in the paper, for
        the upward margin the nearest of those that are at least x on every feature, and
        for the downward margin of those that are at most x; if there is none, the
        margin has no hit term. "dominating" compares all pairs within a class, in
        O(n² d) at worst for each pass.
    directions : None, "auto" or array of shape (n_features,), default=None
        1 for a feature that should increase with the class, −1 for one that should
        decrease. None uses 1 for all; "auto" uses the sign of the rank correlation with
        y.
    order : array of int or None, default=None
        Rows to visit in each pass, instead of a random order. Implies a single start.
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
    directions_ : array of shape (n_features,)
        1 or −1 for each feature.
    weights_ : array of shape (n_features,)
        w of the best start. The signs are not meaningful.
    margin_ : float
        e(w) of the best start, at max w² = 1.
    history_ : array of shape (n_starts, max_iter)
        e(w) of each start after each pass.
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
    The first feature rises with the grade, the second only sets the middle one apart.

    >>> import numpy as np
    >>> from widemargin import OSimba
    >>> rng = np.random.default_rng(0)
    >>> grade = np.repeat([1, 2, 3], 20)
    >>> X = rng.random((60, 5))
    >>> X[:, 0] += grade
    >>> X[:, 1] += 2 * (grade == 2)
    >>> OSimba(1, random_state=0).fit(X, grade).get_support(indices=True)
    array([0])
    >>> as_printed = OSimba(1, difference="absolute", random_state=0)
    >>> as_printed.fit(X, grade).get_support(indices=True)
    array([1])
    """

    difference: Literal["directed", "absolute"] = "directed"
    hits: Literal["nearest", "dominating"] = "nearest"
    directions: Any = None
    categorical_features: Any = None

    _instead_on_dask = None

    _parameter_constraints = {**AscentSelector._parameter_constraints, **CONSTRAINTS}

    def _score(self, table: AnyTable, workers: Workers) -> Floats:
        warn_single_members(table, "OSimba", "it has no margin and is not visited")
        self.directions_ = resolve_directions(self, table, workers)
        table = table.oriented(self.directions_)
        directed, dominating = self.difference == "directed", self.hits == "dominating"

        def step(w: Floats, rows: Ints) -> tuple[Floats, int]:
            return batch_step(table, w, rows, directed, workers)

        def e(w: Floats) -> float:
            neighbors, distances = neighbors_at(table, w, workers, slots)
            near, far = distances[:, [HIT, HIT]], distances[:, [HIGHER, LOWER]]
            if directed:
                rows = np.arange(len(neighbors))
                far = _directed_distances(table, w, rows, neighbors, workers)
            if dominating:
                assert isinstance(table, Table)
                hits = dominating_hit_distances(table, w, workers)
                near = np.where(np.isnan(near), np.nan, hits)
            # A margin without a miss is NaN, and so are those of a class of one.
            return float(np.nansum(table.row_weights[:, None] * (far - near)) / 2)

        slots = hits_higher_and_lower(len(table.classes))
        loop = visit_rows, (directed, dominating, table.row_weights)
        return self._ascend(table, loop, step, e, workers, slots)


@jit
def coefficients(r: Floats, c: Floats) -> None:
    """What (x − hit)_f² and (x − miss)_f² count in the step for one margin of each x.

        Δ_f / w_f = ½ ((x − miss)_f² / ‖x − miss‖_w − (x − hit)_f² / ‖x − hit‖_w),

    which is summed over the upward and the downward margin (equation 12). r[q] holds
    the distances of the q-th row to its hit and miss (directed, on the features that
    have the side of the miss), c[q] is to hold the coefficients.
    Where there is no miss, its distance being NaN, there is no margin; no hit, or a
    distance of 0, makes no term.
    """
    for q in range(len(r)):
        near, far = r[q, HIT], r[q, MISS]
        c[q, HIT] = -0.5 / near if near > 0 and not np.isnan(far) else 0.0
        c[q, MISS] = 0.5 / far if far > 0 else 0.0


@jit
def visit_rows(
    table: Any,
    screen: Screen,
    w: Floats,
    visits: Ints,
    seeds: Ints,
    batch: int,
    kind: tuple[bool, bool, Floats],
    room: VisitRoom,
) -> None:
    """Visit rows in memory in turn and move w after each batch.

    ``table`` has the rows, where their classes lie, and who wins ties. ``seeds`` holds
    each row's last hit, higher miss and lower miss, −1 for none, where the search
    begins. ``kind`` says whether differences are directed, whether hits dominate, and
    what each row counts.
    w and seeds are updated.
    """
    X, Z, n = table[0], numbers_of(table[0]), table[2].size
    labels, starts = table[1].labels, table[1].starts
    directed, dominating, weights = kind
    found, delta, r, c = room.found, room.delta, room.r, room.c
    # Literals are types of their own, and what is called with them is compiled again.
    up, down, either = np.int64(1), np.int64(-1), np.int64(0)
    for first in range(0, visits.size, batch):
        under, count = weigh(w, screen, room.squares, room.weights), 0
        for t in range(first, min(first + batch, visits.size)):
            x = visits[t]
            lo, hi = starts[labels[x]], starts[labels[x] + 1]
            if hi - lo == 1:
                continue
            hit = seeds[x, HIT]
            if not dominating:
                rows = (lo, hi, hi, hi)
                hit, r[0, HIT] = nearest_from(table, x, hit, rows, under, found)
                seeds[x, HIT] = hit
            for slot in (HIGHER, LOWER):
                miss, side = seeds[x, slot], up if slot == HIGHER else down
                if miss < 0:
                    continue
                rows = (hi, n, n, n) if slot == HIGHER else (0, lo, lo, lo)
                miss, r[0, MISS] = nearest_from(table, x, miss, rows, under, found)
                seeds[x, slot] = miss
                if directed:
                    r[0, MISS] = sided_distance(Z, x, miss, side, under.squares)
                if dominating:
                    hit, r[0, HIT] = nearest_dominating(
                        table, x, (lo, hi), side, under.squares, found
                    )
                coefficients(r, c)
                c[0, HIT] *= weights[x]
                c[0, MISS] *= weights[x]
                counted = side if directed else either
                add_sided(X, x, miss, c[0, MISS], counted, delta)
                if hit >= 0:
                    add_sided(X, x, hit, c[0, HIT], either, delta)
            count += 1
        if count:
            move(w, delta, count)


def batch_step(
    table: AnyTable, w: Floats, rows: Ints, directed: bool, workers: Workers
) -> tuple[Floats, int]:
    """Σ Δ_f / w_f over rows that share one w, wherever they are, and how many moved."""
    delta, count = np.zeros(len(w)), 0
    slots = hits_higher_and_lower(len(table.classes))
    sides = np.zeros(3, np.int64)
    if directed:
        sides[HIGHER], sides[LOWER] = 1, -1
    for block in nearest(
        table.reweighted(w), 1, slots, queries=rows, distances=True, workers=workers
    ):
        r = block.single_distances()
        found = block.counts > 0
        if directed:
            neighbors = np.full(r.shape, -1)
            neighbors[found] = block.rows
            r[:, [HIGHER, LOWER]] = _directed_distances(
                table, w, block.queries, neighbors, workers
            )
        there, c = ~np.isnan(r[:, HIT]), np.zeros(r.shape)
        for slot in (HIGHER, LOWER):
            of_margin = np.empty((len(r), 2))
            coefficients(np.ascontiguousarray(r[:, [HIT, slot]]), of_margin)
            c[:, [HIT, slot]] += of_margin
        c[~there] = 0.0
        c *= table.row_weights[block.queries, None]
        side = np.broadcast_to(sides, r.shape)[found]
        delta += sided_sums(table, block.edges(c), side, workers=workers)
        count += int(np.count_nonzero(there))
    return delta, count


def _directed_distances(
    table: AnyTable, w: Floats, queries: Ints, neighbors: Ints, workers: Workers
) -> Floats:
    """Distances under w to a higher and a lower miss, on their side only; NaN if none.

    ``neighbors`` of m queries has shape (m, 3), with −1 for none; that of the result is
    (m, 2).
    """
    misses = neighbors[:, [HIGHER, LOWER]]
    rows, column = np.nonzero(misses >= 0)
    edges = Edges(queries[rows], misses[rows, column], np.ones(len(rows)))
    far = np.full(misses.shape, np.nan)
    side = np.array([1, -1])[column]
    far[rows, column] = pair_lengths(table, edges, side, w, workers=workers)
    return far
