"""``widemargin rank``: the features of a file, best first."""

from __future__ import annotations

import click

from widemargin.cli.fits import Ranking, fitted
from widemargin.cli.options import (
    Engine,
    MethodOptions,
    file_argument,
    formulas_option,
    method_option,
    options_of,
    redundancy_option,
)
from widemargin.cli.prepare import DataOptions
from widemargin.cli.printing import print_ranking
from widemargin.cli.problem import plural
from widemargin.cli.session import session
from widemargin.cli.terminal import echo
from widemargin.cli.usage import SectionedCommand, number_or, option
from widemargin.cli.writing import (
    TEXT,
    Output,
    ending_of,
    save_frame,
    to_json,
    without_formulas,
)


@click.command(cls=SectionedCommand)
@file_argument
@method_option(several=False)
@option(
    "--top N|all",
    "Number of features to print.  [20]",
    type=number_or("all"),
    default=20,
)
@redundancy_option
@formulas_option
@options_of("engine", "how", "data", "out")
def rank(
    file: str,
    method: str | None,
    top: int | str,
    engine: Engine,
    data: DataOptions,
    how: MethodOptions,
    out: Output,
    formulas: bool,
) -> None:
    """Rank the features of FILE, best first.

    \b
    widemargin rank iris.csv
    widemargin rank genes.parquet --target tissue --method Simba --top 50
    widemargin rank credit.csv --target grade --ordinal low,mid,high -m OSimba
    widemargin rank houses.csv -t price
    widemargin rank huge.parquet -t label --samples auto -n 20
    widemargin rank "days/*.parquet" -t label --engine dask
    zcat big.csv.gz | widemargin rank - --json | jq '.features[:10]'
    widemargin rank faces.mat -k 5 -o ranking.csv
    """
    out = out.checked(file, ".csv", ".tsv", ".parquet", ".json", labels=data.labels)
    with session(out.quiet) as notes:
        with fitted(file, method, data, how, engine, notes) as ranking:
            pass
        for path in out.output:
            frame = ranking.frame
            if ending_of(path) in TEXT and not formulas:
                (frame,) = without_formulas([frame], notes)
            save_frame(path, frame, lambda: ranking.data(notes.notes))
        if out.as_json:
            echo(to_json(ranking.data(notes.notes)), nl=False)
        elif not out.output:
            count = len(ranking.frame) if top == "all" else int(top)
            print_ranking(ranking, count, marked=_is_chosen(ranking, how))
        out.say_written(f"ranking of {plural(len(ranking.frame), 'feature')}")


def _is_chosen(ranking: Ranking, how: MethodOptions) -> bool:
    """Whether the selection is anyone's choice rather than the default half."""
    natural = ranking.selector._natural_support()
    return how.features is not None or natural is not None
