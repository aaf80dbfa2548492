"""From results to one plain dict: everything the report says, and nothing else.

The text at the top of `widemargin.reporting` describes the dict.
"""

from __future__ import annotations

import math
import shlex
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np

from widemargin.base.scores import class_shares, leading_features
from widemargin.data.blocks import columns_of
from widemargin.data.frames import feature_names
from widemargin.data.outcomes import target_names
from widemargin.evaluation import Comparison
from widemargin.evaluation._interactions import SEVERAL
from widemargin.evaluation._pair_pictures import PairPicture
from widemargin.evaluation._verdicts import LEVEL
from widemargin.judging.scores import measure
from widemargin.reporting.distributions import columns, distributions
from widemargin.reporting.formats import Json, number, numbers, text, texts
from widemargin.reporting.methods import methods, worth
from widemargin.reporting.payload import kept_names
from widemargin.reporting.provenance import as_comparison, provenance

SCHEMA = 2
TITLE = "Which features matter?"
N_BINS = 10  # of a numeric target
FEWEST_CLASSES, N_BY_CLASS = 3, 15  # scores by class: of how many, and features
N_PAIRS = 12  # that work together
N_PREFIXES = 300  # points of a curve that has one for every number of features


def summarize(
    results: Any,
    *,
    X: Any = None,
    y: Any = None,
    title: str | None = None,
    image_shape: tuple[int, ...] | None = None,
    reading: list[str] | None = None,
    image_order: Literal["C", "F"] | None = None,
) -> Json:
    """Collect what the report shows in one plain dict.

    It takes what `widemargin.report` takes.

    Examples
    --------
    >>> from widemargin import ReliefF
    >>> from widemargin.datasets import make_xor
    >>> from widemargin.reporting.summarize import summarize
    >>> X, y = make_xor(random_state=0)
    >>> data = summarize(ReliefF(n_features_to_select=3).fit(X, y), X=X, y=y)
    >>> data["answer"]
    'ReliefF keeps 3 of 10 features: x2, x1 and x0.'
    """
    found = as_comparison(results, X, y)
    shape = image_shape if image_shape is not None else found.image_shape
    names = texts(found.feature_names)
    by_method = methods(found)
    best = next((m for m in by_method if m["best"]), by_method[0])
    order, kept = np.argsort(best["rank"], kind="stable"), kept_names(best, names)
    return {
        "schema": SCHEMA,
        "title": text(title or TITLE),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "answer": text(found.answer if found.settings else _answer(best, kept)),
        "signal": found.signal,
        "beats_chance": found.beats_chance,
        "complete": found.complete,
        "notes": texts(found.notes),
        "data": _data(found.profile, found.data, found.ordered),
        "columns": columns(found.data, found.profile),
        "features": {"name": names},
        "methods": by_method,
        "verdicts": _verdicts(found),
        "relevance": _relevance(found),
        "interactions": _interactions(found),
        "leaks": _leaks(found),
        "hard_rows": _hard_rows(found),
        "by_class": _by_class(found),
        "curve": _curve(found),
        "agreement": _agreement(found.agreement),
        "redundancy": _redundancy(found.redundancy),
        "distributions": distributions(found.data, order, found.profile, found.ordered),
        "image": _image(shape, image_order or found.image_order, len(names)),
        "provenance": provenance(found, best, _columns(found, kept), reading or []),
    }


def _columns(found: Comparison, kept: list[str]) -> list[str]:
    """Names of the columns of the kept features."""
    of = None if found.data is None else found.data.feature_of
    if of is None:
        return kept
    known = texts(found.feature_names)
    places = np.array([known.index(name) for name in kept], np.int64)
    return texts(feature_names(found.data.table)[columns_of(of, places)])


def _data(profile: Any, data: Any, ordered: bool) -> Json | None:
    if profile is None:
        return None
    of, counts_of = None, profile.class_counts.items()
    if profile.numeric_target and profile.task != "regression":
        of = "with survival times"
    if profile.target is not None and profile.target.ndim == 2:
        names = target_names(data.y_given, profile.target.shape[1])
        of = f"with {len(names)} numeric targets"
        if profile.task == "multilabel":
            of = f"with {len(names)} labels, of which a row may have several"
            counts_of = zip(names, profile.target.sum(axis=0), strict=True)
    kinds, counts = np.unique(np.asarray(profile.kinds, str), return_counts=True)
    missing = np.asarray(profile.missing)
    return {
        "n_samples": int(profile.n_samples),
        "n_features": int(profile.n_features),
        "kinds": dict(zip(kinds.tolist(), counts.tolist(), strict=True)),
        "classes": [
            {"label": text(label), "count": int(count)} for label, count in counts_of
        ],
        "ordered": ordered,
        "majority": None if profile.numeric_target else float(profile.majority),
        "target": _target(profile.target),
        "task": profile.task,
        "of": of,
        "missing": {"cells": int(missing.sum()), "features": int((missing > 0).sum())},
        "constants": len(profile.constants),
        "duplicated_columns": sum(len(g) - 1 for g in profile.duplicated_columns),
        "duplicated_rows": int(profile.duplicated_rows),
        "leaks": texts(profile.leaks),
        "warnings": texts(profile.warnings),
    }


