"""What readers are asked for, and what they give."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

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
class Wishes:
    """How the user wants a file to be read."""

    target: str | None = None
    missing: tuple[str, ...] = ()
    header: bool | None = None  # None finds out


@dataclass
class Source:
    """A table as it is in the file."""

    frame: pd.DataFrame
    # The column that holds the classes, where the format keeps them apart.
    target: str | None = None
    notes: list[str] = field(default_factory=list)
    decimal: str = "."  # the mark that most of its numbers have
