"""Results to files: all or nothing, nothing overwritten unasked, and no formulas."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from glob import glob, has_magic
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from widemargin.cli.problem import Problem, listed, needs, plural
from widemargin.cli.reading import Dialect
from widemargin.cli.terminal import UNSAFE, pour
from widemargin.plain import draft_of

if TYPE_CHECKING:
    import pandas as pd

    from widemargin.cli.reading import Source
    from widemargin.cli.session import Session

TEXT = {".csv", ".tsv"}
PACKED = (".gz", ".bz2", ".xz")  # of a text
BLANKS = r"\s+"  # separator of the reader for any number of blanks
# What a spreadsheet takes for the beginning of a formula.
LEADS = tuple("=+-@\t\r\n")
# A sign before nothing but a number, or a dash for "none".
HARMLESS = re.compile(
    r"[+-]*[\d.,'\u2019\s]*%?([eE][+-]?\d+)?|[+-](inf|infinity|nan)", re.IGNORECASE
)


def check_writable(
    option: str, path: Path, endings: tuple[str, ...], force: bool, source: str
) -> None:
    """Refuse what cannot, or should not, be written to."""
    ending = ending_of(path)
    if ending not in endings:
        raise Problem(
            f"{option} {path}: the file extension must be one of {', '.join(endings)}."
        )
    if ending == ".parquet" and not find_spec("pyarrow"):
        raise needs("pyarrow", "Parquet", "files")
    if ending == ".html" and not find_spec("jinja2"):
        raise needs("jinja2", "A report", "report")
    if path.is_dir():
        raise Problem(f"{option} {path} is a folder; a file is needed.")
    _refuse_source(option, path, source)
    if path.is_file() and not force:
        raise Problem(f"{path} exists already; --force replaces it.")
    if not path.parent.is_dir():
        raise Problem(f"{option} {path}: there is no folder {str(path.parent)!r}.")
    if not os.access(path.parent, os.W_OK):
        raise Problem(
            f"{option} {path}: no permission to write into {str(path.parent)!r}."
        )


def _refuse_source(option: str, path: Path, source: str) -> None:
    """Refuse to write to what is read, by any name, or into its folder."""
    if source == "-":
        return
    if Path(source).is_dir():
        if Path(source).resolve() in path.resolve().parents:
            raise Problem(
                f"{option} {path} is in the folder that is read; write elsewhere."
            )
        return
    for read in glob(source) if has_magic(source) else [source]:
        if path.exists() and os.path.exists(read) and os.path.samefile(path, read):
            raise Problem(
                f"{option} {path} is the file that is read; give it another name."
            )


def default_page(file: str, what: str) -> str:
    """Name of a page, after the data."""
    stem = re.sub(r"[*?\[\]]+", "", base_name(file).split(".")[0])  # of a pattern
    stem = stem.strip("-_ ") or PurePath(file).parent.name or "data"
    return f"{stem}-{what}.html"


def base_name(file: str) -> str:
    """Name of a file without its folder."""
    return "stdin" if file == "-" else PurePath(file).name


def ending_of(path: str | Path) -> str:
    """The ending that says what a file holds; one of a compressed text below that."""
    path = Path(path)
    ending = path.suffix.lower()
    below = Path(path.stem).suffix.lower()
    return below if ending in PACKED and below in TEXT else ending


def save(path: str | Path, write: Callable[[Path], Any]) -> None:
    """Write a whole file or none; ``write`` is given the place to write to."""
    goal = Path(path)
    try:
        if goal.exists() and not goal.is_file():  # a device or a pipe
            write(goal)
            return
        with draft_of(goal.resolve()) as draft:
            write(draft)
    except UnicodeEncodeError as error:
        raise Problem(
            f"cannot write {path}: {error.encoding} has no character "
            f"{error.object[error.start]!r}, which a name or a cell has."
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise Problem(f"cannot write {path}: {reason}.") from None


def save_frame(
    path: str,
    frame: pd.DataFrame,
    data: Callable[[], Any] | None = None,
    dialect: Dialect | None = None,
) -> None:
    """Write a frame as the extension says; ``data``, else the rows, go into .json."""
    if ending_of(path) == ".json":
        save_text(path, to_json(records(frame) if data is None else data()))
    else:
        save_parts(path, [frame], dialect)


def save_parts(
    path: str, parts: Iterable[pd.DataFrame], dialect: Dialect | None = None
) -> None:
    """Write frames with the same columns one after the other into one file."""
    if ending_of(path) == ".parquet":
        save(path, lambda p: _write_parquet(p, parts))
    else:
        packed = Path(path).suffix.lower()
        how = dialect or dialect_for(path, None, "")
        save(path, lambda p: _write_lines(p, packed, parts, how))


def _write_parquet(path: Path, parts: Iterable[pd.DataFrame]) -> None:
    from pyarrow import Table, parquet

    writer = None
    try:
        for part in parts:
            schema = None if writer is None else writer.schema
            table = Table.from_pandas(part, schema=schema, preserve_index=False)
            if writer is None:
                writer = parquet.ParquetWriter(path, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _write_lines(
    path: Path, packed: str, parts: Iterable[pd.DataFrame], dialect: Dialect
) -> None:
    import bz2
    import gzip
    import lzma

    openers: dict[str, Any] = dict(zip(PACKED, (gzip, bz2, lzma), strict=True))
    opener = openers[packed].open if packed in openers else open
    with opener(path, "wt", encoding=dialect.encoding, newline="") as file:
        for place, part in enumerate(parts):
            part.to_csv(file, header=place == 0, **_text_options(dialect))


def _text_options(dialect: Dialect) -> dict[str, Any]:
    """Arguments of `DataFrame.to_csv` that write a dialect."""
    return {"index": False, "sep": dialect.separator, "decimal": dialect.decimal}


def dialect_for(path: str, source: Source | None, name: str) -> Dialect:
    """How to write a text: as the one that was read, as far as the extension allows."""
    ending = ending_of(path)
    read = source.dialect if source is not None else None
    if ending == ".tsv":
        return replace(read or Dialect(), separator="\t")
    if read is None:
        return Dialect()
    if read.separator == BLANKS:
        read = replace(read, separator=" ")
    if read.separator in ",;|" or ending == ending_of(name):
        return read
    return replace(read, separator=";" if read.decimal == "," else ",")


def save_columns(
    path: str, source: Source, name: str, columns: list[str], notes: Session | None
) -> None:
    """Write columns of a file called ``name`` to a file, or to stdout if it is "".

    Cells of a text are as written there, if it becomes a text, and its dialect is kept
    as far as the extension allows. Given ``notes``, formulas are disarmed in a text.
    """
    goal = path or "stdout.csv"
    dialect, frame = dialect_for(goal, source, name), source.frame[columns]
    if ending_of(goal) in TEXT:
        numbers = [n for n in columns if frame[n].dtype.kind in "biuf"]
        frame = source.cells(columns) if source.cells else frame
        if notes is not None:
            (frame,) = without_formulas([frame], notes, numbers)
    if path:
        save_frame(path, frame, dialect=dialect)
    else:
        text = io.StringIO()
        frame.to_csv(text, **_text_options(dialect))
        pour(text.getvalue())


def is_formula(cell: Any) -> bool:
    """Whether a spreadsheet would take a cell for a formula.

    Examples
    --------
    >>> from widemargin.cli.writing import is_formula
    >>> [is_formula(t) for t in ("=1+1", "-2+cmd", "@SUM(A1)", "-2,5", "-", "a=b")]
    [True, True, True, False, False, False]
    """
    return (
        isinstance(cell, str)
        and cell.startswith(LEADS)
        and HARMLESS.fullmatch(cell) is None
    )


def without_formulas(
    frames: Iterable[pd.DataFrame], notes: Session, numbers: Collection[str] = ()
) -> Iterator[pd.DataFrame]:
    """The same frames with an apostrophe before formulas; a note says where.

    Columns of ``numbers`` are left as they are.
    """
    count, columns, headers = 0, dict[str, None](), dict[str, None]()
    for frame in frames:
        changed = {}
        for name in frame.columns:
            column = frame[name]
            if column.dtype.kind in "biufcmM" or name in numbers:
                continue
            formulas = column.map(is_formula, na_action="ignore") == True  # noqa: E712
            if formulas.any():
                text = column.astype(object)
                changed[name] = text.mask(formulas, "'" + text[formulas])
                count += int(formulas.sum())
                columns[str(name)] = None
        names = [str(name) for name in frame.columns if is_formula(str(name))]
        headers |= dict.fromkeys(names)
        frame = frame.assign(**changed) if changed else frame
        yield frame.rename(columns={name: f"'{name}" for name in names})
    done = []
    if headers:
        done.append(f"the column name{'s' * (len(headers) > 1)} {listed(headers)}")
    if count:
        done.append(f"{plural(count, 'cell')} of {listed(columns)}")
    if done:
        notes.note(
            f"put an apostrophe before {' and '.join(done)}, which a spreadsheet would "
            "run as a formula (--keep-formulas leaves them)."
        )


def save_text(path: str, text: str) -> None:
    """Write text in UTF-8."""
    save(path, lambda p: p.write_text(text, encoding="utf-8"))


def records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    """Rows of a frame, with JSON's null for what is missing."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def to_json(value: Any) -> str:
    """JSON for people and machines; numbers of NumPy become plain ones."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=_plain)
    # What JSON allows and a terminal obeys, as JSON escapes it.
    return UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)
