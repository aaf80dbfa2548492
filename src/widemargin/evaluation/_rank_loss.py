"""How far predictions of ordered classes are from the truth, in ranks.

Reference: Q. Hu, W. Pan, Y. Song, D. Yu, *Large-margin feature selection for monotonic
classification*, Knowledge-Based Systems 2012, eq. 13.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from widemargin.data.labels import category_order
from widemargin.data.protocol import Ints


def rank_loss(
    y_true: Any,
    y_pred: Any,
    *,
    p: float = 1,
    labels: Any = None,
    sample_weight: Any = None,
) -> float:
    """Mean distance between true and predicted class: mean |y − ŷ|ᵖ.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Ordered class labels. Numbers are their own ranks. The rank of a label of a
        pandas ordered categorical or a polars Enum is its place among the categories.
    p : float, default=1
        Power, at least 0. The larger, the worse is one prediction far off compared with
        several that are nearly right; 0 is the error rate.
    labels : array-like, optional
        All labels from lowest to highest; a label's rank is its place in there. Text
        needs it. ``labels=tree.classes_`` counts as a `RankingTree` does.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts.

    Returns
    -------
    loss : float
        0 is perfect; the error rate if there are two classes, one apart.

    Examples
    --------
    >>> from widemargin.evaluation import rank_loss
    >>> rank_loss([1, 2, 3, 4], [1, 3, 3, 1])
    1.0
    >>> rank_loss([1, 2, 3, 4], [1, 3, 3, 1], p=2)
    2.5
    >>> rank_loss(["low", "high"], ["high", "high"], labels=["low", "mid", "high"])
    1.0
    """
    if not (isinstance(p, numbers.Real) and 0 <= p < math.inf):
        raise ValueError(f"rank_loss needs p to be a number of at least 0, got {p!r}.")
    if labels is None:
        labels = category_order(y_true) or category_order(y_pred)
    true, pred = _as_labels(y_true, "y_true"), _as_labels(y_pred, "y_pred")
    check_consistent_length(true, pred)
    if not len(true):
        raise ValueError("rank_loss needs at least one sample, got none.")
    if labels is not None:
        true, pred = _ranks(true, labels, "y_true"), _ranks(pred, labels, "y_pred")
    for name, y in (("y_true", true), ("y_pred", pred)):
        if y.dtype.kind not in "biuf":
            raise ValueError(
                f"rank_loss needs to know the order of the labels in {name}, such as "
                f"{y.tolist()[0]!r}. Pass labels=[lowest, …, highest], numbers, a "
                "pandas ordered categorical or a polars Enum."
            )
        if not np.isfinite(y).all():
            raise ValueError(f"rank_loss needs finite labels, {name} has NaN or inf.")
    apart = np.abs(true.astype(np.float64) - pred.astype(np.float64))
    loss = np.where(apart > 0, apart ** float(p), 0.0)  # right is 0 for p = 0, too
    return float(np.average(loss, weights=sample_weight))


def _as_labels(y: Any, name: str) -> NDArray[Any]:
    if hasattr(y, "dtype") and str(y.dtype) == "category":
        y = np.asarray(y.astype(object))
    try:
        values = column_or_1d(y)
    except ValueError as error:
        raise ValueError(f"rank_loss needs {name} in one dimension: {error}") from error
    # Numbers in an array of objects, as a categorical gives them, are numbers.
    return np.array(values.tolist()) if values.dtype.kind == "O" else values


def _ranks(y: NDArray[Any], labels: Any, name: str) -> Ints:
    rank = {label: i for i, label in enumerate(np.asarray(labels).tolist())}
    if len(rank) < len(labels):
        raise ValueError(f"rank_loss needs distinct labels, got {labels!r}.")
    unknown = sorted({repr(v) for v in y.tolist() if v not in rank})
    if unknown:
        raise ValueError(
            f"rank_loss needs all labels of {name} in labels={list(rank)!r}, got also "
            f"{', '.join(unknown[:5])}{', …' if len(unknown) > 5 else ''}."
        )
    return np.array([rank[v] for v in y.tolist()], dtype=np.int64)
