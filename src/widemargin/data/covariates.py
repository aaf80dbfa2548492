"""Covariates: what the features are to tell something beyond, such as batch or age.

Numbers lose what covariates explain of them, by least squares. For classes, scores and
permutations stay within strata, rows that are alike in their covariates.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from widemargin.data.protocol import Floats, Ints

FEW_VALUES = 10  # whole numbers of so few different values are nominal
MOST_BINS = 5  # of a number, in strata
FEWEST_ROWS = 5  # of a stratum that is of use
USABLE = 0.9  # share of the rows that are to be in strata of use
MOST_BENDS, ROWS_PER_BEND = 4, 50  # of the curve along a number
MOST_CROSSED = 0.1  # columns of the design with products, as a share of the rows
MOST_EXPLAINED = 0.5  # columns of the design, as a share of the rows
NOTHING = 1e-9  # of a column: what is less is rounding


class Covariates(NamedTuple):
    """What is known of the covariates of each row."""

    design: Floats  # (n, q) one, indicators, curves along numbers, products of two
    strata: Ints  # (n,) within which rows are alike

    @staticmethod
    def of(values: Floats, nominal: Ints, labels: Ints, caller: str) -> Covariates:
        """The design and the strata of a table of numbers, or of codes if nominal."""
        n = len(values)
        if np.isnan(values).any():
            raise ValueError(
                f"{caller} needs covariates without missing values. Fill them in, or "
                "leave out the rows."
            )
        simple: list[Floats] = []
        smooth, numbers, cells = [np.ones((n, 1))], [], np.zeros(n, np.int64)
        for f, x in enumerate(values.T):
            found, codes = np.unique(x, return_inverse=True)
            whole = len(found) <= FEW_VALUES and (found % 1 == 0).all()
            if f in nominal or whole:
                simple.append(np.eye(len(found))[codes])
                cells = _crossed(cells, codes)
            else:
                z = (x - x.mean()) / x.std()
                simple.append(np.column_stack([z, z**2]))
                smooth.append(_bends(z))
                numbers.append(z.argsort(kind="stable").argsort(kind="stable"))
        design = np.hstack([*smooth, *simple])
        pairs = combinations(simple, 2)
        crossed = [(A[:, :, None] * B[:, None]).reshape(n, -1) for A, B in pairs]
        if design.shape[1] + sum(C.shape[1] for C in crossed) <= MOST_CROSSED * n:
            design = np.hstack([design, *crossed])
        if design.shape[1] > MOST_EXPLAINED * n:
            raise ValueError(
                f"{caller}: covariates of {design.shape[1]} columns, indicators of "
                f"values included, are too many for {n} rows. Use fewer of them."
            )
        for bins in range(MOST_BINS, 0, -1):
            strata = cells
            for ranks in numbers:
                strata = _crossed(strata, ranks * bins // n)
            if _usable(strata, labels) >= USABLE:
                break
        return Covariates(design, strata)


def _bends(z: Floats) -> Floats:
    """What is added to a straight line at quantiles, so that it bends there."""
    count = min(MOST_BENDS, len(z) // ROWS_PER_BEND)
    return np.maximum(
        z[:, None] - np.quantile(z, np.arange(1, count + 1) / (count + 1)), 0
    )


def _crossed(cells: Ints, codes: Ints) -> Ints:
    """Numbers of the cells that two groupings make together."""
    crossed: Ints = np.unique(cells * (codes.max() + 1) + codes, return_inverse=True)[1]
    return crossed


def of_use(labels: Ints) -> bool:
    """Whether there are enough rows, several of them of several classes."""
    return len(labels) >= FEWEST_ROWS and bool((np.bincount(labels) > 1).sum() > 1)


def _usable(strata: Ints, labels: Ints) -> float:
    """The share of rows in strata that are of use."""
    rows = [labels[strata == s] for s in np.unique(strata)]
    if np.ptp(labels) == 0:  # the target is a number
        return sum(len(y) for y in rows if len(y) >= FEWEST_ROWS) / len(labels)
    return sum(len(y) for y in rows if of_use(y)) / len(labels)


def residuals(values: Floats, design: Floats) -> Floats:
    """What least squares on the design leave of columns; NaN stay."""
    left = np.array(values, np.float64)
    columns = left.reshape(len(left), -1)
    gappy = np.isnan(columns)
    for rows in np.unique(gappy.T, axis=0):
        same, known = (gappy == rows[:, None]).all(axis=0), ~rows
        part, D = columns[np.ix_(known, same)], design[known]
        size = np.abs(part).max(axis=0, initial=0.0)
        part = part - D @ np.linalg.lstsq(D, part, rcond=None)[0]
        part[:, np.abs(part).max(axis=0, initial=0.0) <= NOTHING * size] = 0.0
        columns[np.ix_(known, same)] = part
    return columns.reshape(left.shape)


def shuffled(strata: Ints | None, n: int, random: np.random.RandomState) -> Ints:
    """A random order of n rows; within strata, if there are any."""
    if strata is None:
        return random.permutation(n)
    # Rows, stratum after stratum, take the place of the same in random order.
    order = np.empty(n, np.int64)
    order[np.argsort(strata, kind="stable")] = np.lexsort(
        (random.random_sample(n), strata)
    )
    return order
