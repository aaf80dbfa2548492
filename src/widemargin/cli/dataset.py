"""From a table as it is in a file to features and classes that methods can work with.

Whatever is changed or left out on the way is noted, one sentence each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from widemargin.cli.columns import (
    as_categories,
    as_feature,
    find_columns,
    is_plain,
)
from widemargin.cli.described import say_if_features_are_rows
from widemargin.cli.problem import Problem, listed, plural
from widemargin.cli.reading import Request, Source, read
from widemargin.cli.roles import (
    DATES,
    EMPTY,
    GROUPS,
    IDS,
    KEYS,
    codes_of,
    find_roles,
    identifies,
    may_identify,
    say_codes,
    say_columns,
    say_missing,
    say_spellings,
    sparse,
    told_of_target,
    without_target,
    without_tokens,
)
from widemargin.cli.target import to_classes, to_numbers, written_out

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class DataOptions:
    """What the user says about the data; see `options` for each."""

    target: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    ordinal: tuple[str, ...] = ()
    bins: int | None = None
    task: str | None = None
    sample: int | None = None
    keep_ids: bool = False
    max_missing: float | None = None  # of a feature; None is `NEARLY_EMPTY`
    header: bool | None = None
    format: str | None = None
    sheet: str | None = None
    image_shape: tuple[int, int] | None = None
    image_order: Literal["C", "F"] = "C"
    seed: int = 0
    keep: tuple[str, ...] = ()
    groups: str | None = None
    time: str | None = None
    transpose: bool = False
    labels: str | None = None

    @property
    def request(self) -> Request:
        """What of it is for the reader of the file."""
        return Request(
            self.target,
            self.missing,
            self.header,
            self.sheet,
            transpose=self.transpose,
            labels=self.labels,
            row_names=self.transpose or self.labels is not None,
        )


@dataclass(frozen=True)
class Dataset:
    """Features and classes, ready for a selector."""

    name: str
    target: str
    X: pd.DataFrame
    y: pd.Series[Any]
    raw: pd.DataFrame  # as it is in the file
    notes: list[str]
    constant: list[str] = field(default_factory=list)  # features that are the same
    source: Source | None = None
    kept: tuple[str, ...] = ()  # columns to carry along
    groups: Any = None  # one for each row
    numeric: bool = False  # whether y is a number to predict, and not a class

    @property
    def n_rows(self) -> int:
        """Rows that have a target."""
        return len(self.y)

    @property
    def n_lines(self) -> int:
        """Rows of the file, whether they have a class or not."""
        return len(self.raw)

    @property
    def features(self) -> list[str]:
        """Names of the features."""
        return [str(name) for name in self.X.columns]

    @property
    def nominal(self) -> list[str]:
        """Names of the features that hold categories."""
        types = zip(self.X.columns, self.X.dtypes, strict=True)
        return [str(name) for name, dtype in types if dtype == "category"]

    @property
    def missing(self) -> list[str]:
        """Names of the features that have missing values."""
        return [str(n) for n in self.X.columns[self.X.isna().any().to_numpy()]]

    @property
    def counts(self) -> dict[str, int]:
        """Rows of each class, in the order of the classes; none of numbers."""
        if self.numeric:
            return {}
        return class_counts(self.y.value_counts(sort=False))

    @property
    def described(self) -> str:
        """The target in a few words."""
        if self.numeric:
            low, middle, high = self.y.min(), self.y.median(), self.y.max()
            return (
                f"numbers in {self.target!r} ({low:g} to {high:g}, median {middle:g})"
            )
        return described(self.counts, self.target)


def described(counts: Mapping[str, int], target: str) -> str:
    """Classes in a few words."""
    return f"{len(counts)} classes of {target!r} ({summary(counts.items())})"


def load(path: str, options: DataOptions) -> Dataset:
    """Read a file and make it ready."""
    source = read(path, options.request, options.format)
    return prepare("stdin" if path == "-" else path, source, options)


def prepare(name: str, source: Source, options: DataOptions) -> Dataset:
    """Find the target, turn text into numbers or categories, leave out what is none."""
    notes = list(source.notes)
    frame = source.frame
    frame.columns = frame.columns.map(str)
    target, features, aside = find_roles(source, options, notes)
    say_if_features_are_rows(source, len(frame), notes)
    raw = frame
    if options.missing:
        frame = without_tokens(frame, options.missing)
    ids = [] if options.keep_ids else may_identify(frame[features])
    ids = [n for n in ids if identifies(n, frame[n], codes_of(frame))]
    y, X = frame[target], frame[features]
    present = y.notna().to_numpy()
    if not present.all():
        X, y = X[present], y[present].reset_index(drop=True)
        notes.append(without_target(int((~present).sum())))
    options, named = told_of_target(options, target)
    if not (named or options.ordinal or options.task == "classification"):
        y = written_out(y, options, source.decimal, notes)
    measured = to_numbers(y, options, notes, named=named)
    numeric = measured is not None
    if measured is None:
        measured = to_classes(y, options, notes, named=named)
    y = measured
    if options.sample is not None and options.sample < len(y):
        strata = y * 0 if numeric else y
        rows = _stratified(strata, options.sample, options.seed)
        notes.append(f"{len(rows)} of {len(y)} rows drawn (--sample).")
        X, y = X.iloc[rows], y.iloc[rows].reset_index(drop=True)
    classes = None if numeric or options.keep_ids else y
    # The index of the features tells the row in the file.
    X = _features(X, classes, ids, source.decimal, options, notes)
    constant = _check(X, y, name, numeric, notes)
    check_image(X, options)
    groups, order = aside.rows(frame, X.index)
    X.index = y.index
    if order is not None:
        X, y = (part.iloc[order].reset_index(drop=True) for part in (X, y))
    return Dataset(
        name, target, X, y, raw, notes, constant, source, aside.keep, groups, numeric
    )


def _stratified(y: pd.Series[Any], count: int, seed: int) -> Any:
    """Rows in file order, drawn from each class in proportion to its size."""
    import numpy as np

    _, codes = np.unique(np.asarray(y).astype(str), return_inverse=True)
    by_class = np.lexsort((np.random.default_rng(seed).random(len(y)), codes))
    return np.sort(by_class[np.arange(count) * len(y) // count])


def _features(
    X: pd.DataFrame,
    classes: pd.Series[Any] | None,
    ids: list[str],
    decimal: str,
    options: DataOptions,
    notes: list[str],
) -> pd.DataFrame:
    """Columns as numbers or categories; those that are neither are left out.

    If the classes are given, keys of groups of rows are left out, too.
    """
    import numpy as np

    from widemargin.data.quality import NEARLY_EMPTY, names_rows

    categorical = find_columns(options.categorical, X.columns, "--categorical")
    most = NEARLY_EMPTY if options.max_missing is None else options.max_missing
    missing = X.isna().mean()
    empty = list(X.columns[missing == 1])
    few = [
        n for n in X.columns[(most < missing) & (missing < 1)] if n not in categorical
    ]
    out: dict[str, list[str]] = {EMPTY: empty, sparse(most): few, DATES: []}
    ids = [n for n in ids if n not in {*empty, *few, *categorical}]
    changed: dict[str, Any] = {}
    remarks: dict[str, list[str]] = {}
    # Plain numbers stay as they are; there may be thousands of such columns.
    for name in X.columns[[not is_plain(dtype) for dtype in X.dtypes]]:
        if name in categorical or name in empty or name in few:
            continue
        column = as_feature(X[name], decimal, remarks)
        if column is None:
            out[DATES].append(name)
        elif column.isna().mean() > most:  # marks such as "-" are missing, too
            few.append(name)
        elif (
            str(column.dtype) == "category"
            and not options.keep_ids
            and names_rows(column.cat.codes.to_numpy(np.int64), codes_of(X))
        ):
            ids.append(name)
        else:
            changed[name] = column
    changed |= {name: as_categories(X[name]) for name in categorical}
    out[IDS] = ids
    if classes is not None:
        others = {*empty, *few, *out[DATES], *ids, *categorical}
        keys = [n for n in X.columns if KEYS.fullmatch(n) and n not in others]
        out[GROUPS] = _keys_of_groups(X[keys], classes)
        changed = {n: c for n, c in changed.items() if n not in out[GROUPS]}
    nominal = [n for n, column in changed.items() if str(column.dtype) == "category"]
    say_columns(out, remarks, nominal, X.shape[1], notes)
    for name in nominal:
        say_spellings(name, changed[name].cat.categories, "categories", notes)
    if any(out.values()):
        X = X.drop(columns=[name for names in out.values() for name in names])
    X = X.assign(**changed) if changed else X
    say_missing(dict(X.isna().sum()), len(X), notes)
    return X


def _keys_of_groups(keys: pd.DataFrame, classes: pd.Series[Any]) -> list[str]:
    """Columns, of those that are called keys, that seem to name groups of rows."""
    import pandas as pd

    from widemargin.data.row_groups import names_groups

    y = pd.factorize(classes)[0]
    return [name for name in keys if names_groups(pd.factorize(keys[name])[0], y)]


def _check(
    X: pd.DataFrame, y: pd.Series[Any], name: str, numeric: bool, notes: list[str]
) -> list[str]:
    """Refuse what no method can work with; return the features that are constant."""
    import numpy as np

    if numeric:
        check_numbers(y, name)
        say_codes([str(y.name)], y.to_numpy()[:, None], notes)
    else:
        check_classes(class_counts(y.value_counts(sort=False)), name)
    numbers, values = X, X.to_numpy() if _is_plain_table(X) else None
    if values is None:
        numbers = X.select_dtypes("number")
        values = numbers.to_numpy(np.float64, na_value=np.nan)
    infinite = np.isinf(values)
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise Problem(
            f"{name} has an infinite value in column {numbers.columns[column]!r}, "
            f"row {X.index[row] + 1} (--missing inf,-inf treats it as missing)."
        )
    say_codes([str(n) for n in numbers.columns], values, notes)
    same = np.fmin.reduce(values, axis=0) == np.fmax.reduce(values, axis=0)
    found = set(numbers.columns[same])
    others = X.columns.difference(numbers.columns, sort=False)
    found |= {n for n in others if X[n].nunique(dropna=True) < 2}
    if len(found) == X.shape[1]:
        raise Problem(
            f"{name} has nothing to select from: all {X.shape[1]} features are "
            "constant."
        )
    return [n for n in X.columns if n in found]


def constant_features(names: list[str]) -> str:
    """Say which features cannot matter."""
    count = plural(len(names), "feature is", "features are")
    rank = "ranks" if len(names) == 1 else "rank"
    return f"{count} constant and {rank} last: {listed(names)}."


def _is_plain_table(X: pd.DataFrame) -> bool:
    """Whether an array has the same values without being a copy of a large table."""
    return all(is_plain(dtype) and dtype.kind != "b" for dtype in X.dtypes)


def class_counts(sizes: pd.Series[Any]) -> dict[str, int]:
    """Rows of each class, in the order of the classes."""
    if str(sizes.index.dtype) != "category":
        sizes = sizes.sort_index()
    return {str(label): int(n) for label, n in sizes.items() if n}


def check_numbers(y: pd.Series[Any], name: str) -> None:
    """Refuse numbers that cannot be predicted."""
    import numpy as np

    if np.isinf(y).any():
        raise Problem(f"{name} has an infinite value in the target, {str(y.name)!r}.")
    if y.nunique() < 2:
        raise Problem(
            f"{name}: the target, {str(y.name)!r}, is {y.iloc[0]:g} in every row."
        )


def check_classes(counts: Mapping[str, int], name: str) -> None:
    """Refuse classes among which there is nothing to compare."""
    if len(counts) < 2:
        (label,) = counts
        raise Problem(f"{name} has only one class, {label!r}; at least two are needed.")
    if max(counts.values()) < 2:
        raise Problem(
            f"{name} has {len(counts)} rows, each of a different class: at least one "
            "class needs two rows, so that a row has a neighbour of its own class."
        )


def check_image(X: pd.DataFrame, options: DataOptions) -> None:
    """Refuse features that are not as many as the image has pixels."""
    if options.image_shape is None:
        return
    height, width = options.image_shape
    if height * width != X.shape[1]:
        raise Problem(
            f"--image-shape {height}x{width} has {height * width} pixels, but the "
            f"data have {plural(X.shape[1], 'feature')}."
        )


def summary(counts: Iterable[tuple[str, int]], most: int = 4) -> str:
    """Classes and how many rows they have, in a few words."""
    pairs = [f"{label}: {n}" for label, n in counts]
    more = [f"{len(pairs) - most} more"] if len(pairs) > most else []
    return ", ".join([*pairs[:most], *more])
