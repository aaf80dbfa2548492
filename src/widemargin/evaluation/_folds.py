"""The work behind a selection curve: rankings and scores, fold by fold."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.base import clone
from threadpoolctl import ThreadpoolController

from widemargin._sklearn import _safe_indexing
from widemargin.base import MarginSelector
from widemargin.data.dataset import Dataset
from widemargin.data.protocol import Floats, Ints
from widemargin.data.targets import judged_labels
from widemargin.evaluation._neighbor import Judge
from widemargin.evaluation._splits import Fold, repeats_of
from widemargin.judging.thinning import best_without_copies, similarity_of
from widemargin.progress import progress
from widemargin.threads import Workers, single_threaded_blas, thread_count

CALLER = "selection_curve"
MOST_THINNED = 256  # features up to which rankings without near copies are tried
NESTED_ROWS = (
    300  # up to which the choice itself is cross-validated, see `leave_out_each`
)


class EstimatorFailure(RuntimeError):
    """The classifier or regressor that scores the features failed in a fold."""


class Tried(NamedTuple):
    """What came out for one selector in one fold, or for all features."""

    orders: list[Ints]  # see `Ranked`
    scores: list[Floats]  # for the sizes, as far as they were tried


class Ranked(NamedTuple):
    """What a selector makes of some training rows."""

    orders: list[Ints]  # columns, best first: all, and the best without near copies
    seconds: float


@dataclass(frozen=True)
class Curves:
    """Everything that is needed for one piece of work, and what has come out so far.

    A piece is one selector in one fold, or, for the selector None, all features and
    then those of the caller's reference, if any.
    """

    selectors: Mapping[str, MarginSelector]
    data: Dataset
    y: NDArray[Any]  # labels, or numbers
    judge: Judge
    scorer: Any
    folds: list[Fold]
    sizes: Ints  # ascending, all less than the number of features
    reference: Ints | None = None  # columns
    # Similarities from which features are skipped, besides None, which skips none.
    thresholds: tuple[float, ...] = ()
    table: Dataset | None = None  # for the similarities of features
    with_all: bool = True  # whether all features are a size, too
    accuracy: bool = False  # whether that is the score, which needs no scorer
    refit_sizes: bool = False  # whether each size is a fit of its own
    # Says after the first repeat of the folds which selectors need no others.
    drop: Callable[[Curves, Ints], Collection[str]] | None = None
    dropped: set[str] = field(default_factory=set)
    tried: dict[tuple[str | None, int], Tried] = field(default_factory=dict)
    scores: dict[tuple[str | None, int], Floats] = field(default_factory=dict)
    times: dict[tuple[str | None, int], float] = field(default_factory=dict)
    # Rankings by selector and training rows, which two of the inner curves share.
    ranked: dict[tuple[str, bytes], Ranked] = field(default_factory=dict)
    # The same without the rows of each fold, for choices in which these have no part.
    inner: list[Curves] = field(default_factory=list)
    interrupted: bool = False  # by Ctrl-C, at whatever moment

    def leave_out_each(self) -> None:
        """Plan the same work without the rows of each fold of the first repeat.

        What the other folds choose is not independent of a fold that their training
        rows include: rows of two folds that are nearest to each other are right, or
        wrong, together. Nothing is planned for large tables, where it matters less, nor
        for folds that are not a partition of the rows, or leave one class.
        """
        n = self.data.shape[0]
        first = [self.folds[v] for v in np.flatnonzero(self.repeat == 0)]
        tests = [test for _, test in first]
        whole = len(np.unique(np.concatenate(tests))) == n
        whole &= all(len(train) + len(test) == n for train, test in first)
        if n > NESTED_ROWS or len(first) < 3 or not whole:
            return
        planned = []
        for v, out in enumerate(tests):
            folds = [
                (np.setdiff1d(train, out), test)
                for u, (train, test) in enumerate(first)
                if u != v
            ]
            if any(len(np.unique(self.y[train])) < 2 for train, _ in folds):
                return
            nothing: dict[str, Any] = {"tried": {}, "scores": {}, "times": {}}
            planned.append(
                replace(
                    self,
                    folds=folds,
                    reference=None,
                    drop=None,
                    inner=[],
                    dropped=set(),
                    **nothing,
                )
            )
        self.inner.extend(planned)

    @property
    def pieces(self) -> list[tuple[str | None, int]]:
        """Fold after fold, so that whole folds are finished first."""
        labels: list[str | None] = [None, *self.selectors]
        return [
            (label, fold)
            for fold, repeat in enumerate(self.repeat)
            for label in labels
            if repeat == 0 or label not in self.dropped
        ]

    @property
    def repeat(self) -> Ints:
        """Number of the repeat that each fold belongs to."""
        return repeats_of([test for _, test in self.folds], self.data.shape[0])

    def run(self, n_jobs: int | None, verbose: int) -> None:
        """Do all pieces, some side by side; an interrupt leaves the finished ones."""
        config, cores = get_config(), thread_count(n_jobs)
        at_once = min(cores, len(self.pieces))
        # Looking for libraries takes as long as a fit to few rows: once for all.
        openmp = ThreadpoolController().select(user_api="openmp")

        def work(piece: tuple[str | None, int]) -> None:
            share = max(1, cores // at_once)
            # Both hold for a thread only.
            with (
                config_context(**config),
                openmp.limit(limits=share),
                judged_labels(),
            ):
                self._work(*piece, share)
            advance()

        with (
            progress(CALLER, len(self.pieces), verbose) as advance,
            Workers(at_once) as workers,
            single_threaded_blas(),  # the cores are busy with pieces
        ):
            first = np.flatnonzero(self.repeat == 0)
            if self.drop is not None and len(first) < len(self.folds):
                workers.run(work, [p for p in self.pieces if p[1] in first])
                there = len(self.pieces)
                self.dropped.update(self.drop(self, first))
                advance(there - len(self.pieces))
            workers.run(work, [p for p in self.pieces if p not in self.scores])

    def finished(self) -> list[tuple[str, int]]:
        """Selectors and folds that are done, and whose fold has a baseline."""
        return [
            (label, fold)
            for label in self.selectors
            for fold in range(len(self.folds))
            if (label, fold) in self.scores and (None, fold) in self.scores
        ]

    def _work(self, label: str | None, fold: int, n_threads: int) -> None:
        train, _ = self.folds[fold]
        d = self.judge.X.shape[1]
        if label is None:
            sets, seconds = [np.arange(d)], 0.0
            if self.reference is not None:
                sets.append(self.reference)
            tried = Tried([], [np.array([self._score(fold, c) for c in sets])])
        elif self.refit_sizes:
            with _named(f"{label} failed in fold {fold}"):
                sets, seconds = self._select(label, train, n_threads)
            tried = Tried([], [np.array([self._score(fold, c) for c in sets])])
        else:
            with _named(f"{label} failed in fold {fold}"):
                orders, seconds = self._rank(label, train, n_threads)
            tried = Tried(orders, self._try(fold, orders))
        self.times[label, fold] = seconds
        self.tried[label, fold] = tried
        self.scores[label, fold] = tried.scores[0]

    def _rank(self, label: str, train: NDArray[np.integer], n_threads: int) -> Ranked:
        """Columns, best first, by the training rows alone; seconds it took."""
        key = label, train.tobytes()
        if key not in self.ranked:
            selector, seconds = self._fitted(label, train, n_threads)
            order = np.argsort(selector.ranking_, kind="stable")
            self.ranked[key] = Ranked(self._thinned(order, train), seconds)
        return self.ranked[key]

    def _select(
        self, label: str, train: NDArray[np.integer], n_threads: int
    ) -> tuple[list[Ints], float]:
        """Columns that a fit for each size selects; seconds they took together."""
        sets, total = [], 0.0
        for k in self.sizes.tolist():
            selector, seconds = self._fitted(
                label, train, n_threads, n_features_to_select=k
            )
            sets.append(np.flatnonzero(selector.support_))
            total += seconds
        return sets, total

    def _fitted(
        self, label: str, train: NDArray[np.integer], n_threads: int, **settings: Any
    ) -> tuple[MarginSelector, float]:
        """The selector fitted to the training rows; seconds it took."""
        selector = clone(self.selectors[label]).set_params(**settings)
        if selector.n_jobs is None:
            selector.set_params(n_jobs=n_threads)
        start = time.perf_counter()
        self.data.take(train).fit(selector)
        return selector, time.perf_counter() - start

    def _thinned(self, order: Ints, train: NDArray[np.integer]) -> list[Ints]:
        """The ranking, and without features that are similar to better ones."""
        few = self.sizes[self.sizes <= MOST_THINNED]
        if not self.thresholds or not len(few):
            return [order]
        assert self.table is not None
        rows = np.sort(train)
        X, nominal, codes = self.table.X[rows], self.table.nominal, self.data.codes
        with Workers(1) as workers:
            return [
                order,
                *best_without_copies(
                    order,
                    partial(similarity_of, X, nominal, codes[rows], workers),
                    self.thresholds,
                    int(few[-1]),
                ),
            ]

    def _try(self, fold: int, orders: list[Ints]) -> list[Floats]:
        """Scores of each ranking, for the sizes."""
        found: list[Floats] = []
        known: dict[bytes, float] = {}
        train, nearest = self.folds[fold][0], self.judge.nearest
        if nearest is not None:
            nearest = clone(nearest).fit(self.judge.X[train], self.y[train])
        for order in orders:
            sizes = self.sizes[self.sizes <= MOST_THINNED] if found else self.sizes
            most = int(sizes[-1]) if len(sizes) else 0
            if found and np.array_equal(order[:most], orders[0][:most]):
                found.append(found[0][: len(sizes)])
            elif nearest is not None:
                found.append(self._sweep(fold, nearest, order, sizes))
            else:
                sets = [np.sort(order[:k]) for k in sizes]
                for columns in sets:
                    if columns.tobytes() not in known:
                        known[columns.tobytes()] = self._score(fold, columns)
                found.append(np.array([known[c.tobytes()] for c in sets]))
        return found

    def _sweep(self, fold: int, nearest: Any, order: Ints, sizes: Ints) -> Floats:
        """Scores of 1-NN with the best features, for each size."""
        _, test = self.folds[fold]
        X, y = self.judge.X[test], self.y[test]
        scores = np.empty(len(sizes))
        for s, known in enumerate(nearest.sweep(X, order, sizes)):
            with _named(
                f"nearest neighbours failed in fold {fold}, with {sizes[s]} features"
            ):
                scores[s] = self._judged(known, X, y)
        return scores

    def _score(self, fold: int, columns: Ints) -> float:
        """Score of the classifier with these columns."""
        train, test = self.folds[fold]
        k = len(columns)
        kind = "regressor" if self.data.numeric else "classifier"
        where = f"in fold {fold}, with {k} features"
        with _named(f"the {kind} failed {where}", EstimatorFailure):
            Z = _safe_indexing(self.judge.X, columns, axis=1)
            classifier = self.judge.make(columns)
            classifier.fit(_safe_indexing(Z, train), self.y[train])
            return self._judged(classifier, _safe_indexing(Z, test), self.y[test])

    def _judged(self, classifier: Any, X: Any, y: NDArray[Any]) -> float:
        """Score of a fitted classifier."""
        if self.judge.nearest is not None and self.accuracy:
            return float(np.mean(classifier.predict(X) == y))
        try:
            score = float(self.scorer(classifier, X, y))
        except AttributeError as error:  # no predict_proba, for one
            raise ValueError(f"it cannot be scored this way: {error}") from error
        if np.isnan(score):
            raise ValueError(
                "the score is not defined, perhaps because the test rows are too few "
                "or of a single class. Try fewer folds, or another scoring."
            )
        return score


@contextmanager
def _named(what: str, other: type[RuntimeError] = RuntimeError) -> Iterator[None]:
    """Say where an error comes from; one that is not a ValueError becomes ``other``."""
    try:
        yield
    except Exception as error:
        kind = ValueError if isinstance(error, ValueError) else other
        raise kind(f"{CALLER}: {what}: {error}") from error
