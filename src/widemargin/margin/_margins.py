"""The margins of samples, and e(w), the evaluation function built on them."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy.optimize import nnls
from scipy.spatial.distance import cdist

from widemargin.data.build import build, refuse_other_than_numbers
from widemargin.data.dataset import Dataset
from widemargin.data.protocol import Floats
from widemargin.data.read import read_dataset
from widemargin.data.table import Table, warn_single_members
from widemargin.margin.utility import (
    UTILITIES,
    evaluate,
    hit_and_miss_distances,
    resolve_beta,
)
from widemargin.memory import require
from widemargin.threads import Workers, thread_count

Utility = Literal["linear", "sigmoid", "zero-one"]


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
        table, w = read_table(X, y, weights, "hypothesis_margins", workers)
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
        table, w = read_table(X, y, weights, name, workers)
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
            margins[table.rows[i]] = (1 if right else -1) * _distance_to_cells(*cells)

        workers.run(measure, range(n))
    return margins


def _distance_to_cells(P: Floats, Q: Floats, apart: Floats) -> float:
    """Distance of the origin from where a row of Q is as near as all rows of P.

    That region consists of one polyhedron for each row q: the points no farther from q
    than from any row p. The distance from a polyhedron is a least distance problem,
    solved exactly by non-negative least squares (C. Lawson, R. Hanson, *Solving least
    squares problems*, 1974, chapter 23).

    Parameters
    ----------
    P, Q : arrays of shape (m, d) and (k, d)
    apart : array of shape (k, m)
        Distances between the rows of Q and of P.
    """
    near, far = np.linalg.norm(P, axis=1), np.linalg.norm(Q, axis=1)
    h = 0.5 * (far[:, None] - near) * (far[:, None] + near)
    # At least as far as from the half-space of each pair (p, q).
    least = np.divide(h, apart, out=np.zeros_like(h), where=apart > 0).max(axis=1)
    best = np.inf
    for q in np.argsort(least, kind="stable"):
        if least[q] >= best:
            break
        best = min(best, _least_distance(Q[q] - P, h[q]))
    return float(best)


def _least_distance(G: Floats, h: Floats) -> float:
    """Length of the shortest u with Gu ≥ h, which must exist."""
    if (h <= 0).all():
        return 0.0
    size = np.linalg.norm(G, axis=1)
    G, h = G[size > 0] / size[size > 0, None], h[size > 0] / size[size > 0]
    unit = h.max()
    E = np.vstack([G.T, h / unit])
    f = np.zeros(len(E))
    f[-1] = 1.0
    y, _ = nnls(E, f, maxiter=100 + 30 * len(h))
    r = E @ y - f
    return float(unit * np.linalg.norm(r[:-1] / r[-1]))


def evaluation(
    X: Any,
    y: Any,
    weights: Any = None,
    utility: Utility = "linear",
    beta: float | Literal["auto"] = "auto",
    sample_weight: Any = None,
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
    sample_weight : array-like of shape (n_samples,), optional
        What the utility of each sample counts, in units of the mean.

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
        table, w = read_table(X, y, weights, "evaluation", workers, sample_weight)
        slope = resolve_beta(beta, utility, table, workers)
        return evaluate(table, w, utility, slope, workers)


def read_numbers(X: Any, y: Any, name: str, sample_weight: Any = None) -> Dataset:
    """A dataset of numbers, or a sentence on what is none."""
    data = read_dataset(X, y, name, mixed=False, sample_weight=sample_weight)
    refuse_other_than_numbers(data.X, name)
    data.warn_of_columns(name)
    return data


def read_table(
    X: Any, y: Any, weights: Any, name: str, workers: Workers, sample_weight: Any = None
) -> tuple[Table, Floats]:
    """A table of numbers, not scaled, and feature weights for it."""
    data = read_numbers(X, y, name, sample_weight)
    options: dict[str, Any] = {"scale": None, "workers": workers, "name": name}
    y, classes = data.present_classes
    table = build(data.X, y, classes, weights=data.row_weights, **options)
    warn_single_members(table, name, "it has no margin")
    d = table.n_features
    w = np.ones(d) if weights is None else np.asarray(weights, dtype=np.float64)
    if w.shape != (d,) or not np.isfinite(w).all():
        raise ValueError(
            f"{name} needs one finite weight per feature, so shape ({d},), got an "
            f"array of shape {w.shape}"
            + ("." if w.shape != (d,) else " with NaN or infinity.")
        )
    return table, w
