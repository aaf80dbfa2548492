"""The files of compiled code: where they are, and whether they are still good.

There is one file for each function and types of its arguments. It is kept in the first
of these folders that can be written to: the one that ``NUMBA_CACHE_DIR`` names, beside
the source, the user's folder for caches, and a temporary folder that belongs to the
user alone. What lies beside the source is read also by those who cannot write there:
compiled once when a container is built, it serves whoever runs it.

Numba's own cache asks whether the file of a function has changed, not whether what it
calls has. Here a file begins with a digest of all sources in the function's folder and
in this one, of what the file is for, and of the code. If it does not agree, for one of
these is another or the file is damaged, the function is compiled again. A file that
cannot be read or written (the disk is full) costs time, and not the fit.
"""

import hashlib
import os
import stat
import sys
import tempfile
import uuid
import warnings
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from numba import config


def read_file(file):
    """The digest that a file begins with, and the code."""
    data = file.read_bytes()
    return data[:32], data[32:]


def write_file(file, data):
    """Write a file that others may read or write at the same time."""
    part = file.with_name(f"{file.name}.{uuid.uuid4().hex}")
    try:
        part.write_bytes(data)
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        # On Windows, a file that is being read cannot be replaced; then it is as good.
        if not (os.name == "nt" and isinstance(error, PermissionError)):
            raise


def digest_of_sources(folder):
    """Digest of the Python files in a folder and in this one, as they are now."""
    folders = {folder, Path(__file__).parent}
    files = sorted(f for folder in folders for f in folder.glob("*.py"))
    states = tuple((f.stat().st_mtime_ns, f.stat().st_size) for f in files)
    return _digest(tuple(files), states)


@lru_cache(maxsize=8)
def _digest(files, states):
    """Digest of files, read again if one of their ``states`` is another."""
    digest = hashlib.sha256()
    for file in files:
        code = file.read_bytes()
        digest.update(f"{file.name} {len(code)} ".encode() + code)
    return digest.digest()


@lru_cache
def folder_for(beside):
    """The first folder that can be written to, None if there is none."""
    reason = "there is no folder for it that can be written to"
    try:
        for folder in _folders(beside):
            with suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True)
                tempfile.TemporaryFile(dir=folder).close()
                return folder
    except OSError as error:  # there is no temporary one that is safe to use
        reason = f"there is no folder for it ({error})"
    say_once(reason)
    return None


def _folders(beside):
    """Where to keep compiled code, the best place first."""
    own = hashlib.sha256(str(beside).encode()).hexdigest()[:16]
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR) / own
    yield beside
    user = Path(os.path.expanduser(_USER_FOLDER))
    # If the user has no home, "~" remains: a folder of that name wherever the process
    # happens to be, where others may have put code for us to run.
    if user.is_absolute():
        yield user / "widemargin" / own
    number = os.geteuid() if hasattr(os, "geteuid") else "user"
    temporary = Path(tempfile.gettempdir()) / f"widemargin-{number}"
    private_folder(temporary)
    yield temporary / own


_USER_FOLDER = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
if sys.platform == "win32":
    _USER_FOLDER = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
elif sys.platform == "darwin":
    _USER_FOLDER = "~/Library/Caches"


def private_folder(path):
    """Make a folder of our own, or make sure that it is; else raise PermissionError.

    Code that is found there will be run, and everybody can make a folder of any name
    among the temporary files. So it has to be a folder (a link could be turned to
    another place later), ours, closed to others, and in one that others cannot take it
    from.
    """
    if not hasattr(os, "geteuid"):
        raise PermissionError("this system does not tell whose folder it is")
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    me, found, around = os.geteuid(), path.lstat(), path.parent.stat()
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == me
    closed = not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    writable = around.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    fixed = around.st_uid in (0, me) and (not writable or around.st_mode & stat.S_ISVTX)
    if not (ours and closed and fixed):
        raise PermissionError(f"{path} is not a private folder of this user")


_fault = None


def say_once(reason):
    """Warn that compiled code is not kept, the first time only."""
    global _fault
    if _fault is None:
        _fault = reason
        warnings.warn(
            f"widemargin cannot cache its compiled code: {reason}. The results are the "
            "same, but every new process compiles again. Set NUMBA_CACHE_DIR to a "
            "writable folder.",
            stacklevel=2,
        )


def fault():
    """What went wrong, if something did."""
    return _fault
