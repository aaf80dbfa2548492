"""What a test for signal can exchange if rows come in groups.

Rows of one group are not independent of each other. Two questions are left: whether the
means of groups go with their shares of the classes (or means of y), where whole groups
are exchanged, and whether deviations from the mean of the group go with the label,
where the rows of a group are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from widemargin.data.dataset import Columns
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation._signal_statistics import indicators

FEW_LABELLINGS = 40  # with which p cannot be below 0.05, being doubled for two parts


class Part(NamedTuple):
    """Rows, or groups, whose labels may be exchanged."""

    where: str  # "" without groups
    columns: Columns
    Y: Floats  # (n, K) indicators or shares of classes; one column of numbers
    strata: Ints  # within which labels are exchangeable
    numeric: bool = False  # whether Y holds numbers to predict

    @property
    def classes(self) -> Ints:
        """Codes of the classes; all 0 if labels are numbers, or shares of classes."""
        pure = self.Y.shape[1] > 1 and np.isin(self.Y, (0, 1)).all()
        codes: Ints = self.Y.argmax(axis=1) if pure else np.zeros(len(self.Y), np.int64)
        return codes

    @property
    def labellings(self) -> float:
        """In how many ways labels can be exchanged.

        Classes that trade all their labels make no difference to any statistic.
        """
        _, kinds = np.unique(self.Y, axis=0, return_inverse=True)
        cells = self.strata + kinds * (1 + self.strata.max())
        _, counts = np.unique(cells, return_counts=True)
        log = gammaln(np.bincount(self.strata) + 1).sum() - gammaln(counts + 1).sum()
        tables = np.zeros((self.classes.max() + 1, self.strata.max() + 1))
        np.add.at(tables, (self.classes, self.strata), 1)
        _, alike = np.unique(tables, axis=0, return_counts=True)
        log -= gammaln(alike + 1).sum()
        return float(np.round(np.exp(min(log, 700.0))))


def parts_of(
    columns: Columns, Y: Floats, groups: Ints | None, random: np.random.RandomState
) -> tuple[list[Part], str]:
    """What to test, and what to say of it."""
    if groups is None:
        return [Part("", columns, Y, np.zeros(len(Y), np.int64))], ""
    cells = _cells(columns)
    means = _means(cells, groups)
    n_groups = len(means)
    one_row = f"Each of the {n_groups} groups counts as one row, its mean."
    labels = np.empty((n_groups, Y.shape[1]))
    labels[groups] = Y
    mixed = np.bincount(groups, (labels[groups] != Y).any(axis=1)) > 0
    if not mixed.any():
        alike = np.zeros(n_groups, np.int64)
        return [Part("", _plain(means), labels, alike)], one_row
    between = _between(means, Y, groups, random)
    both = [between, _within(cells - means[groups], Y, groups, mixed[groups])]
    used = [part for part in both if part.labellings >= FEW_LABELLINGS]
    used = used or [max(both, key=lambda part: part.labellings)]
    if used[0] is not between:
        return used, "Labels were permuted within groups, which hardly differ in them."
    rows, many = int(mixed[groups].sum()), int(mixed.sum())
    if len(used) == 1:
        inside = f"The {rows} rows in groups of several labels are too few for a test."
    else:
        inside = (
            f"Labels were also permuted within the {many} groups that have several; "
            "the p-value is twice the smaller of the two."
        )
    return used, f"{one_row} {inside}"


def _between(
    means: Floats, Y: Floats, groups: Ints, random: np.random.RandomState
) -> Part:
    """Groups, with shares of the classes or means of y as labels.

    Shares of small groups vary more, as means of their features do. Groups are
    exchangeable nevertheless if their labels are of as many rows: those of a stratum
    are of as many as its smallest group has.
    """
    # Numbers in units in which what rounding leaves of equal means is equal.
    units = Y if Y.shape[1] > 1 else (Y - Y.mean()) / (Y.std() or 1.0)
    sizes, parts = np.bincount(groups), []
    for strata in (_strata(sizes), np.zeros(len(sizes), np.int64)):
        least = np.array([sizes[strata == s].min() for s in range(strata.max() + 1)])
        rows = _drawn(groups, least[strata], random)
        labels = _present(np.round(_means(units[rows], groups[rows]), 9))
        parts.append(Part("between groups", _plain(means), labels, strata))
        if parts[-1].labellings >= FEW_LABELLINGS:
            return parts[-1]
    return parts[-1]


def _drawn(groups: Ints, counts: Ints, random: np.random.RandomState) -> Ints:
    """So many random rows of each group."""
    order = np.lexsort((random.random_sample(len(groups)), groups))
    starts = np.searchsorted(groups[order], np.arange(len(counts)))
    place = np.arange(len(order)) - starts[groups[order]]
    return order[place < counts[groups[order]]]


def _strata(sizes: Ints) -> Ints:
    """Numbers of strata, the largest of which is at most twice the smallest size."""
    strata, smallest = np.zeros(len(sizes), np.int64), sizes.min()
    for size in np.unique(sizes):
        if size > 2 * smallest:
            smallest = size
            strata += sizes >= size
    return strata


def _within(
    deviations: Floats, Y: Floats, groups: Ints, rows: NDArray[np.bool_]
) -> Part:
    """Rows of the groups in which there is something to exchange."""
    labels = Y[rows]
    _, strata = np.unique(groups[rows], return_inverse=True)
    if Y.shape[1] == 1:
        labels = labels - _means(labels, strata)[strata]
    columns = _plain(deviations[rows])
    return Part("within groups", columns, _present(labels), strata)


def _present(Y: Floats) -> Floats:
    """Labels without classes that none has any of."""
    return Y[:, Y.any(axis=0)] if Y.shape[1] > 1 else Y


def _cells(columns: Columns) -> Floats:
    """Numbers, and an indicator of each nominal value."""
    parts = [columns.numbers]
    parts += [indicators(codes) for codes in columns.nominal.values()]
    return np.hstack(parts)


def _means(cells: Floats, groups: Ints) -> Floats:
    """Means over the rows of each group; NaN where all are missing."""
    there = ~np.isnan(cells)
    sums, counts = np.zeros((2, int(groups.max()) + 1, cells.shape[1]))
    np.add.at(sums, groups, np.where(there, cells, 0.0))
    np.add.at(counts, groups, there)
    with np.errstate(invalid="ignore"):
        means: Floats = sums / counts
    return means


def _plain(cells: Floats) -> Columns:
    """Columns of numbers, but for those without any."""
    kept = ~np.all(np.isnan(cells), axis=0)
    return Columns(cells[:, kept], {})
