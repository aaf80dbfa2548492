"""Rows as they are stored and sent, and how they become rows of a table.

They are sent as they came, in the caller's number type, and scaled where they are used.
A row that may be compared with missing cells carries the expected differences to these,
see `widemargin.engine.dask.statistics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.data.mixed import Mixture, missing_cells, set_apart
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.kernels.records import Mixed


@dataclass(frozen=True)
class Scaling:
    """How raw values become the table's: ((x − shift) / span − origin) · factor."""

    shift: Floats
    span: Floats
    factor: Floats
    origin: Floats
    low: Floats  # of the scaled features over all blocks, as in a Table
    high: Floats
    mean: Floats
    mixture: Mixture | None = None  # nominal features and missing values, if any

    @property
    def n_bytes(self) -> int:
        """Bytes that have to be sent."""
        more = 0 if self.mixture is None else sum(a.nbytes for a in self.mixture)
        return 7 * self.shift.nbytes + more

    def times(self, factor: Floats) -> Scaling:
        """The same with every feature multiplied once more."""
        ends = self.low * factor, self.high * factor
        return replace(
            self,
            factor=self.factor * factor,
            low=np.minimum(*ends),
            high=np.maximum(*ends),
            mean=self.mean * factor,
        )

    def from_low(self) -> Scaling:
        """The same with every feature moved to begin at 0."""
        moved = np.where(self.factor == 0, 0.0, self.low)
        return replace(
            self,
            origin=self.origin + moved / np.where(self.factor == 0, 1.0, self.factor),
            low=self.low - moved,
            high=self.high - moved,
            mean=self.mean - moved,
        )


class RawRows(NamedTuple):
    """A block of rows, or query rows from several blocks; not scaled."""

    X: NDArray[Any]  # (m, d) raw
    y: NDArray[np.integer]  # (m,) class codes
    rows: Ints  # (m,) the caller's row numbers
    expected: Floats | None = None  # (m, P) differences to missing cells, if any

    def take(self, places: Any) -> RawRows:
        """Some of them."""
        X, y, rows, expected = self
        chosen = None if expected is None else expected[places]
        return RawRows(X[places], y[places], rows[places], chosen)


class Pairs(NamedTuple):
    """Places of query rows and of rows of a block that meet, with two values each."""

    heads: NDArray[np.int32]
    tails: NDArray[np.int32]
    values: Floats  # coefficients
    marks: NDArray[np.integer]  # classes, groups or sides


def scaled(parts: Sequence[RawRows], scaling: Scaling) -> tuple[Floats, Mixed | None]:
    """Rows as they are in the table, one part after the other.

    Returns their numbers, and their nominal features and missing cells, if any.
    """
    n = sum(len(part.y) for part in parts)
    X, place, mixed = np.empty((n, len(scaling.shift))), 0, None
    for part in parts:
        rows = X[place : place + len(part.y)]
        np.subtract(part.X, scaling.shift, out=rows)
        place += len(rows)
    X /= scaling.span
    if scaling.mixture is not None:
        separated = _set_apart(X, parts, scaling.mixture)
        mixed = separated._replace(weights=np.abs(scaling.factor))
    if scaling.origin.any():
        X -= scaling.origin
    if not (scaling.factor == 1).all():
        X *= scaling.factor
    return X, mixed


def _set_apart(X: Floats, parts: Sequence[RawRows], mixture: Mixture) -> Mixed:
    """Nominal values and missing cells of scaled rows, where they are replaced."""
    expected = np.empty((len(mixture.fills), len(X)))
    known = [part.expected.T for part in parts if part.expected is not None]
    if known:
        np.concatenate(known, axis=1, out=expected)
    # What was sent may be read-only, which would be compiled for anew.
    mixture = mixture._replace(nominal=np.array(mixture.nominal))
    y = np.concatenate([part.y for part in parts]).astype(np.int64)
    return set_apart(X, y, mixture, missing_cells(X), expected)


def met_rows(parts: Sequence[RawRows], scaling: Scaling) -> Table:
    """Rows, whatever their class, as a table in memory."""
    X, mixed = scaled(parts, scaling)
    none, one_class = np.zeros(len(X), np.int64), np.zeros(1)
    limits = scaling.low, scaling.high, scaling.mean
    return Table(X, none, one_class, np.arange(len(X)), *limits, mixed)
