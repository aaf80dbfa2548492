"""What the scripts of the page need: columns of short numbers, safe inside HTML."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from widemargin.evaluation._verdicts import VERDICTS
from widemargin.judging.scores import measure
from widemargin.reporting.formats import Json

COLUMNS = {
    "rank": 0,  # significant digits; 0 for whole numbers
    "score_of": 4,
    "score_low": 4,
    "score_high": 4,
}
DRAWN = ("points", "trend")
BUDGET = 4_300_000  # characters for the tables of features
MEASURED = 500  # features that tell how many characters one takes


def payload(data: Json) -> Json:
    """Reduce the report's data to what the page draws.

    Where there are more features than a page can carry, the table lists those that
    some method ranks highest; the saved JSON has all of them.
    """
    listed = listed_features(data)
    return {
        "n_features": len(data["features"]["name"]),
        **_tables(data, listed),
        "best": best_method(data),
        "signal": data["signal"],
        "level": data["relevance"]["level"] if data["relevance"] else None,
        "leaks": data["leaks"]["features"] if data["leaks"] else [],
        "curve": _rounded(data["curve"]),
        "distributions": _named(data),
        "image": _image(data),
        "groups": _groups(data, set(listed)),
    }


def _tables(data: Json, listed: list[int]) -> Json:
    """What the page says of each of the listed features."""
    names = data["features"]["name"]
    return {
        "listed": listed,
        "names": [names[f] for f in listed],
        "methods": [_method(m, listed) for m in data["methods"]],
        "verdicts": _verdicts(data["verdicts"], listed),
        "works_with": _works_with(data.get("interactions"), listed),
        "columns": _columns(data["columns"], listed),
    }


def best_method(data: Json) -> int:
    """Number of the recommended method; the first if none is."""
    return next((i for i, m in enumerate(data["methods"]) if m["best"]), 0)


def kept_names(best: Json, names: list[str]) -> list[str]:
    """Names of the features that a method keeps, best first."""
    order = np.argsort(best["rank"], kind="stable").tolist()
    return [names[f] for f in order if best["selected"][f]]


def listed_features(data: Json) -> list[int]:
    """Features that the table lists: all, or as many as the budget allows."""
    d = len(data["features"]["name"])
    some = np.unique(np.linspace(0, d - 1, min(d, MEASURED)).astype(int)).tolist()
    allowed = max(100, int(BUDGET * len(some) / len(script_json(_tables(data, some)))))
    if d <= allowed:
        return list(range(d))
    best_rank = np.min([m["rank"] for m in data["methods"]], axis=0)
    return sorted(np.argsort(best_rank, kind="stable")[:allowed].tolist())


def script_json(value: Any) -> str:
    """JSON that may stand in a script element, whatever text is in it."""
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        plain = plain.replace(character, f"\\u{ord(character):04x}")
    return plain


def _method(method: Json, listed: list[int]) -> Json:
    chosen: Json = {"label": method["label"], "n_selected": method["n_selected"]}
    for column, digits in COLUMNS.items():
        values = method[column]
        if values is not None:
            chosen[column] = _short([values[f] for f in listed], digits)
    chosen["selected"] = "".join("01"[method["selected"][f]] for f in listed)
    return chosen


def _verdicts(found: Json | None, listed: list[int]) -> Json | None:
    """Verdicts as digits, and the reasons once each with their numbers."""
    if found is None:
        return None
    why = [reason(found, f) for f in listed]
    reasons = list(dict.fromkeys(why))
    number = {word: i for i, word in enumerate(reasons)}
    digits = {"q_value": 3, "frequency": 3, "auc": 5, "direction": 0}
    return {
        "names": VERDICTS,
        "verdict": "".join(str(VERDICTS.index(found["verdict"][f])) for f in listed),
        "reasons": reasons,
        "why": [number[word] for word in why],
        **{
            name: found[name] and _short([found[name][f] for f in listed], n)
            for name, n in digits.items()
        },
    }


def _works_with(found: Json | None, listed: list[int]) -> list[str] | None:
    if found is None or found["works_with"] is None:
        return None
    return [found["works_with"][f] for f in listed]


def reason(verdicts: Json, f: int) -> str:
    """What the table says beside a verdict, if that is not what all such have."""
    if verdicts["copy_of"][f] is not None:
        return f"of {verdicts['copy_of'][f]}"
    return "constant" if verdicts["why"][f] == "constant" else ""


def _short(value: Any, digits: int) -> Any:
    """A number, or numbers in lists, with so many digits; None stays None."""
    if isinstance(value, list):
        return [_short(one, digits) for one in value]
    if value is None or isinstance(value, int):
        return value
    rounded = float(f"{value:.{digits}g}") if digits else round(value)
    return int(rounded) if rounded == int(rounded) else rounded


def _columns(found: Json | None, listed: list[int]) -> Json | None:
    """The overview of the listed columns; a list that says nothing is None."""
    if found is None:
        return None
    short: Json = {name: [values[f] for f in listed] for name, values in found.items()}
    for name in ("low", "high"):
        short[name] = _short(short[name], 4)
    kinds = list(dict.fromkeys(short["kind"]))
    short["kinds"] = kinds
    short["kind"] = [kinds.index(kind) for kind in short["kind"]]
    for name in ("missing", "values"):
        if not any(short[name]):
            short[name] = None
    return short


def _groups(data: Json, listed: set[int]) -> list[Json]:
    """Groups of redundant features by number, the best representative's first.

    Names of features that the table does not list come along.
    """
    names = data["features"]["name"]
    return [
        {
            "features": group["features"],
            "similarity": _short(group["similarity"], 3),
            "names": {f: names[f] for f in group["features"] if f not in listed},
        }
        for group in ranked_groups(data)
    ]


def ranked_groups(data: Json) -> list[Json]:
    """Groups of redundant features, the one with the best representative first."""
    if data["redundancy"] is None:
        return []
    rank = data["methods"][best_method(data)]["rank"]
    return sorted(data["redundancy"]["groups"], key=lambda g: rank[g["features"][0]])


def _rounded(curve: Json | None) -> Json | None:
    if curve is None:
        return None
    lines = [
        {**line, "mean": _short(line["mean"], 5), "stderr": _short(line["stderr"], 3)}
        for line in curve["lines"]
    ]
    read = measure(curve["scoring"])
    return {**curve, "name": read.name, "share": read.share, "lines": lines}


def _named(data: Json) -> Json | None:
    """The distributions, each with the name and rank of its feature."""
    found = data["distributions"]
    if found is None:
        return None
    names = data["features"]["name"]
    rank = data["methods"][best_method(data)]["rank"]
    # Points with as many digits as a drawing shows.
    features = [
        {name: _short(v, 4) if name in DRAWN else v for name, v in look.items()}
        | {"name": names[look["feature"]], "rank": rank[look["feature"]]}
        for look in found["features"]
    ]
    return {**found, "features": features}


def _image(data: Json) -> Json | None:
    """Per method and channel a text of digits: 0 for nothing, 9 for the best pixel.

    Pixels come row by row, whatever the order of the features; ``features`` has their
    numbers in that order, channel after channel, if it is another.
    """
    if data["image"] is None:
        return None
    rows, columns, *channels = data["image"]["shape"]
    order = data["image"].get("order", "C")
    shape = (rows, columns, (*channels, 1)[0])
    places = np.arange(len(data["features"]["name"])).reshape(shape, order=order)
    planes = places.reshape(rows * columns, -1).T
    maps, tops = [], []
    for method in data["methods"]:
        scores = np.array(method["score_of"], float)
        scores = np.clip(np.nan_to_num(scores, nan=0.0), 0, None)
        levels = np.round(9 * scores / (scores.max() or 1.0)).astype(int)
        maps.append(["".join(map(str, levels[plane].tolist())) for plane in planes])
        tops.append(_short(float(scores.max()), 4))
    return {
        "rows": rows,
        "columns": columns,
        "channels": shape[2],
        "features": planes.tolist() if order == "F" else None,
        "maps": maps,
        "tops": tops,
    }
