"""Fit a method to a file that is read part by part and never as a whole.

The target is looked at first: its column alone says which classes there are and which
rows have none. What is done to the rows is put down to be done to each part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from widemargin.cli.choosing import check_fit, check_neighbors, make_selectors
from widemargin.cli.columns import find_columns
from widemargin.cli.dataset import (
    DataOptions,
    check_classes,
    check_image,
    described,
)
from widemargin.cli.described import say_if_features_are_rows
from widemargin.cli.fits import (
    Ranking,
    say_constant,
    say_unbalanced,
    without_direction,
)
from widemargin.cli.lazy_features import look_at_features, plan
from widemargin.cli.lazy_target import code, look_at_target
from widemargin.cli.problem import Problem, listed
from widemargin.cli.reading.lazy import open_lazily
from widemargin.cli.roles import (
    IDS,
    find_roles,
    identifies,
    may_identify,
    say_columns,
    say_missing,
    say_spellings,
    told_of_target,
    without_target,
    without_tokens,
)
from widemargin.cli.session import Session, working

if TYPE_CHECKING:
    import pandas as pd

    from widemargin.cli.options import MethodOptions

# Options that need all rows at once, and what to do without.
REFUSED = {
    "bins": "store the classes in a column",
    "sheet": "store the sheet as CSV or Parquet",
    "transpose": "store the table with features as columns",
    "labels": "store one table with all columns",
    "sample": "--samples N looks up the neighbours of N rows only",
}


@dataclass(frozen=True)
class LazyDataset:
    """Features and classes as Dask frames, and what is known of them."""

    name: str
    target: str
    X: Any
    y: Any
    raw: Any  # as it is in the file
    counts: dict[str, int]
    n_lines: int
    kind: Any  # type of the target
    nominal: list[str]  # features that hold categories
    missing: list[str]  # features that have missing values
    notes: list[str]
    constant: list[str]  # features that are the same in every row
    source: Any = None
    kept: tuple[str, ...] = ()  # columns to carry along

    @property
    def described(self) -> str:
        """The target in a few words."""
        return described(self.counts, self.target)

    @property
    def n_rows(self) -> int:
        """Rows that have a class."""
        return sum(self.counts.values())

    @property
    def features(self) -> list[str]:
        """Names of the features."""
        return [str(name) for name in self.X.columns]

    def parts(self, columns: list[str]) -> Iterator[pd.DataFrame]:
        """Some columns of the file, a few rows after the other."""
        from widemargin.engine.dask.cluster import Cluster
        from widemargin.threads import spans

        cluster = Cluster("widemargin")
        parts = self.raw[columns].to_delayed()
        threads, _ = cluster.size()
        for some in spans(len(parts), threads):
            with faults(self.name):
                found = cluster.compute(parts[some])
            for part in found:
                yield part.astype({self.target: self.kind})


@contextmanager
def fitted_lazily(
    path: str,
    method: str | None,
    data: DataOptions,
    how: MethodOptions,
    scheduler: str | None,
    notes: Session,
) -> Iterator[Ranking]:
    """Rank the features of a file on Dask, which runs until the end."""
    from widemargin.engine.dask.cluster import running
    from widemargin.threads import thread_count

    # KernelRFE does not run on Dask collections.
    name = method or ("OReliefF" if data.ordinal else "ReliefF")
    ((name, selector),) = make_selectors((name,), how, notes.verbose).items()
    _refuse_options(data)
    _refuse_method(name, selector)
    with ExitStack() as until_then:
        with connected(scheduler):
            until_then.enter_context(running(scheduler, thread_count(how.jobs)))
        with notes.status(f"looking at {path}"):
            dataset = load_lazily(path, data)
        for text in dataset.notes:
            notes.note(text)
        say_constant(dataset, notes)
        check_fit({name: selector}, dataset)
        check_neighbors(how, dataset.counts, {name: selector})
        notes.begin()
        if method is None and data.ordinal:
            without_direction(selector, dataset, notes)
        say_unbalanced(name, dataset, notes)
        with faults(path):
            selector.fit(dataset.X, dataset.y)
        ranking = Ranking(name, selector, dataset)
        ranking.say_how_sure(notes)
        yield ranking


@contextmanager
def connected(scheduler: str | None) -> Iterator[None]:
    """Say so if a scheduler does not answer."""
    try:
        yield
    except (OSError, ValueError) as error:  # the latter if the address makes no sense
        raise Problem(f"--scheduler {scheduler} does not answer: {error}.") from None


@contextmanager
def faults(name: str) -> Iterator[None]:
    """Turn what goes wrong with a file, or with a cluster, into one line."""
    try:
        with working(), _steady_types(name):
            yield
    except OSError as error:
        reason = error.strerror or error
        raise Problem(f"{name} cannot be read: {reason}.") from None
    except RuntimeError as error:
        if type(error) is not RuntimeError:
            raise
        raise Problem(str(error)) from None  # a cluster that went away


@contextmanager
def _steady_types(name: str) -> Iterator[None]:
    """Say in which columns of a text, told to be numbers by the head, others follow."""
    try:
        yield
    except ValueError as error:
        if not str(error).startswith("Mismatched dtypes"):
            raise
        rows = re.findall(r"^\| (.*?) +\| \S+ +\| \S+ +\|$", str(error), re.MULTILINE)
        raise Problem(
            f"{name} has numbers in its first rows but not in all rows of "
            f"{listed(rows[1:], 20)}; drop such columns (--drop), or name the markers "
            "of missing values (--missing)."
        ) from None


def _refuse_options(data: DataOptions) -> None:
    for option, remedy in REFUSED.items():
        if getattr(data, option):
            raise Problem(f"--{option} does not work with --engine dask; {remedy}.")


def _refuse_method(name: str, selector: Any) -> None:
    """Refuse, before any work, what would be refused after some."""
    from widemargin.base import refuse_single_visits

    if selector._instead_on_dask is not None:
        raise Problem(
            f"{name} does not run on Dask collections. Use "
            f"{selector._instead_on_dask}, or --engine local if the data fit into "
            "memory."
        )
    if selector.n_features_to_select == "auto" and not selector._gives_subset:
        raise Problem(
            "--engine dask needs a number of features, such as -n 20: -n auto compares "
            "all rows with all features."
        )
    if hasattr(selector, "batch_size"):
        try:
            refuse_single_visits(selector)
        except ValueError as error:
            raise Problem(f"{error} (-p batch_size=500)") from None


def load_lazily(path: str, options: DataOptions) -> LazyDataset:
    """Open a file and put down what makes it ready."""
    from widemargin.engine.dask._dask import empty_like

    with faults(path):
        unread = (*options.drop, *options.keep)
        source = open_lazily(path, options.request, options.format, unread)
    notes = list(source.notes)
    raw: Any = source.frame
    frame = raw
    target, left, aside = find_roles(source, options, notes)
    if options.missing:
        frame = frame.map_partitions(
            without_tokens,
            options.missing,
            meta=empty_like(frame),
            enforce_metadata=False,
        )
    numbered = [] if options.keep_ids else may_identify(frame[left])
    with faults(path):
        seen = look_at_target(frame[[target, *numbered]], target)
    if not len(seen.sizes) and not seen.missing:
        raise Problem(f"{path} has {len(raw.columns)} columns but no rows.")
    n_lines = int(seen.sizes.sum()) + seen.missing
    with faults(path):
        say_if_features_are_rows(source, n_lines, notes)
    if seen.missing:
        notes.append(without_target(seen.missing))
        frame = frame.dropna(subset=[target])
    options, named = told_of_target(options, target)
    coding, counts = code(seen, target, options, notes, named=named)
    categorical = find_columns(options.categorical, left, "--categorical")
    with faults(path):
        found = look_at_features(frame[left])
    whole = plan(frame[left], found, categorical, options, source.decimal)
    gone = {name for names in whole.out.values() for name in names}
    ids = [n for n in numbered if n not in gone and identifies(n, seen.keys[n])]
    ids = [n for n in ids if n not in categorical]
    out = {**whole.out, IDS: ids + whole.out[IDS]}
    say_columns(out, whole.remarks, whole.categories, len(left), notes)
    for name in whole.categories:
        values = {str(value).strip() for value in found.values.get(name, ())}
        say_spellings(name, values, "categories", notes)
    names = [n for n in left if n not in gone.union(ids)]
    gaps = {n: found.missing[n] + whole.placeholders.get(n, 0) for n in names}
    say_missing(gaps, found.n_rows, notes)
    check_classes(counts, path)
    check_image(frame[names], options)
    constant = [n for n in names if n in whole.constant]
    features = frame[names]
    return LazyDataset(
        path,
        target,
        features.map_partitions(whole, meta=whole(empty_like(features))),
        frame[target].map_partitions(coding, meta=coding.classes.iloc[:0]),
        raw,
        counts,
        sum(counts.values()) + seen.missing,
        seen.kind,
        whole.categories,
        [n for n, count in gaps.items() if count],
        notes,
        constant,
        source,
        aside.keep,
    )
