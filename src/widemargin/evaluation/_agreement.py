"""How far several methods agree on the same data."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from widemargin.data.protocol import Floats
from widemargin.evaluation import _html
from widemargin.evaluation._frames import data_frame

if TYPE_CHECKING:
    import pandas as pd


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
    _check_k(k, d)
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
    values = _array(label, result)
    return values if _is_ranking(values) else rankdata(-values)


def _array(label: str, result: Any) -> Floats:
    if hasattr(result, "get_support"):
        if not hasattr(result, "scores_"):
            raise ValueError(
                f"agreement needs fitted selectors, but {label!r} has no scores yet."
            )
        # Scores, because a ranking puts equal ones in column order, and two methods
        # that cannot tell most features apart would seem to agree.
        values = result.scores_
        return np.asarray(rankdata(-values))
    values = np.asarray(result, dtype=np.float64)
    if values.ndim != 1 or not len(values) or np.isnan(values).any():
        raise ValueError(
            "agreement needs one number per feature from each method, but "
            f"{label!r} has shape {values.shape}"
            f"{' with NaN' if np.isnan(values).any() else ''}."
        )
    return values


def _is_ranking(values: Floats) -> bool:
    return bool(np.array_equal(np.sort(values), np.arange(1, len(values) + 1)))


def _check_k(k: int | None, d: int) -> None:
    if k is not None and not (isinstance(k, numbers.Integral) and 1 <= k <= d):
        raise ValueError(
            f"agreement needs k from 1 to {d}, the number of features, got {k!r}."
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
