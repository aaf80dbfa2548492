"""A progress bar on stderr for long work, with rich if it is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(
    label: str, total: int, verbose: int, *, summary: bool = True
) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each of ``total`` steps.

    Nothing is shown unless ``verbose`` is positive. Where stderr is not a terminal, one
    line is written at the end, if a ``summary`` is wanted.
    """
    terminal = sys.stderr.isatty()
    if not verbose or not (terminal or summary):
        yield lambda: None
        return
    if not terminal:
        yield lambda: None
        print(f"{label}: {total} of {total}", file=sys.stderr)
        return
    try:
        from rich.progress import Progress
    except ImportError:
        done = 0

        def advance() -> None:
            nonlocal done
            done += 1
            print(f"\r{label}: {done} of {total}", end="", file=sys.stderr, flush=True)

        yield advance
        print(file=sys.stderr)
        return
    from rich.console import Console

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda: bar.advance(task)
