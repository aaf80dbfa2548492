"""What the report says about each method."""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin import catalogue
from widemargin.evaluation import Comparison
from widemargin.judging.recommend import Recommendation
from widemargin.judging.scores import measure
from widemargin.reporting.formats import Json, number, numbers, text
from widemargin.reporting.provenance import constructor


def methods(found: Comparison) -> list[Json]:
    """All that the report says about each method."""
    sign = measure(found.curve.scoring if found.curve else None).sign
    area = {} if found.curve is None else found.curve.summary()["area"].to_dict()
    papers = {m.name: m.paper for m in catalogue.methods()}
    return [
        {
            "label": text(label),
            "code": constructor(selector),
            "idea": _idea(selector),
            "paper": papers.get(type(selector).__name__),
            "best": label == found.best or len(found.selectors) == 1,
            "candidate": label in found.candidates,
            "area": number(area.get(label), sign),
            "time": number(found.times.get(label)),
            **_choice(found, label, sign),
            **_interval(selector),
        }
        for label, selector in found.selectors.items()
    ]


def _choice(found: Comparison, label: str, sign: int) -> Json:
    """Which features a method keeps, and what that is worth."""
    selector: Any = found.selectors[label]
    own = found.recommendation if label == found.best else found.alone.get(label)
    ranking = selector.ranking_ if own is None else own.ranking
    chosen = np.zeros(len(ranking), np.bool_)
    if own is not None and found.signal is not False:
        chosen[own.columns] = True
    elif own is None and not found.settings:  # the selector's own, not interrupted
        chosen = np.asarray(selector.support_)
    scores: Json = dict.fromkeys(("score", "stderr", "score_all", "stability"))
    if own is not None:
        scores = worth(own, sign)
    elif getattr(selector, "prefix_scores_", None) is not None and chosen.any():
        by_size = selector.prefix_scores_
        scores["score"] = number(by_size[int(chosen.sum()) - 1])
        scores["score_all"] = number(by_size[-1])
    return {
        **scores,
        "n_selected": int(chosen.sum()),
        "rank": numbers(ranking),
        "score_of": numbers(selector.scores_),
        "selected": chosen.tolist(),
    }


def worth(own: Recommendation, sign: int) -> Json:
    """How many features a recommendation keeps, and how good they are."""
    return {
        "n_selected": own.n_features,
        "score": number(own.score, sign),
        "stderr": number(own.stderr),
        "score_all": number(own.score_all, sign),
        "stability": number(own.stability),
    }


def _interval(selector: Any) -> Json:
    """Confidence intervals of the scores, which few selectors have."""
    ends = getattr(selector, "scores_interval_", None)
    low, high = (None, None) if ends is None else np.asarray(ends).T
    return {"score_low": numbers(low), "score_high": numbers(high)}


def _idea(selector: Any) -> str | None:
    """What the method looks for: the first line of its documentation, name aside."""
    line = (type(selector).__doc__ or "").strip().partition("\n")[0].rstrip(".")
    return line.partition(": ")[2] or line or None
