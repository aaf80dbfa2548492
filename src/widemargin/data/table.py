"""`Table`: what every algorithm sees.

Its rows are sorted by class (stably), so that a class is a contiguous range; ``rows``
leads back to the caller's row numbers. Nominal features and missing values are set
apart in ``mixed``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from widemargin.data.blocks import Pool
from widemargin.data.kinds import listed
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.kernels.records import Layout, Mixed, MixedRows
from widemargin.notices import warn
from widemargin.settings import Settings, current


@dataclass(frozen=True)
class Table(AnyTable):
    """A `widemargin.data.protocol.AnyTable` in memory, rows sorted by class."""

    X: Floats  # (n, d), C-contiguous; never NaN
    y: Ints  # (n,) class codes, ascending
    classes: NDArray[Any]  # labels as the caller wrote them
    rows: Ints  # (n,) the caller's row number of each row
    low: Floats  # (d,) smallest value of each feature
    high: Floats  # (d,) largest
    mean: Floats  # (d,) mean, not to the last digit
    mixed: Mixed | None = None  # nominal features and missing values, if any
    settings: Settings = field(default_factory=current)
    target: Floats | None = None  # (n,) numeric y; all rows are of one class then
    weights: Floats | None = None  # (n,) of the rows, of mean 1; None: all the same
    pool: Pool | None = None  # which columns are one feature, if any are
    design: Floats | None = None  # (n, q) columns that tell covariates, if any

    @property
    def data(self) -> Floats | MixedRows:
        """What kernels measure differences of rows by."""
        if self.mixed is None:
            return self.X
        return MixedRows(self.X, self.mixed)

    @property
    def numeric(self) -> NDArray[np.bool_]:
        """Features that X tells all about, but for missing values."""
        numeric = np.ones(self.X.shape[1], np.bool_)
        if self.mixed is not None:
            numeric[self.mixed.nominal] = False
        return numeric

    @property
    def ranges(self) -> Floats:
        """Largest difference that each feature can show."""
        ranges = self.high - self.low
        if self.mixed is not None:  # two names differ or not, however many there are
            nominal = self.mixed.nominal
            ranges[nominal] = self.mixed.weights[nominal]
        if self.pool is not None:
            own = self.pool.ranges
            ranges = np.where(np.isnan(own), ranges, own)
        return ranges

    @property
    def starts(self) -> Ints:
        """First row of each class, and n."""
        return np.searchsorted(self.y, np.arange(len(self.classes) + 1))

    @property
    def layout(self) -> Layout:
        """Where the classes lie, for searches without slots."""
        return Layout(self.y, self.starts, np.empty((0, 0), np.int64))

    def positions(self, rows: NDArray[np.integer]) -> Ints:
        """Where the caller's rows are in this table."""
        where = np.empty(len(self.rows), np.int64)
        where[self.rows] = np.arange(len(self.rows))
        return where[rows]

    def pooled(self, sums: Floats, power: int = 1) -> Floats:
        """Sums of |difference|^power, those of a group of columns taken together."""
        return sums if self.pool is None else self.pool.add_up(sums, power)

    def unit_range(self, features: slice = slice(None)) -> Floats:
        """Features moved to [0, 1] whatever the scale, constant ones to 0; a copy."""
        return (self.X[:, features] - self.low[features]) / self.span[features]

    def reweighted(self, w: Floats) -> Self:
        """The same table with feature f multiplied by |w_f|, from its lowest value.

        Products of values far from 0 would be rounded by more than what tells them
        apart.
        """
        w = np.abs(w)
        X = self.X - self.low
        X *= w
        low, high, mean = ((a - self.low) * w for a in (self.low, self.high, self.mean))
        mixed = self.mixed and self.mixed._replace(weights=self.mixed.weights * w)
        return replace(self, X=X, low=low, high=high, mean=mean, mixed=mixed)

    def oriented(self, directions: Ints) -> Self:
        """The same table with features negated where the direction is −1."""
        ends = self.low * directions, self.high * directions
        low, high = np.minimum(*ends), np.maximum(*ends)
        mean = self.mean * directions
        return replace(self, X=self.X * directions, low=low, high=high, mean=mean)


def visiting_order(table: AnyTable, order: Any, name: str) -> Ints:
    """Rows of the table for an ``order`` of the caller's row numbers."""
    n, order = table.n_rows, np.asarray(order)
    numbers = order.size > 0 and order.dtype.kind in "iuf"
    inside = order.size == 0 or (numbers and order.min() >= 0 and order.max() < n)
    if order.ndim != 1 or order.dtype.kind not in "iu" or not inside:
        came = f"{order.dtype} of shape {order.shape}"
        if numbers:
            came += f" from {order.min()} to {order.max()}"
        raise ValueError(
            f"{name}: order must be a list of row numbers from 0 to {n - 1}, "
            f"got {came}."
        )
    return table.positions(order)


def some_rows(codes: NDArray[Any], most: int, random: np.random.RandomState) -> Ints:
    """At most so many rows, at random: of each class in proportion, at least two.

    If there are too many classes for that, as of numbers to predict, of each tenth.
    """
    n, counts = len(codes), np.bincount(codes)
    if n <= most:
        return np.arange(n)
    parts = np.split(np.argsort(codes, kind="stable"), np.cumsum(counts)[:-1])
    if most < 10 * len(parts):
        parts = np.array_split(np.concatenate(parts), 10)
    stops = np.cumsum([0, *map(len, parts)])
    sizes = 2 + np.diff(stops * max(0, most - 2 * len(parts)) // n)
    drawn = [random.permutation(p)[:m] for p, m in zip(parts, sizes, strict=True)]
    return np.sort(np.concatenate(drawn)[:most])


def warn_single_members(table: AnyTable, name: str, consequence: str) -> None:
    """Name, once, the classes that have one member and what follows from it."""
    lonely = table.classes[table.counts == 1]
    if len(lonely):
        shown = listed(lonely.tolist())
        warn(f"{name}: class {shown} has one member, which has no hit; {consequence}.")


def warn_small_classes(table: AnyTable, name: str, k: int) -> None:
    """Say, once, that k neighbours are more than some class has to give."""
    small = table.counts <= k
    # Single members have a warning of their own.
    if np.any(small & (table.counts > 1)):
        c = int(np.argmin(np.where(table.counts > 1, table.counts, table.n_rows)))
        warn(
            f"{name}: n_neighbors={k}, but class {table.classes.tolist()[c]!r} has "
            f"{table.counts[c]} members; classes with too few contribute all they have."
        )