def _target(target: Any) -> Json | None:
    """How a numeric target, or a risk, is spread; None for classes or several."""
    if target is None or target.ndim == 2:
        return None
    counts, edges = np.histogram(target, bins=N_BINS)
    return {
        "low": float(target.min()),
        "quartiles": numbers(np.quantile(target, [0.25, 0.5, 0.75])),
        "high": float(target.max()),
        "bins": [
            {"low": float(low), "high": float(high), "count": int(count)}
            for low, high, count in zip(edges, edges[1:], counts, strict=False)
        ],
    }


def _verdicts(found: Comparison) -> Json | None:
    """Verdicts in the order of X; None for results that have none."""
    if found.recommendation is None:
        return None
    about = found.profile
    frame = found.features.iloc[found.recommendation.ranking - 1]
    low, high = about.pair or (None, None)
    one = about.target is not None and about.target.ndim == 1
    directed = bool(about.pair or found.ordered or one)
    return {
        "low": text(low) if about.pair else None,
        "high": text(high) if about.pair else None,
        "verdict": frame["verdict"].tolist(),
        "why": texts(frame["why"]),
        "copy_of": [None if name is None else text(name) for name in frame["copy_of"]],
        **{n: numbers(frame[n]) for n in ("p_value", "q_value", "frequency")},
        **{n: numbers(frame[n]) if directed else None for n in ("direction", "auc")},
    }


def _relevance(found: Comparison) -> Json | None:
    """All relevant features, kept or not."""
    if not found.settings:
        return None
    test, features = found.relevance, None
    how = "The comparison was interrupted before the test."
    if test is not None and found.recommendation is not None:
        features = (found.relevant["rank"] - 1).tolist()
        by_rank = np.argsort(found.recommendation.ranking)
        features, how = by_rank[features].tolist(), test.how
    elif found.complete:
        how = (
            "Permuted copies assume independent rows, which rows of one group are not."
        )
    return {"features": features, "level": LEVEL, "how": how}


def _hard_rows(found: Comparison) -> Json | None:
    """The rows with the lowest margins, and how many labels may be wrong."""
    hard = found.hard_rows
    if hard is None or not len(hard.rows) or found.signal is False:
        return None
    frame = hard.to_frame()
    return {
        "sentence": text(hard.sentence),
        "n_rows": len(hard.rows),
        "expected": float(hard.expected),
        "precision": float(hard.precision),
        "row": [int(row) for row in frame["row"]],
        **{name: texts(frame[name]) for name in ("label", "suggested")},
        "margin": numbers(frame["margin"]),
        "suspect": frame["suspect"].tolist(),
    }


def _by_class(found: Comparison) -> Json | None:
    """Which features tell each of three or more classes from the others."""
    method = found.by_class
    if method is None or found.signal is False or len(method.classes_) < FEWEST_CLASSES:
        return None
    shares = class_shares(method.scores_by_class_)
    features = leading_features(shares, method.ranking_, N_BY_CLASS)
    return {
        "method": next(m for m, s in found.selectors.items() if s is method),
        "classes": texts(method.classes_.tolist()),
        "features": features.tolist(),
        "shares": [numbers(row) for row in shares[:, features].T],
    }


def _interactions(found: Comparison) -> Json | None:
    """The strongest pairs that work together, and how."""
    pairs = found.interactions
    if pairs is None:
        return None
    words = [text(found.works_with.get(f, "")) for f in range(len(found.feature_names))]
    return {
        "n_found": len(pairs.found),
        "n_possible": pairs.n_possible,
        "level": pairs.level,
        "works_with": words if found.works_with else None,
        "several": [f for f, what in found.works_with.items() if what == SEVERAL],
        "pairs": [
            {
                "features": pair,
                "p_value": number(pairs.p_values[i]),
                "q_value": number(pairs.q_values[i]),
                "sentence": text(pairs.sentence(i)),
                "picture": _picture(pairs.picture(i)),
            }
            for i, pair in enumerate(pairs.found[:N_PAIRS].tolist())
        ],
    }


def _picture(found: PairPicture) -> Json:
    return {
        "rows": texts(found.rows),
        "columns": texts(found.columns),
        "mean": [numbers(row) for row in found.mean],
        "n_samples": found.n_samples.tolist(),
        "what": text(found.what),
    }


