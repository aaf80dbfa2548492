"""Ranges of columns with missing cells, and rows packed for the search."""

import numpy as np

from widemargin.kernels._jit import jit
from widemargin.kernels.constants import EUCLIDEAN, MANHATTAN


@jit
def pack_rows(Z, centre, factor, packed, first, norms):
    """Copy rows of Z to places first, first + 1, … in single precision, in chunks.

    ``packed`` has shape (chunks, rows, length); places behind the last feature are left
    as they are. Returned are ‖z‖² and ‖z‖₁ in ``norms[:, r]``.
    """
    chunks, _, length = packed.shape
    for r in range(Z.shape[0]):
        squares, sizes = 0.0, 0.0
        for chunk in range(chunks):
            row, f0 = packed[chunk, first + r], np.uint64(chunk * length)
            for e in range(np.uint64(min(length, Z.shape[1] - chunk * length))):
                v = np.float32((Z[r, f0 + e] - centre[f0 + e]) * factor)
                row[e] = v
                squares += np.float64(v) * np.float64(v)
                sizes += abs(np.float64(v))
        norms[EUCLIDEAN, r] = squares
        norms[MANHATTAN, r] = sizes


@jit
def observed_range(X, first, last, low, high, mean):
    """Smallest and largest value and mean of the cells that are not missing.

    Of columns first … last−1; 0 where all cells are missing.
    """
    n, counts, part = X.shape[0], np.zeros(last), 1 / X.shape[0]
    for f in range(first, last):
        low[f], high[f], mean[f] = np.inf, -np.inf, 0.0
    for i in range(n):
        for f in range(first, last):
            v = X[i, f]
            low[f] = v if v < low[f] else low[f]
            high[f] = v if v > high[f] else high[f]
            mean[f] += v * part if v == v else 0.0
            counts[f] += 1.0 if v == v else 0.0
    for f in range(first, last):
        if counts[f] == 0:
            low[f], high[f] = 0.0, 0.0
        else:
            mean[f] *= n / counts[f]
