"""LMBA: descent of the loss-margin of nearest-neighbour classification.

Reference
---------
Y. Li, B.-L. Lu, *Feature selection based on loss-margin of nearest neighbor
classification*, Pattern Recognition 42, 2009, section 3.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from widemargin import kernels
from widemargin.base import About, MarginSelector, squared_share
from widemargin.engine import hits_and_misses, nearest
from widemargin.engine.relations import HIT, MISS
from widemargin.progress import progress
from widemargin.screen import CoarseScreen
from widemargin.table import (
    Floats,
    Ints,
    Table,
    visiting_order,
    warn_single_members,
    warn_small_classes,
)
from widemargin.threads import Workers, spans


class LMBA(MarginSelector):
    """LMBA: weights that keep target neighbours close and invaders out.

    Every sample x_i has k target neighbours, the nearest of its class, and a margin
    θ_i = |‖x_i − nearmiss‖² − ‖x_i − nearhit‖²|, both fixed in the original space. Its
    loss is

        Σ_j d_ij + c Σ_j Σ_p [θ_i + d_ij − d_ip]₊,    d_ij = Σ_f w_f² (x_i − x_j)_f²,

    over targets j and samples p of other classes. Each visited sample moves w by a step
    β_t against the normalised gradient of its loss.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features to keep, or which share of them; None keeps half.
    n_neighbors : int
        k.
    c : float
        Weight of the hinge terms.
    active : "weighted" or "original"
        Whether a hinge is tested under w, as the loss has it, or with unweighted
        distances, as the paper prints the gradient.
    step : "sqrt", "constant" or callable
        β_t is 1/√t, 1, or ``step(t)``, for the t-th visit from 1 on. The printed
        algorithm is ``active="original"`` with ``step="constant"``.
    max_iter : int
        Passes over the samples.
    order : array of int or None
        Rows to visit in each pass, instead of random orders.
    scale : "minmax", "standard" or None
        How features are made commensurable: by their range, their standard deviation,
        or not at all.
    n_jobs : int or None
        Threads; None uses all cores. The descent itself is sequential.
    random_state : int, RandomState or None
        Draws the orders.
    verbose : int
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        w² / max(w²); 0 for a constant feature.
    weights_ : array of shape (n_features,)
        w. Its signs carry nothing.
    loss_ : float
        Sum of the samples' losses at w.
    n_iter_ : int
        Passes made.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether a feature is kept.
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

    _about = About("Li & Lu 2009", "n² d per pass")

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "n_neighbors": [Interval(numbers.Integral, 1, None, closed="left")],
        "c": [Interval(numbers.Real, 0, None, closed="left")],
        "active": [StrOptions({"weighted", "original"})],
        "step": [StrOptions({"sqrt", "constant"}), callable],
        "max_iter": [Interval(numbers.Integral, 1, None, closed="left")],
        "order": ["array-like", None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_neighbors: int = 3,
        c: float = 1.0,
        active: str = "weighted",
        step: str | Callable[[int], float] = "sqrt",
        max_iter: int = 1,
        order: Any = None,
        scale: str | None = "minmax",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.c = c
        self.active = active
        self.step = step
        self.max_iter = max_iter
        self.order = order
        self.scale = scale
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _score(self, table: Table, workers: Workers) -> Floats:
        warn_single_members(table, "LMBA", "it has no target and is not visited")
        warn_small_classes(table, "LMBA", self.n_neighbors)
        n, d = table.X.shape
        random = check_random_state(self.random_state)
        targets, screen = self._targets(table, workers), CoarseScreen(table, workers)
        w, t = np.ones(d), 0
        with progress("LMBA", self.max_iter, self.verbose) as advance:
            for _ in range(self.max_iter):
                if self.order is None:
                    visits = table.positions(random.permutation(n))
                else:
                    visits = visiting_order(table, self.order, "LMBA")
                beta = self._steps(t, len(visits))
                self._descend(screen, targets, w, visits, beta)
                t += len(visits)
                advance()
        self.weights_ = w
        self.loss_ = self._loss(screen, targets, w, workers)
        self.n_iter_ = self.max_iter
        return squared_share(table, w)

    def _targets(self, table: Table, workers: Workers) -> kernels.Targets:
        """Target neighbours and margins (step 2 and step 3b)."""
        n, k = len(table.X), self.n_neighbors
        ids, counts = np.zeros((n, k), np.int64), np.zeros(n, np.int64)
        shortest = np.full((n, 2), np.nan)
        relation = hits_and_misses(len(table.classes))
        for block in nearest(table, k, relation, distances=True, workers=workers):
            filled = np.arange(k) < block.counts[..., None]
            part, measured = (
                np.zeros(filled.shape, np.int64),
                np.full(filled.shape, np.nan),
            )
            part[filled], measured[filled] = block.rows, block.distances
            ids[block.queries], counts[block.queries] = (
                part[:, HIT],
                block.counts[:, HIT],
            )
            shortest[block.queries] = np.fmin.reduce(measured, axis=2)
        near, far = shortest[:, HIT], shortest[:, MISS]
        return kernels.Targets(ids, counts, np.abs(far**2 - near**2))

    def _steps(self, t: int, count: int) -> Floats:
        """β of the next visits, after t of them."""
        number = np.arange(t + 1, t + count + 1)
        if self.step == "sqrt":
            return 1 / np.sqrt(number)
        if self.step == "constant":
            return np.ones(count)
        assert callable(self.step)
        return np.array([self.step(int(i)) for i in number], dtype=np.float64)

    def _descend(
        self,
        screen: CoarseScreen,
        targets: kernels.Targets,
        w: Floats,
        visits: Ints,
        beta: Floats,
    ) -> None:
        """One pass; w is updated (step 3)."""
        weighted = self.active == "weighted"
        arranged_for = w if weighted else np.ones_like(w)
        for arranged, part in screen.parts(arranged_for, visits):
            kernels.lmba_visits(
                (screen.table.X, screen.layout),
                targets,
                arranged,
                w,
                visits[part],
                beta[part],
                float(self.c),
                weighted,
            )

    def _loss(
        self,
        screen: CoarseScreen,
        targets: kernels.Targets,
        w: Floats,
        workers: Workers,
    ) -> float:
        """e(w), equation 4."""
        n, arranged = len(targets.counts), screen.arranged(w)
        losses = np.empty(n)
        workers.run(
            lambda part: kernels.lmba_losses(
                (screen.table.X, screen.layout),
                targets,
                arranged,
                w * w,
                part.start,
                part.stop,
                float(self.c),
                losses,
            ),
            spans(n, 64),
        )
        return float(losses.sum())
