"""From the report's dict to one HTML page that needs nothing else."""

from __future__ import annotations

import math
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import numpy as np

from widemargin.evaluation._verdicts import COPY, KEPT, VERDICTS
from widemargin.judging.scores import measure
from widemargin.reporting import formats
from widemargin.reporting.formats import Json
from widemargin.reporting.payload import (
    best_method,
    kept_names,
    listed_features,
    payload,
    ranked_groups,
    reason,
    script_json,
)
from widemargin.reporting.summarize import SCHEMA

N_STATIC = 50  # rows that are there without scripts, and on paper
N_NAMED = 10  # kept features at the top of the page
MOST_RELEVANT = 1000  # relevant features in the page
N_STATIC_GROUPS = 100  # that can be unfolded without scripts, which reach all
N_MEMBERS = 12  # members of a group that are named
N_NODES = 20  # features in the drawing of pairs
N_CHECKPOINTS = 10  # sizes in the table behind the curve
CLEAR_RHO = 0.1  # rank correlation from which a target is said to rise or fall
# Before anything is painted, so that what only scripts need, or replace, never shows.
EARLY = "document.documentElement.classList.add('js')"
FILTERS = (
    "count",
    "decimal",
    "duration",
    "in_words",
    "percent",
    "probability",
    "breakable",
    "unbroken",
)
SCRIPTS = (
    "report.js",
    "table.js",
    "columns.js",
    "curve.js",
    "groups.js",
    "figures.js",
)


def render(data: Json) -> str:
    """Write the page.

    Parameters
    ----------
    data : dict
        What `summarize` returns, or the JSON saved of it.

    Returns
    -------
    page : str
        HTML with its style, scripts and data inside; it loads nothing.
    """
    from markupsafe import Markup

    if data.get("schema") != SCHEMA:
        raise ValueError(
            f"A report is made from data of schema {SCHEMA}, got {data.get('schema')}: "
            "they were saved by another version of widemargin. Make the report again."
        )
    script = "\n".join(["'use strict';", *map(_source, SCRIPTS)])
    return (
        _environment(_jinja())
        .get_template("page.html")
        .render(
            data=data,
            style=Markup(style()),
            script=Markup(script),
            early=Markup(EARLY),
            digests=[_digest(EARLY), _digest(script)],
            payload=Markup(script_json(payload(data))),
            **_shown(data),
        )
    )


def style() -> str:
    """The style sheet, for other pages that are to look like a report."""
    return _source("style.css")


def _digest(script: str) -> str:
    """What lets the browser run this script, and none that a name smuggles in."""
    return b64encode(sha256(script.encode()).digest()).decode()


def _jinja() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise ImportError(
            'The report needs jinja2; install it with: pip install "widemargin[report]"'
        ) from error
    return jinja2


