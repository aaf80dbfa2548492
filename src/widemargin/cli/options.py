"""Options that several commands share, each written once.

A group of options is a dataclass, whose fields are the options; it reaches its command
as one object.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import click

from widemargin.cli.problem import Problem
from widemargin.cli.reading import Request
from widemargin.cli.reading.files import FORMATS
from widemargin.cli.terminal import say
from widemargin.cli.usage import (
    JSON,
    PATH,
    QUIET,
    at_least,
    declared,
    existing,
    feature_count,
    image_order,
    image_shape,
    number_or,
    parameter,
    seconds,
    share,
    similarity,
    words,
)
from widemargin.cli.writing import check_writable


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
    event: str | None = declared(
        "--event COL",
        "Column that says whether the event happened (1, true, yes) or the row is "
        "censored; with --time, the target is survival.",
    )
    lifetime: str | None = declared(
        "--time COL", "Column of the survival times, with --event.", name="lifetime"
    )
    keep: tuple[str, ...] = ()  # the last three are declared elsewhere
    groups: str | None = None
    time: str | None = None

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
class MethodOptions:
    """Options of a method; None for those that are not given."""

    features: int | float | str | None = declared(
        "--features -n N|SHARE|auto",
        "Number of features to select, a fraction such as 0.25, or auto, which chooses "
        "the number by cross-validation.",
        type=feature_count,
    )
    redundancy: float | str | None = declared(
        "--redundancy SIMILARITY|auto|none",
        "Skip near copies: features whose correlation with a better one that is kept "
        "(for mixed data: symmetrical uncertainty) is at least this; auto, with -m, "
        "tries none, 0.9 and 0.7 in folds.  [0.9 for `compare`, `report` and `select`; "
        "with -m, auto; with a number of features, and for `rank`, none]",
        type=similarity,
    )
    neighbors: int | str | None = declared(
        "--neighbors -k N|log",
        "Number of nearest neighbours, or log for the logarithm of the number of "
        "rows.  [the method's default]",
        type=number_or("log"),
    )
    metric: str | None = declared(
        "--metric",
        "Distance.  [manhattan for RReliefF, SURF and its variants, else euclidean]",
        type=click.Choice(["euclidean", "manhattan"]),
    )
    scale: str | None = declared(
        "--scale",
        "How to scale features: by their range, by their largest absolute value, by "
        "their standard deviation, by their ranks (for skewed ones), or not at all.  "
        "[minmax; standard for KernelRFE]",
        type=click.Choice(["minmax", "maxabs", "standard", "rank", "none"]),
    )
    samples: int | str | None = declared(
        "--samples N|auto",
        "Number of rows to visit; auto visits random rows until the selection is "
        "settled.  [all]",
        type=number_or("auto"),
    )
    param: tuple[tuple[str, Any], ...] = declared(
        "--param -p NAME=VALUE",
        "Any other parameter of the method: utility=sigmoid",
        multiple=True,
        type=parameter,
    )
    jobs: int | None = declared(
        "--jobs -j N", "Number of threads.  [all cores]", type=int
    )
    seed: int = 0  # as of the data

    @property
    def of_methods(self) -> MethodOptions:
        """The same without those that are for the choice among methods, too."""
        return replace(self, features=None, redundancy=None)

    @property
    def for_any_method(self) -> bool:
        """Whether no option is for some methods only."""
        return self.of_methods == MethodOptions(jobs=self.jobs, seed=self.seed)


@dataclass(frozen=True)
class Engine:
    """Where a method runs: on the table in memory, or part by part on Dask."""

    engine: str = declared(
        "--engine",
        "dask reads Parquet and CSV in partitions, for files larger than memory; FILE "
        "may be a folder or a pattern such as 'days/*.parquet'.  [local]",
        type=click.Choice(["local", "dask"]),
        default="local",
    )
    scheduler: str | None = declared(
        "--scheduler ADDRESS",
        "With --engine dask, the cluster to run on: tcp://10.0.0.1:8786  [local "
        "threads]",
    )


@dataclass(frozen=True)
class Effort:
    """How, and how thoroughly, methods are compared."""

    folds: int | None = declared(
        "--folds N", "Number of cross-validation folds.  [5]", type=at_least(2)
    )
    budget: float | None = declared(
        "--budget SECONDS",
        "Work to spend, in seconds of one core. It is counted, not timed, so that the "
        "result does not depend on the machine: with less, fewer methods are shown for "
        "comparison, and the test of relevance has fewer rounds.  [40]",
        type=seconds,
    )
    groups: str | None = declared(
        "--groups COL",
        "Column of group labels, such as patients: rows of a group are never in both "
        "the training and the test set of a fold.",
    )
    cv: str | None = declared(
        "--cv",
        "How to make folds: stratified by class, or in order of time, with test rows "
        "later than training rows.  [classes]",
        type=click.Choice(["classes", "time"]),
    )
    time: str | None = declared(
        "--time COL",
        "Column with the time, for --cv time; with --event, with the survival "
        "times.  [the order of the file]",
    )
    estimator: str | None = declared(
        "--estimator NAME",
        "Classifier that evaluates the features: 1-nn, logistic, svm, tree, forest, "
        "boosting, or module:Class; for a numeric target, linear instead of "
        "logistic, for survival times cox.  [1-nn; 5-nn for numbers]",
    )
    scoring: str | None = declared(
        "--scoring NAME",
        "Score to use, as scikit-learn names it: roc_auc, f1_macro …  [accuracy; "
        "balanced accuracy if classes are very unbalanced; r2 for a numeric target]",
    )
    baseline: str | None = declared(
        "--baseline FILE|COLS",
        "Features in use today, to compare with: a,b,c, a saved selection, a table "
        "that has them, or a file with one name per line.",
    )
    positive: str | None = declared(
        "--positive LABEL",
        "Of two classes, the one to which directions and AUCs refer.  [the rarer one]",
    )
    hard_rows: int | None = declared(
        "--hard-rows N",
        "Print the N rows with the lowest margins, which may be mislabelled; the "
        "report has them, too.",
        type=at_least(1),
    )

    def splitter(self, ordered: bool) -> Any:
        """Folds for `compare`; in the order of time if that is wanted."""
        if self.cv != "time" and not ordered:
            return self.folds
        from sklearn.model_selection import TimeSeriesSplit

        return TimeSeriesSplit(self.folds or 5)


@dataclass(frozen=True)
class Output:
    """Where results go."""

    output: tuple[str, ...] = declared(
        "--output -o FILE",
        "Write to a file, in the format of its extension: .csv, .tsv (also compressed, "
        "such as .csv.gz), .parquet or .json, and .html for a report. May be given "
        "several times.",
        multiple=True,
        type=click.Path(path_type=str),
    )
    force: bool = declared("--force -f", "Replace an existing file.", is_flag=True)
    as_json: bool = declared(*JSON, name="as_json", is_flag=True)
    quiet: bool = declared(*QUIET, is_flag=True)

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

    def say_written(self, what: str | None = None) -> None:
        """Say on stderr what was written where; by default a report or results."""
        for path in () if self.quiet else self.output:
            page = "report" if path.lower().endswith(".html") else "results"
            say(f"{what or page} written to {path}")
