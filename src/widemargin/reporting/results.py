"""Results that a report can be made of, and what it says about each method."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from widemargin import catalogue
from widemargin.judging.measures import measure
from widemargin.reporting.formats import number, numbers, text
from widemargin.reporting.provenance import constructor

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

Json = dict[str, Any]


def as_comparison(results: Any, X: Any, y: Any) -> Any:
    """An object with all the fields of a Comparison, for any results."""
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
    selectors = {label or type(s).__name__: s for label, s in selectors.items()}
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


def methods(found: Any) -> list[Json]:
    """All that the report says about each method."""
    rows = _rows(found)
    sign = measure(getattr(found.curve, "scoring", None)).sign
    return [_method(found, label, rows[label], sign) for label in found.selectors]


def _rows(found: Any) -> dict[str, Json]:
    """The rows of the comparison's own table, by label."""
    if found.summary is None:
        return {label: _own_row(s) for label, s in found.selectors.items()}
    frame = found.summary().set_index("method")
    rows = frame.astype(object).where(frame.notna(), None).to_dict(orient="index")
    choice = found.choice
    if choice is not None:
        # Of the recommended method the size that is recommended, not the one that a
        # method would do with if it were alone.
        rows[choice.method] |= {
            "n_features": choice.n_features,
            "score": choice.score,
            "fold_stability": choice.stability,
        }
    return rows


def _method(found: Any, label: str, row: Json, sign: int) -> Json:
    selector = found.selectors[label]
    if label == found.best and found.recommended is not None:
        selector = found.recommended  # without near copies
    n_selected = number(row.get("n_features"))
    ranking = np.asarray(selector.ranking_)
    support = selector.support_ if n_selected is None else ranking <= n_selected
    if found.signal is False:
        support = np.zeros(len(ranking), np.bool_)
    papers = {m.name: m.paper for m in catalogue.methods()}
    paper = papers.get(type(selector).__name__)
    interval = getattr(selector, "scores_interval_", None)
    resampling = found.resampling.get(label)
    significance = found.significance.get(label)
    return {
        "label": text(label),
        "code": constructor(selector),
        "idea": _idea(selector),
        "paper": paper and text(paper),
        "best": label == found.best or len(found.selectors) == 1,
        "n_selected": int(np.sum(support)),
        "score": number(row.get("score"), sign),
        "score_all": number(row.get("score_all"), sign),
        "area": number(row.get("area"), sign),
        "time": number(found.times.get(label)),
        "fold_stability": number(row.get("fold_stability")),
        "stability": _stability(getattr(resampling, "stability", None)),
        "rank": numbers(ranking),
        "score_of": numbers(selector.scores_),
        "selected": [bool(s) for s in support],
        "score_low": None if interval is None else numbers(np.asarray(interval)[:, 0]),
        "score_high": None if interval is None else numbers(np.asarray(interval)[:, 1]),
        "rank_low": numbers(getattr(resampling, "rank_low", None)),
        "rank_high": numbers(getattr(resampling, "rank_high", None)),
        "frequency": numbers(getattr(resampling, "frequency", None)),
        "p_value": numbers(getattr(significance, "p_values", None)),
        "q_value": numbers(getattr(significance, "q_values", None)),
    }


def _own_row(selector: Any) -> Json:
    """Scores of a selector that chose its own number of features."""
    scores = getattr(selector, "prefix_scores_", None)
    kept = int(np.sum(selector.support_))
    if scores is None or not kept:
        return {}
    return {"score": scores[kept - 1], "score_all": scores[-1]}


def _idea(selector: Any) -> str | None:
    """What the method looks for: the first line of its documentation, name aside."""
    line = (type(selector).__doc__ or "").strip().splitlines()[:1]
    if not line:
        return None
    _, _, idea = line[0].rstrip(".").partition(": ")
    return idea or line[0].rstrip(".")


def _stability(stability: Any) -> Json | None:
    if stability is None:
        return None
    return {part: number(getattr(stability, part)) for part in ("value", "low", "high")}
