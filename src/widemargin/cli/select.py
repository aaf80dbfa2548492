"""``widemargin select``: the data with the best features only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from widemargin.cli.choosing import find_method
from widemargin.cli.dataset import DataOptions, plural
from widemargin.cli.options import (
    MethodOptions,
    file_argument,
    method_option,
    shared_options,
)
from widemargin.cli.ranking import Ranking, fit
from widemargin.cli.session import session
from widemargin.cli.writing import Output, save_frame, to_json


@click.command()
@file_argument
@method_option(several=False)
@shared_options
def select(
    file: str,
    method: str | None,
    data: DataOptions,
    how: MethodOptions,
    out: Output,
) -> None:
    """Select features of FILE: print their names, or write the data with only them.

    Without -n, a method that has a subset of its own (such as GFlip) keeps it, and
    others keep as many as a nearest-neighbour classifier does best with (-n auto).

    \b
    widemargin select iris.csv -n 2
    widemargin select genes.parquet -t tissue -n 50 -o few.parquet
    widemargin select sonar.csv -m GFlip --json
    """
    out = out.checked(".csv", ".tsv", ".parquet", ".json")
    with session(out.quiet) as notes:
        if how.features is None and not _has_subset(method):
            how = replace(how, features="auto")
        ranking = fit(file, method, data, how, notes)
        chosen = [str(n) for n in ranking.dataset.X.columns[ranking.selector.support_]]
        kept = ranking.dataset.raw[[*chosen, ranking.dataset.target]]
        for path in out.output:
            save_frame(path, kept, lambda: _records(kept))
        if out.as_json:
            click.echo(to_json(_as_data(ranking, chosen, notes.notes)), nl=False)
        elif not out.output:
            click.echo("\n".join(chosen))
        for path in out.output:
            if not out.quiet:
                click.echo(
                    f"{plural(len(kept), 'row')} with {len(chosen)} of "
                    f"{plural(ranking.dataset.X.shape[1], 'feature')} and the target "
                    f"written to {path}",
                    err=True,
                )


def _records(frame: Any) -> list[dict[str, Any]]:
    """Rows of a frame, with JSON's null for what is missing."""
    rows: list[dict[str, Any]] = (
        frame.astype(object).where(frame.notna(), None).to_dict("records")
    )
    return rows


def _has_subset(method: str | None) -> bool:
    return method is not None and find_method(method)._about.gives == "subset"


def _as_data(ranking: Ranking, chosen: list[str], notes: list[str]) -> dict[str, Any]:
    whole = ranking.data(notes)
    features = {row["feature"]: row for row in whole.pop("features")}
    del whole["notes"]
    rows = [
        {"feature": n, "rank": features[n]["rank"], "score": features[n]["score"]}
        for n in chosen
    ]
    return {**whole, "selected": rows, "notes": notes}
