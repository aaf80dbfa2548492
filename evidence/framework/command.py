"""The command of a subject: ``python -m evidence.truth``, ``study``, ``peers``."""

from __future__ import annotations

import argparse
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evidence.data import Sets
from evidence.framework import pages
from evidence.framework.running import Missing, Part, file_of, run
from evidence.framework.store import Case, Stores, versions


@dataclass(frozen=True)
class Subject:
    """Parts that are measured, and the pages that are made of their results.

    Parameters
    ----------
    name : str
        Of the package: "truth" for `evidence.truth`.
    parts : mapping of str to Part
    pages : callable
        ``pages(folder)`` makes the pages, by path in docs/, of the stored results.
    describe : callable, default=versions
        What is stored about machine and packages.
    """

    name: str
    parts: Mapping[str, Part]
    pages: Callable[[Path], pages.Pages]
    describe: Callable[[], dict[str, Any]] = versions

    @property
    def results(self) -> Path:
        """The folder of the stored results."""
        return Path(__file__).parents[1] / self.name / "results"


def main(subject: Subject, arguments: Sequence[str] | None = None) -> int:
    """Measure what is not stored, or write the pages; 1 if a case failed."""
    parser = argparse.ArgumentParser(prog=f"python -m evidence.{subject.name}")
    parser.add_argument("parts", nargs="*", help=", ".join(subject.parts))
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="only cases with this value, or with another one named so",
    )
    parser.add_argument("--data", metavar="DIR", help="data sets [WIDEMARGIN_DATA]")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--quick", action="store_true", help="a few small cases")
    parser.add_argument("--again", action="store_true", help="also stored cases")
    parser.add_argument("--results", type=Path, default=subject.results)
    parser.add_argument("--page", action="store_true", help="only write the pages")
    args = parser.parse_args(arguments)
    if args.page:
        pages.write(subject.pages(args.results))
        return 0
    if unknown := set(args.parts) - set(subject.parts):
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    chosen = {name: subject.parts[name] for name in args.parts or subject.parts}
    stores = Stores(args.results, args.quick, subject.describe)
    if args.again:
        for name, part in chosen.items():
            for file in {file_of(part, name, case) for case in part.cases(args.quick)}:
                stores[file].mark_as_older()
    warnings.simplefilter("ignore")
    wanted, data = _having(args.where), Sets(args.data)
    end, failed = time.monotonic() + 60 * args.minutes, 0
    for name, part in chosen.items():
        for step in run(part, name, stores, data, quick=args.quick, wanted=wanted):
            print(name, step, flush=True)
            if step.error is not None and not isinstance(step.error, Missing):
                traceback.print_exception(step.error)
                failed = 1
            if time.monotonic() > end:
                print("time is up", flush=True)
                return failed
    return failed


def _having(conditions: Sequence[str]) -> Callable[[Case], bool]:
    """Whether a case has one of the values that are named for each field."""
    allowed: dict[str, set[str]] = {}
    for condition in conditions:
        field, _, value = condition.partition("=")
        allowed.setdefault(field, set()).add(value)
    return lambda case: all(
        str(case.get(field)) in values for field, values in allowed.items()
    )
