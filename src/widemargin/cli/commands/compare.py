"""``widemargin compare``, ``report`` and ``demo``: several methods, and a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.options import DataOptions, Effort, MethodOptions, Output
from widemargin.cli.printing import print_comparison, print_hard_rows, print_verdicts
from widemargin.cli.problem import Problem
from widemargin.cli.reading import Source, look
from widemargin.cli.reading.guards import problem_if_unreadable
from widemargin.cli.session import session, stdout
from widemargin.cli.terminal import echo
from widemargin.cli.usage import (
    SectionedCommand,
    file_argument,
    method_option,
    option,
    options_of,
    quiet_option,
)
from widemargin.cli.writing import default_page, save_text, to_json

if TYPE_CHECKING:
    from rich.console import Console

    from widemargin.cli.prepare import Dataset

UNKNOWN = "is not what `widemargin report -o FILE.json` writes"
PAGE = "widemargin-demo.html"

comparison_options = options_of(
    effort=Effort, how=MethodOptions, data=DataOptions, out=Output, without=["lifetime"]
)


@click.command(
    cls=SectionedCommand, short_help="Say which features to keep, and write a report."
)
@file_argument
@method_option(several=True)
@comparison_options
def compare(
    file: str,
    method: tuple[str, ...],
    effort: Effort,
    data: DataOptions,
    how: MethodOptions,
    out: Output,
) -> None:
    """Say which features of FILE to keep, what they are worth, and which are relevant.

    KernelRFE chooses, or the best of the methods named with -m; others are shown for
    comparison. Prints the answer, one line per method and the verdicts on the best
    features, and writes an HTML report to FILE-comparison.html unless -o says
    otherwise. Scores are those of folds whose rows had no part in the choice, ± their
    standard error.

    \b
    widemargin compare iris.csv
    widemargin compare genes.parquet -t tissue -m ReliefF -m Simba -m MRMR
    widemargin compare credit.csv --estimator logistic --scoring roc_auc
    widemargin compare patients.csv --event died --time days
    widemargin compare visits.csv --groups patient --baseline age,weight
    widemargin compare faces.mat --image-shape 32x32 -o faces.html -o faces.csv
    """
    name = default_page(file, "comparison")
    endings = (".html", ".json", ".csv", ".tsv", ".parquet")
    out = out.checked(file, *endings, default=name, labels=data.labels)
    look(file)
    with session(out.quiet) as notes:
        from widemargin.cli.comparing import as_data, compare_file, save_results

        comparison, page = compare_file(file, method, data, how, effort, notes)
        save_results(out, page, comparison)
        if out.as_json:
            echo(to_json(as_data(comparison, file, notes.notes)), nl=False)
        else:
            print_comparison(comparison)
            if effort.hard_rows and comparison.hard_rows is not None:
                print_hard_rows(comparison.hard_rows)
        out.say_written()


@click.command(cls=SectionedCommand)
@file_argument
@method_option(several=True)
@option("--title TEXT", "Heading of the page.")
@comparison_options
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
    look(file)
    with session(out.quiet) as notes:
        from widemargin.cli.comparing import compare_file, save_results

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


@click.command()
@quiet_option
def demo(quiet: bool) -> None:
    """Choose features of a bundled data set and write a report.

    The data are the 569 tumours of the Wisconsin diagnostic breast cancer data set,
    bundled with scikit-learn: 30 measurements each, benign or malignant. The report is
    written to widemargin-demo.html in this folder.
    """
    Output((PAGE,), force=True).checked("-", ".html")
    from widemargin.cli.comparing import compared
    from widemargin.reporting import report

    data = _data()
    with session(quiet) as notes:
        notes.begin()
        comparison = compared(
            data, None, DataOptions(), MethodOptions(), Effort(), notes
        )
        page = report(comparison, title="Which measurements tell tumours apart?")
        save_text(PAGE, page.html)
    _print_demo(stdout(), data, comparison)


def _data() -> Dataset:
    from sklearn.datasets import load_breast_cancer

    from widemargin.cli.prepare import prepare

    data = load_breast_cancer(as_frame=True)
    labels = dict(enumerate(data.target_names))
    frame = data.data.assign(diagnosis=data.target.map(labels))
    return prepare("breast cancer", Source(frame, "diagnosis"), DataOptions())


def _print_demo(console: Console, data: Dataset, comparison: Any) -> None:
    n_samples, n_features = data.X.shape
    console.print(
        f"Which of {n_features} measurements tell a malignant tumour from a benign "
        f"one?\nBreast cancer, Wisconsin: {n_samples} tumours, 2 classes.\n"
    )
    print_comparison(comparison)
    console.print(f"\nThe whole story, to open in a browser: {PAGE}", soft_wrap=True)
