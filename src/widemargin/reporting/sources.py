"""What a report can be made of: a comparison, or fitted selectors and their data."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from sklearn.utils.validation import check_is_fitted

# What a comparison may lack, and what then stands in its place.
MISSING: dict[str, Any] = {
    "X": None,
    "agreement": None,
    "answer": None,
    "baseline": None,
    "best": None,
    "chance": None,
    "choice": None,
    "classifier": "1-NN",
    "complete": True,
    "curve": None,
    "features": None,
    "image_order": "C",
    "image_shape": None,
    "notes": (),
    "ordered": False,
    "profile": None,
    "redundancy": None,
    "resampling": {},
    "settings": {},
    "signal": None,
    "recommended": None,
    "significance": {},
    "summary": None,
    "times": {},
    "y": None,
}


def as_comparison(results: Any, X: Any, y: Any) -> Any:
    """Something with all the fields of a Comparison, whatever the caller has."""
    if hasattr(results, "selectors") and hasattr(results, "feature_names"):
        there = {name: getattr(results, name, MISSING[name]) for name in MISSING}
        return SimpleNamespace(
            selectors=results.selectors, feature_names=results.feature_names, **there
        )
    selectors = results if isinstance(results, Mapping) else {None: results}
    if not selectors or not all(hasattr(s, "get_support") for s in selectors.values()):
        raise TypeError(
            "report needs the Comparison that widemargin.evaluation.compare returns, "
            "a fitted selector, or a dict of fitted selectors by label, "
            f"got {type(results).__name__}."
        )
    for selector in selectors.values():
        check_is_fitted(selector, ["scores_", "ranking_", "support_"])
    return _of_selectors(
        {label or type(s).__name__: s for label, s in selectors.items()}, X, y
    )


def _of_selectors(selectors: Mapping[str, Any], X: Any, y: Any) -> Any:
    first = next(iter(selectors.values()))
    names = getattr(first, "feature_names_in_", None)
    if names is None:
        names = [f"x{f}" for f in range(first.n_features_in_)]
    found = SimpleNamespace(
        **{**MISSING, "selectors": selectors, "feature_names": names, "X": X, "y": y}
    )
    if X is not None and y is not None:
        from widemargin.evaluation import profile

        numeric = getattr(first, "_numeric_target", False)
        found.profile = profile(X, y, task="regression" if numeric else None)
        if found.profile.numeric_target:
            found.classifier = "5-NN"
    return found
