"""Threads for compiled code: Numba releases the GIL, Python hands out the work.

Compared with Numba's own `prange` this compiles faster, needs no threading layer
(whose OpenMP flavour dies in forked children and whose fallback dies when two Python
threads meet in it), and lets Ctrl-C and a progress bar in between two pieces of work.

Why Ctrl-C cannot hang or break the work
----------------------------------------
Python raises KeyboardInterrupt in the main thread only, but there between any two
bytecodes. It may come right after a `Condition` was acquired and before ``with`` would
release it; a thread that needs the condition then waits for ever. `Thread.start` and
`ThreadPoolExecutor.submit` acquire such locks in the calling thread. Hence these rules:

1. The caller shares no lock with other threads. Work for several threads is done by
   helper threads, where nothing is interrupted; they may use locks among themselves.
   The caller waits. Work for one thread is done by the caller, without locks.
2. Idle helpers wait for tasks at one `SimpleQueue`. A task goes there only after an
   idle helper was reserved for it (`deque.pop`) or a new one started, so it never waits
   for other tasks to end. An interrupt in between leaves a helper too many, never too
   few. Tasks are queued, and noted as queued, by one call to C code, which no signal
   divides.
3. The caller waits for flags, one per task, set once. A queue wakes the caller up
   early, but the flags decide: a lost message costs a tenth of a second.
4. If the caller is interrupted while it waits, it tells the helpers to stop by storing
   a flag, then waits for the pieces under way. A second Ctrl-C ends this wait; the
   helpers end their pieces, and nobody reads those results.
5. What must be undone is undone by a helper when a lock is released, and ``with``
   releases a lock of C code without fail: see `single_threaded_blas`. Helpers that work
   on after a second Ctrl-C hold such a lock, too. `Workers` waits for the undoing; an
   interrupt ends this wait only.
"""

from __future__ import annotations

import os
from _thread import RLock, start_new_thread
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from functools import cache, partial
from itertools import repeat
from queue import Empty, SimpleQueue
from threading import Condition, Lock, local
from typing import Any, Self

import joblib
from threadpoolctl import ThreadpoolController

LOOK = 0.1  # seconds until a waiting caller looks at the flags again


