"""The copy of a table that ascents of a margin search under changing weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from widemargin import kernels
from widemargin.table import Floats, Ints, Table
from widemargin.threads import Workers, spans

REARRANGED = 8  # times per pass that features are put in order of their weight


class _Rearranged:
    """A copy of a table whose features are put in order of their weight."""

    def arranged(self, w: Floats) -> Any:
        """The copy, arranged for weights near w."""
        raise NotImplementedError

    def parts(
        self, w: Floats, visits: Ints, batch_size: int = 1
    ) -> Iterator[tuple[Any, slice]]:
        """Cut a pass over the rows into parts, each with the copy arranged for w.

        w changes on the way: a part is arranged when the one before has been visited.
        """
        size = max(1, len(visits) // REARRANGED // batch_size) * batch_size
        for part in spans(len(visits), size):
            yield self.arranged(w), part


class Screen(_Rearranged):
    """Rows in single precision, features with the largest share of distances first.

    Most rows are then given up after a few features. The order follows the weights
    only when it is asked to: it does not change what is found, only how fast.
    """

    def __init__(self, table: Table) -> None:
        n, step = len(table.X), int(kernels.STEP)
        self.table = table
        self.centre = table.X.mean(axis=0)
        self.spread = table.X.var(axis=0)
        self.numeric = np.flatnonzero(table.numeric)
        ends = table.high - self.centre, self.centre - table.low
        self.largest = float(np.maximum(*ends)[self.numeric].max(initial=0.0))
        d = len(self.numeric)
        self.rows = np.zeros((n, -(-d // step) * step), np.float32)

    def arranged(self, w: Floats) -> kernels.Screen:
        """The copy, arranged for weights near w."""
        shares = (w**2 * self.spread)[self.numeric]
        columns = self.numeric[np.argsort(-shares, kind="stable")]
        kernels.arrange_columns(self.table.X, self.centre, columns, self.rows)
        return kernels.Screen(self.rows, columns, self.largest)


class CoarseScreen(_Rearranged):
    """Rows rounded to bytes, 64 of them side by side.

    A quarter of the memory to read, for searches that have to read nearly all of it:
    where distances differ little, most rows are given up only after most features.
    """

    def __init__(self, table: Table, workers: Workers) -> None:
        n, d = table.X.shape
        side, part = kernels.SIDE, kernels.PART
        self.table, self.workers = table, workers
        self.spread = table.X.var(axis=0)
        self.step = np.where(table.constant, 1.0, (table.high - table.low) / 255)
        groups = -(-n // side)
        self.cells = np.zeros((groups, d, side), np.uint8)
        self.placed = np.zeros((groups, -(-d // part) * part, side), np.uint8)
        workers.run(
            lambda some: kernels.round_rows(
                table.X, table.low, self.step, some.start, some.stop, self.cells
            ),
            spans(groups, 8),
        )

    def arranged(self, w: Floats) -> kernels.Coarse:
        """The copy, arranged for weights near w."""
        columns = np.argsort(-(w**2 * self.spread), kind="stable")
        self.workers.run(
            lambda some: kernels.rearrange_cells(
                self.cells, columns, some.start, some.stop, self.placed
            ),
            self.workers.shares(len(self.cells), 4),
        )
        low, step = self.table.low[columns], self.step[columns]
        return kernels.Coarse(self.placed, columns, low, step)
