"""From the partitions of a Dask collection to blocks of rows with class codes.

What happens inside a partition is plain NumPy and pandas, and what is known of the
collection is asked of the collection itself, so Dask is not imported here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from widemargin._sklearn import _check_feature_names
from widemargin.columns import (
    MIXED,
    NUMBER,
    OTHER,
    are_numerals,
    is_frame,
    is_mixture,
    kind_of_values,
    listed,
    object_columns,
    refuse_columns,
    refuse_odd_columns,
    warn_of_mixtures,
)
from widemargin.engine.coding import Columns, Values
from widemargin.engine.distributed import Runner
from widemargin.engine.rows import Guests
from widemargin.engine.survey import (
    Summary,
    Survey,
    join,
    raw,
    summarize,
    summarize_block,
)
from widemargin.notices import warn
from widemargin.table import (
    Ints,
    encode,
    missing_labels,
    refuse_missing_labels,
    refuse_several_labels,
)
from widemargin.threads import spans

HANDFUL = 16  # small partitions that one task looks at
SMALL = 2**24  # bytes of a handful
MOST = 5  # columns that an error names


class Labels(NamedTuple):
    """Labels of a partition."""

    values: Any  # different ones
    codes: NDArray[np.integer]  # (n,) which of them; none if some are missing
    missing: int
    gone: int = 0  # rows without codes


def label_part(part: Any) -> Labels:
    """Of a partition: the different labels, and which of them each row has."""
    missing = missing_labels(part)
    if missing:
        return Labels(np.empty(0), np.empty(0, np.int8), missing, len(part))
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
    sizes = [np.bincount(part.codes, minlength=len(part.values)) for part in parts]
    repeats = np.concatenate([np.empty(0, np.int64), *sizes])
    codes, classes = encode(together, name, ordered=ordered, repeats=repeats)
    stops = np.cumsum([len(v) for v in values])
    new = np.split(codes.astype(_code_type(len(classes))), stops[:-1])
    return np.concatenate(
        [of_value[part.codes] for of_value, part in zip(new, parts, strict=True)]
    ), classes


def _code_type(n_classes: int) -> Any:
    """The smallest type that holds codes and their differences."""
    return np.min_scalar_type(-n_classes)


class Code(NamedTuple):
    """How partitions become numbers."""

    columns: Columns
    codes: dict[int, dict[Any, int]]  # of each value of a column

    def numbers(self, part: Any) -> NDArray[Any]:
        """The numbers of a partition."""
        if not self.columns.coded:
            return raw(part)
        return self.columns.encode(part, self.codes)


def assemble(
    parts: list[Any],
    limits: list[tuple[int, int]],
    first: int,
    y: NDArray[np.integer],
    code: Code,
) -> Guests:
    """A block of rows from parts of partitions."""
    X = [
        code.numbers(part.iloc[lo:hi] if hasattr(part, "iloc") else part[lo:hi])
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


def _undecided(
    like: Any, chosen: Ints | None, nominal: Callable[[Any], Ints | None]
) -> list[int]:
    """Columns of objects and of text that nobody has told to be nominal."""
    if chosen is None or not is_frame(like):
        return []
    strings = [f for f, t in enumerate(like.dtypes) if str(t).startswith("str")]
    numeric = like.copy()
    for f in {*object_columns(like), *strings}:
        numeric.isetitem(f, np.empty(0))
    told = nominal(numeric)
    assert told is not None
    return sorted(set(chosen.tolist()).difference(told.tolist()))


class Source:
    """A Dask array or frame and its labels, partition by partition.

    Parameters
    ----------
    X, y : collections; y may be the name of a column of X, or in memory
    name : str
        Who asks.
    runner : Runner
    nominal : function
        Numbers of the nominal columns, given an empty table like X; None if there must
        be neither such columns nor missing values.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        name: str,
        runner: Runner,
        nominal: Callable[[Any], Ints | None],
    ) -> None:
        self.name, self.runner = name, runner
        self.frame = hasattr(X, "columns")
        if isinstance(y, str):
            X, y = self._split(X, y)
        if self.frame:
            like = X._meta
            self.parts = list(X.to_delayed())
        else:
            X = self._one_column_of_chunks(X)
            like = np.empty((0, X.shape[1]))
            self.parts = list(X.to_delayed().ravel())
        chosen = nominal(like)
        self.mixed = chosen is not None
        self.undecided = _undecided(like, chosen, nominal)
        refuse_columns(like, name, mixed=self.mixed)
        self.columns = Columns.of(like, chosen, name)
        self.known: dict[int, Values] = {}
        refuse_several_labels(y, name)
        self.X, self.y = X, y
        # Whether blocks can be made before anything has been looked at.
        self.foreseen = not (self.columns.coded or self.frame or np.isnan(X.shape[0]))
        self.lengths = np.array(X.chunks[0]) if self.foreseen else np.empty(0, np.int64)

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
        if self.columns.coded:
            return 8 * int(self.X.shape[1])
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
        surveys = [
            self.runner.call(summarize, self.parts[s], self.columns)
            for s in self._handfuls()
        ]
        found, *labels = self.runner.compute(
            [self._together(surveys), *self._label_tasks()]
        )
        total = self._judged(found)
        return total, *self._encoded(labels, total.n, ordered=ordered)

    def labels(self, *, ordered: bool) -> tuple[NDArray[np.integer], NDArray[Any]]:
        """Class codes and classes, if it is known how many rows there are."""
        n = int(self.lengths.sum())
        self._refuse_few(n)
        tasks = self._label_tasks()
        labels = self.runner.compute(tasks) if tasks else []
        return self._encoded(labels, n, ordered=ordered)

    def look_at(self, blocks: list[Any]) -> Summary:
        """What X is like, of which there are blocks already."""
        surveys = [
            self.runner.call(summarize_block, block, self.columns) for block in blocks
        ]
        if len(surveys) > HANDFUL:
            surveys = [self._together(surveys)]
        found = join(self.runner.compute(surveys), self.columns)
        return self._judged(found._replace(lengths=self.lengths))

    def _together(self, surveys: list[Any]) -> Any:
        return self.runner.tree(partial(join, columns=self.columns), surveys)

    def _label_tasks(self) -> list[Any]:
        """Tasks that look at labels, if these are not at hand."""
        if not hasattr(self.y, "to_delayed"):
            return []
        parts = np.ravel(self.y.to_delayed())
        return [self.runner.call(label_part, part) for part in parts]

    def _judged(self, found: Survey) -> Summary:
        """What is known of all rows, if these can be worked on."""
        self.lengths, total, self.known = found
        self._refuse_few(total.n if total else 0)
        assert total is not None
        total = self._with_numbers(total)
        self._refuse_gaps(total)
        return total.with_values(self.known)

    def _with_numbers(self, total: Summary) -> Summary:
        """Decide which columns of objects are numbers, now that their values are known.

        Such columns have no codes any more, and a place in the summary instead.
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
                "taken as nominal. Dask makes text of columns of objects, unless "
                "dataframe.convert-string is off. Convert with X.astype(float), or "
                "list names among them in categorical_features."
            )
        self.columns = self.columns.without(numbers)
        return total.with_numbers(numbers)

    def _encoded(
        self, labels: list[Labels], n: int, *, ordered: bool
    ) -> tuple[NDArray[np.integer], NDArray[Any]]:
        """Class codes and classes; ``labels`` are those of the parts of a lazy y."""
        if labels:
            found = sum(len(part.codes) + part.gone for part in labels)
            self._refuse_other_length(found, n)
            return join_labels(labels, self.name, ordered=ordered)
        self._refuse_other_length(len(self.y), n)
        codes, classes = encode(self.y, self.name, ordered=ordered)
        return codes.astype(_code_type(len(classes))), classes

    def _refuse_other_length(self, found: int, n: int) -> None:
        if found != n:
            raise ValueError(
                f"{self.name} needs one label for each row, but X has {n} rows "
                f"and y has {found}."
            )

    def _refuse_few(self, n: int) -> None:
        if n < 2:
            raise ValueError(f"{self.name} needs at least 2 rows, got {n}.")

    def _refuse_gaps(self, total: Summary) -> None:
        for what, counts in (("NaN", total.gaps), ("infinity", total.endless)):
            if what == "NaN" and self.mixed:
                continue
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
                    f"{what} {', '.join(shown)}. Fill these in, leave out such rows or "
                    "columns first"
                    + (f", or use {', '.join(MIXED)}." if what == "NaN" else ".")
                )

    def blocks(self, codes: NDArray[np.integer], rows: int) -> tuple[Ints, list[Any]]:
        """First row of each block, and blocks of about as many rows, to be computed."""
        firsts, blocks, first = [], [], 0
        size = 64 * sum(len(values) for values, _ in self.known.values())
        codes_of = {f: values.codes() for f, values in self.known.items()}
        code = self.runner.constant(Code(self.columns, codes_of), size)
        pieces_of = cut(self.lengths, rows)
        uses = Counter(p for pieces in pieces_of for p, _, _ in pieces)
        alone = [p for p in uses if uses[p] == 1]
        sources = dict(enumerate(self.parts))
        made_there = self.runner.inside([self.parts[p] for p in alone])
        sources.update(zip(alone, made_there, strict=True))
        for pieces in pieces_of:
            parts = [sources[p] for p, _, _ in pieces]
            limits = [(lo, hi) for _, lo, hi in pieces]
            n = sum(hi - lo for lo, hi in limits)
            labels = codes[first : first + n]
            blocks.append(
                self.runner.call(assemble, parts, limits, first, labels, code)
            )
            firsts.append(first)
            first += n
        return np.array(firsts), blocks
