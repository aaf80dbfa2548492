"""The work behind a selection curve: rankings and scores, fold by fold."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from widemargin._sklearn import _safe_indexing
from widemargin.base import MarginSelector
from widemargin.evaluation._encoded import Encoded
from widemargin.evaluation.neighbor import Judge
from widemargin.evaluation.splits import Fold
from widemargin.progress import progress
from widemargin.table import Floats, Ints
from widemargin.targets import judged_labels
from widemargin.threads import Workers, single_threaded_blas, thread_count

CALLER = "selection_curve"


@dataclass(frozen=True)
class Curves:
    """Everything that is needed for one piece of work, and what has come out so far.

    A piece is one selector in one fold, or, for the selector None, all features and
    then those of the caller's reference, if any.
    """

    selectors: Mapping[str, MarginSelector]
    data: Encoded
    y: NDArray[Any]  # labels
    judge: Judge
    scorer: Any
    folds: list[Fold]
    sizes: Ints  # ascending, all less than the number of features
    reference: Ints | None = None  # columns
    scores: dict[tuple[str | None, int], Floats] = field(default_factory=dict)
    times: dict[tuple[str | None, int], float] = field(default_factory=dict)

    @property
    def pieces(self) -> list[tuple[str | None, int]]:
        """Fold after fold, so that whole folds are finished first."""
        labels: list[str | None] = [None, *self.selectors]
        return [(label, fold) for fold in range(len(self.folds)) for label in labels]

    def run(self, n_jobs: int | None, verbose: int) -> None:
        """Do all pieces, some side by side; an interrupt leaves the finished ones."""
        pieces, config = self.pieces, get_config()
        cores = thread_count(n_jobs)
        at_once = min(cores, len(pieces))

        def work(piece: tuple[str | None, int]) -> None:
            share = max(1, cores // at_once)
            # Both hold for a thread only.
            with (
                config_context(**config),
                threadpool_limits(share, "openmp"),
                judged_labels(),
            ):
                self._work(*piece, share)
            advance()

        with (
            progress(CALLER, len(pieces), verbose) as advance,
            single_threaded_blas(),  # the cores are busy with pieces
            Workers(at_once) as workers,
        ):
            workers.run(work, pieces)

    def finished(self) -> list[tuple[str, int]]:
        """Selectors and folds that are done, and whose fold has a baseline."""
        return [
            (label, fold)
            for label in self.selectors
            for fold in range(len(self.folds))
            if (label, fold) in self.scores and (None, fold) in self.scores
        ]

    def _work(self, label: str | None, fold: int, n_threads: int) -> None:
        train, test = self.folds[fold]
        d = self.judge.X.shape[1]
        if label is None:
            sets, seconds = [np.arange(d)], 0.0
            if self.reference is not None:
                sets.append(self.reference)
        else:
            with _named(f"{label} failed in fold {fold}"):
                order, seconds = self._rank(label, train, n_threads)
            sets = [np.sort(order[:k]) for k in self.sizes]
        scores = np.empty(len(sets))
        if label is not None and self.judge.nearest is not None and sets:
            scores = self._sweep(order, self.sizes, train, test)
            sets = []
        for s, columns in enumerate(sets):
            k = len(columns)
            with _named(f"the classifier failed in fold {fold}, with {k} features"):
                scores[s] = self._score(columns, train, test)
        self.times[label, fold] = seconds
        self.scores[label, fold] = scores

    def _rank(
        self, label: str, train: NDArray[np.integer], n_threads: int
    ) -> tuple[Ints, float]:
        """Columns, best first, by the training rows alone; seconds it took."""
        selector = clone(self.selectors[label])
        if selector.n_jobs is None:
            selector.set_params(n_jobs=n_threads)
        start = time.perf_counter()
        self.data.take(train).fit(selector)
        seconds = time.perf_counter() - start
        return np.argsort(selector.ranking_, kind="stable"), seconds

    def _sweep(
        self,
        order: Ints,
        sizes: Ints,
        train: NDArray[np.integer],
        test: NDArray[np.integer],
    ) -> Floats:
        """Scores of 1-NN with the best features, for each size."""
        X = self.judge.X
        nearest = clone(self.judge.nearest).fit(X[train], self.y[train])
        return np.array(
            [
                self.scorer(known, X[test], self.y[test])
                for known in nearest.sweep(X[test], order, sizes)
            ]
        )

    def _score(
        self, columns: Ints, train: NDArray[np.integer], test: NDArray[np.integer]
    ) -> float:
        """Score of the classifier with these columns."""
        Z = _safe_indexing(self.judge.X, columns, axis=1)
        classifier = self.judge.make(columns)
        classifier.fit(_safe_indexing(Z, train), self.y[train])
        try:
            score = float(
                self.scorer(classifier, _safe_indexing(Z, test), self.y[test])
            )
        except AttributeError as error:  # no predict_proba, for one
            raise ValueError(f"it cannot be scored so: {error}") from error
        if np.isnan(score):
            raise ValueError(
                "the score is not defined, perhaps since the test rows are of one "
                "class only. Try fewer folds, or another scoring."
            )
        return score


@contextmanager
def _named(what: str) -> Iterator[None]:
    """Say where an error comes from."""
    try:
        yield
    except Exception as error:
        kind = ValueError if isinstance(error, ValueError) else RuntimeError
        raise kind(f"{CALLER}: {what}: {error}") from error
