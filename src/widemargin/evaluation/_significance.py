"""Which scores are too high to be chance.

References
----------
Y. Benjamini, Y. Hochberg, *Controlling the false discovery rate: a practical and
powerful approach to multiple testing*, Journal of the Royal Statistical Society B 57,
1995.
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
from widemargin.data.dataset import Dataset, Names
from widemargin.data.frames import data_frame
from widemargin.data.protocol import Floats
from widemargin.data.read import read_dataset
from widemargin.evaluation import _html
from widemargin.evaluation._null_scores import Plan, for_probes, plan
from widemargin.evaluation._p_values import LEVEL, TIE, needed
from widemargin.evaluation._permutation_test import PermutationTest
from widemargin.evaluation._selectors import (
    Call,
    count_of,
    grouped_as,
    refit,
    scores_of,
    seeded,
    stoppable,
    task_for,
)
from widemargin.notices import warn

if TYPE_CHECKING:
    import pandas as pd

METHODS = ("auto", "permutation", "pooled", "probes")
ROUNDS = 40  # of probes: twice what lets a single feature have q < 0.05


@dataclass(frozen=True, repr=False)
class Significance:
    """Scores with p-values and q-values; returned by `significance`.

    Attributes
    ----------
    scores : array of shape (n_features,)
        The selector's scores on the original data.
    p_values : array of shape (n_features,)
        Probability of a score at least as high under the null hypothesis.
    q_values : array of shape (n_features,)
        p-values with Benjamini-Hochberg correction: among the features with q ≤ a, the
        expected fraction of false discoveries is at most a.
    names : array of str of shape (n_features,)
    n_permutations : int
        Permutations of the labels, or rounds of probes, that were finished.
    method : str
        The method used: "permutation", "pooled" or "probes".
    how : str
        The same in a sentence or two.
    complete : bool
        False if interrupted: p-values are from fewer permutations of the labels and not
        confirmed, or from fewer permuted copies; features without these have p = 1.
    """

    scores: Floats
    p_values: Floats
    q_values: Floats
    names: Names
    n_permutations: int
    method: str
    how: str = ""
    complete: bool = True

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
        """Mark the features with a q-value below a level.

        Parameters
        ----------
        level : float, default=0.05
            Expected share of false discoveries among the marked features.

        Returns
        -------
        mask : array of bool of shape (n_features,)
            Which features are significant.
        """
        return self.q_values < level

    @property
    def effort(self) -> str:
        """How many permutations, or rounds of probes, in words."""
        what = {"probes": "rounds of probes", "pooled": "permutations, pooled"}
        state = "" if self.complete else ", interrupted"
        return f"{self.n_permutations} {what.get(self.method, 'permutations')}{state}"

    def _repr_html_(self) -> str:
        return _html.significance(self)

    def __repr__(self) -> str:
        found, d = int(self.significant().sum()), len(self.scores)
        return f"Significance({found} of {d} features at q < {LEVEL}, {self.effort})"


def significance(
    selector: Any,
    X: Any,
    y: Any,
    *,
    n_permutations: int | None = None,
    method: str = "auto",
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Significance:
    """Compute p-values and q-values of each feature's score by permutation.

    The selector is refitted on B random permutations of y. The null hypothesis is that
    y is independent of X; p-values are then uniform, whatever the distributions of the
    features and the dependence between them. For methods whose scores are relative to
    the best feature, the underlying quantities are tested: the squared weights of
    Simba (as log(1 + w²)), OSimba and LMBA, the margins of IRelief before they are
    normalised, the criterion of MRMR, the relevance of FCBF.

    If any feature is significant, all features with p ≤ 0.05 are confirmed: the
    selector is refitted to X with a copy of the feature added whose rows are permuted.
    The labels and all columns are left unchanged. The feature's score is compared with
    those of 10 to 100 such copies *in the presence of the informative features* (by
    Student's t, corrected by how often copies themselves have p-values as low). The
    larger of the two p-values is reported. Copies of 16 features or fewer are added one
    at a time, those of more features in 16 groups, or fewer in large tables. Univariate
    methods need no confirmation.

    ``method="permutation"``
        The p-value of a feature is (1 + how many of its B scores reach its score on the
        data) / (1 + B). Detecting a single one of d features takes 20 d permutations.
        Most features need far fewer: where scores of some features can be computed at
        lower cost than those of all (Relief, ReliefF, FisherScore, PearsonScore,
        InformationGain, FCBF, RReliefF, FRegression), a feature stops at the end of a
        stage (500 permutations or fewer, twice that, …) in which 20 of its scores have
        reached the one on the data.
    ``method="pooled"``
        A few hundred permutations. The p-value of a feature whose score is reached
        often is as above. For the others, scores are standardised, feature by feature,
        and compared with those of all features whose null scores have a similar upper
        tail, so that p-values can be as small as 1/(20 d).
    ``method="auto"``
        "permutation" if 20 d permutations are affordable (or given), else "pooled".
        That depends only on the shape of the table and the kind of method, not on
        measured times.
    ``method="probes"``
        The selector is fitted on X together with a copy of X whose rows are permuted as
        a whole; this is repeated a few times. The copied features, called probes, are
        distributed like the real ones but independent of the class, and compete with
        the real ones in one fit. The p-value of a feature is (1 + how many of all
        probes reach its score) / (1 + the number of probes). What it tests is whether
        the feature scores higher than an irrelevant one *in these data*, with the other
        features as informative as they are. It assumes that the scores of all
        irrelevant features have the same distribution, so features should be of a
        similar kind.

    Parameters
    ----------
    selector : selector or str
        Any that has ``scores_`` after ``fit(X, y)``, also scikit-learn's univariate
        ones; it is not changed. Or the name of a method, for its defaults.
    X : array-like or frame of shape (n_samples, n_features)
        What the selector takes.
    y : array-like of shape (n_samples,)
        Class labels, or numbers if the selector is for those.
    n_permutations : int, default=None
        B, or how many times the probes are drawn. None: 20 permutations per feature,
        at least 1000, where that is affordable; else 100 to 500, pooled; 40 rounds of
        probes.
    method : {"auto", "permutation", "pooled", "probes"}, default="auto"
        How p-values are found, see above.
    random_state : int, RandomState or None, default=None
        Draws the permutations, and is the random state of a selector that has none of
        its own. All fits share that.
    n_jobs : int or None, default=None
        Fits at a time; None uses all cores.
    verbose : int, default=0
        Show progress if positive.

    Returns
    -------
    Significance
        Ctrl-C returns what the permutations finished by then tell, with a warning and
        ``complete=False``; with probes, or before the first permutations are finished,
        there is no result.

    Warns
    -----
    UserWarning
        Before the work begins, if the given number of permutations is too few for a
        single feature to have a q-value below 0.05.

    Notes
    -----
    Permutations treat rows as independent. If several rows come from one person or
    machine, p-values are too small.

    Permuting the labels alone tests whether they depend on any of the features, not on
    which. If some features separate the classes, nearest-neighbour methods find other
    neighbours than under permuted labels, and the scores of irrelevant features change,
    too: scores of numeric features may become higher and more variable, those of
    nominal features mostly become lower. The confirmation guards against the former. It
    tests whether a feature is independent of the labels *and* of the other features; an
    irrelevant feature that is correlated with a relevant one is not, and may be
    reported. Several copies at a time dilute the signal a little, for the features as
    for their copies: this costs power, not validity.

    With ``method="permutation"`` each p-value is valid on its own: P(p ≤ t) ≤ t. With
    "pooled", that holds for each feature for t from 0.05 up, and on average over
    features with similar tails for smaller t. With probes, p-values are conservative
    where the probes distort the scores, as they do in small tables.

    Examples
    --------
    >>> from widemargin import ReliefF
    >>> from widemargin.datasets import make_xor
    >>> from widemargin.evaluation import significance
    >>> X, y = make_xor(500, random_state=0)
    >>> found = significance(ReliefF(), X, y, random_state=0)
    >>> found
    Significance(3 of 10 features at q < 0.05, 1000 permutations)
    >>> found.significant().nonzero()[0]
    array([0, 1, 2])
    """
    task = task_for(selector, y, "significance", several=False)
    data = read_dataset(X, y, "significance", labels=y is not None, task=task)
    if method not in METHODS:
        raise ValueError(
            'significance needs method="auto", "permutation", "pooled" or "probes", '
            f"got {method!r}."
        )
    if n_permutations is not None:
        count_of("significance", "n_permutations", n_permutations, 1)
    random = check_random_state(random_state)
    selector = _for_scores(seeded(selector, random, task=task))
    data = grouped_as(data, [selector], "significance")
    if method == "probes":
        way = Plan(method, n_permutations or ROUNDS)
    else:
        _check_labels(selector, data)
        way = plan(selector, data, method, n_permutations)
    if message := too_few(way, data.shape[1]):
        warn(message)
    call = Call("significance", _unit(way), n_jobs, verbose)
    with stoppable("significance"):
        if method == "probes":
            done, complete = way.n_permutations, True
            scores, p = _by_probes(selector, data, done, random, call)
            how = f"Features compete with permuted copies of all of them, {done} times."
        else:
            test = PermutationTest(selector, data, way, random, call)
            scores, p = test.run()
            done, how, complete = test.done, test.how, test.complete
    q = false_discovery_control(p, method="bh")
    return Significance(scores, p, q, data.names, done, way.method, how, complete)


def _unit(way: Plan) -> str:
    return "rounds of probes" if way.method == "probes" else "permutations"


def _for_scores(selector: Any) -> Any:
    """The same selector without the search for what to select."""
    given = selector.get_params()
    if given.get("n_features_to_select") == "auto":
        selector = selector.set_params(n_features_to_select=None)
    if given.get("redundancy") is not None:
        selector = selector.set_params(redundancy=None)
    return selector


def _check_labels(selector: Any, data: Dataset) -> None:
    y = data.y_given
    if isinstance(selector, MarginSelector) and not selector._uses_labels(y):
        raise ValueError(
            f"{type(selector).__name__} does not use labels, so permuting them tests "
            'nothing. Try method="probes".'
        )


def too_few(way: Plan, d: int) -> str | None:
    """What to say, before the work, if few permutations keep q-values high."""
    number, single = way.n_permutations, needed(d)
    if way.method == "probes":
        single = needed(1) + 1
    elif way.method == "pooled":
        single = needed(1)
    if number >= single:
        return None
    together = int(d / (LEVEL * (1 + number))) + 1 if way.method == "permutation" else 0
    only = "no feature can have a q-value below 0.05"
    if 0 < together <= d:
        only += f" unless at least {together} of the {d} have the smallest p-value"
    return (
        f"significance: with {number} {_unit(way)}, which are too few, {only}. "
        f"n_permutations={single} would do for a single one."
    )


def _by_probes(
    selector: Any,
    data: Dataset,
    rounds: int,
    random: np.random.RandomState,
    call: Call,
) -> tuple[Floats, Floats]:
    """Scores and p-values from permuted copies of all features."""
    scores = scores_of(data.fit(clone(selector)), "significance")
    d = len(scores)
    orders = [random.permutation(data.shape[0]) for _ in range(rounds)]
    reached, every = np.zeros((rounds, d), np.int64), np.arange(d)

    def doubled(t: int) -> Dataset:
        return data.with_probes(every, orders[t])

    def keep(t: int, fitted: Any) -> None:
        both = scores_of(fitted, "significance")
        real, probes = both[:d], np.sort(both[d:])
        reached[t] = d - np.searchsorted(probes, real - TIE * np.max(np.abs(both)))

    refit(for_probes(selector, every), doubled, keep, rounds, call)
    return scores, (1 + reached.sum(axis=0)) / (1 + rounds * d)
