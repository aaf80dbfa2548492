"""Warnings that point at the caller's line, however deep in the package they arise."""

from __future__ import annotations

import sys
import warnings

_OURS = ("widemargin", "sklearn.base", "contextlib")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn about something that the caller's line brought about."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and str(frame.f_globals.get("__name__")).startswith(_OURS):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
