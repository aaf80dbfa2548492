"""Values of the report: plain ones for its dict, and how they read in the page.

`report.js` has the same rules for numbers in its table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from widemargin.judging.scores import measure

THIN = "\u202f"  # a narrow space that does not break
DASH = "–"
HYPHEN = "\u2011"  # one that does not break
NONE = "—"
WORDS = re.compile(r"(?<=[_.:/-])(?=\w)|(?<=[a-z])(?=[A-Z])")  # where they meet

Form = Callable[[float | None], str]
Json = dict[str, Any]  # plain values only


def number(value: Any, sign: int = 1) -> float | int | None:
    """A plain number, times a sign; None for what is missing or not finite."""
    if value is None:
        return None
    plain = value.item() if hasattr(value, "item") else value
    return sign * plain if math.isfinite(plain) else None


def numbers(
    values: Iterable[Any] | None, sign: int = 1
) -> list[float | int | None] | None:
    """A list of plain numbers; None stays None."""
    if values is None:
        return None
    return [number(v, sign) for v in np.asarray(values).tolist()]


def text(value: Any) -> str:
    """Text that UTF-8 can hold: a lone surrogate in a name becomes a question mark."""
    return str(value).encode("utf-8", "replace").decode("utf-8")


def texts(values: Iterable[Any]) -> list[str]:
    """A list of such texts."""
    return [text(value) for value in values]


def count(value: float | None) -> str:
    """10000 → 10 000."""
    if value is None:
        return NONE
    return f"{value:,.0f}".replace(",", THIN).replace("-", "−")


def decimal(value: float | None, digits: int = 3) -> str:
    """Three significant digits, small numbers in powers of ten."""
    if value is None:
        return NONE
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size < -3 or size > 5:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        return f"{mantissa}e{int(exponent)}".replace("-", "−")
    return f"{value:.{max(0, digits - 1 - size)}f}".replace("-", "−")


def aligned(largest: float) -> Form:
    """One number of decimals for a column, four digits for its largest value."""
    return _with_digits(largest, 4)


def stepped(width: float) -> Form:
    """As many decimals as the ends of bins of that width need."""
    return _with_digits(width, 2)


def _with_digits(value: float, digits: int) -> Form:
    """Write numbers with the decimals that ``value`` has with that many digits."""
    size = math.floor(math.log10(value)) if value > 0 else 0
    if size < -3 or size > 5:
        return decimal
    places = max(0, digits - 1 - size)
    return lambda v: NONE if v is None else f"{v:.{places}f}".replace("-", "−")


def percent(value: float | None, places: int = 1) -> str:
    """0.8824 → 88.2 %; little is not 0."""
    if value is None:
        return NONE
    least = 10.0**-places
    if 0 < 100 * value < least / 2:
        return f"<{THIN}{least:g}{THIN}%"
    return f"{100 * value:.{places}f}{THIN}%"


def probability(value: float | None) -> str:
    """A p- or q-value: two significant digits, nothing below 0.001."""
    if value is None:
        return NONE
    if value < 0.001:
        return f"<{THIN}0.001"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def duration(seconds: float | None) -> str:
    """Milliseconds to hours, whichever reads best."""
    if seconds is None:
        return NONE
    if seconds < 1:
        return f"{1000 * seconds:.0f}{THIN}ms"
    if seconds < 100:
        return f"{seconds:.1f}{THIN}s"
    if seconds < 6000:
        return f"{seconds / 60:.1f}{THIN}min"
    return f"{seconds / 3600:.1f}{THIN}h"


def interval(low: float | None, high: float | None, form: Form = count) -> str:
    """Two ends with a dash between; one number where they are the same."""
    if low is None or high is None:
        return NONE
    ends = [form(low), form(high)]
    # A dash before a minus would be hard to read.
    between = " to " if ends[1].startswith("−") else DASH
    return ends[0] if ends[0] == ends[1] else between.join(ends)


def two_digits(value: float | None) -> str:
    """Two decimals, as an index between 0 and 1 has them."""
    return NONE if value is None else f"{value:.2f}".replace("-", "−")


def direction(sign: float | None, auc: float | None) -> str:
    """The AUC, after an arrow if values clearly rise, or fall, with the class."""
    if auc is None:
        return NONE
    arrow = {1: "↑ ", -1: "↓ "}.get(int(sign or 0), "")
    return f"{arrow}{auc:.2f}"


def measured(value: float | None, scoring: str | None) -> str:
    """A score of the curve, in per cent if it is a share; R² with two decimals."""
    if scoring == "r2" and value is not None:
        return two_digits(round(value, 2) + 0.0)  # no minus before zero
    return percent(value) if measure(scoring).share else decimal(value)


def breakable(name: str) -> str:
    """A name as HTML that may be broken where its words meet.

    Examples
    --------
    >>> from widemargin.reporting.formats import breakable
    >>> print(breakable("mean_valueOf<x>"))
    mean_<wbr>value<wbr>Of&lt;x&gt;
    """
    from markupsafe import Markup

    return Markup("<wbr>").join(WORDS.split(name))


def unbroken(sentence: str) -> str:
    """The same sentence with its numbers, per cent and "1-NN" kept on one line.

    What is part of a word, or quoted, is a name and stays as it is.
    """
    sentence = re.sub(
        r"(?<![\w.'-])\d{5,}(?![\w'])", lambda n: count(int(n[0])), sentence
    )
    return sentence.replace(" %", f"{THIN}%").replace("-NN", f"{HYPHEN}NN")


def in_words(n: int) -> str:
    """Small numbers as words, as a sentence has them."""
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
    return words[n] if n < len(words) else count(n)
