"""What every command that works on data has in common: notes, progress, faults."""

from __future__ import annotations

import gc
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.problem import Problem, listed
from widemargin.cli.terminal import message, printable, say
from widemargin.kernels import when_compiling
from widemargin.progress import long_work_only
from widemargin.settings import current

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

COMPILING = (
    "compiling for this machine, once; `widemargin warm` does it ahead for all methods"
)


class Session:
    """Notes to the user, kept for the JSON and shown once each on stderr.

    They are held back until it is sure that work begins: if it does not, the reason
    should stand alone.
    """

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.notes: list[str] = []
        self._held = True
        self._compiling = False
        self._console = _console(stderr=True)

    @property
    def verbose(self) -> int:
        """What to pass to selectors: a bar for people, a few lines for files."""
        return int(not self.quiet)

    def note(self, *texts: str) -> None:
        """Show notes, but none that was shown before."""
        for text in (" ".join(text.split()) for text in texts):
            if text not in self.notes:
                self.notes.append(text)
                if not self._held:
                    self._show(text)

    def begin(self) -> None:
        """Show the notes so far, and each of the next at once."""
        self._held = False
        for text in self.notes:
            self._show(text)

    def _show(self, text: str) -> None:
        if not self.quiet:
            # Rich knows which terminals have colours and who wants none.
            plain = self._console.no_color or not self._console.color_system
            head = "note:" if plain else click.style("note:", fg="yellow")
            say(text, head)

    def compiling(self) -> None:
        """Tell whoever watches, once, why the first fit takes longer."""
        if not self._compiling and sys.stderr.isatty():
            self._compiling = True
            self._show(COMPILING)

    def reading(self, path: str) -> AbstractContextManager[Any]:
        """Show on a terminal that a file is being read, and in a log if it is large."""
        if not sys.stderr.isatty():
            size = Path(path).stat().st_size if Path(path).is_file() else 0
            if size >= current().announced_file_bytes and not self.quiet:
                say(f"reading {path} ({size / 1e6:.0f} MB)")
        return self.status(f"reading {path}")

    def status(self, text: str) -> AbstractContextManager[Any]:
        """Show on a terminal that something goes on."""
        if self.quiet or not sys.stderr.isatty():
            return nullcontext()
        from rich.text import Text  # which has no markup

        return self._console.status(Text(message(text)))


@contextmanager
def session(quiet: bool) -> Iterator[Session]:
    """Turn warnings into notes."""
    current = Session(quiet)

    def show(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
        # scikit-learn says the latter when threads have changed its warning filters.
        idle = issubclass(category, (DeprecationWarning, FutureWarning))
        if not idle and "sklearn.utils.parallel" not in str(message):
            # The user has not named it.
            current.note(str(message).removeprefix("AutoSelector: "))

    with warnings.catch_warnings(), long_work_only():
        warnings.simplefilter("default")
        warnings.showwarning = show
        yield current


@contextmanager
def working(notes: Session | None = None) -> Iterator[None]:
    """What the library says against the data, or the parameters, is for the user."""
    if not gc.isenabled():  # while everything was imported, see `main`
        gc.freeze()
        gc.enable()
    when_compiling(None if notes is None else notes.compiling)
    try:
        yield
    except ValueError as error:
        raise Problem(str(error)) from error
    except MemoryError:
        raise Problem("there is not enough memory; try --sample.") from None


@contextmanager
def faults(name: str) -> Iterator[None]:
    """Turn what goes wrong with a file on Dask, or with a cluster, into one line."""
    try:
        with working():
            yield
    except OSError as error:
        reason = error.strerror or error
        raise Problem(f"{name} cannot be read: {reason}.") from None
    except RuntimeError as error:
        if type(error) is not RuntimeError:
            raise
        raise Problem(str(error)) from None  # a cluster that went away
    except Problem as problem:
        if not str(problem).startswith("Mismatched dtypes"):
            raise
        # Columns of a text whose first rows are numbers, and others are not.
        table = re.findall(
            r"^\| (.*?) +\| \S+ +\| \S+ +\|$", str(problem), re.MULTILINE
        )
        raise Problem(
            f"{name} has numbers in its first rows but not in all rows of "
            f"{listed(table[1:], 20)}; drop such columns (--drop), or name the markers "
            "of missing values (--missing)."
        ) from None


def stdout() -> Console:
    """Where results are printed: plain and 80 columns wide unless a terminal."""
    return _console(stderr=False)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    class SafeConsole(Console):
        """Escapes text, and leaves a pipe that nobody reads to the command group."""

        def render_str(self, text: str, **how: Any) -> Text:
            return super().render_str(printable(text), **how)

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return SafeConsole(stderr=stderr, highlight=False, markup=False, emoji=False)


def plain_table(*titles: str) -> Table:
    """A table without lines.

    Columns of text are folded; those with a title such as ">q" have numbers, aligned to
    the right, and these and those with a title such as "=selected" are never folded.
    """
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for title in titles:
        table.add_column(
            title.lstrip(">="),
            justify="right" if title.startswith(">") else "left",
            no_wrap=title.startswith((">", "=")),
            overflow="ellipsis" if title.startswith((">", "=")) else "fold",
        )
    return table


def print_table(console: Console, table: Table) -> None:
    """Print a table; outside a terminal its lines do not end in blanks."""
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    console.print("\n".join(lines), soft_wrap=True)


def aligned(largest: float) -> Callable[[float], str]:
    """One number of decimals for a column, four digits for its largest value."""
    if not 1e-4 <= largest < 1e6:
        return lambda value: f"{value:.4g}"
    places = max(0, 3 - floor(log10(largest)))
    # Adding zero makes one of a negative zero.
    return lambda value: f"{round(value, places) + 0.0:.{places}f}"
