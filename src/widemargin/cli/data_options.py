"""Options that say how a file is read and what its columns are.

Like those of `widemargin.cli.options`, each group is a dataclass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import click

from widemargin.cli.options import PATH, existing
from widemargin.cli.reading import Request
from widemargin.cli.reading.files import FORMATS
from widemargin.cli.usage import (
    at_least,
    declared,
    image_order,
    image_shape,
    share,
    words,
)


@dataclass(frozen=True)
class FileOptions:
    """How a file is read."""

    header: bool | None = declared(
        "--header/--no-header",
        "Whether the first line of a text file has the names.  [detected]",
        default=None,
    )
    format: str | None = declared(
        "--format",
        "File format.  [by the file extension]",
        type=click.Choice(list(FORMATS)),
    )
    sheet: str | None = declared(
        "--sheet NAME",
        "Sheet of an Excel file, by name or index (0 is the first).  [the first]",
    )
    transpose: bool = declared(
        "--transpose",
        "Exchange rows and columns of a table that has features as rows, named by its "
        "first column.",
        is_flag=True,
    )


@dataclass(frozen=True)
class DataOptions(FileOptions):
    """What the user says about the data."""

    target: str | None = declared(
        "--target -t COL",
        "Target column, by name or index (0 is the first, -1 the last), or several, "
        "a,b,c.  [the last]",
    )
    labels: str | None = declared(
        "--labels FILE",
        "A second table with target and groups, joined by the first column of both.",
        type=PATH,
        callback=existing,
    )
    weights: str | None = declared(
        "--weights COL",
        "Column with the weight of each row, such as a survey's; 0 leaves a row out.",
    )
    task: str | None = declared(
        "--task",
        "Whether the target holds classes or numbers.  [regression for decimals and "
        "for numbers that mostly occur once]",
        type=click.Choice(["classification", "regression"]),
    )
    drop: tuple[str, ...] = declared(
        "--drop COLS", "Columns to drop: a,b,c", multiple=True
    )
    categorical: tuple[str, ...] = declared(
        "--categorical COLS",
        "Numeric columns that are codes of categories; the target may be one.",
        multiple=True,
    )
    feature_groups: tuple[str, ...] = declared(
        "--feature-groups prefix|NAME=COLS|FILE",
        "Columns that stay or go together, as one feature: those whose names agree up "
        "to the last underscore; or colour=red,green,blue, once for each group; or a "
        "file with such lines.",
        multiple=True,
    )
    covariates: tuple[str, ...] = declared(
        "--covariates COLS",
        "What the features are to tell something beyond, such as batch,age; these "
        "columns are no features.",
        multiple=True,
    )
    missing: tuple[str, ...] = declared(
        "--missing TOKENS",
        "Additional markers of a missing value, besides NA, ? and the usual ones: "
        "-999,unknown. One with a comma is in double quotes: '\"n,a\"'",
        type=words,
        default=(),
    )
    max_missing: float | None = declared(
        "--max-missing SHARE",
        "Leave out columns with a larger share of missing values; 1 keeps them.  "
        "[0.95]",
        type=share,
    )
    ordinal: tuple[str, ...] = declared(
        "--ordinal LABELS",
        "The classes in order, lowest first: low,mid,high",
        type=words,
        default=(),
    )
    bins: int | None = declared(
        "--bins N",
        "Bin a numeric target into N classes of equal size.",
        type=at_least(2),
    )
    sample: int | None = declared(
        "--sample N",
        "Use a random sample of N rows, of each class in proportion to its size.",
        type=at_least(2),
    )
    keep_ids: bool = declared(
        "--keep-ids", "Keep columns that only identify rows.", is_flag=True
    )
    image_shape: tuple[int, int] | None = declared(
        "--image-shape HxW",
        "Features are the pixels of images of this size: 32x32",
        type=image_shape,
    )
    image_order: Literal["C", "F"] = declared(
        "--image-order rows|columns",
        "Whether images are flattened row by row or, as in MATLAB, column by "
        "column.  [rows]",
        type=image_order,
        default="C",
    )
    seed: int = declared("--seed N", "Random seed.  [0]", type=at_least(0), default=0)
    keep: tuple[str, ...] = ()  # the last five are options of some commands only
    groups: str | None = None
    time: str | None = None
    event: str | None = None
    lifetime: str | None = None

    @property
    def order(self) -> str | None:
        """Column by which rows are put in order; survival times are no order."""
        return self.time if self.event is None else None

    @property
    def request(self) -> Request:
        """What of it is for the reader of the file."""
        return Request(
            self.target,
            self.missing,
            self.header,
            self.sheet,
            transpose=self.transpose,
            labels=self.labels,
            row_names=self.transpose or self.labels is not None,
        )


@dataclass(frozen=True)
class EventOptions(DataOptions):
    """The same, where the target may be survival times."""

    event: str | None = declared(
        "--event COL",
        "Column that says whether the event happened (1, true, yes) or the row is "
        "censored; with --time, the target is survival.",
    )


@dataclass(frozen=True)
class FitOptions(EventOptions):
    """The same, for one method or `AutoSelector`."""

    lifetime: str | None = declared(
        "--time COL", "Column of the survival times, with --event.", name="lifetime"
    )
