"""The answer that `AutoSelector` and `compare` give: a choice, and tests around it.

A `Setup` says what is to be done. The same setup gives the same answer, whoever asks.
"""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import TimeSeriesSplit, check_cv
from sklearn.utils import check_random_state

from widemargin.base import MarginSelector
from widemargin.data.blocks import columns_of
from widemargin.data.dataset import Dataset, Names
from widemargin.data.frames import is_sparse
from widemargin.data.kinds import given_columns
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation._defaults import BUDGET
from widemargin.evaluation._interactions import Interactions, interactions_in
from widemargin.evaluation._judges import (
    default_scoring,
    guesser,
    has_order,
    scoring_for,
)
from widemargin.evaluation._profile import Profile
from widemargin.evaluation._relevance import PARTS, ROUNDS, ROWS, relevance_test
from widemargin.evaluation._selection_curve import plan_for
from widemargin.evaluation._selectors import preset, resolve_selectors
from widemargin.evaluation._signal import Signal, signal_test
from widemargin.evaluation._significance import Significance
from widemargin.evaluation._verdicts import directions_of
from widemargin.judging.folds import group_codes, renumbered, some_of_each
from widemargin.judging.recommend import Recommendation, recommend
from widemargin.judging.trials import Plan, Results, carry_out
from widemargin.notices import muted

REDUNDANCY = 0.9  # similarity from which a feature counts as a near copy
MAX_SAMPLES = 2000  # rows that are cross-validated and tested by default
RATE = 2 * 10**9  # operations in a second of a budget, about what a core does
FEWEST_ROUNDS = 10  # of the test of relevance
CANDIDATES, PAIRS = 500, 300  # features first in the ranking; pairs tested in full
FLAGSHIP = "KernelRFE"  # what is recommended by if the caller names no method

# Hides what fits to parts of the rows warn of: the fits to all have said it.
quiet = partial(warnings.catch_warnings, action="ignore", category=UserWarning)


