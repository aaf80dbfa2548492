"""How many features to keep, and which are redundant, by ten folds of the rows.

A selector ranks the features by the training rows of each fold; 1-NN, or the mean of
the five nearest rows, scores the best 1, 2, … of them in the test rows, with and
without near copies; the one-standard-error rule chooses. An accuracy that is shown
comes from rows that had no part in ranking or scaling the features.
"""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from widemargin.data.dataset import Dataset
from widemargin.data.frames import is_sparse
from widemargin.data.outcomes import standardised, target_columns
from widemargin.data.protocol import Floats, Ints
from widemargin.data.sparse import ranked_cells
from widemargin.judging.copies import thin
from widemargin.judging.folds import Fold, plain_folds, stratified_folds
from widemargin.judging.judge import Judge, Measured, mean_over_rows, share_right
from widemargin.judging.nearest import MOST_DENSE, NearestMean, NearestNeighbor
from widemargin.judging.scores import MEASURES, TARGET_SCORES, FoldScores, lopsided
from widemargin.notices import muted
from widemargin.progress import progress
from widemargin.threads import Workers

N_FOLDS = 10
THRESHOLDS = (None, 0.9, 0.7)  # what redundancy="auto" chooses among


class Answer(NamedTuple):
    """What a fit answers besides scores, as far as it was asked for."""

    ranking: Ints  # redundant features last
    size: int | None = None  # features to keep
    prefix_scores: Floats | None = None
    optimism: float | None = None
    scoring: str | None = None  # of the prefix scores
    redundancy: float | None = None
    redundant_with: Ints | None = None


class Tried(NamedTuple):
    """What came out of the folds."""

    scores: Floats  # (V, thresholds, sizes)
    tested: Ints | Floats  # (V,)
    own_sizes: list[int | None]  # how many the method itself would keep in each fold


def answer(selector: Any, data: Dataset, workers: Workers) -> Answer:
    """Choose the size and the threshold in folds, then skip redundant features.

    ``selector`` has scores and a ranking of all rows.
    """
    found = Answer(selector.ranking_)
    natural, d, sparse = selector._natural(), data.shape[1], is_sparse(data.X)
    subset = natural is not None and selector.n_features_to_select in (None, "auto")
    any_size = selector.n_features_to_select == "auto" and not subset
    wanted = d if any_size else min(selector._wanted(), d)
    if subset:
        wanted = max(1, int(natural.sum()))
    judged = min(wanted, MOST_DENSE) if sparse else wanted
    threshold: Any = selector.redundancy
    _, y = np.unique(data.codes, return_inverse=True)
    if any_size or threshold == "auto":
        thresholds = THRESHOLDS if threshold == "auto" else (threshold,)
        judge, scoring = _judge(data, y, selector)
        tried = _try(selector, data, y, judge, thresholds, judged, workers)
        own = selector._own_size() if any_size else wanted
        own = None if own is None else min(own, judged)
        wanted = judged if any_size else wanted
        shares = data.target is None
        which, size, too_high = choose(tried, own, shares=shares)
        threshold = thresholds[which]
        if any_size:
            # R² may be below 0, an accuracy may not.
            lowest = 0.0 if shares else -np.inf
            means = tried.scores[:, which].mean(axis=0)
            scores = np.full(d, np.nan)
            scores[:judged] = np.maximum(means - too_high, lowest)
            found = Answer(found.ranking, size, scores, too_high, scoring)
    if selector.redundancy is None:
        return found
    if threshold is None:
        return found._replace(redundant_with=np.full(d, -1))
    best_first = np.argsort(found.ranking)
    ((order, instead),) = thin(best_first, data, [threshold], wanted, workers)
    ranking = np.empty_like(found.ranking)
    ranking[order] = np.arange(1, d + 1)
    return found._replace(ranking=ranking, redundancy=threshold, redundant_with=instead)


def choose(tried: Tried, own: int | None, *, shares: bool) -> tuple[int, int, float]:
    """Which threshold, how many features, and how much too high their score is.

    It was chosen for being high: the score minus that of the folds, each with what the
    other folds choose for it; at least 0. With a size of its own, the method chooses
    for each fold by the training rows.
    """
    V, T, K = tried.scores.shape
    sizes = np.tile(np.arange(1, K + 1), T)
    some = np.arange(T * K) if own is None else np.flatnonzero(sizes == own)
    scores = tried.scores.reshape(V, -1)
    folds = FoldScores(scores[:, some], tried.tested, np.zeros(V, np.int64), shares)
    chosen = some[folds.pick(sizes[some])]
    which, size = int(chosen) // K, int(sizes[chosen])
    if own is None:
        honest = some[folds.picks_without_own(sizes[some])]
    else:
        own_sizes = [min(k or size, K) for k in tried.own_sizes]
        honest = which * K + np.array(own_sizes) - 1
    excess = scores[:, chosen].mean() - scores[np.arange(V), honest].mean()
    return which, size, max(0.0, float(excess))


