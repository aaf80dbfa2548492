"""Weights of rows: how much each one counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import compute_sample_weight

from widemargin.data.protocol import Floats

HUGE = 1e150  # beyond, sums and squares of weights overflow


def read_weights(sample_weight: Any, n: int, name: str) -> Floats | None:
    """The weights of n rows as the caller gave them; None if none are given."""
    if sample_weight is None:
        return None
    needs = f"{name} needs sample_weight to be a number for each of {n} rows"
    try:
        w = np.asarray(sample_weight, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{needs}: {error}.") from None
    if w.ndim == 0:
        w = np.full(n, w)
    if w.shape != (n,):
        raise ValueError(f"{needs}, so shape ({n},), got an array of shape {w.shape}.")
    wrong = ~((w >= 0) & (w <= HUGE))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"{needs}, finite and not negative, got {w[row]:g} in row {row}. Give rows "
            "that should not count a weight of 0."
        )
    if not w.any():
        raise ValueError(
            f"{needs}, but all are zero. Leave it out to weigh all the same."
        )
    return w


def of_mean_one(w: Floats | None) -> Floats | None:
    """Weights in units of their mean; None if all are the same."""
    if w is None or not len(w) or (w == w[0]).all():
        return None
    w = w / w.max()  # no sum shall underflow
    return w / w.mean()


def weights_by_class(
    labels: Any, class_weight: Any, name: str, w: Floats | None, *, numeric: bool
) -> Floats:
    """Weights of the rows, multiplied by those of their classes.

    ``class_weight`` is by label, or "balanced", after scikit-learn: the total of each
    class is the same if all rows weigh the same.
    """
    if numeric:
        raise ValueError(
            f"{name} needs classes for class_weight={class_weight!r}, but y is a "
            "numeric target. Use sample_weight."
        )
    of_class: Floats = compute_sample_weight(class_weight, labels)
    if not ((of_class > 0) & (of_class <= HUGE)).all():
        raise ValueError(
            f"{name} needs class_weight to be positive, got {class_weight!r}. Drop the "
            "rows of classes that should not count."
        )
    return of_class if w is None else of_class * w
