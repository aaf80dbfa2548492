"""Numbers and dates as people write them: 1.234,5, 12 %, $1,000, 5 kg, 31.12.2024."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import pandas as pd

SIGNS = "[$€£¥%]"  # of units, which a column has throughout
MINUS = "\u2212"  # of typesetters
# A unit in letters after a number, 5 kg or 36.6 °C; leading zeros mean a code.
WITH_UNIT = r"([+-]?(?!0\d)\d(?:.*\d)?)\s*((?:[^\W\d_]|°)(?:[^\W\d_]|[°/·^ -])*)"
ACCOUNTING = rf"\({SIGNS}?\d[\d.,]*{SIGNS}?\)"
ACCOUNTED = "numbers in parentheses are negative"
NUMERAL = r"[+-]?\d[\d.,]*"
COMMAS = r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?"
POINTS = r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?"
SPACES = r"(?<=\d)[ '\u2019\u00a0\u2009\u202f](?=\d{3}(?:\D|$))"

ENDLESS = r"[eE][+-]?\d{12}"  # an exponent at which pandas ends the process

# A time of day, or a duration: hours, minutes, and maybe seconds.
TIME = r"(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?"

_CLOCK = r"(?:[T ]+\d{1,2}:\d{2}.*)?"
DATE = (
    rf"\d{{4}}([-/.])\d{{1,2}}\1\d{{1,2}}{_CLOCK}"
    rf"|\d{{1,2}}([-/.])\d{{1,2}}\2(?:\d{{4}}|\d{{2}}){_CLOCK}"
    rf"|\d{{1,2}}[-. ]+[A-Za-z]{{3,9}}\.?[-, ]+\d{{2,4}}{_CLOCK}"
    rf"|[A-Za-z]{{3,9}}\.? \d{{1,2}},? \d{{4}}{_CLOCK}"
)

# Day and month, or month and day, before a year of two or four digits, or after one of
# four; the rest is a time of day.
SHORT = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)(.*)")
LONG = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)(.*)")
CENTURY = 69  # years from here on are of the last century if they have two digits


class Numbers(NamedTuple):
    """Numbers, NaN where the text is none, and what had to be understood for it."""

    values: pd.Series[Any]
    remarks: list[str]


def numbers_in(cells: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers, and text that is one as Python writes it; NaN for any other cell."""
    if cells.dtype.kind not in "biuf":
        cells = cells.mask(cells.astype(str).str.contains(ENDLESS))
    return pd.to_numeric(cells, errors="coerce")


def parse(text: pd.Series[Any], decimal: str = ".") -> Numbers:
    """Read a column of text as numbers; ``decimal`` is the mark that its file uses."""
    text = text.str.replace(MINUS, "-", regex=False)
    negative = text.str.fullmatch(ACCOUNTING)
    text = text.where(~negative, "-" + text.str.strip("()"))
    remarks = [ACCOUNTED] if negative.any() else []
    values = numbers_in(text).astype("float64")
    if (decimal == "." and values.notna().all()) or not text.str.contains(r"\d").any():
        return Numbers(values, remarks)
    signed = text.str.contains(SIGNS)
    if signed.any() and text[signed].str.contains(r"\d").all():
        text = text.str.replace(SIGNS, "", regex=True).str.strip()
        remarks.append("signs of per cent or currency left out")
    return _read_marks(text, decimal, remarks)


def _read_marks(text: pd.Series[Any], decimal: str, remarks: list[str]) -> Numbers:
    """Read numbers with marks between thousands, or one unit throughout."""
    plain, mark = _without_thousands(text, decimal)
    plain = plain.str.replace(",", ".", regex=False)
    values = numbers_in(plain).astype("float64")
    if values.isna().all() and (found := _without_unit(text)) is not None:
        numbers, unit = found
        read = _read_marks(numbers, decimal, [f"the unit {unit!r} left out", *remarks])
        # Else they are no numbers: ranges, or codes.
        if not (read.values.isna() & numbers.str.contains(r"\d")).any():
            return read
    return Numbers(
        values, [*remarks, f"{mark} separate thousands"] if mark else remarks
    )


