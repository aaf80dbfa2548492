"""What is wrong with the user's input, in one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from shlex import quote
from typing import Any

LIKE = 0.75  # similarity of a word and what may be meant: one letter of four differs


class Problem(Exception):
    """Something that the user can put right: shown as one line, exit code 2."""


def needs(package: str, what: str, extra: str) -> Problem:
    """Say which package is missing, for what, and the extra that installs it."""
    return Problem(
        f'{what} needs the package {package}: pip install "widemargin[{extra}]"'
    )


def require(module: str, what: str, extra: str) -> Any:
    """Import a module of an optional package, or say how to install it."""
    package = module.partition(".")[0]
    try:
        import_module(package)
        return import_module(module)
    except ImportError:
        raise needs(package, what, extra) from None


def listed(names: Iterable[object], most: int = 5) -> str:
    """Write names as 'a', 'b', 'c' and how many more."""
    names = list(names)
    shown = ", ".join(map(_short, names[:most]))
    more = len(names) - most
    return f"{shown} and {more} more" if more > 0 else shown


def _short(name: object, most: int = 60) -> str:
    text = str(name)
    return repr(text) if len(text) <= most else repr(f"{text[:most]}…")


def did_you_mean(word: str, known: Iterable[object]) -> str:
    """Suggest the known names that are most like a word; empty if none is."""
    lower = {str(name).lower(): str(name) for name in known}
    near = get_close_matches(word.lower(), lower, n=3, cutoff=LIKE)
    if not near:
        return ""
    *others, last = (repr(lower[name]) for name in near)
    either = f"{', '.join(others)} or {last}" if others else last
    return f" Did you mean {either}?"


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """A count with its noun."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def typed(text: str) -> str:
    """Text as an option that takes a list with commas has to be given it in a shell."""
    if "," in text or '"' in text:
        text = '"' + text.replace('"', '""') + '"'
    return quote(text)
