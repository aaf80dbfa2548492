"""Whether there is anything in a table at all.

Reference
---------
P. Westfall, S. Young, *Resampling-based multiple testing*, Wiley 1993 (the smallest of
several p-values, compared with itself under the same permutations).
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from widemargin.data.covariates import shuffled
from widemargin.data.dataset import Dataset
from widemargin.data.labels import no_labels, read_labels
from widemargin.data.outcomes import read_target, target_columns
from widemargin.data.protocol import Floats
from widemargin.data.read import beyond_covariates, read_dataset
from widemargin.evaluation import _signal_statistics as statistics
from widemargin.evaluation._selectors import count_of, stoppable, task_of
from widemargin.evaluation._signal_groups import Part, parts_of
from widemargin.judging.folds import group_codes, some_of_each
from widemargin.notices import warn
from widemargin.progress import Advance, progress
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
    attainable : float
        Smallest p-value that the groups allow: their labels can be exchanged in few
        ways if there are few groups. 0 without groups.
    """

    p_value: float
    level: float
    n_permutations: int
    statistic: str
    p_values: dict[str, float]
    note: str = ""
    attainable: float = 0.0

    @property
    def found(self) -> bool:
        """Whether p ≤ level."""
        return self.p_value <= self.level

    @property
    def conclusive(self) -> bool:
        """Whether a signal could have been found, however strong it is."""
        return self.attainable <= self.level

    def __bool__(self) -> bool:
        return self.found

    @property
    def sentence(self) -> str:
        """The result in a sentence or two, ready for print."""
        p = f"p = {self.p_value:.3f}, {self.n_permutations} permutations of the labels"
        if self.found:
            text = f"There is a signal ({p}): {self.statistic} shows it best."
        elif not self.conclusive:
            text = (
                "Whether there is a signal cannot be told: there are so few groups "
                f"whose labels differ that p cannot be below {self.attainable:.2g}."
            )
        else:
            text = (
                f"No signal was found ({p}): permuted labels do as well, at the "
                f"level {self.level:g}."
            )
        return f"{text} {self.note}".strip()

    def __repr__(self) -> str:
        what = "found" if self.found else "none" if self.conclusive else "unknown"
        return f"Signal({what}, p = {self.p_value:.3f})"


