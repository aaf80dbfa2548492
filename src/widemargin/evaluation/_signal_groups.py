"""What a test for signal can exchange if rows come in groups.

Rows of one group are not independent of each other. Two questions are left: whether the
means of groups go with their shares of the classes (or means of y), where whole groups
are exchanged, and whether deviations from the mean of the group go with the label,
where the rows of a group are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from widemargin.data.dataset import Columns
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation import _signal_statistics as statistics

FEW_LABELLINGS = 40  # with which p cannot be below 0.05, being doubled for two parts


class Part(NamedTuple):
    """Rows, or groups, whose labels may be exchanged."""

    where: str  # "" without groups
    columns: Columns
    labels: NDArray[Any]
    of_target: statistics.OfTarget
    strata: Ints  # within which labels are exchangeable

    @property
    def labellings(self) -> float:
        """In how many ways labels can be exchanged.

        Classes that trade all their labels make no difference to any statistic.
        """
        _, codes = np.unique(self.labels, return_inverse=True)
        cells = self.strata + codes * (1 + self.strata.max())
        _, counts = np.unique(cells, return_counts=True)
        log = gammaln(np.bincount(self.strata) + 1).sum() - gammaln(counts + 1).sum()
        if type(self.of_target) is statistics.OfClasses:
            tables = np.zeros((codes.max() + 1, self.strata.max() + 1))
            np.add.at(tables, (codes, self.strata), 1)
            _, alike = np.unique(tables, axis=0, return_counts=True)
            log -= gammaln(alike + 1).sum()
        return float(np.round(np.exp(min(log, 700.0))))


def parts_of(
    columns: Columns,
    y: NDArray[Any],
    of_target: statistics.OfTarget,
    groups: Ints | None,
    random: np.random.RandomState,
) -> tuple[list[Part], str]:
    """What to test, and what to say of it."""
    if groups is None:
        return [Part("", columns, y, of_target, np.zeros(len(y), np.int64))], ""
    cells = _cells(columns)
    means = _means(cells, groups)
    n_groups = len(means)
    one_row = f"Each of the {n_groups} groups counts as one row, its mean."
    mixed = _mixed(y, groups)
    if not mixed.any():
        label = np.empty(n_groups, y.dtype)
        label[groups] = y
        alike = np.zeros(n_groups, np.int64)
        return [Part("", _plain(means), label, of_target, alike)], one_row
    between = _between(means, y, of_target, groups, random)
    both = [between, _within(cells - means[groups], y, of_target, groups, mixed)]
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


def _mixed(y: NDArray[Any], groups: Ints) -> NDArray[np.bool_]:
    """Groups whose rows differ in their label."""
    first = np.empty(int(groups.max()) + 1, y.dtype)
    first[groups] = y
    mixed: NDArray[np.bool_] = np.bincount(groups, first[groups] != y) > 0
    return mixed


def _between(
    means: Floats,
    y: NDArray[Any],
    of_target: statistics.OfTarget,
    groups: Ints,
    random: np.random.RandomState,
) -> Part:
    """Groups, with shares of the classes or means of y as labels.

    Shares of small groups vary more, as means of their features do. Groups are
    exchangeable nevertheless if their labels are of as many rows: those of a stratum
    are of as many as its smallest group has.
    """
    sizes, parts = np.bincount(groups), []
    for strata in (_strata(sizes), np.zeros(len(sizes), np.int64)):
        least = np.array([sizes[strata == s].min() for s in range(strata.max() + 1)])
        rows = _drawn(groups, least[strata], random)
        labels, of_labels = _labels_of(y[rows], groups[rows], of_target)
        parts.append(Part("between groups", _plain(means), labels, of_labels, strata))
        if parts[-1].labellings >= FEW_LABELLINGS:
            return parts[-1]
    return parts[-1]


def _drawn(groups: Ints, counts: Ints, random: np.random.RandomState) -> Ints:
    """So many random rows of each group."""
    order = np.lexsort((random.random_sample(len(groups)), groups))
    starts = np.searchsorted(groups[order], np.arange(len(counts)))
    place = np.arange(len(order)) - starts[groups[order]]
    return order[place < counts[groups[order]]]


def _labels_of(
    y: NDArray[Any], groups: Ints, of_target: statistics.OfTarget
) -> tuple[NDArray[Any], statistics.OfTarget]:
    """Means of y, or shares of the classes, in each group."""
    if isinstance(of_target, statistics.OfNumbers):
        # In units in which what rounding leaves of equal means is equal.
        units = (y - y.mean()) / (y.std() or 1.0)
        return np.round(_means(units[:, None], groups)[:, 0], 9), of_target
    members = y[:, None] == np.unique(y)
    shares, labels = np.unique(
        _means(members.astype(np.float64), groups), axis=0, return_inverse=True
    )
    return labels, statistics.OfShares(shares)


def _strata(sizes: Ints) -> Ints:
    """Numbers of strata, the largest of which is at most twice the smallest size."""
    strata, smallest = np.zeros(len(sizes), np.int64), sizes.min()
    for size in np.unique(sizes):
        if size > 2 * smallest:
            smallest = size
            strata += sizes >= size
    return strata


def _within(
    deviations: Floats,
    y: NDArray[Any],
    of_target: statistics.OfTarget,
    groups: Ints,
    mixed: NDArray[np.bool_],
) -> Part:
    """Rows of the groups in which there is something to exchange."""
    rows = mixed[groups]
    labels = y[rows]
    _, strata = np.unique(groups[rows], return_inverse=True)
    if isinstance(of_target, statistics.OfNumbers):
        labels = labels - _means(labels[:, None], strata)[strata, 0]
    else:
        classes, labels = np.unique(labels, return_inverse=True)
        of_target = statistics.OfClasses(len(classes))
    return Part("within groups", _plain(deviations[rows]), labels, of_target, strata)


def _cells(columns: Columns) -> Floats:
    """Numbers, and an indicator of each nominal value."""
    parts = [columns.numbers]
    parts += [statistics.indicators(codes) for codes in columns.nominal.values()]
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
