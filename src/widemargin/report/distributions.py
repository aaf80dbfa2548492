"""How the classes differ in the best features: small histograms, as plain dicts.

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
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.report.plain import text
from widemargin.table import Floats, Ints, encode
from widemargin.targets import judged_labels

N_FEATURES = 12
N_CLASSES = 8
N_ORDERED_CLASSES = 12  # shades of one colour; more can be told apart than colours
N_LEVELS = 8
WHOLE = 40  # whole numbers that get a bin each
FAR = 4.0  # times the span of the middle 98 %, beyond which an axis is cut

Json = dict[str, Any]


def distributions(
    X: Any, y: Any, order: Ints, profile: Any, ordered: bool = False
) -> Json | None:
    """Look at the first features of an order class by class; None without data."""
    if X is None or not len(order):
        return None
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
    labels = [text(v) if isinstance(v, str) else f"{v:g}" for v in shown.tolist()]
    if not few:
        labels.append("other")
        for row, m in zip(table, there, strict=True):
            row.append(int(m.sum()) - sum(row))
    return {"kind": "levels", "levels": labels, "counts": table}


def axis_ends(known: Floats) -> tuple[float, float, bool]:
    """Ends of an axis for these values, and whether some lie far beyond them."""
    low, first, last, high = np.quantile(known, [0, 0.01, 0.99, 1]).tolist()
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
