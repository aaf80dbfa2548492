"""How much memory there is, and a refusal before the work where it is too little.

What is available is the least of what the machine has left, what each control group
(a container, a batch job) has left, and what the process may still reserve. The
environment variable ``WIDEMARGIN_MEMORY``, in bytes or as in ``6G``, replaces it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

VARIABLE = "WIDEMARGIN_MEMORY"
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)


class NotEnoughMemoryError(ValueError, MemoryError):
    """The data are too large for the method in the memory that is available.

    It is a `ValueError`, too: nothing has been allocated yet, and other data, or
    another method, would do.
    """


def available(root: Path = Path("/")) -> int | None:
    """Bytes that may be taken, or None where the system does not say.

    ``root`` is where ``proc`` and ``sys`` are.
    """
    stated = os.environ.get(VARIABLE)
    if stated:
        return _amount(stated)
    free = [_of_machine(root), *_of_groups(root), _of_process(root)]
    return min((max(0, a) for a in free if a is not None), default=None)


def require(n_bytes: int, who: str, what: str, remedy: str) -> None:
    """Raise an error that says how much is needed if that is more than there is."""
    left = available()
    if left is not None and n_bytes > left:
        raise NotEnoughMemoryError(
            f"{who} needs about {in_words(n_bytes)} of memory for {what}, and "
            f"{in_words(left)} are available. {remedy}"
        )


def in_words(n_bytes: int) -> str:
    """A number of bytes as a person would say it."""
    amount, units = n_bytes / 2**10, ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        del units[0]
    return f"{amount:.1f} {units[0]}"


def _amount(text: str) -> int:
    match = AMOUNT.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f"{VARIABLE} must be a number of bytes, such as 6000000000 or 6G, got "
            f"{text!r}."
        )
    return int(float(match[1]) * UNITS[match[2].upper()])


def _of_machine(root: Path) -> int | None:
    """What programs can get without swapping; all memory where that is not counted."""
    fields = _fields(root / "proc/meminfo")
    if "MemAvailable:" in fields:
        return 1024 * fields["MemAvailable:"]
    for name in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):
        try:
            return os.sysconf(name) * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, OSError, ValueError):  # not on this system
            continue
    return None


def _of_groups(root: Path) -> Iterator[int | None]:
    """What is left to each control group that this process is in, of version 1 or 2."""
    mount = root / "sys/fs/cgroup"
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            names = "memory.limit_in_bytes", "memory.usage_in_bytes"
            yield from _left(mount / "memory", path, *names, "total_inactive_file")
        elif not controllers:
            names = "memory.max", "memory.current"
            yield from _left(mount, path, *names, "inactive_file")


def _left(
    mount: Path, path: str, limit: str, usage: str, cache: str
) -> Iterator[int | None]:
    """What is left to a group and to those around it, each of which has its limit.

    Inside a container the path may be the one outside, which is not there; the group
    of the container is then the outermost one.
    """
    group = mount / path.lstrip("/")
    while group.is_relative_to(mount):
        most, used = _number(group / limit), _number(group / usage)
        if most is not None and used is not None:
            # Files that were read and may be forgotten count as used.
            yield most - used + _fields(group / "memory.stat").get(cache, 0)
        group = group.parent


def _of_process(root: Path) -> int | None:
    """What is left of the address space, if that is limited (``ulimit -v``)."""
    try:
        import resource
    except ImportError:  # not on this system
        return None
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    reserved = next(iter(_lines(root / "proc/self/statm")), "").split()
    if most == resource.RLIM_INFINITY or not reserved:
        return None
    return most - int(reserved[0]) * resource.getpagesize()


def _lines(path: Path) -> list[str]:
    """Lines of a file; none if there is no such file, or it is not for us to read."""
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def _fields(path: Path) -> dict[str, int]:
    """Numbers by name, from lines of a name and a number."""
    words = [line.split() for line in _lines(path)]
    return {w[0]: int(w[1]) for w in words if len(w) > 1 and w[1].isdecimal()}


def _number(path: Path) -> int | None:
    """A file's number, or None if there is none, as for a limit that is "max"."""
    word = next(iter(_lines(path)), "").strip()
    return int(word) if word.isdecimal() else None
