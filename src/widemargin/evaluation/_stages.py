"""The stages of a comparison: fits, curve, agreement, stability, significance, groups.

Each takes a `Setup`, what is to be done, and adds to `Parts`, what has come out. What a
stage leaves out for its cost, it says in the notes.
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
from widemargin.data.dataset import Dataset
from widemargin.data.protocol import Ints
from widemargin.evaluation._curves import Choice
from widemargin.evaluation._null_scores import plan
from widemargin.evaluation._profile import Profile
from widemargin.evaluation._redundancy import redundancy
from widemargin.evaluation._resampling import Resampling, resample
from widemargin.evaluation._scoring import as_scorer, guesser, name_of
from widemargin.evaluation._selection_curve import curve_of, plan_for
from widemargin.evaluation._signal import signal_test
from widemargin.evaluation._significance import Significance, significance, too_few
from widemargin.evaluation._stability import agreement
from widemargin.judging.splits import REPEATS, some_of_each, split
from widemargin.judging.sweep import THRESHOLDS
from widemargin.judging.trials import CALLER, carry_out
from widemargin.notices import warn
from widemargin.progress import about, announce, progress, titled
from widemargin.settings import current

WARM_UP = 128  # rows that compile, or load, what a timed fit needs
SUBSAMPLE = 0.25  # of the cost of a fit, if half the rows are there
SHORT_FIT = 1.0  # seconds, up to which a fit is timed again if its time decides
FEWEST_PERMUTATIONS = 40  # pooled; a method for which these take too long is left out
OTHERS = 0.25  # of the budget is for methods that are not recommended
LONG_FITS = 5 * 10**9  # differences between cells, from which fits take seconds
LARGE_TABLE = 10**6  # cells, from which trees and near copies do
PAIRS = 2 * 10**11  # products of cells, up to which all rows tell what is redundant


@dataclass(frozen=True, eq=False)
class Setup:
    """What is to be compared, and how."""

    data: Dataset
    profile: Profile
    methods: dict[str, MarginSelector]  # not fitted
    seed: int
    n_jobs: int | None = None
    verbose: int = 0
    groups: Ints | None = None  # codes, one for each row
    estimator: Any = None
    scoring: Any = None
    cv: Any = 5
    n_features: Any = None
    reference: Ints | None = None  # columns in use today
    n_permutations: int | None = None
    n_resamples: int = 50
    redundancy_threshold: float | None = 0.9
    max_samples: int | None = None
    budget: float | None = None

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
        drawn = self._drawn(most)
        return self.data if drawn is None else self.data.take(drawn)

    def _drawn(self, most: int) -> Ints | None:
        """Numbers of about ``most`` rows; None for all."""
        n = self.profile.n_samples
        if n <= most:
            return None
        return some_of_each(self.data.codes, most / n, np.random.default_rng(self.seed))

    @cached_property
    def sample_groups(self) -> Ints | None:
        """Groups of the rows of ``sample``."""
        drawn = self._drawn(self.max_samples or self.profile.n_samples)
        if self.groups is None or drawn is None:
            return self.groups
        return self.groups[drawn]


@dataclass(eq=False)
class Parts:
    """What has come out so far."""

    setup: Setup
    fitted: dict[str, MarginSelector] = field(default_factory=dict)  # to all rows
    times: dict[str, float] = field(default_factory=dict)  # of these fits, seconds
    notes: list[str] = field(default_factory=list)
    choice: Choice | None = None
    answers: dict[str, Any] = field(default_factory=dict)  # fields of the `Comparison`

    def affordable(self, stage: str, fits: Callable[[str], float]) -> Iterator[str]:
        """Methods that the budget allows, the recommended one first.

        Others begin only if they will be done within a quarter of the budget.
        ``fits`` says how many fits of a method the stage takes. Before the work, times
        of the fits tell how long it will take. What it takes beyond that for the first
        methods is expected of the others, too, and those that do not fit into the rest
        of the budget are left out.
        """
        first = self.choice.method if self.choice else None
        order = sorted(self.setup.methods, key=lambda m: (m != first, self.times[m]))
        budget = np.inf if self.setup.budget is None else self.setup.budget
        limits = {m: budget if m == first else OTHERS * budget for m in order}
        seconds = {m: self.seconds(m, fits(m), limits[m]) for m in order}
        together = np.cumsum(list(seconds.values()))
        within = [m for m, t in zip(order, together, strict=True) if t <= limits[m]]
        total = sum(seconds[m] for m in within)
        announce(f"{stage} of {', '.join(within)}", total, self.setup.verbose)
        start, overhead, left_out = time.perf_counter(), 0.0, []
        for method in order:
            begun = time.perf_counter()
            expected = seconds[method] + fits(method) * overhead
            if begun - start + expected > limits[method]:
                left_out.append(f"{method} ({about(expected)})")
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
        share = (self.setup.sample.shape[0] / self.setup.profile.n_samples) ** 2
        for _ in range(2):
            too_long = fits * self.times[method] * share > limit
            if not too_long or self.times[method] > SHORT_FIT:
                break
            with warnings.catch_warnings(action="ignore"):
                _, again = timed_fit(self.setup, method)
            self.times[method] = min(self.times[method], again)
        return fits * self.times[method] * share

    def permutations(self, method: str) -> int | None:
        """How many the budget allows, if it does not allow as many as is usual."""
        budget = self.setup.budget
        if budget is None:
            return None
        way = plan(self.sized(method), self.setup.sample, "auto", None)
        seconds = self.seconds(method, way.fits, budget / 3)
        if seconds <= budget / 3:
            return None
        fewer = way.n_permutations * budget / (3 * seconds)
        return max(FEWEST_PERMUTATIONS, int(fewer))

    def sized(self, method: str) -> MarginSelector:
        """The method, selecting as many features as the curve recommends.

        A method that pays for each one it takes may take fewer.
        """
        selector = clone(self.setup.methods[method])
        if self.choice is not None:
            k = self.choice.n_features
            selector.set_params(n_features_to_select=min(k, selector._most_taken or k))
            if method == self.choice.method and self.choice.redundancy is not None:
                selector.set_params(redundancy=self.choice.redundancy)
        return selector


def timed_fit(setup: Setup, method: str) -> tuple[MarginSelector, float]:
    """Fit a method to all rows; the seconds that it took."""
    fitted = clone(setup.methods[method])
    if fitted.n_jobs is None:
        fitted.set_params(n_jobs=setup.n_jobs)
    start = time.perf_counter()
    setup.data.fit(fitted)
    return fitted, time.perf_counter() - start


def fit_all(setup: Setup, parts: Parts) -> None:
    """Fit every method to all rows, and take the time."""
    n, d = setup.profile.n_samples, setup.profile.n_features
    if n * n * d > LONG_FITS or n * d > LARGE_TABLE:
        size = f"{len(setup.methods)} methods on {n} rows and {d} features"
        announce(f"Fitting {size}", None, setup.verbose)
    few, said = setup.data.take(_warm_up_rows(setup.data.codes)), list[str]()
    with progress("fits", len(setup.methods), setup.verbose) as advance:
        for label, selector in setup.methods.items():
            # Should the few rows not be enough for it, it is timed cold.
            with warnings.catch_warnings(action="ignore"), suppress(ValueError):
                few.fit(clone(selector))
            with warnings.catch_warnings(record=True, action="always") as caught:
                parts.fitted[label], parts.times[label] = timed_fit(setup, label)
            said += [str(w.message) for w in caught if w.category is UserWarning]
            advance()
    for message in dict.fromkeys(said):
        parts.notes.append(message)
        warn(message)


def _warm_up_rows(codes: Ints) -> Ints:
    """Some of each class, and enough of all to be searched as the whole table is."""
    n, counts = len(codes), np.bincount(codes)
    by_class = np.argsort(codes, kind="stable")
    place = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    of_each = by_class[place < max(4, WARM_UP // len(counts))]
    of_all = np.linspace(0, n - 1, min(n, current().small_table_rows + 1))
    return np.union1d(of_each, of_all.astype(np.int64))


def draw_curve(setup: Setup, parts: Parts) -> None:
    """Score the rankings, and the baseline, with a classifier or regressor."""
    data, n = setup.sample, setup.profile.n_samples
    used, codes, cv = data.shape[0], data.codes, setup.cv
    if used < n:
        parts.notes.append(
            f"Curve, stability, significance and redundancy are from a random "
            f"{used} of the {n} rows."
        )
    # Splitters that do not tell their number of folds mostly make about as many.
    n_folds = getattr(cv, "n_splits", cv * REPEATS if isinstance(cv, int) else 5)
    share = (1 - 1 / n_folds) * used / n  # of the rows, in each fit
    fit_time = sum(parts.times.values()) * share**2
    announce("Selection curve", n_folds * fit_time, setup.verbose)
    with quiet():
        table = data.numbers(setup.methods.values())
        random, groups = check_random_state(setup.seed), setup.sample_groups
        folds = split(cv, data, groups, random, "compare", table, REPEATS)
        parts.answers["chance"] = float(
            np.mean(
                cross_val_score(
                    guesser(setup.scoring, codes, numeric=data.numeric),
                    np.zeros((used, 1)),
                    data.labels_given if data.numeric else codes,
                    scoring=as_scorer(setup.scoring, codes),
                    cv=folds,
                )
            )
        )
        with titled("cross-validation"):
            trials = plan_for(
                setup.methods,
                data,
                (setup.estimator, setup.scoring),
                folds,
                groups,
                setup.seed,
                n_features=setup.n_features,
                reference=setup.reference,
                thresholds=THRESHOLDS,
                nested=True,
            )
            # Its messages are those of a curve.
            results = carry_out(trials, setup.n_jobs, setup.verbose, CALLER)
    curve = curve_of(results, name_of(setup.scoring, numeric=data.numeric))
    parts.answers["curve"], parts.choice = curve, curve._choice()
    if not curve.complete:
        raise KeyboardInterrupt
    if parts.choice is not None and parts.choice.redundancy is not None:
        with quiet():
            recommended = setup.data.fit(parts.sized(parts.choice.method))
        parts.answers["recommended"] = recommended


def test_signal(setup: Setup, parts: Parts) -> None:
    """Test whether there is anything in the table at all."""
    with titled("signal test"):
        found = signal_test(setup.sample, setup.sample_groups, **setup.common)
    parts.answers["signal_test"] = found
    if not found.conclusive:
        parts.notes.append(found.sentence)


def agree(setup: Setup, parts: Parts) -> None:
    """Say how far the methods agree on the best features."""
    if len(setup.methods) > 1:
        k = parts.choice.n_features if parts.choice else None
        parts.answers["agreement"] = agreement(parts.fitted, k=k)


def resample_all(setup: Setup, parts: Parts) -> None:
    """See what the methods select on halves of the rows."""
    results: dict[str, Resampling] = {}
    parts.answers["resampling"] = results
    n, groups = setup.n_resamples, setup.sample_groups
    if not n:
        return
    for method in parts.affordable("Stability", lambda _: n * SUBSAMPLE):
        selector = parts.sized(method)
        with titled(f"stability of {method}"):
            results[method] = resample(
                selector, setup.sample, n=n, groups=groups, **setup.common
            )


def test_all(setup: Setup, parts: Parts) -> None:
    """See which scores are too high to be chance."""
    results: dict[str, Significance] = {}
    parts.answers["significance"] = results
    if setup.n_permutations == 0:
        return
    if setup.groups is not None:
        parts.notes.append(
            "Significance was left out: permutation tests assume independent rows, "
            "which rows of one group are not."
        )
        return
    ways = {}
    for method in setup.methods:
        number = setup.n_permutations or parts.permutations(method)
        ways[method] = plan(parts.sized(method), setup.sample, "auto", number)
    for method in parts.affordable("Significance", lambda m: ways[m].fits):
        way = ways[method]
        if message := too_few(way, setup.profile.n_features):
            parts.notes.append(f"{method}: {message}")
        with quiet(), titled(f"significance of {method}"):
            found = results[method] = significance(
                parts.sized(method),
                setup.sample,
                None,
                n_permutations=way.n_permutations,
                method=way.method,
                **setup.common,
            )
        if not found.complete:
            raise KeyboardInterrupt


def group(setup: Setup, parts: Parts) -> None:
    """Find groups of redundant features, of which one would suffice."""
    if setup.redundancy_threshold is None:
        return
    n, d = setup.profile.n_samples, setup.profile.n_features
    data = setup.part(min(setup.max_samples or n, max(200, PAIRS // d**2)))
    scores = parts.fitted[parts.choice.method].scores_ if parts.choice else None
    parts.answers["redundancy"] = redundancy(
        data,
        threshold=setup.redundancy_threshold,
        measure="correlation" if setup.profile.plain else "uncertainty",
        scores=scores,
        n_jobs=setup.n_jobs,
        verbose=setup.verbose,
    )


STAGES = {
    "curve": draw_curve,
    "signal": test_signal,
    "agreement": agree,
    "stability": resample_all,
    "significance": test_all,
    "redundancy": group,
}


def go_through(setup: Setup, parts: Parts) -> bool:
    """Do one stage after the other; False if Ctrl-C came in between."""
    for place, stage in enumerate(STAGES.values()):
        try:
            stage(setup, parts)
        except KeyboardInterrupt:
            left = ", ".join(list(STAGES)[place:])
            message = f"compare was interrupted; not finished: {left}."
            parts.notes.append(message)
            warn(message)
            return False
    return True


@contextmanager
def quiet() -> Iterator[None]:
    """Hide what fits to parts of the rows warn of: the fits to all have said it."""
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        yield
