"""The features: facts about columns, a plan that follows from them, and what it does.

Facts are gathered part by part and joined, and the plan is applied to each part: to the
partitions of a Dask frame, or to a table in memory, which is one part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from widemargin.cli.columns import (
    Change,
    as_categories,
    change,
    find_columns,
    is_plain,
    stray_text,
)
from widemargin.cli.options import DataOptions
from widemargin.cli.problem import Problem, listed
from widemargin.cli.reading import Source
from widemargin.data.kinds import NUMBER, kind
from widemargin.data.quality import (
    NEARLY_EMPTY,
    alike,
    hardly_repeat,
    is_called_key,
    may_name_rows,
    names_groups,
    names_rows,
)
from widemargin.settings import current

# Why columns are left out.
DATES = "dates of which some cannot be read"
EMPTY = "no values"
GROUPS = (
    "each value occurs in one class only, as names of patients do. Rows of one patient "
    "are alike, so accuracies may be too high (compare --groups keeps them together; "
    "--keep-ids keeps the column)"
)
IDS = "(nearly) every row has a value of its own (--keep-ids keeps such columns)"

MOST_KEYS = 2**20  # rows that show, on Dask, whether a column identifies rows


class Facts(NamedTuple):
    """What is to be known of columns, from some of the rows or from all."""

    n_rows: int
    missing: dict[str, int]
    counts: dict[str, pd.Series[Any]]  # rows of each value; cut off if there are many
    ranges: dict[str, tuple[Any, Any]]  # of numbers and dates, where there are any
    first: pd.DataFrame  # rows of columns that may be keys


def gather(
    frame: Any, counted: list[str], keys: list[str], limit: int | None = None
) -> Facts:
    """Facts about all columns of a frame.

    Parameters
    ----------
    frame : pandas or Dask frame
    counted : list of str
        Columns whose distinct values are counted; the others have numbers or dates.
    keys : list of str
        Columns of which the first rows are needed.
    limit : int or None
        Distinct values to keep from a frame that is not in memory.
    """
    if not is_lazy(frame):
        return look(frame, counted, keys, None, None)
    from widemargin.engine.dask.cluster import Cluster

    cluster = Cluster("widemargin")
    parts = [
        cluster.call(look, part, counted, keys, limit, MOST_KEYS)
        for part in frame.to_delayed()
    ]
    facts: Facts = cluster.compute([cluster.tree(partial(join, limit=limit), parts)])[0]
    return facts


def is_lazy(frame: Any) -> bool:
    """Whether a frame is one of Dask."""
    return hasattr(frame, "to_delayed")


def look(
    part: pd.DataFrame,
    counted: list[str],
    keys: list[str],
    limit: int | None,
    most_keys: int | None,
) -> Facts:
    """Facts about a part of a table."""
    counts = {}
    for name in counted:
        sizes = part[name].value_counts(sort=False)
        counts[name] = sizes[sizes > 0].iloc[:limit]
    missing = {str(n): int(c) for n, c in part.isna().sum().items()}
    rest = part.drop(columns=counted) if counted else part
    ends = zip(rest.columns, rest.min(), rest.max(), strict=True)
    ranges = {n: (low, high) for n, low, high in ends if missing[n] < len(part)}
    return Facts(len(part), missing, counts, ranges, part[keys].iloc[:most_keys])


def join(parts: list[Facts], limit: int | None) -> Facts:
    """Facts about several parts together, in their order."""
    missing = {n: sum(part.missing[n] for part in parts) for n in parts[0].missing}
    counts = {}
    for name in parts[0].counts:
        every = [part.counts[name] for part in parts]
        full = [sizes for sizes in every if len(sizes)] or every[:1]
        sizes = pd.concat(full).groupby(level=0, sort=False, observed=True).sum()
        counts[name] = sizes.iloc[:limit]
    ranges: dict[str, tuple[Any, Any]] = {}
    for part in parts:
        for name, (low, high) in part.ranges.items():
            old = ranges.get(name, (low, high))
            ranges[name] = min(low, old[0]), max(high, old[1])
    first = pd.concat([part.first for part in parts]).iloc[:MOST_KEYS]
    n_rows = sum(part.n_rows for part in parts)
    return Facts(n_rows, missing, counts, ranges, first)


def apply(frame: Any, function: Callable[[Any], Any]) -> Any:
    """Apply a function to a frame or column, part by part."""
    if not is_lazy(frame):
        return function(frame)
    from widemargin.engine.dask._dask import empty_like

    return frame.map_partitions(
        function, meta=function(empty_like(frame)), enforce_metadata=False
    )


def without_tokens(part: pd.DataFrame, tokens: tuple[str, ...]) -> pd.DataFrame:
    """Mask the words and numbers that stand for a missing value, such as -999."""
    return part.mask(part.isin(with_numbers(tokens)))


def with_numbers(tokens: tuple[str, ...]) -> list[str | float]:
    """Words that stand for a missing value, and the numbers among them as such, too."""
    numbers = []
    for token in tokens:
        try:
            numbers.append(float(token))
        except ValueError:
            continue
    return [*tokens, *numbers]


def _to_count(frame: Any, categorical: Iterable[str]) -> list[str]:
    """Columns whose values have to be counted: neither numbers nor dates."""
    return [
        name
        for name, dtype in zip(frame.columns, frame.dtypes, strict=True)
        if name in categorical or (kind(dtype) != NUMBER and dtype.kind not in "mM")
    ]


def codes_of(frame: Any) -> Iterator[Any]:
    """Codes of the values of each column; on Dask, of the first rows as wholes."""
    if is_lazy(frame):
        digests = apply(frame, partial(pd.util.hash_pandas_object, index=False))
        frame = gather(digests.to_frame("digest"), [], ["digest"]).first
    for name in frame.columns:
        yield pd.factorize(frame[name])[0]


@dataclass
class Plan:
    """What becomes of the columns that may be features."""

    n_rows: int
    out: dict[str, list[str]]  # columns that are left out, by the reason
    changes: dict[str, Change] = field(default_factory=dict)
    gaps: dict[str, int] = field(default_factory=dict)  # missing cells of features
    constant: list[str] = field(default_factory=list)

    def __call__(self, part: pd.DataFrame) -> pd.DataFrame:
        """The features in a part of the table, which has their columns only."""
        changed = {
            name: change.apply(part[name])
            for name, change in self.changes.items()
            if change.apply is not None
        }
        return part.assign(**changed) if changed else part

    @property
    def nominal(self) -> list[str]:
        """Features that hold categories."""
        return [n for n, c in self.changes.items() if c.categories is not None]

    @property
    def missing(self) -> list[str]:
        """Features that have missing values."""
        return [name for name, count in self.gaps.items() if count]

    def say(self, notes: list[str]) -> None:
        """Say what becomes of the columns; refuse if no feature is left."""
        left_out = [f"{listed(n)}: {why}" for why, n in self.out.items() if n]
        notes += [f"left out {reason}." for reason in left_out]
        remarks: dict[str, list[str]] = {}
        for name, made in self.changes.items():
            for remark in made.remarks:
                remarks.setdefault(remark, []).append(name)
        notes += [f"{remark}, in {listed(n)}." for remark, n in remarks.items()]
        if self.nominal:
            notes.append(f"taken as categories: {listed(self.nominal)}.")
        if not self.gaps:
            why = f"; left out {'; '.join(left_out)}" if left_out else ""
            raise Problem(f"there are no features left besides the target{why}.")
        for name in self.nominal:
            say_spellings(name, self.changes[name].categories, "categories", notes)
        if self.missing:
            cells = f"{sum(self.gaps.values())} of {self.n_rows * len(self.gaps)} cells"
            notes.append(f"{cells} are missing, in {listed(self.missing)}.")


def say_spellings(
    name: str, values: Iterable[object], what: str, notes: list[str]
) -> None:
    """Say which classes or categories may be one, written in several ways."""
    notes.extend(
        f"{listed(same)} are different {what} of {name!r}; if they should be one, "
        "write them alike in the file."
        for same in alike(values)
    )


def plan_features(
    X: Any,
    keys: list[str],
    classes: pd.Series[Any] | None,
    options: DataOptions,
    source: Source,
) -> Plan:
    """Say what becomes of the columns of X, a frame of pandas or Dask.

    Parameters
    ----------
    X : frame
    keys : list of str
        Columns of numbers that identify rows.
    classes : Series or None
        Of the rows, to find keys of groups of rows; None does not look for them.
    options : DataOptions
    source : Source
        What X is from.
    """
    categorical = find_columns(options.categorical, X.columns, "--categorical")
    facts = gather(X, _to_count(X, categorical), [], _most_texts() + 1)
    n_rows, missing = facts.n_rows, facts.missing
    most = NEARLY_EMPTY if options.max_missing is None else options.max_missing
    sparse = (
        f"more than {100 * most:.3g} % of the values are missing (--max-missing 1 "
        "keeps such columns)"
    )
    empty = [n for n, gaps in missing.items() if gaps == n_rows]
    few = [
        n for n in missing if n not in categorical and most < missing[n] / n_rows < 1
    ]
    ids = [n for n in keys if n not in {*empty, *few, *categorical}]
    plan = Plan(n_rows, {EMPTY: empty, sparse: few, DATES: [], IDS: ids})
    done = {*empty, *few, *categorical}
    _refuse_many_texts(X, facts)
    # Plain numbers stay as they are; there may be thousands of such columns.
    for name, dtype in zip(X.columns, X.dtypes, strict=True):
        if name in done or (
            is_plain(dtype) and not (dtype.kind == "b" and missing[name])
        ):
            continue
        made = _change(name, dtype, X, facts, source)
        if made.unreadable:
            plan.out[DATES].append(name)
        elif (missing[name] + made.placeholders) / n_rows > most:
            few.append(name)
        elif not options.keep_ids and _identifies(name, made, X, facts):
            ids.append(name)
        else:
            plan.changes[name] = made
    plan.changes |= {
        name: as_categories(facts.counts[name])
        for name in categorical
        if name not in empty
    }
    if classes is not None:
        others = {*categorical, *(n for names in plan.out.values() for n in names)}
        plan.out[GROUPS] = _keys_of_groups(X, classes, others)
        for name in plan.out[GROUPS]:
            plan.changes.pop(name, None)
    gone = {name for names in plan.out.values() for name in names}
    for name in (n for n in X.columns if n not in gone):
        made = plan.changes.get(name, Change(None))
        plan.gaps[name] = missing[name] + made.placeholders
        if _is_constant(name, made, facts):
            plan.constant.append(name)
    return plan


def _most_texts() -> int:
    return current().distributed.max_texts


def _refuse_many_texts(X: Any, facts: Facts) -> None:
    most = _most_texts()
    for name, sizes in facts.counts.items():
        if is_lazy(X) and len(sizes) > most:
            raise Problem(
                f"column {name!r} has more than {most} distinct values; drop it "
                "(--drop)."
            )


def _change(name: str, dtype: Any, X: Any, facts: Facts, source: Source) -> Change:
    """How a column becomes a feature; text among numbers is refused."""
    if dtype.kind == "b" and (is_plain(dtype) or source.dialect is not None):
        # Dask declares one type for truth values; in memory, those with gaps are text.
        if not facts.missing[name]:
            return Change(None)
        dtype = np.dtype(object)
    first = facts.ranges.get(name, (None,))[0]
    made = change(dtype, facts.counts.get(name), first, source.decimal)
    if made.stray is not None:
        row = None if is_lazy(X) else int((X[name] == made.stray).idxmax())
        raise stray_text(name, str(made.stray).strip(), row)
    return made


def _identifies(name: str, made: Change, X: Any, facts: Facts) -> bool:
    """Whether categories identify rows; repeated rows are seen in memory only."""
    if made.categories is None:
        return False
    distinct, rows = len(made.categories), facts.n_rows - facts.missing[name]
    if is_lazy(X) or made.apply is None or not may_name_rows(distinct, rows):
        return hardly_repeat(distinct, rows)
    codes = made.apply(X[name]).cat.codes.to_numpy(np.int64)
    return names_rows(codes, codes_of(X))


def _keys_of_groups(
    X: pd.DataFrame, classes: pd.Series[Any], others: set[str]
) -> list[str]:
    """Columns, of those that are called keys, that seem to name groups of rows."""
    y = pd.factorize(classes)[0]
    names = [n for n in X.columns if is_called_key(n) and n not in others]
    return [name for name in names if names_groups(pd.factorize(X[name])[0], y)]


def _is_constant(name: str, made: Change, facts: Facts) -> bool:
    if made.distinct is not None:
        return made.distinct < 2
    if made.categories is not None:
        return len(made.categories) < 2
    if name in facts.counts:
        return len(facts.counts[name]) < 2
    low, high = facts.ranges[name]
    return bool(low == high)
