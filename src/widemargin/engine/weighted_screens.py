"""The copy of a table that ascents of a margin search under changing weights."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.threads import spans

Singles = NDArray[np.float32]

REARRANGED = 8  # times per pass that features are put in order of their weight
FEWEST_VISITS = 64  # in between; with fewer, it takes longer than it saves


class WeightedScreen:
    """Rows in single precision, features with the largest share of distances first.

    Most rows are then given up after a few features. The order follows the weights
    only when it is asked to: it does not change what is found, only how fast. Ascents
    side by side share what is known about the table, and have a copy each.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.centre = table.X.mean(axis=0)
        self.spread = table.X.var(axis=0)
        self.numeric = np.flatnonzero(table.numeric)
        ends = table.high - self.centre, self.centre - table.low
        self.largest = float(np.maximum(*ends)[self.numeric].max(initial=0.0))

    def arranged(self, w: Floats, rows: Singles | None = None) -> kernels.Screen:
        """The copy, in ``rows`` if given, arranged for weights near w."""
        rows = self._room() if rows is None else rows
        shares = (w**2 * self.spread)[self.numeric]
        columns = self.numeric[np.argsort(-shares, kind="stable")]
        kernels.arrange_columns(self.table.X, self.centre, columns, rows)
        return kernels.Screen(rows, columns, self.largest)

    def parts(
        self, w: Floats, visits: Ints, batch_size: int = 1
    ) -> Iterator[tuple[kernels.Screen, slice]]:
        """Cut a pass over the rows into parts, each with the copy arranged for w.

        w changes on the way: a part is arranged when the one before has been visited.
        """
        visits_each = max(FEWEST_VISITS, len(visits) // REARRANGED)
        size = max(1, visits_each // batch_size) * batch_size
        rows = self._room()
        for part in spans(len(visits), size):
            yield self.arranged(w, rows), part

    def _room(self) -> Singles:
        """Where a copy goes, filled up with columns of zeros."""
        d, step = len(self.numeric), int(kernels.STEP)
        return np.zeros((len(self.table.X), -(-d // step) * step), np.float32)
