"""Columns that are one feature: they stay or go together, as a block.

`read_blocks` reads the caller's ``feature_groups``. Everything that ranks, counts or
compares features speaks of the groups; methods see the columns, scaled so that a group
counts as one feature (`scaled_blocks`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from widemargin.data.protocol import Floats, Ints

if TYPE_CHECKING:
    from widemargin.data.table import Table

SEPARATOR = "__"  # between a transformer of a ColumnTransformer and a column


class Blocks(NamedTuple):
    """The features that the columns of a caller's table belong to."""

    feature: Ints  # (p,) of each column, numbered by their first columns
    names: NDArray[np.object_]  # (d,) of the features


class Pool(NamedTuple):
    """How sums over the columns of a table become sums over features."""

    feature: Ints  # (p,) the feature of each column
    factors: Floats  # (2, p) for sums of differences, and of their squares
    ranges: Floats  # (p,) the largest difference of a group; NaN for other columns

    def add_up(self, sums: Floats, power: int) -> Floats:
        """Give each column what all columns of its feature have together."""
        return by_feature(self.feature, sums * self.factors[power - 1], np.add)[
            ..., self.feature
        ]


def by_feature(feature: Ints, values: NDArray[Any], combine: np.ufunc) -> Any:
    """What the columns of each feature have together, along the last axis."""
    order = np.argsort(feature, kind="stable")
    starts = np.flatnonzero(np.diff(feature[order], prepend=-1))
    return combine.reduceat(np.asarray(values)[..., order], starts, axis=-1)


def columns_of(feature: Ints | None, features: Ints) -> Ints:
    """The columns of some features, one feature after the other."""
    if feature is None:
        return features
    order = np.argsort(feature, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(feature[order])) + 1)
    return np.concatenate([parts[f] for f in features] or [order[:0]])


def read_blocks(groups: Any, columns: Any, d: int, caller: str) -> Blocks | None:
    """The features that ``feature_groups`` make of d columns; None if each is one.

    ``columns`` are the names of the columns, None if they have none.
    """
    if groups is None:
        return None
    names = [f"x{f}" for f in range(d)] if columns is None else list(map(str, columns))
    if isinstance(groups, str):
        if groups != "prefix":
            raise ValueError(
                f'{caller} needs feature_groups to be a mapping, labels or "prefix", '
                f"got {groups!r}."
            )
        if columns is None:
            raise ValueError(
                f'{caller}: feature_groups="prefix" goes by the names of the columns, '
                "but X has none. Pass a DataFrame, or one label per column."
            )
        labels = [prefix_of(name) for name in names]
    elif isinstance(groups, Mapping):
        labels = _labels_of(groups, names, caller)
    else:
        labels = [None if g is None or g != g else str(g) for g in groups]
        if len(labels) != d:
            raise ValueError(
                f"{caller} needs one label in feature_groups for each of {d} columns, "
                f"got {len(labels)}."
            )
    return _numbered(labels, names)


def prefix_of(name: str) -> str | None:
    """What precedes the last underscore, after the name of a transformer.

    Examples
    --------
    >>> from widemargin.data.blocks import prefix_of
    >>> prefix_of("colour_red"), prefix_of("onehot__colour_red"), prefix_of("num__age")
    ('colour', 'onehot__colour', None)
    """
    head, separator, own = name.rpartition(SEPARATOR)
    before, _, _ = own.rpartition("_")
    return f"{head}{separator}{before}" if before else None


def _labels_of(
    groups: Mapping[Any, Any], names: list[str], caller: str
) -> list[str | None]:
    """The group of each column, of a mapping from names to columns."""
    labels: list[str | None] = [None] * len(names)
    for group, members in groups.items():
        for column in [members] if isinstance(members, str) else members:
            whole = isinstance(column, int | np.integer) and str(column) not in names
            place = int(column) if whole else -1
            if not whole and str(column) in names:
                place = names.index(str(column))
            if not 0 <= place < len(names):
                raise ValueError(
                    f"{caller}: feature_groups has {column!r} in {group!r}, which is "
                    f"not one of the {len(names)} columns of X."
                )
            if labels[place] is not None:
                raise ValueError(
                    f"{caller}: feature_groups has column {names[place]!r} in "
                    f"{labels[place]!r} and in {group!r}; it can be in one only."
                )
            labels[place] = str(group)
    return labels


