"""How functions are compiled: the one set of flags, and kernels that Python calls.

Numba's private names, which may move or go in any release, are imported here only;
`tests/structure/test_private_names.py` checks it.
"""

import gc
import hashlib
import os
import pickle
import sys
import threading
import weakref
from _thread import allocate_lock, start_new_thread
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
from numba import njit, types
from numba.core import config
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.serialize import dumps
from numba.extending import overload

from widemargin import kernels
from widemargin.kernels._cache import (
    digest_of_sources,
    fault,
    folder_for,
    read_file,
    say_once,
    write_file,
)

__all__ = ["by_type", "cache_counts", "cache_place", "inner", "jit", "tiny"]

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


def cached_njit(function, **options):
    """`numba.njit` with a cache on disk that never fails a call.

    For functions of modules: what a closure holds is not looked at.
    """
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
        self._digest = digest_of_sources(source.parent)

    @property
    def cache_path(self):
        folder = folder_for(self._beside)
        return None if folder is None else str(folder)

    def load_overload(self, sig, target_context):
        target_context.refresh()
        name, key = self._name(sig, target_context.codegen())
        for folder in filter(None, (folder_for(self._beside), self._beside)):
            with suppress(OSError):
                head, code = read_file(folder / name)
                if head == self._head(key, code):
                    return CompileResult._rebuild(target_context, *pickle.loads(code))
        if kernels._listener is not None:
            kernels._listener()
        return None

    def save_overload(self, sig, data):
        folder = folder_for(self._beside)
        # Dynamic globals are addresses in this process.
        if folder is None or data.library.has_dynamic_globals:
            return
        name, key = self._name(sig, data.codegen)
        code = dumps(data._reduce())
        try:
            write_file(folder / name, self._head(key, code) + code)
        except OSError as error:
            say_once(f"writing to {folder} failed ({error.strerror or error})")

    def _name(self, sig, codegen):
        """Name of the file for some types of arguments, and what it stands for."""
        versions = sys.implementation.cache_tag, numba.__version__, np.__version__
        key = repr((self._function, sig, versions, codegen.magic_tuple())).encode()
        return f"{self._function}-{hashlib.sha256(key).hexdigest()[:24]}.nbc", key

    def _head(self, key, code):
        return hashlib.sha256(self._digest + key + code).digest()


# Reassociation lets reductions vectorise. nnan and ninf stay off: NaN and infinity
# keep their meaning everywhere.
_FLAGS = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "nsz"},
}
_compiled = partial(cached_njit, no_cfunc_wrapper=True, **_FLAGS)
# For what only other compiled code calls: no entry from Python saves compile time.
inner = partial(_compiled, no_cpython_wrapper=True)
# Pasted into the caller, which is then compiled: for a line or two, or where compiling
# more on its own would be repeated in the only caller.
tiny = partial(inner, inline="always")
# Code chosen by the types of its arguments; with an `if`, all kinds would be compiled.
by_type = partial(overload, jit_options={**_FLAGS, "no_cfunc_wrapper": True})


def jit(function):
    """Make a kernel: compiled code that Python calls.

    It returns a number or nothing. A NamedTuple is made by Python code, and where
    Ctrl-C interrupts that, Numba goes on with a null pointer.
    """
    kernel = _compiled(function)
    compile_for = kernel._compile_for_args

    def compile_checked(*args):
        with jit_enabled(), _no_garbage_collection():
            code = compile_for(*args)
        for signature in kernel.nopython_signatures:
            kind = signature.return_type
            if not isinstance(kind, types.Number | types.Boolean | types.NoneType):
                raise TypeError(
                    f"Kernel {function.__name__} returns {kind}; kernels return a "
                    "number or nothing. Hand in an array to write to."
                )
        return code

    kernel._compile_for_args = partial(_compile_aside, compile_checked)
    return kernel


@contextmanager
def _no_garbage_collection():
    """Do not look for garbage meanwhile.

    The compiler makes hundreds of thousands of objects that stay. Looking at them again
    and again takes a fifth of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _compile_aside(compile_for, *args):
    """Compile, or load from the cache, in a thread that signals do not reach.

    Python handles signals in the main thread. There, Ctrl-C could fall between two
    steps that Numba relies on to come together: between taking its compiler lock, for
    which other threads would then wait for ever, and noting that it has to release it.
    """
    if threading.current_thread() is not threading.main_thread():
        return compile_for(*args)
    outcome, ready = [], allocate_lock()
    ready.acquire()

    def work():
        try:
            result = compile_for(*args), None
        except BaseException as problem:
            result = None, problem
        outcome.append(result)
        ready.release()

    def wait():
        # What counts is the outcome; the lock only makes for a short wait.
        while not outcome:
            ready.acquire(timeout=0.1)

    start_new_thread(work, ())
    try:
        wait()
    except BaseException:
        # Python must not come to its end while code is being compiled.
        wait()
        raise
    ((code, problem),) = outcome
    if problem is not None:
        raise problem
    return code


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
    return (os.path.commonpath(places) if places else None), fault()
