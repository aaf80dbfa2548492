"""How fast a whole Euclidean ReliefF is, against a product of matrices.

A full matrix of distances takes 2 n² d operations, written as a product.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

from evidence.peers import fits
from evidence.peers.turns import ROUNDS, Worker


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    for size in ("a", "b", "e") if not quick else ():
        yield {"size": size}


def measure(case: dict[str, Any], data: Any) -> dict[str, Any]:
    n, d, _ = fits.SIZES[case["size"]]
    worker = Worker("ours", "ReliefF euclidean", case["size"])
    try:
        pairs = [(worker.ask("fit")[0], worker.ask("product")) for _ in range(ROUNDS)]
    finally:
        worker.close()
    shares = [2 * n * n * d / seconds / speed for seconds, speed in pairs]
    speed = statistics.median(speed for _, speed in pairs)
    return {"shape": [n, d], "share": max(shares), "speed": speed}