def thread_count(n_jobs: int | None) -> int:
    """Threads to use: ``n_jobs`` as scikit-learn counts it, None for all cores.

    Inside a worker of joblib or Dask the limit that those set for nested
    parallelism holds, so that two levels do not multiply.
    """
    if n_jobs is not None:
        return int(joblib.effective_n_jobs(n_jobs))
    limits = [os.environ.get(v, "") for v in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")]
    return min([joblib.cpu_count(), *(int(v) for v in limits if v.isdigit())])


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
    """Set the number of threads of each library, from whichever thread.

    Since threadpoolctl 3.8, the public setter serves only the thread that used it
    first, and ignores all others. Here, users are counted, and do not get in each
    other's way.
    """
    for library, number in zip(_blas(), numbers, strict=True):
        set_threads = getattr(library, "_real_set_num_threads", None)
        (set_threads or library.set_num_threads)(number)


Task = tuple[Callable[[], None], Callable[[], None]]


class _Helpers:
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


class single_threaded_blas(RLock):  # type: ignore[misc]  # not final at run time
    """Limit BLAS to one thread in the ``with`` block.

    Each of our threads calls BLAS for itself: BLAS's own threads would only compete.
    The limit holds for the whole process: the first of several blocks sets it, and what
    was there before is restored after the last one.

    Helpers, which signals do not reach, do both. One of them waits until the lock of
    the block is free, which leaving the block releases in C code, whatever happens. If
    the block is inside of one of `Workers`, that does not end before this is done.
    """

    def __enter__(self) -> bool:  # type: ignore[override]
        """Return when BLAS is limited."""
        limited: SimpleQueue[BaseException | None] = SimpleQueue()
        undone: SimpleQueue[None] = SimpleQueue()
        self.acquire()
        try:
            work = partial(_Limit.hold, self, limited)
            _Helpers.call([(work, partial(undone.put, None))], [])
            problem = limited.get()
            if problem is not None:
                raise problem
            getattr(_current, "to_undo", []).append(undone)
        except BaseException:
            self.release()
            raise
        return True


class _Limit:
    """Who wants BLAS limited. Helpers only come here."""

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
    _Helpers.forget()
    _Limit.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Workers:
    """A few threads that share out pieces of work.

    Parameters
    ----------
    n_threads : int
        With 1, the work is done by the caller, who waits for the threads otherwise.
    verbose : int
        Whether long work shows its progress on a terminal.
    """

    def __init__(self, n_threads: int, verbose: int = 0) -> None:
        self.n_threads = n_threads
        self.verbose = verbose

    def __enter__(self) -> Self:
        self.outer = getattr(_current, "to_undo", [])
        _current.to_undo = []
        return self

    def __exit__(self, *_: object) -> None:
        """Wait until the limits of BLAS in this block are undone."""
        to_undo, _current.to_undo = _current.to_undo, self.outer
        for undone in to_undo:
            undone.get()

    def shares(self, total: int, least: int, most: int | None = None) -> list[slice]:
        """Cut range(total) for work that may be cut anywhere.

        A few pieces for each thread: handing one out costs up to a tenth of a
        millisecond when the others are awake.
        """
        size = max(least, -(-total // (4 * self.n_threads)))
        return spans(total, min(size, most or size))

    def silent(self) -> Workers:
        """The same threads; their work shows no progress of its own."""
        other = copy(self)
        other.verbose = 0
        return other

    def run(
        self,
        function: Callable[[Any], None],
        pieces: Iterable[Any],
        claims: Callable[[Any], set[int]] | None = None,
    ) -> None:
        """Call ``function(piece)`` for each piece.

        Pieces go out in order to whichever thread is free. Two pieces that claim the
        same number are never worked on at once.
        """
        pieces = list(pieces)
        n_threads = min(self.n_threads, len(pieces))
        if n_threads > 1:
            queue = _Queue(pieces, claims)
            _Team(lambda: queue.work(function), n_threads).run()
            return
        for piece in pieces:
            _stop_if_told()
            function(piece)


class _Team:
    """Helpers that work while their caller waits for them.

    Each calls ``work()``, which is to end early if ``stopped`` is set.
    """

    def __init__(self, work: Callable[[], None], size: int) -> None:
        self.work = work
        self.stopped = False
        self.queued: list[None] = []
        self.ended = [False] * size
        self.messages: SimpleQueue[None] = SimpleQueue()
        self.problem: BaseException | None = None

    def run(self) -> None:
        """Start the threads and wait for them; raise what one of them raised."""
        members = range(len(self.ended))
        tasks = [(self._work, partial(self._end, m)) for m in members]
        try:
            _Helpers.call(tasks, self.queued)
            while self._working():
                _stop_if_told()
                self._rest()
        except BaseException:
            self.stopped = True
            while self._working():
                self._rest()
            raise
        problem, self.problem = self.problem, None
        if problem is not None:
            try:
                raise problem
            finally:
                del problem  # its traceback holds this frame

    def _work(self) -> None:
        _current.team = self
        try:
            with _Limit.kept():
                self.work()
        except BaseException as problem:
            self.problem = self.problem or problem
            self.stopped = True
        finally:
            del _current.team

    def _end(self, member: int) -> None:
        self.ended[member] = True
        self.messages.put(None)

    def _working(self) -> bool:
        return not all(self.ended[: len(self.queued)])

    def _rest(self) -> None:
        with suppress(Empty):
            self.messages.get(timeout=LOOK)


# Of a thread: the .team it belongs to, and what its `Workers` wait for, .to_undo.
_current = local()


def _told_to_stop() -> bool:
    """Whether the team of this thread, if it belongs to one, is to stop."""
    team = getattr(_current, "team", None)
    return team is not None and team.stopped


def _stop_if_told() -> None:
    """End work inside a piece as Ctrl-C would."""
    if _told_to_stop():
        raise KeyboardInterrupt


class _Queue:
    """Pieces of work that the threads of a team take from."""

    def __init__(
        self, pieces: list[Any], claims: Callable[[Any], set[int]] | None
    ) -> None:
        self.left = [(piece, claims(piece) if claims else set()) for piece in pieces]
        self.taken: set[int] = set()
        self.changed = Condition()

    def work(self, function: Callable[[Any], None]) -> None:
        """Do pieces until none is left, or until told to stop."""
        while (item := self._next()) is not None:
            piece, claimed = item
            try:
                if _told_to_stop():
                    return
                function(piece)
            except BaseException:
                self._clear()
                raise
            finally:
                with self.changed:
                    self.taken -= claimed
                    self.changed.notify_all()

    def _next(self) -> tuple[Any, set[int]] | None:
        """The first piece whose claims are free; waits for one, None at the end.

        Claims are freed by threads that do not wait, so one of them always goes on.
        """
        with self.changed:
            while self.left:
                for place, (_, claimed) in enumerate(self.left):
                    if self.taken.isdisjoint(claimed):
                        self.taken |= claimed
                        return self.left.pop(place)
                self.changed.wait()
        return None

    def _clear(self) -> None:
        """Give up what has not been begun."""
        with self.changed:
            self.left.clear()


def spans(total: int, size: int) -> list[slice]:
    """Cut range(total) into consecutive slices of at most ``size``."""
    return [slice(s, min(s + size, total)) for s in range(0, total, size)]


def fill_up(total: int, size: int) -> int:
    """The next multiple of ``size``."""
    return -(-total // size) * size
