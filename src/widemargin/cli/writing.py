"""Results to files: all or nothing, and nothing overwritten unasked."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from widemargin.cli.problem import Problem, needs


@dataclass(frozen=True)
class Output:
    """Where results go; see `options` for each."""

    output: tuple[str, ...] = ()
    force: bool = False
    as_json: bool = False
    quiet: bool = False

    def checked(self, *endings: str, default: str | None = None) -> Output:
        """The same once it is sure, before any work, that writing may succeed."""
        out = self
        if not self.output and default is not None and not self.as_json:
            out = replace(self, output=(default,))
        for path in map(Path, out.output):
            _check(path, endings, self.force)
        return out


def _check(path: Path, endings: tuple[str, ...], force: bool) -> None:
    if path.suffix.lower() not in endings:
        raise Problem(
            f"-o {path}: the ending must say what to write: {', '.join(endings)}."
        )
    if path.suffix.lower() == ".parquet" and not find_spec("pyarrow"):
        raise needs("pyarrow", "Parquet", '"widemargin[files]"')
    if path.suffix.lower() == ".html" and not find_spec("jinja2"):
        raise needs("jinja2", "A report", '"widemargin[report]"')
    if path.is_dir():
        raise Problem(f"-o {path} is a folder; a file is needed.")
    if path.is_file() and not force:
        raise Problem(f"{path} exists already; --force replaces it.")
    if not path.parent.is_dir():
        raise Problem(f"-o {path}: there is no folder {str(path.parent)!r}.")
    if not os.access(path.parent, os.W_OK):
        raise Problem(f"-o {path}: you may not write into {str(path.parent)!r}.")


def save(path: str | Path, write: Callable[[Path], None]) -> None:
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
    except OSError as error:
        reason = error.strerror or str(error)
        raise Problem(f"cannot write {path}: {reason}.") from None


def save_frame(path: str, frame: Any, as_json: Callable[[], Any]) -> None:
    """Write a frame as its ending says; ``as_json`` gives what goes into .json."""
    ending = Path(path).suffix.lower()
    if ending == ".json":
        save_text(path, to_json(as_json()))
    elif ending == ".parquet":
        save(path, lambda p: frame.to_parquet(p, index=False, engine="pyarrow"))
    else:
        separator = "\t" if ending == ".tsv" else ","
        save(path, lambda p: frame.to_csv(p, index=False, sep=separator))


def save_parts(path: str, parts: Iterable[Any]) -> None:
    """Write frames that have the same columns one after the other into one file."""
    ending = Path(path).suffix.lower()
    if ending == ".parquet":
        save(path, lambda p: _write_parquet(p, parts))
    else:
        save(path, lambda p: _write_lines(p, parts, "\t" if ending == ".tsv" else ","))


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


def _write_lines(path: Path, parts: Iterable[Any], separator: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        for place, part in enumerate(parts):
            part.to_csv(file, index=False, sep=separator, header=place == 0)


def save_text(path: str, text: str) -> None:
    """Write text in UTF-8."""
    save(path, lambda p: _write_text(p, text))


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def to_json(value: Any) -> str:
    """JSON for people and machines; numbers of NumPy become plain ones."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=_plain) + "\n"


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)
