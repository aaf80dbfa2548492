"""Features as small integers, and the information that they share.

References
----------
U. Fayyad, K. Irani, *Multi-interval discretization of continuous-valued attributes for
classification learning*, IJCAI 1993 (bins "mdl").
F. Pan, J. Wang, G. Song, B. Niu, Q. Gu, *Fast feature ranking and its application to
face recognition*, 2013 (bins "three").
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from widemargin import kernels
from widemargin._sklearn import Interval, StrOptions
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.sparse import SparseTable, row_of_cells
from widemargin.data.table import Table
from widemargin.engine import column_sums, row_sums
from widemargin.engine.sums import square_sums
from widemargin.kernels.records import TIE, Cells, Sorted
from widemargin.threads import Workers, spans

BINS = {"three", "equal-width", "quantile", "mdl"}
MOST = 256  # codes are bytes
ENCODED = 2**20  # cells of a sparse table that are dense while they get codes

BIN_CONSTRAINTS: dict[str, Any] = {
    "bins": [StrOptions(BINS), None],
    "n_bins": [Interval(numbers.Integral, 2, MOST, closed="both")],
}

Codes = NDArray[np.uint8]

ON = TIE  # values this close to a limit, in units of the range, are on it


def _three(U: Floats, mean: Floats, deviation: Floats) -> Codes:
    codes = np.zeros(U.shape, np.uint8)
    for limit in (mean - deviation, mean + deviation):
        codes += limit + ON < U
    return codes


def _equal_width(U: Floats, n_bins: int) -> Codes:
    return np.clip(np.floor(n_bins * (U + ON)), 0, n_bins - 1).astype(np.uint8)


def _quantile(U: Floats, n_bins: int) -> Codes:
    codes = np.zeros(U.shape, np.uint8)
    for limit in np.quantile(U, np.arange(1, n_bins) / n_bins, axis=0):
        codes += limit - ON <= U
    return codes


@dataclass(frozen=True)
class CellCodes:
    """Codes of sparse features: those of stored cells, and of all others."""

    cells: Cells  # column by column
    of_zero: Codes  # (d,)
    shape: tuple[int, int]  # features, samples

    def max(self) -> int:
        """The largest code."""
        return int(max(self.cells.values.max(initial=0), self.of_zero.max()))

    def __getitem__(self, feature: Any) -> Codes:
        """(n_samples,) codes of a feature, or (k, n_samples) of several."""
        if np.ndim(feature):
            return np.stack([self[int(f)] for f in feature])
        codes = np.full(self.shape[1], self.of_zero[feature])
        part = slice(*self.cells.starts[feature : feature + 2])
        codes[self.cells.places[part]] = self.cells.values[part]
        return codes


class Coded:
    """Coded features, one per row, and what counting them gives.

    Information is in nats and a function of the counts alone: they are summed in fixed
    point, so that the order of samples, codes or classes does not touch a bit of it.

    Parameters
    ----------
    codes : array of shape (n_features, n_samples), or CellCodes
    labels : array of shape (n_samples,)
        Class codes from 0.
    weights : array of shape (n_samples,) or None, default=None
        What each sample counts, of mean 1. Counts are sums of them, then.
    """

    def __init__(
        self,
        codes: Codes | CellCodes,
        labels: Ints,
        workers: Workers,
        weights: Floats | None = None,
    ) -> None:
        self.workers, self.codes, self.labels = workers, codes, labels
        self.weights = weights
        d, n = codes.shape
        self.logs, self.one = fixed_point_logs(n)
        self.n_codes, self.n_classes = int(codes.max()) + 1, int(labels.max()) + 1
        self.sums = self._joint(np.arange(d), np.zeros(n, np.int64), 1)

    def _joint(self, features: Ints, other: NDArray[Any], width: int) -> Ints:
        """Σ c · ln c over the joint counts of each feature with ``other``."""
        sums = np.empty(len(features), np.int64)
        other, codes, shape = other.astype(np.int64), self.codes, (self.n_codes, width)

        def count(part: slice) -> None:
            ends = part.start, part.stop
            if self.weights is not None:
                sums[part] = self._weighted(features[part], other, width)
            elif isinstance(codes, CellCodes):
                stored = codes.cells, codes.of_zero, features, other
                kernels.sparse.cell_joint_sums(*stored, shape, self.logs, ends, sums)
            else:
                kernels.information.joint_sums(
                    codes, features, other, shape, self.logs, *ends, sums
                )

        self.workers.run(count, spans(len(features), max(64, 2**18 // len(other))))
        return sums

    def _weighted(self, features: Ints, other: Ints, width: int) -> Ints:
        """The same for weights that add up to no whole numbers."""
        assert self.weights is not None
        size, places = self.n_codes * width, np.arange(len(features))[:, None]
        cells = (size * places + self.codes[features] * np.int64(width) + other).ravel()
        counts = np.bincount(
            cells, np.tile(self.weights, len(features)), size * len(features)
        )
        sums = xlogy(counts, counts).reshape(len(features), size).sum(axis=1)
        return np.rint(sums * self.one).astype(np.int64)

    def _information(self, joint: Ints, ours: Ints, theirs: int) -> Floats:
        n = len(self.labels)
        shared = (self.logs[n] - ours - (theirs - joint)) / (self.one * n)
        return np.where(shared < 1e-14, 0.0, shared)

    def entropies(self, sums: Any) -> Floats:
        """H from Σ c · ln c of the counts."""
        n = len(self.labels)
        return (self.logs[n] - sums) / (self.one * n)

    def relevance(self) -> Floats:
        """I(f; y) of each feature with the class."""
        every = np.arange(self.codes.shape[0])
        joint = self._joint(every, self.labels, self.n_classes)
        return self._information(joint, self.sums, self._class_sum())

    def redundancy(self, feature: int, others: Ints) -> Floats:
        """I(f; g) of a feature with others."""
        joint = self._joint(others, self.codes[feature], self.n_codes)
        return self._information(joint, self.sums[others], self.sums[feature])

    def relevance_uncertainty(self) -> Floats:
        """SU(f, y) = 2 I / (H(f) + H(y)) of each feature with the class."""
        H = self.entropies(self.sums) + self.entropies(self._class_sum())
        return _uncertainty(self.relevance(), H)

    def redundancy_uncertainty(self, feature: int, others: Ints) -> Floats:
        """SU(f, g) of a feature with others."""
        H = self.entropies(self.sums[others]) + self.entropies(self.sums[feature])
        return _uncertainty(self.redundancy(feature, others), H)

    def _class_sum(self) -> int:
        if self.weights is not None:
            counts = np.bincount(self.labels, self.weights)
            return int(np.rint(xlogy(counts, counts).sum() * self.one))
        return int(self.logs[np.bincount(self.labels)].sum())


def fixed_point_logs(n: int) -> tuple[Ints, float]:
    """C · ln c for c ≤ n in fixed point, and what 1 is in there."""
    counts = np.arange(n + 1)
    logs = counts * np.log(np.maximum(counts, 1))
    # Two sums of n · ln n have to fit into 63 bits.
    one = 2.0 ** (61 - np.ceil(np.log2(logs[n])))
    return np.rint(logs * one).astype(np.int64), float(one)


def in_bins(
    table: Table, bins: str | None, n_bins: int, workers: Workers, name: str
) -> Coded:
    """The features of a table in bins.

    Parameters
    ----------
    table : Table
    bins : "three", "equal-width", "quantile", "mdl" or None
        "three": up to μ − σ, up to μ + σ, and above. "mdl": as many as pay by the
        principle of minimal description length. None: the values as they are.
    n_bins : int
        For "equal-width" and "quantile".
    workers : Workers
    name : str
        Of the method, for an error message.
    """
    n, d = table.X.shape
    logs, one = fixed_point_logs(n)
    w = table.weights
    if w is not None and bins in ("mdl", "quantile"):
        raise ValueError(
            f"{name} with bins={bins!r} counts rows, which does not go with "
            'sample_weight. Use bins="three" or bins="equal-width".'
        )

    def encoded(part: slice) -> Codes:
        U = table.unit_range(part)
        if bins == "three":
            if w is None:
                return _three(U, U.mean(axis=0), U.std(axis=0)).T
            mean = w @ U / n
            return _three(U, mean, np.sqrt(w @ (U - mean) ** 2 / n)).T
        if bins == "equal-width":
            return _equal_width(U, n_bins).T
        if bins == "quantile":
            return _quantile(U, n_bins).T
        columns = np.ascontiguousarray(U.T)
        order = np.argsort(columns, axis=1, kind="stable")
        values = np.take_along_axis(columns, order, axis=1)
        if bins == "mdl":
            cuts = np.zeros(order.shape, bool)
            ranked = Sorted(values, table.y[order], logs, one)
            kernels.information.mdl_cuts(
                ranked, len(table.classes), 0, len(order), cuts
            )
        else:
            cuts = np.diff(values, axis=1, prepend=values[:, :1]) > 0
            _refuse_many(cuts.sum(axis=1) + 1, part.start, name)
        codes = np.cumsum(cuts, axis=1, dtype=np.uint8)
        in_place = np.empty_like(codes)
        np.put_along_axis(in_place, order, codes, axis=1)
        return in_place

    if isinstance(table, SparseTable):
        return Coded(_cell_codes(table, encoded, workers), table.y, workers, w)
    all_codes = np.empty((d, n), np.uint8)

    def encode(part: slice) -> None:
        all_codes[part] = encoded(part)

    workers.run(encode, spans(d, 512))
    return Coded(all_codes, table.y, workers, w)


def _cell_codes(
    table: SparseTable, encoded: Callable[[slice], Codes], workers: Workers
) -> CellCodes:
    """Codes of a sparse table, of which a few columns at a time are dense."""
    starts, rows, _ = table.columns
    (n, d), column = table.X.shape, row_of_cells(table.by_column)
    values, of_zero = np.empty(len(rows), np.uint8), np.empty(d, np.uint8)

    def encode(part: slice) -> None:
        codes, cells = encoded(part), slice(starts[part.start], starts[part.stop])
        places = column[cells] - part.start, rows[cells]
        values[cells] = codes[places]
        stored = np.zeros(codes.shape, np.bool_)
        stored[places] = True
        of_zero[part] = codes[np.arange(len(codes)), stored.argmin(axis=1)]

    workers.run(encode, spans(d, max(1, ENCODED // n)))
    return CellCodes(Cells(starts, rows, values), of_zero, (d, n))


def _uncertainty(information: Floats, entropy: Floats) -> Floats:
    there = entropy > 0
    return np.minimum(2 * information / np.where(there, entropy, 1.0), 1.0)


def _refuse_many(values: Ints, first: int, name: str) -> None:
    """Values can be taken as they are only if they are few."""
    if values.max() > MOST:
        f = int(np.argmax(values > MOST))
        raise ValueError(
            f"{name} with bins=None takes the values as they are, at most {MOST} "
            f"different ones, but column {first + f} has {values[f]}. Choose bins "
            f"from {', '.join(map(repr, sorted(BINS)))}."
        )


def counted_relevance(
    table: AnyTable, bins: str | None, n_bins: int, workers: Workers, name: str
) -> Floats:
    """I(f; y) of each feature, for rows on the workers and bins that are fixed.

    Counts of bins and classes are sums over the rows. Information is in floating point
    here: its terms are far fewer than the rows.
    """
    if bins not in ("three", "equal-width"):
        raise ValueError(
            f"{name} with bins={bins!r} sorts the values of a feature, which does not "
            'run on Dask collections. Use bins="three" or bins="equal-width".'
        )
    n, C = table.n_rows, len(table.classes)
    encode: Callable[[Floats], Codes] = partial(_equal_width, n_bins=n_bins)
    if bins == "three":
        mean = row_sums(table, column_sums, workers=workers) / n
        squares = row_sums(table, partial(_squares, mean=mean), workers=workers)
        encode = partial(_three, mean=mean, deviation=np.sqrt(squares / n))
        n_bins = 3
    function = partial(_counts, encode=encode, shape=(n_bins, C))
    counts = row_sums(table, function, workers=workers)
    both, ours = _entropy_sum(counts, (1, 2)), _entropy_sum(counts.sum(axis=2), 1)
    theirs = _entropy_sum(table.sizes, 0)
    shared = (n * np.log(n) - ours - (theirs - both)) / n
    return np.where(shared < 1e-14, 0.0, shared)


def _entropy_sum(counts: Floats | Ints, axis: Any) -> Any:
    """Σ c · ln c."""
    return xlogy(counts, counts).sum(axis=axis)


def _squares(U: Floats, y: Ints, w: Floats | None, mean: Floats) -> Floats:
    return square_sums(U - mean, w)


def _counts(
    U: Floats,
    y: Ints,
    w: Floats | None,
    encode: Callable[[Floats], Codes],
    shape: tuple[int, int],
) -> Floats | Ints:
    """(d, bins, classes): what rows in a bin of a feature, and of a class, weigh."""
    cells = encode(U).astype(np.int64) * shape[1] + y[:, None]
    size = shape[0] * shape[1]
    return np.stack([np.bincount(c, w, size).reshape(shape) for c in cells.T])
