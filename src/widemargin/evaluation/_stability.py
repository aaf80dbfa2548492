"""How much the selected features depend on the sample.

Reference
---------
S. Nogueira, K. Sechidis, G. Brown, *On the stability of feature selection algorithms*,
Journal of Machine Learning Research 18(174), 2018.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from widemargin.data.protocol import Floats

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
        if n_features is None:
            rows: list[Any] = [s.get_support() for s in given]
            return _matrix(rows).astype(bool)
        given = [s.ranking_ for s in given]
    Z = _matrix(given)
    if n_features is None:
        if not np.isin(Z, (0, 1)).all():
            raise ValueError(
                "stability needs masks of selected features, but the values are not "
                "all true or false. For rankings, pass n_features, the number of top "
                "features that count as selected."
            )
        return Z.astype(bool)
    return _top(Z, n_features)


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


def _top(rankings: NDArray[Any], n_features: int) -> Supports:
    d = rankings.shape[1]
    if not isinstance(n_features, numbers.Integral) or not 1 <= n_features <= d:
        raise ValueError(
            f"stability needs n_features from 1 to {d}, the number of features, got "
            f"{n_features!r}."
        )
    if not np.array_equal(
        np.sort(rankings, axis=1), np.tile(np.arange(1, d + 1), (len(rankings), 1))
    ):
        raise ValueError(
            f"stability with n_features needs rankings, the numbers 1 to {d} in every "
            "row with 1 for the best feature. Leave n_features out for masks."
        )
    return rankings <= n_features
