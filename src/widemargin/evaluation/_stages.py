"""The stages of a comparison: fits, curve, agreement, stability, significance, groups.

Each takes a `Run`, and adds to it what it finds. What a stage leaves out for its cost,
it says in the notes.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils import check_random_state

from widemargin.base import MarginSelector
from widemargin.baselines.mrmr import MRMR
from widemargin.data.dataset import Dataset
from widemargin.data.protocol import Ints
from widemargin.data.targets import judged_labels
from widemargin.evaluation._comparison_result import Choice, choice_of
from widemargin.evaluation._curves import curve_of, try_out
from widemargin.evaluation._defaults import MOST_TAKEN
from widemargin.evaluation._null_scores import plan
from widemargin.evaluation._profile import Profile
from widemargin.evaluation._recommend import SIMILARITIES
from widemargin.evaluation._redundancy import redundancy
from widemargin.evaluation._resampling import Resampling, resample
from widemargin.evaluation._scoring import as_scorer, guesser, name_of
from widemargin.evaluation._signal import signal
from widemargin.evaluation._significance import (
    Significance,
    significance,
    too_few,
)
from widemargin.evaluation._splits import REPEATS, split, stratified_rows
from widemargin.evaluation._stability import agreement
from widemargin.notices import warn
from widemargin.progress import announce, progress, titled
from widemargin.settings import current

WARM_UP = 128  # rows that compile, or load, what a timed fit needs
SUBSAMPLE = 0.25  # of the cost of a fit, if half the rows are there
SHORT_FIT = 1.0  # seconds, up to which a fit is timed again if its time decides
FEWEST_PERMUTATIONS = 40  # pooled; a method for which these take too long is left out
OTHERS = 0.25  # of the budget is for methods that are not recommended
LONG_FITS = 5 * 10**9  # differences between cells, from which fits take seconds
LARGE_TABLE = 10**6  # cells, from which trees and near copies do
PAIRS = 2 * 10**11  # products of cells, up to which all rows tell what is redundant


@dataclass
class Run:
    """What the stages share, and what they have found so far."""

    data: Dataset
    profile: Profile
    methods: dict[str, MarginSelector]  # not fitted
    seed: int
    n_jobs: int | None
    verbose: int
    max_samples: int | None
    budget: float | None
    fitted: dict[str, MarginSelector] = field(default_factory=dict)  # to all rows
    times: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    found: dict[str, Any] = field(default_factory=dict)  # parts of the Comparison
    choice: Choice | None = None
    groups: Ints | None = None  # codes, one for each row

    @property
    def common(self) -> dict[str, Any]:
        """What all evaluation tools are called with."""
        return {
            "random_state": self.seed,
            "n_jobs": self.n_jobs,
            "verbose": self.verbose,
        }

    @cached_property
    def sample(self) -> Dataset:
        """The table, or a random part of the rows if there are too many."""
        return self.part(self.max_samples or self.profile.n_samples)

    def part(self, most: int) -> Dataset:
        """About ``most`` rows of the table."""
        if self.profile.n_samples <= most:
            return self.data
        return self.data.take(self.drawn(most))

    def drawn(self, most: int) -> Ints:
        """Numbers of about ``most`` rows."""
        share = most / self.profile.n_samples
        return stratified_rows(self.data.codes, share, self.seed)

    @cached_property
    def sample_groups(self) -> Ints | None:
        """Groups of the rows of ``sample``."""
        n = self.profile.n_samples
        most = self.max_samples or n
        if self.groups is None or n <= most:
            return self.groups
        return self.groups[self.drawn(most)]

    def affordable(self, stage: str, fits: Callable[[str], float]) -> Iterator[str]:
        """Methods that the budget allows, the recommended one first.

        Others begin only if they will be done within a quarter of the budget.
        ``fits`` says how many fits of a method the stage takes. Before the work, times
        of the fits tell how long it will take. What it takes beyond that for the first
        methods is expected of the others, too, and those that do not fit into the rest
        of the budget are left out.
        """
        first = self.choice.method if self.choice else None
        order = sorted(self.methods, key=lambda m: (m != first, self.times[m]))
        budget = np.inf if self.budget is None else self.budget
        limits = {m: budget if m == first else OTHERS * budget for m in order}
        seconds = {m: self.seconds(m, fits(m), limits[m]) for m in order}
        together = np.cumsum(list(seconds.values()))
        within = [m for m, t in zip(order, together, strict=True) if t <= limits[m]]
        total = sum(seconds[m] for m in within)
        announce(f"{stage} of {', '.join(within)}", total, self.verbose)
        start, overhead, left_out = time.perf_counter(), 0.0, []
        for method in order:
            begun = time.perf_counter()
            expected = seconds[method] + fits(method) * overhead
            if begun - start + expected > limits[method]:
                left_out.append(f"{method} (about {duration(expected)})")
                continue
            yield method
            extra = time.perf_counter() - begun - seconds[method]
            overhead = max(overhead, extra / fits(method))
        if left_out:
            self.notes.append(f"{stage} was left out for {', '.join(left_out)}.")

    def seconds(self, method: str, fits: float, limit: float) -> float:
        """How long so many fits to the sample take.

        If that is too long, but a fit is short, it is timed again: a moment in which a
        busy machine did something else would count for each of a thousand fits.
        """
        share = (self.sample.shape[0] / self.profile.n_samples) ** 2
        for _ in range(2):
            if fits * self.times[method] * share <= limit:
                break
            if self.times[method] > SHORT_FIT:
                break
            with warnings.catch_warnings(action="ignore"):
                _, again = timed_fit(self, method)
            self.times[method] = min(self.times[method], again)
        return fits * self.times[method] * share

    def permutations(self, method: str) -> int | None:
        """How many the budget allows, if it does not allow as many as is usual."""
        if self.budget is None:
            return None
        way = plan(self.sized(method), self.sample, "auto", None)
        seconds = self.seconds(method, way.fits, self.budget / 3)
        if seconds <= self.budget / 3:
            return None
        fewer = way.n_permutations * self.budget / (3 * seconds)
        return max(FEWEST_PERMUTATIONS, int(fewer))

    def sized(self, method: str) -> MarginSelector:
        """The method, selecting as many features as the curve recommends.

        MRMR pays for each one it takes, so it may take fewer.
        """
        selector = clone(self.methods[method])
        if self.choice is not None:
            k = self.choice.n_features
            if isinstance(selector, MRMR):
                k = min(k, MOST_TAKEN)
            selector.set_params(n_features_to_select=k)
            if method == self.choice.method and self.choice.redundancy is not None:
                selector.set_params(redundancy=self.choice.redundancy)
        return selector


def timed_fit(run: Run, method: str) -> tuple[MarginSelector, float]:
    """Fit a method to all rows; the seconds that it took."""
    fitted = clone(run.methods[method])
    if fitted.n_jobs is None:
        fitted.set_params(n_jobs=run.n_jobs)
    with judged_labels():
        start = time.perf_counter()
        run.data.fit(fitted)
        return fitted, time.perf_counter() - start


def fit_all(run: Run) -> None:
    """Fit every method to all rows, and take the time."""
    n_classes = run.profile.n_classes
    n, d = run.profile.n_samples, run.profile.n_features
    size = f"{len(run.methods)} methods on {n} rows and {d} features"
    if n * n * d > LONG_FITS or n * d > LARGE_TABLE:
        announce(f"Fitting {size}", None, run.verbose)
    # Some of each class, and enough of all to be searched as the whole table is.
    of_each = spread_rows(run.data.codes, max(4, WARM_UP // max(1, n_classes)))
    of_all = np.linspace(0, n - 1, min(n, current().small_table_rows + 1)).astype(
        np.int64
    )
    few = run.data.take(np.union1d(of_each, of_all))
    said: list[str] = []
    with progress("fits", len(run.methods), run.verbose) as advance:
        for label, selector in run.methods.items():
            # Should the few rows not be enough for it, it is timed cold.
            with (
                warnings.catch_warnings(action="ignore"),
                suppress(ValueError),
                judged_labels(),
            ):
                few.fit(clone(selector))
            with warnings.catch_warnings(record=True, action="always") as caught:
                run.fitted[label], run.times[label] = timed_fit(run, label)
            said += [str(w.message) for w in caught if w.category is UserWarning]
            advance()
    for message in dict.fromkeys(said):
        run.notes.append(message)
        warn(message)


def draw_curve(
    run: Run, estimator: Any, scoring: Any, cv: Any, n_features: Any, baseline: Any
) -> None:
    """Try the rankings, and the baseline, with a classifier or regressor."""
    data, n = run.sample, run.profile.n_samples
    used, codes = data.shape[0], data.codes
    if used < n:
        run.notes.append(
            f"Curve, stability, significance and redundancy are from a random "
            f"{used} of the {n} rows."
        )
    # Splitters that do not tell their number of folds mostly make about as many.
    n_folds = getattr(cv, "n_splits", cv * REPEATS if isinstance(cv, int) else 5)
    share = (1 - 1 / n_folds) * used / n  # of the rows, in each fit
    fit_time = sum(run.times.values()) * share**2
    announce("Selection curve", n_folds * fit_time, run.verbose)
    with quiet():
        dummy = guesser(scoring, codes, numeric=data.numeric)
        y: Any = data.labels_given if data.numeric else codes
        nothing = np.zeros((len(codes), 1))
        random = check_random_state(run.seed)
        table = data.numbers(run.methods.values())
        folds = split(
            cv,
            codes,
            run.sample_groups,
            random,
            "compare",
            table,
            REPEATS,
            y if data.numeric else None,
        )
        scorer = as_scorer(scoring, codes)
        run.found["chance"] = float(
            np.mean(cross_val_score(dummy, nothing, y, scoring=scorer, cv=folds))
        )
        with titled("cross-validation"):
            curves = try_out(
                run.methods,
                data,
                estimator,
                cv=folds,
                n_features=n_features,
                scoring=scoring,
                groups=run.sample_groups,
                baseline=baseline,
                thresholds=SIMILARITIES,
                nested=True,
                **run.common,
            )
    curve = run.found["curve"] = curve_of(
        curves, name_of(scoring, numeric=data.numeric)
    )
    run.choice = choice_of(curve)
    if not curve.complete:
        raise KeyboardInterrupt
    if run.choice is not None and run.choice.redundancy is not None:
        with quiet():
            run.found["recommended"] = run.data.fit(run.sized(run.choice.method))


def test_signal(run: Run) -> None:
    """Test whether there is anything in the table at all."""
    data = run.sample
    with titled("signal test"):
        found = run.found["signal_test"] = signal(
            data.frame,
            data.labels_given,
            groups=run.sample_groups,
            task="regression" if data.numeric else "classification",
            **run.common,
        )
    if not found.conclusive:
        run.notes.append(found.sentence)


def agree(run: Run) -> None:
    """Say how far the methods agree on the best features."""
    if len(run.methods) > 1:
        k = run.choice.n_features if run.choice else None
        run.found["agreement"] = agreement(run.fitted, k=k)


def resample_all(run: Run, n: int) -> None:
    """See what the methods select on halves of the rows."""
    results: dict[str, Resampling] = {}
    run.found["resampling"] = results
    if not n:
        return
    for method in run.affordable("Stability", lambda _: n * SUBSAMPLE):
        selector, groups = run.sized(method), run.sample_groups
        with titled(f"stability of {method}"):
            results[method] = resample(
                selector, run.sample, n=n, groups=groups, **run.common
            )


def test_all(run: Run, n_permutations: int | None) -> None:
    """See which scores are too high to be chance."""
    results: dict[str, Significance] = {}
    run.found["significance"] = results
    if n_permutations == 0:
        return
    if run.groups is not None:
        run.notes.append(
            "Significance was left out: permutation tests assume independent rows, "
            "which rows of one group are not."
        )
        return
    ways = {
        m: plan(run.sized(m), run.sample, "auto", n_permutations or run.permutations(m))
        for m in run.methods
    }
    for method in run.affordable("Significance", lambda m: ways[m].fits):
        way = ways[method]
        if message := too_few(way, run.profile.n_features):
            run.notes.append(f"{method}: {message}")
        with quiet(), titled(f"significance of {method}"):
            found = results[method] = significance(
                run.sized(method),
                run.sample,
                None,
                n_permutations=way.n_permutations,
                method=way.method,
                **run.common,
            )
        if not found.complete:
            raise KeyboardInterrupt


def group(run: Run, threshold: float | None) -> None:
    """Find groups of redundant features, of which one would suffice."""
    if threshold is None:
        return
    d = run.profile.n_features
    most = min(run.max_samples or run.profile.n_samples, max(200, PAIRS // d**2))
    data = run.part(most)
    scores = run.fitted[run.choice.method].scores_ if run.choice else None
    run.found["redundancy"] = redundancy(
        data.frame,
        None if data.numeric else data.labels_given,
        threshold=threshold,
        measure="correlation" if run.profile.plain else "uncertainty",
        scores=scores,
        n_jobs=run.n_jobs,
        verbose=run.verbose,
    )


@contextmanager
def quiet() -> Iterator[None]:
    """Hide what fits to parts of the rows warn of: the fits to all have said it."""
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        yield


def spread_rows(codes: Ints, size: int) -> Ints:
    """Numbers of up to ``size`` rows of each class, from its first to its last."""
    parts = []
    for label in range(int(codes.max()) + 1):
        rows = np.flatnonzero(codes == label)
        parts.append(rows[np.unique(np.linspace(0, len(rows) - 1, size).astype(int))])
    return np.sort(np.concatenate(parts))


def duration(seconds: float) -> str:
    """Seconds in words."""
    if seconds < 100:
        return f"{seconds:.0f} seconds"
    if seconds < 6000:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.0f} hours"
