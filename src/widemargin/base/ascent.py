"""`AscentSelector`: ascend a margin from several random orders, keep the best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from widemargin import kernels
from widemargin.base.scores import squared_share
from widemargin.base.selector import MarginSelector
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import Table, visiting_order
from widemargin.engine.screens import WeightedScreen
from widemargin.kernels.records import VisitRoom
from widemargin.margin.utility import neighbors_at
from widemargin.notices import warn
from widemargin.progress import progress
from widemargin.threads import Workers, spans


@dataclass(kw_only=True, eq=False, repr=False)
class AscentSelector(MarginSelector):
    """Base class of the selectors that ascend a margin from several random orders.

    A method calls ``_ascend`` with its steps and its e(w).
    """

    max_iter: int = 1
    n_starts: int = 5
    batch_size: int = 1
    order: Any = None
    random_state: Any = None
    history: Literal["step"] | None = field(default=None, init=False)

    @property
    def _statistic(self) -> Floats:
        """The squared weights as they are, not as shares of the largest."""
        return np.square(self.weights_)

    def _ascend(
        self,
        table: AnyTable,
        loop: tuple[Any, Any],
        step: Callable[[Floats, Ints], tuple[Floats, int]],
        e: Callable[[Floats], float],
        workers: Workers,
        slots: Ints | None = None,
    ) -> Floats:
        """Scores of the start that reaches the highest e(w), all starts side by side.

        ``loop`` visits rows in memory: a compiled function, and its argument ``kind``.
        ``step(w, rows)`` is for rows on the workers: Σ Δ / w over rows that share one
        w, and how many of them move it. ``slots`` are those of `neighbors_at`.
        """
        visit: Callable[[Floats, Ints, Ints], None]
        if isinstance(table, Table):
            visit = partial(one_pass, *loop, WeightedScreen(table), self.batch_size)
            seeds, _ = neighbors_at(table, np.ones(table.n_features), workers, slots)
        else:
            self._refuse_single_visits()
            visit = partial(self._visit_in_batches, step)
            seeds = np.empty(0, np.int64)
        d, name = table.n_features, type(self).__name__
        orders = [self._pieces(passes) for passes in self._orders(table)]
        paths = np.empty((len(orders), len(orders[0]), d))
        with progress(name, paths[..., 0].size, self.verbose) as advance:

            def climb(start: int) -> None:
                w, mine = np.ones(d), seeds.copy()
                for t, visits in enumerate(orders[start]):
                    visit(w, visits, mine)
                    paths[start, t] = w
                    advance()

            workers.run(climb, range(len(orders)))

        largest = np.abs(paths).max(axis=2, keepdims=True)
        normal = paths / np.where(largest > 0, largest, 1.0)
        self.history_ = np.array([[e(w) for w in path] for path in normal])
        best = int(np.argmax(self.history_[:, -1]))
        self.weights_ = paths[best, -1].copy()
        self.__dict__.pop("weights_history_", None)
        if self.history == "step":
            self.weights_history_ = paths
        self.margin_ = float(self.history_[best, -1])
        self.n_iter_ = self.max_iter
        if not self.weights_.any():
            warn(
                f"{name}: all weights fell to 0, so all scores are equal and the "
                "ranking is not meaningful: most samples are nearer to another class "
                "than to their own. Try other orders (n_starts, random_state), or a "
                "method that does not multiply weights, such as ReliefF."
            )
        return squared_share(table, self.weights_)

    def _visit_in_batches(
        self,
        step: Callable[[Floats, Ints], tuple[Floats, int]],
        w: Floats,
        visits: Ints,
        seeds: Ints,
    ) -> None:
        """One pass over rows on the workers; w is updated."""
        for part in spans(len(visits), self.batch_size):
            delta, count = step(w, visits[part])
            if count:
                kernels.ascent.move(w, delta, count)

    def _pieces(self, passes: list[Ints]) -> list[Ints]:
        """Visits after which the weights are noted: a pass, or a step."""
        if self.history != "step":
            return passes
        size = self.batch_size
        return [v[part] for v in passes for part in spans(len(v), size)]

    def _orders(self, table: AnyTable) -> list[list[Ints]]:
        """Rows of the table to visit, for each start and pass."""
        if self.order is not None:
            visits = visiting_order(table, self.order, type(self).__name__)
            return [[visits] * self.max_iter]
        n, random = table.n_rows, check_random_state(self.random_state)
        return [
            [table.positions(random.permutation(n)) for _ in range(self.max_iter)]
            for _ in range(self.n_starts)
        ]


def one_pass(
    visit_rows: Any,
    kind: Any,
    screen: WeightedScreen,
    batch_size: int,
    w: Floats,
    visits: Ints,
    seeds: Ints,
) -> None:
    """One pass over rows in memory by a compiled loop.

    w is updated, and so are seeds, the neighbours where the search of a row begins.
    """
    table = screen.table
    rows = table.data, table.layout, table.rows
    for arranged, part in screen.parts(w, visits, batch_size):
        room = VisitRoom.of(w, len(seeds), arranged.rows.shape[1])
        visit_rows(rows, arranged, w, visits[part], seeds, batch_size, kind, room)
