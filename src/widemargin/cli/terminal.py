"""Text on its way to a terminal: without control characters, messages in one line.

Names, labels and cells come from files that anyone may have written, and a terminal
obeys what follows an escape character. Everything that a command prints goes through
`echo` or through the console of `session`, which escape it.
"""

from __future__ import annotations

import re
import sys

import click

MOST = 480  # letters of a message
# Control characters but tab and newline, marks that turn the direction of writing,
# separators of lines, and halves of a character.
UNSAFE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
    r"\ud800-\udfff]"
)


def printable(text: str) -> str:
    r"""Escape what a terminal would obey; lines and tabs stay.

    Examples
    --------
    >>> from widemargin.cli.terminal import printable
    >>> print(printable("a\x1b[2Jb\r\x9bc"))
    a\x1b[2Jb\r\x9bc
    """
    return UNSAFE.sub(_escaped, text)


def name_in_a_line(name: object) -> str:
    r"""Escape a name, its line breaks and tabs, too.

    Examples
    --------
    >>> from widemargin.cli.terminal import name_in_a_line
    >>> print(name_in_a_line("Age\n(years)"))
    Age\n(years)
    """
    return printable(re.sub(r"[\n\t]", _escaped, str(name)))


def message(text: str) -> str:
    """Text in one line of limited length: of a longer one, the middle is left out."""
    line = printable(" ".join(text.split()))
    if len(line) <= MOST:
        return line
    tail = MOST // 3
    return f"{line[: MOST - tail - 3]} … {line[-tail:]}"


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text, escaped, to stdout or stderr."""
    click.echo(printable(text), err=err, nl=nl)


def pour(data: str) -> None:
    """Print data to stdout: as they are, or escaped if that is a terminal."""
    # Not by click, which takes out of a pipe what would be colours on a terminal.
    sys.stdout.write(printable(data) if sys.stdout.isatty() else data)


def say(text: str, head: str = "") -> None:
    """Print a message to stderr, after a head that is ours and may have a colour."""
    click.echo(f"{head} {message(text)}" if head else message(text), err=True)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
