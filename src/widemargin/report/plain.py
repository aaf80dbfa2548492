"""Plain values, as JSON has them, from whatever NumPy and pandas hold."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np


def number(value: Any) -> float | int | None:
    """A plain number; None for what is missing, infinite or not a number."""
    if value is None:
        return None
    plain = value.item() if hasattr(value, "item") else value
    return plain if math.isfinite(plain) else None


def numbers(values: Iterable[Any] | None) -> list[float | int | None] | None:
    """A list of plain numbers; None stays None."""
    return None if values is None else [number(v) for v in np.asarray(values).tolist()]


def text(value: Any) -> str:
    """Text that UTF-8 can hold: a lone surrogate in a name becomes a question mark."""
    return str(value).encode("utf-8", "replace").decode("utf-8")


def optional_text(value: Any) -> str | None:
    """The same, but None stays None."""
    return None if value is None else text(value)
