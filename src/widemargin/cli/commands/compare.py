"""``widemargin compare``: several methods on one file, and a report."""

from __future__ import annotations

import click

from widemargin.cli.comparing import (
    as_data,
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
from widemargin.cli.printing import print_comparison
from widemargin.cli.session import session
from widemargin.cli.terminal import echo
from widemargin.cli.usage import SectionedCommand
from widemargin.cli.writing import Output, to_json


@click.command(
    cls=SectionedCommand, short_help="Say which features to keep, and write a report."
)
@file_argument
@method_option(several=True)
@redundancy_option
@options_of("effort", "how", "data", "out")
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
    widemargin compare visits.csv --groups patient --baseline age,weight
    widemargin compare faces.mat --image-shape 32x32 -o faces.html -o faces.csv
    """
    name = default_page(file, "comparison")
    endings = (".html", ".json", ".csv", ".tsv", ".parquet")
    out = out.checked(file, *endings, default=name, labels=data.labels)
    with session(out.quiet) as notes:
        comparison, page = compare_file(file, method, data, how, effort, notes)
        save_results(out, page, comparison)
        if out.as_json:
            echo(to_json(as_data(comparison, file, notes.notes)), nl=False)
        else:
            print_comparison(comparison)
        out.say_written()
