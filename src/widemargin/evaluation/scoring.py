"""Names of scores: as scikit-learn knows them, and as people call them."""

from __future__ import annotations

from typing import Any

SPOKEN = {
    "roc_auc": "ROC AUC",
    "roc_auc_ovr": "ROC AUC (one-vs-rest)",
    "roc_auc_ovo": "ROC AUC (one-vs-one)",
    "f1": "F1",
    "matthews_corrcoef": "Matthews correlation",
}


def scoring_for(scoring: Any, n_classes: int) -> Any:
    """The same, but one class against the rest for "roc_auc" of three or more."""
    return "roc_auc_ovr" if scoring == "roc_auc" and n_classes > 2 else scoring


def name_of(scoring: Any) -> str:
    """Name of what scikit-learn calls scoring."""
    if scoring is None:
        return "accuracy"
    if isinstance(scoring, str):
        return scoring
    function = getattr(scoring, "_score_func", scoring)
    return str(getattr(function, "__name__", "score"))


def is_share(scoring: str | None) -> bool:
    """Whether a score reads best in per cent."""
    return scoring is None or scoring in ("accuracy", "balanced_accuracy")


def score_name(scoring: str | None) -> str:
    """How to call a score in a sentence."""
    name = scoring or "accuracy"
    return SPOKEN.get(name, name.replace("_", " "))
