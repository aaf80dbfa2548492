"""The bound on the error of the nearest neighbour rule, theorem 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from widemargin.data.build import build
from widemargin.data.protocol import Ints
from widemargin.kernels.records import TIE
from widemargin.margin._margins import read_numbers
from widemargin.margin.utility import hit_and_miss_distances
from widemargin.notices import warn
from widemargin.threads import Workers, thread_count


@dataclass(frozen=True)
class GeneralizationBound:
    """Bound on the error of 1-NN on a set of features, by theorem 1.

    Attributes
    ----------
    value : float
        Bound on the error, with probability 1 − delta.
    error_gamma : float
        Fraction of samples that are misclassified or have a margin below gamma.
    vacuous : bool
        Whether the bound is vacuous: 1 or more.
    gamma, delta, radius : float
        What the bound was computed for.
    n_selected : int
        Size of the set of features.
    """

    value: float
    error_gamma: float
    vacuous: bool
    gamma: float
    delta: float
    radius: float
    n_selected: int

    def __str__(self) -> str:
        rule = f"1-NN on {self.n_selected} feature{'s' * (self.n_selected > 1)}"
        seen = (
            f"{self.error_gamma:.1%} of the samples are misclassified or have a margin "
            f"below {self.gamma:g}"
        )
        if self.vacuous:
            return (
                f"vacuous: the bound on the error of {rule} is {self.value:.3g}, and "
                f"no error exceeds 1 ({seen})"
            )
        return (
            f"with probability {1 - self.delta:g} the error of {rule} is at most "
            f"{self.value:.3g} ({seen})"
        )


def generalization_bound(
    X: Any,
    y: Any,
    features: Any,
    gamma: float,
    delta: float = 0.05,
    *,
    radius: float | None = None,
) -> GeneralizationBound:
    """Bound the error of the nearest neighbour rule on a set F of features.

    With probability 1 − δ over a sample of m rows, for all sets F of the N features
    and all γ at once, the error is at most

    êr^γ + √((2/m) (D ln(34em/D) log₂(578m) + ln(8/(γδ)) + (|F| + 1) ln N)),

    where D = (64R/γ)^|F|, and êr^γ is the fraction of rows that are misclassified in
    leave-one-out 1-NN or have a hypothesis margin below γ on F. For nearly all real
    data the bound exceeds 1; the result says so.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Not scaled: γ and R are in its units.
    y : array-like of shape (n_samples,)
        Two classes. With more, the value is computed alike but nothing is proved.
    features : array-like
        F, as column numbers or as a mask such as a selector's ``support_``.
    gamma : float
        γ, more than 0 and at most 1.
    delta : float, default=0.05
        δ, between 0 and 1.
    radius : float, optional
        R, of a ball that holds every possible sample. The theorem speaks of the
        space of all features and of a ball known beforehand. By default it is read off
        the sample: the ball around the middle of the features' ranges (of all N, not
        only of those in F) that just holds every row of X.

    Returns
    -------
    bound : GeneralizationBound
        ``value``, ``error_gamma``, ``vacuous`` (the value is no less than 1), and
        ``gamma``, ``delta``, ``radius``, ``n_selected``. Printed, it is a sentence.

    Notes
    -----
    Beyond D = 34m the expression decreases with D and finally becomes undefined,
    although a larger D can only make the bound worse. It is therefore held at its
    maximum there, well above 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from widemargin.margin import generalization_bound
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> print(generalization_bound(X, y, features=[20, 27], gamma=0.1))
    vacuous: the bound on the error of 1-NN on 2 features is 35.8, and no error exceeds
    1 (49.7% of the samples are misclassified or have a margin below 0.1)
    """
    name = "generalization_bound"
    if not (isinstance(gamma, Real) and 0 < gamma <= 1):
        raise ValueError(f"{name} needs gamma in (0, 1], got {gamma!r}.")
    if not (isinstance(delta, Real) and 0 < delta < 1):
        raise ValueError(f"{name} needs delta between 0 and 1, got {delta!r}.")
    gamma, delta = float(gamma), float(delta)
    data = read_numbers(X, y, name)
    X, y, classes = data.X, data.codes, data.classes
    F = _selected(features, X.shape[1], name)
    if radius is None:
        middle = 0.5 * X.min(axis=0) + 0.5 * X.max(axis=0)
        radius = float(np.linalg.norm(X - middle, axis=1).max())
    elif not (isinstance(radius, Real) and 0 <= radius < math.inf):
        raise ValueError(f"{name} needs a finite radius of at least 0, got {radius!r}.")
    if len(classes) > 2:
        warn(
            f"{name}: the theorem is about 2 classes, but y has {len(classes)}; the "
            "value is computed in the same way, but is not proved to bound the error."
        )
    with Workers(thread_count(None)) as workers:
        table = build(X[:, F], y, classes, scale=None, workers=workers, name=name)
        near, far = hit_and_miss_distances(table, np.ones(len(F)), workers)
    # A misclassified row has a negative margin, or none if it is alone in its class.
    error = float(np.mean(~(0.5 * (far - near) >= gamma * (1 - TIE))))
    value = error + _excess(X.shape, len(F), float(radius), gamma, delta)
    return GeneralizationBound(
        value, error, value >= 1, gamma, delta, float(radius), len(F)
    )


def _excess(
    shape: tuple[int, ...], size: int, R: float, gamma: float, delta: float
) -> float:
    """The root in theorem 1 for |F| = size."""
    m, N = shape
    capacity, peak = 0.0, math.log(34 * m)
    if R > 0:
        log_D = min(size * (math.log(64) + math.log(R) - math.log(gamma)), peak)
        capacity = math.exp(log_D) * (peak + 1 - log_D) * math.log2(578 * m)
    confidence = math.log(8) - math.log(gamma) - math.log(delta)
    return math.sqrt(2 / m * (capacity + confidence + (size + 1) * math.log(N)))


def _selected(features: Any, d: int, name: str) -> Ints:
    """Column numbers of a set of features given by numbers or by a mask."""
    F = np.asarray(features)
    if F.shape == (0,) or (F.dtype == bool and F.shape == (d,)):
        F = np.flatnonzero(F)
    elif F.dtype.kind not in "iu" or F.ndim != 1:
        raise ValueError(
            f"{name} needs features as column numbers or as a mask of shape ({d},), "
            f"got an array of shape {F.shape} and type {F.dtype}."
        )
    if not len(F) or F.min() < 0 or F.max() >= d or len(np.unique(F)) < len(F):
        shown = ", ".join(map(str, F[:5].tolist())) + (", …" if len(F) > 5 else "")
        raise ValueError(
            f"{name} needs one or more distinct features from 0 to {d - 1}, got "
            f"{f'features {shown}' if len(F) else 'none'}."
        )
    return F.astype(np.int64)
