"""Statistics of partitions, put together: ranges, means, variances, missing values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.build import far_offsets
from widemargin.data.numbers import floats_of
from widemargin.data.protocol import Floats, Ints
from widemargin.engine.dask.encoding import Columns, Values
from widemargin.engine.dask.rows import RawRows, Scaling
from widemargin.threads import spans

CHANGED = ("low", "high", "rise", "squares", "infinite")


@dataclass(frozen=True)
class Summary:
    """Statistics of some rows, feature by feature.

    Where all values of a feature are missing, low is above high.
    """

    n: int
    low: Floats
    high: Floats
    rise: Floats  # from low to the mean, which has more digits than the mean itself
    squares: Floats  # sum of squared deviations from the mean
    missing: Ints  # missing values
    infinite: Ints  # infinite values

    @property
    def counts(self) -> Ints:
        """Values that are there."""
        return self.n - self.missing

    @property
    def mean(self) -> Floats:
        """Mean of each feature."""
        return self.low + self.rise

    def joined(self, other: Summary) -> Summary:
        """Those of both together, by the stable update of Chan, Golub and LeVeque."""
        low = np.minimum(self.low, other.low)
        # Where one of them has no value, the other one's mean is that of both.
        with np.errstate(invalid="ignore"):
            ours, theirs = (
                np.where(part.counts > 0, part.low - low + part.rise, 0.0)
                for part in (self, other)
            )
        step = np.where(self.counts * other.counts > 0, theirs - ours, 0.0)
        share = other.counts / np.maximum(self.counts + other.counts, 1)
        return Summary(
            self.n + other.n,
            low,
            np.maximum(self.high, other.high),
            np.where(self.counts > 0, ours + step * share, theirs),
            self.squares + other.squares + step**2 * (self.counts * share),
            self.missing + other.missing,
            self.infinite + other.infinite,
        )

    def with_values(self, known: dict[int, Values]) -> Summary:
        """The same, with statistics of the codes for some features."""
        whole = replace(self, **{k: getattr(self, k).copy() for k in CHANGED})
        for f, (_, counts) in known.items():
            there = np.flatnonzero(counts)
            if len(there):
                whole.low[f], whole.high[f] = there[0], there[-1]
                mean = np.average(there, weights=counts[there])
                whole.rise[f] = mean - there[0]
                whole.squares[f] = np.square(there - mean) @ counts[there]
        return whole

    def with_numbers(self, known: dict[int, Values]) -> Summary:
        """The same, with statistics of these numbers for some features."""
        whole = replace(self, **{k: getattr(self, k).copy() for k in CHANGED})
        for f, (values, counts) in known.items():
            x = np.array(values, dtype=np.float64)
            whole.infinite[f] = counts[np.isinf(x)].sum()
            x[np.isinf(x)] = 0.0
            whole.low[f], whole.high[f] = x.min(), x.max()
            x -= whole.low[f]
            whole.rise[f] = np.average(x, weights=counts)
            whole.squares[f] = np.square(x - whole.rise[f]) @ counts
        return whole

    def scaling(self, scale: str | None, nominal: Sequence[int]) -> Scaling:
        """The same scaling that a table in memory gets."""
        d, there = len(self.low), self.counts > 0
        low, high, mean = (
            np.where(there, a, 0.0) for a in (self.low, self.high, self.mean)
        )
        constant = low == high
        shift, span = (
            np.where(self.missing > 0, far_offsets(low, high), 0.0),
            np.ones(d),
        )
        if scale == "minmax":
            shift, span = low.copy(), high - low
        elif scale == "standard":
            shift, span = (
                mean.copy(),
                np.sqrt(self.squares / np.maximum(self.counts, 1)),
            )
        if scale is not None:
            shift = np.where(constant, low, shift)
            span = np.where(constant, 1.0, span)
        shift[list(nominal)], span[list(nominal)] = 0.0, 1.0
        low, high, mean = ((a - shift) / span for a in (low, high, mean))
        return Scaling(shift, span, np.ones(d), np.zeros(d), low, high, mean)


def raw(part: Any) -> NDArray[Any]:
    """The numbers of a partition, C-contiguous, in their own number type."""
    if hasattr(part, "iloc"):  # pandas
        extension = any(not isinstance(t, np.dtype) for t in part.dtypes)
        part = part.to_numpy(np.float64, na_value=np.nan) if extension else part
    X = np.asarray(part)
    if X.dtype.kind == "O":
        X = floats_of(X)
    if X.dtype.kind == "b":
        X = X.astype(np.uint8)
    elif X.dtype.kind not in "iuf" or X.dtype.itemsize not in (1, 4, 8):
        X = X.astype(np.float64)
    return np.ascontiguousarray(X, X.dtype.newbyteorder("="))


class Survey(NamedTuple):
    """Statistics of some partitions, and values of their columns."""

    lengths: Ints  # rows of each
    summary: Summary | None  # None if there are no rows
    known: dict[int, Values]  # of columns that are not numbers


def summarize(parts: list[Any], columns: Columns) -> Survey:
    """Survey a few partitions."""
    return join([_summarize(part, columns) for part in parts], columns)


def summarize_block(block: RawRows, columns: Columns) -> Survey:
    """Survey a block of rows."""
    return _summarize(block.X, columns)


def _summarize(part: Any, columns: Columns) -> Survey:
    """Survey one partition, some rows at a time."""
    X, known = columns.count(part) if columns.coded else (raw(part), {})
    n, d = X.shape
    total: Summary | None = None
    for rows in spans(n, max(1, 2**18 // max(d, 1))):
        one = _summary(X[rows].astype(np.float64))
        total = one if total is None else total.joined(one)
    return Survey(np.array([n]), total, known)


def _summary(Z: Floats) -> Summary:
    """Of some rows, which may be changed."""
    missing, infinite = np.zeros((2, Z.shape[1]), np.int64)
    with np.errstate(invalid="ignore", over="ignore"):
        finite = np.isfinite(Z.sum())
    if not finite:
        missing, infinite = np.isnan(Z).sum(axis=0), np.isinf(Z).sum(axis=0)
    if infinite.any():
        Z[np.isinf(Z)] = 0.0
    if not missing.any():
        low, high = Z.min(axis=0), Z.max(axis=0)
        Z -= low
        rise = Z.mean(axis=0)
        Z -= rise
        squares = np.einsum("rf,rf->f", Z, Z)
        return Summary(len(Z), low, high, rise, squares, missing, infinite)
    absent, nothing = np.isnan(Z), missing == len(Z)
    low, high = np.fmin.reduce(Z, axis=0), np.fmax.reduce(Z, axis=0)
    Z -= np.where(nothing, 0.0, low)
    rise = np.where(absent, 0.0, Z).sum(axis=0) / np.maximum(len(Z) - missing, 1)
    squares = np.square(np.where(absent, 0.0, Z - rise)).sum(axis=0)
    low, high = np.where(nothing, np.inf, low), np.where(nothing, -np.inf, high)
    return Summary(len(Z), low, high, rise, squares, missing, infinite)


def join(surveys: list[Survey], columns: Columns) -> Survey:
    """Survey several partitions together."""
    total, known = surveys[0].summary, surveys[0].known
    for _, summary, more in surveys[1:]:
        known = columns.join(known, more)
        if total is None or summary is None:
            total = total or summary
        else:
            total = total.joined(summary)
    return Survey(np.concatenate([s.lengths for s in surveys]), total, known)
