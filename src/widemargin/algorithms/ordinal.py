"""O-ReliefF and O-Simba: feature selection for ordered classes.

Reference
---------
Q. Hu, W. Pan, Y. Song, D. Yu, *Large-margin feature selection for monotonic
classification*, Knowledge-Based Systems 31, 2012, algorithms 4 and 5.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.utils._param_validation import Interval, StrOptions

from widemargin import kernels
from widemargin.base import About, AscentSelector, MarginSelector
from widemargin.engine import edge_sums, hits_higher_and_lower, nearest
from widemargin.engine.relations import HIGHER, HIT, LOWER
from widemargin.margin import neighbors_at
from widemargin.screen import Screen
from widemargin.table import (
    Floats,
    Ints,
    Table,
    warn_single_members,
    warn_small_classes,
)
from widemargin.threads import Workers, spans

_CONSTRAINTS: dict[str, Any] = {
    "difference": [StrOptions({"directed", "absolute"})],
    "hits": [StrOptions({"nearest", "dominating"})],
    "directions": [None, StrOptions({"auto"}), "array-like"],
}


class OReliefF(MarginSelector):
    """O-ReliefF: ReliefF for ordered classes and features that should rise with them.

    Each sample x has an upward margin, to its k nearest misses among all higher
    classes, and a downward one, to those among all lower classes:

        w_f += mean (miss⁺_f − x_f) − mean |x_f − hit_f|
             + mean (x_f − miss⁻_f) − mean |x_f − hit_f|,

    averaged over the samples. The differences to the misses are signed, so that a
    feature which tells classes apart without rising with them gains nothing. The lowest
    class has no downward margin and the highest no upward one. Neighbours, by Euclidean
    distance in the scaled space, that are tied at the k-th place share the remaining
    weight equally, so scores do not depend on the order of the rows.

    Labels are numbers, ordered by value, or an ordered categorical.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features to keep, or which share of them; None keeps half.
    n_neighbors : int or "log"
        k; "log" is the natural logarithm of the number of samples, rounded.
    difference : "directed" or "absolute"
        How a miss counts: "absolute" is |x_f − miss_f|, the formula as the paper prints
        it, which rewards features that are not monotone as well.
    hits : "nearest" or "dominating"
        Which samples of its class are the hits of x: the nearest ones, or, as in the
        paper, for the upward margin the nearest of those that are at least x on every
        feature, and for the downward margin of those that are at most x; there may be
        none. "dominating" compares all pairs within a class, in O(n² d) at worst.
    directions : None, "auto" or array of shape (n_features,)
        1 for a feature of which more is better, −1 for one of which less is. None takes
        all as 1; "auto" takes the sign of the rank correlation with y.
    scale : "minmax", "standard" or None
        How features are made commensurable: by their range, their standard deviation,
        or not at all.
    n_jobs : int or None
        Threads; None uses all cores.
    verbose : int
        Makes no difference: there is one step only.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Higher is better.
    directions_ : array of shape (n_features,)
        1 or −1 for each feature.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether a feature is kept.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    The first feature rises with the grade, the second only sets the middle one apart.

    >>> import numpy as np
    >>> from widemargin import OReliefF
    >>> rng = np.random.default_rng(0)
    >>> grade = np.repeat([1, 2, 3], 20)
    >>> X = rng.random((60, 5))
    >>> X[:, 0] += grade
    >>> X[:, 1] += 2 * (grade == 2)
    >>> OReliefF(1).fit(X, grade).get_support(indices=True)
    array([0])
    >>> as_printed = OReliefF(1, difference="absolute")
    >>> as_printed.fit(X, grade).get_support(indices=True)
    array([1])
    """

    _about = About("Hu, Pan, Song & Yu 2012", "n² d", needs="ordered classes")

    _ordered_classes = True
    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        **_CONSTRAINTS,
        "n_neighbors": [
            Interval(numbers.Integral, 1, None, closed="left"),
            StrOptions({"log"}),
        ],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_neighbors: int | str = 1,
        difference: str = "directed",
        hits: str = "nearest",
        directions: Any = None,
        scale: str | None = "minmax",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.difference = difference
        self.hits = hits
        self.directions = directions
        self.scale = scale
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _score(self, table: Table, workers: Workers) -> Floats:
        warn_single_members(table, "OReliefF", "it contributes its misses only")
        self.directions_ = resolve_directions(self, table, workers)
        table = table.oriented(self.directions_)
        (n, d), C = table.X.shape, len(table.classes)
        k = self.n_neighbors
        k = max(1, round(np.log(n))) if k == "log" else int(k)
        warn_small_classes(table, "OReliefF", k)
        slots = hits_higher_and_lower(C)
        coefficient = np.ones((C, 3))
        # Each margin that there is has a hit term.
        coefficient[:, HIT] = [-((c > 0) + (c < C - 1)) for c in range(C)]
        if self.hits == "dominating":
            np.fill_diagonal(slots, -1)
        w, signed = np.zeros(d), np.zeros(n)
        for block in nearest(table, k, slots, share_ties=True, workers=workers):
            edges = block.edges(coefficient[table.y[block.queries]])
            if self.difference == "directed":
                edges = _take_misses(edges, table.y, signed)
            w += edge_sums(table, edges, workers=workers)
        w += _row_sums(table, signed, workers)
        if self.hits == "dominating":
            w -= _dominating_hit_sums(table, k, workers)
        return w / n


class OSimba(AscentSelector):
    """O-Simba: Simba for ordered classes and features that should rise with them.

    Weights start at 1. Each visited sample x moves them along the gradient of its
    upward margin, to the nearest miss of all higher classes, and of its downward one,
    to that of all lower classes; neighbours are found under the current weights:

        Δ_f = ½ Σ_± ((x − miss^±)_f² / ‖x − miss^±‖_w − (x − hit)_f² / ‖x − hit‖_w) w_f.

    Only features on which the miss lies on its side, above x for a higher class and
    below it for a lower one, have a miss term. The lowest class has no downward margin
    and the highest no upward one. One pass visits every sample once in a random order;
    several orders are tried and the one that reaches the highest e(w) is kept: the sum
    of all upward and downward margins ½ (‖x − miss‖_w − ‖x − hit‖_w), in which, too,
    only features on which the miss lies on its side count for the miss.

    Labels are numbers, ordered by value, or an ordered categorical.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many features to keep, or which share of them; None keeps half.
    max_iter : int
        Passes over the samples.
    n_starts : int
        Random orders to try.
    batch_size : int
        Samples that share one w; their steps are averaged.
    difference : "directed" or "absolute"
        With "absolute" all features count for a miss: the formula as the paper prints
        it, which rewards features that are not monotone as well.
    hits : "nearest" or "dominating"
        Which sample of its class is the hit of x: the nearest, or, as in the paper, for
        the upward margin the nearest of those that are at least x on every feature, and
        for the downward margin of those that are at most x; if there is none, the
        margin has no hit term. "dominating" compares all pairs within a class, in
        O(n² d) at worst for each pass.
    directions : None, "auto" or array of shape (n_features,)
        1 for a feature of which more is better, −1 for one of which less is. None takes
        all as 1; "auto" takes the sign of the rank correlation with y.
    order : array of int or None
        Rows to visit in each pass, instead of random orders. Makes one start.
    scale : "minmax", "standard" or None
        How features are made commensurable: by their range, their standard deviation,
        or not at all.
    n_jobs : int or None
        Threads; None uses all cores. Starts run side by side.
    random_state : int, RandomState or None
        Draws the orders.
    verbose : int
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        w² / max(w²); 0 for a constant feature.
    directions_ : array of shape (n_features,)
        1 or −1 for each feature.
    weights_ : array of shape (n_features,)
        w of the best start. Its signs carry nothing.
    margin_ : float
        e(w) of the best start, at max w² = 1.
    history_ : array of shape (n_starts, max_iter)
        e(w) of each start after each pass.
    n_iter_ : int
        Passes made.
    ranking_ : array of shape (n_features,)
        1 for the best feature.
    support_ : array of shape (n_features,)
        Whether a feature is kept.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    The first feature rises with the grade, the second only sets the middle one apart.

    >>> import numpy as np
    >>> from widemargin import OSimba
    >>> rng = np.random.default_rng(0)
    >>> grade = np.repeat([1, 2, 3], 20)
    >>> X = rng.random((60, 5))
    >>> X[:, 0] += grade
    >>> X[:, 1] += 2 * (grade == 2)
    >>> OSimba(1, random_state=0).fit(X, grade).get_support(indices=True)
    array([0])
    >>> as_printed = OSimba(1, difference="absolute", random_state=0)
    >>> as_printed.fit(X, grade).get_support(indices=True)
    array([1])
    """

    _about = About(
        "Hu, Pan, Song & Yu 2012", "n² d per pass and start", needs="ordered classes"
    )

    _ordered_classes = True
    _parameter_constraints = {**AscentSelector._parameter_constraints, **_CONSTRAINTS}

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        max_iter: int = 1,
        n_starts: int = 5,
        batch_size: int = 1,
        difference: str = "directed",
        hits: str = "nearest",
        directions: Any = None,
        order: Any = None,
        scale: str | None = "minmax",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_iter = max_iter
        self.n_starts = n_starts
        self.batch_size = batch_size
        self.difference = difference
        self.hits = hits
        self.directions = directions
        self.order = order
        self.scale = scale
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _score(self, table: Table, workers: Workers) -> Floats:
        warn_single_members(table, "OSimba", "it has no margin and is not visited")
        self.directions_ = resolve_directions(self, table, workers)
        table = table.oriented(self.directions_)
        directed, dominating = self.difference == "directed", self.hits == "dominating"
        rows = table.X, _layout(table), table.rows

        def visit(w: Floats, visits: Ints, seeds: Ints) -> None:
            size = self.batch_size
            for screen, part in Screen(table).parts(w, visits, size):
                kernels.osimba_visits(
                    rows, screen, w, visits[part], seeds, size, directed, dominating
                )

        def e(w: Floats) -> float:
            neighbors, distances = neighbors_at(table, w, workers, slots)
            near, far = distances[:, [HIT, HIT]], distances[:, [HIGHER, LOWER]]
            if directed:
                far = _directed_distances(table, w, neighbors[:, [HIGHER, LOWER]])
            if dominating:
                hits = _dominating_hit_distances(table, w, workers)
                near = np.where(np.isnan(near), np.nan, hits)
            # A margin without a miss is NaN, and so are those of a class of one.
            return float(np.nansum(far - near) / 2)

        slots = hits_higher_and_lower(len(table.classes))
        seeds, _ = neighbors_at(table, np.ones(table.X.shape[1]), workers, slots)
        return self._ascend(table, seeds, visit, e, workers)


def resolve_directions(
    estimator: OReliefF | OSimba, table: Table, workers: Workers
) -> Ints:
    """1 or −1 per feature."""
    given, d = estimator.directions, table.X.shape[1]
    if given is None:
        return np.ones(d, np.int64)
    if isinstance(given, str):
        return _correlation_signs(table, workers)
    directions = np.asarray(given)
    if directions.shape != (d,) or not np.isin(directions, (1, -1)).all():
        strange = directions[~np.isin(directions, (1, -1))].tolist()
        raise ValueError(
            f"{type(estimator).__name__}: directions must be one number per feature, 1 "
            f"(more is better) or -1 (less is better), so shape ({d},); got shape "
            f"{directions.shape}" + (f" with {strange[0]!r}." if strange else ".")
        )
    return directions.astype(np.int64)


def _correlation_signs(table: Table, workers: Workers) -> Ints:
    """Sign of Spearman's correlation of each feature with y; 1 if there is none.

    Twice a rank is a whole number, so the sign can be exact.
    """
    n, d = table.X.shape
    signs = np.ones(d, np.int64)
    starts = table.starts
    # Twice the centred mean rank of each class.
    of_class = (starts[:-1] + starts[1:] - n).tolist()

    def correlate(part: slice) -> None:
        ranks = (2 * rankdata(table.X[:, part], axis=0)).astype(np.int64) - (n + 1)
        sums = np.add.reduceat(ranks, starts[:-1], axis=0).T.tolist()
        for f, row in enumerate(sums, part.start):
            # Python's integers do not overflow.
            if sum(a * b for a, b in zip(row, of_class, strict=True)) < 0:
                signs[f] = -1

    workers.run(correlate, spans(d, max(1, 2**20 // n)))
    return signs


def _take_misses(edges: kernels.Edges, y: Ints, signed: Floats) -> kernels.Edges:
    """Leave the edges to hits; add those to misses to ``signed``.

    A sum of signed differences is linear in the rows: Σ ±c (x_miss − x) only needs to
    know how often each row is added.
    """
    heads, tails, coefficients = edges
    side = np.sign(y[tails] - y[heads])
    signed += np.bincount(tails, side * coefficients, len(y))
    signed -= np.bincount(heads, side * coefficients, len(y))
    hit = side == 0
    return kernels.Edges(heads[hit], tails[hit], coefficients[hit])


def _row_sums(table: Table, coefficients: Floats, workers: Workers) -> Floats:
    """Σ coefficient · x over the rows, for coefficients that sum to 0."""
    n, d = table.X.shape
    centre = (table.low + table.high) / 2  # keeps large offsets out of the sum
    blocks = spans(n, max(1, 2**16 // d))
    sums = np.zeros((len(blocks), d))

    def add(b: int) -> None:
        part = blocks[b]
        rows = (table.X[part] - centre) * coefficients[part, None]
        sums[b] = rows.sum(axis=0)

    workers.run(add, range(len(blocks)))
    return sums.sum(axis=0)


def _directed_distances(table: Table, w: Floats, misses: Ints) -> Floats:
    """Distances under w to a higher and a lower miss, on their side only; NaN if none.

    ``misses`` has shape (n, 2), with −1 for none.
    """
    far = np.full(misses.shape, np.nan)
    for part in spans(len(misses), max(1, 2**18 // table.X.shape[1])):
        for s, side in enumerate((1, -1)):
            rows = np.arange(part.start, part.stop)[misses[part, s] >= 0]
            t = side * (table.X[misses[rows, s]] - table.X[rows])
            far[rows, s] = np.sqrt(np.sum((np.maximum(t, 0.0) * w) ** 2, axis=1))
    return far


def _layout(table: Table) -> kernels.Layout:
    return kernels.Layout(table.y, table.starts, np.empty((0, 0), np.int64))


def _dominating_hit_sums(table: Table, k: int, workers: Workers) -> Floats:
    """Σ over rows and sides of mean |x − hit| over the k nearest dominating hits."""
    layout, blocks = _layout(table), spans(len(table.X), 64)
    sums = np.zeros((len(blocks), table.X.shape[1]))
    workers.run(
        lambda b: kernels.dominating_hit_sums(
            table.X, layout, k, blocks[b].start, blocks[b].stop, sums[b]
        ),
        range(len(blocks)),
    )
    return sums.sum(axis=0)


def _dominating_hit_distances(table: Table, w: Floats, workers: Workers) -> Floats:
    """Distance under w of each row to its nearest hit above and below; 0 if none."""
    layout, near = _layout(table), np.empty((len(table.X), 2))
    workers.run(
        lambda part: kernels.dominating_hit_distances(
            table.X, layout, w**2, part.start, part.stop, near
        ),
        spans(len(table.X), 64),
    )
    return near
