"""Pairs of features that work together: in the report's dict, and on its page."""

from __future__ import annotations

import math
from typing import Any

from widemargin.evaluation import Comparison
from widemargin.evaluation._interactions import SEVERAL
from widemargin.evaluation._pair_pictures import PairPicture
from widemargin.reporting.formats import decimal, number, numbers, percent, text, texts

N_PAIRS = 12  # that are shown
N_NODES = 20  # features in the drawing

Json = dict[str, Any]


def together(found: Comparison) -> Json | None:
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


def pairs_shown(data: Json) -> Json | None:
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
                    else percent(m, 0)
                    if share
                    else decimal(m),
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
