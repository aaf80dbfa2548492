"""Threads for compiled code: Numba releases the GIL, Python hands out the work.

Compared with Numba's own `prange` this compiles faster, needs no threading layer
(whose OpenMP flavour dies in forked children and whose fallback dies when two Python
threads meet in it), and lets Ctrl-C and a progress bar in between two pieces of work.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy
from functools import cache
from threading import Condition
from typing import Any

import joblib
import numpy as np
from threadpoolctl import ThreadpoolController


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
def _blas() -> ThreadpoolController:
    """BLAS libraries of this process (looking them up takes milliseconds)."""
    # Numba calls BLAS through SciPy, so SciPy's must be loaded to be found.
    import scipy.linalg.cython_blas  # noqa: F401

    return ThreadpoolController().select(user_api="blas")


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Each of our threads calls BLAS for itself: its own threads would only fight."""
    with _blas().limit(limits=1):
        yield


class Workers:
    """A few threads that share out pieces of work.

    Parameters
    ----------
    n_threads : int
        With 1, the work is done by the caller.
    verbose : int
        Whether long work shows its progress on a terminal.
    """

    def __init__(self, n_threads: int, verbose: int = 0) -> None:
        self.n_threads = n_threads
        self.verbose = verbose
        # The caller works too.
        self._pool = ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

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

        Pieces go out in order to whichever worker is free. Two pieces that claim the
        same number are never worked on at once.
        """
        queue = _Queue(pieces, claims)
        others = min(self.n_threads, len(queue.left)) - 1
        if self._pool is None or others < 1:
            queue.work(function)
            return
        futures = [self._pool.submit(queue.work, function) for _ in range(others)]
        try:
            queue.work(function)
        finally:
            queue.clear()
        for future in futures:
            future.result()

    def together(self, function: Callable[[int, Any], None], most: int) -> None:
        """Call ``function(member, board)`` in up to ``most`` threads, all at once.

        On the board, a row for each member, they write how far they are. If one of
        them fails, the board says that all have done everything, so that the others do
        not wait for it.
        """
        board = np.zeros((max(1, min(self.n_threads, most)), 8), np.int64)

        def work(member: int) -> None:
            try:
                function(member, board)
            except BaseException:
                board[:, 0] = np.iinfo(np.int64).max
                raise

        futures: list[Future[None]] = []
        try:
            for member in range(1, len(board)):
                assert self._pool is not None
                futures.append(self._pool.submit(work, member))
            work(0)
        except BaseException:
            board[:, 0] = np.iinfo(np.int64).max
            raise
        finally:
            for future in futures:
                future.result()


class _Queue:
    """Pieces of work that several threads take from."""

    def __init__(
        self, pieces: Iterable[Any], claims: Callable[[Any], set[int]] | None
    ) -> None:
        self.left = [(piece, claims(piece) if claims else set()) for piece in pieces]
        self.taken: set[int] = set()
        self.changed = Condition()

    def work(self, function: Callable[[Any], None]) -> None:
        """Do pieces until none is left."""
        while (item := self._next()) is not None:
            piece, claimed = item
            try:
                function(piece)
            except BaseException:
                self.clear()
                raise
            finally:
                with self.changed:
                    self.taken -= claimed
                    self.changed.notify_all()

    def _next(self) -> tuple[Any, set[int]] | None:
        """The first piece whose claims are free; waits for one, None at the end."""
        with self.changed:
            while self.left:
                for place, (_, claimed) in enumerate(self.left):
                    if self.taken.isdisjoint(claimed):
                        self.taken |= claimed
                        return self.left.pop(place)
                self.changed.wait()
        return None

    def clear(self) -> None:
        """Give up what has not been begun."""
        with self.changed:
            self.left.clear()
            self.changed.notify_all()


def spans(total: int, size: int) -> list[slice]:
    """Cut range(total) into consecutive slices of at most ``size``."""
    return [slice(s, min(s + size, total)) for s in range(0, total, size)]