@dataclass(frozen=True, eq=False, kw_only=True)
class Setup:
    """What is to be answered, and how."""

    data: Dataset
    profile: Profile
    methods: dict[str, MarginSelector]  # not fitted
    candidates: list[str]  # of these, the methods to choose from
    seed: int
    caller: str
    n_jobs: int | None = None
    verbose: int = 0
    groups: Ints | None = None  # codes, one for each row
    estimator: Any = None
    scoring: Any = None  # None goes by the table
    cv: Any = None
    sizes: Any = None  # numbers of features to score; None for a usual set of them
    n_features: int | None = None  # how many to keep; None chooses
    reference: Ints | None = None  # columns in use today
    redundancy: float | None = REDUNDANCY
    categorical_features: Any = None
    max_samples: int | None = MAX_SAMPLES
    budget: float = BUDGET  # seconds at the rate above

    @property
    def common(self) -> dict[str, Any]:
        """What all evaluation tools are called with."""
        return {
            "random_state": self.seed,
            "n_jobs": self.n_jobs,
            "verbose": self.verbose,
        }

    @cached_property
    def ordered(self) -> bool:
        """Whether there are three or more classes that are treated as ordered."""
        return has_order(self.profile, {m: self.methods[m] for m in self.candidates})

    @cached_property
    def score(self) -> Any:
        """What scikit-learn calls scoring: the caller's, or what suits the table."""
        scoring = self.scoring or default_scoring(self.profile, self.ordered)
        return scoring_for(scoring, self.profile.n_classes)

    @property
    def directions(self) -> tuple[Ints, Floats]:
        """Which way each feature goes with the target, and its AUC."""
        return directions_of(self.data, self.profile, self.ordered)

    @cached_property
    def _drawn(self) -> Ints | None:
        """Numbers of the rows that are cross-validated; None for all."""
        n = self.data.shape[0]
        most = self.max_samples
        # Folds that the caller numbered are of all rows.
        if most is None or n <= most or not _draws(self.cv):
            return None
        random = np.random.default_rng(self.seed)
        return some_of_each(self.data.codes, most / n, random)

    @cached_property
    def _splitter(self) -> Any:
        """How to split; an iterable of folds is kept, since it may be used up."""
        return self.cv if _draws(self.cv) else check_cv(self.cv, self.data.codes)

    @cached_property
    def sample(self) -> Dataset:
        """The table, or a random part of the rows if there are too many."""
        return self.data if self._drawn is None else self.data.take(self._drawn)

    @property
    def _unweighted(self) -> Dataset:
        """The sample with rows of equal weight, for tests.

        They compare with permuted rows, which weights would tell apart. Weights that
        depend on the features alone, or on y alone, do not make these dependent.
        """
        return replace(self.sample, weights=None)

    @property
    def sample_groups(self) -> Ints | None:
        """Groups of the rows of ``sample``."""
        if self.groups is None or self._drawn is None:
            return self.groups
        return self.groups[self._drawn]

    def cross_validate(self) -> Results:
        """Try all methods in the folds."""
        # What fits to parts of the rows warn of, fits to all have to say, too.
        with muted(), quiet():
            plan = plan_for(
                self.methods,
                self.sample,
                (self.estimator, self.score),
                self._splitter,
                self.sample_groups,
                self.seed,
                n_features=self.n_features or self.sizes,
                caller=self.caller,
                reference=self.reference,
                redundancy=self.redundancy,
            )
            return carry_out(plan, self.n_jobs, self.verbose, self.caller)

    def fitted(self, label: str) -> MarginSelector:
        """A method, fitted to all rows."""
        selector = clone(self.methods[label])
        if selector.n_jobs is None:
            selector.set_params(n_jobs=self.n_jobs)
        self.data.warned.add(type(selector).__name__)  # of columns, the caller warns
        fitted: MarginSelector = self.data.fit(selector)
        return fitted

    def without_leaks(self) -> Setup:
        """The same without the features that may be copies of the target."""
        d, leaks = self.data.shape[1], self.profile.target_copies
        kept = np.setdiff1d(np.arange(d), leaks)
        methods = {label: clone(self.methods[label]) for label in self.candidates}
        columns = columns_of(self.data.feature_of, kept)
        place = np.full(self.data.values.shape[1], -1)
        place[np.sort(columns)] = np.arange(len(columns))
        for method in methods.values():
            given = method.get_params().get("categorical_features")
            if given is not None:
                nominal = place[given_columns(self.data.table, given, self.caller)]
                method.set_params(categorical_features=nominal[nominal >= 0])
        return replace(
            self,
            data=self.data.without(np.asarray(leaks, np.int64)),
            methods=methods,
            cv=self._splitter,
            sizes=None if self.sizes is None else len(kept),
            n_features=self.n_features and min(self.n_features, len(kept)),
            reference=None,
        )

    def recommend_without_leaks(self) -> tuple[Recommendation, Names] | None:
        """What is recommended without suspected leaks, and the names of these features.

        None if there are no such leaks, or nothing else.
        """
        d = self.data.shape[1]
        if not 0 < len(self.profile.target_copies) < d:
            return None
        setup = self.without_leaks()
        results = setup.cross_validate()
        if results.interrupted:
            raise KeyboardInterrupt
        with muted(), quiet():
            found = setup.recommend(results, setup.candidates, setup.fitted)
        names = np.delete(self.data.names, self.profile.target_copies)
        return found, names[found.columns]

    def recommend(
        self, results: Results, labels: list[str], fitted: Callable[[str], Any]
    ) -> Recommendation:
        """What the folds recommend, of some methods; ``fitted`` returns one of them."""
        return recommend(results, labels, fitted, self.n_features)

    def test_signal(self, *, only_whether: bool = False) -> Signal:
        """Test whether there is anything in the table at all."""
        groups = self.sample_groups
        return signal_test(
            self._unweighted, groups, only_whether=only_whether, **self.common
        )

    def test_relevance(self) -> Significance | None:
        """Test which features are relevant; None for rows that are not independent."""
        if self.groups is not None:
            return None
        return relevance_test(
            self._unweighted,
            self.rounds,
            categorical_features=self.categorical_features,
            **self.common,
        )

    @property
    def no_pairs(self) -> str:
        """Why pairs of these features have no test; empty if they have one."""
        target = self.data.target
        if self.data.blocks is not None:
            return "some features are several columns"
        if is_sparse(self.data.X):
            return "X is sparse"
        if target is not None and target.ndim == 2:
            return "that is for classes, or one number in each row"
        return ""

    def test_pairs(self, ranking: Ints) -> Interactions:
        """Test which pairs, of the features that are ranked first, work together."""
        return interactions_in(
            self.sample,
            self.sample_groups,
            candidates=np.flatnonzero(ranking <= CANDIDATES),
            tested=PAIRS,
            **self.common,
        )

    def score_by_chance(self, plan: Plan) -> float:
        """Mean score of always the same answer in the folds of a plan."""
        if self.data.task == "survival":
            return 0.5
        X, first = np.zeros((plan.data.shape[0], 1)), np.zeros(1, np.int64)
        judge = replace(
            plan.judge,
            X=X,
            make=lambda columns: guesser(self.score, plan.data),
            nearest=None,
            feature_of=None,
        )
        return float(np.mean([judge.score(f, "by chance", first) for f in plan.folds]))

    @property
    def rounds(self) -> int:
        """How often features are compared with copies: as the budget allows."""
        n, d = self.sample.shape
        rows, parts = min(n, ROWS), int(np.clip(n // ROWS, 1, PARTS))
        work = parts * rows**2 * (4 * d + 40)
        # A third of the budget is for this.
        return int(np.clip(self.budget * RATE / (3 * work), FEWEST_ROUNDS, ROUNDS))


def set_up(
    caller: str,
    data: Dataset,
    profile: Profile,
    methods: Any,
    given: Mapping[str, Any],
    groups: Any,
    *,
    usual: bool,
    **own: Any,
) -> Setup:
    """Say what is to be done, from arguments by name; ``own`` are fields as they are.

    If the methods are the ``usual`` ones, the others only stand beside `FLAGSHIP`.
    """
    (n, d), nominal = data.shape, given["categorical_features"]
    seed = seed_of(given["random_state"])
    named = resolve_selectors(methods, task=data.task)
    groups_given = [m for m, s in named.items() if s.feature_groups is not None]
    if groups_given and data.blocks is None:
        raise ValueError(
            f"{caller} counts features for all methods alike: pass feature_groups to "
            f"it, not to {groups_given[0]}."
        )
    values = {f.name: given[f.name] for f in fields(Setup) if f.name in given} | {
        "methods": {label: preset(s, seed, nominal) for label, s in named.items()},
        "candidates": [FLAGSHIP] if usual and FLAGSHIP in named else list(named),
        "groups": group_codes(groups, n, caller, data.given),
        "cv": renumbered(given["cv"], data.given),
        "n_features": number_to_keep(given["n_features_to_select"], d, caller),
    }
    return Setup(data=data, profile=profile, seed=seed, caller=caller, **values | own)


def _draws(cv: Any) -> bool:
    """Whether folds can be made of whatever rows are there."""
    return cv is None or isinstance(cv, numbers.Integral | str | TimeSeriesSplit)


def number_to_keep(wanted: Any, d: int, caller: str) -> int | None:
    """How many of d features an integer or a fraction means; None stays None."""
    if wanted is None:
        return None
    number = isinstance(wanted, numbers.Real) and not isinstance(wanted, bool)
    whole = isinstance(wanted, numbers.Integral)
    if not number or wanted <= 0 or (not whole and float(wanted) >= 1):
        raise ValueError(
            f"{caller} needs n_features_to_select to be a positive integer, a fraction "
            f"between 0 and 1, or None, got {wanted!r}."
        )
    return min(int(wanted) if whole else max(1, int(wanted * d)), d)


def seed_of(random_state: Any) -> int:
    """The number that fixes everything; drawn if there is none."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
