"""Guards against files that are damaged, or larger than memory allows.

A few megabytes may unpack to many gigabytes, a header may claim any size, and what a
library raises at damaged bytes is nowhere documented. Readers ask here before they
allocate, and call other libraries within `problem_if_unreadable`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from widemargin.cli.problem import Problem
from widemargin.memory import VARIABLE, available, in_words

SHARE = 0.5  # of the available memory; the table is copied at least once
UNKNOWN = 2**33  # bytes, where the system does not say what it has
LONGEST_REASON = 200  # characters
PATIENCE = 60.0  # seconds for a library to look at a file, and one for each megabyte
BY_PARTS = " --engine dask reads CSV and Parquet part by part."


def memory_limit() -> int:
    """Bytes that a file may take: half of what is available.

    Raises
    ------
    Problem
        If the environment sets the available memory to something that is not a size.
    """
    try:
        there = available()
    except ValueError as error:
        raise Problem(str(error)) from None
    return int(SHARE * (UNKNOWN if there is None else there))


def check_room(name: str, needed: int, hint: str = "") -> None:
    """Refuse a file that needs more memory than it may take."""
    if needed > memory_limit():
        what = f"needs {in_words(needed)} of memory, which is more than"
        raise too_large(name, what, hint)


def too_large(name: str, what: str, hint: str = "") -> Problem:
    """Say what is too much, what is allowed, and how to allow more."""
    limit = in_words(memory_limit())
    if os.environ.get(VARIABLE):
        return Problem(f"{name} {what} {limit}, half of what {VARIABLE} allows.{hint}")
    return Problem(
        f"{name} {what} {limit}, half of the memory that is available.{hint} "
        f"{VARIABLE}=64G, for example, raises the limit."
    )


@contextmanager
def problem_if_unreadable(sentence: str) -> Iterator[None]:
    """Turn every exception into a `Problem`: the sentence and the reason."""
    try:
        yield
    except Problem:
        raise
    except MemoryError:
        raise Problem(f"{sentence}: it needs more memory than there is.") from None
    except Exception as error:
        raise Problem(f"{sentence}: {_reason(error)}.") from None


def _reason(error: Exception) -> str:
    """First line of an exception's message, without a full stop at the end."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = lines[0].rstrip(".:") if lines else ""
    # Some quote the content, however long that is.
    said = said if len(said) <= LONGEST_REASON else f"{said[:LONGEST_REASON]}…"
    # The message of a KeyError is the key, and some errors have none.
    bare = isinstance(error, KeyError) or not any(c.isalpha() for c in said)
    return f"{type(error).__name__} {said}".strip() if bare else said


def probe(library: str, code: str, data: bytes, patience: float = PATIENCE) -> None:
    """Refuse bytes at which a library crashes or hangs.

    Another process runs the code, which reads the bytes from its standard input.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=data,
            capture_output=True,
            timeout=patience + len(data) / 1e6,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ValueError(f"{library} does not come to an end") from None
    if done.returncode not in (0, 1):  # 1 for an exception
        raise ValueError(f"{library} crashes")
