"""Nominal features and missing cells in single precision, to be added to tiles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.data.protocol import Ints

NOMINAL_CHUNK = 32  # nominal features compared before the next row of a tile


class MixedScreen:
    """What is added to the screened distances of some rows.

    A missing cell adds to the distance of its row to every other row; the sums over the
    cells of both rows are added. Where both rows lack a value, each adds one half.
    """

    def __init__(self, mixed: kernels.Mixed, metric: int, factor: float) -> None:
        self.mixed = mixed
        self.power = 2 if metric == kernels.EUCLIDEAN else 1
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
        cells = np.diff(mixed.starts)
        self.depth = float(M + 2 * cells.max() + 2)
        self.largest = float(sizes.sum()) + 2 * self._most(cells)

    def _most(self, cells: Ints) -> float:
        """No row's missing cells add more than this to a distance."""
        return float(cells.max() * self.excess.max(initial=0.0))

    def _excess(self) -> NDArray[np.float32]:
        """(P, n): what a missing cell adds to the distance of its row to each row."""
        mixed = self.mixed
        factor = np.ones(len(mixed.expected), np.float32)
        factor[mixed.pairs] = mixed.weights[mixed.features] ** self.power * self.unit
        excess = mixed.excess[self.power - 1]
        return excess if (factor == 1).all() else excess * factor[:, None]

    def extras(
        self, rows: Ints, padded: int, others: Ints | None = None
    ) -> kernels.Extras:
        """What some rows, filled up, add to tiles with others, by default with all."""
        excess = self.excess
        if others is not None:
            excess = excess.take(others, axis=1)
        mixed, (chunks, length) = self.mixed, self.sizes.shape
        codes = np.zeros((padded, chunks * length), np.float32)
        codes[: len(rows), : mixed.codes.shape[1]] = mixed.codes[rows]
        codes = codes.reshape(padded, chunks, length).transpose(1, 0, 2)
        counts = np.zeros(padded + 1, np.int64)
        counts[1 : len(rows) + 1] = np.diff(mixed.starts)[rows]
        starts = np.cumsum(counts)
        # Cells of these rows, one row after the other.
        cells = np.repeat(
            mixed.starts[rows] - starts[: len(rows)], counts[1 : len(rows) + 1]
        )
        cells += np.arange(len(cells))
        return kernels.Extras(
            np.ascontiguousarray(codes),
            self.sizes,
            starts,
            mixed.pairs[cells],
            excess,
        )
