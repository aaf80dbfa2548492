"""One process with one package: it answers each line of its input with a line.

    fit      seconds that a fit takes
    memory   bytes that a fit needs beyond what the process had before
    oracle   scores of the oracle's table

The first answer, that it is ready, comes after a fit that is not counted.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from peers import cases, oracle


def main() -> None:
    side, what, size = sys.argv[1:]
    warnings.simplefilter("ignore")
    X, y = cases.make(size)
    fit = cases.ours(what) if side == "ours" else cases.theirs(what)
    begin = time.perf_counter()
    fit(X, y)
    answer({"ready": time.perf_counter() - begin})
    for line in sys.stdin:
        task = line.strip()
        if task == "fit":
            begin = time.perf_counter()
            fit(X, y)
            answer(time.perf_counter() - begin)
        elif task == "memory":
            answer(extra_memory(lambda: fit(X, y)))
        elif task == "oracle":
            answer([float(score) for score in fit(*oracle.table())])


def answer(what: object) -> None:
    """One line of output; packages that print do so elsewhere."""
    print("answer " + json.dumps(what), flush=True)


def extra_memory(fit) -> int | None:
    """Peak of the resident memory during a fit above what it was before; Linux only."""
    try:
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before = _status("VmRSS")
        fit()
        return max(0, _status("VmHWM") - before)
    except OSError:
        return None


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return 1024 * int(line.split()[1])
    raise OSError(field)


if __name__ == "__main__":
    main()
