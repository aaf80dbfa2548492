"""Columns that may not be what they seem: identifiers, groups, codes, spellings.

The command and `evaluation.profile` follow the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from widemargin.data.protocol import Floats, Ints
from widemargin.threads import spans

# Names of columns that may count the rows, and of those that may hold a key of each.
NUMBERING = re.compile(
    r"(.*[ _-])?(id|index|idx|row|number|nr|no|#)\.?|(unnamed: |column )\d+",
    re.IGNORECASE,
)
KEYS = re.compile(
    r"(?i:(.*[ _.-])?(id|uid|uuid|guid|pk|key))|.*[a-z](Id|ID)|(?i:index|idx|row)"
    r"|(?i:(unnamed: |column )\d+)"
    r"|(?i:(account|case|client|customer|employee|event|item|member|order|passenger"
    r"|patient|person|product|record|row|sample|session|student|subject|user)id)"
)

NEARLY_EMPTY = 0.95  # share of missing values above which a column says too little
DISTINCT_SHARE = 0.9  # of the distinct rows, that have a value of an identifier alone
REPEATED_SHARE = 0.5  # of all rows: below, values are not repeated by chance
SOME_ROWS = 1000  # that are enough to see that most columns have no such code
FEWEST_GROUPS = 10  # values that occur in several rows
BY_CHANCE = 1e-6  # that all rows of each value have one class, at most
FEWEST_VALUES = 5  # distinct ones, besides a code for missing, that show a range


def is_called_key(name: str) -> bool:
    """Whether a column has the name of a key."""
    return KEYS.fullmatch(name) is not None


def is_called_identifier(name: str) -> bool:
    """Whether a column has the name of a key, or of a number that counts the rows."""
    return is_called_key(name) or NUMBERING.fullmatch(name) is not None


def numbers_rows(
    name: str, codes: Ints, numbers: Floats, others: Iterable[Ints] = ()
) -> bool:
    """Whether a column of numbers counts or identifies the rows, and is called so.

    ``codes`` are places in ``numbers``, the distinct ones in order of appearance, and
    ``others`` those of all columns, as `names_rows` needs them.
    """
    with np.errstate(invalid="ignore"):  # infinite ones
        counts = NUMBERING.fullmatch(name) and (np.diff(numbers) == 1).all()
        keyed = is_called_key(name) and (numbers % 1 == 0).all()
    return bool(counts or keyed) and names_rows(codes, others)


def names_rows(codes: Ints, others: Iterable[Ints]) -> bool:
    """Whether the values of a column, as codes, identify rows.

    Nearly every distinct row has a value of its own; rows that are repeated as a whole
    count once. Codes of missing values are negative. ``others`` has the codes of all
    columns, and is not looked at if the values hardly repeat.
    """
    there = codes >= 0
    rows = codes[there]
    distinct = len(np.unique(rows))
    if not may_name_rows(distinct, len(rows)):
        return False
    if hardly_repeat(distinct, len(rows)):
        return True
    most = distinct / DISTINCT_SHARE
    for other in others:
        pairs = rows * (other.max() + 2) + other[there] + 1
        rows = np.unique(pairs, return_inverse=True)[1]
        if rows.max() + 1 > most:
            return False
    return True


def may_name_rows(distinct: int, rows: int) -> bool:
    """Whether a column has enough distinct values to identify rows, if some repeat."""
    return distinct > 2 and distinct >= REPEATED_SHARE * rows


def hardly_repeat(distinct: int, rows: int) -> bool:
    """Whether nearly every one of some rows has a value of its own."""
    return distinct > 2 and distinct >= DISTINCT_SHARE * rows


def names_groups(codes: Ints, y: Ints) -> bool:
    """Whether the values of a column, as codes, seem to name groups of rows.

    Rows of one patient are alike, and all have the patient's class. So a column that
    names patients predicts the class of further rows of a patient, but tells nothing
    about new patients.

    Many of them occur in several rows, and all rows of a value have the same class, as
    they would hardly have if values and classes had nothing to do with each other.
    Codes of missing values are negative.
    """
    there = codes >= 0
    codes, y = codes[there], y[there]
    if not len(codes):
        return False
    sizes = np.bincount(codes)
    if np.count_nonzero(sizes > 1) < FEWEST_GROUPS:
        return False
    n_classes = int(y.max()) + 1
    if len(np.unique(codes * n_classes + y)) > np.count_nonzero(sizes):
        return False
    return _log_chance(sizes[sizes > 1], np.bincount(y) / len(y)) < np.log(BY_CHANCE)


def _log_chance(sizes: Ints, shares: Floats) -> float:
    """Logarithm of how likely groups of these sizes are to have one class each."""
    same = (shares[None, :] ** sizes[:, None]).sum(axis=1)
    with np.errstate(divide="ignore"):  # groups so large that it is 0
        return float(np.log(same).sum())


def codes_for_missing(values: Floats) -> dict[int, list[float]]:
    """Numbers that may stand for a missing value, such as −999, by column.

    Such a number occurs more than once, at an end, and is farther from the next value
    than all others are from each other; 0 is none.
    """
    found: dict[int, list[float]] = {}
    n, d = values.shape
    for part in spans(d, max(1, 2**22 // max(n, 1))):
        for f in part.start + _halved(values[:, part]):
            if codes := _codes_in(values[:, f]):
                found[int(f)] = codes
    return found


def _halved(values: Floats) -> Ints:
    """Columns in which, an end aside, one half of the range may be empty."""
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    with np.errstate(invalid="ignore", over="ignore"):
        middle = low + (high - low) / 2
        suspects = low < high
        for rows in (values[:SOME_ROWS], values):
            some = rows[:, suspects]
            at, ends = middle[suspects], (low[suspects], high[suspects])
            lower = ((some > ends[0]) & (some <= at)).any(axis=0)
            upper = ((some < ends[1]) & (some >= at)).any(axis=0)
            suspects[suspects] = ~(lower & upper)
    return np.flatnonzero(suspects)


def _codes_in(values: Floats) -> list[float]:
    """The same for one column, from the outermost on."""
    left, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    found = []
    while len(left) > FEWEST_VALUES:
        gaps = np.diff(left[[0, 1, -2, -1]])
        inner = left[-1] - left[1], left[-2] - left[0]  # without either end
        lowest = gaps[0] > inner[0]
        if not (lowest or gaps[2] > inner[1]):
            break
        end, rest = (0, slice(1, None)) if lowest else (-1, slice(-1))
        if counts[end] < 2 or left[end] == 0:
            break
        found.append(float(left[end]))
        left, counts = left[rest], counts[rest]
    return found


def alike(values: Iterable[object]) -> list[list[str]]:
    """Text that differs in upper and lower case, or in white space, only."""
    spellings: dict[str, list[str]] = {}
    for text in map(str, values):
        spellings.setdefault(" ".join(text.casefold().split()), []).append(text)
    return [sorted(same) for same in spellings.values() if len(same) > 1]
