"""Targets that are no classes: numbers, sets of labels, survival times.

All are a matrix with a row for each row of the table: a column for each number to
predict, an indicator for each label, or event and time. How unlike two rows are is one
function of two rows of that matrix (`Differences`), and what they stand for in a
regression are its `target_columns`.

A survival time that is censored is a value that is missing in part. The null model
(Kaplan and Meier, no features) gives each row a place U between 0 and 1 among all
times: that of an event is known, that of a row censored at c is uniform between F(c)
and 1. `target_columns` are 1 − 2 E[U], the probability-scale residuals (Shepherd, Li
and Liu 2016) with the sign of a risk; differences are E|U_i − U_j|, as they are for
missing values of features.

References
----------
B. Shepherd, C. Li, Q. Liu, *Probability-scale residuals for continuous, discrete, and
censored data*, Canadian Journal of Statistics 44, 2016.
F. Harrell, R. Califf, D. Pryor, K. Lee, R. Rosati, *Evaluating the yield of medical
tests*, JAMA 247, 1982 (the concordance index).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.utils import assert_all_finite, column_or_1d

from widemargin.data.build import moments
from widemargin.data.labels import missing_labels, plain_labels, refuse_several_labels
from widemargin.data.protocol import Floats, Ints
from widemargin.threads import spans

# What y may hold, and what to call it.
TASKS = {
    "classification": "classes",
    "regression": "a numeric target",
    "multilabel": "sets of labels",
    "survival": "survival times",
}
BLOCK = 512  # rows that are compared with all others at a time


def read_target(y: Any, name: str, task: str = "regression") -> Floats:
    """The numbers in y, whatever its type and index: (n,), or (n, q) if it has columns.

    Of survival times they are event (0 or 1) and time. At least two rows differ.
    """
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    y = plain_labels(y, name)
    if task == "survival":
        return _event_and_time(y, name)
    shape = y.shape if hasattr(y, "shape") else np.asarray(y, object).shape
    wide = len(shape) == 2 and shape[1] > 1
    if task == "multilabel" and not wide:
        raise ValueError(
            f'{name}: task="multilabel" needs a matrix of 0 and 1 in y, a column for '
            "each label (MultiLabelBinarizer makes one)."
        )
    if not wide:
        refuse_several_labels(y, name)
    missing = missing_labels(np.asarray(y, object) if wide else y)
    if missing:
        raise ValueError(
            f"{name} needs a number for every row, but y has {missing} missing "
            f"value{'s' if missing > 1 else ''}. Drop those rows first."
        )
    target = _as_floats(np.asarray(y) if wide else column_or_1d(np.asarray(y)), name)
    if task == "multilabel" and not np.isin(target, (0, 1)).all():
        raise ValueError(
            f'{name}: task="multilabel" needs 0 and 1 in y, got '
            f'{target[~np.isin(target, (0, 1))][0]:g}. task="regression" takes numbers.'
        )
    refuse_constant_target(target, name)
    return target


def _as_floats(y: NDArray[Any], name: str) -> Floats:
    try:
        target = np.ascontiguousarray(y, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} needs numbers in y: {error}. Convert y, or use a method for "
            "classes, such as ReliefF."
        ) from error
    assert_all_finite(target, estimator_name=name, input_name="y")
    return target


def _event_and_time(y: Any, name: str) -> Floats:
    """Two columns of a structured array, as scikit-survival has it, or of a frame."""
    fields = getattr(getattr(y, "dtype", None), "names", None)
    names = [*(getattr(y, "columns", ()) if fields is None else fields)]
    if len(names) != 2:
        raise ValueError(
            f'{name}: task="survival" needs a structured array or a DataFrame with two '
            "fields, event (bool) and time, as sksurv.util.Surv makes it, got "
            f"{f'{len(names)} fields' if names else type(y).__name__}."
        )
    parts = [np.asarray(y[field]) for field in names]
    if missing := sum(map(missing_labels, parts)):
        raise ValueError(f"{name} needs event and time in every row, {missing} lack.")
    event, time = (_as_floats(part, name) for part in parts)
    if not np.isin(event, (0, 1)).all() or time.min() < 0:
        raise ValueError(
            f'{name}: task="survival" needs first whether there was an event (True or '
            "False), then a time that is not negative, but "
            f"{names[0]!r} is from {event.min():g} to {event.max():g} and {names[1]!r} "
            f"from {time.min():g} to {time.max():g}."
        )
    target = np.column_stack([event, time])
    if not event.any() or not np.ptp(target_columns(target, "survival")):
        raise ValueError(
            f"{name} needs events at different times, or before others are censored, "
            f"but y has {int(event.sum())} events that tell no rows apart."
        )
    return target


def refuse_constant_target(target: Floats, name: str) -> None:
    """Refuse a target with nothing to predict."""
    if len(target) > 1 and not np.ptp(target, axis=0).any():
        value = f"{target[0]:g}" if target.ndim == 1 else str(target[0].tolist())
        raise ValueError(
            f"{name} needs a target that varies, but y is {value} in every row."
        )


def target_names(y: Any, count: int) -> list[str]:
    """Names of the columns of y; target 1, target 2, … where it has none."""
    columns = getattr(y, "columns", [f"target {t}" for t in range(1, count + 1)])
    return [str(name) for name in columns]


def labels_of(target: Floats, task: str) -> NDArray[Any]:
    """The target as estimators of scikit-learn, or scikit-survival, have it."""
    if task != "survival":
        return target
    y = np.empty(len(target), [("event", np.bool_), ("time", np.float64)])
    y["event"], y["time"] = target[:, 0] > 0, target[:, 1]
    return y


def target_columns(target: Floats, task: str) -> Floats:
    """(n, q) numbers to predict; of survival times, the risk of each row."""
    if task != "survival":
        return target if target.ndim == 2 else target[:, None]
    low, high = places(target)
    return 1 - (low + high)[:, None]


def standardised(target: Floats, weights: Floats | None = None) -> Floats:
    """Columns of mean 0 and standard deviation 1; 0 for one that does not vary."""
    columns = []
    for y in np.atleast_2d(np.ascontiguousarray(target.T)):
        unit = y / (np.abs(y).max() or 1.0)  # no square shall overflow
        mean, spread = moments(unit, weights)
        columns.append((unit - mean) / (spread if np.ptp(y) else np.inf))
    return np.column_stack(columns)


def places(target: Floats) -> tuple[Floats, Floats]:
    """Ends of what is known of U, the place of each row among all survival times.

    They are equal for an event, whose U is halfway in the step of F = 1 − S at its
    time; S is that of Kaplan and Meier.
    """
    event, time = target[:, 0] > 0, target[:, 1]
    _, codes = np.unique(time, return_inverse=True)
    at_risk = len(time) - np.cumsum(np.bincount(codes)) + np.bincount(codes)
    S = np.cumprod(1 - np.bincount(codes, event) / at_risk)
    before = np.concatenate([[1.0], S[:-1]])
    low = np.where(event, 1 - (S + before)[codes] / 2, 1 - S[codes])
    return low, np.where(event, low, 1.0)


class Differences:
    """How much the targets of two rows differ, from 0 to 1.

    Parameters
    ----------
    target : array of shape (n,) or (n, q)
        Each column counts by its range; the Euclidean distance by its largest value.
    task : str

    Attributes
    ----------
    rows : array of shape (n, q)
        Points whose Euclidean distances these are; of survival times, the ends of U.
    """

    def __init__(self, target: Floats, task: str) -> None:
        self.survival = task == "survival"
        if self.survival:
            self.rows = np.column_stack(places(target))
            return
        Y = target_columns(target, task)
        span = np.ptp(Y, axis=0)
        self.rows = Y / np.where(span > 0, span, np.inf)
        if Y.shape[1] > 1:
            farthest = [
                cdist(self.rows[b], self.rows).max() for b in spans(len(Y), BLOCK)
            ]
            self.rows /= max(farthest)

    def __call__(self, i: Ints, j: Ints) -> Floats:
        """Differences of the rows i and j, one for each pair."""
        if self.survival:
            return _expected(*self.rows[i].T, *self.rows[j].T)
        apart: Floats = self.rows[i] - self.rows[j]
        if apart.shape[1] == 1:
            return np.abs(apart[:, 0])
        return np.sqrt((apart**2).sum(axis=1))


def _expected(a: Floats, to_a: Floats, b: Floats, to_b: Floats) -> Floats:
    """E|U − V| of U uniform from a to 1 or equal to a, and V likewise from b."""
    left, right = np.minimum(a, b), np.maximum(a, b)
    known, rest = np.where(a <= b, to_a == a, to_b == b), 1 - left
    other_known = np.where(a <= b, to_b == b, to_a == a)
    gap = right - left
    width = np.where(rest > 0, rest, 1.0)
    # V beyond U: from the left one, if known, to the mean of the other.
    from_point = gap + np.where(other_known, 0.0, (1 - right) / 2)
    point_in_range = (gap**2 + (1 - right) ** 2) / (2 * width)
    both = gap / 2 + (1 - right) ** 2 / (3 * width)
    return np.where(known, from_point, np.where(other_known, point_in_range, both))


def concordance_index(y: Any, risk: Any) -> float:
    """Say how often, of two rows, the riskier one has the event first (Harrell's C).

    Pairs count in which it is known who had the event first: that of the earlier time,
    if it is an event; of equal times, an event comes before a censored row. Equal risks
    count half.

    Parameters
    ----------
    y : structured array, or DataFrame, of shape (n_samples,)
        Event and time.
    risk : array-like of shape (n_samples,)
        Higher for those who are expected to have the event earlier.

    Returns
    -------
    index : float
        0.5 for chance, 1 for a perfect order; NaN if no pair can be compared.

    Examples
    --------
    >>> import pandas as pd
    >>> from widemargin.evaluation import concordance_index
    >>> y = pd.DataFrame({"event": [True, False, True], "time": [1.0, 2, 3]})
    >>> concordance_index(y, [0.9, 0.5, 0.7])
    1.0
    """
    fields = y.dtype.names if hasattr(y, "dtype") else list(y.columns)
    event, time = (np.asarray(y[field], np.float64) for field in fields)
    risk = np.asarray(risk, np.float64)
    pairs, right, rows = 0, 0.0, np.flatnonzero(event)
    for block in spans(len(rows), BLOCK):
        i = rows[block, None]
        later = (time > time[i]) | ((time == time[i]) & (event == 0))
        pairs += int(later.sum())
        right += float((later * (0.5 + 0.5 * np.sign(risk[i] - risk))).sum())
    return right / pairs if pairs else float("nan")


def macro_f1(y: Floats, predicted: Floats) -> Floats:
    """Mean over labels of 2 TP / (2 TP + FP + FN); labels that nobody has do not count.

    The last two axes are rows and labels.
    """
    both, either = (y * predicted).sum(axis=-2), (y + predicted).sum(axis=-2)
    f1 = 2 * both / np.maximum(either, 1)
    found: Floats = f1.sum(axis=-1) / np.maximum((either > 0).sum(axis=-1), 1)
    return found


def refuse_other_task(
    selector: Any, target: Floats | None, task: str, who: str
) -> None:
    """Refuse a y that a method is not for, and say what is."""
    name, several = type(selector).__name__, target is not None and target.ndim == 2
    if selector._task == task:
        if not several or selector._several_targets:
            return
        remedy = "KernelRFE, RReliefF or MultiSURF with task='regression'"
        mine, came = "one number for each row", f"{target.shape[1]} columns"  # type: ignore[union-attr]
    else:
        remedy = {
            "classification": "ReliefF, FisherScore or others for classes",
            "regression": "RReliefF, FRegression or others for numbers",
            "multilabel": 'KernelRFE, RReliefF or MultiSURF with task="multilabel"',
            "survival": 'KernelRFE or RReliefF with task="survival"',
        }[task]
        if task in selector._tasks:
            remedy = f'{name}(task="{task}")'
        mine, came = TASKS[selector._task], TASKS[task]
    raise ValueError(
        f"{who}: {name} is for {mine}, but y is treated as {came}. Use {remedy}."
    )