def signal(
    X: Any,
    y: Any,
    *,
    level: float = 0.05,
    n_permutations: int = PERMUTATIONS,
    groups: Any = None,
    covariates: Any = None,
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
    score and the ten largest by a form of ReliefF, which finds features that matter
    only in combination: among the 20 nearest rows of each row, a feature should differ
    where the labels do. The smallest of their p-values, weighted so that the strongest
    feature has 40 % of the level, is compared with its own distribution under the same
    permutations. For a numeric target, the statistics are the fraction of variance that
    a feature explains, the correlation of y with its mean over the five nearest rows,
    and the same scores with squared differences of y. The level therefore holds
    whatever the number of statistics, the distributions of the features and the
    dependence between them.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        Numbers, nominal features, missing values; gaps count as the mean.
    y : array-like of shape (n_samples,)
        Class labels, or numbers.
    level : float, default=0.05
        Share of tables without signal in which one may be found.
    n_permutations : int, default=499
        How often the labels are permuted; within groups, as often again.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are not independent. Each group is averaged to one row, and
        groups are permuted; their labels are the shares of the classes, or means of y.
        If rows of one group differ in their labels, groups are exchanged with those of
        about the same size (up to a factor of two), the shares being those of as many
        random rows as the smallest of these has. Then deviations from the mean of the
        group are tested, too, by permutations within groups, which assumes that rows of
        one group are exchangeable (no order in time), and the p-value is twice the
        smaller one. A part with fewer than 40 labellings is left out; if there are too
        few for any p-value below the level, `signal` warns.
    covariates : array-like or frame of shape (n_samples, ...), default=None
        What the features are to tell something beyond, as for the selectors; labels
        are permuted within strata.
    task : str or None, default=None
        What y holds, as for `KernelRFE`; None goes by y: decimals, and numbers that
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
    if not isinstance(level, numbers.Real) or not 0 < float(level) < 1:
        raise ValueError(f"signal needs a level between 0 and 1, got {level!r}.")
    count_of("signal", "n_permutations", n_permutations, int(np.ceil(1 / level)) - 1)
    data = read_dataset(X, None, "signal", labels=False, sparse=True)
    n = data.shape[0]
    task = task_of(None, y, task, "signal")
    if task == "classification":
        labels = read_labels(y, "signal")
        given = len(labels.codes)
    else:
        target = read_target(y, "signal", task)
        labels, given = no_labels(n)._replace(target=target, task=task), len(target)
    if given != n:
        raise ValueError(f"signal needs a label for each of {n} rows, got {given}.")
    return signal_test(
        beyond_covariates(replace(data, labels=labels), covariates, "signal"),
        groups,
        float(level),
        n_permutations,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )


def signal_test(
    data: Dataset,
    groups: Any,
    level: float = 0.05,
    n_permutations: int = PERMUTATIONS,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    only_whether: bool = False,
) -> Signal:
    """Do the work of `signal` on a table that was read already.

    ``only_whether`` leaves ReliefF out if the other statistics show that there is a
    signal. Then ``p_value`` is an upper bound of what it would be: the smallest p-value
    of a statistic, divided by its weight. At most that share of the labellings reaches
    it, whatever the other statistics are (Bonferroni), so that ``found`` is the same.
    """
    codes, classes = data.present_classes
    Y = (codes[:, None] == np.arange(len(classes))).astype(np.float64)
    if data.target is not None:
        Y = target_columns(data.target, data.task)
    together = group_codes(groups, len(Y), "signal")
    random = check_random_state(random_state)
    parts, note = parts_of(data.apart(), Y, together, random)
    if data.strata is not None:
        if together is not None:
            raise ValueError("signal takes groups or covariates, not both. Choose one.")
        parts = [part._replace(strata=data.strata) for part in parts]
    # Each part has its share of the level, which this many permutations can reach.
    number = max(n_permutations, int(np.ceil(len(parts) / level)) - 1)
    share, found = level / len(parts), list[Signal]()
    with (
        stoppable("signal"),
        progress("signal", 3 * len(parts), verbose) as advance,
        Workers(thread_count(n_jobs)) as workers,
    ):
        for part in parts:
            found.append(
                _tested(
                    part._replace(numeric=data.numeric),
                    share,
                    number,
                    random,
                    workers,
                    advance,
                    only_whether,
                )
            )
            if only_whether and found[-1].found:
                break
    best = min(found, key=lambda f: f.p_value)
    attainable = 0.0
    if together is not None:  # the smallest p-value that there are labellings for
        attainable = len(parts) / max(part.labellings for part in parts)
    result = replace(
        best,
        p_value=min(1.0, len(parts) * best.p_value),
        level=level,
        p_values={name: p for each in found for name, p in each.p_values.items()},
        note=note,
        attainable=attainable,
    )
    if not result.conclusive:
        warn(f"signal: {result.sentence}")
    return result


def _tested(
    part: Part,
    level: float,
    n_permutations: int,
    random: np.random.RandomState,
    workers: Workers,
    advance: Advance,
    only_whether: bool,
) -> Signal:
    """The test on rows, or groups, whose labels may be exchanged."""
    features = statistics.standardised(part.columns)
    n, strata = len(part.Y), part.strata.copy()
    rows, Y = np.arange(n), statistics.standardised_labels(part.Y, part.numeric)
    size = statistics.rows_for_pairs(n, features.Z.shape[1], 1 + n_permutations)
    if size < n:
        rows = some_of_each(part.classes, size / n, random)
    # Labels stay in or out of these, so that their classes keep their sizes.
    strata[rows] += strata.max() + 1
    orders = np.array(
        [np.arange(n), *(shuffled(strata, n, random) for _ in range(n_permutations))]
    )
    names = list(WEIGHTS)
    if part.numeric:
        names = [name.replace("classes", "targets") for name in names]
    if part.where:
        names = [f"{name} {part.where}" for name in names]
    singly = statistics.single_features(features, Y, orders)
    advance()
    some, place = features._replace(Z=features.Z[rows]), np.empty(n, np.int64)
    place[rows] = np.arange(len(rows))
    Y, orders = Y[rows], place[orders[:, rows]]
    near = statistics.nearest_rows(some)
    agree = statistics.neighbors_agree(near, Y, orders)
    advance()
    known = np.vstack([singly, agree[None]])
    if only_whether:
        bound = _combined(known, level, names, n_permutations)
        if bound.found:
            return bound
    pairs = statistics.interactions(some.Z, near, Y, orders, workers)
    advance()
    return _combined(np.vstack([known, pairs]), level, names, n_permutations)


def _combined(found: Floats, level: float, names: list[str], number: int) -> Signal:
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
    return Signal(value, level, number, best, each)
