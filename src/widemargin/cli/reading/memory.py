"""How much a file may take in memory: a share of what there is.

A few megabytes may unpack to many gigabytes, and a header may claim any size. Readers
ask here before they allocate.
"""

from __future__ import annotations

import os

from widemargin.cli.problem import Problem
from widemargin.memory import VARIABLE, available, in_words

SHARE = 0.5  # of the available memory; the table is copied at least once
UNKNOWN = 2**33  # bytes, where the system does not say what it has


def memory_limit() -> int:
    """Bytes that a file may take: half of what is available.

    Raises
    ------
    Problem
        If the environment says how much that is, and it is not a size.
    """
    try:
        found = available()
    except ValueError as error:
        raise Problem(str(error)) from None
    return int(SHARE * (UNKNOWN if found is None else found))


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
