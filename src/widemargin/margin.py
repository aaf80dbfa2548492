"""The margins, the evaluation function built on them, and the error bound.

Reference: R. Gilad-Bachrach, A. Navot, N. Tishby, *Margin based feature selection:
theory and algorithms*, ICML 2004, definitions 1 to 3 and theorem 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import expit

from widemargin.data.build import build, refuse_other_than_numbers
from widemargin.data.dataset import Dataset
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.read import read_dataset
from widemargin.data.table import Table, warn_single_members
from widemargin.engine import hits_and_misses, nearest
from widemargin.engine.cells import distance_to_cells
from widemargin.engine.neighbors import HIT, MISS
from widemargin.kernels.records import LINEAR, SIGMOID, TIE, ZERO_ONE
from widemargin.memory import require
from widemargin.notices import warn
from widemargin.threads import Workers, thread_count

__all__ = [
    "GeneralizationBound",
    "evaluation",
    "generalization_bound",
    "hypothesis_margins",
    "sample_margins",
]

UTILITIES = {"linear": LINEAR, "sigmoid": SIGMOID, "zero-one": ZERO_ONE}

Utility = Literal["linear", "sigmoid", "zero-one"]


def __dir__() -> list[str]:
    return sorted(__all__)


def hypothesis_margins(X: Any, y: Any, weights: Any = None) -> Floats:
    """Leave-one-out hypothesis margin of each sample.

    θ(x) = ½ (‖x − nearmiss(x)‖_w − ‖x − nearhit(x)‖_w), where ‖z‖_w = √(Σ w_f² z_f²)
    and both neighbours are found under w, x left out. X is not scaled.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers.
    y : array-like of shape (n_samples,)
        Class labels.
    weights : array-like of shape (n_features,), optional
        One per feature; default 1.

    Returns
    -------
    theta : array of shape (n_samples,)
        NaN for a sample that is alone in its class.

    Examples
    --------
    >>> from widemargin.margin import hypothesis_margins
    >>> hypothesis_margins([[0.0], [1.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    array([1.5, 1. , 0.5, 1.5])
    """
    with Workers(thread_count(None)) as workers:
        table, w = _checked(X, y, weights, "hypothesis_margins", workers)
        near, far = hit_and_miss_distances(table, w, workers)
    theta = np.empty(len(near))
    theta[table.rows] = 0.5 * (far - near)
    return theta


def sample_margins(X: Any, y: Any, weights: Any = None) -> Floats:
    """Leave-one-out sample margin of each sample: how far it is from the boundary.

    The distance, under ‖z‖_w = √(Σ w_f² z_f²), that a sample could move before its
    nearest neighbour belonged to its class no more; where that is so already, less the
    distance that it would have to move before it did. Never nearer to 0 than the
    hypothesis margin, which is cheaper.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers; they are not scaled.
    y : array-like of shape (n_samples,)
        Class labels.
    weights : array-like of shape (n_features,), optional
        One per feature; default 1.

    Returns
    -------
    margin : array of shape (n_samples,)
        NaN for a sample that is alone in its class.

    Notes
    -----
    Exact: the distance from cells of the Voronoi diagram, each by non-negative least
    squares. It is meant for some thousand samples: 8 n² bytes of memory, and n times
    the time that a few such problems of n variables take.

    Examples
    --------
    >>> from widemargin.margin import sample_margins
    >>> sample_margins([[0.0], [1.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    array([2.5, 1. , 0.5, 3.5])
    """
    name = "sample_margins"
    with Workers(thread_count(None)) as workers:
        table, w = _checked(X, y, weights, name, workers)
        n, Z = table.n_rows, table.X * w
        what, remedy = "the distances of all samples", "Pass a sample of the rows."
        require(8 * n * n, name, what, remedy)
        apart, margins = cdist(Z, Z), np.full(n, np.nan)

        def measure(i: int) -> None:
            same = table.y == table.y[i]
            misses = np.flatnonzero(~same)
            same[i] = False
            hits = np.flatnonzero(same)
            if not len(hits):
                return
            right = apart[i, hits].min() <= apart[i, misses].min()
            near, far = (hits, misses) if right else (misses, hits)
            cells = Z[near] - Z[i], Z[far] - Z[i], apart[np.ix_(far, near)]
            margins[table.rows[i]] = (1 if right else -1) * distance_to_cells(*cells)

        workers.run(measure, range(n))
    return margins


def evaluation(
    X: Any,
    y: Any,
    weights: Any = None,
    utility: Utility = "linear",
    beta: float | Literal["auto"] = "auto",
) -> float:
    """Evaluate feature weights by the margins they produce: e(w) = Σ u(θ(x)).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers; they are not scaled.
    y : array-like of shape (n_samples,)
        Class labels.
    weights : array-like of shape (n_features,), optional
        One per feature, or the indicator of a set of features; default 1. If all are
        0, e is 0.
    utility : "linear", "sigmoid" or "zero-one"
        u(θ) = θ, 1/(1 + exp(−βθ)), or 1 for a positive margin and 0 else.
    beta : float or "auto"
        "auto" is 1 / mean(2θ) at equal weights, or 1 if that mean is not positive.

    Returns
    -------
    e : float
        Samples that are alone in their class are left out.

    Examples
    --------
    >>> from widemargin.margin import evaluation
    >>> evaluation([[0.0], [1.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    4.5
    """
    if utility not in UTILITIES:
        known = ", ".join(map(repr, UTILITIES))
        raise ValueError(
            f"evaluation needs utility to be one of {known}, got {utility!r}."
        )
    if beta != "auto" and not (isinstance(beta, Real) and 0 < beta < np.inf):
        raise ValueError(
            f"evaluation needs beta to be 'auto' or a positive number, got {beta!r}."
        )
    with Workers(thread_count(None)) as workers:
        table, w = _checked(X, y, weights, "evaluation", workers)
        slope = resolve_beta(beta, utility, table, workers)
        return evaluate(table, w, utility, slope, workers)


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
    data = _read(X, y, name)
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


def _read(X: Any, y: Any, name: str) -> Dataset:
    data = read_dataset(X, y, name, mixed=False)
    refuse_other_than_numbers(data.X, name)
    data.warn_of_columns(name)
    return data


def _checked(
    X: Any, y: Any, weights: Any, name: str, workers: Workers
) -> tuple[Table, Floats]:
    data = _read(X, y, name)
    X = data.X
    table = build(X, data.codes, data.classes, scale=None, workers=workers, name=name)
    warn_single_members(table, name, "it has no margin")
    d = X.shape[1]
    w = np.ones(d) if weights is None else np.asarray(weights, dtype=np.float64)
    if w.shape != (d,) or not np.isfinite(w).all():
        raise ValueError(
            f"{name} needs one finite weight per feature, so shape ({d},), got an "
            f"array of shape {w.shape}"
            + ("." if w.shape != (d,) else " with NaN or infinity.")
        )
    return table, w


def neighbors_at(
    table: AnyTable, w: Floats, workers: Workers, slots: Ints | None = None
) -> tuple[Ints, Floats]:
    """Nearest row under w in each slot, and its distance, both (n, n_slots).

    Slots are the hits and the misses unless a relation is given. −1 and NaN mark empty
    ones, such as the hits of a sample that is alone in its class.
    """
    if slots is None:
        slots = hits_and_misses(len(table.classes))
    shape = table.n_rows, int(slots.max()) + 1
    rows = np.full(shape, -1, np.int64)
    distances = np.full(shape, np.nan)
    if not (w == 1).all():
        table = table.reweighted(w)
    for block in nearest(table, 1, slots, distances=True, workers=workers):
        query, slot = np.nonzero(block.counts)
        place = block.queries[query], slot
        rows[place] = block.rows
        distances[place] = block.distances
    return rows, distances


def hit_and_miss_distances(
    table: AnyTable, w: Floats, workers: Workers
) -> tuple[Floats, Floats]:
    """Distance of each row to its nearest hit (NaN if none) and miss under w."""
    _, distances = neighbors_at(table, w, workers)
    return distances[:, HIT], distances[:, MISS]


def resolve_beta(
    beta: float | str, utility: str, table: AnyTable, workers: Workers
) -> float:
    """The slope of the sigmoid; "auto" looks at the margins at equal weights."""
    if beta != "auto":
        return float(beta)
    if utility != "sigmoid":
        return 1.0
    near, far = hit_and_miss_distances(table, np.ones(table.n_features), workers)
    w = np.where(np.isnan(near), 0.0, table.row_weights)
    mean = np.nansum(w * (far - near)) / w.sum() if w.any() else 0.0
    return float(1 / mean) if mean > 0 else 1.0


def evaluate(
    table: AnyTable, w: Floats, utility: str, beta: float, workers: Workers
) -> float:
    """e(w) of a table."""
    if not w.any():
        return 0.0
    near, far = hit_and_miss_distances(table, w, workers)
    there = ~np.isnan(near)
    near, far, w = near[there], far[there], table.row_weights[there]
    theta = 0.5 * (far - near)
    if utility == "sigmoid":
        u = expit(beta * theta)
    elif utility == "zero-one":
        # The same distance found twice is no margin, also if rounded differently.
        u = far - near > TIE * np.maximum(near, far)
    else:
        u = theta
    return float((w * u).sum())
