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
from functools import partial
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from widemargin._sklearn import Interval, StrOptions
from widemargin.base import MarginSelector, squared_share
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import (
    Table,
    visiting_order,
    warn_single_members,
    warn_small_classes,
)
from widemargin.engine import edge_sums, invasions
from widemargin.engine.screens import WeightedScreen
from widemargin.kernels._jit import jit
from widemargin.kernels.ascent import weigh
from widemargin.kernels.descent import (
    Descent,
    find_near,
    hinge_edges,
)
from widemargin.kernels.records import DescentRoom, Screen, Targets
from widemargin.kernels.sums import add_edge_sums
from widemargin.margin.loss import find_targets, hinges, total_loss
from widemargin.progress import progress
from widemargin.threads import Workers, spans


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
        e(w), the sum of the samples' losses.
    history_ : array of shape (max_iter,)
        e(w) after each pass. `widemargin.margin.lmba_loss` computes it for any w.
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
            self._refuse_single_visits()
        warn_single_members(table, "LMBA", "it has no target and is not visited")
        warn_small_classes(table, "LMBA", self.n_neighbors)
        targets = find_targets(table, self.n_neighbors, workers)
        if isinstance(table, Table):
            one_pass = partial(descend_in_memory, self, WeightedScreen(table), targets)
        else:
            one_pass = partial(
                descend_on_workers, self, table, targets, workers=workers
            )
        random = check_random_state(self.random_state)
        w, t, losses = np.ones(table.n_features), 0, []
        with progress("LMBA", self.max_iter, self.verbose) as advance:
            for _ in range(self.max_iter):
                if self.order is None:
                    visits = table.positions(random.permutation(table.n_rows))
                else:
                    visits = visiting_order(table, self.order, "LMBA")
                beta = self._steps(t, -(-len(visits) // self.batch_size))
                one_pass(w, visits, beta)
                t += len(beta)
                losses.append(total_loss(table, targets, w, float(self.c), workers))
                advance()
        self.weights_, self.history_ = w, np.array(losses)
        self.loss_, self.n_iter_ = losses[-1], self.max_iter
        return squared_share(table, w)

    @property
    def _statistic(self) -> Floats:
        """The squared weights as they are, not as shares of the largest."""
        return np.square(self.weights_)

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


def descend_in_memory(
    lmba: LMBA,
    screen: WeightedScreen,
    targets: Targets,
    w: Floats,
    visits: Ints,
    beta: Floats,
) -> None:
    """One pass, all of it compiled; w is updated."""
    table, batch = screen.table, lmba.batch_size
    (n, k), d = targets.ids.shape, table.n_features
    tested = w if lmba.active == "weighted" else np.ones(d)
    descent = Descent(float(lmba.c), tested, batch)
    for arranged, part in screen.parts(tested, visits, batch):
        room = DescentRoom.of(d, n, k, arranged.rows.shape[1])
        rows, steps = (table.X, table.layout), beta[part.start // batch :]
        visit_rows(rows, targets, arranged, w, visits[part], steps, descent, room)


def descend_on_workers(
    lmba: LMBA,
    table: AnyTable,
    targets: Targets,
    w: Floats,
    visits: Ints,
    beta: Floats,
    workers: Workers,
) -> None:
    """One pass by the operations of the engine; w is updated."""
    for step, part in zip(beta, spans(len(visits), lmba.batch_size), strict=True):
        rows = np.sort(visits[part])
        rows = rows[targets.counts[rows] > 0]
        if not len(rows):
            continue
        tested = w if lmba.active == "weighted" else np.ones(len(w))
        edges, lengths, limits = hinges(table, targets, rows, tested, workers)
        active, pushed, _ = invasions(table, rows, limits, tested, workers=workers)
        pull = (1 + lmba.c * active[lengths >= 0]) * edges.coefficients
        edges = edges._replace(coefficients=pull)
        pulled = edge_sums(table, edges, power=2, workers=workers)
        step *= targets.weights[rows].mean()
        go_down(pulled - lmba.c * pushed, step, w, np.empty(len(w)))
