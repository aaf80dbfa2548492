"""Results as plain JSON, without what depends on the day, the machine or the clock."""

from __future__ import annotations

import hashlib
import math
import os
import re
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

import widemargin

MOST = 16  # numbers of an array that are kept one by one
DEEPEST = 7
# Attributes and keys that are not results, or depend on when and where it was made.
LEFT_OUT = {"X", "y", "created", "versions", "version", "evidence"}


def attempt(call: Callable[[], Any]) -> Any:
    """What a call returns, or its error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = {"value": plain(call())}
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {scrubbed(str(error))}"}
    said = {f"{w.category.__name__}: {scrubbed(str(w.message))}" for w in caught}
    if said:
        found["warnings"] = sorted(said)
    return found


def scrubbed(text: str) -> str:
    """Text without folders of this machine, versions, addresses and dates."""
    here = {os.getcwd(), tempfile.gettempdir(), str(Path(__file__).parents[2])}
    for folder in sorted(here, key=len, reverse=True):
        text = text.replace(folder, "<folder>")
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "<address>", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.+:Z]*", "<moment>", text)
    text = re.sub(r"\{('[^{}]*')\}", in_order, text)  # sets have no order
    return text.replace(widemargin.__version__, "<version>")


def in_order(found: re.Match[str]) -> str:
    """A set in text, sorted."""
    return "{" + ", ".join(sorted(found[1].split(", "))) + "}"


def plain(value: Any, depth: int = 0) -> Any:
    """Any result as JSON."""
    if depth > DEEPEST:
        return f"<{type(value).__name__}>"
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return scrubbed(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else repr(float(value))
    if isinstance(value, np.generic):
        return plain(value.item(), depth)
    if isinstance(value, np.ndarray):
        return array(value, depth)
    if isinstance(value, pd.DataFrame):
        return frame(value, depth)
    if isinstance(value, pd.Series | pd.Index):
        return array(value.to_numpy(), depth)
    if isinstance(value, BaseEstimator):
        return scrubbed(" ".join(repr(value).split()))
    return compound(value, depth + 1)


def compound(value: Any, depth: int) -> Any:
    """What has parts: dicts, lists, results of the evaluation tools."""
    if isinstance(value, dict):
        return {
            str(key): plain(part, depth)
            for key, part in value.items()
            if key not in LEFT_OUT
        }
    if hasattr(value, "_asdict"):
        return plain(value._asdict(), depth)
    if isinstance(value, list | tuple):
        return sequence(value, depth)
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if callable(value) or not type(value).__module__.startswith("widemargin"):
        return f"<{type(value).__name__}>"
    return {"type": type(value).__name__, **attributes(value, depth)}


def sequence(values: Any, depth: int) -> Any:
    """A list; a long one of numbers as an array is kept."""
    if len(values) > MOST and {type(v) for v in values} <= {int, float, bool}:
        return {"list": array(np.array(values), depth)}
    return [plain(v, depth) for v in values]


def attributes(value: Any, depth: int = 0, ending: str = "") -> dict[str, Any]:
    """Public attributes that are not methods, properties among them."""
    found = {}
    for name in dir(value):
        if name.startswith("_") or not name.endswith(ending) or name in LEFT_OUT:
            continue
        try:
            part = getattr(value, name)
        except Exception as error:
            part = f"{type(error).__name__}: {error}"
        if not callable(part) or isinstance(part, BaseEstimator):
            found[name] = plain(part, depth)
    return found


def array(values: np.ndarray, depth: int = 0) -> dict[str, Any]:
    """All numbers of a short array; of a long one, what tells it from others."""
    kind = f"{values.dtype}{list(values.shape) if values.ndim != 1 else ''}"
    flat = values.ravel()
    if values.dtype.kind not in "biuf":
        kind = "text" if values.dtype.kind in "UT" else kind
        return {kind: long_text([plain(v, depth + 1) for v in flat.tolist()])}
    if len(flat) <= MOST:
        return {kind: [plain(v) for v in flat.tolist()]}
    numbers = np.nan_to_num(flat.astype(float), nan=-7.0, posinf=1e9, neginf=-1e9)
    waves = np.cos(np.outer([1.0, 2.7], np.arange(len(flat)) + 0.5))
    return {
        kind: [f"{len(flat)} numbers", *plain((waves @ numbers).tolist())],
        "first": plain(flat[:3].tolist()),
        "digest": digest(np.ascontiguousarray(flat).tobytes()),
    }


def frame(table: pd.DataFrame, depth: int) -> dict[str, Any]:
    """A frame column by column."""
    columns = {
        str(name): array(np.asarray(table.iloc[:, j]), depth)
        for j, name in enumerate(table.columns)
    }
    if len(columns) < table.shape[1]:
        columns["all names"] = [str(name) for name in table.columns]
    index = table.index
    if not isinstance(index, pd.RangeIndex):
        columns["index"] = plain(index, depth)
    return {"frame": columns, "rows": len(table)}


def long_text(values: list[Any]) -> Any:
    """A list of anything; what is very long, as its beginning and a digest."""
    if len(values) <= 3 * MOST:
        return values
    whole = digest(repr(values).encode())
    return [f"{len(values)} values", *values[:5], whole]


def digest(data: bytes) -> str:
    """A few letters that stand for bytes."""
    return hashlib.sha256(data).hexdigest()[:12]
