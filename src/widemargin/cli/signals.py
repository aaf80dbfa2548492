"""Requests to end, such as that of `kill`, lead to the same orderly end as Ctrl-C.

Files that are half written are removed, and threads are told to stop.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any

ENDING = ("SIGTERM", "SIGHUP")  # the latter when a terminal is closed

_received: list[int] = []


@contextmanager
def orderly_end() -> Iterator[None]:
    """Raise KeyboardInterrupt at a signal that asks the process to end."""
    if current_thread() is not main_thread():  # which alone may set handlers
        yield
        return
    before: dict[int, Any] = {}
    _received.clear()
    try:
        for name in ENDING:
            number = getattr(signal, name, None)
            # `nohup` has the latter ignored, and it shall stay so.
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, _end)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, frame: Any) -> None:
    _received.append(number)
    signal.signal(number, signal.SIG_IGN)  # the end has begun, and is not disturbed
    raise KeyboardInterrupt


def exit_code() -> int:
    """The code that a shell gives to a command that a signal has ended."""
    return 128 + (_received[0] if _received else signal.SIGINT)
