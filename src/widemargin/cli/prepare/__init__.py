"""From a table as it is in a file to features and classes that methods can work with.

Facts about the columns are gathered, a plan is made of them, and the plan is applied:
to a table in memory, or to each partition of a Dask frame. Everything that is changed
or left out on the way is noted, one sentence each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from widemargin.cli.columns import is_plain
from widemargin.cli.options import DataOptions as DataOptions
from widemargin.cli.prepare.features import (
    Facts,
    apply,
    codes_of,
    gather,
    is_lazy,
    plan_features,
    without_tokens,
)
from widemargin.cli.prepare.roles import (
    Roles,
    find_groups,
    find_roles,
    say_if_features_are_rows,
    time_order,
    without_target,
)
from widemargin.cli.prepare.target import (
    MOST_CLASSES,
    check_target,
    class_counts,
    plan_target,
    read_several,
)
from widemargin.cli.problem import Problem, listed, plural
from widemargin.cli.reading import Source, read
from widemargin.cli.reading.guards import check_room
from widemargin.cli.reading.lazy import open_lazily
from widemargin.cli.session import faults
from widemargin.data.frames import has_sparse_columns
from widemargin.data.kinds import NUMBER, kind
from widemargin.data.quality import (
    codes_for_missing,
    is_called_identifier,
    numbers_rows,
)
from widemargin.data.read import beyond_covariates, read_dataset
from widemargin.threads import spans


@dataclass(frozen=True)
class Dataset:
    """Features and target, ready for a selector: frames of pandas or of Dask."""

    name: str
    target: str
    X: Any
    y: Any
    raw: Any  # as it is in the file
    notes: list[str]
    source: Source
    n_lines: int  # rows of the file, including those without a target
    counts: dict[str, int]  # rows of each class, in the order of the classes
    task: str  # what y holds
    nominal: list[str]  # features that hold categories
    missing: list[str]  # features that have missing values
    constant: list[str]  # features that are the same in every row
    kept: tuple[str, ...]  # columns to carry along
    groups: Any = None  # one for each row
    weights: Any = None  # likewise
    lines: Any = None  # number of each row in the file, from 0; None on Dask
    several: tuple[str, ...] = ()  # targets, if there is more than one
    # Some columns of the file, a few rows after the other; None if it is in memory.
    parts: Callable[[list[str]], Iterator[pd.DataFrame]] | None = None
    feature_groups: Any = None  # columns that are one feature
    covariates: Any = None  # what the features are to tell something beyond

    def read_as(self, name: str, *, sparse: bool = False, beyond: bool = True) -> Any:
        """The table in memory as the library reads it; ``name`` begins its messages.

        Whether the target has classes was seen when the file was read. Sparse columns
        are made dense, if there is room, unless they may stay ``sparse``; groups of
        columns and covariates need them dense. What covariates explain is taken out,
        unless ``beyond`` is False.
        """
        X = self.X
        sparse &= self.feature_groups is None and self.covariates is None
        if not sparse and has_sparse_columns(X):
            n, d = X.shape
            check_room(f"{self.name}, {n} × {d} cells without gaps,", n * d * 8)
            X = X.sparse.to_dense()
        data = read_dataset(
            X,
            self.y,
            name,
            task=self.task,
            look=False,
            sample_weight=self.weights,
            sparse=sparse,
        )
        data = data.grouped(self.feature_groups, name)
        return beyond_covariates(data, self.covariates if beyond else None, name)

    @property
    def numeric(self) -> bool:
        """Whether y is a target to predict, and not a class."""
        return self.task != "classification"

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of the columns that y is made of."""
        return self.several or (self.target,)

    @property
    def n_rows(self) -> int:
        """Rows that have a target."""
        return len(self.y) if self.numeric else sum(self.counts.values())

    @property
    def features(self) -> list[str]:
        """Names of the features."""
        return [str(name) for name in self.X.columns]

    @property
    def described(self) -> str:
        """The target in a few words."""
        if self.several:
            return f"{self.task} of {listed(list(self.several))}"
        if self.numeric:
            low, middle, high = self.y.min(), self.y.median(), self.y.max()
            return (
                f"numbers in {self.target!r} ({low:g} to {high:g}, median {middle:g})"
            )
        classes = [f"{label}: {n}" for label, n in self.counts.items()]
        more = [f"{len(classes) - 4} more"] if len(classes) > 4 else []
        shown = ", ".join([*classes[:4], *more])
        return f"{len(classes)} classes of {self.target!r} ({shown})"


