"""Whether the numbers in y name classes, or measure something.

A measurement in whole numbers (a price, a count, an age) looks like a label to a
computer, and would make hundreds of classes. Two things tell them apart: classes are
few, or each has several rows. A measurement has many values, and those in its tails
occur once.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from widemargin.notices import warn

MANY_NUMBERS = 20  # up to so many different ones may be grades, whatever their sizes
SINGLE_SHARE = 0.1  # of the numbers that occur once, from which on y is a measurement
UNEVEN = 10  # rows of the largest class over those of the smallest, that raise doubt


class AcceptedLabels(np.ndarray[Any, np.dtype[Any]]):
    """Labels that were accepted as classes with all rows; a part of them is, too."""


def is_measurement(sizes: NDArray[np.integer]) -> bool:
    """Whether numbers that occur so often must be a measurement."""
    m = len(sizes)
    return m > MANY_NUMBERS and int(np.sum(sizes == 1)) >= SINGLE_SHARE * m


def may_be_measurement(sizes: NDArray[np.integer]) -> bool:
    """Whether numbers that occur so often may be one."""
    return len(sizes) > MANY_NUMBERS and bool(sizes.max() >= UNEVEN * sizes.min())


def looks_numeric(y: Any) -> bool:
    """Whether y holds numbers that measure something: decimals, or too many values.

    Text, booleans and categories never do.

    Examples
    --------
    >>> from widemargin.data.targets import looks_numeric
    >>> looks_numeric([0, 1, 1, 2]), looks_numeric([0.5, 1.25]), looks_numeric("ab")
    (False, True, False)
    """
    accepted = isinstance(y, AcceptedLabels)
    if y is None or accepted or str(getattr(y, "dtype", "")) == "category":
        return False
    values = np.asarray(y)
    if values.dtype.kind == "O":
        plain = all(type(v) in (int, float) or isinstance(v, np.number) for v in values)
        values = values.astype(np.float64) if plain and values.ndim == 1 else values
    if values.dtype.kind not in "iuf" or values.ndim != 1 or not len(values):
        return False
    numbers, sizes = np.unique(values, return_counts=True)
    finite = numbers[np.isfinite(numbers)]
    return bool(np.any(finite % 1 != 0)) or is_measurement(sizes)


def check_numbers(
    numbers: NDArray[Any],
    sizes: NDArray[np.integer],
    name: str,
    *,
    ordered: bool,
    look: bool = True,
) -> None:
    """Refuse numbers that are no classes, and warn of those that may be none.

    Parameters
    ----------
    numbers : array of shape (m,)
        Different numbers in y.
    sizes : array of shape (m,)
        Rows of each.
    name : str
        Who asks.
    ordered : bool
        Whether an order of the classes counts.
    look : bool, default=True
        Whether whole numbers are looked at. What was accepted as classes stays so: a
        part of the rows has more classes of one row than all of them.
    """
    broken = numbers[numbers % 1 != 0]
    if len(broken):
        refuse_measurement(
            f"numbers with decimals, such as {broken[0]:g} (Unknown label type: "
            "continuous)",
            name,
            ordered=ordered,
        )
    if not look:
        return
    m, n = len(numbers), int(sizes.sum())
    if is_measurement(sizes):
        refuse_measurement(
            f"{m} distinct numbers in {n} rows, {np.count_nonzero(sizes == 1)} of "
            "them in one row only",
            name,
            ordered=ordered,
        )
    if may_be_measurement(sizes):
        warn(
            f"{name}: y has {m} distinct numbers, and each is treated as a class, of "
            f"{sizes.min()} to {sizes.max()} rows. If y is a measurement, "
            f"{remedy(ordered=ordered)}"
        )


def refuse_measurement(what: str, name: str, *, ordered: bool) -> NoReturn:
    """Say why y is taken for a measurement, and what to do."""
    raise ValueError(
        f"{name} needs classes, but y looks like a measurement: it has {what}. If it "
        f"is one, {remedy(ordered=ordered)}"
    )


def remedy(*, ordered: bool) -> str:
    """What to do with a measurement, or with numbers that are taken for one."""
    label = "pandas.Categorical(y, ordered=True)" if ordered else "[str(v) for v in y]"
    kind = "an ordered categorical" if ordered else "text"
    return (
        'use KernelRFE(task="regression") or RReliefF, which rank features for a '
        "numeric target, or cut it into classes, for example three of equal size: "
        "pandas.qcut(y, 3, labels=False). If the numbers name classes, pass them as "
        f"{kind}: {label}."
    )
