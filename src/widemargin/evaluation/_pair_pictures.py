"""How two features work together, as a grid of means and as a sentence."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from widemargin.data.protocol import Floats, Ints

CELLS = 4  # bins of a number in a picture
LEVELS = 8  # values of a nominal feature in a picture
CUTS = 9  # at which a number may be high
FEW_VALUES = 6  # of a number, from which down each is a condition of its own, too
LEAST = 5  # rows in a cell
SMALL = 0.3  # of the largest effect: what counts as none

Side = tuple[str, Floats, list[Any] | None]  # name, values or codes, categories


class Two(NamedTuple):
    """Two features and what they tell."""

    a: Side
    b: Side
    y: Floats
    what: str  # "the target", or "class 1"

    @property
    def classes(self) -> bool:
        """Whether y is a class."""
        return self.what.startswith("class")


class PairPicture(NamedTuple):
    """Means over the values of two features.

    Attributes
    ----------
    a, b : str
        Names of the features.
    rows, columns : list of str
        Values of ``a`` from low to high, and of ``b``.
    mean : array of shape (n_rows, n_columns)
        Mean target, or share of a class; NaN without rows.
    n_samples : array of shape (n_rows, n_columns)
        Number of rows of the table.
    what : str
        What is shown: "mean of the target", or "share of class 1".
    """

    a: str
    b: str
    rows: list[str]
    columns: list[str]
    mean: Floats
    n_samples: Ints
    what: str


def picture(two: Two) -> PairPicture:
    """Means in the cells of a grid."""
    (i, rows), (j, columns) = (_binned(side) for side in (two.a, two.b))
    there = (i >= 0) & (j >= 0)
    shape = len(rows), len(columns)
    cell = i[there] * shape[1] + j[there]
    count = np.bincount(cell, minlength=shape[0] * shape[1])
    total = np.bincount(cell, two.y[there], minlength=shape[0] * shape[1])
    mean = np.full(len(count), np.nan)
    np.divide(total, count, out=mean, where=count > 0)
    what = f"share of {two.what}" if two.classes else f"mean of {two.what}"
    return PairPicture(
        two.a[0], two.b[0], rows, columns,
        mean.reshape(shape), count.reshape(shape), what,
    )  # fmt: skip


def _binned(side: Side) -> tuple[Ints, list[str]]:
    """Bins of the values, −1 where they are missing, and their labels."""
    _, values, categories = side
    there = ~np.isnan(values)
    different, counts = np.unique(values[there], return_counts=True)
    bins = np.full(len(values), -1, np.int64)
    if categories is not None or len(different) <= CELLS:
        shown = different
        if len(different) > LEVELS:
            shown = np.sort(different[np.argsort(-counts, kind="stable")[: LEVELS - 1]])
        place = np.searchsorted(shown, values[there])
        place = np.minimum(place, len(shown) - 1)
        bins[there] = np.where(shown[place] == values[there], place, len(shown))
        labels = [_value(v, categories) for v in shown]
        return bins, labels + ["others"] * (len(different) > len(shown))
    edges = np.unique(np.quantile(values[there], np.arange(1, CELLS) / CELLS))
    edges = edges[edges < different[-1]]
    bins[there] = np.searchsorted(edges, values[there])  # up to and including the edge
    labels = [f"≤ {edges[0]:.3g}"]
    labels += [f"{low:.3g} to {high:.3g}" for low, high in pairwise(edges)]
    return bins, [*labels, f"> {edges[-1]:.3g}"]


def _value(value: float, categories: list[Any] | None) -> str:
    return f"{value:.4g}" if categories is None else str(categories[int(value)])


class Condition(NamedTuple):
    """A feature is high, or has a certain value."""

    name: str
    cut: str  # "> 0.2", or "" for a value
    value: str
    holds: Floats  # (n,) 1 or 0


def sentence(two: Two, *, cuts: bool = True) -> str:
    """Say how the features work together, with each of them cut in two.

    They are cut where the interaction of the two halves is strongest; ``cuts`` are
    named at the end.
    """
    there = ~(np.isnan(two.a[1]) | np.isnan(two.b[1]))
    a, b = (_conditions(side, there) for side in (two.a, two.b))
    y = two.y[there]
    cells = _cells(a, b, y)
    if cells is None:
        return f"{two.a[0]} and {two.b[0]} work together."
    i, j, mean = cells
    words = _words(a[i], b[j], mean, two.what, two.classes)
    high = [f"{c.name} {c.cut}" for c in (a[i], b[j]) if c.cut and cuts]
    return f"{words} ({', '.join(high)})." if high else f"{words}."


def _conditions(side: Side, there: Any) -> list[Condition]:
    name, values, categories = side[0], side[1][there], side[2]
    different = np.unique(values)
    found = []
    if categories is None:
        of = values if len(different) > CUTS else different
        cuts = np.quantile(of, np.arange(1, CUTS + 1) / (CUTS + 1))
        for cut in np.unique(cuts[cuts < different[-1]]):
            holds = (values > cut).astype(np.float64)
            found.append(Condition(name, f"> {cut:.3g}", "", holds))
    if categories is not None or 2 < len(different) <= FEW_VALUES:
        for value in different:
            holds = (values == value).astype(np.float64)
            found.append(Condition(name, "", _value(value, categories), holds))
    return found


def _cells(
    a: list[Condition], b: list[Condition], y: Floats
) -> tuple[int, int, Floats] | None:
    """The two conditions with the strongest interaction, and the means [a, b]."""
    if not a or not b:
        return None
    A, B = (np.array([c.holds for c in side]) for side in (a, b))
    count, total = np.empty((2, 2, 2, len(a), len(b)))
    for s, P in enumerate((1 - A, A)):
        for t, Q in enumerate((1 - B, B)):
            count[s, t], total[s, t] = P @ Q.T, (P * y) @ Q.T
    mean = total / np.maximum(count, 1)
    twist = mean[1, 1] - mean[1, 0] - mean[0, 1] + mean[0, 0]
    z = np.abs(twist) / np.sqrt((1 / np.maximum(count, 1)).sum(axis=(0, 1)))
    z[count.min(axis=(0, 1)) < LEAST] = -1.0
    i, j = np.unravel_index(z.argmax(), z.shape)
    return None if z[i, j] < 0 else (int(i), int(j), mean[:, :, i, j])


def _words(a: Condition, b: Condition, mean: Floats, what: str, classes: bool) -> str:
    by_a, by_b = mean[1] - mean[0], mean[:, 1] - mean[:, 0]
    small = SMALL * float(max(np.abs(by_a).max(), np.abs(by_b).max()))
    most, least = ("frequent", "rare") if classes else ("high", "low")
    numbers = bool(a.cut and b.cut)
    if all(e.min() < -small and e.max() > small for e in (by_a, by_b)):
        if by_a[1] < 0:
            how = f"exactly one of {a.name} and {b.name} is high"
            how = how if numbers else f"exactly one holds: {_is(a)}; {_is(b)}"
        else:
            how = f"{a.name} and {b.name} are both high or both low"
            how = how if numbers else f"both hold or neither: {_is(a)}; {_is(b)}"
        return f"{what} is {most} when {how}"
    for degree, signed in ((most, mean), (least, -mean)):
        s, t = divmod(int(signed.argmax()), 2)
        rest = np.delete(signed.ravel(), 2 * s + t)
        if np.ptp(rest) < SMALL * np.ptp(signed):
            return f"{what} is {degree} only when {_is(a, s)} and {_is(b, t)}"
    # One changes what the other does.
    if abs(abs(by_b[1]) - abs(by_b[0])) > abs(abs(by_a[1]) - abs(by_a[0])):
        a, b, by_a = b, a, by_b
    goes = f"the share of {what}" if classes else what
    strong, weak = (_moves(float(e), small) for e in (by_a[1], by_a[0]))
    if strong == weak:
        more = "more" if abs(by_a[1]) > abs(by_a[0]) else "less"
        return f"{goes} {strong} {_with(a)}, {more} so when {_is(b)}"
    return f"{goes} {strong} {_with(a)} when {_is(b)}, and {weak} when {_is(b, 0)}"


def _is(c: Condition, holds: int = 1) -> str:
    if c.cut:
        return f"{c.name} is {'high' if holds else 'low'}"
    return f"{c.name} is {'' if holds else 'not '}{c.value}"


def _with(c: Condition) -> str:
    return f"with {c.name}" if c.cut else f"where {c.name} is {c.value}"


def _moves(effect: float, small: float) -> str:
    if abs(effect) < small:
        return "hardly changes"
    return "rises" if effect > 0 else "falls"
