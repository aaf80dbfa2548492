"""What readers are given and what they return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from widemargin.cli.problem import listed

if TYPE_CHECKING:
    import pandas as pd

# What people write where they have no value.
MISSING = (
    "",
    "?",
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "<NA>",
    "NaN",
    "nan",
    "-nan",
    "NULL",
    "null",
    "None",
)


@dataclass(frozen=True)
class Request:
    """How the user wants a file to be read."""

    target: str | None = None
    missing: tuple[str, ...] = ()
    header: bool | None = None  # None infers it
    sheet: str | None = None  # of a workbook, by name or place; None is the first
    names: tuple[str, ...] = ()  # columns that a file with a header has
    transpose: bool = False  # whether rows are features
    labels: str | None = None  # a second file, with columns for the same rows
    row_names: bool = False  # whether the first column is to name the rows


@dataclass(frozen=True)
class Dialect:
    """How a text is written."""

    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    header: bool = True


@dataclass
class Source:
    """A table as it is in the file."""

    frame: pd.DataFrame
    # The column that holds the classes, where the format keeps them apart.
    target: str | None = None
    # Columns that describe the rows, and are never features; None if any may be one.
    about: tuple[str, ...] | None = None
    key: str | None = None  # the column that names the rows, where that is known
    notes: list[str] = field(default_factory=list)
    decimal: str = "."  # the mark that most of its numbers have
    hint: str = ""  # where else in the file there may be a table
    dialect: Dialect | None = None  # of a text
    # Arguments of `pandas.read_csv`, besides the name, that read a text so.
    reading: dict[str, Any] | None = None
    # Reads some columns of a text again, with every cell as it is written there.
    cells: Callable[[list[str]], pd.DataFrame] | None = None


def distinct(file: str, names: Sequence[str], notes: list[str]) -> list[str]:
    """Names of columns without duplicates; the second 'a' becomes 'a.1'."""
    taken, met = set(names), dict[str, int]()
    new: list[str] = []
    renamed: dict[str, list[str]] = {}
    for name in names:
        unlike = name
        while unlike in taken and name in met:
            met[name] += 1
            unlike = f"{name}.{met[name]}"
        if unlike != name:
            renamed.setdefault(name, []).append(unlike)
            taken.add(unlike)
        met.setdefault(name, 0)
        new.append(unlike)
    if renamed:
        others = [name for names in renamed.values() for name in names]
        notes.append(
            f"{file} has more than one column named {listed(renamed)}; the later ones "
            f"are called {listed(others)}."
        )
    return new


def lines_above(count: int, file: str) -> str:
    """Say that titles above a table are skipped."""
    lines = "a line" if count == 1 else f"{count} lines"
    return f"skipped {lines} above the table of {file}"


def is_whole(column: pd.Series[Any]) -> bool:
    """Whether all numbers of a column are whole."""
    return bool((column.dropna() % 1 == 0).all())


def without_points(column: pd.Series[Any]) -> pd.Series[Any]:
    """Whole numbers as integers, whose text has no decimal point; others unchanged."""
    whole = column.dtype.kind == "f" and is_whole(column)
    return column.astype("Int64") if whole else column


def exact_numbers() -> dict[str, Any]:
    """Arguments of `pandas.read_csv` to read numbers to the last digit.

    From pandas 3.1 on that is the default, and the argument is deprecated.
    """
    import pandas as pd

    major, minor = (int(part) for part in pd.__version__.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}
