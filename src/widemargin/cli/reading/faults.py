"""What libraries raise at a damaged file, as one line for the user."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from widemargin.cli.problem import Problem

MOST = 200  # letters of a reason
PATIENCE = 60.0  # seconds for a library to look at a file, and one for each megabyte


@contextmanager
def problem_if_unreadable(sentence: str) -> Iterator[None]:
    """Turn every exception in here into a `Problem`: the sentence and the reason.

    For calls of other libraries on bytes that may be anything: what they raise then is
    nowhere said and has no common type.
    """
    try:
        yield
    except Problem:
        raise
    except MemoryError:
        raise Problem(f"{sentence}: it needs more memory than there is.") from None
    except Exception as error:
        raise Problem(f"{sentence}: {reason(error)}.") from None


def reason(error: BaseException) -> str:
    """What an exception says in its first line, without a point at the end."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = lines[0].rstrip(".:") if lines else ""
    # Some quote what they found, however long that is.
    said = said if len(said) <= MOST else f"{said[:MOST]}…"
    # The message of a KeyError is the key, and some errors have none.
    bare = isinstance(error, KeyError) or not any(c.isalpha() for c in said)
    return f"{type(error).__name__} {said}".strip() if bare else said


def probe(library: str, code: str, data: bytes) -> None:
    """Refuse bytes at which a library ends the process, or never ends.

    Another process runs the code, which finds the bytes at its standard input.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=data,
            capture_output=True,
            timeout=PATIENCE + len(data) / 1e6,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ValueError(f"{library} does not come to an end") from None
    if done.returncode not in (0, 1):  # 1 for an exception
        raise ValueError(f"{library} crashes")
