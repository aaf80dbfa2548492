"""The caller's table, read once, for many fits to parts of it.

Reading a frame (types of columns, codes of nominal values, names, labels) may take far
longer than a fit. So it is done once for each way in which selectors read a table;
fits to some rows, to permuted labels or with permuted copies of the features take these
from the arrays that were read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from threading import RLock
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from widemargin._sklearn import _safe_indexing
from widemargin.base import MarginSelector
from widemargin.data.frames import is_frame
from widemargin.data.kinds import BOOLEAN, NUMBER, holds_numbers, kinds
from widemargin.data.labels import encode, numeric_target
from widemargin.data.nominal import nominal_columns
from widemargin.data.numbers import as_numbers, floats_of
from widemargin.data.protocol import Floats, Ints
from widemargin.data.rows import Rows
from widemargin.evaluation._frames import Names, feature_names, in_memory


class Numbers(NamedTuple):
    """A table as numbers, and which columns are codes of nominal values."""

    X: Floats
    nominal: Ints


class _Source:
    """A table and what has been read of it."""

    def __init__(self, X: Any, y: Any, caller: str, numeric: bool) -> None:
        self.X, self.y, self.caller = X, y, caller
        self.numeric = numeric
        self.shape: tuple[int, int] = X.shape
        self._read: dict[Any, Rows] = {}
        self._tables: dict[bytes, NDArray[Any]] = {}  # by their nominal columns
        self._lock = RLock()  # fits run side by side

    @cached_property
    def names(self) -> Names:
        return feature_names(self.X)

    @cached_property
    def coded(self) -> tuple[Ints, NDArray[Any]]:
        """Class codes and class labels; of a numeric target, all rows are alike."""
        if self.numeric:
            return np.zeros(self.shape[0], np.int64), np.zeros(1)
        codes, classes = encode(self.y, self.caller)
        check_consistent_length(self.X, codes)
        return codes, classes

    @cached_property
    def target(self) -> Floats:
        """The numbers to predict."""
        target = numeric_target(self.y, self.caller)
        check_consistent_length(self.X, target)
        return target

    @cached_property
    def plain(self) -> NDArray[Any]:
        """The table as an array for selectors that are not ours."""
        if self._table is not self.X:
            return np.asarray(self._table)
        if is_frame(self.X) and all(k in (NUMBER, BOOLEAN) for k in kinds(self.X)):
            empty = np.empty(0, np.int64)
            return np.asarray(as_numbers(self.X, empty, self.caller), np.float64)
        return np.asarray(self.X)

    def rows(self, selector: MarginSelector) -> Rows:
        """All rows as the selector reads them."""
        uses_y = selector._numeric_target or selector._uses_labels(self.y)
        if uses_y and selector._numeric_target != self.numeric:
            refuse_other_task(selector, self.numeric, self.caller)
        given = selector.get_params().get("categorical_features")
        key = (
            type(selector),
            repr(given if given is None else np.asarray(given).tolist()),
            selector._uses_labels(self.y),
            selector._numeric_target,
            selector._asks_the_rows(),
        )
        with self._lock:
            if key not in self._read:
                # Only a frame knows the names of its columns.
                table = self._table if given is None else self.X
                rows = clone(selector)._read(table, self.y)
                rows = rows._replace(names=self._column_names(rows.names))
                nominal = b"" if rows.nominal is None else rows.nominal.tobytes()
                X = self._tables.setdefault(nominal, rows.X)
                self._read[key] = rows._replace(X=X)
            return self._read[key]

    @cached_property
    def _table(self) -> Any:
        """The table; a frame of numbers alone as an array, which is quick to check."""
        if holds_numbers(self.X):
            return floats_of(self.X)
        return self.X

    def _column_names(self, names: NDArray[Any] | None) -> NDArray[Any] | None:
        """The names that scikit-learn would give a fit to the table."""
        if self._table is self.X:
            return names
        columns = list(self.X.columns)
        text = all(isinstance(c, str) for c in columns)
        return np.array(columns, dtype=object) if text else None

    def numbers(self, nominal: Ints) -> Numbers:
        """All rows as numbers, with codes in these columns."""
        with self._lock:
            known = self._tables.get(nominal.tobytes())
            if known is None:
                table = self.X if len(nominal) else self._table
                known = np.asarray(as_numbers(table, nominal, self.caller), np.float64)
                self._tables[nominal.tobytes()] = known
            return Numbers(np.asarray(known, np.float64), nominal)


@dataclass(frozen=True, eq=False)
class Encoded:
    """Some rows of a table that was read once; made by `read_once`."""

    source: _Source
    rows: Ints | None = None  # of the source, in this order; None: all
    labels: Ints | None = None  # of the source: whose labels they have, if not theirs
    probes: tuple[Ints, Ints] | None = None  # features that are copied, and row order
    features: Ints | None = None  # columns of the source; None: all

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and features without probes."""
        n, d = self.source.shape
        return (
            n if self.rows is None else len(self.rows),
            d if self.features is None else len(self.features),
        )

    @property
    def names(self) -> Names:
        """Names of the features, made up where they have none."""
        return self.source.names

    @cached_property
    def codes(self) -> Ints:
        """Class codes, the same for a class in all parts of a table."""
        whose = self._whose
        codes = self.source.coded[0]
        return codes if whose is None else codes[whose]

    @property
    def classes(self) -> NDArray[Any]:
        """Labels of the classes of the whole table."""
        return self.source.coded[1]

    @cached_property
    def frame(self) -> Any:
        """These rows as the caller has them, for the caller's own classifiers."""
        X = self.source.X
        return X if self.rows is None else _safe_indexing(X, self.rows)

    @property
    def numeric(self) -> bool:
        """Whether y is a number to predict, and not a class."""
        return self.source.numeric

    @property
    def labels_given(self) -> NDArray[Any]:
        """Labels, or numbers, of these rows, as an array."""
        if not self.numeric:
            return self.classes[self.codes]
        target, whose = self.source.target, self._whose
        return target if whose is None else target[whose]

    @property
    def has_labels(self) -> bool:
        """Whether there is a y."""
        return self.source.y is not None

    @property
    def _whose(self) -> Ints | None:
        return self.rows if self.labels is None else self.labels

    def take(self, rows: NDArray[np.integer]) -> Encoded:
        """Some of these rows, as they are numbered here."""
        mine: Ints = np.asarray(rows, np.int64)
        return replace(
            self,
            rows=mine if self.rows is None else self.rows[mine],
            labels=None if self.labels is None else self.labels[mine],
        )

    def relabelled(self, order: Ints) -> Encoded:
        """The same rows with the labels in another order."""
        whose = np.arange(self.shape[0]) if self._whose is None else self._whose
        return replace(self, labels=whose[order])

    def columns(self, features: Ints) -> Encoded:
        """Some of the features, for methods that look at each on its own."""
        if len(features) == self.source.shape[1]:
            return self
        return replace(self, features=features)

    def with_probes(self, features: Ints, order: Ints) -> Encoded:
        """More columns: to the right, copies of features in another order of rows."""
        return replace(self, probes=(features, order))

    def read(self, selector: MarginSelector) -> Rows:
        """The rows as one of our selectors reads them."""
        rows = self.source.rows(selector)
        if self.features is not None:
            rows = rows.columns(self.features)
        if self.rows is not None or self.labels is not None:
            mine = np.arange(len(rows.X)) if self.rows is None else self.rows
            rows = rows.take(mine, self.labels)
        return rows if self.probes is None else rows.beside(*self.probes)

    def numbers(self, selectors: Iterable[Any]) -> Numbers:
        """The rows as numbers, for classifiers.

        Nominal columns are so by their type, or by what a selector was told.
        """
        told = [getattr(s, "categorical_features", None) for s in selectors]
        different = {repr(np.asarray(t).tolist()): t for t in [None, *told]}
        X, caller = self.source.X, self.source.caller
        found = [
            nominal_columns(X, t, caller, booleans=False, notice=False)
            for t in different.values()
        ]
        table = self.source.numbers(np.unique(np.concatenate(found)))
        return (
            table if self.rows is None else Numbers(table.X[self.rows], table.nominal)
        )

    def fit(self, selector: Any) -> Any:
        """Fit a selector, which is returned. Those that are not ours get arrays."""
        if isinstance(selector, MarginSelector):
            return selector._fit_encoded(self.read(selector))
        X = self.source.plain
        X = X if self.rows is None else X[self.rows]
        if self.probes is not None:
            features, order = self.probes
            X = np.hstack([X, X[np.ix_(order, features)]])
        if not self.has_labels:
            return selector.fit(X)
        y, whose = np.asarray(self.source.y), self._whose
        return selector.fit(X, y if whose is None else y[whose])


def refuse_other_task(selector: MarginSelector, numeric: bool, caller: str) -> NoReturn:
    """Say that a method is for classes where y is a number, or the other way round."""
    name = type(selector).__name__
    mine = "classes" if numeric else "a numeric target"
    remedy = "RReliefF, FRegression or others for numbers"
    if not numeric:
        remedy = "ReliefF, FisherScore or others for classes"
    if "task" in selector.get_params():
        remedy = f'{name}(task="{"regression" if numeric else "classification"}")'
    raise ValueError(
        f"{caller}: {name} is for {mine}, but y is treated as "
        f"{'a numeric target' if numeric else 'classes'}. Use {remedy}."
    )


def read_once(X: Any, y: Any, caller: str, *, numeric: bool = False) -> Encoded:
    """A table in memory, ready for many fits; one that is already stays as it is.

    ``numeric`` says that y is a number to predict.
    """
    if isinstance(X, Encoded):
        return X
    X = in_memory(X, caller)
    if len(X.shape) != 2 or 0 in X.shape:
        raise ValueError(f"{caller} needs rows and columns, got shape {X.shape}.")
    return Encoded(_Source(X, y, caller, numeric))
