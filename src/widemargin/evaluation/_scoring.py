"""What features are judged by: the scorer, and what guessing scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import make_scorer

from widemargin.data.labels import category_order, encode
from widemargin.data.protocol import Ints
from widemargin.evaluation._profile import Profile
from widemargin.evaluation._ranking_tree import rank_loss

NEG_RANK_LOSS = "neg_rank_loss"


def has_order(about: Profile, methods: Mapping[str, Any]) -> bool:
    """Whether there are three or more classes that y or the methods put in order."""
    by_method = any(m._ordered_classes for m in methods.values())
    return about.n_classes > 2 and (about.ordered or by_method)


def default_scoring(about: Profile, ordered: bool) -> str:
    """What suits the classes: a class far off is worse than its neighbour, if ordered.

    Where the largest class is far larger than the smallest, all classes count alike.
    For a numeric target it is R².
    """
    if about.numeric_target:
        return "r2"
    if ordered:
        return NEG_RANK_LOSS
    return "balanced_accuracy" if about.lopsided else "accuracy"


def as_scorer(scoring: Any, y: Any) -> Any:
    """The scorer for "neg_rank_loss"; everything else as it is, for scikit-learn."""
    if scoring != NEG_RANK_LOSS:
        return scoring
    labels = category_order(y) or encode(y, "rank_loss")[1].tolist()
    return make_scorer(rank_loss, greater_is_better=False, labels=labels)


def guesser(
    scoring: Any, codes: Ints, *, numeric: bool = False
) -> DummyClassifier | DummyRegressor:
    """A classifier that always gives the same answer, the best one for the score.

    That is the largest class, but for ordered classes the middle one; of numbers the
    mean.
    """
    if numeric:
        return DummyRegressor()
    if scoring != NEG_RANK_LOSS:
        return DummyClassifier(strategy="prior")
    middle = middle_class(np.bincount(codes))
    return DummyClassifier(strategy="constant", constant=middle)


def middle_class(counts: Ints) -> int:
    """The class of the median row, of ordered classes with so many rows each."""
    return int(np.searchsorted(np.cumsum(counts), counts.sum() / 2))


def scoring_for(scoring: Any, n_classes: int) -> Any:
    """The same, but one class against the rest for "roc_auc" of three or more."""
    return "roc_auc_ovr" if scoring == "roc_auc" and n_classes > 2 else scoring


def name_of(scoring: Any, *, numeric: bool = False) -> str:
    """Name of what scikit-learn calls scoring."""
    if scoring is None:
        return "r2" if numeric else "accuracy"
    if isinstance(scoring, str):
        return scoring
    function = getattr(scoring, "_score_func", scoring)
    return str(getattr(function, "__name__", "score"))
