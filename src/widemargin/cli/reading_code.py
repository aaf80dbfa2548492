"""The lines of Python that read a file as the command did."""

from __future__ import annotations

from dataclasses import fields
from glob import has_magic
from pathlib import PurePath
from typing import Any

import pandas as pd

from widemargin.cli.columns import find_column
from widemargin.cli.prepare import DataOptions, Dataset
from widemargin.cli.prepare.features import with_numbers
from widemargin.cli.reading import Request
from widemargin.cli.reading.source import is_whole

READERS = {
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".feather": "read_feather",
    ".arrow": "read_feather",
}


def reading_code(dataset: Dataset, options: DataOptions) -> list[str]:
    """Lines that make X, y, and groups and weights if any, as the command has them."""
    targets, raw = list(dataset.targets), dataset.raw
    arguments = _arguments(dataset, options)
    lines = [*_read(dataset, options, arguments)]
    if options.missing and arguments is None:
        lines.append(f"data = data.mask(data.isin({with_numbers(options.missing)!r}))")
    if raw[targets].isna().any(axis=None) or len(dataset.y) < len(raw):
        lines.append(f"data = data.dropna(subset={targets!r})")
    if options.sample is not None:
        lines.append(f"# Of these rows, {dataset.n_rows} were drawn at random.")
    if options.order is not None:
        column = _column(options.order, dataset)
        lines.append(f"data = data.sort_values({column!r}, kind='stable')")
    if dataset.groups is not None:
        lines.append(f"groups = data[{_column(options.groups, dataset)!r}]")
    if dataset.weights is not None:
        lines.append(f"sample_weight = data[{_column(options.weights, dataset)!r}]")
    features = set(dataset.features)
    columns = (arguments or {}).get("names", [str(name) for name in raw.columns])
    aside = [name for name in columns if name not in features]
    lines.append(f"X = data.drop(columns={aside!r})")
    types = _types(dataset, options)
    y = _targets(dataset) if dataset.several else [_target(dataset, options)]
    if any("as_feature" in line for line in [*types, *y]):
        lines.insert(0, "from widemargin.cli.columns import as_feature")
    return [*lines, *types, *y]


def _column(wanted: str | None, dataset: Dataset) -> str:
    return find_column(str(wanted), dataset.raw.columns, "")


def _arguments(dataset: Dataset, options: DataOptions) -> dict[str, Any] | None:
    """Arguments of `pandas.read_csv`; None if it cannot read the table."""
    reading = dataset.source.reading
    if reading is None or not _is_simple(options):
        return None
    used = [*dataset.features, *dataset.targets]
    codes = [name for name in used if _has_zeros(dataset.raw[name])]
    return {**reading, "dtype": dict.fromkeys(codes, "str")} if codes else reading


def _is_simple(options: DataOptions) -> bool:
    """Whether the table is in the file as it is wanted."""
    return set(_changed(options.request)) <= {"target", "missing", "header"}


def _read(
    dataset: Dataset, options: DataOptions, arguments: dict[str, Any] | None
) -> list[str]:
    """The call that reads the table."""
    name = str(PurePath(dataset.name))
    if arguments is not None:
        given = "".join(f", {k}={v!r}" for k, v in arguments.items())
        if has_magic(name):
            return [
                "from glob import glob",
                f"files = sorted(glob({name!r}, recursive=True))",
                f"tables = [pd.read_csv(file{given}) for file in files]",
                "data = pd.concat(tables, ignore_index=True)",
            ]
        return [f"data = pd.read_csv({name!r}{given})"]
    reader = READERS.get(PurePath(name).suffix.lower())
    if reader and _is_simple(options):
        return [f"data = pd.{reader}({name!r})"]
    # Of other formats pandas would make something else, or nothing.
    given = ", ".join(f"{k}={v!r}" for k, v in _changed(options.request).items())
    how = f", format={options.format!r}" if options.format else ""
    return [
        "from widemargin.cli.reading import Request, read",
        f"data = read({name!r}, Request({given}){how}).frame",
    ]


def _changed(request: Request) -> dict[str, Any]:
    """What a request asks for besides the defaults."""
    given = {f.name: getattr(request, f.name) for f in fields(Request)}
    return {k: v for k, v in given.items() if v != getattr(Request(), k)}


def _is_written(column: pd.Series[Any]) -> bool:
    return column.dtype.kind not in "biufmM" and str(column.dtype) != "category"


def _has_zeros(column: pd.Series[Any]) -> bool:
    """Whether text is digits with leading zeros, which pandas would leave out."""
    if not _is_written(column):
        return False
    text = column.dropna().astype(str).str.strip()
    return bool(text.str.fullmatch(r"\d+").all() and text.str.match(r"0\d").any())


def _has_margins(column: pd.Series[Any]) -> bool:
    """Whether text has white space around it, which does not count."""
    text = column.dropna()
    return _is_written(column) and bool((text != text.astype(str).str.strip()).any())


def _types(dataset: Dataset, options: DataOptions) -> list[str]:
    """What was done to columns that pandas reads as something else."""
    raw, X = dataset.raw, dataset.X
    lines = []
    if codes := [n for n in dataset.nominal if raw[n].dtype.kind in "biuf"]:
        lines.append(f"X = X.astype(dict.fromkeys({codes!r}, 'category'))")
    spelled = [
        str(n)
        for n in X.columns
        if X[n].dtype.kind in "biuf" and raw[n].dtype.kind not in "biuf"
    ]
    if spelled:
        lines += [f"for name in {spelled!r}:"]
        lines += [f"    X[name] = as_feature(X[name]{_decimal(dataset)})"]
    if margins := [n for n in dataset.nominal if _has_margins(raw[n])]:
        lines += [f"for name in {margins!r}:", "    X[name] = X[name].str.strip()"]
    return lines


def _decimal(dataset: Dataset) -> str:
    mark = dataset.source.decimal
    return "" if mark == "." else f", {mark!r}"


def _targets(dataset: Dataset) -> list[str]:
    """Lines that make y of several columns; event and time become an array of both."""
    lines = [f"y = data[{list(dataset.several)!r}].copy()"]
    for name in filter(lambda name: _is_written(dataset.raw[name]), dataset.several):
        plain = f"y[{name!r}].str.strip().str.lower()"
        lines.append(f"y[{name!r}] = {plain}.isin(['true', 'yes', '1'])")
    if dataset.task == "survival":
        event = {dataset.several[0]: "bool"}
        lines.append(f"y = y.astype({event!r}).to_records(index=False)")
    return lines


def _target(dataset: Dataset, options: DataOptions) -> str:
    column, raw = f"data[{dataset.target!r}]", dataset.raw[dataset.target]
    measured = dataset.numeric or options.bins is not None
    if measured and raw.dtype.kind not in "biuf":
        column = f"as_feature({column}{_decimal(dataset)})"
    if options.bins is not None:
        return f"y = pd.qcut({column}, {options.bins}, duplicates='drop')"
    if options.ordinal:
        labels = [str(label) for label in dataset.y.cat.categories]
        whole = ".astype(int)" if raw.dtype.kind == "f" and is_whole(raw) else ""
        names = f"{column}{whole}.astype(str)"
        return f"y = pd.Categorical({names}, {labels!r}, ordered=True)"
    if _has_margins(raw):
        column += ".str.strip()"
    if raw.dtype.kind == "b":
        column += ".astype(str)"
    if str(dataset.y.dtype) == "category" and raw.dtype.kind in "biuf":
        column += ".astype('category').cat.as_ordered()"
    return f"y = {column}"
