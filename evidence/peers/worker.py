"""One process with one package: it answers each line of its input with a line.

    fit      seconds that a fit takes, and seconds of processor time in this process;
             means of as many fits as take `TURN` seconds
    memory   bytes that a fit needs beyond what the process had before
    oracle   scores of the oracle's table
    product  floating-point operations per second in a product of matrices of doubles

The first answer, that it is ready, comes after a fit that is not counted.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from evidence.peers import fits, oracle

TURN = 0.5  # seconds of fits at least, so that waking up from a pause does not matter


def main() -> None:
    side, what, size = sys.argv[1:]
    warnings.simplefilter("ignore")
    X, y = fits.make(size)
    fit = fits.ours(what) if side == "ours" else fits.theirs(what)
    begin = time.perf_counter()
    fit(X, y)
    answer({"ready": time.perf_counter() - begin})
    for line in sys.stdin:
        task = line.strip()
        if task == "fit":
            answer(time_of(lambda: fit(X, y)))
        elif task == "memory":
            answer(extra_memory(lambda: fit(X, y)))
        elif task == "oracle":
            answer([float(score) for score in fit(*oracle.table())])
        elif task == "product":
            answer(product_speed())


def time_of(fit) -> tuple[float, float]:
    """Seconds of one fit by the clock, and of the processor."""
    begin, used, fits = time.perf_counter(), time.process_time(), 0
    while not fits or time.perf_counter() - begin < TURN:
        fit()
        fits += 1
    seconds, processor = time.perf_counter() - begin, time.process_time() - used
    return seconds / fits, processor / fits


def product_speed(n: int = 2000) -> float:
    """What the machine can do, at most, where all is multiplication and addition."""
    A = np.random.default_rng(0).random((n, n))
    begin = time.perf_counter()
    A @ A
    return 2 * n**3 / (time.perf_counter() - begin)


def answer(what: object) -> None:
    """One line of output; packages that print do so elsewhere."""
    print("answer " + json.dumps(what), flush=True)


def extra_memory(fit) -> int | None:
    """Peak of the resident memory during a fit above what it was before; Linux only."""
    try:
        # What earlier fits have freed is given back: a fit could take it unseen.
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before = _status("VmRSS")
        fit()
        return max(0, _status("VmHWM") - before)
    except (OSError, AttributeError):
        return None


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return 1024 * int(line.split()[1])
    raise OSError(field)


if __name__ == "__main__":
    main()
