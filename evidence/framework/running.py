"""Measure what is not stored, and store each result when it is there."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from evidence.framework.store import Case, Result, Stores

PROCESSOR = "processor_seconds"  # what a case took, in its result


class Missing(Exception):
    """A case cannot be measured here, for a reason that the message gives."""


class Part(Protocol):
    """What has cases and can measure them."""

    def cases(self, quick: bool) -> Iterable[Case]: ...
    def measure(self, case: Case, data: Any) -> Result: ...


class Step(NamedTuple):
    """A case that was measured, or could not be."""

    case: Case
    seconds: float = 0.0  # of the processor
    error: Exception | None = None

    def __str__(self) -> str:
        case = json.dumps(self.case, ensure_ascii=False)
        if isinstance(self.error, Missing):
            return f"{case} left out: {self.error}"
        if self.error is not None:
            return f"{case} FAILED: {self.error!r}"
        return f"{case} {self.seconds:.2f} s"


def run(
    part: Part,
    name: str,
    stores: Stores,
    data: Any,
    *,
    quick: bool = False,
    wanted: Callable[[Case], bool] = lambda case: True,
) -> Iterator[Step]:
    """Measure the cases of a part that are not stored; yield each when it is done."""
    for case in part.cases(quick):
        store = stores[file_of(part, name, case)]
        if case in store or not wanted(case):
            continue
        # Not the time on the clock, which other work on the machine makes longer.
        start = time.process_time()
        try:
            result = part.measure(case, data)
        except Exception as error:
            yield Step(case, error=error)
            continue
        seconds = round(time.process_time() - start, 2)
        store.add(case, {**result, PROCESSOR: seconds})
        yield Step(case, seconds)


def file_of(part: Part, name: str, case: Case) -> str:
    """Name of the file that keeps the result of a case."""
    file: Callable[[Case], str] | None = getattr(part, "file", None)
    return name if file is None else file(case)
