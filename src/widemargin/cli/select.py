"""``widemargin select``: the data with the best features only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.choosing import find_method
from widemargin.cli.dataset import DataOptions, Dataset, plural
from widemargin.cli.engine import Engine, engine_options, fitted
from widemargin.cli.options import (
    MethodOptions,
    file_argument,
    method_option,
    shared_options,
)
from widemargin.cli.ranking import Ranking
from widemargin.cli.session import session
from widemargin.cli.writing import Output, save_frame, save_parts, to_json

if TYPE_CHECKING:
    from widemargin.cli.lazy import LazyDataset


@click.command(short_help="Print the best features, or write the data with only them.")
@file_argument
@method_option(several=False)
@engine_options
@shared_options
def select(
    file: str,
    method: str | None,
    engine: Engine,
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
    widemargin select huge.parquet -t label -n 50 --engine dask -o few.parquet
    widemargin select sonar.csv -m GFlip --json
    """
    endings = (".csv", ".tsv", ".parquet", *[".json"] * (engine.engine == "local"))
    out = out.checked(*endings)
    with session(out.quiet) as notes:
        if how.features is None and not _has_subset(method):
            how = replace(how, features="auto")
        with fitted(file, method, data, how, engine, notes) as ranking:
            names, support = ranking.dataset.features, ranking.selector.support_
            chosen = [name for name, kept in zip(names, support, strict=True) if kept]
            for path in out.output:
                _write(path, ranking.dataset, chosen)
        if out.as_json:
            click.echo(to_json(_as_data(ranking, chosen, notes.notes)), nl=False)
        elif not out.output:
            click.echo("\n".join(chosen))
        for path in out.output:
            _say_where(path, ranking, len(chosen), out)


def _write(path: str, dataset: Dataset | LazyDataset, chosen: list[str]) -> None:
    """Write the chosen features and the target of all rows of the file."""
    columns = [*chosen, dataset.target]
    if isinstance(dataset, Dataset):
        kept = dataset.raw[columns]
        save_frame(path, kept, lambda: _records(kept))
    else:
        save_parts(path, dataset.parts(columns))


def _say_where(path: str, ranking: Ranking, count: int, out: Output) -> None:
    if out.quiet:
        return
    features = plural(len(ranking.dataset.features), "feature")
    click.echo(
        f"{plural(ranking.dataset.n_lines, 'row')} with {count} of {features} and the "
        f"target written to {path}",
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
    told = ["feature", "rank", "score"]
    if ranking.interval is not None:
        told += ["low", "high"]
    rows = [{key: features[name][key] for key in told} for name in chosen]
    return {**whole, "selected": rows, "notes": notes}
