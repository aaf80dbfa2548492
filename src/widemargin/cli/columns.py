"""Columns: found by name or place, read as numbers where their text says numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from shlex import quote
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from widemargin.cli.numerals import are_dates, days, hours, is_placeholder, parse
from widemargin.cli.problem import Problem, did_you_mean, listed, typed
from widemargin.cli.reading.source import without_points

# What is said of dates and durations, by the kind of their type.
TIMES = {"M": "dates as days since the first", "m": "durations as days"}
LONG_INTEGER = r"[+-]?\d{17,}"
LEADING_ZERO = r"0\d+"
CODES = (
    "digits with leading zeros are codes, not numbers (write them without the zeros if "
    "they are numbers)"
)
MERGED = "categories that differ only in white space around them are one"
MOST_LETTERS = 60  # of a text that an option may name
FEW_CODES = 20  # different numbers that may be the names of categories


def find_column(wanted: str, columns: Iterable[str], option: str) -> str:
    """The column of that name, else at that place, counted from 0 or from the end."""
    names = [str(name) for name in columns]
    if wanted in names:
        return wanted
    if re.fullmatch(r"-?\d+", wanted):
        place = int(wanted)
        if -len(names) <= place < len(names):
            return names[place]
        raise Problem(
            f"{option} {wanted}: there are {len(names)} columns, 0 to {len(names) - 1}."
        )
    same = [name for name in names if name.strip().lower() == wanted.strip().lower()]
    if len(same) == 1:
        return same[0]
    raise Problem(
        f"{option}: there is no column {wanted!r}.{did_you_mean(wanted, names)} The "
        f"columns are: {listed(names, 12)}."
    )


def find_columns(
    wanted: Iterable[str], columns: Iterable[str], option: str
) -> list[str]:
    """Columns given one by one or, where no name has a comma, in a list."""
    names = [str(name) for name in columns]
    parts: list[str] = []
    for text in wanted:
        parts += [text] if text in names else text.split(",")
    return [find_column(part.strip(), names, option) for part in parts if part.strip()]


def is_plain(dtype: Any) -> bool:
    """Whether a type is one of NumPy's, or of sparse, numbers or booleans."""
    sparse = type(dtype).__name__ == "SparseDtype"
    return (sparse or isinstance(dtype, np.dtype)) and dtype.kind in "biuf"


@dataclass(frozen=True)
class Lookup:
    """Replaces each value of a column by the result for it; others are missing."""

    values: NDArray[Any]
    results: Any  # an array of NumPy or pandas

    def __call__(self, column: pd.Series[Any]) -> pd.Series[Any]:
        """The results for a column, or for a part of it."""
        # An index of its own: threads that fill the cache of a shared one collide.
        index = pd.Index(self.values, dtype=object)
        cells = pd.Index(np.asarray(column, dtype=object), dtype=object)
        found = pd.api.extensions.take(
            self.results, index.get_indexer(cells), allow_fill=True
        )
        return pd.Series(found, index=column.index, name=column.name)


class Change(NamedTuple):
    """How a column becomes a feature."""

    apply: Callable[[pd.Series[Any]], pd.Series[Any]] | None  # None leaves it
    categories: Any = None  # their names; None for numbers
    distinct: int | None = None  # numbers of a text
    placeholders: int = 0  # cells such as "-" that are taken as missing
    remarks: Iterable[str] = ()  # what the user should know
    stray: Any = None  # where numbers are meant, the first value that is none
    unreadable: bool = False  # whether it has dates of which one cannot be read


def change(
    dtype: Any, counts: pd.Series[Any] | None, first: Any, decimal: str
) -> Change:
    """How a column of some type becomes a feature.

    ``counts`` has the number of rows of each value, ``first`` is the earliest date;
    both are needed for columns of such types only.
    """
    if dtype.kind in "mM":
        return Change(partial(to_days, first=first), remarks=(TIMES[dtype.kind],))
    if dtype.kind in "biufc" or str(dtype).startswith("decimal"):
        # Numbers with a mask of their own, as Parquet files have them.
        return Change(to_floats)
    assert counts is not None
    if str(dtype) == "category":
        return _without_unused(dtype, counts)
    return read_text(counts, decimal)


def as_feature(column: pd.Series[Any], decimal: str = ".") -> pd.Series[Any]:
    """A column that holds no plain numbers as numbers or categories."""
    counts = column.value_counts(sort=False)
    first = column.min() if column.dtype.kind == "M" else None
    found = change(column.dtype, counts[counts > 0], first, decimal)
    return column if found.apply is None else found.apply(column)


