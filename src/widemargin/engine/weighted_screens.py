"""The copy of a table that ascents of a margin search under changing weights."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from widemargin import kernels
from widemargin.table import Floats, Ints, Table
from widemargin.threads import spans

REARRANGED = 8  # times per pass that features are put in order of their weight


class WeightedScreen:
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

    def parts(
        self, w: Floats, visits: Ints, batch_size: int = 1
    ) -> Iterator[tuple[kernels.Screen, slice]]:
        """Cut a pass over the rows into parts, each with the copy arranged for w.

        w changes on the way: a part is arranged when the one before has been visited.
        """
        size = max(1, len(visits) // REARRANGED // batch_size) * batch_size
        for part in spans(len(visits), size):
            yield self.arranged(w), part
