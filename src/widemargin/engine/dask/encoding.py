"""Codes of nominal columns and of labels, the same ones in all partitions.

A partition knows its own categories and texts only. The values of each are counted
(`count`) and put together (`join`). Then a value has one code in all partitions
(`encode`): the place where it came first, or its place among ordered categories.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from widemargin.data.kinds import ORDERED, kind
from widemargin.data.labels import encode, missing_labels, refuse_missing_labels
from widemargin.data.numbers import different, floats_of
from widemargin.data.protocol import Floats, Ints


class Values(NamedTuple):
    """Different values of a column and how often each is there."""

    values: list[Any]
    counts: Floats | Ints  # or what these rows weigh

    def codes(self) -> dict[Any, int]:
        """The code of each."""
        return {value: code for code, value in enumerate(self.values)}


@dataclass(frozen=True)
class Columns:
    """Which columns of X are not numbers."""

    name: str  # of the estimator, for messages
    labels: list[str]
    nominal: frozenset[int]
    ordered: frozenset[int]
    max_values: int  # of a nominal column

    @classmethod
    def of(
        cls, X: Any, nominal: Ints | None, name: str, max_values: int = 2**24
    ) -> Columns:
        """Of an empty frame or array like X, given its nominal columns."""
        taken = frozenset([] if nominal is None else nominal.tolist())
        ordered = frozenset[int]()
        if hasattr(X, "dtypes") and nominal is not None:
            types = enumerate(X.dtypes)
            ordered = frozenset(f for f, t in types if kind(t) == ORDERED) - taken
        labels = [str(c) for c in getattr(X, "columns", range(X.shape[1]))]
        return cls(name, labels, taken, ordered, max_values)

    def without(self, numbers: Iterable[int]) -> Columns:
        """The same, but for some columns that hold numbers."""
        return replace(self, nominal=self.nominal.difference(numbers))

    @property
    def coded(self) -> list[int]:
        """Columns whose values get codes."""
        return sorted(self.nominal | self.ordered)

    def places(self, part: Any, f: int) -> tuple[Ints, list[Any]]:
        """Which of its different values each row of a partition has, −1 for none."""
        column = part.iloc[:, f] if hasattr(part, "iloc") else part[:, f]
        if f in self.nominal:
            return different(column, self.name, self.labels[f])
        return np.asarray(column.cat.codes, np.int64), column.cat.categories.tolist()

    def count(
        self, part: Any, w: Floats | None
    ) -> tuple[NDArray[Any], dict[int, Values]]:
        """Numbers of a partition, with 0 for what has no code yet; its values.

        Rows count as much as they weigh, if they have weights w.
        """
        known, places = {}, {}
        for f in self.coded:
            places[f], values = self.places(part, f)
            there = places[f] >= 0
            own = None if w is None else w[there]
            counts = np.bincount(places[f][there], own, len(values))
            known[f] = Values(values, counts)
        return self._table(
            part, {f: np.minimum(p, 0) for f, p in places.items()}
        ), known

    def encode(self, part: Any, codes: dict[int, dict[Any, int]]) -> NDArray[Any]:
        """Numbers of a partition, given the code of each value of a column.

        A missing value is NaN.
        """
        found = {}
        for f in self.coded:
            places, values = self.places(part, f)
            found[f] = np.array([*(codes[f][v] for v in values), -1])[places]
        return self._table(part, found)

    def _table(self, part: Any, codes: dict[int, Ints]) -> NDArray[Any]:
        """A partition in which some columns are replaced by codes, −1 by NaN."""
        if not codes:
            return raw(part)
        table = np.empty(part.shape)
        for f in range(part.shape[1]):
            if f in codes:
                table[:, f] = np.where(codes[f] < 0, np.nan, codes[f])
            elif hasattr(part, "iloc"):
                table[:, f] = floats_of(part.iloc[:, f])
            else:
                table[:, f] = floats_of(part[:, f])
        return table

    def join(
        self, first: dict[int, Values], then: dict[int, Values]
    ) -> dict[int, Values]:
        """What two partitions have together."""
        return {
            f: (self._in_order if f in self.ordered else self._union)(
                first[f], then[f], self.labels[f]
            )
            for f in first
        }

    def _union(self, first: Values, then: Values, label: str) -> Values:
        counts = dict(zip(first.values, first.counts.tolist(), strict=True))
        for value, count in zip(then.values, then.counts.tolist(), strict=True):
            counts[value] = counts.get(value, 0) + count
        if len(counts) > self.max_values:
            raise ValueError(
                f"{self.name}: the nominal column {label!r} has more than "
                f"{self.max_values} different values. It looks like an identifier; "
                "drop it."
            )
        return Values(list(counts), np.array(list(counts.values())))

    def _in_order(self, first: Values, then: Values, label: str) -> Values:
        """Of an ordered category, of which a partition may lack some."""
        longer, shorter = first, then
        if len(then.values) > len(first.values):
            longer, shorter = then, first
        place = longer.codes()
        places = [place.get(value, -1) for value in shorter.values]
        if -1 in places or places != sorted(places):
            raise ValueError(
                f"{self.name}: partitions do not agree on the order of the categories "
                f"in column {label!r}: {first.values} and {then.values}. Set it for "
                f"all of them: X[{label!r}].cat.set_categories([lowest, …, highest], "
                "ordered=True)."
            )
        counts = longer.counts.copy()
        counts[places] += shorter.counts
        return Values(longer.values, counts)


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


class Labels(NamedTuple):
    """Labels of a partition."""

    values: Any  # different ones
    codes: NDArray[np.integer]  # (n,) which of them; 0 if some are missing
    missing: int


def label_part(part: Any) -> Labels:
    """The different labels of a partition, and which of them each row has."""
    missing = missing_labels(part)
    if missing:
        return Labels(np.empty(0), np.zeros(len(part), np.int8), missing)
    if str(getattr(part, "dtype", "")) == "category":
        used, codes = np.unique(np.asarray(part.cat.codes), return_inverse=True)
        values = part.cat.categories[used].astype(part.dtype)
    else:
        values, codes = np.unique(column_or_1d(np.asarray(part)), return_inverse=True)
    return Labels(values, codes.astype(np.min_scalar_type(len(values))), 0)


def target_part(part: Any) -> NDArray[Any]:
    """The numbers in a partition of y; what is none is left to be named later."""
    return column_or_1d(np.asarray(part))


def join_labels(
    parts: list[Labels], name: str, **options: Any
) -> tuple[NDArray[np.integer], NDArray[Any]]:
    """Class codes and classes of labels that are spread over partitions.

    ``options`` are those of `widemargin.data.labels.read_labels`.
    """
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
    sizes = [np.bincount(part.codes, minlength=len(part.values)) for part in parts]
    repeats = np.concatenate([np.empty(0, np.int64), *sizes])
    codes, classes = encode(together, name, repeats=repeats, **options)
    stops = np.cumsum([len(v) for v in values])
    new = np.split(codes.astype(code_type(len(classes))), stops[:-1])
    return np.concatenate(
        [of_value[part.codes] for of_value, part in zip(new, parts, strict=True)]
    ), classes


def code_type(n_classes: int) -> Any:
    """The smallest type that holds codes and their differences."""
    return np.min_scalar_type(-n_classes)
