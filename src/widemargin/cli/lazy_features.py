"""The features of a Dask frame: which are numbers, categories, or left out.

A part does not tell whether a text stands for a number in all others, or whether each
row has a text of its own, so all parts are looked at once before the work begins.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from widemargin.cli.columns import TIMES, read_text, stray_text, to_days
from widemargin.cli.roles import DATES, EMPTY, IDS, sparse
from widemargin.settings import current

if TYPE_CHECKING:
    import pandas as pd

    from widemargin.cli.dataset import DataOptions


class Seen(NamedTuple):
    """What is known of the features in some rows."""

    n_rows: int
    missing: dict[str, int]
    values: dict[str, dict[Any, int]]  # rows of each value, where they are no numbers
    ranges: dict[str, tuple[Any, Any]]  # the least and the largest of numbers and dates


@dataclass
class Plan:
    """What becomes of the columns."""

    numbers: dict[str, dict[Any, float]] = field(
        default_factory=dict
    )  # written as text
    text: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)  # all that are taken as such
    out: dict[str, list[str]] = field(default_factory=dict)
    remarks: dict[str, list[str]] = field(default_factory=dict)
    placeholders: dict[str, int] = field(default_factory=dict)  # taken as missing
    dates: dict[str, Any] = field(default_factory=dict)  # the first of each column
    constant: set[str] = field(default_factory=set)

    def __call__(self, part: pd.DataFrame) -> pd.DataFrame:
        """Columns of a part as numbers, or as what is taken for categories."""
        changed: dict[str, Any] = {}
        for name in self.categories:
            if name in self.text:
                values = part[name].astype(object)
                written = values.astype(str).str.strip()
                changed[name] = values.where(values.isna(), written)
            else:  # numbers, too: as objects they would be numbers again
                changed[name] = part[name].astype("category")
        for name, numbers in self.numbers.items():
            changed[name] = part[name].astype(object).map(numbers).astype("float64")
        for name, first in self.dates.items():
            changed[name] = to_days(part[name], first)
        return part.assign(**changed)


def look_at_features(frame: Any) -> Seen:
    """Look at all columns of a Dask frame."""
    from widemargin.engine.dask.cluster import Cluster

    cluster = Cluster("widemargin")
    spelled = spelled_columns(frame)
    most = current().distributed.max_texts  # of this process; a worker has its own
    parts = [cluster.call(look, part, spelled, most) for part in frame.to_delayed()]
    seen: Seen = cluster.compute([cluster.tree(partial(join, most=most), parts)])[0]
    return seen


def spelled_columns(frame: Any) -> list[str]:
    """Columns that hold neither numbers nor dates, going by their types."""
    from widemargin.data.kinds import NUMBER, kind

    types = zip(frame.columns, frame.dtypes, strict=True)
    return [n for n, t in types if kind(t) != NUMBER and not is_dated(t)]


def is_dated(dtype: Any) -> bool:
    """Whether a type is one of dates or durations."""
    return getattr(dtype, "kind", "O") in "mM"


def look(part: pd.DataFrame, spelled: list[str], most: int) -> Seen:
    """The same for a part of the frame."""
    values = {}
    for name in spelled:
        sizes = part[name].value_counts(sort=False)
        values[name] = _few(dict(sizes[sizes > 0].items()), name, most)
    missing = {str(n): int(c) for n, c in part.isna().sum().items()}
    rest = part.drop(columns=spelled)
    ranges = {n: (rest[n].min(), rest[n].max()) for n in rest if len(part) > missing[n]}
    return Seen(len(part), missing, values, ranges)


def join(parts: list[Seen], most: int) -> Seen:
    """What is known of several parts together."""
    missing = {n: sum(part.missing[n] for part in parts) for n in parts[0].missing}
    values: dict[str, dict[Any, int]] = {}
    for name in parts[0].values:
        sizes = values[name] = dict(parts[0].values[name])
        for part in parts[1:]:
            for value, count in part.values[name].items():
                sizes[value] = sizes.get(value, 0) + count
        _few(sizes, name, most)
    ranges: dict[str, tuple[Any, Any]] = {}
    for part in parts:
        for name, (low, high) in part.ranges.items():
            old = ranges.get(name, (low, high))
            ranges[name] = min(low, old[0]), max(high, old[1])
    return Seen(sum(part.n_rows for part in parts), missing, values, ranges)


def _few(sizes: dict[Any, int], name: str, most: int) -> dict[Any, int]:
    """The same, unless there are too many to be held."""
    if len(sizes) > most:
        raise ValueError(
            f"column {name!r} has more than {most} distinct values; drop it (--drop)."
        )
    return sizes


def plan(
    frame: Any, seen: Seen, categorical: list[str], options: DataOptions, decimal: str
) -> Plan:
    """Say what becomes of the columns, as `dataset.prepare` does in memory.

    Identifiers are judged without looking for repeated rows.
    """
    import numpy as np

    from widemargin.data.quality import NEARLY_EMPTY, hardly_repeat

    whole = Plan()
    most = NEARLY_EMPTY if options.max_missing is None else options.max_missing
    few: list[str] = []
    whole.out = {EMPTY: [], sparse(most): few, DATES: [], IDS: []}
    for name in frame.columns:
        if seen.missing[name] == seen.n_rows:
            whole.out[EMPTY].append(name)
        elif seen.missing[name] > most * seen.n_rows and name not in categorical:
            few.append(name)
    done = {*categorical, *whole.out[EMPTY], *few}
    whole.constant = {n for n, (low, high) in seen.ranges.items() if low == high}
    for name in seen.ranges:
        if is_dated(frame.dtypes[name]) and name not in done:
            whole.dates[name] = seen.ranges[name][0]
            remark = TIMES[frame.dtypes[name].kind]
            whole.remarks.setdefault(remark, []).append(name)
    for name, sizes in seen.values.items():
        if name in done:
            continue
        dtype = frame.dtypes[name]
        distinct = len(sizes)
        if distinct < 2:
            whole.constant.add(name)
        if getattr(dtype, "kind", "O") == "b" and not seen.missing[name]:
            continue
        if str(dtype) != "category":
            counts = np.array(list(sizes.values()))
            text, numbers, odd, dates, remarks = read_text(list(sizes), counts, decimal)
            if odd is not None:
                raise stray_text(name, text[odd])
            if dates:
                whole.out[DATES].append(name)
                continue
            for remark in remarks:
                whole.remarks.setdefault(remark, []).append(name)
            if numbers is not None:
                placeholders = int(counts[numbers.isna()].sum())
                if seen.missing[name] + placeholders > most * seen.n_rows:
                    few.append(name)
                    continue
                whole.constant |= {name} if numbers.nunique() < 2 else set()
                whole.numbers[name] = dict(zip(sizes, numbers.tolist(), strict=True))
                whole.placeholders[name] = placeholders
                continue
            distinct = text.nunique()
            whole.constant |= {name} if distinct < 2 else set()
        present = seen.n_rows - seen.missing[name]
        if hardly_repeat(distinct, present) and not options.keep_ids:
            whole.out[IDS].append(name)
            continue
        whole.categories.append(name)
        if str(dtype) != "category":
            whole.text.append(name)
    whole.categories += [n for n in categorical if n not in whole.out[EMPTY]]
    return whole