def _leaks(found: Comparison) -> Json | None:
    """The two answers where features may be copies of the target."""
    one, other = found.recommendation, found.without_leaks
    if one is None or other is None or found.names_without_leaks is None:
        return None
    leaks = [int(f) for f in found.profile.target_copies]
    names = [str(found.feature_names[f]) for f in leaks]
    sign = measure(found.curve.scoring if found.curve else None).sign

    return {
        "features": leaks,
        "drop": text(f"--drop {shlex.quote(','.join(names))}"),
        "code": text(f"X = X.drop(columns={names!r})"),
        "with": {"kept": texts(found.feature_names[one.columns]), **worth(one, sign)},
        "without": {"kept": texts(found.names_without_leaks), **worth(other, sign)},
    }


def _curve(found: Comparison) -> Json | None:
    curve = found.curve
    scoring = curve.scoring if curve else None
    sign = measure(scoring).sign
    lines = _fold_lines(curve, sign) if curve else _prefix_lines(found)
    if not lines:
        return None
    if scoring is None:
        known = [getattr(s, "scoring_", None) for s in found.selectors.values()]
        scoring = next(filter(None, known), None)
    own = found.baseline
    return {
        "estimator": text(found.classifier),
        "scoring": None if scoring is None else text(scoring).removeprefix("neg_"),
        "lower_is_better": sign < 0,
        "chance": number(found.chance, sign),
        "guess": found._guessing,
        "score_all": number(found.score_all, sign),
        "baseline": own
        and {
            "n_features": len(own.features),
            "score": number(own.score, sign),
            "stderr": number(own.stderr),
        },
        "lines": lines,
    }


def _fold_lines(curve: Any, sign: int) -> list[Json]:
    """Mean and standard error over the folds, for each method and size."""
    lines = []
    folds = curve.frame.groupby("method")["fold"].nunique().to_dict()
    for label, line in curve.lines.items():
        errors = line.stderr if folds[label] > 1 else np.full(len(line.sizes), np.nan)
        lines.append(_line(label, line.sizes, numbers(line.mean, sign), errors))
        lines[-1]["folds"] = folds[label]
    return lines


def _prefix_lines(found: Any) -> list[Json]:
    """What selectors that chose their own number of features saw on the way."""
    lines = []
    for label, selector in found.selectors.items():
        scores = getattr(selector, "prefix_scores_", None)
        if scores is not None:
            sizes = np.unique(np.geomspace(1, len(scores), N_PREFIXES).round())
            sizes = sizes.astype(int)
            mean = numbers(np.asarray(scores)[sizes - 1])
            lines.append(_line(label, sizes, mean, np.full(len(sizes), np.nan)))
    return lines


def _line(label: str, sizes: Any, mean: Any, stderr: Any) -> Json:
    return {
        "label": text(label),
        "n_features": sizes.tolist(),
        "mean": mean,
        "stderr": numbers(stderr),
        "folds": None,
    }


def _agreement(agreement: Any) -> Json | None:
    if agreement is None:
        return None
    return {
        "labels": texts(agreement.labels),
        "correlation": [numbers(row) for row in np.asarray(agreement.correlation)],
        "overlap": [numbers(row) for row in np.asarray(agreement.overlap)],
        "k": agreement.k,
    }


def _redundancy(redundancy: Any) -> Json | None:
    if redundancy is None:
        return None
    return {
        "threshold": number(redundancy.threshold),
        "measure": text(redundancy.measure),
        "groups": [
            {
                "features": [int(f) for f in group],
                "similarity": numbers(redundancy.similarities[group]),
            }
            for group in redundancy.groups
        ],
    }


def _image(shape: Any, order: str, n_features: int) -> Json | None:
    if order not in ("C", "F"):
        raise ValueError(
            'report needs image_order="C" (row by row) or "F" (column by column), got '
            f"{order!r}."
        )
    if shape is None:
        return None
    sides = [int(side) for side in shape]
    if len(sides) not in (2, 3) or math.prod(sides) != n_features:
        raise ValueError(
            "report needs an image_shape of rows × columns, or rows × columns × "
            f"channels, that makes {n_features} features, got {tuple(shape)}."
        )
    return {"shape": sides, "order": order}


def _answer(best: Json, kept: list[str]) -> str:
    label, d = best["label"], len(best["rank"])
    if not kept:
        return f"{label} keeps none of {d} features."
    *first, last = kept[:3]
    listed = f"{', '.join(first)} and {last}" if first else last
    lead = ": " if len(kept) <= 3 else "; the first are "
    return f"{label} keeps {len(kept)} of {d} features{lead}{listed}."
