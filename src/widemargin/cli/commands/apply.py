"""``widemargin apply``: a saved selection on another file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from widemargin.cli.options import FileOptions, Output
from widemargin.cli.problem import Problem, did_you_mean, listed, plural
from widemargin.cli.reading import Request, Source, read
from widemargin.cli.session import Session, session
from widemargin.cli.usage import formulas_option, keep_option, options_of
from widemargin.cli.writing import save_columns

if TYPE_CHECKING:
    from widemargin.selection import Selection


@click.command(short_help="Reduce another file to the features of a saved selection.")
@click.argument("selection", type=click.Path(path_type=str), metavar="SELECTION.json")
@click.argument("file", type=click.Path(allow_dash=True, path_type=str), metavar="FILE")
@keep_option
@formulas_option
@options_of(how=FileOptions, out=Output, without=["as_json"])
def apply(
    selection: str,
    file: str,
    keep: tuple[str, ...],
    formulas: bool,
    how: FileOptions,
    out: Output,
) -> None:
    """Reduce FILE to the features of a saved selection.

    Columns are found by name, in any order. They are written in the order of the file
    that the selection was made from, to stdout as CSV unless -o names a file. The
    target, if present, is kept only with --keep.

    \b
    widemargin select credit.csv -n 10 --save few.json
    widemargin apply few.json new.csv -o new-few.csv
    widemargin apply few.json new.csv --keep customer,grade > new-few.csv
    """
    out.checked(file, ".csv", ".tsv", ".parquet", ".json", labels=selection)
    known = _load(selection)
    with session(out.quiet) as notes:
        from widemargin.cli.columns import find_columns

        with notes.reading(file):
            names = tuple(map(str, known.kept))
            request = Request(
                header=how.header,
                sheet=how.sheet,
                names=names,
                transpose=how.transpose,
                row_names=how.transpose,
            )
            source = read(file, request, how.format, least=1)
        notes.note(*source.notes)
        source.frame.columns = source.frame.columns.map(str)
        kept = find_columns(keep, source.frame.columns, "--keep")
        _check(known, source, selection, file)
        _say_what_differs(known, source, kept, notes)
        notes.begin()
        columns = list(dict.fromkeys([*kept, *known.kept]))
        for path in out.output or [""]:
            save_columns(path, source, file, columns, None if formulas else notes)
        out.say_written(
            f"{plural(len(source.frame), 'row')} with {plural(len(columns), 'column')}"
        )


def _load(path: str) -> Selection:
    from widemargin.selection import Selection

    try:
        return Selection.load(path)
    except FileNotFoundError:
        raise Problem(f"there is no file {path!r}.") from None
    except OSError as error:
        raise Problem(f"{path!r} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        text = str(error).removeprefix("Selection.load: ")
        raise Problem(f"{text} `widemargin select --save` writes one.") from None


def _check(known: Selection, source: Source, selection: str, file: str) -> None:
    """Refuse a file that lacks features, or in which they cannot be told apart."""
    columns = list(source.frame.columns)
    name = "stdin" if file == "-" else file
    wanted = (known.settings or {}).get("n_columns")
    nameless = source.dialect is not None and not source.dialect.header
    if nameless and wanted not in (None, len(columns)):
        raise Problem(
            f"{name} has no header and {plural(len(columns), 'column')}, where the "
            f"file of {selection} has {wanted}: columns cannot be matched (--header "
            "uses the first line as names)."
        )
    lacking = [feature for feature in known.kept if feature not in columns]
    if not lacking:
        return
    lower = {column.strip().lower(): column for column in columns}
    hint = did_you_mean(lacking[0], columns)
    same = lower.get(lacking[0].strip().lower())
    if same is not None:
        hint = f" It has {same!r}, though; rename it if that is {lacking[0]!r}."
    share = f"{len(lacking)} of the {plural(len(known.kept), 'feature')}"
    if len(lacking) == len(known.kept):
        share = "all features" if len(lacking) > 1 else "the feature"
    raise Problem(f"{name} lacks {share} of {selection}: {listed(lacking)}.{hint}")


def _say_what_differs(
    known: Selection, source: Source, kept: list[str], notes: Session
) -> None:
    """Note columns that the selection does not know, and another order."""
    columns, features = list(source.frame.columns), known.feature_names_in_.tolist()
    target = (known.settings or {}).get("target")
    if target in columns and target not in kept:
        notes.note(f"left out the target, {target!r} (--keep keeps it).")
    known_columns = {*features, *kept}
    other = [c for c in columns if c not in known_columns and c != target]
    if other:
        notes.note(
            f"left out {listed(other)}: not among the {len(features)} features to "
            "select from (--keep keeps columns)."
        )
    there = set(columns) & set(features)
    order = [c for c in columns if c in there]
    if order != [f for f in features if f in there]:
        notes.note("the columns are in another order; they were found by name.")
