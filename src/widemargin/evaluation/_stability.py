"""How similar selections are: on several samples, or by several methods.

Reference
---------
S. Nogueira, K. Sechidis, G. Brown, *On the stability of feature selection algorithms*,
Journal of Machine Learning Research 18(174), 2018.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit
from scipy.stats import rankdata

from widemargin.data.frames import data_frame
from widemargin.data.protocol import Floats
from widemargin.evaluation import _html

if TYPE_CHECKING:
    import pandas as pd

Supports = NDArray[np.bool_]
TINY = 1e-12  # 1 − Φ of sets that are equal, but for rounding


@dataclass(frozen=True, repr=False)
class Stability:
    """Similarity of several selections; returned by `stability`.

    Attributes
    ----------
    value : float
        1 if all selections are the same, about 0 for random selections. NaN, like
        ``low`` and ``high``, if every set is empty or every set contains all features.
    low, high : float
        Confidence interval, within 0 and 1; NaN if none was requested.
    n_sets : int
        Number of selections compared.
    confidence : float or None
        Confidence level of the interval; None if there is none.
    """

    value: float
    low: float
    high: float
    n_sets: int
    confidence: float | None

    def __repr__(self) -> str:
        if np.isnan(self.value):
            return f"Stability(undefined: {self.n_sets} sets of no or of all features)"
        if self.confidence is None:
            return f"Stability({self.value:.3f}, {self.n_sets} sets)"
        return (
            f"Stability({self.value:.3f}, {self.confidence:.0%} interval "
            f"{self.low:.3f} to {self.high:.3f}, {self.n_sets} sets)"
        )


def stability(
    rankings_or_supports: Any,
    *,
    n_features: int | None = None,
    confidence: float | None = 0.95,
) -> Stability:
    """Measure the similarity of several selections by Nogueira's index.

    For M selections among d features, with a mean size of k̄, and p_f the fraction of
    selections that contain feature f,

        Φ = 1 − Σ_f M/(M−1) p_f (1 − p_f) / d  /  (k̄/d (1 − k̄/d)).

    Selections may differ in size. The index is corrected for chance: whatever the
    sizes, its expectation is 0 for random selections. The authors call values above
    0.75 excellent and below 0.4 poor.

    The interval assumes independent selections, as from independent tables. Selections
    on subsamples of one table are not independent and have no such interval. It uses
    the authors' standard error, a quantile of Student's t with M − 1 degrees of freedom
    and, below the index, a logarithmic scale in 1 − Φ, because a few deviating sets
    have a large effect when most are equal. If all sets are equal, a fraction a = 1 −
    0.025^(1/M) of new sets may still differ in all their features: Φ ≥ 1 − 2a / (1 −
    k̄/d). In simulations (20 to 100 sets, 20 and 100 features, Φ from 0.3 to 0.98) it
    covers the truth in 92 to 100 % of the cases, and in more than 95 % if selections
    hardly vary.

    Parameters
    ----------
    rankings_or_supports : array-like of shape (n_sets, n_features), list, or Resampling
        Boolean masks (or 0 and 1) of what was selected; or rankings, 1 for the best,
        of which the first ``n_features`` count as selected; or fitted selectors. Or
        the result of `resample`, whose selections get no interval.
    n_features : int, optional
        How many of the best features count as selected. Rankings need it; of fitted
        selectors and of `resample` it overrides what was selected.
    confidence : float or None, default=0.95
        Of the interval; None for no interval.

    Returns
    -------
    stability : Stability
        The index and its interval.

    Examples
    --------
    >>> from widemargin.evaluation import stability
    >>> stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    Stability(0.333, 95% interval 0.000 to 1.000, 3 sets)
    >>> stability([[1, 2, 3, 4], [2, 1, 3, 4]], n_features=2).value
    1.0
    """
    if confidence is not None and not 0 < confidence < 1:
        raise ValueError(
            f"stability needs a confidence between 0 and 1, got {confidence!r}."
        )
    given = rankings_or_supports
    if hasattr(given, "ranks") and hasattr(given, "supports"):  # of `resample`
        given = given.supports if n_features is None else given.ranks
        confidence = None  # the subsamples share rows
    Z = _supports(given, n_features)
    M = len(Z)
    if M < 2:
        raise ValueError(f"stability compares selections: it needs 2 or more, got {M}.")
    if Z.all() or not Z.any():
        return Stability(np.nan, np.nan, np.nan, M, confidence)
    value, variance = _index(Z.astype(np.float64))
    low = high = np.nan
    if confidence is not None:
        tail = (1 - confidence) / 2
        low, high = _interval(value, variance, M, tail, float(Z.mean()))
    return Stability(value, low, high, M, confidence)


def _interval(
    value: float, variance: float, M: int, tail: float, share: float
) -> tuple[float, float]:
    """Bounds that Φ is beyond with a probability of ``tail`` each."""
    below = 1 - value
    if below < TINY:  # all sets are equal
        differ = 1 - tail ** (1 / M)
        return max(0.0, 1 - 2 * differ / (1 - share)), 1.0
    half = float(stdtrit(M - 1, 1 - tail) * np.sqrt(variance * M / (M - 1)))
    factor = np.exp(min(half / below, 700.0))  # the largest that is finite
    return max(0.0, min(value, 1 - below * factor)), min(1.0, value + half)


def _index(Z: Floats) -> tuple[float, float]:
    """Φ, and the authors' estimate of its variance from each set's influence on it."""
    M, d = Z.shape
    p, k = Z.mean(axis=0), Z.sum(axis=1)
    share = float(p.sum()) / d  # k̄/d
    chance = share * (1 - share)
    value = 1 - M / (M - 1) * float(np.mean(p * (1 - p))) / chance
    phi = Z @ p / d - k / d * share
    phi += value / 2 * (2 * share * k / d - k / d - share + 1)
    phi /= chance
    variance = 4 / M**2 * float(np.sum((phi - phi.mean()) ** 2))
    return value, variance


def _supports(given: Any, n_features: int | None) -> Supports:
    """What was selected, one row per selection."""
    if isinstance(given, list | tuple) and any(
        hasattr(s, "get_support") for s in given
    ):
        masks = n_features is None
        given = [s.get_support() if masks else s.ranking_ for s in given]
    Z = _matrix(given)
    d = Z.shape[1]
    if n_features is not None:
        _check_top("stability", "n_features", n_features, d)
        if not all(map(_is_ranking, Z)):
            raise ValueError(
                f"stability with n_features needs rankings, the numbers 1 to {d} in "
                "every row with 1 for the best feature. Leave n_features out for masks."
            )
        return n_features >= Z
    if not np.isin(Z, (0, 1)).all():
        raise ValueError(
            "stability needs masks of selected features, but the values are not "
            "all true or false. For rankings, pass n_features, the number of top "
            "features that count as selected."
        )
    return Z.astype(bool)


def _matrix(rows: Any) -> NDArray[Any]:
    try:
        Z = np.asarray(rows)
    except ValueError as error:
        raise ValueError(
            "stability needs selections among the same features, but the rows differ "
            "in length."
        ) from error
    if Z.ndim != 2 or Z.dtype.kind not in "biuf" or Z.shape[1] == 0:
        raise ValueError(
            "stability needs a matrix with one row per selection and one column per "
            f"feature, or a list of fitted selectors; got shape {Z.shape} of {Z.dtype}."
        )
    return Z


@dataclass(frozen=True, repr=False)
class Agreement:
    """Agreement between the results of m methods; returned by `agreement`.

    Attributes
    ----------
    labels : list of str
    correlation : array of shape (m, m)
        Spearman's rank correlation of the scores; NaN for a method that gives all
        features the same score.
    overlap : array of shape (m, m)
        |A ∩ B| / |A ∪ B| of the features selected; 1 for two empty selections.
    k : int or None
        Number of top features compared; None for each method's own selection.
    """

    labels: list[str]
    correlation: Floats
    overlap: Floats
    k: int | None

    @property
    def frame(self) -> pd.DataFrame:
        """One row per pair of methods: first, second, correlation and overlap."""
        first, second = np.triu_indices(len(self.labels), 1)
        labels = np.array(self.labels, dtype=object)
        return data_frame(
            {
                "first": labels[first],
                "second": labels[second],
                "correlation": self.correlation[first, second],
                "overlap": self.overlap[first, second],
            }
        )

    def _repr_html_(self) -> str:
        return _html.agreement(self)

    def __repr__(self) -> str:
        pairs = np.triu_indices(len(self.labels), 1)
        return (
            f"Agreement({len(self.labels)} methods, mean correlation "
            f"{self.correlation[pairs].mean():.3f}, mean overlap "
            f"{self.overlap[pairs].mean():.3f})"
        )


def agreement(rankings: Any, *, k: int | None = None) -> Agreement:
    """Rank correlation and overlap between the results of several methods.

    Parameters
    ----------
    rankings : dict of label to result, or list of fitted selectors
        A result is a fitted selector, or an array with one number per feature: a
        ranking if it holds the whole numbers 1 to d once each (1 for the best), else
        scores (higher is better).
    k : int, optional
        Compare the k best features of each. Default: what each selector selected.

    Returns
    -------
    agreement : Agreement
        A table of correlations, and one of overlaps.

    Notes
    -----
    Equal scores share their average rank in the correlation. In the top k they go by
    column order, as in ``ranking_``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin import ReliefF, Simba
    >>> from widemargin.evaluation import agreement
    >>> X, y = load_iris(return_X_y=True)
    >>> agreement([ReliefF(2).fit(X, y), Simba(2, random_state=0).fit(X, y)])
    Agreement(2 methods, mean correlation 0.800, mean overlap 1.000)
    >>> agreement({"a": [4, 3, 2, 1], "b": [0.1, 0.2, 0.9, 0.4]}, k=2).correlation
    array([[1. , 0.8],
           [0.8, 1. ]])
    """
    results = _labelled(rankings)
    labels = list(results)
    ranks = [_ranks(label, result) for label, result in results.items()]
    d = len(ranks[0])
    if any(len(r) != d for r in ranks):
        lengths = ", ".join(
            f"{label!r} has {len(r)}" for label, r in zip(labels, ranks, strict=True)
        )
        raise ValueError(
            f"agreement needs results for the same features, but {lengths}."
        )
    if k is not None:
        _check_top("agreement", "k", k, d)
    chosen = np.array([_selected(label, results[label], k) for label in labels], float)
    return Agreement(labels, _correlation(np.array(ranks)), _jaccard(chosen), k)


def _labelled(rankings: Any) -> dict[str, Any]:
    if isinstance(rankings, Mapping):
        results = {str(label): result for label, result in rankings.items()}
    else:
        results = {}
        for result in rankings:
            name = label = type(result).__name__
            if not hasattr(result, "ranking_"):
                raise ValueError(
                    f"agreement needs fitted selectors in a list, got {name}. Pass "
                    "arrays as a dict of label to array."
                )
            count = 1
            while label in results:
                count += 1
                label = f"{name} {count}"
            results[label] = result
    if len(results) < 2:
        raise ValueError(
            f"agreement compares methods: it needs 2 or more, got {len(results)}."
        )
    return results


def _ranks(label: str, result: Any) -> Floats:
    """Ranks, the lowest for the best feature, equal scores sharing theirs."""
    if not hasattr(result, "get_support"):
        values = _array(label, result)
        return values if _is_ranking(values) else rankdata(-values)
    if not hasattr(result, "scores_"):
        raise ValueError(
            f"agreement needs fitted selectors, but {label!r} has no scores yet."
        )
    # Scores, because a ranking puts equal ones in column order, and two methods that
    # cannot tell most features apart would seem to agree.
    return np.asarray(rankdata(-result.scores_))


def _array(label: str, result: Any) -> Floats:
    values = np.asarray(result, dtype=np.float64)
    if values.ndim != 1 or not len(values) or np.isnan(values).any():
        raise ValueError(
            "agreement needs one number per feature from each method, but "
            f"{label!r} has shape {values.shape}"
            f"{' with NaN' if np.isnan(values).any() else ''}."
        )
    return values


def _is_ranking(values: NDArray[Any]) -> bool:
    return bool(np.array_equal(np.sort(values), np.arange(1, len(values) + 1)))


def _check_top(caller: str, name: str, k: Any, d: int) -> None:
    if not isinstance(k, numbers.Integral) or not 1 <= int(k) <= d:
        raise ValueError(
            f"{caller} needs {name} from 1 to {d}, the number of features, got {k!r}."
        )


def _selected(label: str, result: Any, k: int | None) -> NDArray[np.bool_]:
    if k is None:
        if not hasattr(result, "get_support"):
            raise ValueError(
                f"agreement cannot tell what {label!r} selects: an array has no "
                "selection of its own. Pass k, the number of top features to compare."
            )
        return result.get_support()
    ranking = getattr(result, "ranking_", None)
    if ranking is None:
        values = _array(label, result)
        ranking = values if _is_ranking(values) else rankdata(-values, method="ordinal")
    return np.asarray(ranking) <= k


def _correlation(ranks: Floats) -> Floats:
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    length = np.sqrt(np.sum(centred**2, axis=1, keepdims=True))
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = centred / length
    correlation = np.clip(unit @ unit.T, -1, 1)
    varied = length[:, 0] > 0
    correlation[varied, varied] = 1.0
    return correlation


def _jaccard(chosen: Floats) -> Floats:
    both = chosen @ chosen.T
    sizes = chosen.sum(axis=1)
    either = sizes[:, None] + sizes - both
    return np.where(either > 0, both / np.maximum(either, 1), 1.0)
