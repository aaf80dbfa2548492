"""Numbers and dates as people write them: 1.234,5, 12 %, $1,000, 31.12.2024."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

SIGNS = "[$€£¥%]"  # of units, which a column has throughout
NUMERAL = r"[+-]?\d[\d.,]*"
COMMAS = r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?"
POINTS = r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?"
SPACES = r"(?<=\d)[ '\u2019\u00a0\u2009\u202f](?=\d{3}(?:\D|$))"

_CLOCK = r"(?:[T ]+\d{1,2}:\d{2}.*)?"
DATE = (
    rf"\d{{4}}([-/.])\d{{1,2}}\1\d{{1,2}}{_CLOCK}"
    rf"|\d{{1,2}}([-/.])\d{{1,2}}\2(?:\d{{4}}|\d{{2}}){_CLOCK}"
    rf"|\d{{1,2}}[-. ]+[A-Za-z]{{3,9}}\.?[-, ]+\d{{2,4}}{_CLOCK}"
    rf"|[A-Za-z]{{3,9}}\.? \d{{1,2}},? \d{{4}}{_CLOCK}"
)


class Numbers(NamedTuple):
    """Numbers, NaN where the text is none, and what had to be understood for it."""

    values: pd.Series[Any]
    remarks: list[str]


def parse(text: pd.Series[Any], decimal: str = ".") -> Numbers:
    """Read a column of text as numbers; ``decimal`` is the mark that its file uses."""
    import pandas as pd

    values = pd.to_numeric(text, errors="coerce").astype("float64")
    if (decimal == "." and values.notna().all()) or not text.str.contains(r"\d").any():
        return Numbers(values, [])
    remarks = []
    signed = text.str.contains(SIGNS)
    if signed.any() and text[signed].str.contains(r"\d").all():
        text = text.str.replace(SIGNS, "", regex=True).str.strip()
        remarks.append("signs of per cent or currency left out")
    text, mark = _without_thousands(text, decimal)
    if mark:
        remarks.append(f"{mark} separate thousands")
    text = text.str.replace(",", ".", regex=False)
    values = pd.to_numeric(text, errors="coerce").astype("float64")
    return Numbers(values, remarks)


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


def is_placeholder(text: pd.Series[Any]) -> pd.Series[Any]:
    """Which cells have a mere mark, such as "-", or an error of a spreadsheet."""
    return text.str.fullmatch(r"[^\w\s]+|#[A-Z/0]+[!?]?")
