"""``widemargin rank`` and ``select``: the best features, or the data with only them."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.choosing import find_method
from widemargin.cli.options import DataOptions, Engine, MethodOptions, Output
from widemargin.cli.printing import print_ranking
from widemargin.cli.problem import Problem, plural
from widemargin.cli.reading import look
from widemargin.cli.session import Session, session
from widemargin.cli.terminal import echo, name_in_a_line, say
from widemargin.cli.usage import (
    SectionedCommand,
    file_argument,
    formulas_option,
    keep_option,
    method_option,
    number_or,
    option,
    options_of,
)
from widemargin.cli.writing import (
    TEXT,
    check_writable,
    dialect_for,
    ending_of,
    save,
    save_columns,
    save_frame,
    save_parts,
    to_json,
    without_formulas,
)

if TYPE_CHECKING:
    from widemargin.cli.fits import Ranking
    from widemargin.cli.prepare import Dataset


@click.command(cls=SectionedCommand)
@file_argument
@method_option(several=False)
@option(
    "--top N|all",
    "Number of features to print.  [20]",
    type=number_or("all"),
    default=20,
)
@formulas_option
@options_of(engine=Engine, how=MethodOptions, data=DataOptions, out=Output)
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
    widemargin rank patients.csv --event died --time days
    widemargin rank huge.parquet -t label --samples auto -n 20
    widemargin rank "days/*.parquet" -t label --engine dask
    zcat big.csv.gz | widemargin rank - --json | jq '.features[:10]'
    widemargin rank faces.mat -k 5 -o ranking.csv
    """
    out = out.checked(file, ".csv", ".tsv", ".parquet", ".json", labels=data.labels)
    _look(file, engine)
    with session(out.quiet) as notes:
        from widemargin.cli.fits import fitted

        ranking = fitted(file, method, data, how, engine, notes)
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


def _look(file: str, engine: Engine) -> None:
    """Refuse what cannot be read before anything is imported for it."""
    if engine.engine == "dask":
        return
    if engine.scheduler is not None:
        raise Problem("--scheduler is for --engine dask.")
    look(file)


def _is_chosen(ranking: Ranking, how: MethodOptions) -> bool:
    """Whether the selection is anyone's choice rather than the default half."""
    natural = ranking.selector._natural_support()
    return how.features is not None or natural is not None


@click.command(
    cls=SectionedCommand,
    short_help="Print the best features, or write the data with only them.",
)
@file_argument
@method_option(several=False)
@option(
    "--save FILE.json",
    "Save the selection, for `widemargin apply` and `widemargin.Selection.load`.",
    name="saved",
    type=click.Path(path_type=str),
)
@keep_option
@formulas_option
@options_of(engine=Engine, how=MethodOptions, data=DataOptions, out=Output)
def select(
    file: str,
    method: str | None,
    saved: str | None,
    formulas: bool,
    engine: Engine,
    data: DataOptions,
    how: MethodOptions,
    out: Output,
) -> None:
    """Select features of FILE: print their names, or write the data with only them.

    Without -m and a number, the features are those that `widemargin compare`
    recommends, and a note says what they are worth. With -m and without -n, a method
    that finds its own subset (such as GFlip) keeps it; others use -n auto: the smallest
    top-k whose cross-validated 1-NN accuracy is within one standard error of the best,
    without near copies if the folds show no loss (--redundancy auto).

    Text files are written as they were read, with the same separator, decimal mark and
    encoding.

    \b
    widemargin select iris.csv -n 2
    widemargin select credit.csv -n 10 --keep customer -o few.csv --save few.json
    widemargin apply few.json new.csv -o new-few.csv
    widemargin select genes.parquet -t tissue -n 50 -o few.parquet
    widemargin select huge.parquet -t label -n 50 --engine dask -o few.parquet
    widemargin select genes.csv -t weight,height
    widemargin select sonar.csv -m GFlip --json
    """
    endings = (".csv", ".tsv", ".parquet", *[".json"] * (engine.engine == "local"))
    out = out.checked(file, *endings, labels=data.labels)
    if saved is not None:
        check_writable("--save", Path(saved), (".json",), out.force, file)
    _look(file, engine)
    with session(out.quiet) as notes:
        from widemargin.cli.fits import choose, fitted

        if _is_open(how, method, engine):
            ranking = choose(file, data, how, notes)
        else:
            how = _with_defaults(how, method, engine)
            ranking = fitted(file, method, data, how, engine, notes)
        names, support = ranking.dataset.features, ranking.selector.support_
        chosen = [name for name, kept in zip(names, support, strict=True) if kept]
        for path in out.output:
            _write(path, ranking.dataset, chosen, formulas, notes)
        if saved is not None:
            _save(saved, ranking)
        if out.as_json:
            echo(to_json(_as_data(ranking, chosen, notes.notes)), nl=False)
        elif not out.output:
            echo("\n".join(map(name_in_a_line, chosen)))
        out.say_written(_described(ranking.dataset, len(chosen)))
        if saved is not None and not out.quiet:
            say(f"selection saved to {saved}")


