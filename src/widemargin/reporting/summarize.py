"""From results to one plain dict: everything the report says, and nothing else.

The dict holds text, numbers, booleans, None, lists and dicts, so that `json.dumps`
takes it as it is; what is not a finite number is None. A part that the results do not
have is None, too. Features are numbered from 0 in the order of X.

``schema``
    2; raised when a field changes its meaning.
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
    ``idea``, ``paper``, ``best`` (whether it is the recommended one), ``candidate``
    (whether it could have been), ``n_selected``, ``score`` (nested mean over the
    folds), ``stderr`` (its standard error), ``score_all``, ``stability`` (agreement of
    the choices for the folds), ``area``, ``time`` (seconds); and lists with one entry
    per feature: ``rank``, ``score_of`` (by a fit to all rows), ``selected``, and, both
    possibly None, ``score_low`` and ``score_high``. In a comparison, ranks are those of
    the consensus of the folds, near copies last.
``verdicts``
    None without a recommendation. ``low`` and ``high`` (labels of the two classes;
    directions refer to ``high``; None for more) and lists with one entry per feature:
    ``verdict`` ("kept", "copy", "relevant, not needed", "not relevant" or "not
    tested"), ``why`` (a reason, or empty), ``copy_of`` (the name of the better feature
    that a copy is like, or None), ``p_value``, ``q_value``, ``frequency``
    (share of the folds that choose it or a near copy of it), and ``direction`` and
    ``auc``, which are None for three or more classes without an order. Else (a numeric
    target counts as classes in order) ``direction`` has 1 where values rise with the
    class, −1 where they fall and 0 where a test cannot tell, and ``auc`` the
    probability that of two rows of different classes the higher class has the higher
    value, None for a feature without an order.
``relevance``
    None for selectors without a comparison. ``features`` (numbers of all relevant
    features, lowest q-value first; None if nothing was tested), ``level`` (of q),
    ``how`` (they were tested, or why not).
``leaks``
    None if no feature is suspected to be a copy of the target. ``features`` (numbers),
    ``drop`` (an option of the command that leaves them out), ``code`` (a line of Python
    that does), ``with`` and ``without``: the recommendation with and without these
    features, each with ``kept`` (names), ``n_selected``, ``score``, ``stderr``,
    ``score_all`` and ``stability``.
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
import shlex
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np

from widemargin.evaluation import Comparison
from widemargin.evaluation._verdicts import LEVEL
from widemargin.judging.scores import measure
from widemargin.reporting.distributions import columns, distributions
from widemargin.reporting.formats import number, numbers, text, texts
from widemargin.reporting.payload import kept_names
from widemargin.reporting.provenance import provenance
from widemargin.reporting.results import as_comparison, methods, worth

SCHEMA = 2
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
        "data": _data(found.profile, found.ordered),
        "columns": columns(found.data, found.profile),
        "features": {"name": names},
        "methods": by_method,
        "verdicts": _verdicts(found),
        "relevance": _relevance(found),
        "leaks": _leaks(found),
        "curve": _curve(found),
        "agreement": _agreement(found.agreement),
        "redundancy": _redundancy(found.redundancy),
        "distributions": distributions(found.data, order, found.profile, found.ordered),
        "image": _image(shape, image_order or found.image_order, len(names)),
        "provenance": provenance(found, best, kept, reading or []),
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
        "leaks": texts(profile.leaks),
        "warnings": texts(profile.warnings),
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


def _verdicts(found: Comparison) -> Json | None:
    """Verdicts in the order of X; None for results that have none."""
    if found.recommendation is None:
        return None
    about = found.profile
    frame = found.features.iloc[found.recommendation.ranking - 1]
    low, high = about.pair or (None, None)
    directed = bool(about.pair or found.ordered or about.numeric_target)
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
    numeric = bool(found.profile and found.profile.numeric_target)
    sign = measure(scoring).sign
    lines = _fold_lines(curve, sign) if curve else _prefix_lines(found)
    if not lines:
        return None
    if scoring is None:
        known = [getattr(s, "scoring_", None) for s in found.selectors.values()]
        scoring = "r2" if numeric else next(filter(None, known), None)
    own = found.baseline
    return {
        "estimator": text(found.classifier),
        "scoring": None if scoring is None else text(scoring).removeprefix("neg_"),
        "lower_is_better": sign < 0,
        "chance": number(found.chance, sign),
        "guess": "predicting the mean" if numeric else "guessing",
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
