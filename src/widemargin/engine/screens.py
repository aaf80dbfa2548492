"""Copies of a table in single precision by which searches rule rows out.

`MixedScreen` adds nominal features and missing cells to the tiles of the search;
`WeightedScreen` is what ascents of a margin search under changing weights.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.kernels.records import EUCLIDEAN, STEP, Extras, Mixed, Screen
from widemargin.threads import fill_up, spans

Singles = NDArray[np.float32]

NOMINAL_CHUNK = 32  # nominal features compared before the next row of a tile
REARRANGED = 8  # times per pass that features are put in order of their weight
FEWEST_VISITS = 64  # in between; with fewer, it takes longer than it saves


class MixedScreen:
    """What is added to the screened distances of some rows.

    A missing cell adds to the distance of its row to every other row; the sums over the
    cells of both rows are added. Where both rows lack a value, each adds one half.
    """

    def __init__(self, mixed: Mixed, metric: int, factor: float) -> None:
        self.mixed = mixed
        self.power = 2 if metric == EUCLIDEAN else 1
        self.unit = factor**self.power
        M = len(mixed.nominal)
        chunks = -(-M // NOMINAL_CHUNK)
        sizes = np.zeros(chunks * NOMINAL_CHUNK, np.float32)
        sizes[:M] = mixed.weights[mixed.nominal] ** self.power * self.unit
        length = NOMINAL_CHUNK if chunks > 1 else M
        self.sizes = np.ascontiguousarray(
            sizes.reshape(chunks, NOMINAL_CHUNK)[:, :length]
        )
        self.excess = self._excess()
        most_cells = np.diff(mixed.starts).max()
        self.depth = float(M + 2 * most_cells + 2)
        # No row's missing cells add more than this to a distance, on either side.
        most = float(most_cells * self.excess.max(initial=0.0))
        self.largest = float(sizes.sum()) + 2 * most

    def _excess(self) -> Singles:
        """(P, n): what a missing cell adds to the distance of its row to each row."""
        mixed = self.mixed
        factor = np.ones(len(mixed.expected), np.float32)
        factor[mixed.pairs] = mixed.weights[mixed.features] ** self.power * self.unit
        excess = mixed.excess[self.power - 1]
        return excess if (factor == 1).all() else excess * factor[:, None]

    def extras(self, rows: Ints, padded: int, others: Ints) -> Extras:
        """What some rows, filled up, add to tiles with others."""
        everyone = np.array_equal(others, np.arange(self.excess.shape[1]))
        excess = self.excess if everyone else self.excess.take(others, axis=1)
        mixed, (chunks, length), m = self.mixed, self.sizes.shape, len(rows)
        codes = np.zeros((padded, chunks * length), np.float32)
        codes[:m, : mixed.codes.shape[1]] = mixed.codes[rows]
        codes = codes.reshape(padded, chunks, length).transpose(1, 0, 2)
        counts = np.zeros(padded, np.int64)
        counts[:m] = np.diff(mixed.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(counts)])
        # Cells of these rows, one row after the other.
        cells = np.repeat(mixed.starts[rows] - starts[:m], counts[:m])
        cells += np.arange(len(cells))
        pairs = mixed.pairs[cells]
        codes = np.ascontiguousarray(codes)
        return Extras(codes, self.sizes, starts, pairs, excess)


class WeightedScreen:
    """Rows in single precision, features with the largest share of distances first.

    Most rows are then given up after a few features. The order follows the weights
    only when it is asked to: it does not change what is found, only how fast. Ascents
    side by side share the statistics of the table, and have a copy of the rows each.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.centre = table.X.mean(axis=0)
        self.spread = table.X.var(axis=0)
        self.numeric = np.flatnonzero(table.numeric)
        ends = table.high - self.centre, self.centre - table.low
        self.largest = float(np.maximum(*ends)[self.numeric].max(initial=0.0))

    def arranged(self, w: Floats, rows: Singles | None = None) -> Screen:
        """The copy, in ``rows`` if given, arranged for weights near w."""
        rows = self._room() if rows is None else rows
        shares = (w**2 * self.spread)[self.numeric]
        columns = self.numeric[np.argsort(-shares, kind="stable")]
        kernels.ascent.arrange_columns(self.table.X, self.centre, columns, rows)
        return Screen(rows, columns, self.largest)

    def parts(
        self, w: Floats, visits: Ints, batch_size: int = 1
    ) -> Iterator[tuple[Screen, slice]]:
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
        width = fill_up(len(self.numeric), int(STEP))
        return np.zeros((len(self.table.X), width), np.float32)
