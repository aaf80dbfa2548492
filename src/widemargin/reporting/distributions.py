"""Distributions of all columns, and how the best ones go with the classes or target.

``columns`` returns lists with one entry per feature: ``kind``, ``missing`` (cells
without a value), ``distinct`` (different values), ``low`` and ``high`` (None where
values are not numbers), ``values`` (of other columns the most frequent values, as
text) and ``histogram``. That is a text of up to twelve digits, one per bar: 9 for the
highest, 0 for an empty one. Numbers of few values have a bar for each, other numbers
one per stretch of the axis, and categories the most frequent ones, highest first.

``distributions`` returns ``classes`` (labels of those shown, the largest ones),
``n_classes`` (how many there are), ``ordered`` (whether they are in order) and
``features``, one dict per feature:

``feature``, ``missing``
    Its number; how many values each class lacks.
``kind`` = ``"numeric"``
    ``low``, ``high`` (the ends of the axis), ``cut`` (whether values beyond these are
    counted in the outermost bins), ``whole`` (whether bins are whole numbers, each
    from half below to half above), ``counts`` (per class one list, one entry per bin)
    and ``medians`` (per class).
``kind`` = ``"levels"``
    ``levels`` (labels, at most eight, the rest being "other") and ``counts`` (per class
    one list, one entry per level): nominal features and numbers of few values.

For a numeric target (of survival times, the risk) there are no classes; ``target`` has
``low`` and ``high``, the ends of its axis, and ``cut``, whether values lie beyond. A
feature's ``missing`` has one entry. Its ``rho`` is Spearman's correlation with the
target, None where values have no order, and its ``kind`` is one of these:

``kind`` = ``"scatter"``
    ``low``, ``high``, ``cut`` (of its axis), ``points`` (pairs of a value and a target,
    a random part of many rows), ``n_points`` (of how many) and ``trend`` (pairs of the
    medians of both in up to ten parts of the rows, from low values to high ones).
``kind`` = ``"boxes"``
    ``levels``, as above, and ``boxes``: per level ``count`` and the ``quartiles`` of
    the target, None without rows.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from widemargin.data.blocks import columns_of
from widemargin.data.dataset import Dataset
from widemargin.data.frames import feature_names
from widemargin.data.kinds import ORDERED
from widemargin.data.outcomes import target_columns, target_names
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation._findings import GROUP
from widemargin.reporting.formats import Json, numbers, text

N_FEATURES = 12
N_CLASSES = 8
N_ORDERED_CLASSES = 12  # shades of one colour; more can be told apart than colours
N_LEVELS = 8
WHOLE = 40  # whole numbers that get a bin each
N_POINTS = 500  # rows that are drawn
N_PARTS, FEWEST_ROWS = 10, 3  # of the rows for a trend, and rows of each
FAR = 4.0  # times the span of the middle 98 %, beyond which an axis is cut
BARS = 12  # of the histogram of a column
NAMED_VALUES = 3  # most frequent ones that are named
LONGEST = 24  # characters of a value
MOST_ROWS = 100_000  # a small histogram looks the same with every k-th row of more


def distributions(
    data: Dataset | None, order: Ints, profile: Any, ordered: bool = False
) -> Json | None:
    """Look at the first features of an order class by class; None without data.

    Sets of labels count as classes with rows in common; several numbers have none.
    """
    if data is None or not len(order):
        return None
    found: Json = {"classes": [], "n_classes": 0, "ordered": False}
    Y = None if data.target is None else target_columns(data.target, data.task)
    if Y is not None and data.task != "multilabel":
        if Y.shape[1] > 1:
            return None
        found["target"] = _axis(Y[:, 0])
        look = partial(_against, target=Y[:, 0])
    else:
        if Y is not None:
            labels, members = target_names(data.y_given, Y.shape[1]), Y.T > 0
        else:
            labels = data.classes.tolist() if data.labelled else ["all rows"]
            members = data.codes == np.arange(len(labels))[:, None]
        most = N_ORDERED_CLASSES if ordered else N_CLASSES
        shown = np.sort(np.argsort(-members.sum(axis=1), kind="stable")[:most])
        found["classes"] = [text(labels[c]) for c in shown]
        found |= {"n_classes": len(labels), "ordered": ordered}
        look = partial(_by_class, members=list(members[shown]))
    first = order[:N_FEATURES].tolist()
    nominal = [profile is not None and profile.kinds[f] == "nominal" for f in first]
    found["features"] = [
        {"feature": f, **look(column(data, f), as_name)}
        for f, as_name in zip(first, nominal, strict=True)
    ]
    return found


def _observed(
    values: NDArray[Any], nominal: bool
) -> tuple[NDArray[np.bool_], NDArray[Any], bool]:
    """Which values are missing, all of them as numbers or text, and whether as text."""
    gone = np.array([v is None or v != v for v in values.tolist()], bool)
    if nominal or values.dtype == object:
        return gone, np.array([str(v) for v in values.tolist()], object), True
    return gone, values, False


def _against(values: NDArray[Any], nominal: bool, target: Floats) -> Json:
    gone, values, as_text = _observed(values, nominal)
    v, y = values[~gone], target[~gone]
    levels, rho = len(np.unique(v)), None
    if not as_text and levels > 1 and len(np.unique(y)) > 1:
        rho = float(spearmanr(v, y).statistic)
    few = as_text or levels <= N_LEVELS
    look = _boxes(v, y, as_text) if few else _scatter(v, y)
    return {"missing": [int(gone.sum())], "rho": rho, **look}


def _boxes(values: NDArray[Any], target: Floats, by_size: bool) -> Json:
    whole = np.ones(len(values), np.bool_)
    levels = _levels(values, values, [whole], by_size)["levels"]
    names = np.array([_label(v) for v in values.tolist()], object)
    other = ~np.isin(names, levels)
    boxes = []
    for level in levels:
        some = target[other if level == "other" and other.any() else names == level]
        quartiles = np.quantile(some, [0.25, 0.5, 0.75]).tolist() if len(some) else None
        boxes.append({"count": len(some), "quartiles": quartiles})
    return {"kind": "boxes", "levels": levels, "boxes": boxes}


def _label(value: Any) -> str:
    return text(value) if isinstance(value, str) else f"{value:g}"


def _scatter(values: Floats, target: Floats) -> Json:
    some: Ints = np.arange(len(values))
    if len(values) > N_POINTS:
        some = np.random.default_rng(0).choice(len(values), N_POINTS, replace=False)
    parts = np.array_split(np.argsort(values, kind="stable"), N_PARTS)
    parts = [part for part in parts if len(part) >= FEWEST_ROWS]
    trend = {float(np.median(values[p])): float(np.median(target[p])) for p in parts}
    return {
        "kind": "scatter",
        **_axis(values),
        "n_points": len(values),
        "points": [[float(values[i]), float(target[i])] for i in some],
        "trend": [[x, y] for x, y in trend.items()],
    }


def column(data: Dataset, f: int) -> NDArray[Any]:
    """One feature: numbers, NaN where they are missing, or objects with None there.

    Of a group of columns the mean; of indicators, of which a row has one at most, the
    name of that one.
    """
    if data.feature_of is not None:
        own = columns_of(data.feature_of, np.array([f]))
        if len(own) > 1:
            return _together(data.X[:, own], feature_names(data.table)[own])
        f = int(own[0])
    values = data.column(f)
    levels = data.categories.get(f)
    if levels is None and data.kinds[f] == ORDERED:
        kind = data.table.dtypes
        levels = list((kind.iloc[f] if hasattr(kind, "iloc") else kind[f]).categories)
    if levels is None:
        return values
    named = np.array([*levels, None], object)
    return named[np.where(np.isnan(values), -1, values).astype(np.int64)]


def _together(X: Floats, names: NDArray[Any]) -> NDArray[Any]:
    known = ~np.isnan(X)
    if np.isin(X[known], (0, 1)).all() and (np.nansum(X, axis=1) <= 1).all():
        which = np.where((X == 1).any(axis=1), (X == 1).argmax(axis=1), -1)
        return np.append(names, [None])[which]
    counts = np.maximum(known.sum(axis=1), 1)
    return np.where(known.any(axis=1), np.nansum(X, axis=1) / counts, np.nan)


def _by_class(
    values: NDArray[Any], nominal: bool, members: list[NDArray[np.bool_]]
) -> Json:
    gone, values, as_text = _observed(values, nominal)
    there = [m & ~gone for m in members]
    present = values[~gone]
    if as_text or len(np.unique(present)) <= N_LEVELS:
        look = _levels(values, present, there, by_size=as_text)
    else:
        look = _histogram(values, there)
    return {"missing": [int((m & gone).sum()) for m in members], **look}


def _levels(
    values: NDArray[Any],
    present: NDArray[Any],
    there: list[NDArray[np.bool_]],
    by_size: bool,
) -> Json:
    levels, counts = np.unique(present, return_counts=True)
    if by_size:
        levels = levels[np.argsort(-counts, kind="stable")]
    few = len(levels) <= N_LEVELS
    shown = levels if few else levels[: N_LEVELS - 1]
    table = [[int((values[m] == level).sum()) for level in shown] for m in there]
    labels = [_label(v) for v in shown.tolist()]
    if not few:
        labels.append("other")
        for row, m in zip(table, there, strict=True):
            row.append(int(m.sum()) - sum(row))
    return {"kind": "levels", "levels": labels, "counts": table}


def axis_ends(known: Floats) -> tuple[float, float, bool]:
    """Ends of an axis for these values, and whether some lie far beyond them."""
    n = len(known)
    # Quantiles, without the checks that cost more than the work.
    places = np.array([0, 0.01, 0.99, 1]) * (n - 1)
    low, first, last, high = np.interp(places, np.arange(n), np.sort(known)).tolist()
    cut = high - low > FAR * (last - first) > 0
    return (first, last, True) if cut else (low, high, False)


def _axis(known: Floats) -> Json:
    return dict(zip(("low", "high", "cut"), axis_ends(known), strict=True))


def _histogram(values: Floats, there: list[NDArray[np.bool_]]) -> Json:
    known = values[np.isfinite(values)]
    low, high, cut = axis_ends(known)
    whole = bool(high - low < WHOLE and (known == np.floor(known)).all())
    if whole:
        low, high = np.floor(low) - 0.5, np.ceil(high) + 0.5
        n_bins = int(high - low)
    else:
        n_bins = int(np.clip(round(2 * len(known) ** (1 / 3)), 8, 30))
    edges = np.linspace(low, high, n_bins + 1)
    inside = np.clip(values, low, high)
    return {
        "kind": "numeric",
        "low": float(low),
        "high": float(high),
        "cut": bool(cut),
        "whole": bool(whole),
        "counts": [np.histogram(inside[m], edges)[0].tolist() for m in there],
        "medians": [float(np.median(values[m])) if m.any() else None for m in there],
    }


def columns(data: Dataset | None, profile: Any) -> Json | None:
    """Look at all columns; None without the data or their profile."""
    if data is None or profile is None:
        return None
    looks = [
        _look(column(data, f), str(kind))
        for f, kind in enumerate(np.asarray(profile.kinds).tolist())
    ]
    return {
        "kind": [text(kind) for kind in profile.kinds],
        "missing": numbers(profile.missing),
        "distinct": numbers(profile.distinct),
        "low": numbers(profile.low),
        "high": numbers(profile.high),
        "values": [values for values, _ in looks],
        "histogram": [bars for _, bars in looks],
    }


def _look(values: NDArray[Any], kind: str) -> tuple[str | None, str]:
    values = values[:: -(-len(values) // MOST_ROWS) or 1]
    if kind in ("numeric", GROUP) and values.dtype != object:
        return None, _numeric_bars(values[np.isfinite(values)])
    known = [v for v in values.tolist() if v is not None and v == v]
    # Booleans may come as 0.0 and 1.0, for a column with missing values has no others.
    present = [str(bool(v) if kind == "boolean" else v) for v in known]
    levels, counts = np.unique(np.array(present, object), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return _frequent(levels[order], counts[order]), heights(counts[order][:BARS])


def _numeric_bars(known: Floats) -> str:
    if not len(known):
        return ""
    known = np.sort(known)
    starts = np.flatnonzero(known[1:] != known[:-1]) + 1
    if len(starts) < BARS:
        return heights(np.diff(starts, prepend=0, append=len(known)))
    low, high, _ = axis_ends(known)
    edges = np.linspace(low, high, BARS + 1)
    below = np.searchsorted(known, edges[1:-1])  # what is beyond counts at the ends
    return heights(np.diff(below, prepend=0, append=len(known)))


def heights(counts: NDArray[Any]) -> str:
    """Counts as digits: 9 for the largest, at least 1 where there is anything."""
    if not len(counts):
        return ""
    return "".join(map(str, np.ceil(9 * counts / counts.max()).astype(int).tolist()))


def _frequent(levels: NDArray[Any], counts: NDArray[Any]) -> str:
    named = []
    for level, count in zip(levels[:NAMED_VALUES], counts, strict=False):
        short = level if len(level) <= LONGEST else f"{level[: LONGEST - 1]}…"
        named.append(f"{text(short)} ({count})")
    return ", ".join(named) + (", …" if len(levels) > NAMED_VALUES else "")