def _write(
    path: str,
    dataset: Dataset,
    chosen: list[str],
    formulas: bool,
    notes: Session,
) -> None:
    """Write the chosen features and the target of all rows of the file."""
    columns = [*dataset.kept, *chosen, *dataset.targets]
    if dataset.parts is None:
        told = None if formulas else notes
        save_columns(path, dataset.source, dataset.name, columns, told)
        return
    parts = dataset.parts(columns)
    if ending_of(path) in TEXT and not formulas:
        parts = without_formulas(parts, notes)
    save_parts(path, parts, dialect_for(path, dataset.source, dataset.name))


def _save(path: str, ranking: Ranking) -> None:
    """Write the selection, with all that `apply` needs."""
    from widemargin.selection import Selection

    dataset = ranking.dataset
    dialect = dataset.source.dialect
    selection = Selection.from_selector(
        ranking.selector,
        feature_names=dataset.features,
        file=dataset.name,
        settings={
            "target": dataset.target,
            "n_rows": dataset.n_rows,
            "n_columns": len(dataset.raw.columns),
            "header": dialect is None or dialect.header,
        },
    )
    save(path, selection.save)


def _described(dataset: Dataset, count: int) -> str:
    """Say what is in the file that is written."""
    with_them = "".join(f"{name!r}, " for name in dataset.kept)
    return (
        f"{plural(dataset.n_lines, 'row')} with {with_them}{count} of "
        f"{plural(len(dataset.features), 'feature')} and the target"
    )


def _is_open(how: MethodOptions, method: str | None, engine: Engine) -> bool:
    """Whether the user leaves open what to select by, and how many features."""
    on_dask = engine.engine == "dask" or engine.scheduler is not None
    number = how.features not in (None, "auto")
    tried = how.redundancy == "auto"
    return how.for_any_method and not (method or on_dask or number or tried)


def _with_defaults(
    how: MethodOptions, method: str | None, engine: Engine
) -> MethodOptions:
    """Let folds choose what the user leaves open."""
    chosen = None if method is None else find_method(method)
    if how.features is not None or (chosen and chosen._gives_subset):
        return how
    how = replace(how, features="auto")
    able = chosen is None or "redundancy" in signature(chosen).parameters
    asked = how.redundancy is not None or "redundancy" in dict(how.param)
    if engine.engine == "local" and able and not asked:
        how = replace(how, redundancy="auto")
    return how


def _as_data(ranking: Ranking, chosen: list[str], notes: list[str]) -> dict[str, Any]:
    whole = ranking.data(notes)
    features = {row["feature"]: row for row in whole.pop("features")}
    del whole["notes"]
    keys = ["feature", "rank", "score"]
    if ranking.interval is not None:
        keys += ["low", "high"]
    rows = [{key: features[name][key] for key in keys} for name in chosen]
    return {**whole, "selected": rows, "notes": notes}
