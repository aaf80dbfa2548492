"""``python -m evidence.papers``: run experiments, with a verdict on each claim."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from evidence import papers
from evidence.data import Sets
from evidence.framework import pages
from evidence.framework.store import NoStore
from evidence.papers import markdown
from evidence.papers.frame import Experiment, Paper
from evidence.papers.html import render
from evidence.papers.outcomes import Outcome, chosen, run, summarize, without_figures
from widemargin.cli.group import exit_code, orderly_end
from widemargin.cli.problem import Problem
from widemargin.cli.session import (
    Session,
    plain_table,
    print_table,
    session,
    stdout,
)
from widemargin.cli.terminal import echo, say
from widemargin.cli.writing import save_text, to_json

FOLDER = "widemargin-papers"
HEAD = "evidence.papers:"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paper", required=False)
@click.option("--table", "tables", multiple=True, metavar="N", help="Only table N.")
@click.option("--figure", "figures", multiple=True, metavar="N", help="Only figure N.")
@click.option(
    "--experiment",
    "keys",
    multiple=True,
    metavar="NAME",
    help="Only the experiment of this name.",
)
@click.option(
    "--quick", is_flag=True, help="Run a few small cases, to see that it works."
)
@click.option(
    "--data",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Folder of data sets.  [WIDEMARGIN_DATA]",
)
@click.option(
    "--offline", is_flag=True, help="Do not ask OpenML for data sets that are missing."
)
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    default=FOLDER,
    show_default=True,
    help="Where results and pages go.",
)
@click.option("--again", is_flag=True, help="Measure stored cases again.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Suppress notes and progress.")
@click.option(
    "--page", is_flag=True, help="Only write docs/papers from the stored results."
)
def reproduce(
    paper: str | None,
    tables: tuple[str, ...],
    figures: tuple[str, ...],
    keys: tuple[str, ...],
    quick: bool,
    data: str | None,
    offline: bool,
    folder: str,
    again: bool,
    as_json: bool,
    quiet: bool,
    page: bool,
) -> None:
    """Run the experiments of PAPER and compare our numbers with the published ones.

    PAPER is a key or a name, such as 001 or simba, or "all"; without it, the papers are
    listed. For each claim the command says whether it is reproduced by the paper's
    protocol, whether it survives an honest choice, and why. Results are stored in
    FOLDER case by case, so an interrupted run can be resumed; FOLDER/001.html is the
    resulting page.

    \b
    python -m evidence.papers simba --quick
    python -m evidence.papers 001 --figure 5 --data ~/datasets
    python -m evidence.papers all -o results
    """
    if page:
        pages.write(markdown.pages(markdown.RESULTS))
        return
    if paper is None:
        _list(papers.available())
        return
    names = papers.available() if paper.lower() == "all" else [paper]
    wanted = [f"Table {n}" for n in tables] + [f"Figure {n}" for n in figures]
    wanted += keys
    try:
        found = [papers.find(name) for name in names]
        plan = [(one, chosen(one, wanted)) for one in found]
    except ValueError as error:
        raise Problem(str(error)) from None
    _check(folder)
    with session(quiet) as notes:
        notes.begin()
        shown = []
        source = Sets(data, download=not offline)
        for one, experiments in plan:
            outcomes = _run(one, experiments, Path(folder), source, quick, again, notes)
            shown.append(_finish(one, outcomes, Path(folder), quick, as_json))
    if as_json:
        echo(to_json(shown if len(shown) != 1 else shown[0]), nl=False)


def _check(folder: str) -> None:
    """Refuse a folder that cannot be written to before anything runs."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or error
        raise Problem(f"-o {folder}: cannot make this folder: {why}.") from None


def _run(
    paper: Paper,
    experiments: Sequence[Experiment],
    folder: Path,
    source: Sets,
    quick: bool,
    again: bool,
    notes: Session,
) -> list[Outcome]:
    outcomes = []
    for experiment in experiments:
        try:
            outcome = run(
                paper,
                experiment,
                folder,
                source,
                quick=quick,
                again=again,
                verbose=notes.verbose,
            )
        except (NotADirectoryError, NoStore) as error:
            raise Problem(str(error)) from error
        if outcome.n_stored:
            of = f"{outcome.n_stored} of {outcome.n_cases} cases"
            notes.note(f"{paper.key} {experiment.key}: {of} were stored in {folder}.")
        for text in outcome.missing:
            notes.note(f"{paper.key} {experiment.key}: {text}")
        outcomes.append(outcome)
    return outcomes


def _finish(
    paper: Paper, outcomes: list[Outcome], folder: Path, quick: bool, as_json: bool
) -> dict[str, Any]:
    """Write the page and print the verdicts."""
    summary = summarize(paper, outcomes, quick)
    name = f"{paper.key}{'-quick' if quick else ''}"
    page = folder / f"{name}.html"
    save_text(str(page), render(summary))
    save_text(str(folder / f"{name}.json"), to_json(without_figures(summary)))
    if not as_json:
        _print(summary)
        stdout().print(f"The page, to open in a browser: {page}\n", soft_wrap=True)
    return without_figures(summary)


def _print(summary: dict[str, Any]) -> None:
    console = stdout()
    console.print(f"{summary['key']}  {summary['citation']}\n", soft_wrap=True)
    table = plain_table()
    table.add_column("where", no_wrap=True)
    table.add_column("reproduced\nsurvives an honest choice", max_width=16)
    table.add_column("claim, published, ours")
    for claim in summary["verdicts"]:
        verdicts = f"{claim['reproduced']}\n{claim['survives']}"
        table.add_row(claim["where"], verdicts, _told(claim))
    print_table(console, table)
    if summary["quick"]:
        console.print("\nA quick run shows that it works; its verdicts mean nothing.")
    console.print()


def _told(claim: dict[str, str]) -> str:
    """The claim and its numbers, a line each."""
    lines = [claim["text"]]
    lines += [f"{name}: {claim[name]}" for name in ("published", "ours") if claim[name]]
    if not claim["ours"]:
        lines.append(claim["why"])
    return "\n".join(lines)


def _list(keys: Sequence[str]) -> None:
    table = plain_table()
    for name in ("paper", "name", "what"):
        table.add_column(name, no_wrap=name != "what")
    for key in keys:
        paper = papers.find(key)
        table.add_row(key, paper.alias, paper.citation)
    print_table(stdout(), table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; what the user can put right becomes one line and code 2."""
    try:
        with orderly_end():
            name = "python -m evidence.papers"
            reproduce(arguments, name, standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        say("interrupted", HEAD)
        return exit_code()
    except (Problem, click.ClickException) as error:
        say(str(error), HEAD)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
