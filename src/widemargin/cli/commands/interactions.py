"""``widemargin interactions``: which pairs of features work together."""

from __future__ import annotations

from typing import Any

import click

from widemargin.cli.options import DataOptions, Output
from widemargin.cli.problem import plural
from widemargin.cli.session import plain_table, print_table, session, stdout, working
from widemargin.cli.terminal import echo, name_in_a_line
from widemargin.cli.usage import (
    SectionedCommand,
    file_argument,
    number_or,
    option,
    options_of,
)
from widemargin.cli.writing import records, save_frame, to_json


@click.command(
    cls=SectionedCommand, short_help="Say which pairs of features work together."
)
@file_argument
@option(
    "--candidates COLS", "Test the pairs of these features only: a,b,c", multiple=True
)
@option("--groups COL", "Column of group labels: rows of a group are not independent.")
@option(
    "--top N|all",
    "Number of pairs to print besides those that are found.  [5]",
    type=number_or("all"),
    default=5,
)
@options_of(data=DataOptions, out=Output, without=["weights", "event", "lifetime"])
def interactions(
    file: str,
    candidates: tuple[str, ...],
    top: int | str,
    data: DataOptions,
    out: Output,
) -> None:
    """Say which pairs of features of FILE tell more together than they tell apart.

    The effects of single features, however strong, are no interactions. q-values count
    all pairs of the table.

    \b
    widemargin interactions credit.csv
    widemargin interactions genes.parquet -t tissue -o pairs.csv
    widemargin interactions visits.csv --groups patient --json
    """
    out = out.checked(file, ".csv", ".tsv", ".parquet", ".json", labels=data.labels)
    with session(out.quiet) as notes:
        from widemargin.cli.columns import find_columns
        from widemargin.cli.fits import read_data

        table = read_data(file, data, notes)
        task = "regression" if table.numeric else "classification"
        names = table.X.columns
        chosen = find_columns(candidates, names, "--candidates") or None
        notes.begin()
        from widemargin.evaluation import interactions as find

        with working(notes):
            found = find(
                table.read_as("interactions"),
                table.y,
                candidates=chosen,
                groups=table.groups,
                task=task,
                random_state=data.seed,
                verbose=notes.verbose,
            )
        frame = found.to_frame()
        whole = {
            "file": table.name,
            "target": table.target,
            "n_samples": table.n_rows,
            "n_features": len(table.features),
            "task": task,
            "n_possible": found.n_possible,
            "n_found": len(found.found),
            "level": found.level,
            "pairs": records(frame),
            "notes": notes.notes,
        }
        for path in out.output:
            save_frame(path, frame, lambda: whole)
        if out.as_json:
            echo(to_json(whole), nl=False)
        elif not out.output:
            _print(found, frame, len(frame) if top == "all" else int(top))
        out.say_written(f"{plural(len(frame), 'pair')}")


def _print(found: Any, frame: Any, top: int) -> None:
    """Print the pairs that are found, in words, and the next ones."""
    console, n = stdout(), len(found.found)
    verb = "work" if n > 1 else "works"
    console.print(
        f"{n or 'None'} of {plural(found.n_possible, 'pair')} {verb} together "
        f"(q < {found.level:g})\n",
        soft_wrap=True,
    )
    table = plain_table("feature", "with", ">p", ">q")
    for row in frame.head(n + top).itertuples():
        table.add_row(
            name_in_a_line(row.feature_a),
            name_in_a_line(row.feature_b),
            f"{row.p_value:.2g}",
            f"{row.q_value:.2g}",
        )
    print_table(console, table)
    for text in frame["together"].head(n):
        console.print(f"\n{name_in_a_line(text)}", soft_wrap=not console.is_terminal)
