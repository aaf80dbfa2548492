"""Time and memory of our methods for more and more rows, and for more features."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

from evidence.peers.turns import ROUNDS, Worker, take_turns

METHODS = ("ReliefF", "SURF", "MultiSURF", "RReliefF")
ROWS, FEATURES = (1000, 2000, 4000, 8000), (50, 100, 200, 400)


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    shapes = [(n, FEATURES[0]) for n in ROWS] + [(ROWS[0], d) for d in FEATURES[1:]]
    for method in METHODS:
        for shape in shapes if not quick else ():
            yield {"method": method, "shape": [*shape]}


def measure(case: dict[str, Any], data: Any) -> dict[str, Any]:
    n, d = case["shape"]
    classes = 0 if case["method"] == "RReliefF" else 2
    worker = Worker("ours", case["method"], f"{n}x{d}x{classes}")
    try:
        times = take_turns({"ours": worker})["ours"][: ROUNDS // 2]
        return {
            "seconds": statistics.median(clock for clock, _ in times),
            "processor": statistics.median(used for _, used in times),
            "bytes": worker.ask("memory"),
        }
    finally:
        worker.close()
