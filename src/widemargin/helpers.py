"""Helper threads, which Ctrl-C does not reach, and a limit of BLAS that they undo.

Why a lock serves as a destructor here
--------------------------------------
While our threads call BLAS, BLAS itself is to use one thread. That is a setting of the
whole process, so it must be put back, whatever happens in between. The usual

    limit()
    try: work()
    finally: restore()

does not do that. Python raises KeyboardInterrupt in the main thread between any two
bytecodes: after ``limit()`` and before ``try``, or inside ``restore()``. `contextlib`
and ``__exit__`` methods written in Python have the same gaps. And if the users of the
limit are counted under a lock, an interrupt between taking the lock and noting that it
has to be released leaves it locked, and every later fit hangs.

Two things have no gaps. Signals never interrupt other threads than the main thread, and
leaving a ``with`` block releases a lock of C code in one step, however the block ends.
So the main thread does nothing that has to be undone:

    main thread                              helper thread

    takes the lock of its block
    asks a helper for the limit  ─────────►  counts one more user, limits BLAS
    waits for the answer         ◄─────────  answers
    works                                    waits for the lock of the block
    leaves the block: lock is free  ──────►  gets it: one user less; after the last one,
                                             restores what was there before

That is `single_threaded_blas`: an `RLock` whose ``__enter__`` asks for the limit. The
lock has no other purpose than to tell the helper that the block is over.

What is promised: after any number of interrupts nothing hangs, and BLAS is restored
once the last block is left. The helper may take a moment for it. `wait_for_undoing`
makes a caller wait until it is done; an interrupt ends that wait, not the undoing.
Helpers that go on working after a second Ctrl-C keep the limit themselves (`kept`).

Helpers wait for tasks at one `SimpleQueue`. A task goes there only after an idle helper
was reserved for it (`deque.pop`) or a new one started, so it never waits for other
tasks to end. An interrupt in between leaves a helper too many, never too few. Tasks are
queued, and noted as queued, by one call to C code, which no signal divides.
"""

from __future__ import annotations

import os
from _thread import RLock, start_new_thread
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import repeat
from queue import SimpleQueue
from threading import Lock, local
from typing import Any

from threadpoolctl import ThreadpoolController

# What the caller waits for, of a thread: an entry for each limit in ``.to_undo``.
_current = local()


@cache
def _blas() -> list[Any]:
    """BLAS libraries of this process (looking them up takes milliseconds)."""
    # Numba calls BLAS through SciPy, so SciPy's must be loaded to be found.
    import scipy.linalg.cython_blas  # noqa: F401

    controllers: list[Any] = (
        ThreadpoolController().select(user_api="blas").lib_controllers
    )
    return controllers


def _set_blas_threads(numbers: Iterable[int]) -> None:
    """Set the number of threads of each library, from any thread.

    Since threadpoolctl 3.8, the public setter serves only the thread that used it
    first, and ignores all others. Here, users are counted, and do not get in each
    other's way.
    """
    for library, number in zip(_blas(), numbers, strict=True):
        set_threads = getattr(library, "_real_set_num_threads", None)
        (set_threads or library.set_num_threads)(number)


Task = tuple[Callable[[], None], Callable[[], None]]


class Helpers:
    """Threads of this process that wait for tasks.

    A task is a function to call, which raises nothing, and one that says that the
    helper is free again.
    """

    tasks: SimpleQueue[Task] = SimpleQueue()
    idle: deque[None] = deque()  # an entry for each helper that nobody has reserved

    @classmethod
    def call(cls, tasks: Sequence[Task], queued: list[None]) -> None:
        """Begin all tasks at once; ``queued`` grows by one for each."""
        for _ in tasks:
            try:
                cls.idle.pop()
            except IndexError:
                start_new_thread(cls._serve, ())
        # A loop in C code: no signal comes between a task and its note.
        queued.extend(map(cls.tasks.put, tasks))

    @classmethod
    def _serve(cls) -> None:
        tasks, idle = cls.tasks, cls.idle
        while True:
            work, end = tasks.get()
            work()
            idle.append(None)
            end()
            del work, end  # and all that they refer to

    @classmethod
    def forget(cls) -> None:
        """In a forked child, which has none of the threads."""
        cls.tasks, cls.idle = SimpleQueue(), deque()


def collect_undoing() -> list[SimpleQueue[None]]:
    """Note the limits of this thread in a new list from here on; returns the old one.

    It is to be handed to `wait_for_undoing`.
    """
    outer: list[SimpleQueue[None]] = getattr(_current, "to_undo", [])
    _current.to_undo = []
    return outer


def wait_for_undoing(outer: list[SimpleQueue[None]]) -> None:
    """Wait until the limits that were noted since are undone."""
    to_undo, _current.to_undo = _current.to_undo, outer
    for undone in to_undo:
        undone.get()


class single_threaded_blas(RLock):  # type: ignore[misc]  # not final at run time
    """Limit BLAS to one thread in the ``with`` block.

    Each of our threads calls BLAS for itself: BLAS's own threads would only compete.
    The limit holds for the whole process: the first of several blocks sets it, and what
    was there before is restored after the last one.

    Inside a block of `widemargin.threads.Workers`, that block does not end before BLAS
    is restored.
    """

    def __enter__(self) -> bool:  # type: ignore[override]
        """Return when BLAS is limited."""
        limited: SimpleQueue[BaseException | None] = SimpleQueue()
        undone: SimpleQueue[None] = SimpleQueue()
        self.acquire()
        try:
            work = partial(BlasLimit.hold, self, limited)
            Helpers.call([(work, partial(undone.put, None))], [])
            problem = limited.get()
            if problem is not None:
                raise problem
            getattr(_current, "to_undo", []).append(undone)
        except BaseException:
            self.release()
            raise
        return True


class BlasLimit:
    """How many want BLAS limited. Only helpers call this, so locks are safe."""

    changing = Lock()
    users = 0
    before: list[int] = []  # threads of each library

    @classmethod
    def hold(cls, block: RLock, limited: SimpleQueue[BaseException | None]) -> None:
        """Limit BLAS until ``block`` is free."""
        try:
            with cls.changing:
                if not cls.users:
                    cls.before = [library.get_num_threads() for library in _blas()]
                    _set_blas_threads(repeat(1, len(cls.before)))
                cls.users += 1
        except BaseException as problem:
            limited.put(problem)
            return
        limited.put(None)
        block.acquire()  # when it is free
        cls._end()

    @classmethod
    def _end(cls) -> None:
        with cls.changing:
            cls.users -= 1
            if not cls.users:
                _set_blas_threads(cls.before)

    @classmethod
    @contextmanager
    def kept(cls) -> Iterator[None]:
        """Keep a limit that is there until the ``with`` block of a helper ends.

        Its caller may be gone by then. Code in the block that limits BLAS for itself,
        as scikit-learn's neighbour search does, found one thread and leaves one: what
        was there before must be restored after that.
        """
        with cls.changing:
            limited = cls.users > 0
            cls.users += limited
        try:
            yield
        finally:
            if limited:
                cls._end()

    @classmethod
    def forget(cls) -> None:
        """In a forked child, which has none of the helpers."""
        cls.changing = Lock()
        if cls.users:
            cls.users = 0
            _set_blas_threads(cls.before)


def _after_fork() -> None:
    Helpers.forget()
    BlasLimit.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
