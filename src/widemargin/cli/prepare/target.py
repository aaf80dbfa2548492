"""The target as classes, as numbers to predict, or several targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from shlex import quote
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from widemargin.cli.columns import Lookup, find_columns, to_floats
from widemargin.cli.numerals import parse
from widemargin.cli.options import DataOptions
from widemargin.cli.prepare.features import say_spellings
from widemargin.cli.problem import Problem, did_you_mean, listed
from widemargin.cli.reading import Source
from widemargin.cli.reading.source import without_points
from widemargin.data.quality import hardly_repeat, is_called_identifier
from widemargin.data.targets import MANY_NUMBERS, is_measurement, may_be_measurement

FEWEST_GRADES, MOST_GRADES = 4, 12  # numbers of classes that may be grades
MOST_CLASSES = 10_000  # of a table that is not in memory
# Texts of an event, or of a label.
HAPPENED = {"true": 1.0, "yes": 1.0, "1": 1.0, "false": 0.0, "no": 0.0, "0": 0.0}


def plan_target(
    counts: pd.Series[Any],
    options: DataOptions,
    decimal: str,
    notes: list[str],
    *,
    named: bool,
    in_memory: bool,
) -> tuple[Callable[[pd.Series[Any]], pd.Series[Any]], dict[str, int]]:
    """What becomes of the target, given the number of rows of each value.

    Returns the function that makes classes, or numbers to predict, of a column, and the
    number of rows of each class, which is empty for numbers. If ``named``, numbers are
    names. Numbers are predicted in memory only.
    """
    found = _Values(counts, options, notes)
    values = np.asarray(counts.index, dtype=object)
    as_classes = options.bins is not None or bool(options.ordinal) or named
    if in_memory and options.task == "regression" and as_classes:
        raise Problem(
            "--task regression predicts numbers; --bins, --ordinal and --categorical "
            "make classes of them."
        )
    if not len(counts):
        raise Problem(f"the target, {found.name!r}, is missing in every row.")
    if not in_memory and len(counts) > MOST_CLASSES:
        raise Problem(
            f"the target, {found.name!r}, has more than {MOST_CLASSES} distinct "
            "values; it should hold classes (--target names another column)."
        )
    classified = options.task == "classification"
    if in_memory and not (named or options.ordinal or classified):
        found.read_numbers(decimal)
    found.y = _plain(found.y)
    if in_memory and not (as_classes or classified) and found.are_predicted():
        plain = counts.index.dtype.kind in "iuf"
        lookup = Lookup(values, found.y.to_numpy("float64"))
        return to_floats if plain else lookup, {}
    classes = found.classes(named=named)
    sizes = counts.reset_index(drop=True).groupby(classes, observed=True).sum()
    return Lookup(values, classes.values), class_counts(sizes)


def class_counts(sizes: pd.Series[Any]) -> dict[str, int]:
    """Rows of each class, in the order of the classes."""
    if str(sizes.index.dtype) != "category":
        sizes = sizes.sort_index()
    return {str(label): int(n) for label, n in sizes.items() if n}


def check_target(y: Any, counts: Mapping[str, int], name: str, numeric: bool) -> None:
    """Refuse numbers that cannot be predicted, or classes that cannot be compared."""
    if numeric:
        if np.isinf(y).any():
            raise Problem(
                f"{name} has an infinite value in the target, {str(y.name)!r}."
            )
        if y.nunique() < 2:
            raise Problem(
                f"{name}: the target, {str(y.name)!r}, is {y.iloc[0]:g} in every row."
            )
    elif len(counts) < 2:
        (label,) = counts
        raise Problem(f"{name} has only one class, {label!r}; at least two are needed.")
    elif max(counts.values()) < 2:
        raise Problem(
            f"{name} has {len(counts)} rows, each of a different class: at least one "
            "class needs two rows, so that a row has a neighbour of its own class."
        )


def find_positive(wanted: str | None, dataset: Any) -> Any:
    """The class that is written so; None if none is wanted."""
    if wanted is None:
        return None
    if len(dataset.counts) != 2:
        what = "numbers" if dataset.numeric else f"{len(dataset.counts)} classes"
        raise Problem(f"--positive is for two classes; {dataset.target!r} has {what}.")
    labels = {str(label): label for label in dataset.y.unique()}
    if wanted not in labels:
        raise Problem(
            f"--positive: {dataset.target!r} has no class {wanted!r}."
            f"{did_you_mean(wanted, list(labels))} Its classes are: "
            f"{listed(sorted(labels))}."
        )
    return labels[wanted]


def find_several(source: Source, options: DataOptions) -> tuple[str, ...]:
    """Columns of event and time, or of several targets; () if there is one."""
    columns = [str(name) for name in source.frame.columns]
    lifetime = options.lifetime or options.time
    if options.event is None:
        if options.lifetime is not None:
            raise Problem("--time needs --event, the column of the events.")
        wanted = options.target
        if wanted is None or "," not in wanted or wanted in columns:
            return ()
        found = find_columns((wanted,), columns, "--target")
    elif lifetime is None or options.target is not None:
        raise Problem("--event needs --time, the column of the times, and no --target.")
    else:
        found = find_columns((options.event,), columns, "--event")
        found += find_columns((lifetime,), columns, "--time")
    if len(set(found)) < 2 or options.bins or options.ordinal:
        raise Problem(
            f"several targets are numbers in different columns, got {listed(found)}"
            f"{'' if len(set(found)) < 2 else ' with --bins or --ordinal'}."
        )
    return tuple(found)


def read_several(
    rows: pd.DataFrame, options: DataOptions, notes: list[str]
) -> tuple[pd.DataFrame, str]:
    """The targets as numbers, and the task that they are for."""
    y = rows.apply(_true_as_1)
    if options.event is not None:
        if not y.iloc[:, 0].isin((0, 1)).all():
            raise Problem(
                f"--event: {y.columns[0]!r} needs 1, true or yes where the event "
                "happened, and 0, false or no where the row is censored."
            )
        return y, "survival"
    labels = y.isin((0, 1)).all(axis=None) and options.task != "regression"
    if labels:
        notes.append(
            f"{listed(list(y.columns))} hold 0 and 1 and are labels of which a row may "
            "have several (--task regression takes them as numbers)."
        )
    if options.task == "classification" and not labels:
        raise Problem("--task classification needs one target, or labels of 0 and 1.")
    return y, "multilabel" if labels else "regression"


class _Values:
    """Distinct values of the target with the rows of each, and what is asked of them.

    Numbers in text may be written in several ways, and then are not distinct.
    """

    def __init__(
        self, counts: pd.Series[Any], options: DataOptions, notes: list[str]
    ) -> None:
        self.y, self.rows = pd.Series(counts.index), counts.to_numpy()
        self.name, self.options, self.notes = str(self.y.name), options, notes

    def read_numbers(self, decimal: str) -> None:
        """Take text that is numbers, such as "$1,200", as these if measured."""
        y, options = self.y, self.options
        if y.dtype.kind not in "OU" and str(y.dtype) != "string":
            return
        found = parse(y.astype(str).str.strip(), decimal)
        asked = options.bins is not None or options.task == "regression"
        if found.values.isna().any() or not (asked or self._measure(found.values)):
            return
        where = f"in the target, {self.name!r}"
        self.notes += [f"{remark}, {where}." for remark in found.remarks]
        self.y = found.values.astype("float64").rename(y.name)

    def are_predicted(self) -> bool:
        """Whether these are numbers to predict: --task says so, or there are many."""
        y, task = self.y, self.options.task
        if y.dtype.kind not in "iuf":
            if task == "regression":
                raise Problem(
                    "--task regression needs a target of numbers; "
                    f"{self.name!r} is text."
                )
            return False
        if task is None and not self._measure(y):
            return False
        if y.nunique() < 2:
            raise Problem(f"the target, {self.name!r}, is {y.iloc[0]:g} in every row.")
        if task is None:
            self.notes.append(
                f"the target, {self.name!r}, is treated as numeric: {y.nunique()} "
                f"distinct values in {self.rows.sum()} rows (--task classification, "
                f"--bins 3 or --categorical {quote(self.name)} treat it as classes)."
            )
        if is_called_identifier(self.name) and hardly_repeat(
            y.nunique(), self.rows.sum()
        ):
            self.notes.append(
                f"the target, {self.name!r}, has a value of its own in (nearly) every "
                "row, as identifiers have: --target names another column."
            )
        return True

    def classes(self, *, named: bool) -> pd.Series[Any]:
        """Classes of the values: text, whole numbers, or ordered categories."""
        if self.options.bins is not None:
            return self._binned(self.options.bins)
        if self.options.ordinal:
            return self._ordered(self.options.ordinal)
        y = without_points(self.y).astype(str) if named else self.y
        if y.dtype.kind in "iuf":
            self._check_numbers()
            if (y % 1 == 0).all():
                self._note_grades()
                return y.astype("int64")
            return y.astype("category").cat.as_ordered()
        n_rows = int(self.rows.sum())
        if y.nunique() == n_rows > 2:
            raise Problem(
                f"the target, {self.name!r}, has a different value in each of {n_rows} "
                "rows; it should hold classes (--target names another column)."
            )
        say_spellings(self.name, y.unique(), "classes", self.notes)
        return y

    def _sizes(self, numbers: pd.Series[Any]) -> NDArray[np.integer]:
        """Rows of each number."""
        return pd.Series(self.rows).groupby(numbers.to_numpy()).sum().to_numpy()

    def _measure(self, numbers: pd.Series[Any]) -> bool:
        """Whether numbers must be a measurement."""
        sizes = self._sizes(numbers)
        whole = bool((numbers % 1 == 0).all())
        return is_measurement(sizes) if whole else len(sizes) > MANY_NUMBERS

    def _binned(self, bins: int) -> pd.Series[Any]:
        y = self.y
        if y.dtype.kind not in "iuf":
            raise Problem(f"--bins needs a target of numbers; {self.name!r} is text.")
        cut, edges = pd.qcut(y.repeat(self.rows), bins, duplicates="drop", retbins=True)
        if len(edges) < bins + 1:
            self.notes.append(
                f"{self.name!r} has ties: {len(edges) - 1} classes, not {bins}."
            )
        names = [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
        return cut[~cut.index.duplicated()].cat.rename_categories(names)

    def _ordered(self, ordinal: tuple[str, ...]) -> pd.Series[Any]:
        labels = without_points(self.y).astype(str)
        found = set(labels)
        unknown = sorted(found.difference(ordinal))
        if unknown:
            raise Problem(
                f"--ordinal {','.join(ordinal)} leaves out {listed(unknown)}, which "
                f"{self.name!r} has."
            )
        kept = [label for label in ordinal if label in found]
        return pd.Series(pd.Categorical(labels, kept, ordered=True), name=labels.name)

    def _note_grades(self) -> None:
        """Note numbers without a gap that may well be grades."""
        low, high = int(self.y.min()), int(self.y.max())
        if FEWEST_GRADES <= self.y.nunique() == high - low + 1 <= MOST_GRADES:
            order = ",".join(map(str, range(low, high + 1)))
            self.notes.append(
                f"the classes of {self.name!r} are the numbers {low} to {high}; if "
                f"they are grades, --ordinal {order} makes use of their order."
            )

    def _check_numbers(self) -> None:
        """Refuse a measurement; note what may be one."""
        sizes, name = self._sizes(self.y), self.name
        m = len(sizes)
        if self._measure(self.y):
            once = int((sizes == 1).sum())
            tail = f", {once} of them in one row only" if once else ""
            raise Problem(
                f"the target, {name!r}, looks like a measurement: {m} distinct numbers "
                f"in {sizes.sum()} rows{tail}. --task regression predicts it (in "
                "memory, not with --engine dask), --bins 3 makes three classes of "
                "equal size, --ordinal takes grades in the order that it lists, "
                f"--categorical {name} takes the numbers as names of classes, --target "
                "names another column."
            )
        if (self.y % 1 == 0).all() and may_be_measurement(sizes):
            self.notes.append(
                f"the target, {name!r}, has {m} distinct numbers, and each is treated "
                "as a class (if it is a measurement, --task regression predicts it, "
                "and --bins 3 makes three classes of equal size)."
            )


def _plain(y: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers as NumPy has them, text as objects, categories as they are."""
    if str(y.dtype) == "category":
        y = y.cat.remove_unused_categories()
        return y if y.cat.ordered else y.astype(object)
    if y.dtype.kind in "iuf":
        return y.astype("float64") if y.dtype.kind == "f" else y.astype("int64")
    if y.dtype.kind == "b":
        return y.astype(bool).astype(object).astype(str)
    return y.astype(str).str.strip()


def _true_as_1(column: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers, or words for true and false as 1 and 0."""
    if column.dtype.kind not in "iufb":
        text = column.astype(str).str.strip().str.lower()
        column = text.map(HAPPENED)
        if column.isna().any():
            raise Problem(
                f"the target {str(column.name)!r} needs numbers, or true and false, "
                f"got {str(text[column.isna()].iloc[0])!r}."
            )
    return column.astype("float64")