def load(path: str, options: DataOptions) -> Dataset:
    """Read a file and make it ready."""
    source = read(path, options.request, options.format)
    return prepare("stdin" if path == "-" else path, source, options)


def load_lazily(path: str, options: DataOptions) -> Dataset:
    """Open a file that Dask reads part by part, and plan what makes it ready."""
    with faults(path):
        unread = (*options.drop, *options.keep)
        source = open_lazily(path, options.request, options.format, unread)
        return prepare(path, source, options)


def prepare(name: str, source: Source, options: DataOptions) -> Dataset:
    """Find the target, turn text into numbers or categories, leave out what is none."""
    notes, raw = list(source.notes), source.frame
    in_memory = not is_lazy(raw)
    if in_memory:
        raw.columns = raw.columns.map(str)
    roles = find_roles(source, options, notes)
    frame: Any = raw
    if options.missing:
        frame = apply(raw, partial(without_tokens, tokens=options.missing))
    target = roles.target
    numbers = [] if options.keep_ids else _called_identifiers(frame, roles.features)
    seen = gather(frame[[target, *numbers]], [target], numbers, MOST_CLASSES + 1)
    if not seen.n_rows:
        raise Problem(f"{name} has {len(raw.columns)} columns but no rows.")
    say_if_features_are_rows(source, seen.n_rows, notes)
    keys = [n for n in numbers if _identifies(n, seen.first[n], frame)]
    rows = frame
    targets = [*roles.several] or [target]
    gone = seen.missing[target]
    if roles.several:
        if not in_memory:
            raise Problem("several targets, or --event, need --engine local.")
        gone = int(frame[targets].isna().any(axis=1).sum())
    if gone:
        notes.append(f"{plural(gone, 'row')} without a target left out.")
        rows = frame.dropna(subset=targets)
    X, counts = rows[roles.features], dict[str, int]()
    if roles.several:
        y, task = read_several(rows[targets], options, notes)
    else:
        options, named = without_target(options, target)
        values, decimal = seen.counts[target], source.decimal
        make, counts = plan_target(
            values, options, decimal, notes, named=named, in_memory=in_memory
        )
        y = apply(rows[target], make)
        task = "classification" if counts else "regression"
    numeric = task != "classification"
    if options.sample is not None and options.sample < len(y):
        X, y = _drawn(X, y, options, numeric, notes)
        counts = {} if numeric else class_counts(y.value_counts(sort=False))
    classes = y if in_memory and not (numeric or options.keep_ids) else None
    plan = plan_features(X, keys, classes, options, source)
    plan.say(notes)
    kept = list(plan.gaps)
    X = apply(X[kept] if len(kept) < len(X.columns) else X, plan)
    if not roles.several:
        check_target(y, counts, name, numeric)
    if in_memory:
        _check_cells(X, y, name, plan.constant, numeric, notes)
    _check_image(X, options)
    groups = weights = lines = covariates = None
    if in_memory:
        X, y, groups, weights, lines = _arranged(X, y, frame, roles)
        if roles.covariates:
            covariates = frame[roles.covariates].loc[lines]
    return Dataset(
        name=name,
        target=target,
        X=X,
        y=y,
        raw=raw,
        notes=notes,
        source=source,
        n_lines=seen.n_rows,
        counts=counts,
        task=task,
        nominal=plan.nominal,
        missing=plan.missing,
        constant=plan.constant,
        kept=roles.keep,
        groups=groups,
        covariates=covariates,
        feature_groups=find_groups(options.feature_groups, raw.columns, X.columns),
        weights=weights,
        lines=lines,
        several=roles.several,
        parts=None if in_memory else partial(_parts, name, raw, target, seen),
    )


def _called_identifiers(frame: Any, features: list[str]) -> list[str]:
    """Columns of numbers that may count or identify the rows, going by their names."""
    types = zip(map(str, frame.columns), frame.dtypes, strict=True)
    numbers = {name for name, dtype in types if kind(dtype) == NUMBER}
    return [n for n in features if n in numbers and is_called_identifier(n)]


def _identifies(name: str, values: pd.Series[Any], frame: Any) -> bool:
    """Whether numbers count or identify the rows of a frame."""
    codes, found = pd.factorize(values)
    return numbers_rows(name, codes, np.asarray(found, np.float64), codes_of(frame))


