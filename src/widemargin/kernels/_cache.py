"""How compiled code is kept on disk.

Numba's private names for its cache, which may move or go in any release, are imported
here only; `tests/test_private_names.py` checks it.

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
import pickle
import stat
import sys
import tempfile
import uuid
import warnings
import weakref
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
from numba import njit
from numba.core import config
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.serialize import dumps

__all__ = ["cache_counts", "cache_place", "cached_njit", "jit_enabled"]

_functions = weakref.WeakSet()  # all that have a cache


@contextmanager
def jit_enabled():
    """Compile also under ``NUMBA_DISABLE_JIT``.

    Vectors, and code chosen by the types of arguments, are not there in plain Python.
    """
    with global_compiler_lock:
        disabled, config.DISABLE_JIT = config.DISABLE_JIT, 0
        try:
            yield
        finally:
            config.DISABLE_JIT = disabled


def cached_njit(function=None, **options):
    """`numba.njit` with a cache on disk that never fails a call.

    For functions of modules: what a closure holds is not looked at.
    """
    if function is None:
        return partial(cached_njit, **options)
    with jit_enabled():
        compiled = njit(**options)(function)
    source = Path(function.__code__.co_filename)
    if source.is_file():  # else it is in an archive
        compiled._cache = _Cache(function, source)
        _functions.add(compiled)
    return compiled


class _Cache(NullCache):
    """The files of one function."""

    def __init__(self, function, source):
        self._function = f"{source.stem}.{function.__qualname__}"
        self._beside = source.parent / "__pycache__"
        self._digest = _digest_of_sources(source.parent)

    @property
    def cache_path(self):
        folder = _folder(self._beside)
        return None if folder is None else str(folder)

    def load_overload(self, sig, target_context):
        target_context.refresh()
        name, key = self._name(sig, target_context.codegen())
        for folder in filter(None, (_folder(self._beside), self._beside)):
            with suppress(OSError):
                head, code = _read(folder / name)
                if head == self._head(key, code):
                    return CompileResult._rebuild(target_context, *pickle.loads(code))
        if _listener is not None:
            _listener()
        return None

    def save_overload(self, sig, data):
        folder = _folder(self._beside)
        # Dynamic globals are addresses in this process.
        if folder is None or data.library.has_dynamic_globals:
            return
        name, key = self._name(sig, data.codegen)
        code = dumps(data._reduce())
        try:
            _write(folder / name, self._head(key, code) + code)
        except OSError as error:
            _say_once(f"writing to {folder} failed ({error.strerror or error})")

    def _name(self, sig, codegen):
        """Name of the file for some types of arguments, and what it stands for."""
        versions = sys.implementation.cache_tag, numba.__version__, np.__version__
        key = repr((self._function, sig, versions, codegen.magic_tuple())).encode()
        return f"{self._function}-{hashlib.sha256(key).hexdigest()[:24]}.nbc", key

    def _head(self, key, code):
        return hashlib.sha256(self._digest + key + code).digest()


def _read(file):
    data = file.read_bytes()
    return data[:32], data[32:]


def _write(file, data):
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


def _digest_of_sources(folder):
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
def _folder(beside):
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
    _say_once(reason)
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


def _say_once(reason):
    global _fault
    if _fault is None:
        _fault = reason
        warnings.warn(
            f"widemargin cannot cache its compiled code: {reason}. The results are the "
            "same, but every new process compiles again. Set NUMBA_CACHE_DIR to a "
            "writable folder.",
            stacklevel=2,
        )


_listener = None


def when_compiling(listener):
    """Call a function each time that code is not in a cache and has to be compiled.

    Only one is kept; None keeps none.
    """
    global _listener
    _listener = listener


class Counts(NamedTuple):
    """Functions that this process has got, once for each type of arguments."""

    compiled: int
    loaded: int  # from a cache


def cache_counts():
    """Count what has been compiled and what was loaded."""
    stats = [function.stats for function in _functions]
    return Counts(
        sum(sum(s.cache_misses.values()) for s in stats),
        sum(sum(s.cache_hits.values()) for s in stats),
    )


def cache_place():
    """The folder that holds the caches of what was used, and what went wrong with them.

    Either may be None.
    """
    used = [f for f in _functions if f.stats.cache_misses or f.stats.cache_hits]
    places = {f.stats.cache_path for f in used} - {None}
    return (os.path.commonpath(places) if places else None), _fault
