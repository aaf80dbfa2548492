"""From the partitions of a Dask collection to blocks of rows with class codes.

What happens inside a partition is plain NumPy and pandas, and what is known of the
collection is asked of the collection itself, so Dask is not imported here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import _check_feature_names

from widemargin.columns import refuse_columns
from widemargin.engine.blocks import Guests, Scaling
from widemargin.engine.distributed import Runner
from widemargin.table import (
    Floats,
    Ints,
    encode,
    missing_labels,
    refuse_missing_labels,
)
from widemargin.threads import spans

HANDFUL = 16  # small partitions that one task looks at
SMALL = 2**24  # bytes of a handful
MOST = 5  # columns that an error names


class Labels(NamedTuple):
    """Labels of a partition."""

    values: Any  # different ones
    codes: NDArray[np.integer]  # (n,) which of them
    missing: int


@dataclass(frozen=True)
class Summary:
    """What scaling has to know of some rows, feature by feature."""

    n: int
    low: Floats
    high: Floats
    rise: Floats  # from low to the mean: more digits than a mean far from 0 has
    squares: Floats  # sum of squared deviations from the mean
    gaps: Ints  # NaN
    endless: Ints  # infinities

    @property
    def mean(self) -> Floats:
        """Mean of each feature."""
        return self.low + self.rise

    def joined(self, other: Summary) -> Summary:
        """Of both together (the update of Chan, Golub and LeVeque is stable)."""
        n = self.n + other.n
        step = other.low - self.low + (other.rise - self.rise)
        low = np.minimum(self.low, other.low)
        return Summary(
            n,
            low,
            np.maximum(self.high, other.high),
            self.low - low + self.rise + step * (other.n / n),
            self.squares + other.squares + step**2 * (self.n * other.n / n),
            self.gaps + other.gaps,
            self.endless + other.endless,
        )

    def scaling(self, scale: str | None) -> Scaling:
        """The same scaling that a table in memory gets."""
        d = len(self.low)
        constant = self.low == self.high
        shift, span = np.zeros(d), np.ones(d)
        if scale == "minmax":
            shift, span = self.low, self.high - self.low
        elif scale == "standard":
            shift, span = self.mean, np.sqrt(self.squares / self.n)
        if scale is not None:
            shift = np.where(constant, self.low, shift)
            span = np.where(constant, 1.0, span)
        limits = ((a - shift) / span for a in (self.low, self.high, self.mean))
        return Scaling(shift, span, np.ones(d), *limits)


def raw(part: Any) -> NDArray[Any]:
    """The numbers of a partition, rows one after the other, in a type of their own."""
    if hasattr(part, "iloc"):  # pandas
        extension = any(not isinstance(t, np.dtype) for t in part.dtypes)
        part = part.to_numpy(np.float64, na_value=np.nan) if extension else part
    X = np.asarray(part)
    if X.dtype.kind == "b":
        X = X.astype(np.uint8)
    elif X.dtype.kind not in "iuf" or X.dtype.itemsize not in (1, 4, 8):
        X = X.astype(np.float64)
    return np.ascontiguousarray(X, X.dtype.newbyteorder("="))


class Survey(NamedTuple):
    """What is known of some partitions."""

    lengths: Ints  # rows of each
    summary: Summary | None  # None if there are no rows


def summarize(parts: list[Any]) -> Survey:
    """Survey a few partitions."""
    return join([_summarize(part) for part in parts])


def _summarize(part: Any) -> Survey:
    """Survey one partition, some rows at a time."""
    X = raw(part)
    n, d = X.shape
    total: Summary | None = None
    for rows in spans(n, max(1, 2**18 // max(d, 1))):
        Z = X[rows].astype(np.float64)
        gaps, endless = np.isnan(Z).sum(axis=0), np.isinf(Z).sum(axis=0)
        if gaps.any() or endless.any():
            Z[~np.isfinite(Z)] = 0.0
        low, high = Z.min(axis=0), Z.max(axis=0)
        Z -= low
        rise = Z.mean(axis=0)
        squares = np.square(Z - rise).sum(axis=0)
        one = Summary(len(Z), low, high, rise, squares, gaps, endless)
        total = one if total is None else total.joined(one)
    return Survey(np.array([n]), total)


def join(surveys: list[Survey]) -> Survey:
    """Survey several partitions together."""
    total: Summary | None = None
    for _, summary in surveys:
        if total is None or summary is None:
            total = total or summary
        else:
            total = total.joined(summary)
    return Survey(np.concatenate([s.lengths for s in surveys]), total)


def label_part(part: Any) -> Labels:
    """Of a partition: the different labels, and which of them each row has."""
    missing = missing_labels(part)
    if missing:
        return Labels(np.empty(0), np.empty(0, np.int8), missing)
    if str(getattr(part, "dtype", "")) == "category":
        used, codes = np.unique(np.asarray(part.cat.codes), return_inverse=True)
        values = part.cat.categories[used].astype(part.dtype)
    else:
        values, codes = np.unique(column_or_1d(np.asarray(part)), return_inverse=True)
    return Labels(values, codes.astype(np.min_scalar_type(len(values))), 0)


def join_labels(
    parts: list[Labels], name: str, *, ordered: bool
) -> tuple[NDArray[np.integer], NDArray[Any]]:
    """Class codes and classes of labels that are spread over partitions."""
    missing = sum(part.missing for part in parts)
    if missing:
        refuse_missing_labels(missing, name)
    parts = [part for part in parts if len(part.codes)]
    values = [part.values for part in parts]
    if len({str(getattr(v, "dtype", "")) for v in values}) == 1 and values:
        together = values[0]
        if hasattr(together, "append"):  # pandas
            together = together.append(values[1:])
        else:
            together = np.concatenate(values)
    else:
        together = np.concatenate([np.empty(0, np.int64), *map(np.asarray, values)])
    # Three times each: scikit-learn takes labels that hardly repeat for a mistake.
    codes, classes = encode(together.repeat(3), name, ordered=ordered)
    stops = np.cumsum([len(v) for v in values])
    new = np.split(codes[::3].astype(_code_type(len(classes))), stops[:-1])
    return np.concatenate(
        [of_value[part.codes] for of_value, part in zip(new, parts, strict=True)]
    ), classes


def _code_type(n_classes: int) -> Any:
    """The smallest type that holds codes and their differences."""
    return np.min_scalar_type(-n_classes)


def assemble(
    parts: list[Any], limits: list[tuple[int, int]], first: int, y: NDArray[np.integer]
) -> Guests:
    """A block of rows from parts of partitions."""
    X = [
        raw(part.iloc[lo:hi] if hasattr(part, "iloc") else part[lo:hi])
        for part, (lo, hi) in zip(parts, limits, strict=True)
    ]
    rows = np.arange(first, first + len(y))
    return Guests(X[0] if len(X) == 1 else np.concatenate(X), y, rows)


def cut(lengths: Ints, rows: int) -> list[list[tuple[int, int, int]]]:
    """Blocks of about as many rows, each a list of (partition, first row, last + 1)."""
    blocks: list[list[tuple[int, int, int]]] = [[]]
    held = 0
    for p, length in enumerate(lengths.tolist()):
        if held and held + length > 1.5 * rows:
            blocks.append([])
            held = 0
        pieces = max(1, round(length / rows))
        limits = [length * i // pieces for i in range(pieces + 1)]
        for lo, hi in pairwise(limits):
            if held >= rows:
                blocks.append([])
                held = 0
            if hi > lo:
                blocks[-1].append((p, lo, hi))
                held += hi - lo
    return [block for block in blocks if block]


class Source:
    """A Dask array or frame and its labels, partition by partition.

    Parameters
    ----------
    X, y : collections; y may be the name of a column of X, or in memory
    name : str
        Who asks.
    runner : Runner
    """

    def __init__(self, X: Any, y: Any, name: str, runner: Runner) -> None:
        self.name, self.runner = name, runner
        self.frame = hasattr(X, "columns")
        if isinstance(y, str):
            X, y = self._split(X, y)
        if self.frame:
            refuse_columns(X._meta, name, mixed=False)
            self.parts = list(X.to_delayed())
        else:
            X = self._one_column_of_chunks(X)
            self.parts = list(X.to_delayed().ravel())
        self.X, self.y = X, y
        self.lengths = np.empty(0, np.int64)

    def _split(self, X: Any, label: str) -> tuple[Any, Any]:
        """X without the column of labels, and that."""
        columns = list(X.columns) if self.frame else []
        if label not in columns:
            shown = ", ".join(map(repr, columns[:5])) + (", …" * (len(columns) > 5))
            known = f"whose columns are {shown}" if self.frame else "an array"
            raise ValueError(
                f"{self.name}: y={label!r} is not the name of a column of X, {known}. "
                "Name the column with the labels, or hand them over as y."
            )
        return X.drop(columns=[label]), X[label]

    def _one_column_of_chunks(self, X: Any) -> Any:
        shape: tuple[Any, ...] = getattr(X, "shape", ())
        if len(shape) != 2 or not hasattr(X, "rechunk"):
            raise ValueError(
                f"{self.name} needs X of shape (n_samples, n_features), a Dask array "
                f"or frame; got a Dask {type(X).__name__} of shape {shape}."
            )
        if np.isnan(shape[1]) or shape[1] == 0:
            raise ValueError(
                f"{self.name} needs X with a known number of features, at least 1; got "
                f"shape {shape}. X.compute_chunk_sizes() finds it out."
            )
        return X if X.numblocks[1] == 1 else X.rechunk({1: -1})

    def row_bytes(self) -> int:
        """Bytes of a row as it comes."""
        if self.frame:
            sizes = [getattr(t, "itemsize", 8) for t in self.X.dtypes]
            return max(sizes, default=8) * len(sizes)
        return int(self.X.dtype.itemsize * self.X.shape[1])

    def n_bytes(self) -> float:
        """Bytes of X; NaN if that is not known before something is computed."""
        return float("nan") if self.frame else self.X.shape[0] * self.row_bytes()

    def _handfuls(self) -> list[slice]:
        """Partitions that are looked at together: several, if all are surely small."""
        largest = float("nan") if self.frame else max(self.X.chunks[0])
        few = largest * self.row_bytes() * HANDFUL <= SMALL
        return spans(len(self.parts), HANDFUL if few else 1)

    def keep(self) -> None:
        """Compute the partitions once for all that follows."""
        self.parts = self.runner.keep(self.parts)

    def describe(self, estimator: Any) -> None:
        """Give the estimator the number and the names of the features."""
        names = self.X._meta if self.frame else np.empty((0, 0))
        _check_feature_names(estimator, names, reset=True)
        estimator.n_features_in_ = self.X.shape[1]

    def survey(
        self, *, ordered: bool
    ) -> tuple[Summary, NDArray[np.integer], NDArray[Any]]:
        """What X is like; class codes and classes. Looks at all partitions once."""
        call, lazy = self.runner.call, []
        surveys = [call(summarize, self.parts[s]) for s in self._handfuls()]
        if hasattr(self.y, "to_delayed"):
            lazy = list(np.ravel(self.y.to_delayed()))
        (lengths, total), *labels = self.runner.compute(
            [self.runner.tree(join, surveys), *(call(label_part, p) for p in lazy)]
        )
        self.lengths = lengths
        if total is None or total.n < 2:
            raise ValueError(
                f"{self.name} needs at least 2 rows, got {total.n if total else 0}."
            )
        self._refuse_gaps(total)
        if lazy:
            codes, classes = join_labels(labels, self.name, ordered=ordered)
        else:
            codes, classes = encode(self.y, self.name, ordered=ordered)
            codes = codes.astype(_code_type(len(classes)))
        if len(codes) != total.n:
            raise ValueError(
                f"{self.name} needs one label for each row, but X has {total.n} rows "
                f"and y has {len(codes)}."
            )
        return total, codes, classes

    def _refuse_gaps(self, total: Summary) -> None:
        for what, counts in (("NaN", total.gaps), ("infinity", total.endless)):
            places = np.flatnonzero(counts)
            if len(places):
                names = self.X.columns if self.frame else range(self.X.shape[1])
                shown = [
                    f"{counts[f]} times in column {names[f]!r}" for f in places[:MOST]
                ]
                more = len(places) - MOST
                shown += [f"in {more} more column{'s' * (more > 1)}"] * (more > 0)
                raise ValueError(
                    f"{self.name} needs finite numbers in a Dask collection, but X has "
                    f"{what} {', '.join(shown)}. Fill these in, or leave out such rows "
                    "or columns first."
                )

    def blocks(self, codes: NDArray[np.integer], rows: int) -> tuple[Ints, list[Any]]:
        """First row of each block, and blocks of about as many rows, to be computed."""
        firsts, blocks, first = [], [], 0
        for pieces in cut(self.lengths, rows):
            parts = [self.parts[p] for p, _, _ in pieces]
            limits = [(lo, hi) for _, lo, hi in pieces]
            n = sum(hi - lo for lo, hi in limits)
            labels = codes[first : first + n]
            blocks.append(self.runner.call(assemble, parts, limits, first, labels))
            firsts.append(first)
            first += n
        return np.array(firsts), blocks
