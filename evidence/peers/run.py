"""Let two processes at a time take turns, and store what they say.

    python -m evidence.peers [--sizes a b …] [--methods SURF …] [--missing]
    python -m evidence.peers --sizes growth

A comparison that is stored already is measured again, unless only what is missing is
asked for. A package that is not installed, fails, or takes longer for one fit than the
limit, is stored with that as its problem.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from importlib import metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

from evidence.peers import cases, oracle  # noqa: E402

RESULTS = HERE / "results.json"
ROUNDS, SECONDS = 9, 40.0  # fits of each at most, and how long they may take together
LIMIT = 120.0  # seconds that one fit may take
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

    def __init__(self, side: str, what: str, size: str, longest: float = LIMIT) -> None:
        self.what, self.longest, self.late = what, longest, False
        self.complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "evidence.peers.worker", side, what, size],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            text=True,
            cwd=HERE.parents[1],
            start_new_session=True,
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
        timer = threading.Timer(self.longest, self._give_up)
        timer.start()
        try:
            for line in self.process.stdout:
                if line.startswith("answer "):
                    return json.loads(line[len("answer ") :])
        finally:
            timer.cancel()
        if self.late:
            raise RuntimeError(
                f"{self.what}: a fit takes more than {self.longest:.0f} s"
            )
        self.complaints.seek(0)
        said = self.complaints.read().strip().splitlines()
        raise RuntimeError(said[-1] if said else "the process ended")

    def _give_up(self) -> None:
        """End the process, and those that it has started: they hold its output."""
        self.late = True
        os.killpg(self.process.pid, signal.SIGKILL)

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


def compare(
    case: cases.Case, size: str, rounds: int = ROUNDS, longest: float = LIMIT
) -> dict[str, Any]:
    """Times, memory and errors of one case, ours and theirs in turn."""
    found: dict[str, Any] = {**case._asdict(), "size": size}
    del found["sizes"]
    found["shape"] = cases.SIZES[size]
    found["load"] = os.getloadavg()[0]
    workers: dict[str, Worker] = {}
    try:
        workers["ours"] = Worker("ours", case.method, size, longest)
        workers["theirs"] = Worker("theirs", case.peer, size, longest)
        times = take_turns(workers, rounds)
        for side, worker in workers.items():
            found[side] = {
                "seconds": statistics.median(clock for clock, _ in times[side]),
                "processor": statistics.median(used for _, used in times[side]),
                "times": [clock for clock, _ in times[side]],
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


def take_turns(
    workers: dict[str, Worker], rounds: int = ROUNDS
) -> dict[str, list[tuple[float, float]]]:
    """Seconds of each fit by the clock and of the processor.

    Until there are enough, or they have taken long enough.
    """
    times: dict[str, list[tuple[float, float]]] = {side: [] for side in workers}
    begin = time.perf_counter()
    for _ in range(rounds):
        for side, worker in workers.items():
            time.sleep(0.1)  # threads that are done spin for a while
            times[side].append(worker.ask("fit"))
        if time.perf_counter() - begin > SECONDS:
            break
    return times


def grow(method: str) -> list[dict[str, Any]]:
    """Time and memory of a method for more and more rows, and for more features."""
    fewest, narrowest = cases.GROWTH_ROWS[0], cases.GROWTH_FEATURES[0]
    shapes = [(n, narrowest) for n in cases.GROWTH_ROWS]
    shapes += [(fewest, d) for d in cases.GROWTH_FEATURES[1:]]
    found = []
    for n, d in shapes:
        size = f"{n}x{d}x{0 if method == 'RReliefF' else 2}"
        worker = Worker("ours", method, size)
        try:
            times = take_turns({"ours": worker})["ours"][: ROUNDS // 2]
            seconds = statistics.median(clock for clock, _ in times)
            processor = statistics.median(used for _, used in times)
            row = {"method": method, "shape": [n, d], "seconds": seconds}
            found.append(row | {"processor": processor, "bytes": worker.ask("memory")})
        finally:
            worker.close()
    return found


def limit(size: str) -> dict[str, Any]:
    """How fast a whole Euclidean ReliefF is, against a product of matrices.

    A full matrix of distances takes 2 n² d operations, written as a product.
    """
    n, d, _ = cases.shape(size)
    worker = Worker("ours", "ReliefF euclidean", size)
    try:
        pairs = [(worker.ask("fit")[0], worker.ask("product")) for _ in range(ROUNDS)]
    finally:
        worker.close()
    shares = [2 * n * n * d / seconds / speed for seconds, speed in pairs]
    speed = statistics.median(speed for _, speed in pairs)
    return {"size": size, "shape": [n, d], "share": max(shares), "speed": speed}


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
    sizes.append("growth")
    known = [*cases.SIZES, "growth"]
    parser.add_argument("--sizes", nargs="*", default=sizes, choices=known)
    parser.add_argument("--methods", nargs="*", help="those of this package")
    parser.add_argument(
        "--missing", action="store_true", help="leave out what is stored already"
    )
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    results: dict[str, Any] = {"rows": [], "growth": [], "limits": []}
    if args.out.exists():
        results |= json.loads(args.out.read_text())
    stored = {(row["method"], row["peer"], row["size"]): row for row in results["rows"]}

    def store() -> None:
        results["rows"], results["machine"] = [*stored.values()], machine()
        args.out.write_text(json.dumps(results) + "\n")

    for case in cases.CASES:
        for size in case.sizes:
            if size not in args.sizes or case.method not in (
                args.methods or [case.method]
            ):
                continue
            if args.missing and (case.method, case.peer, size) in stored:
                continue
            row = compare(case, size)
            stored[case.method, case.peer, size] = row
            print(line(row), flush=True)
            store()
    if "growth" in args.sizes:
        measured = [grow(method) for method in cases.GROWTH]
        results["growth"] = [row for rows in measured for row in rows]
        results["limits"] = [limit(size) for size in ("a", "b", "e")]
        store()


def line(row: dict[str, Any]) -> str:
    """One comparison, to be read while others run."""
    what = f"{row['method']} / {row['peer']}, {row['size']}"
    if "problem" in row:
        return f"{what:<60}{row['problem']}"
    ratio = row["theirs"]["seconds"] / row["ours"]["seconds"]
    return f"{what:<60}{ratio:8.1f} times as fast"
