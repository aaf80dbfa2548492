"""Results to files: all or nothing, and nothing overwritten unasked."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from glob import glob, has_magic
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widemargin.cli.problem import Problem, needs
from widemargin.cli.terminal import UNSAFE

if TYPE_CHECKING:
    from widemargin.cli.reading import Dialect

# Endings of compressed text, and what pandas calls them.
PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz"}


@dataclass(frozen=True)
class Output:
    """Where results go; see `options` for each."""

    output: tuple[str, ...] = ()
    force: bool = False
    as_json: bool = False
    quiet: bool = False

    def checked(
        self,
        source: str,
        *endings: str,
        default: str | None = None,
        labels: str | None = None,
    ) -> Output:
        """The same once it is sure, before any work, that writing may succeed.

        ``source`` and ``labels`` are what is read, which is never written to.
        """
        out = self
        if not self.output and default is not None and not self.as_json:
            out = replace(self, output=(default,))
        for path in map(Path, out.output):
            for read in filter(None, (source, labels)):
                check_writable("-o", path, endings, self.force, read)
        if len({os.path.realpath(path) for path in out.output}) < len(out.output):
            raise Problem("-o names the same file twice.")
        return out


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
    """Refuse to write to what is read, by whatever name, or into its folder."""
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


def ending_of(path: str | Path) -> str:
    """The ending that says what a file holds; one of a compressed text below that."""
    path = Path(path)
    ending = path.suffix.lower()
    below = Path(path.stem).suffix.lower()
    return below if ending in PACKED and below in {".csv", ".tsv"} else ending


def save(path: str | Path, write: Callable[[Path], Any]) -> None:
    """Write a whole file or none; ``write`` is given the place to write to."""
    goal = Path(path)
    try:
        if goal.exists() and not goal.is_file():  # a device or a pipe
            write(goal)
            return
        goal = goal.resolve()
        draft = goal.with_name(f".{goal.name}.{os.getpid()}")
        try:
            write(draft)
            os.replace(draft, goal)
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
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
    frame: Any,
    as_json: Callable[[], Any],
    dialect: Dialect | None = None,
) -> None:
    """Write a frame as its ending says; ``as_json`` gives what goes into .json.

    A text is in the given dialect.
    """
    ending = ending_of(path)
    if ending == ".json":
        save_text(path, to_json(as_json()))
    elif ending == ".parquet":
        save(path, lambda p: frame.to_parquet(p, index=False, engine="pyarrow"))
    else:
        options = text_options(path, dialect)
        save(path, lambda p: frame.to_csv(p, **options))


def text_options(path: str, dialect: Dialect | None) -> dict[str, Any]:
    """What `DataFrame.to_csv` has to be told to write a text of this name."""
    separator = "\t" if ending_of(path) == ".tsv" else ","
    how: dict[str, Any] = {"sep": separator, "encoding": "utf-8", "decimal": "."}
    if dialect is not None:
        how = {"sep": dialect.separator, "encoding": dialect.encoding}
        how["decimal"] = dialect.decimal
    packed = PACKED.get(Path(path).suffix.lower())
    return {"index": False, "compression": packed, **how}


def save_parts(path: str, parts: Iterable[Any], dialect: Dialect | None = None) -> None:
    """Write frames that have the same columns one after the other into one file."""
    if ending_of(path) == ".parquet":
        save(path, lambda p: _write_parquet(p, parts))
    else:
        save(path, lambda p: _write_lines(p, parts, text_options(path, dialect)))


def _write_parquet(path: Path, parts: Iterable[Any]) -> None:
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


def _write_lines(path: Path, parts: Iterable[Any], how: dict[str, Any]) -> None:
    import bz2
    import gzip
    import lzma

    how = dict(how)
    openers: dict[str | None, Callable[..., Any]] = {
        "gzip": gzip.open,
        "bz2": bz2.open,
        "xz": lzma.open,
    }
    opener = openers.get(how.pop("compression"), open)
    with opener(path, "wt", encoding=how.pop("encoding"), newline="") as file:
        for place, part in enumerate(parts):
            part.to_csv(file, header=place == 0, **how)


def save_text(path: str, text: str) -> None:
    """Write text in UTF-8."""
    save(path, lambda p: _write_text(p, text))


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def to_json(value: Any) -> str:
    """JSON for people and machines; numbers of NumPy become plain ones."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=_plain)
    # What JSON allows and a terminal obeys, as JSON escapes it.
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)
