"""``widemargin report``: a page to show to colleagues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from widemargin.cli.dataset import DataOptions
from widemargin.cli.judging import (
    compare_file,
    default_page,
    default_title,
    make_report,
    save_comparison,
    say_where,
)
from widemargin.cli.options import (
    Effort,
    MethodOptions,
    file_argument,
    method_option,
    options_of,
)
from widemargin.cli.problem import Problem
from widemargin.cli.reading.guards import problem_if_unreadable
from widemargin.cli.session import session
from widemargin.cli.terminal import echo
from widemargin.cli.usage import SectionedCommand, option
from widemargin.cli.verdicts import print_verdicts, saved_verdicts, verdicts_of
from widemargin.cli.writing import Output, save_text, to_json

UNKNOWN = "is not what `widemargin report -o FILE.json` writes"


@click.command(cls=SectionedCommand)
@file_argument
@method_option(several=True)
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
    page_name = default_page(file, "report")
    out = out.checked(file, ".html", ".json", default=page_name, labels=data.labels)
    with session(out.quiet) as notes:
        if file.lower().endswith(".json"):
            saved = _saved(file)
            with problem_if_unreadable(f"{file} {UNKNOWN}"):
                _render(saved, out)
                answer, verdicts = saved.get("answer"), saved_verdicts(saved)
        else:
            comparison, reading = compare_file(file, method, data, how, effort, notes)
            title = title or default_title(file)
            save_comparison(out, comparison, title, reading)
            page = make_report(comparison, title, reading) if out.as_json else None
            saved = page.data if page else {}
            answer, verdicts = comparison.answer, verdicts_of(comparison)
        if out.as_json:
            echo(to_json(saved), nl=False)
        elif answer:
            echo(str(answer))
            if verdicts is not None:
                echo()
                print_verdicts(verdicts)
        say_where(out)


def _saved(file: str) -> dict[str, Any]:
    try:
        found = json.loads(Path(file).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Problem(f"there is no file {file!r}.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise Problem(f"{file} is not readable as JSON: {error}.") from None
    if not isinstance(found, dict) or "schema" not in found:
        raise Problem(f"{file} {UNKNOWN}.")
    return found


def _render(saved: dict[str, Any], out: Output) -> None:
    from widemargin.reporting.html import render

    for path in out.output:
        html = path.lower().endswith(".html")
        save_text(path, render(saved) if html else to_json(saved))
