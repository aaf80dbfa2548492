"""From the partitions of a Dask collection to blocks of rows with class codes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin._sklearn import _check_feature_names
from widemargin.data.frames import is_frame
from widemargin.data.kinds import (
    NUMBER,
    OTHER,
    are_numerals,
    is_mixture,
    kind_of_values,
    kinds,
    listed,
    object_columns,
    warn_of_mixtures,
)
from widemargin.data.outcomes import read_target
from widemargin.data.protocol import Floats, Ints
from widemargin.data.refuse import MIXED, refuse_columns, refuse_odd_columns
from widemargin.data.weights import of_mean_one, weights_by_class
from widemargin.engine.dask import _dask
from widemargin.engine.dask.cluster import Cluster
from widemargin.engine.dask.collection import Collection, PerRow
from widemargin.engine.dask.encoding import (
    Columns,
    Values,
    label_part,
    target_part,
)
from widemargin.engine.dask.rows import RawRows
from widemargin.engine.dask.statistics import Summary, Survey, join, summarize
from widemargin.notices import warn

NAMED_COLUMNS = 5  # that an error names


def assemble(
    parts: list[Any],
    limits: list[tuple[int, int]],
    first: int,
    y: NDArray[np.integer],
    numbers: Callable[[Any], NDArray[Any]],
) -> RawRows:
    """A block of rows from parts of partitions, which become numbers."""
    X = [
        numbers(part.iloc[lo:hi] if hasattr(part, "iloc") else part[lo:hi])
        for part, (lo, hi) in zip(parts, limits, strict=True)
    ]
    rows = np.arange(first, first + len(y))
    return RawRows(X[0] if len(X) == 1 else np.concatenate(X), y, rows)


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


def _undecided(
    like: Any, chosen: Ints | None, nominal: Callable[[Any], Ints | None]
) -> list[int]:
    """Columns of objects and of text that are not declared nominal."""
    if chosen is None or not is_frame(like):
        return []
    strings = [f for f, t in enumerate(like.dtypes) if str(t).startswith("str")]
    numeric = like.copy()
    for f in {*object_columns(like), *strings}:
        numeric.isetitem(f, np.empty(0))
    declared = nominal(numeric)
    assert declared is not None
    return sorted(set(chosen.tolist()).difference(declared.tolist()))


class Source(Collection):
    """A Dask array or frame and its labels, partition by partition.

    Parameters
    ----------
    X, y, name, cluster
        As for `Collection`.
    nominal : function
        Numbers of the nominal columns, given an empty table like X; None if there must
        be neither such columns nor missing values.
    numeric : bool
        Whether y is a number to predict. Then all rows are of one class.
    look : bool, default=True
        Whether many different whole numbers in y are refused, or warned of, as
        classes.

    Attributes
    ----------
    target : array of shape (n,) or None
        The numbers to predict, once the labels are known.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        name: str,
        cluster: Cluster,
        nominal: Callable[[Any], Ints | None],
        numeric: bool,
        look: bool = True,
    ) -> None:
        super().__init__(X, y, name, cluster)
        self.numeric, self.look = numeric, look
        self.target: Floats | None = None
        d = self.X.shape[1]
        like = _dask.empty_like(self.X) if self.frame else np.empty((0, d))
        chosen = nominal(like)
        self.mixed = chosen is not None
        self.undecided = _undecided(like, chosen, nominal)
        found = np.array(kinds(like), np.int64)
        refuse_columns(like, found, name, chosen)
        most = cluster.settings.max_categories
        self.columns = Columns.of(like, chosen, name, most)
        self.known: dict[int, Values] = {}

    def row_bytes(self) -> int:
        """Bytes of a row as it comes."""
        if self.columns.coded:
            return 8 * int(self.X.shape[1])
        if self.frame:
            sizes = [getattr(t, "itemsize", 8) for t in self.X.dtypes]
            return max(sizes, default=8) * len(sizes)
        return int(self.X.dtype.itemsize * self.X.shape[1])

    def n_bytes(self) -> float:
        """Bytes of X; NaN if that is not known before something is computed."""
        return float("nan") if self.frame else self.X.shape[0] * self.row_bytes()

    def keep(self) -> None:
        """Keep the partitions on the workers until `forget`."""
        self.rows.parts = self.cluster.keep(self.rows.parts)

    def forget(self) -> None:
        """Let go of them: there are blocks now. Rows that are drawn are read again."""
        rows, self.rows = self.rows, PerRow(self.cluster, self.X)
        if self.left is not None:
            self.rows = self.rows.take(self.left)
        self.rows.lengths = rows.lengths

    def weigh_classes(self, class_weight: Any) -> None:
        """Multiply the weights of the rows by those of their classes."""
        labels, how = None, (class_weight, self.name, self.weights)
        if not self.numeric:
            codes, classes = self.all_codes()
            labels = classes[codes]
        weights = weights_by_class(labels, *how, numeric=self.numeric)
        self.weights = of_mean_one(weights)

    def describe(self, estimator: Any) -> None:
        """Give the estimator the number and the names of the features."""
        names = _dask.empty_like(self.X) if self.frame else np.empty((0, 0))
        _check_feature_names(estimator, names, reset=True)
        estimator.n_features_in_ = self.X.shape[1]

    def survey(
        self, *, ordered: bool
    ) -> tuple[Summary, NDArray[np.integer], NDArray[Any]]:
        """Statistics of X, class codes and classes; computes all partitions once."""
        weights: list[Any] = [None] * len(self.rows.parts)
        if self.weights is not None:
            weights = np.split(self.weights, np.cumsum(self.rows.lengths)[:-1])
        surveys = [
            self.cluster.call(summarize, part, self.columns, w)
            for part, w in zip(self.rows.parts, weights, strict=True)
        ]
        together = self.cluster.tree(partial(join, columns=self.columns), surveys)
        labels = self.label_tasks(target_part if self.numeric else label_part)
        found, *labels = self.cluster.compute([together, *labels])
        total = self._checked(found)
        return total, *self._encoded(labels, total.n, ordered=ordered)

    def _checked(self, found: Survey) -> Summary:
        """Statistics of all rows, after checks that these can be worked on."""
        self.rows.lengths, total, self.known = found
        self._refuse_few(total.n if total else 0)
        assert total is not None
        total = self._with_numbers(total)
        self._refuse_missing(total)
        codes = {
            f: (np.arange(len(c), dtype=np.float64), c)
            for f, (_, c) in self.known.items()
        }
        return total.with_values(codes)

    def _with_numbers(self, total: Summary) -> Summary:
        """Decide which columns of objects are numbers, now that their values are known.

        Such columns have no codes any more, but statistics.
        """
        numbers, dates, mixtures, numerals = {}, [], [], []
        for f in self.undecided:
            values, label = self.known[f].values, self.columns.labels[f]
            what = kind_of_values(values)
            if what == NUMBER:
                numbers[f] = self.known.pop(f)
            elif what == OTHER:
                dates.append(label)
            elif is_mixture(values):
                mixtures.append(label)
            elif are_numerals(values):
                numerals.append(label)
        refuse_odd_columns(dates, len(self.columns.labels), self.name, mixed=True)
        warn_of_mixtures(mixtures, self.name)
        if numerals:
            warn(
                f"{self.name}: the text in {listed(numerals)} reads as numbers, but is "
                "treated as nominal. Dask makes text of columns of objects, unless "
                "dataframe.convert-string is off. Convert with X.astype(float), or "
                "list names among them in categorical_features."
            )
        self.columns = self.columns.without(numbers)
        return total.with_values(
            {f: (np.array(v, np.float64), c) for f, (v, c) in numbers.items()}
        )

    def _encoded(
        self, labels: list[Any], n: int, *, ordered: bool
    ) -> tuple[NDArray[np.integer], NDArray[Any]]:
        """Class codes and classes; ``labels`` are those of the parts of a lazy y."""
        if self.numeric:
            y = np.concatenate(labels) if labels else self.labels.values
            self.refuse_other_length(len(y), n)
            self.target = read_target(y, self.name)
            return np.zeros(n, np.int8), np.zeros(1, np.int64)
        return self.codes(labels, n, ordered=ordered, look=self.look)

    def _refuse_few(self, n: int) -> None:
        if n < 2:
            raise ValueError(f"{self.name} needs at least 2 rows, got {n}.")

    def _refuse_missing(self, total: Summary) -> None:
        for what, counts in (("NaN", total.missing), ("infinity", total.infinite)):
            if what == "NaN" and self.mixed:
                continue
            places = np.flatnonzero(counts)
            if len(places):
                names = self.X.columns if self.frame else range(self.X.shape[1])
                shown = [
                    f"{counts[f]} times in column {names[f]!r}"
                    for f in places[:NAMED_COLUMNS]
                ]
                more = len(places) - NAMED_COLUMNS
                shown += [f"in {more} more column{'s' * (more > 1)}"] * (more > 0)
                raise ValueError(
                    f"{self.name} needs finite numbers in a Dask collection, but X has "
                    f"{what} {', '.join(shown)}. Fill these in, leave out such rows or "
                    "columns first"
                    + (f", or use {', '.join(MIXED)}." if what == "NaN" else ".")
                )

    def blocks(self, codes: NDArray[np.integer], rows: int) -> tuple[Ints, list[Any]]:
        """First row of each block, and blocks of about as many rows, to be computed."""
        firsts, blocks, first = [], [], 0
        size = 64 * sum(len(values) for values, _ in self.known.values())
        codes_of = {f: values.codes() for f, values in self.known.items()}
        encode = partial(self.columns.encode, codes=codes_of)
        numbers = self.cluster.constant(encode, size)
        for pieces in cut(self.rows.lengths, rows):
            parts = [self.rows.parts[p] for p, _, _ in pieces]
            limits = [(lo, hi) for _, lo, hi in pieces]
            n = sum(hi - lo for lo, hi in limits)
            labels = codes[first : first + n]
            blocks.append(
                self.cluster.call(assemble, parts, limits, first, labels, numbers)
            )
            firsts.append(first)
            first += n
        return np.array(firsts), blocks
