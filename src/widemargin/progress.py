"""A progress bar on stderr for long work, with rich if it is installed.

A log, a pipe, or a terminal without rich gets plain lines instead: of work that
takes longer than ten seconds one after 10, 20, 40 … seconds, with the time left.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from time import monotonic
from typing import Any, Protocol

FIRST_LINE = 10.0  # seconds of work before the first line in a log
ANNOUNCED = 5.0  # seconds from which work is announced in a log

_long_work_only: ContextVar[bool] = ContextVar("long_work_only", default=False)
_title: ContextVar[str] = ContextVar("title", default="")


class Advance(Protocol):
    """Reports that some steps are done, with a note on the results so far."""

    def __call__(self, steps: int = 1, note: str = "") -> None:
        """Add to the steps done."""


@contextmanager
def progress(
    label: str, total: int, verbose: int, *, summary: bool = True
) -> Iterator[Advance]:
    """Yield a function to call after one or more of ``total`` steps.

    Nothing is shown unless ``verbose`` is positive. Where stderr is not a terminal,
    work that takes long says so in plain lines, and one line is written at the end, if
    a ``summary`` is wanted.
    """
    if not verbose:
        yield lambda steps=1, note="": None
        return
    label = _title.get() or label
    if sys.stderr.isatty():
        try:
            from rich.console import Console
            from rich.progress import MofNCompleteColumn, Progress
        except ImportError:
            pass
        else:
            columns = *Progress.get_default_columns(), MofNCompleteColumn()
            console = Console(stderr=True)
            # Without a thread that refreshes it: starting and joining one takes locks
            # that Ctrl-C could leave locked (see `widemargin.threads`).
            with Progress(
                *columns, console=console, transient=True, auto_refresh=False
            ) as bar:
                yield _refreshing(bar, label, total)
            return
    line, done, one_at_a_time = "", 0, Lock()
    start = monotonic()
    next_line = start + FIRST_LINE

    def advance(steps: int = 1, note: str = "") -> None:
        nonlocal line, done, next_line
        with one_at_a_time:
            done += steps
            line = _joined(f"{label}: {done} of {total}", note)
            now = monotonic()
            if now >= next_line and done < total:
                # The first step may have had to compile, or to load, what others use.
                if done > 1:
                    left = about((now - start) * (total - done) / done)
                    line = f"{line}, {left} left"
                print(line, file=sys.stderr, flush=True)
                next_line = start + 2 * (now - start)

    yield advance
    if summary and not _long_work_only.get():
        print(line, file=sys.stderr)


@contextmanager
def titled(title: str) -> Iterator[None]:
    """Let a caller say what the work is for, in place of the label it gives itself."""
    token = _title.set(title)
    try:
        yield
    finally:
        _title.reset(token)


@contextmanager
def long_work_only() -> Iterator[None]:
    """In a log, let only work speak that takes long, and not at its end."""
    token = _long_work_only.set(True)
    try:
        yield
    finally:
        _long_work_only.reset(token)


def announce(what: str, seconds: float | None, verbose: int) -> None:
    """Say in a log what begins, unless it is over soon; a terminal has its bars.

    ``seconds`` is an estimate, None if there is none.
    """
    if not verbose or sys.stderr.isatty():
        return
    if seconds is None:
        print(what, file=sys.stderr, flush=True)
    elif seconds >= ANNOUNCED:
        print(f"{what}: {about(seconds)}", file=sys.stderr, flush=True)


def tell(text: str, verbose: int) -> None:
    """Show a line on a terminal, above a bar; a log does without."""
    if verbose and sys.stderr.isatty():
        # Names may have characters that a terminal obeys.
        safe = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
        print(safe, file=sys.stderr, flush=True)


def about(seconds: float) -> str:
    """A duration in words, as exact as an estimate should be.

    Examples
    --------
    >>> from widemargin.progress import about
    >>> about(0.2), about(40), about(130)
    ('about a second', 'about 40 seconds', 'about 2 minutes')
    """
    if seconds < 1.5:
        return "about a second"
    if seconds < 100:
        return f"about {seconds:.0f} seconds"
    if seconds < 6000:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {seconds / 3600:.0f} hours"


def _refreshing(bar: Any, label: str, total: int) -> Advance:
    """Add a task to a bar of rich, which is drawn ten times a second at most."""
    task, drawn = bar.add_task(label, total=total), 0.0
    bar.refresh()

    def advance(steps: int = 1, note: str = "") -> None:
        nonlocal drawn
        due = monotonic() - drawn >= 0.1
        if due:
            drawn = monotonic()
        bar.update(task, advance=steps, description=_joined(label, note), refresh=due)

    return advance


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)
