"""Bytes of a file or of stdin, decompressed."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path, PurePath

from widemargin.cli.problem import Problem
from widemargin.cli.reading.magic import ARRAY
from widemargin.cli.reading.memory import check_room
from widemargin.cli.reading.unpacking import PACKED, read_at_most, unpack

BY_PARTS = " --engine dask reads CSV and Parquet part by part."


@dataclass(frozen=True)
class File:
    """A file that has been read, or that can be mapped into memory."""

    name: str  # as the user calls it
    data: bytes  # the beginning, if it is mapped
    ending: str = ""  # of its format, in lower case
    mapped: bool = False

    @property
    def stem(self) -> str:
        """The name without folder and endings, to name other files after it."""
        name = PurePath(self.name).name
        return name.split(".")[0] or name


def matching(path: str) -> list[str]:
    """The file of that name, else the files that match it as a pattern.

    Looks at names only, so that a wrong one is told before anything is imported.
    """
    if path == "-" or os.path.lexists(path):
        return [path]
    if not has_magic(path):
        raise Problem(f"there is no file {path!r}.")
    found = sorted(name for name in glob(path, recursive=True) if Path(name).is_file())
    if not found:
        raise Problem(f"there is no file that matches {path!r}.")
    return found


def look(path: str) -> None:
    """Refuse, before anything is imported, what is not there or is a folder."""
    for name in matching(path):
        if Path(name).is_dir():
            raise _folder(name)


def _folder(path: str) -> Problem:
    pattern = str(Path(path) / "*.csv")
    return Problem(
        f"{path!r} is a folder; name a file, or the files in it as a pattern: "
        f"{pattern!r}."
    )


def load(path: str, *, mapped: bool = False) -> File:
    """Read and decompress a file; "-" is stdin.

    With ``mapped``, an array in NumPy's format is left where it is.
    """
    if path == "-":
        name = "stdin"
        try:
            data = read_at_most(sys.stdin.buffer, name, "holds")
        except OSError as error:  # it is closed, or a folder
            raise Problem(f"stdin cannot be read: {error.strerror}.") from None
    else:
        name = path
        try:
            with Path(path).open("rb") as file:
                if mapped and Path(path).is_file() and file.peek(6)[:6] == ARRAY:
                    return File(name, ARRAY, ".npy", mapped=True)
                if Path(path).is_file():
                    check_room(name, os.fstat(file.fileno()).st_size, BY_PARTS)
                    data = file.read()
                else:  # a pipe, whose size nobody knows
                    data = read_at_most(file, name, "holds")
        except FileNotFoundError:
            raise Problem(f"there is no file {path!r}.") from None
        except IsADirectoryError:
            raise _folder(path) from None
        except OSError as error:
            raise Problem(f"{path!r} cannot be read: {error.strerror}.") from None
    data, inner = unpack(name, data)
    if not data.strip():
        raise Problem(f"{name} is empty.")
    endings = [e.lower() for e in PurePath(inner).suffixes]
    while endings and endings[-1] in PACKED:
        endings.pop()
    return File(name, data, endings[-1] if endings else "")
