"""Whether there is anything in a table at all.

Reference
---------
P. Westfall, S. Young, *Resampling-based multiple testing*, Wiley 1993 (the smallest of
several p-values, compared with itself under the same permutations).
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from widemargin.evaluation import _signal_statistics as statistics
from widemargin.evaluation._columns import Columns, read_columns
from widemargin.evaluation._frames import in_memory
from widemargin.evaluation._refits import count_of, stoppable
from widemargin.evaluation._selectors import is_regression
from widemargin.evaluation._splits import group_codes
from widemargin.progress import progress
from widemargin.table import Floats, Ints, encode, numeric_target
from widemargin.threads import Workers, thread_count

PERMUTATIONS = 499
# How the level is shared out among the statistics.
WEIGHTS = {
    "the strongest feature": 0.4,
    "the ten strongest features": 0.15,
    "all features together": 0.1,
    "the classes of nearest rows": 0.1,
    "the strongest feature among neighbours": 0.15,
    "the ten strongest features among neighbours": 0.1,
}


@dataclass(frozen=True, repr=False)
class Signal:
    """Result of the test for signal; returned by `signal`.

    Its truth value is whether a signal was found.

    Attributes
    ----------
    p_value : float
        Probability of a result at least as extreme if there is no signal.
    level : float
        Level of the test: the probability of finding a signal where there is none.
    n_permutations : int
    statistic : str
        The statistic with the smallest p-value.
    p_values : dict of str → float
        p-value of each statistic, not corrected for multiple testing; ``p_value`` is.
    note : str
        How groups were handled, if there are any.
    """

    p_value: float
    level: float
    n_permutations: int
    statistic: str
    p_values: dict[str, float]
    note: str = ""

    @property
    def found(self) -> bool:
        """Whether p ≤ level."""
        return self.p_value <= self.level

    def __bool__(self) -> bool:
        return self.found

    @property
    def sentence(self) -> str:
        """The result in a sentence or two, ready for print."""
        p = f"p = {self.p_value:.3f}, {self.n_permutations} permutations of the labels"
        if self.found:
            text = f"There is a signal ({p}): {self.statistic} shows it best."
        else:
            text = (
                f"No signal was found ({p}): permuted labels do as well, at the "
                f"level {self.level:g}."
            )
        return f"{text} {self.note}".strip()

    def __repr__(self) -> str:
        return f"Signal({'found' if self.found else 'none'}, p = {self.p_value:.3f})"


def signal(
    X: Any,
    y: Any,
    *,
    level: float = 0.05,
    n_permutations: int = PERMUTATIONS,
    groups: Any = None,
    task: str | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Signal:
    """Test whether the features carry any information about the labels.

    Six statistics are computed for the labels and for random permutations of them: the
    strongest single feature (fraction of variance between classes, or χ² for a nominal
    feature), the ten strongest, and all together; how often the five nearest rows have
    the same class, with equal weight for all features and classes; and the largest
    score of ReliefF and its ten largest, which find features that matter only in
    combination. The smallest of their p-values, weighted so that the strongest feature
    has 40 % of the level, is compared with its own distribution under the same
    permutations. For a numeric target, the statistics are the fraction of variance that
    a feature explains, the correlation of y with its mean over the five nearest rows,
    and the scores of RReliefF. The level therefore holds whatever the number of
    statistics, the distributions of the features and the dependence between them.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        Numbers, nominal features, missing values; gaps count as the mean.
    y : array-like of shape (n_samples,)
        Class labels, or numbers.
    level : float, default=0.05
        Share of tables without signal in which one may be found.
    n_permutations : int, default=499
        How often the labels are permuted.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are not independent. If all rows of a group have one label,
        each group is averaged to one row, and groups are permuted. Else labels are
        permuted within groups only: that assumes that the rows of a group are
        exchangeable (no order in time), and cannot see differences between groups.
    task : {"classification", "regression"} or None, default=None
        Whether y holds classes or numbers; None goes by y: decimals, and numbers that
        hardly repeat, are measurements.
    random_state : int, RandomState or None, default=None
        Random seed.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores.
    verbose : int, default=0
        Show progress if positive.

    Returns
    -------
    signal : Signal
        True if the p-value is at most ``level``.

    Notes
    -----
    Rows are treated as independent unless ``groups`` is given. Repeated measurements of
    one person, machine or day would look like signal. With more than 1000 rows, or
    fewer in wide tables, the statistics that compare rows with each other use a random
    subset.

    Examples
    --------
    >>> from widemargin.datasets import make_xor
    >>> from widemargin.evaluation import signal
    >>> X, y = make_xor(400, random_state=0)
    >>> signal(X, y, random_state=0)
    Signal(found, p = 0.008)
    >>> signal(X, y, random_state=0).statistic
    'the strongest feature among neighbours'
    """
    return signal_test(
        X,
        y,
        level=level,
        n_permutations=n_permutations,
        groups=groups,
        task=task,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )


def signal_test(
    X: Any,
    y: Any,
    *,
    level: float = 0.05,
    n_permutations: int = PERMUTATIONS,
    groups: Any = None,
    task: str | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    only_whether: bool = False,
) -> Signal:
    """Do the work of `signal`.

    ``only_whether`` leaves ReliefF out if the other statistics settle that there is a
    signal. Then ``p_value`` is an upper bound of what it would be: the smallest p-value
    of a statistic, divided by its weight. At most that share of the labellings reaches
    it, whatever the other statistics say (Bonferroni), so that ``found`` is the same.
    """
    if not isinstance(level, numbers.Real) or not 0 < float(level) < 1:
        raise ValueError(f"signal needs a level between 0 and 1, got {level!r}.")
    count_of("signal", "n_permutations", n_permutations, int(np.ceil(1 / level)) - 1)
    columns = read_columns(in_memory(X, "signal"), "signal")
    of_target: statistics.OfTarget = statistics.OfClasses(0)
    codes: NDArray[Any]
    if is_regression(None, y, task, "signal"):
        codes, of_target = numeric_target(y, "signal"), statistics.OfNumbers()
    else:
        codes, classes = encode(y, "signal")
        of_target = statistics.OfClasses(len(classes))
    n = len(columns.numbers)
    if len(codes) != n:
        raise ValueError(
            f"signal needs a label for each of {n} rows, got {len(codes)}."
        )
    together = group_codes(groups, n, "signal")
    columns, codes, strata, note = _units(columns, codes, together)
    features = statistics.standardised(columns)
    random = check_random_state(random_state)
    size = statistics.rows_for_pairs(
        len(codes), of_target.n_relations, features.Z.shape[1], 1 + n_permutations
    )
    rows = _part(of_target.strata(codes), size, random)
    # Labels stay in or out of that part, so that its classes keep their sizes.
    strata[rows] += strata.max() + 1
    labels = np.array(
        [codes, *(_shuffled(codes, strata, random) for _ in range(n_permutations))]
    )
    names = list(WEIGHTS)
    if isinstance(of_target, statistics.OfNumbers):
        names = [name.replace("classes", "targets") for name in names]
    with (
        stoppable("signal"),
        progress("signal", 3, verbose) as advance,
        Workers(thread_count(n_jobs)) as workers,
    ):
        singly = statistics.single_features(features, labels, of_target)
        advance()
        some, theirs = features._replace(Z=features.Z[rows]), labels[:, rows]
        agree = of_target.neighbors_agree(statistics.nearest_rows(some), theirs)
        advance()
        known = np.vstack([singly, agree[None]])
        if only_whether:
            bound = _combined(known, float(level), names, n_permutations, note)
            if bound.found:
                return bound
        pairs = statistics.interactions(some, theirs, of_target, workers)
        advance()
    found = np.vstack([known, pairs])
    return _combined(found, float(level), names, n_permutations, note)


def _part(codes: Ints, size: int, random: np.random.RandomState) -> Ints:
    """So many rows, about the same share of each class, and at least two."""
    if size >= len(codes):
        return np.arange(len(codes))
    parts = []
    for c in range(int(codes.max()) + 1):
        mine = random.permutation(np.flatnonzero(codes == c))
        parts.append(mine[: max(2, round(size * len(mine) / len(codes)))])
    return np.sort(np.concatenate(parts))


def _units(
    columns: Columns, codes: NDArray[Any], groups: Ints | None
) -> tuple[Columns, NDArray[Any], Ints, str]:
    """Rows that may be permuted, their classes, and within what; what to say of it."""
    if groups is None:
        return columns, codes, np.zeros(len(codes), np.int64), ""
    n_groups = int(groups.max()) + 1
    label = np.empty(n_groups, codes.dtype)
    label[groups] = codes
    if not np.array_equal(label[groups], codes):
        note = (
            "Labels were permuted within groups only, which assumes that the rows of a "
            "group are exchangeable and cannot see differences between groups."
        )
        return columns, codes, groups.copy(), note
    note = f"Each of the {n_groups} groups counts as one row, its mean."
    averaged = _averaged(columns, groups, n_groups)
    return averaged, label, np.zeros(n_groups, np.int64), note


def _averaged(columns: Columns, groups: Ints, n_groups: int) -> Columns:
    """One row per group: means of numbers, and shares of nominal values."""
    parts = [columns.numbers]
    parts += [statistics.indicators(codes) for codes in columns.nominal.values()]
    cells = np.hstack(parts)
    there = ~np.isnan(cells)
    sums, counts = np.zeros((2, n_groups, cells.shape[1]))
    np.add.at(sums, groups, np.where(there, cells, 0.0))
    np.add.at(counts, groups, there)
    with np.errstate(invalid="ignore"):
        means = sums / counts
    kept = ~np.all(np.isnan(means), axis=0)
    names = np.arange(int(kept.sum())).astype(str)
    return Columns(names, means[:, kept], {})


def _shuffled(
    codes: NDArray[Any], strata: Ints, random: np.random.RandomState
) -> NDArray[Any]:
    """The labels, permuted within each stratum."""
    # Rows, stratum after stratum, take over the labels of the same in random order.
    taken = np.lexsort((random.random_sample(len(codes)), strata))
    shuffled = np.empty_like(codes)
    shuffled[np.argsort(strata, kind="stable")] = codes[taken]
    return shuffled


def _combined(
    found: Floats, level: float, names: list[str], number: int, note: str
) -> Signal:
    """The weighted smallest p-value, held against itself under all permutations.

    With fewer statistics than names, the rest not being known, it is itself the bound.
    """
    slack = 1e-10 * np.abs(found).max(axis=1, keepdims=True)
    rising = np.sort(found, axis=1)
    reached = np.array(
        [
            len(row) - np.searchsorted(row, values)
            for row, values in zip(rising, found - slack, strict=True)
        ]
    )
    p = reached / found.shape[1]
    weighted = p / np.array(list(WEIGHTS.values()))[: len(p), None]
    smallest = weighted.min(axis=0)
    value = float(np.mean(smallest <= smallest[0] * (1 + 1e-10)))
    if len(p) < len(names):
        value = min(1.0, float(smallest[0]))
    best = names[int(np.argmin(weighted[:, 0]))]
    each = {name: float(q) for name, q in zip(names, p[:, 0], strict=False)}
    return Signal(value, level, number, best, each, note)
