"""From results to one plain dict: everything the report says, and nothing else.

The dict holds text, numbers, booleans, None, lists and dicts, so that `json.dumps`
takes it as it is; what is not a finite number is None. A part that the results do not
have is None, too. Features are numbered from 0 in the order of X.

``schema``
    1; raised when a field changes its meaning.
``title``, ``created``, ``answer``
    Text; the moment is ISO 8601, the answer a sentence or two.
``signal``
    Whether a test found any signal in the table; None if unknown.
``beats_chance``
    Whether the recommended features score clearly above guessing; None if unknown.
``complete``, ``notes``
    Whether the comparison ran to its end; what was left out or decided, and why.
``data``
    ``n_samples``, ``n_features``, ``kinds`` (how many features of each), ``classes``
    (``label``, ``count``), ``missing`` (``cells``, ``features``), ``constants``,
    ``duplicated_columns``, ``duplicated_rows`` (how many), ``majority`` (the share of
    the largest class; None for a numeric target), ``target`` (of a numeric one:
    ``low``, ``quartiles`` and ``high``, and ``bins``: ``low``, ``high`` and ``count``;
    else None), ``ordered`` (whether the classes are), ``leaks`` (sentences
    on features that may be copies of the target), ``warnings`` (sentences).
``columns``
    See `widemargin.reporting.distributions`.
``features``
    ``name``: one text per feature.
``methods``
    One dict per method. ``label``, ``code`` (the call that makes the selector),
    ``idea``, ``paper``, ``best`` (whether it is the recommended one), ``n_selected``,
    ``score``, ``score_all``, ``area``, ``time`` (seconds), ``fold_stability`` (of the
    selections in the folds), ``stability`` (of those on subsamples: ``value``,
    ``low``, ``high``); and lists with one entry per feature: ``rank``, ``score_of``,
    ``selected``, and, each of them possibly None, ``score_low``, ``score_high``,
    ``rank_low``, ``rank_high``, ``frequency``, ``p_value``, ``q_value``.
``verdicts``
    None without them. ``method`` (the label of the method that they are of), ``low``
    and ``high`` (labels of the two classes; directions refer to ``high``; None for
    more) and lists with one entry per feature: ``verdict`` ("confirmed", "tentative" or
    "rejected"), ``why`` (what speaks against it, empty if nothing does), and
    ``direction`` and ``auc``, which are None for three or more classes without an
    order. Else (a numeric target counts as classes in order) ``direction`` has 1 where
    values rise with the class, −1 where they fall and 0 where a test cannot tell, and
    ``auc`` the probability that of two rows of different classes the higher class has
    the higher value, None for a feature without an order.
``curve``
    ``estimator``, ``scoring``, ``lower_is_better``, ``chance``, ``score_all``,
    ``guess`` (what it is that scores by chance, such as "guessing"),
    ``baseline`` (of the caller's own features: ``n_features``, ``score``, ``stderr``),
    ``lines``: per method ``label``, ``n_features``, ``mean``, ``stderr`` and ``folds``.
    The last two are None for the curve of a selector that chose its own
    number of features. Losses are positive here and in ``methods``, and ``scoring``
    is their name without ``neg_``.
``agreement``
    ``labels``, ``correlation`` and ``overlap``: square lists of lists; ``k``, of how
    many of the best features the overlap is, None for what each method keeps.
``redundancy``
    ``threshold``, ``measure``, ``groups``: per group ``features`` (the first stands
    for all) and ``similarity`` of each to the first, None where it is not known.
``distributions``
    See `widemargin.reporting.distributions`.
``image``
    ``shape`` of the grid that the features fill, and ``order``: "C" if row by row,
    "F" if column by column.
``provenance``
    See `widemargin.reporting.provenance`.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np

from widemargin.data.frames import as_frame
from widemargin.judging.measures import measure
from widemargin.reporting.distributions import columns, distributions
from widemargin.reporting.formats import number, numbers, text
from widemargin.reporting.payload import kept_names
from widemargin.reporting.provenance import provenance
from widemargin.reporting.results import as_comparison, methods

SCHEMA = 1
TITLE = "Which features matter?"
N_BINS = 10  # of a numeric target
N_PREFIXES = 300  # points of a curve that has one for every number of features

Json = dict[str, Any]


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

    Parameters
    ----------
    results : Comparison, fitted selector, or dict of fitted selectors by label
        What `widemargin.evaluation.compare` returned, or selectors that were fitted
        to the same data.
    X, y : array-like or frame, default=None
        The data behind fitted selectors; a Comparison has its own.
    title : str, default=None
        Heading of the report.
    image_shape : tuple of int, default=None
        Rows and columns, and perhaps channels, of the images that X holds.
    reading : list of str, default=None
        Lines of Python that make X and y.
    image_order : {"C", "F"}, default=None
        Whether images were flattened row by row or column by column; by default that
        of the Comparison, or "C".

    Returns
    -------
    data : dict
        Plain values, as the text at the top of this module describes them.

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
    found = as_comparison(results, as_frame(X, "report"), y)
    shape = image_shape if image_shape is not None else found.image_shape
    ordered = bool(found.ordered)
    names = [text(name) for name in found.feature_names]
    by_method = methods(found)
    best = next((m for m in by_method if m["best"]), by_method[0])
    order, kept = np.argsort(best["rank"], kind="stable"), kept_names(best, names)
    return {
        "schema": SCHEMA,
        "title": text(title or TITLE),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "answer": text(getattr(found, "answer", None) or _answer(best, kept)),
        "signal": None if found.signal is None else bool(found.signal),
        "beats_chance": getattr(found, "beats_chance", None),
        "complete": bool(found.complete),
        "notes": [text(note) for note in found.notes],
        "data": _data(found.profile, ordered),
        "columns": columns(found.X, found.profile),
        "features": {"name": names},
        "methods": by_method,
        "verdicts": _verdicts(found, best),
        "curve": _curve(found),
        "agreement": _agreement(found.agreement),
        "redundancy": _redundancy(found.redundancy),
        "distributions": distributions(found.X, found.y, order, found.profile, ordered),
        "image": _image(shape, image_order or found.image_order, len(names)),
        "provenance": provenance(found, by_method, best, kept, reading or []),
    }


def _data(profile: Any, ordered: bool) -> Json | None:
    if profile is None:
        return None
    kinds, counts = np.unique(np.asarray(profile.kinds, str), return_counts=True)
    missing = np.asarray(profile.missing)
    return {
        "n_samples": int(profile.n_samples),
        "n_features": int(profile.n_features),
        "kinds": dict(zip(kinds.tolist(), counts.tolist(), strict=True)),
        "classes": [
            {"label": text(label), "count": int(count)}
            for label, count in profile.class_counts.items()
        ],
        "ordered": ordered,
        "majority": None if profile.numeric_target else float(profile.majority),
        "target": _target(profile.target),
        "missing": {"cells": int(missing.sum()), "features": int((missing > 0).sum())},
        "constants": len(profile.constants),
        "duplicated_columns": sum(len(g) - 1 for g in profile.duplicated_columns),
        "duplicated_rows": int(profile.duplicated_rows),
        "leaks": [text(sentence) for sentence in profile.leaks],
        "warnings": [text(sentence) for sentence in profile.warnings],
    }


def _target(target: Any) -> Json | None:
    """How a numeric target is spread; None for classes."""
    if target is None:
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


def _verdicts(found: Any, best: Json) -> Json | None:
    """Verdicts in the order of X; None for results that have none."""
    frame, about = found.features, found.profile
    if frame is None:
        return None
    frame = frame.iloc[np.argsort(np.argsort(best["rank"], kind="stable"))]
    pair = about.pair if about else None
    directed = bool(pair or found.ordered or (about and about.numeric_target))
    return {
        "method": best["label"],
        "low": text(pair[0]) if pair else None,
        "high": text(pair[1]) if pair else None,
        "verdict": frame["verdict"].tolist(),
        "why": [text(reason) for reason in frame["why"]],
        "direction": numbers(frame["direction"]) if directed else None,
        "auc": numbers(frame["auc"]) if directed else None,
    }


def _curve(found: Any) -> Json | None:
    scoring = getattr(found.curve, "scoring", None)
    numeric = bool(found.profile and found.profile.numeric_target)
    sign = measure(scoring).sign
    if found.curve is None:
        lines = _prefix_lines(found)
    else:
        lines = _fold_lines(found.curve, sign)
    if not lines:
        return None
    if scoring is None:
        own = [getattr(s, "scoring_", None) for s in found.selectors.values()]
        scoring = "r2" if numeric else next(filter(None, own), None)
    baseline = getattr(found.curve, "baseline", None)
    return {
        "estimator": text(found.classifier),
        "scoring": None if scoring is None else text(scoring).removeprefix("neg_"),
        "lower_is_better": sign < 0,
        "chance": number(found.chance, sign),
        "guess": "predicting the mean" if numeric else "guessing",
        "score_all": None if baseline is None else number(np.nanmean(baseline), sign),
        "baseline": _baseline(found.baseline, sign),
        "lines": lines,
    }


def _baseline(baseline: Any, sign: int) -> Json | None:
    """The features that the user has today."""
    if baseline is None:
        return None
    return {
        "n_features": len(baseline.features),
        "score": number(baseline.score, sign),
        "stderr": number(baseline.stderr),
    }


def _fold_lines(curve: Any, sign: int) -> list[Json]:
    """Mean and standard error over the folds, for each method and size."""
    lines = []
    folds = curve.frame.groupby("method")["fold"].nunique()
    for label, line in curve.lines.items():
        unknown = np.full(len(line.sizes), np.nan)
        lines.append(
            {
                "label": text(label),
                "n_features": [int(n) for n in line.sizes],
                "mean": numbers(line.mean, sign),
                "stderr": numbers(line.stderr if folds[label] > 1 else unknown),
                "folds": int(folds[label]),
            }
        )
    return lines


def _prefix_lines(found: Any) -> list[Json]:
    """What selectors that chose their own number of features saw on the way."""
    lines = []
    for label, selector in found.selectors.items():
        scores = getattr(selector, "prefix_scores_", None)
        if scores is not None:
            sizes = np.unique(np.geomspace(1, len(scores), N_PREFIXES).round())
            sizes = sizes.astype(int)
            lines.append(
                {
                    "label": text(label),
                    "n_features": sizes.tolist(),
                    "mean": numbers(np.asarray(scores)[sizes - 1]),
                    "stderr": [None] * len(sizes),
                    "folds": None,
                }
            )
    return lines


def _agreement(agreement: Any) -> Json | None:
    if agreement is None:
        return None
    return {
        "labels": [text(label) for label in agreement.labels],
        "correlation": [numbers(row) for row in np.asarray(agreement.correlation)],
        "overlap": [numbers(row) for row in np.asarray(agreement.overlap)],
        "k": getattr(agreement, "k", None),
    }


def _redundancy(redundancy: Any) -> Json | None:
    if redundancy is None:
        return None
    # To its group's representative, in the order of the groups.
    column = iter(redundancy.frame["similarity"] if redundancy.groups else ())
    measure = getattr(redundancy, "measure", None)
    return {
        "threshold": number(getattr(redundancy, "threshold", None)),
        "measure": None if measure is None else text(measure),
        "groups": [
            {
                "features": [int(f) for f in group],
                "similarity": [number(next(column)) for _ in group],
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
