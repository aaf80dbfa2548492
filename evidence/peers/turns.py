"""Processes with one package each, which take turns to fit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from evidence.peers import fits

ROUNDS, SECONDS = 9, 40.0  # fits of each at most, and how long they may take together
LIMIT = 120.0  # seconds that one fit may take


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
            cwd=Path(__file__).parents[2],
            start_new_session=True,
            env={**os.environ, "NUMBA_NUM_THREADS": str(fits.THREADS)},
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