def _judge(data: Dataset, y: NDArray[Any], selector: Any) -> tuple[Judge, str]:
    """1-NN, or 5-NN for a numeric target, and the name of its score.

    If classes are lopsided, all count alike. R² compares with the variance of all rows:
    a fold may have too few.
    """
    X, nominal, scale, w = data.X, data.nominal, selector.scale, None
    of = data.feature_of
    if (given := selector._row_weights(data)) is not None:
        w = given / given.mean()
    if is_sparse(X) and scale == "rank":
        X, scale = ranked_cells(X), "minmax"
    nearest: NearestNeighbor | NearestMean
    measured: Measured = share_right
    if data.target is None:
        nearest, kind = NearestNeighbor(nominal, scale, of), "classifier"
        scoring, counts = "accuracy", np.bincount(y, w)
        if lopsided(counts):
            scoring = "balanced_accuracy"
            measured = partial(_share_of_classes, counts)
    else:
        y, task, kind = data.labels_given, data.task, "regressor"
        nearest, scoring = NearestMean(nominal, scale, task, of), TARGET_SCORES[task]
        if task == "regression":
            y, measured = standardised(y, w).reshape(y.shape), _share_explained
        else:
            measured = partial(_each, MEASURES[task])
    make = nearest.for_columns
    return Judge(X, y, make, nearest, None, kind, measured, w, of), scoring


def _share_explained(
    predicted: NDArray[Any], target: NDArray[Any], w: Floats | None = None
) -> Floats:
    squares = (predicted - target) ** 2
    if w is not None:
        return 1 - mean_over_rows(squares if target.ndim == 1 else squares.mean(-1), w)
    return 1 - np.mean(squares, axis=tuple(range(-target.ndim, 0)))


def _each(
    measure: Any, predicted: NDArray[Any], y: NDArray[Any], w: Floats | None = None
) -> Floats:
    if w is not None:
        raise ValueError(
            f'"auto" scores by {measure.__name__}, which does not take sample_weight. '
            "Give numbers, or leave sample_weight out."
        )
    scores = np.array([measure(y, answers) for answers in predicted])
    return np.nan_to_num(scores, nan=0.5)  # no event in the fold: no pair, chance


def _share_of_classes(
    counts: Ints, predicted: NDArray[Any], y: Ints, w: Floats | float = 1.0
) -> Floats:
    return np.average(predicted == y, axis=-1, weights=w / counts[y])


def _folds(data: Dataset, y: Ints) -> list[Fold]:
    """Ten stratified folds, or as many as the largest class has members if fewer.

    They depend on what the rows hold, not on their order. A row that is alone in its
    class is in every training part, and never tested. If all are alone there are no
    folds. Folds of a numeric target are not stratified.
    """
    X, nominal = data.X, data.nominal
    if data.target is not None:
        return plain_folds(X, data.target, min(N_FOLDS, len(y)), nominal=nominal)
    n_folds = min(N_FOLDS, int(np.bincount(y).max()))
    if n_folds < 2:
        return []
    return stratified_folds(X, y, n_folds, nominal=nominal, keep_single=True)


def _try(
    selector: Any,
    data: Dataset,
    y: Ints,
    judge: Judge,
    thresholds: tuple[float | None, ...],
    most: int,
    workers: Workers,
) -> Tried:
    """Rank by the training rows of each fold, and score the best 1, 2, … features."""
    folds, quiet, fresh = _folds(data, y), workers.silent(), clone(selector)
    sizes = np.arange(1, most + 1)
    scores = np.zeros((max(1, len(folds)), len(thresholds), most))
    if not folds:
        return Tried(scores, np.array([len(y)]), [None])
    ranked, own_sizes = [], []
    with (
        muted(),
        progress("folds", len(folds), workers.verbose, summary=False) as advance,
    ):
        for train, _ in folds:
            order, own = _ranked(fresh, data, train, quiet)
            own_sizes.append(own)
            rows = data.take(np.sort(train))
            ranked.append(_thinned(order, rows, thresholds, most, quiet))
            advance()

    def score(v: int) -> None:
        known: dict[bytes, Floats] = {}
        for t, order in enumerate(ranked[v]):
            key = order[:most].tobytes()
            if key not in known:
                known[key] = judge.best(folds[v], f"in fold {v}", order, sizes)
            scores[v, t] = known[key]

    quiet.run(score, range(len(folds)))
    return Tried(scores, np.array([judge.worth(test) for _, test in folds]), own_sizes)


def _thinned(
    order: Ints,
    data: Dataset,
    thresholds: tuple[float | None, ...],
    most: int,
    workers: Workers,
) -> list[Ints]:
    """The ranking with near copies last, for each threshold; None skips none."""
    limits = [t for t in thresholds if t is not None]
    if not limits:
        return [order] * len(thresholds)
    found = iter(thin(order, data, limits, most, workers))
    return [order if t is None else next(found).order for t in thresholds]


def _ranked(
    selector: Any, data: Dataset, train: Ints, workers: Workers
) -> tuple[Ints, int | None]:
    """Features, best first, by a fit of a selector to some rows, and its own size."""
    twin = deepcopy(selector)  # a sixth of the time of `clone`
    twin.n_features_in_, twin.groups_ = data.X.shape[1], None
    if data.feature_of is not None:
        twin.groups_, twin._feature_of = data.names, data.feature_of
    if getattr(selector, "order", None) is not None:
        place = np.full(data.shape[0], -1)
        place[train] = np.arange(len(train))
        visits = place[np.asarray(selector.order)]
        twin.set_params(order=visits[visits >= 0])
    y: NDArray[Any] = data.codes[train]
    if data.target is not None:
        y = target_columns(data.target[train], data.task)
    used = data.labelled or selector._numeric_target
    if used and not np.ptp(y, axis=0).any():
        return np.arange(data.shape[1]), None  # there is nothing to rank by
    strata = selector._strata_of(data, train)
    twin._rank_by(selector._table(data, workers, train), workers, data, strata)
    return np.argsort(twin.ranking_), twin._own_size()