def _without_unit(text: pd.Series[Any]) -> tuple[pd.Series[Any], str] | None:
    """Text without the unit that all cells with a digit have; None without one."""
    measured = text.str.contains(r"\d")
    parts = text[measured].str.extract(rf"^{WITH_UNIT}$")
    if parts[1].isna().any():
        return None
    units = sorted(set(parts[1].str.strip()))
    if len(units) == 2 and units[1] == f"{units[0]}s":  # 1 year, 2 years
        del units[0]
    return (text.where(~measured, parts[0]), units[0]) if len(units) == 1 else None


def _without_thousands(
    text: pd.Series[Any], decimal: str
) -> tuple[pd.Series[Any], str | None]:
    """Text without the marks between thousands, and what they are called."""
    spaced = text.str.contains(SPACES)
    numerals = text.str.replace(SPACES, "", regex=True)
    if spaced.any() and numerals[spaced].str.fullmatch(NUMERAL).all():
        text = numerals
    else:
        spaced[:] = False
    likely = text[text.str.fullmatch(NUMERAL)]
    with_comma = likely[likely.str.contains(",", regex=False)]
    with_point = likely[likely.str.contains(".", regex=False)]
    # One mark before three digits may also be the decimal one; a file that uses the
    # other for that, or a number with two of them, settles it.
    if with_comma.str.fullmatch(COMMAS).all() and len(with_comma):
        if decimal == "." or with_comma.str.count(",").max() > 1:
            return text.str.replace(",", "", regex=False), "commas"
    elif with_point.str.fullmatch(POINTS).all() and len(with_point):
        both = with_point.str.contains(",", regex=False).any()
        if decimal == "," or both or with_point.str.count(r"\.").max() > 1:
            return text.str.replace(".", "", regex=False), "points"
    return text, "spaces" if spaced.any() else None


def are_dates(text: pd.Series[Any]) -> bool:
    """Whether all of a column is dates, with or without the time of day."""
    return bool(len(text)) and bool(text.str.fullmatch(DATE).all())


def hours(text: pd.Series[Any]) -> Numbers | None:
    """Read a column of times, 8:15 or 08:15:30, as hours; None if it has others."""
    if not len(text) or not text.str.fullmatch(TIME).all():
        return None
    parts = text.str.extract(f"^{TIME}$").astype("float64").fillna(0.0)
    return Numbers(parts[0] + parts[1] / 60 + parts[2] / 3600, ["times as hours"])


def days(text: pd.Series[Any], decimal: str = ".") -> Numbers | None:
    """Read a column of dates as days since the first; None if one cannot be read.

    Whether 1/2/2024 is in January or February is told by the other dates; where none
    has a number above 12, a point between them or a decimal comma in the file says day
    first, and the remark says what was taken.
    """
    short = [found for found in map(SHORT.fullmatch, text) if found]
    day_first = any(int(found[1]) > 12 for found in short)
    month_first = any(int(found[3]) > 12 for found in short)
    if day_first and month_first:
        return None
    remark = "dates as days since the first"
    if short and not day_first and not month_first:
        day_first = decimal == "," or all(found[2] == "." for found in short)
        order = "day before month" if day_first else "month before day"
        remark = f"{remark}, {order}"
    written = pd.Series([_iso(date, day_first) for date in text])
    found = pd.to_datetime(written, format="mixed", utc=True, errors="coerce")
    if found.isna().any():
        return None
    since = (found - found.min()) / pd.Timedelta(days=1)
    return Numbers(since.astype("float64"), [remark])


def _iso(date: str, day_first: bool) -> str:
    """A date with its year first; one with the name of a month as it is."""
    if found := LONG.fullmatch(date):
        year, _, month, day, clock = found.groups()
    elif found := SHORT.fullmatch(date):
        first, _, second, year, clock = found.groups()
        day, month = (first, second) if day_first else (second, first)
        if len(year) == 2:
            year = f"19{year}" if int(year) >= CENTURY else f"20{year}"
    else:
        return date
    return f"{year}-{int(month):02}-{int(day):02}{clock}"


def is_placeholder(text: pd.Series[Any]) -> pd.Series[Any]:
    """Which cells have a mere mark, such as "-", or an error of a spreadsheet."""
    return text.str.fullmatch(r"[^\w\s]+|#[A-Z/0]+[!?]?")
