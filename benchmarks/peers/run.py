"""Let two processes at a time take turns, and store what they say.

    python benchmarks/peers/run.py [--sizes a b …] [--methods SURF …] [--out FILE]

A comparison that is stored already is measured again. A package that is not installed,
or fails, is stored with its error.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from peers import cases, oracle  # noqa: E402

RESULTS = HERE / "results.json"
ROUNDS, SECONDS = 9, 60.0  # fits of each at most, and how long they may take together
PACKAGES = (
    "widemargin",
    "fast-select",
    "skrebate",
    "skfeature-chappers",
    "mrmr_selection",
    "scikit-learn",
    "numpy",
    "numba",
)


class Worker:
    """A process with one package."""

    def __init__(self, side: str, what: str, size: str) -> None:
        self.complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), side, what, size],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            text=True,
            env={**os.environ, "NUMBA_NUM_THREADS": str(cases.THREADS)},
        )
        try:
            self._answer()
        except BaseException:
            self.close()
            raise

    def ask(self, task: str) -> Any:
        """What it answers."""
        assert self.process.stdin is not None
        self.process.stdin.write(task + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("answer "):
                return json.loads(line[len("answer ") :])
        self.complaints.seek(0)
        said = self.complaints.read().strip().splitlines()
        raise RuntimeError(said[-1] if said else "the process ended")

    def close(self) -> None:
        """Let the process end, and with it those that it may have started."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.complaints.close()


def compare(case: cases.Case, size: str) -> dict[str, Any]:
    """Times, memory and errors of one case, ours and theirs in turn."""
    found: dict[str, Any] = {**case._asdict(), "size": size}
    del found["sizes"]
    found["shape"] = cases.SIZES[size]
    workers: dict[str, Worker] = {}
    try:
        workers["ours"] = Worker("ours", case.method, size)
        workers["theirs"] = Worker("theirs", case.peer, size)
        times = take_turns(workers)
        for side, worker in workers.items():
            found[side] = {
                "seconds": statistics.median(times[side]),
                "times": times[side],
                "bytes": worker.ask("memory"),
            }
            if case.oracle:
                scores = worker.ask("oracle")
                found[side]["error"] = oracle.error(scores, case.oracle)
    except RuntimeError as problem:
        found["problem"] = str(problem)
    finally:
        for worker in workers.values():
            worker.close()
    return found


def take_turns(workers: dict[str, Worker]) -> dict[str, list[float]]:
    """Seconds of each fit, until there are enough or they have taken long enough."""
    times: dict[str, list[float]] = {side: [] for side in workers}
    begin = time.perf_counter()
    for _ in range(ROUNDS):
        for side, worker in workers.items():
            time.sleep(0.1)  # threads that are done spin for a while
            times[side].append(worker.ask("fit"))
        if time.perf_counter() - begin > SECONDS:
            break
    return times


def machine() -> dict[str, Any]:
    """What it was measured on, and with."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = None
    return {
        "cores": os.cpu_count(),
        "processor": platform.machine(),
        "python": platform.python_version(),
        "versions": versions,
        "threads": cases.THREADS,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    sizes = [size for size in cases.SIZES if not size.startswith("small")]
    parser.add_argument("--sizes", nargs="*", default=sizes, choices=list(cases.SIZES))
    parser.add_argument("--methods", nargs="*", help="those of this package")
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    stored = {}
    if args.out.exists():
        rows = json.loads(args.out.read_text())["rows"]
        stored = {(row["method"], row["peer"], row["size"]): row for row in rows}
    for case in cases.CASES:
        for size in case.sizes:
            if size not in args.sizes or case.method not in (
                args.methods or [case.method]
            ):
                continue
            row = compare(case, size)
            stored[case.method, case.peer, size] = row
            print(line(row), flush=True)
            text = json.dumps({"machine": machine(), "rows": [*stored.values()]})
            args.out.write_text(text + "\n")


def line(row: dict[str, Any]) -> str:
    """One comparison, to be read while others run."""
    what = f"{row['method']} / {row['peer']}, {row['size']}"
    if "problem" in row:
        return f"{what:<60}{row['problem']}"
    ratio = row["theirs"]["seconds"] / row["ours"]["seconds"]
    return f"{what:<60}{ratio:8.1f} times as fast"


if __name__ == "__main__":
    main()
