"""Threads for compiled code: Numba releases the GIL, Python hands out the work.

Compared with Numba's own `prange` this compiles faster, needs no threading layer
(whose OpenMP flavour dies in forked children and whose fallback dies when two Python
threads meet in it), and lets Ctrl-C and a progress bar in between two pieces of work.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import joblib
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
    """

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def run(self, function: Callable[[int, Any], None], pieces: Iterable[Any]) -> None:
        """Call ``function(worker, piece)`` for each piece.

        Pieces go out in order to whichever worker (0, 1, …) is free. No two calls with
        the same ``worker`` overlap, so it can serve as the index of private storage.
        """
        pieces = list(pieces)
        if self._pool is None or len(pieces) < 2:
            for piece in pieces:
                function(0, piece)
            return
        source, lock = iter(pieces), Lock()

        def work(worker: int) -> None:
            while True:
                with lock:
                    piece = next(source, None)
                if piece is None:
                    return
                function(worker, piece)

        futures = [
            self._pool.submit(work, t) for t in range(min(self.n_threads, len(pieces)))
        ]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            with lock:
                source = iter(())
        for future in futures:
            future.result()


def spans(total: int, size: int) -> list[slice]:
    """Cut range(total) into consecutive slices of at most ``size``."""
    return [slice(s, min(s + size, total)) for s in range(0, total, size)]
