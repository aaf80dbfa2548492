"""Groups of features that carry the same information.

Reference for the symmetrical uncertainty
-----------------------------------------
L. Yu, H. Liu, *Efficient feature selection via analysis of relevance and redundancy*,
Journal of Machine Learning Research 5, 2004.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from widemargin.data.dataset import Names
from widemargin.data.frames import data_frame, is_sparse
from widemargin.data.labels import encode
from widemargin.data.outcomes import read_target
from widemargin.data.protocol import Floats, Ints
from widemargin.data.read import read_dataset
from widemargin.data.targets import looks_numeric
from widemargin.evaluation import _html
from widemargin.evaluation._selectors import (
    Call,
    count_of,
    interruptible,
    scores_of,
    stoppable,
)
from widemargin.judging.copies import (
    CellCorrelation,
    Correlation,
    Similarity,
    Uncertainty,
    leaders,
    of_groups,
    quantile_bins,
)
from widemargin.threads import Workers, thread_count

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Redundancy:
    """Groups of similar features, each around its best one; returned by `redundancy`.

    Attributes
    ----------
    groups : list of list of int
        Columns of each group of two or more features, the representative first, the
        others best first. Groups come in the order of their representatives.
    similarities : array of shape (n_features,)
        Similarity of each feature to its representative; 1 for features in no group.
    names : array of str of shape (n_features,)
    measure : str
        "correlation" or "uncertainty".
    threshold : float
    """

    groups: list[list[int]]
    similarities: Floats
    names: Names
    measure: str
    threshold: float

    @property
    def frame(self) -> pd.DataFrame:
        """One row per grouped feature: group, feature, representative, similarity."""
        members = np.array([f for group in self.groups for f in group], np.int64)
        firsts = np.array([group[0] for group in self.groups], np.int64)
        sizes = [len(group) for group in self.groups]
        return data_frame(
            {
                "group": np.repeat(np.arange(1, len(sizes) + 1), sizes),
                "feature": self.names[members],
                "representative": np.repeat(self.names[firsts], sizes),
                "similarity": self.similarities[members],
            }
        )

    @property
    def kept(self) -> NDArray[np.bool_]:
        """What is left if every group is cut down to its representative."""
        kept = np.ones(len(self.names), bool)
        for group in self.groups:
            kept[group[1:]] = False
        return kept

    def _repr_html_(self) -> str:
        return _html.redundancy(self)

    def __repr__(self) -> str:
        spare, groups = int(np.sum(~self.kept)), len(self.groups)
        return (
            f"Redundancy({groups} group{'' if groups == 1 else 's'}, {spare} of "
            f"{len(self.names)} features redundant at {self.measure} >= "
            f"{self.threshold:g})"
        )


def redundancy(
    X: Any,
    y: Any = None,
    *,
    threshold: float = 0.9,
    measure: str = "correlation",
    scores: Any = None,
    n_bins: int = 5,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Redundancy:
    """Find groups of redundant features, of which one would suffice.

    Features are visited best first. A feature whose similarity to an earlier
    representative reaches ``threshold`` joins the group of the most similar one;
    otherwise it becomes a representative itself. So every member is similar to the
    representative of its group, and no two representatives are similar. Groups cannot
    grow into chains whose ends have nothing in common.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        Missing values and non-numeric columns are allowed; a sparse matrix, if there
        are ``scores`` and the measure is "correlation".
    y : array-like of shape (n_samples,), optional
        Classes, or numbers to predict: decimals, and numbers that hardly repeat. If
        there are no ``scores``, features are visited in the order of their symmetrical
        uncertainty with y, which, if numeric, comes in ``n_bins`` bins of equal
        frequency; without either, in the order of columns.
    threshold : float
        Above 0 and up to 1.
    measure : "correlation" or "uncertainty"
        "correlation" is Pearson's |r| over the rows in which both features have a
        value, at least three; it leaves out columns that hold neither numbers nor
        booleans.
        "uncertainty" is the symmetrical uncertainty 2 I(f; g) / (H(f) + H(g)), for
        numbers and other columns alike, and finds any one-to-one relation, not only
        straight ones. Numbers come in ``n_bins`` bins of equal frequency, unless they
        have no more different values than that, and a missing value is one more value.
    scores : array-like of shape (n_features,) or fitted selector, optional
        Higher is better.
    n_bins : int
        For "uncertainty".
    n_jobs : int or None
        Number of threads; None uses all cores.
    verbose : int
        Show progress if positive.

    Returns
    -------
    redundancy : Redundancy
        The groups, the best feature of each first.

    Notes
    -----
    The cost is up to n d² / 2, in blocks; no d × d matrix is stored. Constant features
    are not in any group.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.evaluation import redundancy
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = redundancy(X, y, threshold=0.95)
    >>> found
    Redundancy(1 group, 1 of 4 features redundant at correlation >= 0.95)
    >>> found.groups
    [[3, 2]]
    """
    _check(threshold, measure)
    count_of("redundancy", "n_bins", n_bins, 2)
    with stoppable("redundancy"), Workers(thread_count(n_jobs)) as workers:
        cells = measure == "correlation" and scores is not None
        data = read_dataset(X, None, "redundancy", labels=False, sparse=cells)
        (n, d), of = data.shape, data.feature_of
        labels = data.present_classes[0] if y is None else _labels(y, n_bins)
        labelled = y is not None or (data.has_labels and not data.numeric)
        if len(labels) != n:
            raise ValueError(
                f"redundancy needs a label for each of {n} rows, got {len(labels)}."
            )
        similarity: Similarity
        if is_sparse(data.X):
            similarity = CellCorrelation(data.X)
        else:
            columns = data.apart()
            similarity = Correlation(columns.numbers)
            if measure == "uncertainty" or (scores is None and labelled):
                binned = Uncertainty(*columns, n_bins, labels, workers)
                scores = binned.relevance() if scores is None and labelled else scores
                similarity = binned if measure == "uncertainty" else similarity
        similarity = of_groups(similarity, of)
        order = _best_first(scores, d)
        order = order[similarity.usable[order]]
        call = Call("redundancy", "features", n_jobs, verbose)
        with interruptible(call, len(order)) as advance:
            leader, similar = leaders(
                order, similarity, float(threshold), advance=advance
            )
    members: dict[int, list[int]] = {}
    for f in order.tolist():
        members.setdefault(int(leader[f]), []).append(f)
    groups = [group for group in members.values() if len(group) > 1]
    return Redundancy(groups, similar, data.names, measure, float(threshold))


def _labels(y: Any, n_bins: int) -> Ints:
    """Class codes; of a numeric y, its bins."""
    if looks_numeric(y):
        bins = quantile_bins(read_target(y, "redundancy"), n_bins)
        return bins.astype(np.int64) - 1
    return encode(y, "redundancy")[0]


def _check(threshold: Any, measure: str) -> None:
    if not isinstance(threshold, numbers.Real) or not 0 < float(threshold) <= 1:
        raise ValueError(
            f"redundancy needs a threshold above 0 and up to 1, got {threshold!r}."
        )
    if measure not in ("correlation", "uncertainty"):
        raise ValueError(
            f'redundancy needs measure="correlation" or "uncertainty", got {measure!r}.'
        )


def _best_first(scores: Any, d: int) -> Ints:
    if scores is None:
        return np.arange(d)
    if hasattr(scores, "get_support"):
        scores = scores_of(scores, "redundancy")
    scores = np.asarray(scores, dtype=np.float64)
    if scores.shape != (d,) or np.isnan(scores).any():
        raise ValueError(
            f"redundancy needs one score for each of {d} features, got shape "
            f"{scores.shape}{' with NaN' if np.isnan(scores).any() else ''}."
        )
    return np.argsort(-scores, kind="stable")
