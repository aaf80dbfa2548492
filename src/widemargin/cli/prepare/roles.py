"""What the columns of a table are for: target, features, or neither."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from widemargin.cli.columns import find_column, find_columns
from widemargin.cli.numerals import are_dates
from widemargin.cli.options import DataOptions
from widemargin.cli.prepare.target import find_several
from widemargin.cli.problem import Problem, listed
from widemargin.cli.reading import Source
from widemargin.data.kinds import NUMBER, kind

# Options, and the fields with what they name, in the order of `Roles`.
ROLES = {"--groups": "groups", "--time": "order", "--weights": "weights"}
TALL = 20  # times as many rows as columns, if rows are features


class Roles(NamedTuple):
    """Names of columns, by what they are for."""

    target: str
    features: list[str]  # unless something is found to be wrong with them
    keep: tuple[str, ...]  # columns to carry along
    several: tuple[str, ...]  # targets, if there is more than one
    groups: str | None
    time: str | None
    weights: str | None
    covariates: list[str]  # what the features are to tell something beyond


def find_roles(source: Source, options: DataOptions, notes: list[str]) -> Roles:
    """Find the target, and leave out what the user says."""
    columns = [str(name) for name in source.frame.columns]
    dropped = find_columns(options.drop, columns, "--drop")
    keep = find_columns(options.keep, columns, "--keep")
    several = find_several(source, options)
    asked = {option: getattr(options, name) for option, name in ROLES.items()}
    named = {
        option: wanted and _find_described(wanted, source, option)
        for option, wanted in asked.items()
    }
    asked_beyond = [part for text in options.covariates for part in text.split(",")]
    covariates = [
        _find_described(part.strip(), source, "--covariates")
        for part in asked_beyond
        if part.strip()
    ]
    others = {*dropped, *keep, *named.values(), *covariates}
    target, *more = several or [_find_target(source, options.target, others, notes)]
    if target in dropped:
        raise Problem(f"the target, {target!r}, cannot be dropped.")
    for option, name in named.items():
        if name == target:
            raise Problem(f"{option}: {name!r} is the target.")
    _say_unused(source, {*others, target}, notes)
    others |= {target, *more, *(source.about or ())}
    features = [name for name in columns if name not in others]
    kept = tuple(name for name in dict.fromkeys(keep) if name != target)
    groups, time, weights = named.values()
    return Roles(target, features, kept, several, groups, time, weights, covariates)


def find_groups(
    given: Iterable[str], known: Iterable[str], features: Iterable[str]
) -> Any:
    """What --feature-groups means: "prefix", or the features of each group."""
    if tuple(given) == ("prefix",):
        return "prefix"
    groups, known, left = dict[str, list[str]](), list(known), set(features)
    for text in given:
        lines = [text]
        if "=" not in text and Path(text).is_file():
            lines = Path(text).read_text(encoding="utf-8").split("\n")
        for line in filter(None, map(str.strip, lines)):
            name, separator, columns = line.partition("=")
            if not separator:
                raise Problem(
                    f"--feature-groups: {line!r} is neither prefix, nor a file, nor "
                    "NAME=COL,COL."
                )
            found = find_columns((columns,), known, "--feature-groups")
            groups[name.strip()] = [c for c in found if c in left]
    return groups or None


def without_target(options: DataOptions, target: str) -> tuple[DataOptions, bool]:
    """What --categorical says of features, and whether it names the target, too."""
    texts = [[t] if t == target else t.split(",") for t in options.categorical]
    kept = [[t for t in parts if t.strip() != target] for parts in texts]
    if kept == texts:
        return options, False
    categorical = tuple(",".join(parts) for parts in kept if parts)
    return replace(options, categorical=categorical), True


def _find_target(
    source: Source, wanted: str | None, taken: set[str | None], notes: list[str]
) -> str:
    """Name of the target; if nobody names one, the last column of a plain table.

    Of columns about the rows, it is the only one that may be and is not ``taken``.
    """
    if source.target is not None:
        return str(source.target)
    if wanted is not None:
        return _find_described(wanted, source, "--target")
    if source.about is not None:
        return _only_candidate(source, taken, notes)
    last = str(source.frame.columns[-1])
    notes.append(f"the last column, {last!r}, is the target (--target names another).")
    return last


def _find_described(wanted: str, source: Source, option: str) -> str:
    """The column of that name; else one by place or similarity, about rows if any is.

    Some formats, such as AnnData, keep columns about the rows apart from features.
    """
    names = [str(name) for name in source.frame.columns]
    if source.about is None or wanted in names:
        return find_column(wanted, names, option)
    return find_column(wanted, source.about, option)


def _only_candidate(source: Source, taken: set[str | None], notes: list[str]) -> str:
    """The column about the rows that has classes; refuse none, or several."""
    about = source.about or ()
    left = [name for name in about if name not in taken and name != source.key]
    if not left:
        raise Problem(
            "no target: there is no column about the rows (--labels FILE joins a table "
            "with some, --target names a column)."
        )
    sizes = {name: source.frame[name].nunique() for name in left}
    classes = {n: s for n, s in sizes.items() if 1 < s < len(source.frame)}
    classes = {n: s for n, s in classes.items() if _may_name(source.frame[n])} or sizes
    if len(classes) == 1:
        (name,) = classes
        notes.append(f"the target is {name!r} (--target names another).")
        return name
    shown = ", ".join(f"{n!r} ({s} values)" for n, s in list(classes.items())[:8])
    more = f" and {len(classes) - 8} more" if len(classes) > 8 else ""
    raise Problem(f"--target has to name one of {shown}{more}.")


def _may_name(column: pd.Series[Any]) -> bool:
    """Whether a column may hold classes: text, categories, or whole numbers."""
    return column.dtype.kind != "f" or bool((column.dropna() % 1 == 0).all())


def _say_unused(source: Source, used: set[str | None], notes: list[str]) -> None:
    """Say which columns about the rows have no part in anything."""
    unused = [n for n in source.about or () if n not in used and n != source.key]
    if unused:
        notes.append(
            f"columns about the rows that are not used as features: {listed(unused)} "
            "(--target and --keep use them, and --groups of `compare`)."
        )


def say_if_features_are_rows(source: Source, n_rows: int, notes: list[str]) -> None:
    """Note that a table may have features as rows, and samples as columns.

    It has many rows, named by text, and few columns of numbers with similar names, of
    which one would be the target.
    """
    first, *others = map(str, source.frame.columns)
    if source.about is not None or source.target is not None or len(others) < 2:
        return
    kinds = [kind(dtype) for dtype in source.frame.dtypes]
    if kinds[0] == NUMBER or {*kinds[1:]} != {NUMBER}:
        return
    if n_rows < TALL * len(others) or not _are_alike(others):
        return
    names = source.frame[first].head(TALL * 2)
    if are_dates(names.astype(str)) or not names.is_unique:
        return
    notes.append(
        f"{n_rows} rows, named by {first!r}, and {len(others)} columns with like "
        f"names, {listed(others, 2)}: if the rows are features and the columns "
        "samples, --transpose exchanges them (--labels FILE joins a table with the "
        "target)."
    )


def _are_alike(names: list[str]) -> bool:
    """Whether names differ in their digits only, in a few ways, or begin alike."""
    patterns = {re.sub(r"\d+", "0", name) for name in names}
    return len(patterns) <= len(names) // 2 or len({name[:3] for name in names}) == 1


def time_order(column: pd.Series[Any], name: str) -> Any:
    """Rows from the earliest to the latest; equal ones as they are in the file."""
    if (gone := int(column.isna().sum())) > 0:
        raise Problem(f"--time: {gone} rows have no value in {name!r}.")
    if column.dtype.kind not in "iufmMb":
        try:
            column = pd.to_datetime(column, format="ISO8601")
        except (ValueError, TypeError):
            example = next(iter(column))
            raise Problem(
                f"--time: {name!r} needs numbers or dates such as 2024-12-31, got "
                f"{str(example)!r}."
            ) from None
    return np.argsort(column.to_numpy(), kind="stable")
