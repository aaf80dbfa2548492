"""Times, memory and errors of our methods and of other packages', side by side.

A package that is not installed, fails, or takes longer for one fit than the limit, is
stored with that as its problem.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator
from typing import Any, NamedTuple

from evidence.peers import fits, oracle
from evidence.peers.turns import LIMIT, ROUNDS, Worker, take_turns


class Pair(NamedTuple):
    """A method, and who else has it."""

    method: str  # of this package
    peer: str
    sizes: tuple[str, ...]
    oracle: str = ""  # what in `oracle` both are compared with; none: other formulas


ALL = ("a", "b", "c", "d", "e")
PAIRS = [
    Pair("ReliefF", "fast-select ReliefF", ("small", *ALL), "relieff"),
    Pair("ReliefF", "skrebate ReliefF", ("small", "a"), "relieff"),
    Pair("ReliefF", "skfeature reliefF", ("small", "a")),
    Pair("SURF", "fast-select SURF", ("small", *ALL), "surf"),
    Pair("MultiSURF", "fast-select MultiSURF", ("small", *ALL), "multisurf"),
    Pair("MultiSURF", "skrebate MultiSURF", ("small", "a"), "multisurf"),
    Pair("RReliefF", "skrebate ReliefF", ("small numbers", "numbers")),
    Pair("MRMR", "mrmr_selection", ("small", "c")),
    Pair("ReliefF", "scikit-learn mutual_info_classif", ("small", *ALL)),
    Pair("ReliefF", "scikit-learn forest importances", ("small", *ALL)),
]
ORACLES = {(pair.method, pair.peer): pair.oracle for pair in PAIRS}


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    for pair in PAIRS:
        for size in pair.sizes:
            if size.startswith("small") == quick:
                yield {"method": pair.method, "peer": pair.peer, "size": size}


def measure(
    case: dict[str, Any], data: Any, rounds: int = ROUNDS, longest: float = LIMIT
) -> dict[str, Any]:
    """Times, memory and errors, ours and theirs in turn."""
    formulas = ORACLES.get((case["method"], case["peer"]), "")
    found: dict[str, Any] = {
        "oracle": formulas,
        "shape": fits.SIZES[case["size"]],
        "load": os.getloadavg()[0],
    }
    workers: dict[str, Worker] = {}
    try:
        for side, name in (("ours", case["method"]), ("theirs", case["peer"])):
            workers[side] = Worker(side, name, case["size"], longest)
        times = take_turns(workers, rounds)
        for side, worker in workers.items():
            found[side] = {
                "seconds": statistics.median(clock for clock, _ in times[side]),
                "processor": statistics.median(used for _, used in times[side]),
                "times": [clock for clock, _ in times[side]],
                "bytes": worker.ask("memory"),
            }
            if formulas:
                found[side]["error"] = oracle.error(worker.ask("oracle"), formulas)
    except RuntimeError as problem:
        found["problem"] = str(problem)
    finally:
        for worker in workers.values():
            worker.close()
    return found
