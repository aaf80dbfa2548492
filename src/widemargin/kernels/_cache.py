"""How compiled code is kept on disk.

Numba's private names for its cache, which may move or go in any release, are imported
here only; `tests/test_private_names.py` checks it.

Compiled code is kept where Numba keeps it: in ``NUMBA_CACHE_DIR`` if that is set,
beside the source, or in the user's cache folder. Five things are different here:

- Numba asks whether the file of a function has changed, not whether what it calls has.
  Here, code is kept under a digest of all source files in the function's folder and in
  this one.
- What lies beside the source is read also by those who cannot write there: compiled
  once when a container is built, it serves whoever runs it.
- If none of these can be written to, a folder for temporary files that belongs to the
  user alone takes their place, and if there is none either, nothing is kept.
- A file that cannot be read, or that holds anything else than what was asked for, is
  compiled again. It may be cut short, or two processes may have written at once.
- A file that cannot be written (the disk is full) costs time later on, and not the fit.
"""

import hashlib
import os
import pickle
import stat
import tempfile
import warnings
import weakref
from contextlib import suppress
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from numba import njit
from numba.core import caching
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    NullCache,
    _Cache,
)
from numba.core.serialize import dumps

# Until Numba 0.61 their names have an underscore.
_old = not hasattr(caching, "UserWideCacheLocator")
UserWideCacheLocator = getattr(caching, "_" * _old + "UserWideCacheLocator")
InTreeCacheLocator = getattr(caching, "_" * _old + "InTreeCacheLocator")

__all__ = ["cache_counts", "cache_place", "cached_njit"]

_functions = weakref.WeakSet()  # all that have a cache


def cached_njit(function=None, **options):
    """`numba.njit` with a cache on disk that never fails a call."""
    if function is None:
        return partial(cached_njit, **options)
    compiled = njit(**options)(function)
    if hasattr(compiled, "enable_caching"):  # not under NUMBA_DISABLE_JIT
        compiled._cache = _PatientCache(function, _digest_of_sources(function))
        _functions.add(compiled)
    return compiled


def _digest_of_sources(function):
    """Digest of the Python files in a function's folder and in this, as they are now.

    None if there is no such folder.
    """
    try:
        folders = {Path(function.__code__.co_filename).parent, Path(__file__).parent}
        files = sorted(f for folder in folders for f in folder.glob("*.py"))
        states = tuple((f.stat().st_mtime_ns, f.stat().st_size) for f in files)
        return _digest(tuple(files), states)
    except OSError:
        return None


@lru_cache(maxsize=8)
def _digest(files, states):
    """Digest of files, read again if one of their ``states`` is another."""
    digest = hashlib.sha256()
    for file in files:
        code = file.read_bytes()
        digest.update(f"{file.name} {len(code)} ".encode() + code)
    return digest.digest()


class _HomeFolder(UserWideCacheLocator):
    """The user's cache folder, if the user has a home."""

    def ensure_cache_path(self):
        # Without one, "~" remains: a folder of that name wherever the process happens
        # to be, where others may have put code for us to run.
        if not os.path.isabs(self.get_cache_path()):
            raise FileNotFoundError("the user has no home folder")
        super().ensure_cache_path()


class _TemporaryFolder(UserWideCacheLocator):
    """A folder for temporary files that nobody else can write to."""

    def __init__(self, py_func, py_file):
        super().__init__(py_func, py_file)
        subpath = self.get_suitable_cache_subpath(py_file)
        self._cache_path = str(_temporary_folder() / subpath)

    def ensure_cache_path(self):
        private_folder(_temporary_folder())
        super().ensure_cache_path()

    @classmethod
    def from_function(cls, py_func, py_file):
        try:
            return super().from_function(py_func, py_file)
        except OSError:  # there is no folder for temporary files
            return None


def _temporary_folder():
    user = os.geteuid() if hasattr(os, "geteuid") else "user"
    return Path(tempfile.gettempdir()) / f"widemargin-{user}"


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


class _Place(CompileResultCacheImpl):
    """Where a function's code is kept."""

    _locator_classes = [
        *(
            _HomeFolder if locator is UserWideCacheLocator else locator
            for locator in CompileResultCacheImpl._locator_classes
        ),
        _TemporaryFolder,
    ]


class _BesideSource(InTreeCacheLocator):
    """The folder of the source, for reading."""

    def ensure_cache_path(self):
        """Make nothing."""


class _PlaceBesideSource(CompileResultCacheImpl):
    _locator_classes = [_BesideSource]


class _CheckedFile(IndexDataCacheFile):
    """Files that say what they hold.

    Numba writes first which file is to hold what, and then the file. Whoever reads in
    between, or after the second step has failed, gets what the file held before; and
    of two that write at once, one may find what the other has compiled.
    """

    def save(self, key, data):
        code = dumps(data)
        digest = hashlib.sha256(code).digest()
        super().save(key, (self._source_stamp, key, digest, code))

    def load(self, key):
        found = super().load(key)
        if found is None:
            return None
        stamp, known, digest, code = found
        if (stamp, known) != (self._source_stamp, key):
            return None
        if hashlib.sha256(code).digest() != digest:
            return None
        return pickle.loads(code)


class _KernelCache(FunctionCache):
    """A function's files in the first place that can be written to."""

    _impl_class = _Place

    def __init__(self, py_func, digest):
        super().__init__(py_func)
        stamp = digest or self._cache_file._source_stamp
        self._cache_file = _CheckedFile(
            self._cache_path, self._impl.filename_base, stamp
        )


class _InstalledCache(_KernelCache):
    """A function's files beside the source."""

    _impl_class = _PlaceBesideSource


class _PatientCache(_Cache):
    """A function's cache, looked for on the first call, whose faults only cost time."""

    def __init__(self, function, digest):
        self._function, self._digest = function, digest

    @cached_property
    def _cache(self):
        try:
            return _KernelCache(self._function, self._digest)
        except (OSError, RuntimeError) as error:  # the latter if there is no place
            _say_once(f"there is no folder for it ({error})")
            return NullCache()

    @cached_property
    def _installed(self):
        try:
            return _InstalledCache(self._function, self._digest)
        except (OSError, RuntimeError):  # the source is not in a folder
            return NullCache()

    @property
    def cache_path(self):
        return self._cache.cache_path

    def load_overload(self, sig, target_context):
        return _load(self._cache, sig, target_context) or _load(
            self._installed, sig, target_context
        )

    def save_overload(self, sig, data):
        try:
            try:
                self._cache.save_overload(sig, data)
            except OSError:
                raise
            except Exception:  # the list of what is there cannot be read
                self._cache.flush()
                self._cache.save_overload(sig, data)
        except OSError as error:
            _say_once(
                f"writing to {self.cache_path} failed ({error.strerror or error})"
            )

    def enable(self):
        self._cache.enable()

    def disable(self):
        self._cache.disable()

    def flush(self):
        self._cache.flush()


def _load(cache, sig, target_context):
    try:
        return cache.load_overload(sig, target_context)
    except Exception:
        # Files that were cut short fail in as many ways as there are ways to read them.
        # What is compiled instead takes their place.
        return None


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
