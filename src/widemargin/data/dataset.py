"""`Dataset`: the caller's table, read once.

Reading a frame (types of columns, codes of nominal values, names, labels) may take far
longer than a fit. So it is done once per call, by `read_dataset`. All that follows
takes rows, columns, permuted labels or permuted copies of features from what was read.
A method sees the table through its `_view`: the same numbers, with codes in the columns
that it treats as nominal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from widemargin._sklearn import _safe_indexing
from widemargin.data.blocks import Blocks, columns_of, read_blocks
from widemargin.data.covariates import Covariates
from widemargin.data.frames import (
    feature_names,
    is_sparse,
)
from widemargin.data.kinds import (
    BOOLEAN,
    CODED,
    NUMBER,
    given_columns,
    listed,
    warn_of_mixtures,
)
from widemargin.data.labels import Labels
from widemargin.data.numbers import code_columns
from widemargin.data.outcomes import labels_of
from widemargin.data.protocol import Floats, Ints
from widemargin.data.targets import AcceptedLabels
from widemargin.notices import warn

Names = NDArray[np.object_]
DENSE_CELLS = 2**24  # of a sparse table, in columns that are looked at one by one


class Columns(NamedTuple):
    """Numbers and nominal values of a table, apart."""

    numbers: Floats  # (n, d), NaN where a value is missing, infinite or not a number
    # Codes of nominal columns, the most frequent value 0, −1 for a missing one.
    nominal: dict[int, Ints]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Some rows of a table that was read once; made by `read_dataset`."""

    table: Any  # X as the caller has it: a frame or an array, all rows
    y_given: Any  # y as the caller has it
    caller: str  # for messages
    values: Floats  # all rows as numbers; NaN where a value is missing
    kinds: Ints  # what each column of the table holds, see `widemargin.data.kinds`
    coded: Ints | None  # columns with codes of nominal values; None: there are none
    categories: dict[int, list[Any]]  # what the codes stand for
    labels: Labels  # of all rows
    labelled: bool = True  # False if a method does without them: all is one class
    rounded: Sequence[int] = ()  # columns of integers too large for float64
    mixtures: Sequence[int] = ()  # nominal columns with both numbers and text
    rows: Ints | None = None  # of the table, in this order; None: all
    relabelled_by: Ints | None = None  # rows whose labels these have, if not their own
    weights: Floats | None = None  # of all rows, none of them 0; None: all the same
    given: Ints | None = None  # the caller's numbers of all rows; None: as they are
    features: Ints | None = None  # columns of the table; None: all
    probes: tuple[Ints, Ints] | None = None  # columns that are copied, and row order
    blocks: Blocks | None = None  # columns of the table that are one feature
    covariates: Covariates | None = None  # of all rows; numbers have lost their part
    # Shared by all parts: tables with codes in further columns, and who was warned.
    _recoded: dict[bytes, Floats] = field(default_factory=dict)
    warned: set[str] = field(default_factory=set)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and features without probes."""
        n, d = self.values.shape
        n = n if self.rows is None else len(self.rows)
        d = d if self.features is None else len(self.features)
        return n, d if self.feature_of is None else int(self.feature_of[:d].max()) + 1

    @property
    def names(self) -> Names:
        """Names of all features as text; x0, x1, … where they have none."""
        return feature_names(self.table) if self.blocks is None else self.blocks.names

    @property
    def column_names(self) -> Names | None:
        """Names as scikit-learn keeps them: only if all are text."""
        columns = getattr(self.table, "columns", None)
        whole = self.features is None and self.probes is None
        if columns is None or not whole or not all(isinstance(c, str) for c in columns):
            return None
        return np.array(list(columns), dtype=object)

    @cached_property
    def X(self) -> Floats:
        """These rows as numbers, with codes in nominal columns, then the probes."""
        X = self.values if self.rows is None else self.values[self.rows]
        if self.features is not None:
            X = X[:, self.features]
        if self.probes is None:
            return X
        features, order = self.probes
        return np.hstack([X, X[np.ix_(order, features)]])

    @cached_property
    def _by_column(self) -> Any:
        return csc_array(self.X) if is_sparse(self.X) else None

    def column(self, f: int) -> Floats:
        """The numbers in one column of ``X``."""
        if self._by_column is None:
            return self.X[:, f]
        found: Floats = self._by_column[:, [f]].toarray()[:, 0]
        return found

    @cached_property
    def feature_of(self) -> Ints | None:
        """The feature that each column of ``X`` belongs to; None: each is one."""
        if self.blocks is None:
            return None
        columns = slice(None) if self.features is None else self.features
        own = np.unique(self.blocks.feature[columns], return_inverse=True)[1]
        if self.probes is None:
            return own
        copies = np.unique(own[self.probes[0]], return_inverse=True)[1]
        return np.concatenate([own, own.max() + 1 + copies])

    @property
    def strata(self) -> Ints | None:
        """Numbers of rows that are alike in their covariates, if there are any."""
        if self.covariates is None:
            return None
        found = self.covariates.strata
        return found if self.rows is None else found[self.rows]

    @property
    def design(self) -> Floats | None:
        """Columns of numbers that tell the covariates of these rows."""
        if self.covariates is None:
            return None
        found = self.covariates.design
        return found if self.rows is None else found[self.rows]

    def grouped(self, groups: Any, caller: str) -> Dataset:
        """The same table with ``feature_groups`` of its columns, unless it has some."""
        if groups is None or self.blocks is not None:
            return self
        if is_sparse(self.values):
            raise ValueError(
                f"{caller}: feature_groups need dense features. Make X dense, or leave "
                "them out."
            )
        columns, d = getattr(self.table, "columns", None), self.values.shape[1]
        return replace(self, blocks=read_blocks(groups, columns, d, caller))

    @property
    def nominal(self) -> Ints | None:
        """Columns of ``X`` that hold codes; None for a method of numbers alone."""
        if self.coded is None:
            return None
        every = np.arange(self.values.shape[1])
        columns = every if self.features is None else self.features
        if self.probes is not None:
            columns = np.concatenate([columns, columns[self.probes[0]]])
        return np.flatnonzero(np.isin(columns, self.coded))

    @cached_property
    def codes(self) -> Ints:
        """Class codes, the same for a class in all parts of a table."""
        whose = self._whose
        return self.labels.codes if whose is None else self.labels.codes[whose]

    @property
    def classes(self) -> NDArray[Any]:
        """Labels of the classes of the whole table."""
        return self.labels.classes

    @property
    def present_classes(self) -> tuple[Ints, NDArray[Any]]:
        """Codes from 0 without gaps, and the classes that these rows have.

        For a method that does without labels, all rows are of one class.
        """
        if not self.labelled:
            return np.zeros(self.shape[0], np.int64), np.zeros(1, np.int64)
        if self._whose is None:
            return self.codes, self.classes
        used, codes = np.unique(self.codes, return_inverse=True)
        return codes.astype(np.int64), self.classes[used]

    @property
    def task(self) -> str:
        """What y holds: "classification", "regression", "multilabel", "survival"."""
        return self.labels.task

    @property
    def target(self) -> Floats | None:
        """The numbers to predict, (n,) or (n, q); event and time; None: classes."""
        target, whose = self.labels.target, self._whose
        return target if target is None or whose is None else target[whose]

    @property
    def numeric(self) -> bool:
        """Whether y is a target to predict, and not a class."""
        return self.labels.target is not None

    @property
    def row_weights(self) -> Floats | None:
        """The weights of these rows; None if all rows count the same."""
        w = self.weights
        return w if w is None or self.rows is None else w[self.rows]

    @property
    def has_labels(self) -> bool:
        """Whether there is a y."""
        return self.y_given is not None

    @property
    def labels_given(self) -> NDArray[Any]:
        """Labels, or numbers, of these rows, as an array."""
        if self.target is None:
            return self.classes[self.codes]
        return labels_of(self.target, self.task)

    @cached_property
    def frame(self) -> Any:
        """These rows as the caller has them, for the caller's own classifiers."""
        return (
            self.table if self.rows is None else _safe_indexing(self.table, self.rows)
        )

    @property
    def _whose(self) -> Ints | None:
        return self.rows if self.relabelled_by is None else self.relabelled_by

    def take(self, rows: NDArray[np.integer]) -> Dataset:
        """Some of these rows, as they are numbered here."""
        own: Ints = np.asarray(rows, np.int64)
        by = self.relabelled_by
        return replace(
            self,
            rows=own if self.rows is None else self.rows[own],
            relabelled_by=None if by is None else by[own],
        )

    def relabelled(self, order: Ints) -> Dataset:
        """The same rows with the labels in another order."""
        whose = np.arange(self.shape[0]) if self._whose is None else self._whose
        return replace(self, relabelled_by=whose[order])

    def columns(self, features: Ints) -> Dataset:
        """Some of the features, for methods that look at each on its own."""
        if len(features) == self.shape[1]:
            return self
        return replace(self, features=columns_of(self.feature_of, features))

    def without(self, features: Ints) -> Dataset:
        """The caller's table without some columns, as if it had never had them."""
        features = columns_of(self.feature_of, features)
        kept, blocks = np.setdiff1d(np.arange(self.values.shape[1]), features), None
        if self.blocks is not None:
            left, of = np.unique(self.blocks.feature[kept], return_inverse=True)
            blocks = Blocks(of, self.blocks.names[left])
        place = {int(f): i for i, f in enumerate(kept)}

        def moved(columns: Iterable[Any]) -> list[int]:
            return [place[int(f)] for f in columns if int(f) in place]

        return replace(
            self,
            table=_safe_indexing(self.table, kept, axis=1),
            values=self.values[:, kept],
            kinds=self.kinds[kept],
            coded=None if self.coded is None else np.array(moved(self.coded), np.int64),
            categories={place[f]: c for f, c in self.categories.items() if f in place},
            rounded=moved(self.rounded),
            mixtures=moved(self.mixtures),
            blocks=blocks,
            _recoded={},
        )

    def with_probes(self, features: Ints, order: Ints) -> Dataset:
        """More columns: to the right, copies of features in another order of rows."""
        return replace(self, probes=(columns_of(self.feature_of, features), order))

    def with_codes(self, nominal: Ints | None) -> Dataset:
        """The same rows with codes in these columns of the table; None: in none."""
        if nominal is None or self.coded is None:
            return replace(self, coded=nominal)
        more = np.setdiff1d(nominal, self.coded)
        if not len(more):
            return replace(self, coded=nominal)
        key = more.tobytes()
        if key not in self._recoded:
            self._recoded[key] = code_columns(
                self.table, self.values, more, self.caller
            )
        return replace(self, coded=nominal, values=self._recoded[key])

    def numbers(self, selectors: Iterable[Any] = ()) -> Dataset:
        """The rows as numbers, for classifiers.

        Nominal columns are so by their type, or because a selector treats them so.
        """
        given = [getattr(s, "categorical_features", None) for s in selectors]
        different = {repr(np.asarray(g).tolist()): g for g in given}.values()
        chosen = [given_columns(self.table, g, self.caller) for g in different]
        by_type = np.flatnonzero(np.isin(self.kinds, CODED))
        return self.with_codes(np.unique(np.concatenate([by_type, *chosen])))

    @cached_property
    def fullest(self) -> Ints:
        """All columns; of a sparse table as many of the fullest as may be dense."""
        (n, d), X = self.shape, self.X
        most = max(1, DENSE_CELLS // n)
        if not is_sparse(X) or d <= most:
            return np.arange(d)
        stored = np.bincount(csr_array(X).indices, minlength=d)
        return np.sort(np.argsort(-stored, kind="stable")[:most])

    def with_values(self, X: Any) -> Dataset:
        """The same rows with other numbers."""
        return replace(
            self,
            table=X,
            values=X,
            kinds=np.full(X.shape[1], NUMBER),
            rows=np.arange(X.shape[0]),
            relabelled_by=self._whose,
        )

    def apart(self) -> Columns:
        """Numbers and nominal values apart; booleans and ordered places are numbers.

        Codes depend on what the rows hold, not on their order. Of a sparse table, the
        fullest columns.
        """
        if is_sparse(self.X):
            return Columns(csr_array(self.X)[:, self.fullest].toarray(), {})
        numbers = np.where(np.isfinite(self.X), self.X, np.nan)
        nominal = {}
        for f, categories in self.categories.items():
            codes = np.nan_to_num(numbers[:, f], nan=-1).astype(np.int64)
            nominal[f] = _by_frequency(codes, categories)
            numbers[:, f] = np.nan
        return Columns(numbers, nominal)

    def warn_of_columns(self, name: str, categorical_features: Any = None) -> None:
        """Warn, once for each name, of columns that may not be what they seem.

        What the caller names as nominal is meant to be so.
        """
        if name in self.warned:
            return
        self.warned.add(name)
        given = given_columns(self.table, categorical_features, name)
        columns = getattr(self.table, "columns", range(len(self.kinds)))
        mixed, large = (
            [str(columns[f]) for f in some if f not in given]
            for some in (self.mixtures, self.rounded)
        )
        warn_of_mixtures(mixed, name)
        if large:
            warn(
                f"{name}: integers beyond 2**53 in column {listed(large)} are rounded, "
                "and different ones may become equal. Subtract the smallest from all, "
                "drop the column, or make it nominal if it holds identifiers."
            )

    def fit(self, selector: Any) -> Any:
        """Fit a selector, which is returned. Those that are not ours get arrays."""
        if hasattr(selector, "_fit_dataset"):
            return selector._fit_dataset(self)
        plain = np.isin(self.kinds, (NUMBER, BOOLEAN)).all()
        X = self.X if plain else np.asarray(self.frame)
        y = self.labels_given.view(np.ndarray if self.numeric else AcceptedLabels)
        w = self.row_weights
        weights = {} if w is None else {"sample_weight": w}
        return selector.fit(X, *([y] if self.has_labels else []), **weights)


def _by_frequency(codes: Ints, categories: list[Any]) -> Ints:
    """Codes of nominal values, the most frequent one 0; −1 for a missing one."""
    counts = np.bincount(codes[codes >= 0], minlength=len(categories))
    # Values of different types cannot be sorted, their text can.
    text = [f"{type(v).__name__} {v}" for v in categories]
    ranked = sorted(range(len(categories)), key=lambda c: (-counts[c], text[c]))
    places = np.empty(len(categories) + 1, np.int64)
    places[ranked], places[-1] = np.arange(len(categories)), -1
    return places[codes]
