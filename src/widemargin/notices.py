"""Warnings that point at the caller's line, however deep in the package they arise."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_OURS = ("widemargin", "sklearn.base", "contextlib")


_muted: ContextVar[bool] = ContextVar("muted", default=False)


@contextmanager
def muted() -> Iterator[None]:
    """Say nothing in this thread: the caller hears it once, about the whole table."""
    token = _muted.set(True)
    try:
        yield
    finally:
        _muted.reset(token)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn about something that the caller's line brought about."""
    if _muted.get():
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back and str(frame.f_globals.get("__name__")).startswith(_OURS):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
