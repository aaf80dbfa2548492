"""How much a file may take in memory: a share of what there is.

A few megabytes may unpack to many gigabytes, and a header may claim any size. Readers
ask here before they allocate.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from widemargin.cli.problem import Problem

VARIABLE = "WIDEMARGIN_MEMORY"  # sets the limit
SHARE = 0.5  # of the available memory; the table is copied at least once
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
UNKNOWN = 2**33  # bytes, where the system does not say what it has


def available_bytes() -> int:
    """Bytes of memory that are available to this process."""
    try:
        found = re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text())
    except OSError:
        found = None
    if found:
        return int(found[1]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return UNKNOWN


def memory_limit() -> int:
    """Bytes that a file may take: as the environment says, else half of what there is.

    Raises
    ------
    Problem
        If the environment says something that is not a size.
    """
    said = os.environ.get(VARIABLE)
    if not said:
        return int(SHARE * available_bytes())
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", said.strip(), re.I)
    if not found:
        raise Problem(f"{VARIABLE}={said} is not a size such as 8G or 500M.")
    return int(float(found[1]) * UNITS[found[2].upper()])


def check_room(name: str, needed: int, hint: str = "") -> None:
    """Refuse a file that needs more memory than it may take."""
    if needed > memory_limit():
        what = f"needs {in_words(needed)} of memory, which is more than"
        raise too_large(name, what, hint)


def too_large(name: str, what: str, hint: str = "") -> Problem:
    """Say what is too much, what is allowed, and how to allow more."""
    limit = in_words(memory_limit())
    if os.environ.get(VARIABLE):
        return Problem(f"{name} {what} {limit}, the limit set by {VARIABLE}.{hint}")
    return Problem(
        f"{name} {what} {limit}, half of the memory that is available.{hint} "
        f"{VARIABLE}=64G, for example, raises the limit."
    )


def in_words(size: int) -> str:
    """A number of bytes, as people say it."""
    amount, units = float(size), ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        del units[0]
    return f"{amount:.0f} {units[0]}" if amount >= 10 else f"{amount:.2g} {units[0]}"
