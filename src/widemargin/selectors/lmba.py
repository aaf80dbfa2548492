"""LMBA: descent of the loss-margin of nearest-neighbour classification.

Reference
---------
Y. Li, B.-L. Lu, *Feature selection based on loss-margin of nearest neighbor
classification*, Pattern Recognition 42, 2009, section 3.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from widemargin._sklearn import Interval, StrOptions
from widemargin.base import MarginSelector, refuse_single_visits, squared_share
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import (
    Table,
    visiting_order,
    warn_single_members,
    warn_small_classes,
)
from widemargin.engine import (
    Edges,
    edge_sums,
    hits_and_misses,
    invasions,
    nearest,
    pair_lengths,
)
from widemargin.engine.neighbors import HIT, MISS
from widemargin.engine.screens import WeightedScreen
from widemargin.kernels._jit import jit
from widemargin.kernels.ascent import weigh
from widemargin.kernels.descent import (
    Descent,
    DescentRoom,
    Targets,
    find_near,
    hinge_edges,
    lmba_losses,
)
from widemargin.kernels.records import Screen
from widemargin.kernels.sums import add_edge_sums
from widemargin.progress import progress
from widemargin.threads import Workers, spans

ROWS_AT_ONCE = 8192  # whose losses are computed together on the workers


@dataclass(kw_only=True, eq=False, repr=False)
class LMBA(MarginSelector):
    """LMBA: weights that keep target neighbours close and impostors out.

    Every sample x_i has k target neighbours, the nearest of its class, and a margin
    θ_i = |‖x_i − nearmiss‖² − ‖x_i − nearhit‖²|, both fixed in the original space. Its
    loss is

        Σ_j d_ij + c Σ_j Σ_p [θ_i + d_ij − d_ip]₊,    d_ij = Σ_f w_f² (x_i − x_j)_f²,

    summed over targets j and samples p of other classes. Each visited sample moves w by
    a step β_t against the normalised gradient of its loss; a batch moves w against that
    of the sum of its losses.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or fraction of them; None keeps half. "auto" keeps
        the smallest top-k whose 1-NN accuracy (5-NN and R² for a numeric target) is
        within one standard error of the best, in ten-fold cross-validation with the
        ranking inside the folds.
    n_neighbors : int, default=3
        k.
    c : float, default=1.0
        Weight of the hinge terms.
    active : {"weighted", "original"}, default="weighted"
        Whether active hinges are found with weighted distances, as in the loss, or with
        unweighted distances, as in the gradient printed in the paper.
    step : "sqrt", "constant" or callable, default="sqrt"
        Step size β_t of the t-th batch, counted from 1: 1/√t, 1, or ``step(t)``. The
        published algorithm is ``active="original"`` with ``step="constant"``.
    max_iter : int, default=1
        Number of passes over the samples.
    batch_size : int, default=1
        Number of samples that share one w and one step; 1 in the published algorithm.
        Must be above 1 on a Dask collection.
    order : array of int or None, default=None
        Rows to visit in each pass, instead of a random order.
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
        Number of threads; None uses all cores. They compute the targets and the loss;
        samples are visited by a single thread.
    random_state : int, RandomState or None, default=None
        Random seed of the orders.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        w² / max(w²); 0 for a constant feature.
    weights_ : array of shape (n_features,)
        w. The signs are not meaningful.
    loss_ : float
        Sum of the samples' losses at w.
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
    >>> from widemargin import LMBA
    >>> from widemargin.datasets import make_quadrants
    >>> X, y = make_quadrants(random_state=0)
    >>> LMBA(2, random_state=0).fit(X, y).get_support(indices=True)
    array([0, 1])
    """

    n_neighbors: int = 3
    c: float = 1.0
    active: Literal["weighted", "original"] = "weighted"
    step: Literal["sqrt", "constant"] | Callable[[int], float] = "sqrt"
    max_iter: int = 1
    batch_size: int = 1
    order: Any = None
    random_state: Any = None

    _instead_on_dask = None

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "c": [Interval(numbers.Real, 0, None, closed="left")],
        "active": [StrOptions({"weighted", "original"})],
        "step": [StrOptions({"sqrt", "constant"}), callable],
    }

    def _score(self, table: AnyTable, workers: Workers) -> Floats:
        if not isinstance(table, Table):
            refuse_single_visits(self)
        warn_single_members(table, "LMBA", "it has no target and is not visited")
        warn_small_classes(table, "LMBA", self.n_neighbors)
        random = check_random_state(self.random_state)
        targets = self._targets(table, workers)
        path: _InMemory | _OnWorkers = _InMemory(self, table, targets, workers)
        if not isinstance(table, Table):
            path = _OnWorkers(self, table, targets, workers)
        w, t = np.ones(table.n_features), 0
        with progress("LMBA", self.max_iter, self.verbose) as advance:
            for _ in range(self.max_iter):
                if self.order is None:
                    visits = table.positions(random.permutation(table.n_rows))
                else:
                    visits = visiting_order(table, self.order, "LMBA")
                beta = self._steps(t, -(-len(visits) // self.batch_size))
                path.one_pass(w, visits, beta)
                t += len(beta)
                advance()
        self.weights_ = w
        self.loss_ = path.loss(w)
        self.n_iter_ = self.max_iter
        return squared_share(table, w)

    @property
    def _statistic(self) -> Floats:
        """The squared weights as they are, not as shares of the largest."""
        return np.square(self.weights_)

    def _targets(self, table: AnyTable, workers: Workers) -> Targets:
        """Target neighbours and margins (step 2 and step 3b)."""
        n, k = table.n_rows, self.n_neighbors
        ids, counts = np.zeros((n, k), np.int64), np.zeros(n, np.int64)
        shortest = np.full((n, 2), np.nan)
        relation = hits_and_misses(len(table.classes))
        for block in nearest(table, k, relation, distances=True, workers=workers):
            filled = np.arange(k) < block.counts[..., None]
            part = np.zeros(filled.shape, np.int64)
            measured = np.full(filled.shape, np.nan)
            part[filled], measured[filled] = block.rows, block.distances
            ids[block.queries] = part[:, HIT]
            counts[block.queries] = block.counts[:, HIT]
            shortest[block.queries] = np.fmin.reduce(measured, axis=2)
        near, far = shortest[:, HIT], shortest[:, MISS]
        return Targets(ids, counts, np.abs(far**2 - near**2), table.row_weights)

    def _steps(self, t: int, count: int) -> Floats:
        """β of the next steps, after t of them."""
        number = np.arange(t + 1, t + count + 1)
        if self.step == "sqrt":
            return 1 / np.sqrt(number)
        if self.step == "constant":
            return np.ones(count)
        assert callable(self.step)
        beta = [self.step(int(i)) for i in number]
        for i, value in zip(number, beta, strict=True):
            if not (isinstance(value, numbers.Real) and np.isfinite(float(value))):
                raise ValueError(
                    f"LMBA: step({i}) must be a finite number, got {value!r}."
                )
        return np.array(beta, dtype=np.float64)


@jit
def go_down(sums: Floats, beta: float, w: Floats, gradient: Floats) -> None:
    """Move w against the gradient of the losses of a batch (step 3d).

        w ← w − β ∇ / ‖∇‖,   ∇_f = 2 w_f (Σ_j δ_ij,f² + c Σ_(j,p) (δ_ij,f² − δ_ip,f²)),

    over targets j and active hinges (j, p) of the rows i; ``sums`` has what is in
    parentheses. There is no step where ∇ is 0.

    Divided before it is multiplied: a gradient of one feature is then a step of exactly
    that length, and a weight that it takes to 0 is 0.
    """
    size = 0.0
    for f in range(w.size):
        gradient[f] = 2 * w[f] * sums[f]
        size += gradient[f] * gradient[f]
    if size > 0:
        length = np.sqrt(size)
        for f in range(w.size):
            w[f] -= beta * (gradient[f] / length)


@jit
def visit_rows(
    table: Any,
    targets: Targets,
    screen: Screen,
    w: Floats,
    visits: Ints,
    beta: Floats,
    descent: Descent,
    room: DescentRoom,
) -> None:
    """Step 3 for rows in memory: visit rows in turn and move w after each batch.

    ``table`` has the rows, and where their classes lie. Batch b moves by beta[b] times
    the mean weight of its rows.
    """
    X, labels, starts = table[0], table[1].labels, table[1].starts
    edges, sums, c, batch = room.edges, room.sums, descent.c, descent.batch
    zero, two = np.int64(0), np.int64(2)
    first, d = np.uint64(0), np.uint64(w.size)
    for start in range(0, visits.size, batch):
        under = weigh(descent.tested, screen, room.squares, room.weights)
        weight, count = 0.0, 0
        for f in range(d):
            sums[f] = 0.0
        for t in range(start, min(start + batch, visits.size)):
            i = visits[t]
            if targets.counts[i] > 0:
                own = starts[labels[i]], starts[labels[i] + 1]
                n = find_near(X, i, own, targets, under, room)
                n = hinge_edges(i, targets, c, n, room)
                add_edge_sums(X, edges, two, zero, n, first, d, sums)
                weight, count = weight + targets.weights[i], count + 1
        if count:
            go_down(sums, beta[start // batch] * (weight / count), w, room.gradient)


class _Descent:
    """The way down, for one set of targets."""

    def __init__(
        self, lmba: LMBA, table: Any, targets: Targets, workers: Workers
    ) -> None:
        self.c, self.weighted = float(lmba.c), lmba.active == "weighted"
        self.batch, self.workers = lmba.batch_size, workers
        self.table, self.targets = table, targets


class _InMemory(_Descent):
    """All of it compiled, for rows in memory."""

    @cached_property
    def screen(self) -> WeightedScreen:
        return WeightedScreen(self.table)

    def one_pass(self, w: Floats, visits: Ints, beta: Floats) -> None:
        tested = w if self.weighted else np.ones_like(w)
        descent = Descent(self.c, tested, self.batch)
        for arranged, part in self.screen.parts(tested, visits, self.batch):
            visit_rows(
                (self.table.X, self.table.layout),
                self.targets,
                arranged,
                w,
                visits[part],
                beta[part.start // self.batch :],
                descent,
                self._room(arranged),
            )

    def _room(self, arranged: Screen) -> DescentRoom:
        (n, k), d = self.targets.ids.shape, self.table.n_features
        return DescentRoom.of(d, n, k, arranged.rows.shape[1])

    def loss(self, w: Floats) -> float:
        n, arranged = len(self.targets.counts), self.screen.arranged(w)
        losses = np.empty(n)
        self.workers.run(
            lambda part: lmba_losses(
                (self.table.X, self.table.layout),
                self.targets,
                arranged,
                w,
                part.start,
                part.stop,
                self.c,
                losses,
                self._room(arranged),
            ),
            spans(n, 64),
        )
        return float(losses.sum())


class _OnWorkers(_Descent):
    """By the operations of the engine, for rows on the workers."""

    def _hinges(self, rows: Ints, w: Floats) -> tuple[Edges, Floats, Floats]:
        """Edges to targets; squared lengths and limits, (m, k), −1 for no target."""
        ids, counts, theta, _ = (a[rows] for a in self.targets)
        there = np.arange(ids.shape[1]) < counts[:, None]
        edges = Edges(np.repeat(rows, counts), ids[there], np.ones(int(counts.sum())))
        everywhere = np.zeros(len(edges.heads), np.int64)
        lengths, limits = np.full((2, *ids.shape), -1.0)
        lengths[there] = (
            pair_lengths(self.table, edges, everywhere, w, workers=self.workers) ** 2
        )
        limits[there] = (theta[:, None] + lengths)[there]
        return edges, lengths, limits

    def one_pass(self, w: Floats, visits: Ints, beta: Floats) -> None:
        for step, part in zip(beta, spans(len(visits), self.batch), strict=True):
            rows = np.sort(visits[part])
            rows = rows[self.targets.counts[rows] > 0]
            if not len(rows):
                continue
            tested = w if self.weighted else np.ones(len(w))
            edges, lengths, limits = self._hinges(rows, tested)
            active, pushed, _ = invasions(
                self.table, rows, limits, tested, workers=self.workers
            )
            pull = 1 + self.c * active[lengths >= 0]
            edges = edges._replace(coefficients=pull)
            pulled = edge_sums(self.table, edges, power=2, workers=self.workers)
            go_down(pulled - self.c * pushed, step, w, np.empty(len(w)))

    def loss(self, w: Floats) -> float:
        total, rows = 0.0, np.flatnonzero(self.targets.counts)
        for part in spans(len(rows), ROWS_AT_ONCE):
            _, lengths, limits = self._hinges(rows[part], w)
            _, _, hinges = invasions(
                self.table, rows[part], limits, w, workers=self.workers
            )
            total += float(lengths[lengths >= 0].sum()) + self.c * hinges
        return total
