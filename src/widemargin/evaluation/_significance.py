"""Which scores are too high to be chance.

References
----------
Y. Benjamini, Y. Hochberg, *Controlling the false discovery rate: a practical and
powerful approach to multiple testing*, Journal of the Royal Statistical Society B 57,
1995.
B. Phipson, G. Smyth, *Permutation p-values should never be zero*, Statistical
Applications in Genetics and Molecular Biology 9, 2010.
Y. Wu, D. Boos, L. Stefanski, *Controlling variable selection by the addition of
pseudovariables*, Journal of the American Statistical Association 102, 2007 (probes).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control
from sklearn.base import clone
from sklearn.utils import check_random_state

from widemargin.base import MarginSelector
from widemargin.evaluation import _html
from widemargin.evaluation._encoded import Encoded, read_once
from widemargin.evaluation.frames import Names, data_frame
from widemargin.evaluation.permuted_relief import one_search, permuted_scores, steps
from widemargin.evaluation.probes import for_probes
from widemargin.evaluation.refits import (
    Call,
    count_of,
    interruptible,
    refit,
    scores_of,
    seeded,
    stoppable,
)
from widemargin.notices import warn
from widemargin.table import Floats, Ints, Table
from widemargin.threads import Workers, thread_count

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05  # customary for q-values
TIE = 1e-10  # scores this close, relative to the largest, are equal
PERMUTATIONS = 100
PROBES = 1000  # enough for p-values down to a thousandth


@dataclass(frozen=True, repr=False)
class Significance:
    """Scores with their p-values and q-values; what `significance` returns.

    Attributes
    ----------
    scores : array of shape (n_features,)
        The selector's scores on the data as they are.
    p_values : array of shape (n_features,)
        How likely a score at least as high is by chance.
    q_values : array of shape (n_features,)
        p-values corrected by Benjamini and Hochberg: among the features with q ≤ a, a
        share of at most a is expected to be there by chance.
    names : array of str of shape (n_features,)
    n_permutations : int
        Permutations of the labels, or rounds of probes.
    method : str
        "permutation" or "probes".
    """

    scores: Floats
    p_values: Floats
    q_values: Floats
    names: Names
    n_permutations: int
    method: str

    @property
    def frame(self) -> pd.DataFrame:
        """One row per feature: feature, score, p_value and q_value."""
        return data_frame(
            {
                "feature": self.names,
                "score": self.scores,
                "p_value": self.p_values,
                "q_value": self.q_values,
            }
        )

    def significant(self, level: float = LEVEL) -> NDArray[np.bool_]:
        """Features with a q-value below ``level``."""
        return self.q_values < level

    def _repr_html_(self) -> str:
        return _html.significance(self)

    def __repr__(self) -> str:
        found, d = int(self.significant().sum()), len(self.scores)
        what = "rounds of probes" if self.method == "probes" else "permutations"
        return (
            f"Significance({found} of {d} features at q < {LEVEL}, "
            f"{self.n_permutations} {what})"
        )


def significance(
    selector: Any,
    X: Any,
    y: Any,
    *,
    n_permutations: int | None = None,
    method: str = "permutation",
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Significance:
    """How likely each feature's score is by chance: p-values and q-values.

    With ``method="permutation"`` the selector is fitted again to B random permutations
    of y. The p-value of a feature is (1 + how many of its B scores reach its score on
    the data) / (1 + B). What it tests is whether the class has anything to do with X:
    if not, each p-value is uniform, whatever the features' distributions and however
    they depend on each other. Relief and ReliefF search their neighbours once for all
    permutations.

    With ``method="probes"`` the selector is fitted to X together with a copy of it
    whose rows are permuted, as a whole, a few times anew. The copied features, the
    probes, look like the real ones and have nothing to do with the class, and they
    compete with the real ones in one fit. The p-value of a feature is (1 + how many of
    all probes reach its score) / (1 + the number of probes). What it tests is whether
    the feature scores higher than an irrelevant one *in these data*, with the other
    features as informative as they are. It takes the scores of all irrelevant features
    for alike, so features should be of about the same kind, and it needs far fewer
    fits, of twice the size.

    Parameters
    ----------
    selector : selector or str
        Any that has ``scores_`` after ``fit(X, y)``, also scikit-learn's univariate
        ones; it is not changed. Or the name of a method, for its defaults.
    X : array-like or frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    n_permutations : int, optional
        B, or how many times the probes are drawn. Default: 100 permutations, or as many
        rounds of probes as give 1000 of them, at least 5 and at most 100.
    method : "permutation" or "probes"
    random_state : int, RandomState or None
        Draws the permutations, and is the random state of a selector that has none of
        its own. All fits share that.
    n_jobs : int or None
        Fits at a time; None uses all cores.
    verbose : int
        Show progress if positive.

    Returns
    -------
    Significance

    Warns
    -----
    UserWarning
        If features reach the smallest possible p-value, but with so few permutations
        that none of the q-values can be below 0.05. A single feature among d needs
        about 20 d permutations, ten features 2 d.

    Notes
    -----
    Where some features carry a signal, the others usually have smaller scores in
    methods of nearest neighbours than if none did: the nearest misses must differ in
    the former, so that they are close in the latter. Their p-values by permutation are
    then near 1, which errs on the safe side.

    p-values by permutation are whole multiples of 1/(1 + B). With probes they are those
    of 1/(1 + d · rounds), and conservative where probes disturb the scores, as in small
    tables they do.

    Examples
    --------
    >>> from widemargin import ReliefF
    >>> from widemargin.datasets import make_xor
    >>> from widemargin.evaluation import significance
    >>> X, y = make_xor(500, random_state=0)
    >>> found = significance(ReliefF(), X, y, random_state=0)
    >>> found
    Significance(3 of 10 features at q < 0.05, 100 permutations)
    >>> found.significant().nonzero()[0]
    array([0, 1, 2])
    """
    data = read_once(X, y, "significance")
    if method not in ("permutation", "probes"):
        raise ValueError(
            f'significance needs method="permutation" or "probes", got {method!r}.'
        )
    if n_permutations is None:
        rounds = min(max(5, -(-PROBES // data.shape[1])), 100)
        n_permutations = PERMUTATIONS if method == "permutation" else rounds
    count_of("significance", "n_permutations", n_permutations, 1)
    random = check_random_state(random_state)
    unit = "permutations" if method == "permutation" else "rounds of probes"
    task = _Task(
        _for_scores(seeded(selector, random)),
        data,
        [random.permutation(data.shape[0]) for _ in range(n_permutations)],
        Call("significance", unit, n_jobs, verbose),
    )
    test = _by_permutation if method == "permutation" else _by_probes
    with stoppable("significance"):
        scores, p = test(task)
    q = false_discovery_control(p, method="bh")
    _say_if_too_few(p, q, n_permutations, method)
    return Significance(scores, p, q, data.names, n_permutations, method)


@dataclass(frozen=True)
class _Task:
    """What is fitted how often to what."""

    selector: Any
    data: Encoded
    permutations: list[Ints]
    call: Call


def _for_scores(selector: Any) -> Any:
    """The same selector without the search for a number of features to select."""
    if selector.get_params().get("n_features_to_select") == "auto":
        return selector.set_params(n_features_to_select=None)
    return selector


def _reach(null: Floats, scores: Floats) -> NDArray[np.bool_]:
    """Where a score of chance is as high as one of the data, up to rounding."""
    return null >= scores - TIE * np.max(np.abs(scores))


def _by_permutation(task: _Task) -> tuple[Floats, Floats]:
    selector, data = task.selector, task.data
    y = data.source.y
    if isinstance(selector, MarginSelector) and not selector._uses_labels(y):
        raise ValueError(
            f"{type(selector).__name__} does not use labels, so permuting them tests "
            'nothing. Try method="probes".'
        )
    fitted = clone(selector)
    if one_search(selector, data):
        table = _fit_for_table(fitted, data)
        reached = _reached_after_one_search(task, table, fitted.scores_)
        return fitted.scores_, (1 + reached) / (1 + len(task.permutations))
    scores = scores_of(data.fit(fitted), "significance")
    each = np.zeros((len(task.permutations), len(scores)), bool)

    def keep(b: int, refitted: Any) -> None:
        each[b] = _reach(scores_of(refitted, "significance"), scores)

    def permuted(b: int) -> Encoded:
        return data.relabelled(task.permutations[b])

    refit(selector, permuted, keep, len(each), task.call)
    return scores, (1 + each.sum(axis=0)) / (1 + len(each))


def _fit_for_table(selector: Any, data: Encoded) -> Table:
    """Fit, and return the table that the selector scored."""
    tables: list[Table] = []
    score = selector._score

    def keep(table: Table, workers: Workers) -> Floats:
        tables.append(table)
        return score(table, workers)

    selector._score = keep
    data.fit(selector)
    del selector._score
    return tables[0]


def _reached_after_one_search(task: _Task, table: Table, scores: Floats) -> Ints:
    selector, permutations, call = task.selector, task.permutations, task.call
    total = steps(selector, len(table.X), len(permutations))
    with (
        interruptible(call._replace(unit="parts"), total) as advance,
        Workers(thread_count(call.n_jobs)) as workers,
    ):
        null = permuted_scores(selector, table, permutations, workers, advance)
    return _reach(null, scores).sum(axis=0)


def _by_probes(task: _Task) -> tuple[Floats, Floats]:
    selector, data = task.selector, task.data
    scores = scores_of(data.fit(clone(selector)), "significance")
    d, rounds = len(scores), len(task.permutations)
    reached = np.zeros((rounds, d), np.int64)

    def keep(t: int, fitted: Any) -> None:
        both = scores_of(fitted, "significance")
        real, probes = both[:d], np.sort(both[d:])
        border = real - TIE * np.max(np.abs(both))
        reached[t] = d - np.searchsorted(probes, border)

    def doubled(t: int) -> Encoded:
        return data.with_probes(task.permutations[t])

    refit(for_probes(selector), doubled, keep, rounds, task.call)
    return scores, (1 + reached.sum(axis=0)) / (1 + rounds * d)


def _say_if_too_few(p: Floats, q: Floats, n_permutations: int, method: str) -> None:
    """Warn if it is the number of permutations that keeps q-values high."""
    d, smallest = len(p), 1 / (1 + n_permutations)
    best = int(np.sum(p <= smallest))
    if method != "permutation" or not best or q.min() < LEVEL:
        return
    needed = int(d / (LEVEL * best))
    warn(
        f"significance: {best} of {d} features score higher than in all "
        f"{n_permutations} permutations, which are too few for a q-value below "
        f'{LEVEL}. Try n_permutations={needed}, or method="probes".'
    )