@cache  # reading the template takes longer than filling it in
def _environment(jinja2: Any) -> Any:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("widemargin.reporting"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    for name in FILTERS:
        environment.filters[name] = getattr(formats, name)
    environment.globals |= {
        "formats": formats,
        "reason": reason,
        "clear_rho": CLEAR_RHO,
    }
    return environment


def _source(name: str) -> str:
    path = files("widemargin.reporting").joinpath("templates", name)
    return path.read_text(encoding="utf-8")


def _shown(data: Json) -> Json:
    """What the template would otherwise have to work out."""
    best = data["methods"][best_method(data)]
    order = np.argsort(best["rank"], kind="stable")[:N_STATIC].tolist()
    scoring = data["curve"]["scoring"] if data["curve"] else None
    tops = [s for s in best["score_of"] if s is not None and s > 0]
    kept = kept_names(best, data["features"]["name"])
    return {
        "best": best,
        "tally": _tally(data["verdicts"]),
        "kept": kept,
        "named": _named(data, kept),
        "relevant": _relevant(data),
        "pairs": _pairs(data),
        "top": order,
        "scores": formats.aligned(max(tops, default=0.0)),
        "n_listed": len(listed_features(data)),
        "scored": lambda value: formats.measured(value, scoring),
        "score_name": measure(scoring).name,
        "checkpoints": _checkpoints(data["curve"]),
        "groups": _groups(data),
        "alternatives": _alternatives(data["distributions"], data),
    }


def _named(data: Json, kept: list[str]) -> Json | None:
    """The first of the kept features, for the top of the page.

    Pixels are better seen on the map, and the answer of single selectors has names.
    """
    if not kept or data["image"] or data["signal"] is False or not data["curve"]:
        return None
    return {"names": kept[:N_NAMED], "rest": len(kept[N_NAMED:])}


def _tally(verdicts: Json | None) -> str:
    """How many features are kept, and how many others have which verdict."""
    if verdicts is None:
        return ""
    found = verdicts["verdict"]
    words = {KEPT: "kept", COPY: "near copies of better ones"}
    parts = [
        f"{formats.count(found.count(name))} {words.get(name, name)}"
        for name in VERDICTS
        if name in found
    ]
    return f"{'; '.join(parts)}."


def _relevant(data: Json) -> list[Json]:
    """The relevant features, lowest q-value first."""
    found, verdicts = data["relevance"], data["verdicts"]
    if not found or not found["features"]:
        return []
    return [
        {
            "name": data["features"]["name"][f],
            "verdict": verdicts["verdict"][f],
            "why": reason(verdicts, f),
            "q": verdicts["q_value"][f],
            "frequency": verdicts["frequency"][f],
        }
        for f in found["features"][:MOST_RELEVANT]
    ]


def _pairs(data: Json) -> Json | None:
    """Pairs that work together, and the drawing that connects them."""
    found, names = data.get("interactions"), data["features"]["name"]
    if found is None:
        return None
    features = dict.fromkeys(f for pair in found["pairs"] for f in pair["features"])
    shown = list(features)[:N_NODES]
    nodes = dict(zip(shown, _circle(len(shown)), strict=True))
    strong = max((_strength(pair) for pair in found["pairs"]), default=1.0)
    return {
        **found,
        "several": [names[f] for f in found["several"]],
        "pairs": [_pair(pair, names) for pair in found["pairs"]],
        "nodes": [{"name": names[f], **at} for f, at in nodes.items()],
        "edges": [
            {
                "ends": [nodes[f] for f in pair["features"]],
                "width": f"{1 + 5 * _strength(pair) / strong:.1f}",
            }
            for pair in found["pairs"]
            if all(f in nodes for f in pair["features"])
        ],
    }


def _strength(pair: Json) -> float:
    return -math.log10(max(pair["q_value"], 1e-30)) or 1.0


def _pair(pair: Json, names: list[str]) -> Json:
    """One pair with its grid, the high values of the first feature on top."""
    a, b = (names[f] for f in pair["features"])
    picture = pair["picture"]
    means = [m for row in picture["mean"] for m in row if m is not None]
    share = picture["what"].startswith("share")
    low, high = (0.0, 1.0) if share else (min(means), max(means))
    rows = [
        {
            "label": label,
            "cells": [
                {
                    "text": "–"
                    if m is None
                    else formats.percent(m, 0)
                    if share
                    else formats.decimal(m),
                    "tone": f"{((m or low) - low) / ((high - low) or 1.0):.2f}",
                }
                for m in row
            ],
        }
        for label, row in zip(picture["rows"], picture["mean"], strict=True)
    ]
    return {**pair, "a": a, "b": b, "grid": rows[::-1]}


def _circle(count: int) -> list[dict[str, str]]:
    """Places on a circle of radius 100, for SVG, and where names beside it start."""
    places = []
    for i in range(count):
        turn = 2 * math.pi * i / count - math.pi / 2
        x, y = math.cos(turn), math.sin(turn)
        anchor = "middle" if abs(x) < 0.1 else "start" if x > 0 else "end"
        places.append(
            {
                "x": f"{100 * x:.1f}",
                "y": f"{100 * y:.1f}",
                "text_x": f"{112 * x:.1f}",
                "text_y": f"{118 * y + 4:.1f}",
                "anchor": anchor,
            }
        )
    return places


def _checkpoints(curve: Json | None) -> list[Json]:
    """A few sizes and each method's score there, for the table behind the curve."""
    if curve is None:
        return []
    sizes = sorted({n for line in curve["lines"] for n in line["n_features"]})
    at = np.unique(np.geomspace(1, len(sizes), N_CHECKPOINTS).round().astype(int)) - 1
    lines = []
    for line in curve["lines"]:
        points = zip(line["mean"], line["stderr"], strict=True)
        lines.append(dict(zip(line["n_features"], points, strict=True)))
    return [
        {"n": n, "cells": [line.get(n, (None, None)) for line in lines]}
        for n in (sizes[i] for i in at)
    ]


def _groups(data: Json) -> list[Json]:
    """Redundant groups by name, the one with the best representative first."""
    if data["redundancy"] is None:
        return []
    names = data["features"]["name"]
    rank = data["methods"][best_method(data)]["rank"]
    found = []
    for group in ranked_groups(data)[:N_STATIC_GROUPS]:
        first, *others = zip(group["features"], group["similarity"], strict=True)
        found.append(
            {
                "size": 1 + len(others),
                "first": names[first[0]],
                "rank": rank[first[0]],
                "others": [(names[f], s) for f, s in others[: N_MEMBERS - 1]],
                "unnamed": max(0, len(others) - N_MEMBERS + 1),
            }
        )
    return found


def _goes(look: Json) -> str:
    """Which way a feature goes with a numeric target, in words."""
    parts = []
    if look["rho"] is not None:
        rho = formats.two_digits(look["rho"])
        moves = "rises" if look["rho"] > 0 else "falls"
        if abs(look["rho"]) < CLEAR_RHO:
            moves = "hardly goes"
        parts.append(f"The target {moves} with it (rank correlation {rho})")
    if look["kind"] == "boxes":
        parts += [
            f"{level}: median {formats.decimal(box['quartiles'][1])}"
            for level, box in zip(look["levels"], look["boxes"], strict=True)
            if box["quartiles"]
        ]
    return "; ".join(parts)


def _alternatives(found: Json | None, data: Json) -> list[str]:
    """What each of the small figures shows, in words."""
    if found is None:
        return []
    names = data["features"]["name"]
    texts = []
    for look in found["features"]:
        if look["kind"] in ("scatter", "boxes"):
            texts.append(f"{names[look['feature']]}. {_goes(look)}")
            continue
        parts = []
        for c, label in enumerate(found["classes"]):
            if look["kind"] == "numeric":
                parts.append(f"{label}: median {formats.decimal(look['medians'][c])}")
            elif sum(look["counts"][c]):
                counts = look["counts"][c]
                level = look["levels"][int(np.argmax(counts))]
                share = formats.percent(max(counts) / sum(counts), 0)
                parts.append(f"{label}: mostly {level} ({share})")
        texts.append(f"{names[look['feature']]}. " + "; ".join(parts))
    return texts
