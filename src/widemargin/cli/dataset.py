"""From a table as it is in a file to features and classes that methods can work with.

Whatever is changed or left out on the way is noted, one sentence each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from widemargin.cli.aside import set_aside
from widemargin.cli.columns import (
    as_categories,
    as_feature,
    find_column,
    find_columns,
    is_identifier,
    is_plain,
)
from widemargin.cli.problem import Problem, listed
from widemargin.cli.reading import Source, Wishes, read
from widemargin.cli.target import to_classes

if TYPE_CHECKING:
    import pandas as pd

# Names of columns that may count the rows, and of those that may hold a key of each.
NUMBERING = re.compile(
    r"(.*[ _-])?(id|index|idx|row|number|nr|no|#)\.?|(unnamed: |column )\d+",
    re.IGNORECASE,
)
KEYS = re.compile(
    r"(?i:(.*[ _.-])?(id|uid|uuid|guid|pk|key))|.*[a-z](Id|ID)|(?i:index|idx|row)"
    r"|(?i:(unnamed: |column )\d+)"
    r"|(?i:(account|case|client|customer|employee|event|item|member|order|passenger"
    r"|patient|person|product|record|row|sample|session|student|subject|user)id)"
)

# Why columns are left out.
DATES = "dates of which some cannot be read"
EMPTY = "no values"
IDS = "every row has a value of its own (--keep-ids keeps such columns)"


@dataclass(frozen=True)
class DataOptions:
    """What the user says about the data; see `options` for each."""

    target: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    ordinal: tuple[str, ...] = ()
    bins: int | None = None
    sample: int | None = None
    keep_ids: bool = False
    header: bool | None = None
    format: str | None = None
    sheet: str | None = None
    image_shape: tuple[int, int] | None = None
    image_order: Literal["C", "F"] = "C"
    seed: int = 0
    keep: tuple[str, ...] = ()
    groups: str | None = None
    time: str | None = None

    @property
    def wishes(self) -> Wishes:
        """What of it is for the reader of the file."""
        return Wishes(self.target, self.missing, self.header, self.sheet)


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

    @property
    def n_rows(self) -> int:
        """Rows that have a class."""
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
        """Rows of each class, in the order of the classes."""
        return class_counts(self.y.value_counts(sort=False))


def load(path: str, options: DataOptions) -> Dataset:
    """Read a file and make it ready."""
    source = read(path, options.wishes, options.format)
    return prepare("stdin" if path == "-" else path, source, options)


def prepare(name: str, source: Source, options: DataOptions) -> Dataset:
    """Find the target, turn text into numbers or categories, leave out what is none."""
    notes = list(source.notes)
    frame = source.frame
    frame.columns = frame.columns.map(str)
    target = find_target(source, options.target, notes)
    dropped = find_columns(options.drop, frame.columns, "--drop")
    if target in dropped:
        raise Problem(f"the target, {target!r}, cannot be dropped.")
    raw = frame
    if options.missing:
        frame = without_tokens(frame, options.missing)
    aside = set_aside(options, frame.columns, target)
    y, X = frame[target], frame.drop(columns=[target, *dropped, *aside.names])
    present = y.notna().to_numpy()
    if not present.all():
        X, y = X[present], y[present].reset_index(drop=True)
        notes.append(without_target(int((~present).sum())))
    options, named = told_of_target(options, target)
    y = to_classes(y, options, notes, named=named)
    if options.sample is not None and options.sample < len(y):
        rows = _stratified(y, options.sample, options.seed)
        notes.append(f"{len(rows)} of {len(y)} rows drawn (--sample).")
        X, y = X.iloc[rows], y.iloc[rows].reset_index(drop=True)
    X = _features(X, source, options, notes)  # its index tells the row in the file
    constant = _check(X, y, name)
    check_image(X, options)
    groups, order = aside.rows(frame, X.index)
    X.index = y.index
    if order is not None:
        X, y = (part.iloc[order].reset_index(drop=True) for part in (X, y))
    return Dataset(name, target, X, y, raw, notes, constant, source, aside.keep, groups)


def told_of_target(options: DataOptions, target: str) -> tuple[DataOptions, bool]:
    """What --categorical says of features, and whether it names the target too."""
    texts = [[t] if t == target else t.split(",") for t in options.categorical]
    kept = [[t for t in parts if t.strip() != target] for parts in texts]
    if kept == texts:
        return options, False
    categorical = tuple(",".join(parts) for parts in kept if parts)
    return replace(options, categorical=categorical), True


def find_target(source: Source, wanted: str | None, notes: list[str]) -> str:
    """Name of the target, the last column if nobody names one."""
    if source.target is not None:
        return source.target
    if wanted is not None:
        return find_column(wanted, source.frame.columns, "--target")
    last = str(source.frame.columns[-1])
    notes.append(f"the last column, {last!r}, is the target (--target names another).")
    return last


def without_target(count: int) -> str:
    """Say how many rows do not count."""
    return f"{plural(count, 'row')} without a target left out."


def _stratified(y: pd.Series[Any], count: int, seed: int) -> Any:
    """Rows in file order, drawn from each class in proportion to its size."""
    import numpy as np

    _, codes = np.unique(np.asarray(y).astype(str), return_inverse=True)
    by_class = np.lexsort((np.random.default_rng(seed).random(len(y)), codes))
    return np.sort(by_class[np.arange(count) * len(y) // count])


def _features(
    X: pd.DataFrame, source: Source, options: DataOptions, notes: list[str]
) -> pd.DataFrame:
    """Columns as numbers or categories; those that are neither are left out."""
    raw, decimal = source.frame, source.decimal
    categorical = find_columns(options.categorical, X.columns, "--categorical")
    empty = X.columns[X.isna().all().to_numpy()]
    out: dict[str, list[str]] = {EMPTY: list(empty), DATES: []}
    ids: list[str] = [] if options.keep_ids else _identifiers(X, raw)
    changed: dict[str, Any] = {}
    remarks: dict[str, list[str]] = {}
    # Plain numbers stay as they are; there may be thousands of such columns.
    for name in X.columns[[not is_plain(dtype) for dtype in X.dtypes]]:
        if name in categorical or name in empty:
            continue
        column = as_feature(X[name], decimal, remarks)
        if column is None:
            out[DATES].append(name)
        elif is_identifier(column) and not options.keep_ids:
            ids.append(name)
        else:
            changed[name] = column
    changed |= {name: as_categories(X[name]) for name in categorical}
    ids = [name for name in ids if name not in categorical]
    out[IDS] = ids
    say_left_out(out, notes)
    notes += [f"{remark}, in {listed(names)}." for remark, names in remarks.items()]
    nominal = [n for n, column in changed.items() if str(column.dtype) == "category"]
    say_categories(nominal, notes)
    refuse_nothing_left(X.shape[1], out)
    if any(out.values()):
        X = X.drop(columns=[name for names in out.values() for name in names])
    X = X.assign(**changed) if changed else X
    say_missing(dict(X.isna().sum()), len(X), notes)
    return X


def _identifiers(X: pd.DataFrame, raw: pd.DataFrame) -> list[str]:
    """Columns of whole numbers that count or identify rows, and are called so."""
    kinds = {n: getattr(t, "kind", "O") for n, t in zip(X, X.dtypes, strict=True)}
    numbers = [name for name, kind in kinds.items() if kind in "iuf"]
    counting = [n for n in numbers if NUMBERING.fullmatch(n) and _count(raw[n])]
    keys = [n for n in numbers if KEYS.fullmatch(n) and are_keys(raw[n])]
    return [name for name in numbers if name in {*counting, *keys}]


def _count(column: pd.Series[Any]) -> bool:
    return bool((column.diff()[1:] == 1).all())


def are_keys(column: pd.Series[Any]) -> bool:
    """Whether each row has a whole number of its own."""
    there = column.dropna()
    return len(there) > 2 and there.is_unique and bool((there % 1 == 0).all())


def without_tokens(X: pd.DataFrame, tokens: tuple[str, ...]) -> pd.DataFrame:
    """Mask the words and numbers that stand for a missing value, such as -999."""
    numbers = []
    for token in tokens:
        try:
            numbers.append(float(token))
        except ValueError:
            continue
    return X.mask(X.isin([*tokens, *numbers]))


def say_left_out(out: Mapping[str, list[str]], notes: list[str]) -> None:
    """Say which columns do not count, by the reasons for it."""
    for why, names in out.items():
        if names:
            notes.append(f"left out {listed(names)}: {why}.")


def refuse_nothing_left(count: int, out: Mapping[str, list[str]]) -> None:
    """Refuse a table of which, of ``count`` features, all are left out."""
    if sum(map(len, out.values())) < count:
        return
    why = [f"{listed(names)}: {reason}" for reason, names in out.items() if names]
    left_out = f"; left out {'; '.join(why)}" if why else ""
    raise Problem(f"there are no features left besides the target{left_out}.")


def say_categories(names: list[str], notes: list[str]) -> None:
    """Say which columns hold categories."""
    if names:
        notes.append(f"taken as categories: {listed(names)}.")


def say_missing(gaps: Mapping[str, int], n_rows: int, notes: list[str]) -> None:
    """Say how many cells are missing, given those of each column."""
    names = [name for name, count in gaps.items() if count]
    if names:
        share = f"{sum(gaps.values())} of {n_rows * len(gaps)} cells"
        notes.append(f"{share} are missing, in {listed(names)}.")


def _check(X: pd.DataFrame, y: pd.Series[Any], name: str) -> list[str]:
    """Refuse what no method can work with; return the features that are constant."""
    import numpy as np

    check_classes(class_counts(y.value_counts(sort=False)), name)
    numeric, values = X, X.to_numpy() if _is_plain_table(X) else None
    if values is None:
        numeric = X.select_dtypes("number")
        values = numeric.to_numpy(np.float64, na_value=np.nan)
    infinite = np.isinf(values)
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise Problem(
            f"{name} has an infinite value in column {numeric.columns[column]!r}, "
            f"row {X.index[row] + 1} (--missing inf,-inf takes it as missing)."
        )
    same = np.fmin.reduce(values, axis=0) == np.fmax.reduce(values, axis=0)
    found = set(numeric.columns[same])
    others = X.columns.difference(numeric.columns, sort=False)
    found |= {n for n in others if X[n].nunique(dropna=True) < 2}
    if len(found) == X.shape[1]:
        raise Problem(
            f"{name} leaves no choice: all {X.shape[1]} features are constant."
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


def check_classes(counts: Mapping[str, int], name: str) -> None:
    """Refuse classes among which there is nothing to compare."""
    if len(counts) < 2:
        (label,) = counts
        raise Problem(f"{name} has one class only, {label!r}; two are needed.")
    if max(counts.values()) < 2:
        raise Problem(
            f"{name} has {len(counts)} rows and a class for each: at least one class "
            "needs two rows, to have a neighbour of its own class."
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


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """A count with its noun."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def summary(counts: Iterable[tuple[str, int]], most: int = 4) -> str:
    """Classes and how many rows they have, in a few words."""
    pairs = [f"{label}: {n}" for label, n in counts]
    more = [f"{len(pairs) - most} more"] if len(pairs) > most else []
    return ", ".join([*pairs[:most], *more])
