"""The hypothesis margin and the evaluation function built on it.

Reference: R. Gilad-Bachrach, A. Navot, N. Tishby, *Margin based feature selection:
theory and algorithms*, ICML 2004, definitions 1 and 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from scipy.special import expit

from widemargin import kernels
from widemargin.engine import hits_and_misses, nearest
from widemargin.engine.relations import HIT, MISS
from widemargin.table import Floats, Ints, Table, build, validate, warn_single_members
from widemargin.threads import Workers, spans, thread_count

UTILITIES = {
    "linear": kernels.LINEAR,
    "sigmoid": kernels.SIGMOID,
    "zero-one": kernels.ZERO_ONE,
}

Utility = Literal["linear", "sigmoid", "zero-one"]

REARRANGED = 8  # times per pass that features are put in order of their weight


def hypothesis_margins(X: Any, y: Any, weights: Any = None) -> Floats:
    """Leave-one-out hypothesis margin of each sample.

    θ(x) = ½ (‖x − nearmiss(x)‖_w − ‖x − nearhit(x)‖_w), where ‖z‖_w = √(Σ w_f² z_f²)
    and both neighbours are found under w, x left out. X is not scaled.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
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


def evaluation(
    X: Any,
    y: Any,
    weights: Any = None,
    utility: Utility = "linear",
    beta: float | Literal["auto"] = "auto",
) -> float:
    """Evaluate feature weights by the margins that they give: e(w) = Σ u(θ(x)).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Not scaled.
    y : array-like of shape (n_samples,)
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
        raise ValueError(f"utility must be one of {known}, got {utility!r}.")
    with Workers(thread_count(None)) as workers:
        table, w = _checked(X, y, weights, "evaluation", workers)
        slope = resolve_beta(beta, utility, table, workers)
        return evaluate(table, w, utility, slope, workers)


def _checked(
    X: Any, y: Any, weights: Any, name: str, workers: Workers
) -> tuple[Table, Floats]:
    X, y, classes = validate(None, X, y, name=name)
    table = build(X, y, classes, scale=None, workers=workers)
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
    table: Table, w: Floats, workers: Workers, slots: Ints | None = None
) -> tuple[Ints, Floats]:
    """Nearest row under w in each slot, and its distance, both (n, n_slots).

    Slots are the hits and the misses unless a relation is given. −1 and NaN mark empty
    ones, such as the hits of a sample that is alone in its class.
    """
    if slots is None:
        slots = hits_and_misses(len(table.classes))
    shape = len(table.X), int(slots.max()) + 1
    rows = np.full(shape, -1, np.int64)
    distances = np.full(shape, np.nan)
    if not (w == 1).all():
        table = table.reweighted(w)
    for block in nearest(table, 1, slots, distances=True, workers=workers):
        there = block.counts > 0
        query, slot = np.nonzero(there)
        place = block.queries[query], slot
        rows[place] = block.rows
        distances[place] = block.distances
    return rows, distances


def hit_and_miss_distances(
    table: Table, w: Floats, workers: Workers
) -> tuple[Floats, Floats]:
    """Distance of each row to its nearest hit (NaN if none) and miss under w."""
    _, distances = neighbors_at(table, w, workers)
    return distances[:, HIT], distances[:, MISS]


def resolve_beta(
    beta: float | str, utility: str, table: Table, workers: Workers
) -> float:
    """The slope of the sigmoid; "auto" looks at the margins at equal weights."""
    if beta != "auto":
        return float(beta)
    if utility != "sigmoid":
        return 1.0
    near, far = hit_and_miss_distances(table, np.ones(table.X.shape[1]), workers)
    mean = np.nanmean(far - near) if np.isfinite(near).any() else 0.0
    return float(1 / mean) if mean > 0 else 1.0


def evaluate(
    table: Table, w: Floats, utility: str, beta: float, workers: Workers
) -> float:
    """e(w) of a table."""
    if not w.any():
        return 0.0
    near, far = hit_and_miss_distances(table, w, workers)
    there = ~np.isnan(near)
    near, far = near[there], far[there]
    theta = 0.5 * (far - near)
    if utility == "sigmoid":
        return float(expit(beta * theta).sum())
    if utility == "zero-one":
        # The same distance found twice is no margin, whatever rounding says.
        return float(np.sum(far - near > kernels.TIE * np.maximum(near, far)))
    return float(theta.sum())


def ascent_parts(
    table: Table, w: Floats, visits: Ints, batch_size: int
) -> Iterator[tuple[kernels.Screen, Ints]]:
    """Cut a pass over the rows into parts, each with a screen for searching under w.

    Features with a large share of the distances come first in the screen, so that most
    rows are given up after a few of them. Which ones these are changes as w does: a
    part is arranged when the one before has been visited.
    """
    n, d = table.X.shape
    centre, spread = table.X.mean(axis=0), table.X.var(axis=0)
    largest = float(np.max(np.maximum(table.high - centre, centre - table.low)))
    rows = np.zeros((n, -(-d // int(kernels.STEP)) * int(kernels.STEP)), np.float32)
    size = max(1, len(visits) // REARRANGED // batch_size) * batch_size
    for part in spans(len(visits), size):
        columns = np.argsort(-(w**2 * spread), kind="stable")
        kernels.arrange_columns(table.X, centre, columns, rows)
        yield kernels.Screen(rows, columns, largest), visits[part]