def _numbered(labels: list[str | None], names: list[str]) -> Blocks | None:
    """Features in the order of their first columns; None if no column has company."""
    alone = {label for label, count in Counter(labels).items() if count == 1}
    own = {names[f] for f, g in enumerate(labels) if g is None or g in alone}
    places: dict[tuple[str, bool], int] = {}
    feature = np.empty(len(names), np.int64)
    for f, label in enumerate(labels):
        grouped = label is not None and label not in alone
        key = (str(label), True) if grouped else (names[f], False)
        feature[f] = places.setdefault(key, len(places))
    if len(places) == len(names):
        return None
    named = [f"{n} (group)" if grouped and n in own else n for n, grouped in places]
    return Blocks(feature, np.array(named, dtype=object))


def scaled_blocks(table: Table, feature: Ints, scale: str | None, metric: str) -> Table:
    """The table with each group of columns scaled as a whole, as one feature.

    The largest difference of two rows is 1, as for a nominal feature. With "standard",
    the mean squared difference is that of a standardised column instead; with None, the
    largest is that of the widest column. A group's columns are first moved to [0, 1],
    unless ``scale`` is None.
    """
    d = table.n_features
    w, factors, ranges = np.ones(d), np.ones((2, d)), np.full(d, np.nan)
    power = 1 if metric == "manhattan" else 2
    for f in np.flatnonzero(np.bincount(feature) > 1):
        columns = np.flatnonzero(feature == f)
        unit = 1.0 if scale is None else table.span[columns]
        wide = float(table.ranges[columns].max()) if scale is None else 1.0
        # The largest Σ|Δ|, and the largest Σ Δ².
        largest = [_largest(_as_numbers(table, columns, unit, p), p) for p in (1, 2)]
        size = largest[power - 1] ** (1 / power) / wide
        if scale == "standard":
            Z = _as_numbers(table, columns, unit, 2)
            Z = Z - np.average(Z, axis=0, weights=table.weights)
            spread = np.average(Z**2, axis=0, weights=table.weights).sum()
            size, wide = np.sqrt(spread), largest[power - 1] ** (1 / power)
            wide /= size or 1.0
        size = size or 1.0  # of constant columns
        w[columns], ranges[columns] = 1 / (unit * size), wide
        for p in (1, 2):
            together = largest[p - 1] / size**p
            factors[p - 1, columns] = wide**p / together if together else 1.0
    return replace(table.reweighted(w), pool=Pool(feature, factors, ranges))


def group_spans(Z: Floats, nominal: NDArray[np.bool_], feature: Ints) -> Floats:
    """What to divide scaled columns by, so that a group counts as its widest column.

    Columns of nominal values, which differ by 1, are left as they are.
    """
    spans = np.ones(Z.shape[1])
    for f in np.flatnonzero(np.bincount(feature) > 1):
        columns = np.flatnonzero((feature == f) & ~nominal)
        if len(columns):
            wide = np.ptp(Z[:, columns], axis=0).max() or 1.0
            spans[columns] = np.sqrt(_largest(Z[:, columns], 2)) / wide or 1.0
    return spans


def _as_numbers(table: Table, columns: Ints, unit: Any, power: int) -> Floats:
    """Different rows of some columns over their units; nominal ones as indicators.

    Two values of a nominal column are 1 apart, in Σ|Δ| or in Σ Δ².
    """
    numbers = table.X[:, columns] / unit
    if table.mixed is None:
        return numbers
    parts = [numbers]
    for m in np.flatnonzero(np.isin(table.mixed.nominal, columns)):
        codes = table.mixed.codes[:, m]
        values = np.unique(codes[~np.isnan(codes)])
        parts.append((codes[:, None] == values) / 2 ** (1 / power))
    return np.hstack(parts)


def _largest(rows: Floats, power: int) -> float:
    """The largest Σ|Δ|^power of two rows, exactly.

    Rows far from the mean come first: when twice the distance of the next one from it
    is no more than the largest so far, by the triangle inequality all is known.
    """
    metric = "cityblock" if power == 1 else "euclidean"
    rows = np.unique(rows, axis=0)
    far = cdist(rows, rows.mean(axis=0, keepdims=True), metric)[:, 0]
    order = np.argsort(-far)
    rows, far, best = rows[order], far[order], 0.0
    for i, reach in enumerate(far):
        if 2 * reach <= best:
            break
        others = rows[: int(np.searchsorted(-far, reach - best, side="right"))]
        best = max(best, float(cdist(rows[i : i + 1], others, metric).max(initial=0)))
    return best**power
