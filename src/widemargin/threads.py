"""Threads for compiled code: Numba releases the GIL, Python hands out the work.

Compared with Numba's own `prange` this compiles faster, needs no threading layer
(whose OpenMP flavour dies in forked children and whose fallback dies when two Python
threads meet in it), and lets Ctrl-C and a progress bar in between two items of work.

Why Ctrl-C cannot hang or break the work
----------------------------------------
Python raises KeyboardInterrupt in the main thread only, but there between any two
bytecodes. It may come right after a `Condition` was acquired and before ``with`` would
release it; a thread that needs the condition then waits for ever. `Thread.start` and
`ThreadPoolExecutor.submit` acquire such locks in the calling thread. Hence these rules:

1. The caller shares no lock with other threads. Work for several threads is done by
   helper threads (`widemargin.helpers`), where nothing is interrupted; they may use
   locks among themselves. The caller waits. Work for one thread is done by the caller,
   without locks.
2. The caller waits for flags, one per task, set once. A queue wakes the caller up
   early, but the flags decide: a lost message costs a tenth of a second.
3. If the caller is interrupted while it waits, it tells the helpers to stop by storing
   a flag, then waits for the items under way. A second Ctrl-C ends this wait; the
   helpers end their items, and nobody reads those results.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import copy
from functools import partial
from queue import Empty, SimpleQueue
from threading import Condition, local
from typing import Any, Self

import joblib

from widemargin.helpers import BlasLimit, Helpers, collect_undoing, wait_for_undoing
from widemargin.helpers import single_threaded_blas as single_threaded_blas

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


class Workers:
    """A few threads that share the items of some work.

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
        self.outer = collect_undoing()
        return self

    def __exit__(self, *_: object) -> None:
        """Wait until the limits of BLAS in this block are undone."""
        wait_for_undoing(self.outer)

    def shares(self, total: int, least: int, most: int | None = None) -> list[slice]:
        """Cut range(total) for work that may be cut anywhere.

        A few items for each thread: handing one out costs up to a tenth of a
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
        items: Iterable[Any],
        claims: Callable[[Any], set[int]] | None = None,
    ) -> None:
        """Call ``function(item)`` for each item.

        Items go out in order to the next thread that is free. Two items that claim the
        same number are never worked on at once.
        """
        items = list(items)
        n_threads = min(self.n_threads, len(items))
        if n_threads > 1:
            queue = _Queue(items, claims)
            _Team(lambda: queue.work(function), n_threads).run()
            return
        for item in items:
            _stop_if_told()
            function(item)


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
            Helpers.call(tasks, self.queued)
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
            with BlasLimit.kept():
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


# Of a thread: the .team it belongs to.
_current = local()


def _told_to_stop() -> bool:
    """Whether the team of this thread, if it belongs to one, is to stop."""
    team = getattr(_current, "team", None)
    return team is not None and team.stopped


def _stop_if_told() -> None:
    """End work inside a item as Ctrl-C would."""
    if _told_to_stop():
        raise KeyboardInterrupt


class _Queue:
    """Items of work that the threads of a team take from."""

    def __init__(
        self, items: list[Any], claims: Callable[[Any], set[int]] | None
    ) -> None:
        self.left = [(item, claims(item) if claims else set()) for item in items]
        self.taken: set[int] = set()
        self.changed = Condition()

    def work(self, function: Callable[[Any], None]) -> None:
        """Do items until none is left, or until the team is stopped."""
        while (taken := self._next()) is not None:
            item, claimed = taken
            try:
                if _told_to_stop():
                    return
                function(item)
            except BaseException:
                self._clear()
                raise
            finally:
                with self.changed:
                    self.taken -= claimed
                    self.changed.notify_all()

    def _next(self) -> tuple[Any, set[int]] | None:
        """The first item whose claims are free; waits for one, None at the end.

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
