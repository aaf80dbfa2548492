"""What is known of each public data set: `sets.toml`, as records."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Entry:
    """One public data set.

    Attributes
    ----------
    name : str
    title : str
        What it is about.
    target : str
        "nominal" or "ordinal" classes, or "continuous".
    shape : tuple of int
        Rows and features, as published.
    origin, licence : str
    papers : tuple of str
        Those of the package's papers that use it.
    notes : tuple of str
        Its traps.
    loader : str or None
        Function of scikit-learn that loads it.
    openml : tuple of int
        Data ids on OpenML, whose columns belong side by side.
    checksum : str
        See `evidence.data.checksums`.
    """

    name: str
    title: str
    target: str
    shape: tuple[int, int]
    origin: str
    licence: str
    papers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    loader: str | None = None
    npz: bool = False  # the file holds arrays, else it is a CSV
    file_from: str | None = None  # where the file was copied from
    openml: tuple[int, ...] = ()
    openml_drop: tuple[str, ...] = ()
    openml_groups: str | None = None
    base: str | None = None  # the set it is derived from, by cutting its target
    cuts: tuple[float, ...] = ()
    classes: tuple[str, ...] = ()  # in their order, where that is not the alphabet's
    categorical: tuple[str, ...] = ()
    ordered: dict[str, list[str]] = field(default_factory=dict)
    zero_is_missing: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    groups_file: str | None = None
    groups_column: str | None = None
    image_shape: tuple[int, int] | None = None
    image_order: str = "C"
    train_rows: int | None = None
    official_split: bool = False
    checksum: str = ""
    order: str = ""

    @property
    def file(self) -> str | None:
        """Its file in a data folder."""
        if self.loader is not None:
            return None
        return f"{self.name}.npz" if self.npz else f"{self.name}.csv.gz"


@cache
def entries() -> dict[str, Entry]:
    """All data sets by name."""
    text = files("evidence.data").joinpath("sets.toml").read_text("utf-8")
    return {
        name: Entry(name=name, **{key: _fixed(value) for key, value in table.items()})
        for name, table in tomllib.loads(text).items()
    }


def _fixed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def find(name: str) -> Entry:
    """The data set of a name, in any case, or of another name it goes by."""
    known = {
        alias.lower(): entry
        for entry in entries().values()
        for alias in (entry.name, *entry.aliases)
    }
    if not isinstance(name, str):
        raise TypeError(f"The name of a data set is a string, got {name!r}.")
    if name.lower() in known:
        return known[name.lower()]
    close = get_close_matches(name.lower(), known, n=3)
    hint = (
        f" Did you mean {' or '.join(known[c].name for c in close)}?" if close else ""
    )
    raise ValueError(
        f"There is no data set {name!r}.{hint} evidence.data.list() names all."
    )
