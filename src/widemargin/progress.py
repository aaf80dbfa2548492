"""A progress bar on stderr for long work, with rich if it is installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Any, Protocol


class Advance(Protocol):
    """Says that some steps are done, and what is known by now."""

    def __call__(self, steps: int = 1, note: str = "") -> None:
        """Add to the steps done."""


@contextmanager
def progress(
    label: str, total: int, verbose: int, *, summary: bool = True
) -> Iterator[Advance]:
    """Yield a function to call after one or more of ``total`` steps.

    Nothing is shown unless ``verbose`` is positive. Where stderr is not a terminal, one
    line is written at the end, if a ``summary`` is wanted.
    """
    terminal = sys.stderr.isatty()
    if not verbose or not (terminal or summary):
        yield lambda steps=1, note="": None
        return
    if terminal:
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

    def advance(steps: int = 1, note: str = "") -> None:
        nonlocal line, done
        with one_at_a_time:
            done += steps
            line = _joined(f"{label}: {done} of {total}", note)
            if terminal:
                print(f"\r{line}", end="", file=sys.stderr, flush=True)

    yield advance
    print("" if terminal else line, file=sys.stderr)


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
