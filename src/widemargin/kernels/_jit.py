"""How functions are compiled: the one set of flags, and kernels that Python calls."""

import gc
import threading
from _thread import allocate_lock, start_new_thread
from contextlib import contextmanager
from functools import partial

from numba import types
from numba.extending import overload

from widemargin.kernels._cache import cached_njit, jit_enabled

__all__ = ["by_type", "inner", "jit", "tiny"]

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