def _drawn(
    X: pd.DataFrame,
    y: pd.Series[Any],
    options: DataOptions,
    numeric: bool,
    notes: list[str],
) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Rows in file order, drawn from each class in proportion to its size.

    Where the target is numeric, every row is equally likely.
    """
    n, count = len(y), int(options.sample or 0)
    codes = np.zeros(n, np.int64)
    if not numeric:
        codes = np.unique(np.asarray(y).astype(str), return_inverse=True)[1]
    by_class = np.lexsort((np.random.default_rng(options.seed).random(n), codes))
    rows = np.sort(by_class[np.arange(count) * n // count])
    notes.append(f"{count} of {n} rows drawn (--sample).")
    return X.iloc[rows], y.iloc[rows]


def _check_cells(
    X: pd.DataFrame,
    y: pd.Series[Any],
    name: str,
    constant: list[str],
    numeric: bool,
    notes: list[str],
) -> None:
    """Refuse infinite numbers and constant tables; note codes for missing values."""
    if numeric:
        Y = y.to_frame() if y.ndim == 1 else y
        _say_codes(list(map(str, Y.columns)), Y.to_numpy(), notes)
    if has_sparse_columns(X):
        return  # as a reader made them, of finite numbers
    # An array of a table of plain numbers need not be a copy.
    plain = all(is_plain(dtype) and dtype.kind != "b" for dtype in X.dtypes)
    numbers = X if plain else X.select_dtypes("number")
    values = X.to_numpy() if plain else numbers.to_numpy(np.float64, na_value=np.nan)
    infinite = np.isinf(values)
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise Problem(
            f"{name} has an infinite value in column {numbers.columns[column]!r}, "
            f"row {X.index[row] + 1} (--missing inf,-inf treats it as missing)."
        )
    _say_codes([str(n) for n in numbers.columns], values, notes)
    if len(constant) == X.shape[1]:
        raise Problem(
            f"{name} has nothing to select from: all {X.shape[1]} features are "
            "constant."
        )


def _say_codes(names: list[str], values: Any, notes: list[str]) -> None:
    """Say which numbers may stand for missing values."""
    found: dict[str, list[str]] = {}
    for f, codes in codes_for_missing(values).items():
        for code in codes:
            found.setdefault(f"{code:.15g}", []).append(names[f])
    if found:
        where = [f"{code} in {listed(columns)}" for code, columns in found.items()]
        them = "it" if len(found) == 1 else "them"
        notes.append(
            f"probably a code for missing values: {', '.join(where)}, repeated and far "
            f"from all other values (--missing {','.join(found)} treats {them} as "
            "missing, in all columns)."
        )


def _check_image(X: Any, options: DataOptions) -> None:
    """Refuse features that are not as many as the image has pixels."""
    if options.image_shape is None:
        return
    height, width = options.image_shape
    count = len(X.columns)
    if height * width != count:
        raise Problem(
            f"--image-shape {height}x{width} has {height * width} pixels, but the "
            f"data have {plural(count, 'feature')}."
        )


def _arranged(
    X: pd.DataFrame, y: pd.Series[Any], frame: pd.DataFrame, roles: Roles
) -> tuple[pd.DataFrame, pd.Series[Any], Any, Any, Any]:
    """Features, target, groups, weights and numbers of rows, in order of time."""
    if roles.time is not None:
        order = time_order(frame[roles.time].loc[X.index], roles.time)
        X, y = X.iloc[order], y.iloc[order]
    groups = weights = None  # The index of the features tells the row in the file.
    if roles.groups is not None:
        groups = frame[roles.groups].loc[X.index].to_numpy(object)
    if roles.weights is not None:
        given = frame[roles.weights].loc[X.index]
        weights = pd.to_numeric(given, errors="coerce").to_numpy(float)
        if (wrong := ~((weights >= 0) & (weights < np.inf))).any():
            raise Problem(
                f"--weights: {roles.weights!r} needs a number of at least 0 in every "
                f"row, got {given[wrong].iloc[0]} in row {X.index[wrong][0] + 1}."
            )
    lines = X.index.to_numpy()
    X.index = y.index = pd.RangeIndex(len(y))
    return X, y, groups, weights, lines


def _parts(
    name: str, raw: Any, target: str, seen: Facts, columns: list[str]
) -> Iterator[pd.DataFrame]:
    """Some columns of the file, a few rows after the other.

    The target has one type in all of them, that also holds missing values.
    """
    from widemargin.engine.dask.cluster import Cluster

    values = seen.counts[target].index
    dtype = getattr(values, "categories", values).dtype
    if dtype.kind in "biu" and seen.missing[target]:
        dtype = object
    cluster = Cluster("widemargin")
    parts = raw[columns].to_delayed()
    threads, _ = cluster.size()
    for some in spans(len(parts), threads):
        with faults(name):
            found = cluster.compute(parts[some])
        for part in found:
            yield part.astype({target: dtype})
