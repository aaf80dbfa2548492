"""``widemargin report``: a page to show to colleagues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from widemargin.cli.comparing import (
    compare_file,
    default_page,
    save_results,
)
from widemargin.cli.options import (
    Effort,
    MethodOptions,
    file_argument,
    method_option,
    options_of,
    redundancy_option,
)
from widemargin.cli.prepare import DataOptions
from widemargin.cli.printing import print_verdicts
from widemargin.cli.problem import Problem
from widemargin.cli.reading.guards import problem_if_unreadable
from widemargin.cli.session import session
from widemargin.cli.terminal import echo
from widemargin.cli.usage import SectionedCommand, option
from widemargin.cli.writing import Output, to_json

UNKNOWN = "is not what `widemargin report -o FILE.json` writes"


@click.command(cls=SectionedCommand)
@file_argument
@method_option(several=True)
@redundancy_option
@option("--title TEXT", "Heading of the page.")
@options_of("effort", "how", "data", "out")
def report(
    file: str,
    method: tuple[str, ...],
    title: str | None,
    effort: Effort,
    data: DataOptions,
    how: MethodOptions,
    out: Output,
) -> None:
    """Write a self-contained HTML report about FILE.

    It describes the data, which features matter, how many are needed and how certain
    that is, with a verdict on each feature; the first ones are printed. The report is
    written to FILE-report.html unless -o says otherwise. -o with a .json file saves the
    results, from which `widemargin report that.json` makes the report.

    \b
    widemargin report iris.csv --title "Iris"
    widemargin report genes.parquet -t tissue -m Simba -o genes.html -o genes.json
    widemargin report genes.json -o genes.html
    """
    from widemargin.reporting import Report

    name = default_page(file, "report")
    out = out.checked(file, ".html", ".json", default=name, labels=data.labels)
    comparison = None
    with session(out.quiet) as notes:
        if file.lower().endswith(".json"):
            with problem_if_unreadable(f"{file} {UNKNOWN}"):
                page = Report(_saved(file))
                save_results(out, page)
        else:
            comparison, page = compare_file(
                file, method, data, how, effort, notes, title
            )
            save_results(out, page, comparison)
        if out.as_json:
            echo(to_json(page.data), nl=False)
        elif page.data.get("answer"):
            echo(str(page.data["answer"]))
            if comparison is not None:
                print_verdicts(comparison)
        out.say_written()


def _saved(file: str) -> dict[str, Any]:
    try:
        saved = json.loads(Path(file).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Problem(f"there is no file {file!r}.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise Problem(f"{file} is not readable as JSON: {error}.") from None
    if not isinstance(saved, dict) or "schema" not in saved:
        raise Problem(f"{file} {UNKNOWN}.")
    return saved
