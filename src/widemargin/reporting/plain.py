"""Plain values, as JSON has them, from whatever NumPy and pandas hold."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np


def number(value: Any, sign: int = 1) -> float | int | None:
    """A plain number, times a sign; None for what is missing or not finite."""
    if value is None:
        return None
    plain = value.item() if hasattr(value, "item") else value
    return sign * plain if math.isfinite(plain) else None


def numbers(
    values: Iterable[Any] | None, sign: int = 1
) -> list[float | int | None] | None:
    """A list of plain numbers; None stays None."""
    if values is None:
        return None
    return [number(v, sign) for v in np.asarray(values).tolist()]


def text(value: Any) -> str:
    """Text that UTF-8 can hold: a lone surrogate in a name becomes a question mark."""
    return str(value).encode("utf-8", "replace").decode("utf-8")


def optional_text(value: Any) -> str | None:
    """The same, but None stays None."""
    return None if value is None else text(value)
