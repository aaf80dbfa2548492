"""G-flip: greedy search for the set of features of the largest margin.

Reference
---------
R. Gilad-Bachrach, A. Navot, N. Tishby, *Margin based feature selection: theory and
algorithms*, ICML 2004, algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from widemargin._sklearn import StrOptions
from widemargin.base import COUNT, MarginSelector
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table, warn_single_members
from widemargin.kernels.flips import (
    Batch,
    Flipped,
    FlipRoom,
    Flips,
    Shortlist,
    evaluate_flips,
)
from widemargin.kernels.records import TIE, Utility
from widemargin.margin.utility import UTILITIES, evaluate, resolve_beta
from widemargin.memory import available
from widemargin.notices import warn
from widemargin.progress import progress
from widemargin.settings import Settings
from widemargin.threads import Workers, spans

SPARE_FLIPS = 32  # logged beyond twice those of F before distances are summed anew
FIRST_TRIED = 8  # flips evaluated at once after one was kept; twice as many after none
MOST_TRIED = 32  # and no more than this


@dataclass(kw_only=True, eq=False, repr=False)
class GFlip(MarginSelector):
    """G-flip: greedy feature flips that increase the margin.

    Starting from the empty set F, features are visited in random order. Each is added
    to F if e(F ∪ f) > e(F ∖ f), removed if it is less, and left unchanged on a tie,
    until an epoch changes nothing. There is no number of features or threshold to
    choose: F is the selection.

    F stays empty if no single feature has a positive margin e, which is common with
    many classes, such as images of many people. Then a warning is issued and nothing is
    kept (``n_features_`` is 0, and `transform` returns no columns). Try
    ``start="full"``.

    An epoch costs Θ(n²) for each flip that is made, and little for the others. The
    distances under F are stored, and for each row a short list of its nearest hits and
    misses with a bound on all others, which usually determines the nearest ones after a
    flip. The flips are exactly those of the published algorithm.

    The n² distances take 8 n² bytes. They are stored up to 4 GiB and up to half of the
    available memory (``WIDEMARGIN_MEMORY`` sets another limit). Beyond that, they are
    computed when needed, which takes longer and gives the same result.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        None or "auto" keeps F. A number keeps the features with the highest scores
        instead.
    n_starts : int, default=1
        Number of random restarts; the one with the highest e(F) is kept.
    utility : {"linear", "sigmoid", "zero-one"}, default="linear"
        Utility of a margin θ: θ itself, 1/(1 + exp(−βθ)), or whether θ is positive.
        The sigmoid is ½ at θ = 0 but e is 0 for the empty set, so the feature that is
        visited first is added, even if it is constant.
    beta : float or "auto", default="auto"
        Slope of the sigmoid. "auto" is 1 / mean(2θ) at equal weights, or 1 if that mean
        is not positive.
    max_epochs : int, default=100
        Maximum number of epochs.
    start : {"empty", "full"} or array of bool or int, default="empty"
        Initial set F: empty, as in the paper; all features that vary; or those given by
        a mask or by column indices. A feature whose flip changes nothing is not
        flipped.
    order : list of permutations or None, default=None
        Order of the features in each epoch, instead of a random one. Implies a single
        start, which ends with the list at the latest.
    scale : {"minmax", "maxabs", "standard", "rank"} or None, default="minmax"
        Scaling of the features: by range, by largest absolute value, by standard
        deviation, by rank (average ranks, scaled by their range, so that extremely
        skewed features count like others), or none.
    feature_groups : dict, array-like, "prefix" or None, default=None
        Columns that stay or go together: a mapping from names of groups to their
        columns (names or indices), a label for each column (None or NaN for a column on
        its own), or "prefix", by which names that agree up to the last underscore are a
        group (after ``transformer__``, if a ColumnTransformer wrote it). A group counts
        as one feature.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores.
    random_state : int, RandomState or None, default=None
        Random seed of the orders.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        For features in F, the decrease in e when the feature is removed; for the
        others, the increase in e when it is added, which is not positive at a local
        maximum.
    ranking_ : array of shape (n_features,)
        1 for the best feature. Features in F come first.
    support_ : array of shape (n_features,)
        Whether each feature is kept.
    n_features_ : int
        Number of features kept.
    margin_ : float
        e(F).
    n_epochs_, n_iter_ : int
        Number of epochs of the best start, including the last one, which changed
        nothing.
    groups_ : array of str or None
        With ``feature_groups``, the names of the features: of groups, and of columns on
        their own. All columns of a group have its score, rank and support.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from widemargin import GFlip
    >>> from widemargin.datasets import make_xor
    >>> X, y = make_xor(random_state=0)
    >>> GFlip(n_starts=5, random_state=0).fit(X, y).get_support(indices=True)
    array([0, 1, 2])
    """

    n_starts: int = 1
    utility: Literal["linear", "sigmoid", "zero-one"] = "linear"
    beta: float | Literal["auto"] = "auto"
    max_epochs: int = 100
    start: Any = "empty"
    order: Any = None
    random_state: Any = None
    redundancy: float | Literal["auto"] | None = field(default=None, init=False)

    _instead_on_dask = "Simba with a batch_size"
    _gives_subset = True

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "utility": [StrOptions(set(UTILITIES))],
        "max_epochs": [COUNT],
        "start": [StrOptions({"empty", "full"}), "array-like"],
    }

    def _score(self, table: Table, workers: Workers) -> Floats:
        warn_single_members(table, "GFlip", "it has no margin")
        beta = resolve_beta(self.beta, self.utility, table, workers)
        utility = Utility(UTILITIES[self.utility], beta)
        random = check_random_state(self.random_state)
        F, e, best = self._start(table), 0.0, None
        if F.any():
            e = evaluate(table, F.astype(np.float64), self.utility, beta, workers)
        starts = 1 if self.order is not None else self.n_starts
        for to_come in reversed(range(starts)):
            search = FlipSearch(table, utility, workers, F, e)
            self._climb(search, random)
            if to_come:  # each start has a matrix of its own
                search.forget_distances()
            if best is None or search.e > best.e:
                best = search
        assert best is not None
        self._flipped_in = best.F
        self.margin_ = best.e
        self.n_epochs_ = self.n_iter_ = best.epochs
        scores = best.scores()
        if not best.F.any():
            self._warn_of_nothing(scores.max())
        return scores

    def _start(self, table: Table) -> NDArray[np.bool_]:
        """The set to start from, as a mask."""
        d, start = table.X.shape[1], self.start
        if isinstance(start, str):
            return ~table.constant & (start == "full")
        start, F = np.asarray(start), np.zeros(d, dtype=bool)
        mask = start.dtype == bool and start.shape == (d,)
        whole = start.ndim == 1 and (start.dtype.kind in "iu" or not start.size)
        if not mask and not (whole and np.all((start >= 0) & (start < d))):
            raise ValueError(
                f'GFlip: start must be "empty", "full", a mask of shape ({d},) or '
                f"column numbers from 0 to {d - 1}, got an array of shape "
                f"{start.shape} and type {start.dtype}: {start.ravel()[:5].tolist()}."
            )
        F[start if start.size else []] = True
        return F

    def _warn_of_nothing(self, gain: float) -> None:
        """Say that F is empty, given what the best feature would add to e."""
        advice = "Scores are those of single features."
        if self.n_features_to_select in (None, "auto"):
            empty = isinstance(self.start, str) and self.start == "empty"
            other = 'all features with start="full"' if empty else "another set"
            advice = (
                f"No feature is selected. Start from {other}, or keep the best "
                "features by score (n_features_to_select=10)."
            )
        warn(
            "GFlip ends in the empty set: the margin e is 0 there, and the best single "
            f"feature changes it by {gain:.3g}. {advice}"
        )

    def _climb(self, search: FlipSearch, random: np.random.RandomState) -> None:
        """Epochs of flips until one changes nothing (steps 1 and 2)."""
        d = len(search.F)
        orders = self._orders(d)
        epochs = self.max_epochs if orders is None else len(orders)
        for t in range(min(epochs, self.max_epochs)):
            s = random.permutation(d) if orders is None else orders[t]
            with progress(f"G-flip, epoch {t + 1}", len(s), self.verbose) as advance:
                if not search.epoch(s, advance):
                    return
        if orders is None:
            warn(
                f"GFlip still changes features after max_epochs={self.max_epochs}; "
                "the set is not a local maximum. Raise max_epochs.",
                ConvergenceWarning,
            )

    def _orders(self, d: int) -> list[Ints] | None:
        if self.order is None:
            return None
        orders = [np.asarray(s) for s in self.order]
        if not orders:
            raise ValueError(
                f"GFlip: order must be a list of permutations of 0 … {d - 1}, one per "
                "epoch, got an empty one. Leave order=None for random ones."
            )
        for s in orders:
            whole = s.dtype.kind in "iu" and s.ndim == 1
            if not whole or not np.array_equal(np.sort(s), np.arange(d)):
                raise ValueError(
                    f"GFlip: order must be a list of permutations of 0 … {d - 1}, one "
                    f"per epoch, got one of shape {s.shape}: {s[:10] if s.ndim else s}."
                )
        return [s.astype(np.int64) for s in orders]

    def _natural_support(self) -> NDArray[np.bool_] | None:
        return self._flipped_in


def _is_kept(n_bytes: int, settings: Settings) -> bool:
    """Whether a matrix of distances is small enough to be kept in memory."""
    if n_bytes > settings.kept_distance_bytes:
        return False
    left = available()
    return left is None or n_bytes * settings.kept_distance_share <= left


class FlipSearch:
    """The current set F, e(F), and what makes the next flip cheap to evaluate."""

    def __init__(
        self,
        table: Table,
        utility: Utility,
        workers: Workers,
        F: NDArray[np.bool_] | None = None,
        e: float = 0.0,
    ) -> None:
        n, d = table.X.shape
        self.table, self.utility, self.workers = table, utility, workers
        self.F = np.zeros(d, dtype=bool) if F is None else F.copy()
        self.e = e  # e(F)
        self.epochs = 0
        self.changed = True  # whether the last epoch has flipped a feature
        self.after = np.full(d, np.nan)  # e when f is flipped, as last evaluated
        self.flips = Flips(
            XT=np.ascontiguousarray(table.X.T),
            D=np.empty((n, n) if _is_kept(8 * n * n, table.settings) else (0, 0)),
            versions=np.full(n, -1, np.int64),
            log=np.zeros((2, 2 * d + SPARE_FLIPS + 1), np.int64),
            labels=table.y,
            starts=table.starts,
            weights=table.row_weights,
        )
        self.flipped = Flipped(0, 0.0, -1, 1.0, 0.0, 0.0)
        self.shortlist = Shortlist.of(n, table.settings.listed_neighbors)
        # Fixed, because they order the summation of e.
        self.blocks = np.linspace(0, n, min(n, 64) + 1).astype(np.int64)
        self._begin_log()

    def epoch(self, s: Ints, advance: Any = lambda: None) -> bool:
        """Visit all features in the order s; return whether any was flipped.

        Several flips are evaluated at once, in the hope that none but the last is kept.
        """
        self.changed, visited, tried = False, 0, FIRST_TRIED
        while visited < len(s):
            features = s[visited : visited + tried]
            e = self._evaluate(features)
            scale = np.maximum(max(1.0, abs(self.e)), np.abs(e))
            better = np.flatnonzero(e - self.e > TIE * scale)
            if len(better):
                first = int(better[0])
                self._flip(int(features[first]), float(e[first]))
                # Flips are as dense as this, as a rule.
                done, tried = first + 1, -(-(first + 1) // FIRST_TRIED) * FIRST_TRIED
            else:
                done, tried = len(features), min(MOST_TRIED, 2 * tried)
            visited += done
            for _ in range(done):
                advance()
        self.epochs += 1
        return self.changed

    def scores(self) -> Floats:
        """What each flip out of F costs, or into F gains."""
        if self.changed:  # else the last epoch has evaluated all of them at this F
            for part in spans(len(self.F), MOST_TRIED):
                self._evaluate(np.arange(part.start, part.stop))
        return np.where(self.F, self.e - self.after, self.after - self.e)

    def forget_distances(self) -> None:
        """Free the matrix; distances are summed again where they are needed."""
        self.flips = self.flips._replace(D=np.empty((0, 0)))

    def _evaluate(self, features: Ints) -> Floats:
        """The value of e after each flip of a few features."""
        n, count, table = len(self.table.X), len(features), self.table
        signs = np.where(self.F[features], -1.0, 1.0)
        members = np.flatnonzero(self.F)
        batch = Batch(
            features=features,
            values=table.X.take(features, axis=1),
            ranges=np.stack([signs, table.low[features], table.high[features]]),
            members=members,
        )
        sums = np.empty((len(self.blocks) - 1, count))
        settings, kept = table.settings, self.flips.D.size > 0

        def evaluate(part: slice) -> None:
            evaluate_flips(
                self.flips,
                self.shortlist,
                batch,
                self.flipped,
                self.utility,
                self.blocks[part.start : part.stop + 1],
                sums[part],
                FlipRoom.of(n, kept, count),
            )

        pieces = max(1, min(2 * self.workers.n_threads, n // settings.flipped_rows))
        self.workers.run(evaluate, spans(len(sums), -(-len(sums) // pieces)))
        self.flipped = self.flipped._replace(feature=-1)
        e = sums.sum(axis=0)
        if len(members) == 1:
            e[features == members[0]] = 0.0  # e(∅)
        self.after[features] = e
        return e

    def _flip(self, f: int, e: float) -> None:
        """Flip feature f, after which the evaluation function is e."""
        self.F[f] = not self.F[f]
        self.e, self.changed = e, True
        sign = 1 if self.F[f] else -1
        low, high = float(self.table.low[f]), float(self.table.high[f])
        length, removed = self.flipped.length, self.flipped.removed
        self.flips.log[:, length] = f, sign
        if sign < 0:
            removed += (high - low) ** 2
        self.flipped = Flipped(length + 1, removed, f, float(sign), low, high)
        if length + 1 > 2 * self.F.sum() + SPARE_FLIPS:
            # So that neither the log nor its rounding grows.
            self._begin_log()

    def _begin_log(self) -> None:
        """Write down the way from the empty set to F; distances are summed anew."""
        members = np.flatnonzero(self.F)
        self.flips.log[:, : len(members)] = members, np.ones(len(members))
        self.flips.versions[:] = -1
        self.flipped = self.flipped._replace(length=len(members), removed=0.0)