def to_days(column: pd.Series[Any], first: Any) -> pd.Series[Any]:
    """Dates as days since the first; durations as days."""
    since = column - first if column.dtype.kind == "M" else column
    return (since / pd.Timedelta(days=1)).astype("float64")


def to_floats(column: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers of any type as NumPy has them."""
    return column.astype("float64")


def as_categories(counts: pd.Series[Any]) -> Change:
    """Categories written as text, whatever the values are."""
    values = without_points(counts.index.to_series())
    names = values.astype("string").astype(object).astype("category")
    lookup = Lookup(np.asarray(counts.index, dtype=object), names.array)
    return Change(lookup, names.cat.categories)


def _without_unused(dtype: Any, counts: pd.Series[Any]) -> Change:
    """Leave out categories without rows, unless Dask does not know them all."""
    used = set(counts.index)
    kept = [category for category in dtype.categories if category in used]
    if len(kept) < len(used):
        return Change(None, counts.index)
    used_type = pd.CategoricalDtype(kept, dtype.ordered)
    return Change(partial(pd.Series.astype, dtype=used_type), kept)


def read_text(counts: pd.Series[Any], decimal: str) -> Change:
    """Text as numbers if it has any reason to be, else as categories.

    Each different value is looked at once, which may save most of the work.
    """
    values, rows = np.asarray(counts.index, dtype=object), counts.to_numpy()
    text = pd.Series(values).astype(str).str.strip()
    if are_dates(text):
        since = days(text, decimal)
        if since is None:
            return Change(None, unreadable=True)
        return _numbers(values, rows, since.values, since.remarks)
    merged = [MERGED] if text.duplicated().any() else []
    if _are_codes(text):
        return _categories(values, text, [CODES, *merged])
    numbers, remarks = hours(text) or parse(text, decimal)
    stray = numbers.isna().to_numpy(copy=True)  # pandas may lend it for reading only
    empty = is_placeholder(text).to_numpy()
    if stray.any() and not stray.all() and not (stray & ~empty).any():
        remarks += [f"taken as missing: {listed(text[stray])}"]
        stray[:] = False
    if text.str.fullmatch(LONG_INTEGER).any():
        remarks += ["integers of more than 16 digits are rounded"]
    if not stray.any():
        return _numbers(values, rows, numbers, remarks)
    if _meant_as_numbers(rows, stray):
        return Change(None, stray=values[np.argmax(stray)])
    return _categories(values, text, merged)


def _numbers(
    values: NDArray[Any],
    rows: NDArray[Any],
    numbers: pd.Series[Any],
    remarks: list[str],
) -> Change:
    return Change(
        Lookup(values, numbers.to_numpy("float64")),
        distinct=numbers.nunique(),
        placeholders=int(rows[numbers.isna()].sum()),
        remarks=remarks,
    )


def _categories(
    values: NDArray[Any], text: pd.Series[Any], remarks: list[str]
) -> Change:
    names = text.astype(object).astype("category")
    return Change(Lookup(values, names.array), names.cat.categories, remarks=remarks)


def _are_codes(text: pd.Series[Any]) -> bool:
    """Whether text is digits, or marks for missing, with zeros that would be lost."""
    digits = text.str.fullmatch(r"\d+")
    coded = text.str.fullmatch(LEADING_ZERO).any()
    return bool(coded) and bool((digits | is_placeholder(text)).all())


def _meant_as_numbers(rows: Any, stray: Any) -> bool:
    """Whether text in a column is out of place rather than one category of several."""
    if rows[stray].sum() * 2 >= rows.sum():
        return False
    return bool((~stray).sum() > FEW_CODES or rows[stray].max() == 1)


def stray_text(name: str, value: str, row: int | None = None) -> Problem:
    """What to say of text among numbers, in a row counted from 0 if that is known."""
    place = f"column {name!r}" if row is None else f"column {name!r}, row {row + 1}"
    remedies = [
        f"{option} takes {what}"
        for text, option, what in (
            (value, f"--missing {typed(value)}", "it as missing"),
            (name, f"--categorical {quote(name)}", "the column as categories"),
        )
        if text.isprintable() and len(text) <= MOST_LETTERS  # so that it can be typed
    ]
    hint = ", ".join(remedies)
    if row == 0:
        names = (
            "if the first row holds names or units, not data, delete it from the file"
        )
        hint = f"{names}; else {hint}" if hint else names
    return Problem(
        f"text where numbers are needed: {place} {'has' if row is None else 'is'} "
        f"{listed([value])}{f' ({hint})' if hint else ''}."
    )
