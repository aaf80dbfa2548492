"""Measure what is not stored yet.

    python -m evidence.truth [part ...] [--data DIR] [--minutes M] [--again]

Without parts, all of them. A case that needs a data set that is not there is left out
and named. Stop it at any time; the next run goes on. After a change of the code,
``--again`` marks what is stored as older, so that this run, and those after it, measure
it again.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import traceback
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from evidence.truth import Missing
from evidence.truth.store import RESULTS, Store

PARTS = Path(__file__).parent / "parts"


def part_names() -> list[str]:
    """The parts there are, in the order of their names."""
    return sorted(file.stem for file in PARTS.glob("[a-z]*.py"))


def run_part(
    name: str, data: str | None, *, small: bool = False, folder: Path = RESULTS
) -> Iterator[str]:
    """Measure the cases of a part that are not stored; yield a line for each."""
    part, store = import_module(f"evidence.truth.parts.{name}"), Store(name, folder)
    for case in part.cases(small):
        if case in store:
            continue
        start = time.perf_counter()
        try:
            result = part.measure(case, data)
        except Missing as missing:
            yield f"{name} {json.dumps(case)} left out: {missing}"
            continue
        result["run_seconds"] = time.perf_counter() - start
        store.add(case, result)
        yield f"{name} {json.dumps(case)} {result['run_seconds']:.1f} s"


def main() -> int:
    """Run parts, one after the other; 1 if a case failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*part_names(), []])
    parser.add_argument("--data", default=os.environ.get("WIDEMARGIN_DATA"))
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--small", action="store_true", help="the cases of the tests")
    parser.add_argument("--again", action="store_true", help="measure all again")
    parser.add_argument("--results", type=Path, default=RESULTS)
    args: Any = parser.parse_args()
    warnings.simplefilter("ignore")
    end, failed = time.monotonic() + 60 * args.minutes, 0
    if args.again:
        for name in args.parts or part_names():
            Store(name, args.results).mark_as_older()
    for name in args.parts or part_names():
        try:
            for line in run_part(
                name, args.data, small=args.small, folder=args.results
            ):
                print(line, flush=True)
                if time.monotonic() > end:
                    print("time is up", flush=True)
                    return 0
        except Exception:
            traceback.print_exc()
            failed = 1
    return failed
