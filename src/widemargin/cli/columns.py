"""Columns: found by name or place, read as numbers where their text says numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

from widemargin.cli.numerals import are_dates, days, hours, is_placeholder, parse
from widemargin.cli.problem import Problem, did_you_mean, listed

if TYPE_CHECKING:
    import pandas as pd

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
    """Whether a type is one of NumPy's for numbers or booleans."""
    import numpy as np

    return isinstance(dtype, np.dtype) and dtype.kind in "biuf"


def as_feature(
    column: pd.Series[Any],
    decimal: str = ".",
    remarks: dict[str, list[str]] | None = None,
) -> pd.Series[Any] | None:
    """A column that holds no plain numbers as numbers or categories.

    None for dates of which one cannot be read. ``remarks`` collects columns by what had
    to be understood to read them.
    """
    remarks = {} if remarks is None else remarks
    if column.dtype.kind in "mM":
        remarks.setdefault(TIMES[column.dtype.kind], []).append(str(column.name))
        return to_days(column, column.min())
    if str(column.dtype) == "category":
        return column.cat.remove_unused_categories()
    if column.dtype.kind in "biufc" or str(column.dtype).startswith("decimal"):
        # Numbers with a mask of their own, as Parquet files have them.
        return column.astype("float64")
    return _numbers_or_categories(column, decimal, remarks)


def to_days(column: pd.Series[Any], first: Any) -> pd.Series[Any]:
    """Dates as days since the first; durations as days."""
    import pandas as pd

    since = column - first if column.dtype.kind == "M" else column
    return (since / pd.Timedelta(days=1)).astype("float64")


def as_categories(column: pd.Series[Any]) -> pd.Series[Any]:
    """Categories written as text, whatever the column holds."""
    if column.dtype.kind == "f" and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")
    return column.astype("string").astype(object).astype("category")


def _numbers_or_categories(
    column: pd.Series[Any], decimal: str, remarks: dict[str, list[str]]
) -> pd.Series[Any] | None:
    """A column of text as numbers if it has any reason to be, else as categories."""
    import numpy as np
    import pandas as pd

    # What follows looks at each different value once, which may save most of the work.
    codes, values = pd.factorize(column)
    there = codes >= 0
    counts = np.bincount(codes[there], minlength=len(values))
    text, numbers, odd, dates, understood = read_text(values, counts, decimal)
    if dates:
        return None
    if odd is not None:
        row = int(column.index[int(np.argmax(codes == odd))])
        raise stray_text(str(column.name), text[odd], row)
    for remark in understood:
        remarks.setdefault(remark, []).append(str(column.name))
    if numbers is None:
        places, names = pd.factorize(text, sort=True)
        places = np.where(there, places[codes], -1)
        kinds = pd.Categorical.from_codes(places, pd.Index(names, dtype=object))
        return pd.Series(kinds, index=column.index, name=column.name)
    found = np.where(there, numbers.to_numpy()[codes], np.nan)
    return pd.Series(found, index=column.index, name=column.name)


class Reading(NamedTuple):
    """What the different values of a column are."""

    text: pd.Series[Any]
    numbers: pd.Series[Any] | None  # None for categories
    odd: int | None  # where numbers are meant, place of the first value that is none
    dates: bool  # of which one cannot be read
    remarks: list[str]  # what had to be understood to read it


def read_text(values: Any, counts: Any, decimal: str = ".") -> Reading:
    """Read the different values of a column, given how often there is each."""
    import numpy as np
    import pandas as pd

    text = pd.Series(values).astype(str).str.strip()
    if are_dates(text):
        since = days(text, decimal)
        if since is None:
            return Reading(text, None, None, True, [])
        return Reading(text, since.values, None, False, since.remarks)
    merged = [MERGED] if text.duplicated().any() else []
    if _are_codes(text):
        return Reading(text, None, None, False, [CODES, *merged])
    numbers, remarks = hours(text) or parse(text, decimal)
    stray = numbers.isna().to_numpy(copy=True)  # pandas may lend it for reading only
    empty = is_placeholder(text).to_numpy()
    if stray.any() and not stray.all() and not (stray & ~empty).any():
        remarks += [f"taken as missing: {listed(text[stray])}"]
        stray[:] = False
    if text.str.fullmatch(LONG_INTEGER).any():
        remarks += ["integers of more than 16 digits are rounded"]
    if not stray.any():
        return Reading(text, numbers, None, False, remarks)
    odd = int(np.argmax(stray)) if _meant_as_numbers(counts, stray) else None
    return Reading(text, None, odd, False, merged)


def _are_codes(text: pd.Series[Any]) -> bool:
    """Whether text is digits, or marks for missing, with zeros that would be lost."""
    digits = text.str.fullmatch(r"\d+")
    coded = text.str.fullmatch(LEADING_ZERO).any()
    return bool(coded) and bool((digits | is_placeholder(text)).all())


def _meant_as_numbers(counts: Any, stray: Any) -> bool:
    """Whether text in a column is out of place rather than one category of several."""
    if counts[stray].sum() * 2 >= counts.sum():
        return False
    return bool((~stray).sum() > FEW_CODES or counts[stray].max() == 1)


def stray_text(name: str, value: str, row: int | None = None) -> Problem:
    """What to say of text among numbers, in a row counted from 0 if that is known."""
    place = f"column {name!r}" if row is None else f"column {name!r}, row {row + 1}"
    remedies = [
        f"{option} {quote(text)} takes {what}"
        for option, text, what in (
            ("--missing", value, "it as missing"),
            ("--categorical", name, "the column as categories"),
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
