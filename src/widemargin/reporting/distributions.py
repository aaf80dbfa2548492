"""How classes, or a numeric target, go with the best features, as plain dicts.

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

For a numeric target there are no classes; ``target`` has ``low`` and ``high``, the ends
of its axis, and ``cut``, whether values lie beyond. A feature's ``missing`` has one
entry. Its ``rho`` is Spearman's correlation with the target, None where values have no
order, and its ``kind`` is one of these:

``kind`` = ``"scatter"``
    ``low``, ``high``, ``cut`` (of its axis), ``points`` (pairs of a value and a target,
    a random part of many rows), ``n_points`` (of how many) and ``trend`` (pairs of the
    medians of both in up to ten parts of the rows, from low values to high ones).
``kind`` = ``"boxes"``
    ``levels``, as above, and ``boxes``: per level ``count`` and the ``quartiles`` of
    the target, None without rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from widemargin.data.labels import encode
from widemargin.data.protocol import Floats, Ints
from widemargin.data.targets import judged_labels
from widemargin.reporting.plain import text

N_FEATURES = 12
N_CLASSES = 8
N_ORDERED_CLASSES = 12  # shades of one colour; more can be told apart than colours
N_LEVELS = 8
WHOLE = 40  # whole numbers that get a bin each
N_POINTS = 500  # rows that are drawn
N_PARTS, FEWEST_ROWS = 10, 3  # of the rows for a trend, and rows of each
FAR = 4.0  # times the span of the middle 98 %, beyond which an axis is cut

Json = dict[str, Any]


def distributions(
    X: Any, y: Any, order: Ints, profile: Any, ordered: bool = False
) -> Json | None:
    """Look at the first features of an order class by class; None without data."""
    if X is None or not len(order):
        return None
    if getattr(profile, "numeric_target", False):
        return _by_target(X, profile, order)
    codes, labels = _classes(y, _n_rows(X))
    counts = np.bincount(codes, minlength=len(labels))
    most = N_ORDERED_CLASSES if ordered else N_CLASSES
    shown = np.sort(np.argsort(-counts, kind="stable")[:most])
    members = [codes == c for c in shown]
    features = []
    for f in order[:N_FEATURES].tolist():
        values = column(X, f)
        nominal = profile is not None and profile.kinds[f] == "nominal"
        features.append({"feature": f, **_look(values, nominal, members)})
    return {
        "classes": [text(labels[c]) for c in shown],
        "n_classes": len(labels),
        "ordered": ordered,
        "features": features,
    }


def _by_target(X: Any, profile: Any, order: Ints) -> Json:
    """How a numeric target goes with the first features of an order."""
    target = profile.target
    low, high, cut = axis_ends(target)
    features = [
        {"feature": f, **_against(column(X, f), profile.kinds[f] == "nominal", target)}
        for f in order[:N_FEATURES].tolist()
    ]
    return {
        "classes": [],
        "n_classes": 0,
        "ordered": False,
        "target": {"low": low, "high": high, "cut": cut},
        "features": features,
    }


def _against(values: NDArray[Any], nominal: bool, target: Floats) -> Json:
    gone = np.array([v is None or v != v for v in values.tolist()], bool)
    v, y = values[~gone], target[~gone]
    missing = [int(gone.sum())]
    if nominal or values.dtype == object:
        texts = np.array([str(each) for each in v.tolist()], object)
        return {"missing": missing, "rho": None, **_boxes(texts, y)}
    rho = None
    if len(np.unique(v)) > 1 and len(np.unique(y)) > 1:
        rho = float(spearmanr(v, y).statistic)
    if len(np.unique(v)) <= N_LEVELS:
        return {"missing": missing, "rho": rho, **_boxes(v, y, by_size=False)}
    return {"missing": missing, "rho": rho, **_scatter(v, y)}


def _boxes(values: NDArray[Any], target: Floats, by_size: bool = True) -> Json:
    whole = np.ones(len(values), np.bool_)
    found = _levels(values, np.sort(values), [whole], by_size)
    names = np.array([_label(v) for v in values.tolist()], object)
    other = ~np.isin(names, found["levels"])
    boxes = []
    for level in found["levels"]:
        mine = target[other if level == "other" and other.any() else names == level]
        quartiles = np.quantile(mine, [0.25, 0.5, 0.75]).tolist() if len(mine) else None
        boxes.append({"count": len(mine), "quartiles": quartiles})
    return {"kind": "boxes", "levels": found["levels"], "boxes": boxes}


def _label(value: Any) -> str:
    return text(value) if isinstance(value, str) else f"{value:g}"


def _scatter(values: Floats, target: Floats) -> Json:
    low, high, cut = axis_ends(values)
    some: Ints = np.arange(len(values))
    if len(values) > N_POINTS:
        some = np.random.default_rng(0).choice(len(values), N_POINTS, replace=False)
    parts = np.array_split(np.argsort(values, kind="stable"), N_PARTS)
    parts = [part for part in parts if len(part) >= FEWEST_ROWS]
    trend = {float(np.median(values[p])): float(np.median(target[p])) for p in parts}
    return {
        "kind": "scatter",
        "low": low,
        "high": high,
        "cut": cut,
        "n_points": len(values),
        "points": [[float(values[i]), float(target[i])] for i in some],
        "trend": [[x, y] for x, y in trend.items()],
    }


def column(X: Any, f: int) -> NDArray[Any]:
    """One column of an array, list or frame, in memory; missing values are NaN or None.

    Numbers come as float64, everything else as objects.
    """
    values = X.iloc[:, f] if hasattr(X, "iloc") else _sliced(X, f)
    if hasattr(values, "compute"):  # a collection that has yet to be evaluated
        values = values.compute()
    if hasattr(values, "cat") and hasattr(values, "isna"):  # pandas' categories
        return np.asarray(values.astype(object))
    if hasattr(values, "isna") and str(values.dtype) in _NULLABLE:
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    array = np.asarray(values)
    return array.astype(np.float64 if array.dtype.kind in "biuf" else object)


# pandas' own number types, whose missing value NumPy does not know.
_NULLABLE = {f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)} | {
    "Float32",
    "Float64",
    "boolean",
}


def _sliced(X: Any, f: int) -> Any:
    return X[:, f] if hasattr(X, "shape") else np.asarray(X)[:, f]


def _n_rows(X: Any) -> int:
    return int(X.shape[0]) if isinstance(X, np.ndarray) else len(X)


def _classes(y: Any, n: int) -> tuple[Ints, list[Any]]:
    if y is None:
        return np.zeros(n, np.int64), ["all rows"]
    with judged_labels():
        codes, labels = encode(y, "report")
    return codes, labels.tolist()


def _look(
    values: NDArray[Any], nominal: bool, members: list[NDArray[np.bool_]]
) -> Json:
    gone = np.array([v is None or v != v for v in values.tolist()], bool)
    there = [m & ~gone for m in members]
    missing = [int((m & gone).sum()) for m in members]
    if nominal or values.dtype == object:
        texts = np.array([str(v) for v in values.tolist()], object)
        look = _levels(texts, texts[~gone], there)
    elif len(np.unique(values[~gone])) <= N_LEVELS:
        look = _levels(values, np.sort(values[~gone]), there, by_size=False)
    else:
        look = _histogram(values, there)
    return {"missing": missing, **look}


def _levels(
    values: NDArray[Any],
    present: NDArray[Any],
    there: list[NDArray[np.bool_]],
    by_size: bool = True,
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
